#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Hours of random writes: on a simulated drive, within a budget, in scaled-down form on a file, killed and resumed.

load common

SIM=(--drive "sim:sm2258xt-120g-usb,capacity=4GB" --runs 2)
SCALED=(--for 6s --first 2s --round 1s --run-time 300ms --runs 2 --gap 0s --rest for:0s --prepare as-is)

# verdict NAME: its value and status, of the run in ./out
verdict()
{
	jq -r --arg name "saturate.$1" '.verdicts[] | select(.name == $name) | "\(.value) \(.status)"' out
}

@test "a simulated drive until it is steady: tables, verdicts, and never steady before two passes" {
	works run saturate "${SIM[@]}" --advertised 11k --json --quiet
	printf '%s\n' "$output" >out
	jq -e '.phases | map(select(.label == "random_write")) | length >= 6' out
	jq -e '[.phases[] | select(.label == "random_write") | .write.bytes] | add >= 8e9' out
	[[ $(verdict steady_iops) == *" measured" ]]
	[[ $(verdict hold_s.10) == "null not_reached" ]]
	[[ $(verdict best_over_worst) == *" measured" ]]
	jq -e '[.verdicts[] | select(.name | startswith("saturate.best_over_worst."))] | length == 8' out
	works show last
	contains "best case before, worst case after" "Random writes over time" "SEQ1M Q8T1" "saturate.plateau_over_last"
}

@test "the same seed gives the same bytes" {
	assay run saturate "${SIM[@]}" --for 30min --json --quiet >a
	assay run saturate "${SIM[@]}" --for 30min --json --quiet >b
	cmp <(python3 "$ASSAY_SOURCE_DIR/tests/cli/without-circumstances.py" a) <(python3 "$ASSAY_SOURCE_DIR/tests/cli/without-circumstances.py" b)
}

@test "the budget ends the writes in time for the second benchmark" {
	works run saturate "${SIM[@]}" --for 10h --max-written 8GB --json --quiet
	printf '%s\n' "$output" >out
	jq -e '.written_bytes <= 8e9' out
	jq -e '[.phases[] | select(.label | startswith("after_"))] | length == 24' out
	jq -e '[.phases[] | select(.label == "random_write")] | length >= 1' out
	[[ $(verdict steady_iops) == "null not_identifiable" ]]
}

@test "a file, scaled down" {
	works run saturate --drive "file:$PWD/big,size=64MiB" --region 8MiB "${SCALED[@]}" --until time --db none --json --quiet
	printf '%s\n' "$output" >out
	jq -e '[.phases[] | select(.label == "random_write")] | length == 5' out
	jq -e 'all(.phases[]; .read.errors == 0 and .write.errors == 0)' out
	[[ $(verdict hold_s) == *measured || $(verdict hold_s) == *not_reached ]]
}

@test "killed in the middle, it ends in the same bytes" {
	local pid i
	assay run saturate "${SIM[@]}" --for 2h --db whole.db --json --quiet >whole
	for i in 3 20 40; do
		rm -f killed.db*
		"$ASSAY" run saturate "${SIM[@]}" --for 2h --db killed.db --json --quiet </dev/null >killed 2>err &
		pid=$!
		until [[ $(sqlite3 killed.db "SELECT count(*) FROM phase" 2>/dev/null) -ge $i ]]; do
			kill -0 "$pid"
		done
		kill -KILL "$pid"
		wait "$pid" || true
		assay resume last --db killed.db >resumed
		"$ASSAY" show last --db killed.db --json >resumed
		cmp <(python3 "$ASSAY_SOURCE_DIR/tests/cli/without-circumstances.py" whole) <(python3 "$ASSAY_SOURCE_DIR/tests/cli/without-circumstances.py" resumed)
	done
}

@test "what is asked must make sense" {
	fails 2 run saturate --advertised many
	[[ $stderr == *"84k"* ]]
	fails 2 run saturate --region 1MiB
	fails 2 run saturate --span 300GB
	fails 2 run saturate --content poetry
	fails 2 run saturate --until never
}

@test "the plan lists every round and is bounded by the budget" {
	works plan saturate "${SIM[@]}" --max-written 8GB
	contains "at most the budget, 8.00 GB"
	works plan saturate "${SIM[@]}"
	contains "not bounded by bytes"
}
