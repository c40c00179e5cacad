#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# --json: one object on stdout and nothing else, the promised keys, and the same bytes for the same seed.

load common

# A run that takes a moment and has reads, writes, several phases and a mix.
small()
{
	assay run load --json --drive sim:sm2258xt-120g-usb --block 4KiB --depth 1,32 --read 0,50,100 --span 1GiB \
		--time 200ms "$@"
}

@test "stdout is one JSON object, progress goes to stderr" {
	small --db none >out 2>err
	python3 - <<-'END'
		import json
		text = open("out").read()
		assert text.startswith("{"), text[:100]
		value, end = json.JSONDecoder().raw_decode(text)
		assert text[end:].strip() == "", "something behind the object: " + text[end:][:100]
	END
	small --db none --quiet >out 2>err
	[ ! -s err ]
}

@test "the keys are those of schema assay.run/1" {
	small --db none >out
	python3 "$ASSAY_SOURCE_DIR/tests/cli/schema.py" out
	jq -e '.phases | length == 6' out
}

@test "numbers agree with one another" {
	small --db none >out
	python3 - <<-'END'
		import json
		run = json.load(open("out"))
		for p in run["phases"]:
		    seconds = p["end_s"] - p["start_s"]
		    for f in (p["read"], p["write"]):
		        if not f or not f["ops"]:
		            continue
		        assert abs(f["iops"] * seconds - f["ops"]) <= 1e-6 * f["ops"], p["label"]
		        assert abs(f["mbps"] * 1e6 * seconds - f["bytes"]) <= 1e-6 * f["bytes"], p["label"]
		        assert f["ops"] * p["block_bytes"] == f["bytes"], p["label"]
		        l = f["lat_ns"]
		        assert l["min"] <= l["p50"] <= l["p90"] <= l["p99"] <= l["p999"] <= l["p9999"] <= l["max"]
		    depth = sum(f["in_flight_mean"] for f in (p["read"], p["write"]) if f)
		    assert 0.9 * p["queue_depth"] <= depth <= 1.001 * p["queue_depth"], (p["queue_depth"], depth)
		written = sum(p["write"]["bytes"] for p in run["phases"] if p["write"])
		assert written <= run["written_bytes"], (written, run["written_bytes"])
	END
}

@test "same seed, same bytes; another seed, other bytes" {
	small --db none --seed 7 >a
	small --db none --seed 7 >b
	small --db none --seed 8 >c
	without_circumstances a >a.same
	without_circumstances b >b.same
	without_circumstances c >c.same
	cmp a.same b.same
	run ! cmp -s a.same c.same
}

@test "the store changes nothing" {
	small --db none >a
	small --db b.db >b
	small >c
	without_circumstances a >a.same
	without_circumstances b >b.same
	without_circumstances c >c.same
	cmp a.same b.same
	cmp a.same c.same
}

@test "what is exported from the store is what was printed" {
	small --db a.db >a
	assay export last --json --db a.db >b
	cmp a b
}

@test "gcc's and clang's programs give the same bytes" {
	[ -n "${ASSAY_OTHER:-}" ] && [ -x "$ASSAY_OTHER" ] || skip "no other build; ./check gcc clang makes it"
	small --db none >a
	ASSAY=$ASSAY_OTHER small --db none >b
	without_circumstances a >a.same
	without_circumstances b >b.same
	cmp a.same b.same
	assay run fill --profile short --json --db none --repeat 1 >a
	ASSAY=$ASSAY_OTHER assay run fill --profile short --json --db none --repeat 1 >b
	without_circumstances a >a.same
	without_circumstances b >b.same
	cmp a.same b.same
}

@test "the version of the schema is printed first" {
	small --db none >out
	[ "$(jq -r 'keys_unsorted[0]' out)" = schema ]
	[ "$(jq -r .schema out)" = assay.run/1 ]
}
