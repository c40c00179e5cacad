#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fill ladder against the source and against what the model was built with, as TAP.

	fill_truth.py ASSAY

Two kinds of test: the default model gives the source's table (best run of each cell, since that is what the
source prints), and the verdicts find again the parameters of models that were built otherwise.
"""
import json
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

assay = sys.argv[1]
points = []


def check(ok, name, detail=""):
    points.append(bool(ok))
    print(f"{'ok' if ok else 'not ok'} {len(points)} - {name}")
    if not ok and detail:
        print(f"# {detail}")


def run(drive="", *options):
    argv = [assay, "run", "fill", "--db", "none", "--json", "--quiet", *options]
    if drive:
        argv += ["--drive", drive]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"Bail out! {' '.join(argv)}: {done.stderr.decode()}")
    return json.loads(done.stdout)


def best(result, label, repeat):
    """Best run of a cell by level, MB/s."""
    levels = defaultdict(float)
    for phase in result["phases"]:
        if phase["label"] == label and phase["repeat"] == repeat:
            flow = phase["write" if label.endswith("write") else "read"]
            level = phase["level_pct"]
            levels[level] = max(levels[level], flow["mbps"])
    return levels


def verdicts(result):
    return {verdict["name"]: verdict for verdict in result["verdicts"]}


def knee_levels(found):
    """Levels of the copies that slow down."""
    prefix = "fill.copy_knee_bytes."
    return sorted(float(name[len(prefix):]) for name, verdict in found.items()
                  if name.startswith(prefix) and verdict["status"] == "measured")


def within(value, middle, half):
    return value is not None and abs(value - middle) <= half


def source_table(result):
    repeats = sorted({phase["repeat"] for phase in result["phases"]})
    for repeat in repeats:
        name = f"repeat {repeat}: "
        write = best(result, "seq1m_q8t1_write", repeat)
        flat = [mbps for level, mbps in write.items() if level <= 90]
        mean = sum(flat) / len(flat)
        check(all(within(mbps, mean, 0.015 * mean) for mbps in flat),
              name + "SEQ1M write within 1.5 % of its mean to 90 %", str(dict(write)))
        check(all(within(mbps, 406, 0.03 * 406) for mbps in flat),
              name + "SEQ1M write within 3 % of 406 MB/s to 90 %", str(dict(write)))
        check(385 <= write[96] <= 403, name + "SEQ1M write at 96 %", str(write[96]))
        check(360 <= write[99] <= 382, name + "SEQ1M write at 99 %", str(write[99]))
        read = best(result, "seq1m_q8t1_read", repeat)
        check(all(within(mbps, 443, 0.03 * 443) for mbps in read.values()),
              name + "SEQ1M read 443 MB/s +- 3 %", str(dict(read)))
        read = best(result, "rnd4k_q32t16_read", repeat)
        check(all(50 <= mbps <= 62 for mbps in read.values()),
              name + "RND4K read 50 to 62 MB/s", str(dict(read)))
        write = best(result, "rnd4k_q32t16_write", repeat)
        check(all(30 <= mbps <= 46 for mbps in write.values()),
              name + "RND4K write 30 to 46 MB/s", str(dict(write)))
    found = verdicts(result)
    check(within(found["fill.concurrency"]["value"], 512, 0.03 * 512), "concurrency 512 +- 3 %",
          str(found["fill.concurrency"]))
    knees = knee_levels(found)
    check(knees and 41 <= knees[0] <= 51, "first knee of the copy between 41 and 51 %", str(knees))
    check(len(knees) >= 8, "the copies above it have knees too", str(knees))
    write = best(result, "seq1m_q8t1_write", repeats[0])
    check(abs(write[90] / write[0] - 1) <= 0.015, "the small benchmark is blind to 90 %", str(dict(write)))
    check(found["fill.regimes"]["value"] >= 2, "the copy is not: it has regimes",
          str(found["fill.regimes"]))


def cache(result, share, fixed_bytes, name):
    found = verdicts(result)
    k, s0 = found["fill.cache_share_of_free"], found["fill.cache_fixed_bytes"]
    check(within(k["value"], share, 0.01), f"{name}: share of free space {share} +- 0.01", str(k))
    check(within(s0["value"], fixed_bytes, 0.3e9), f"{name}: fixed part {fixed_bytes / 1e9} GB +- 0.3", str(s0))


def modes(result, want, name):
    found = verdicts(result)["fill.rnd4k_write_modes"]
    check(found["value"] == want, f"{name}: RND4K write has {want} mode(s)", str(found))
    return found


MODEL = "sim:sm2258xt-120g-usb"
OTHERS = (
    ("", ("--seed", "1")),
    (f"{MODEL},pslc.share=0.12,pslc.static=0.8GB", ("--repeat", "1", "--seed", "2")),
    (f"{MODEL},pslc.share=0.04,pslc.static=2.5GB", ("--repeat", "1", "--seed", "3")),
    (f"{MODEL},campaign.every=0B,campaign.copy=0B", ("--repeat", "1", "--seed", "4")),
)


def main():
    with ThreadPoolExecutor(2) as pool:
        default, more, less, calm = pool.map(lambda job: run(job[0], *job[1]), OTHERS)
    source_table(default)
    cache(default, 0.067, 1.6e9, "as shipped")
    cache(more, 0.12, 0.8e9, "larger share, smaller fixed part")
    cache(less, 0.04, 2.5e9, "smaller share, larger fixed part")
    two = modes(default, 2, "campaign on")
    ratio = float(two["text"].split("ratio ")[1].split()[0]) if two["value"] == 2 else 0
    check(within(ratio, 0.76, 0.03), "their ratio is 0.76 +- 0.03", two["text"])
    modes(calm, 1, "campaign off")
    print(f"1..{len(points)}")
    return 0 if all(points) else 1


sys.exit(main())
