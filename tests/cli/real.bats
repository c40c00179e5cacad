#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The main job on real drives: a block device, a folder on ext4 and one on NTFS; killed and resumed.

load common

SHORT=(--passes 20 --gap 0s --rest for:0s)
LEVELS=(--levels "0,25,50,75,90" --runs 2 --run-time 500ms)

# direct_loop_device SIZE: as loop_device, past the page cache of the file below it.
direct_loop_device()
{
	loop_device "$1"
	losetup --direct-io=on "$loop" 2>/dev/null || true
}

# A fill on DRIVE went well: every level and cell is there, the verdicts have their names.
check_fill()
{
	python3 - "$@" <<-'END'
		import json, sys
		run = json.load(open(sys.argv[1]))
		levels = {float(x) for x in sys.argv[2].split(",")}
		cells = {(p["level_pct"], p["label"]) for p in run["phases"]}
		for level in levels:
		    for label in ("seq1m_q8t1_read", "seq1m_q8t1_write", "rnd4k_q32t16_read", "rnd4k_q32t16_write"):
		        assert (level, label) in cells, (level, label)
		for p in run["phases"]:
		    flow = p["read" if p["read_pct"] else "write"]
		    assert flow["errors"] == 0, p["label"]
		    # A cell of half a second may end before a slow file system gives anything back.
		    assert flow["ops"] > 0 or p["label"] in ("discard", "prepare") or flow["in_flight_mean"] > 100, (p["label"], p["level_pct"], p["pass"], flow)
		    assert p["end_s"] > p["start_s"], (p["label"], p["level_pct"], p["pass"], flow)
		names = {v["name"] for v in run["verdicts"]}
		for cell in ("seq1m_write", "seq1m_read", "rnd4k_read", "rnd4k_write"):
		    for step in ("to_90", "at_99"):
		        assert f"fill.{cell}_change_pct.{step}" in names
		assert {"fill.cache_share_of_free", "fill.cache_fixed_bytes", "fill.regimes",
		        "fill.rnd4k_write_modes", "fill.concurrency"} <= names, names
		assert any(n.startswith("fill.copy_knee_bytes.") for n in names)
	END
}

@test "fill on a block device, up and down again, with a report" {
	direct_loop_device 2G
	works run fill --drive "$loop" --destroy "${loop#/dev/}" "${SHORT[@]}" "${LEVELS[@]}" --quiet --json --db a.db --report a.html
	printf '%s\n' "$output" >out
	check_fill out 0,25,50,75,90
	grep -q '<html' a.html
	# On the way down the image gives its blocks back: it ends smaller than what the ladder wrote.
	jq -e '[.phases[] | select(.label == "discard")] | length >= 4' out
	(($(du -B1 drive.* | cut -f1 | sort -n | tail -1) < 1000000000))
	works show last --db a.db
	contains "The ladder down"
}

@test "fill on a block device: the cell of 512 names the depth that the device has" {
	direct_loop_device 1G
	local requests
	requests=$(cat "/sys/block/${loop#/dev/}/queue/nr_requests")
	((requests < 400)) || skip "the device takes $requests requests"
	works run fill --drive "$loop" --destroy "${loop#/dev/}" "${SHORT[@]}" --levels 0 --runs 1 --run-time 2s \
		--quiet --json --db none
	jq -e --argjson n "$requests" '.phases[] | select(.label == "rnd4k_q32t16_read") |
		(.notes | index("depth_not_reached")) != null and .read.in_flight_mean > 480 and
		.in_flight_device_max >= 0.95 * $n and .in_flight_device_max <= 1.05 * $n' <<<"$output"
}

# Levels below what the file system holds already are left out, and so are those that --leave-free forbids.
fill_in_folder()
{
	works run fill --drive "dir:$PWD/mnt" --leave-free 64MiB "${SHORT[@]}" "${LEVELS[@]}" --quiet --json --db none
	printf '%s\n' "$output" >out
	check_fill out 25,50,75
	works run fill --drive "dir:$PWD/mnt" --leave-free 64MiB "${SHORT[@]}" --levels 25,50 --runs 1 --run-time 100ms --quiet --db none
	contains "The ladder up"
	find mnt -mindepth 1 -not -name lost+found >left
	[ ! -s left ]
}

@test "fill in a folder on ext4" {
	requires mkfs.ext4
	direct_loop_device 1536M
	mkfs.ext4 -q "$loop"
	mounted mnt "$loop"
	fill_in_folder
}

@test "fill in a folder on NTFS" {
	requires mkfs.ntfs ntfs-3g
	direct_loop_device 1536M
	mkfs.ntfs -Q -q "$loop" >/dev/null 2>&1
	mounted mnt -t ntfs-3g "$loop"
	fill_in_folder
}

@test "killed on a block device, resume goes on and ends with verdicts of the same names and statuses" {
	direct_loop_device 1G
	local fill=(run fill --drive "$loop" --destroy "${loop#/dev/}" "${SHORT[@]}" "${LEVELS[@]}" --quiet --json)
	assay "${fill[@]}" --db whole.db >whole
	"$ASSAY" "${fill[@]}" --db killed.db >killed 2>err </dev/null &
	local pid=$! i stored
	for ((i = 0; i < 600; i++)); do
		stored=$(sqlite3 killed.db 'SELECT count(*) FROM phase WHERE finished' 2>/dev/null || true)
		((${stored:-0} >= 12)) && break
		sleep 0.05
	done
	kill -9 "$pid"
	wait "$pid" || true
	((${stored:-0} >= 12))
	assay resume last --db killed.db >resumed
	check_fill resumed 0,25,50,75,90
	# What a noisy host measures may differ; that it is measured, and what is asked, may not.
	jq -S '[.verdicts[] | select(.name | test("knee|break") | not) | {name, status}]' whole >whole.names
	jq -S '[.verdicts[] | select(.name | test("knee|break") | not) | {name, status}]' resumed >resumed.names
	cmp whole.names resumed.names
	jq -e --argjson n "$(jq '.phases | length' whole)" '.phases | length == $n' resumed
}
