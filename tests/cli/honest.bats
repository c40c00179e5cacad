#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The ways in which benchmarks mislead, each shut: docs/honest.md names these tests.

load common

load_on()
{
	assay run load --quiet --json --db none --drive "$@"
}

@test "the result is the mean of all runs with its spread, not the best run" {
	assay run quick --quiet --json --db none --profile s0 --runs 4 --run-time 300ms >out
	python3 - <<-'END'
		import json, math
		run = json.load(open("out"))
		seen = 0
		for v in run["verdicts"]:
		    if not v["name"].endswith(".mbps"):
		        continue
		    label = v["name"].split(".")[1]
		    way = label.rsplit("_", 1)[1]
		    values = [p[way]["mbps"] for p in run["phases"] if p["label"] == label]
		    assert len(values) == 4 == v["n"], (label, values)
		    mean = sum(values) / len(values)
		    sd = math.sqrt(sum((x - mean) ** 2 for x in values) / (len(values) - 1))
		    assert abs(v["value"] - mean) <= 1e-6 * mean, (label, v["value"], mean)
		    assert v["low"] <= v["value"] <= v["high"] and v["interval"] == "within_run"
		    if sd > 1e-9 * mean:
		        assert v["value"] < max(values) and v["high"] > v["value"]
		    seen += 1
		assert seen == 4, seen
	END
}

@test "every run of a cell is a phase of its own, so that no two statistics come from different runs" {
	assay run quick --quiet --json --db none --profile s0 --runs 3 >out
	python3 - <<-'END'
		import json
		run = json.load(open("out"))
		cells = {}
		for p in run["phases"]:
		    if p["label"].startswith(("seq1m", "rnd4k")):
		        cells.setdefault(p["label"], []).append(p["pass"])
		        f = max(p["read"], p["write"], key=lambda flow: flow["ops"])
		        seconds = p["end_s"] - p["start_s"]
		        # Little's law, of one run's own numbers: rate x latency = depth, but for both ends.
		        depth = f["iops"] * f["lat_ns"]["mean"] / 1e9
		        assert abs(depth - f["in_flight_mean"]) <= 0.02 * depth, (p["label"], depth, f["in_flight_mean"])
		assert len(cells) == 4 and all(passes == [1, 2, 3] for passes in cells.values()), cells
	END
}

@test "depth is per thread, and both are what was asked for" {
	load_on sim:sm2258xt-120g-usb --depth 4 --threads 3 --time 200ms >out
	jq -e '.phases[0] | .queue_depth == 4 and .threads == 3' out
	jq -e '.phases[0].read.in_flight_mean | . > 11.5 and . <= 12' out
}

@test "reads of what was never written say so" {
	load_on sim:sm2258xt-120g-usb --prepare fresh --span 1GiB --time 100ms >out
	jq -e '.phases[-1].notes | index("unwritten_read")' out
	load_on sim:sm2258xt-120g-usb,capacity=8GB --prepare sequential --time 100ms >out
	jq -e '.phases[-1].notes | index("unwritten_read") == null' out
}

@test "a cell that stops before one pass of its span says so" {
	load_on sim:sm2258xt-120g-usb --order sequential --read 0 --bytes 64MiB --span 1GiB --time 0s >out
	jq -e '.phases[-1].notes | index("span_not_covered")' out
	load_on sim:sm2258xt-120g-usb --order permuted --read 0 --passes 1 --span 64MiB --time 0s >out
	jq -e '.phases[-1] | .notes | index("span_not_covered") == null' out
	jq -e '.written_bytes == 67108864' out
}

@test "a random pass covers every address once" {
	loop_device 32M
	load_on "$loop" --destroy "${loop#/dev/}" --order permuted --read 0 --passes 1 --depth 8 --time 0s >out
	jq -e '.written_bytes == 33554432' out
	python3 - "$loop" <<-'END'
		import sys
		data = open(sys.argv[1], "rb").read()
		blocks = [data[i : i + 4096] for i in range(0, len(data), 4096)]
		assert len(blocks) == 8192 and all(any(b) for b in blocks), "a block was left out"
	END
}

@test "random data are random: no block twice, nothing to compress" {
	requires zstd
	loop_device 32M
	load_on "$loop" --destroy "${loop#/dev/}" --order sequential --block 1MiB --read 0 --passes 1 --time 0s >out
	python3 - "$loop" <<-'END'
		import sys
		data = open(sys.argv[1], "rb").read()
		blocks = {data[i : i + 4096] for i in range(0, len(data), 4096)}
		assert len(blocks) == 8192, f"only {len(blocks)} of 8192 blocks differ"
	END
	(($(zstd -q -3 --stdout <"$loop" | wc -c) >= 33554432))
}

