#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Assay and fio in turn on the same file: rate, latency, and processor time for each I/O.

	bench/against-fio.py ASSAY FILE [--rounds 5] [--seconds 3] [--depth 32] [--block 4096]

FILE is made (1 GiB of random data) where it does not exist. Random reads, direct, closed loop, one thread.
fio runs twice a round: with registered buffers and files and batched submission ("tuned"; like Assay it never
waits for more than one completion), and with its defaults. Processor time is of the whole process, start-up
included. These machines are noisy: read the medians of the ratios, which are taken within a round.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys


def timed(argv):
    """(stdout, processor seconds of the child)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(argv)}: {done.stderr.decode()}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), cpu


def assay(options):
    out, cpu = timed([options.assay, "run", "load", "--drive", f"file:{options.file}", "--db", "none", "--json",
                      "--quiet", "--block", str(options.block), "--depth", str(options.depth),
                      "--time", f"{options.seconds}s"])
    read = out["phases"][0]["read"]
    # What the process submitted: the cell, and a round of ramp and of drain.
    ios = read["ops"] + 2 * options.depth
    return {"iops": read["iops"], "p50": read["lat_ns"]["p50"], "p99": read["lat_ns"]["p99"], "cpu": cpu / ios}


def fio(options, tuned):
    argv = ["fio", "--name=a", f"--filename={options.file}", "--direct=1", "--rw=randread", "--ioengine=io_uring",
            f"--bs={options.block}", f"--iodepth={options.depth}", "--time_based", f"--runtime={options.seconds}",
            "--norandommap", "--output-format=json", "--percentile_list=50:99", "--lat_percentiles=1"]
    if tuned:
        argv += ["--fixedbufs=1", "--registerfiles=1", f"--iodepth_batch_submit={options.depth}",
                 "--iodepth_batch_complete_min=1", f"--iodepth_batch_complete_max={options.depth}"]
    out, cpu = timed(argv)
    read = out["jobs"][0]["read"]
    percentile = read["lat_ns"]["percentile"]
    return {"iops": read["iops"], "p50": percentile["50.000000"], "p99": percentile["99.000000"],
            "cpu": cpu / read["total_ios"]}


def make(path):
    if os.path.exists(path):
        return
    with open(path, "wb") as f:
        for _ in range(1024):
            f.write(os.urandom(1 << 20))
        os.fsync(f.fileno())


def main():
    parser = argparse.ArgumentParser(description="Assay and fio in turn on the same file.")
    parser.add_argument("assay")
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--depth", type=int, default=32)
    parser.add_argument("--block", type=int, default=4096)
    options = parser.parse_args()
    make(options.file)
    rounds = []
    print(f"{'':14}{'IOPS':>10}{'p50 us':>10}{'p99 us':>10}{'CPU us/IO':>11}")
    for number in range(options.rounds):
        row = {"assay": assay(options), "fio tuned": fio(options, True), "fio default": fio(options, False)}
        rounds.append(row)
        for name, x in row.items():
            print(f"{number + 1} {name:12}{x['iops']:10.0f}{x['p50'] / 1e3:10.1f}{x['p99'] / 1e3:10.1f}"
                  f"{x['cpu'] * 1e6:11.3f}")
    print("\nmedian of the ratios, assay / fio (least to greatest)")
    for other in ("fio tuned", "fio default"):
        for key in ("iops", "p50", "p99", "cpu"):
            ratios = sorted(row["assay"][key] / row[other][key] for row in rounds)
            print(f"  {key:5} to {other:12}{statistics.median(ratios):7.3f} ({ratios[0]:.3f} to {ratios[-1]:.3f})")
    return 0


sys.exit(main())