@test "what is written again is not what was there" {
	loop_device 32M
	load_on "$loop" --destroy "${loop#/dev/}" --order sequential --block 1MiB --read 0 --passes 1 --time 0s >out
	cp "$loop" once
	load_on "$loop" --destroy "${loop#/dev/}" --order sequential --block 1MiB --read 0 --passes 1 --time 0s --seed 2 >out
	python3 - "$loop" <<-'END'
		import sys
		a, b = open("once", "rb").read(), open(sys.argv[1], "rb").read()
		same = sum(a[i : i + 4096] == b[i : i + 4096] for i in range(0, len(a), 4096))
		assert same == 0, f"{same} blocks are the same"
	END
}

@test "a depth that the device never saw is named" {
	loop_device 256M
	local requests
	requests=$(cat "/sys/block/${loop#/dev/}/queue/nr_requests")
	load_on "$loop" --block 4KiB --depth 32 --threads 16 --read 100 --time 2s >out
	jq -e '.phases[-1] | .read.in_flight_mean > 500' out
	# What it has at most is its limit; the kernel hands freed requests on in batches, and this host may be
	# busy, so the mean is below that.
	jq -e --argjson n "$requests" '.phases[-1].in_flight_device_max | . >= 0.95 * $n and . <= 1.05 * $n' out
	jq -e --argjson n "$requests" '.phases[-1].in_flight_device_mean | . >= 0.5 * $n and . <= 1.05 * $n' out
	jq -e '.phases[-1].notes | index("depth_not_reached")' out
}

@test "open loop: latency counts from when an I/O was due, so a stall cannot hide the queue behind it" {
	# A drive that takes 100 us or more, offered ten times what one I/O at a time can do.
	load_on sim:sm2258xt-120g-usb --rate 200000 --arrival fixed --depth 1 --span 1GiB --time 200ms >out
	jq -e '.phases[-1].read | .lat_ns.p99 > 10 * .service_ns.p99' out
	load_on sim:sm2258xt-120g-usb --rate 100 --arrival fixed --depth 1 --span 1GiB --time 1s >out
	jq -e '.phases[-1].read | .lat_ns.p50 <= 1.05 * .service_ns.p50' out
}

@test "latency is part of every cell" {
	assay run fill --quiet --json --db none --profile short --repeat 1 >out
	jq -e '[.phases[] | (.read, .write) | select(. != null and .ops > 0) | .lat_ns | (.p50, .p99, .p9999) | . > 0] |
		length > 0 and all' out
}

@test "levels that were skipped are not in the result, and a sentence says why" {
	requires mkfs.ext4
	loop_device 512M
	mkfs.ext4 -q "$loop"
	mounted "$PWD/mnt" "$loop"
	head -c 150M /dev/zero >mnt/others
	assay run fill --profile short --runs 1 --run-time 100ms --gap 0s --rest for:0s --leave-free 64MiB --region 8MiB \
		--drive "dir:$PWD/mnt" --db none --json >out 2>err
	jq -e '[.phases[] | select(.label == "copy") | .level_pct] | length > 0 and min > 25' out
	jq -e '[.phases[] | select(.read == null and .write == null)] | length == 0' out
	grep -qiE 'skip|left out' err
}

@test "what was moved passed through the device: the kernel's own counters agree" {
	loop_device 64M
	local before after
	before=$(awk '{ print $7 }' "/sys/block/${loop#/dev/}/stat")
	load_on "$loop" --destroy "${loop#/dev/}" --order sequential --block 1MiB --read 0 --passes 1 --time 0s >out
	after=$(awk '{ print $7 }' "/sys/block/${loop#/dev/}/stat")
	jq -e '.written_bytes == 67108864' out
	(((after - before) * 512 >= 67108864))
	(((after - before) * 512 <= 68157440))
	jq -e '.phases[-1].notes | index("cache_served") == null' out
	# Read twice: the page cache would serve the second time without the device.
	load_on "$loop" --order sequential --block 1MiB --passes 1 --time 0s >out
	before=$(awk '{ print $3 }' "/sys/block/${loop#/dev/}/stat")
	load_on "$loop" --order sequential --block 1MiB --passes 1 --time 0s >out
	after=$(awk '{ print $3 }' "/sys/block/${loop#/dev/}/stat")
	(((after - before) * 512 >= 67108864))
}
