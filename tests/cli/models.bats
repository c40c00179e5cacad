#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Models of simulated drives that are wrong, each in its own way: the file, the line and the reason are named.

load common

model()
{
	printf '%s' "$ASSAY_SOURCE_DIR/models/sm2258xt-120g-usb.yaml"
}

# refused TEXT...: the model in wrong.yaml is, in one sentence that says where and holds each text.
refused()
{
	run --separate-stderr assay run load --drive "sim:$PWD/wrong.yaml" --time 1ms --db none
	if ((status != 1 && status != 2)) || [[ -n $output || -z $stderr || $stderr == *$'\n'* ]]; then
		printf 'exit %s\n' "$status"
		show_streams
		return 1
	fi
	says "wrong.yaml" "$@"
}

# The line of a parameter whose value is a number.
number_line()
{
	grep -n 'geometry.channels: { value: ' wrong.yaml | cut -d: -f1
}

@test "the model as it is works from a file" {
	cp "$(model)" right.yaml
	works run load --drive "sim:$PWD/right.yaml" --time 1ms --db none
}

@test "a file that does not exist" {
	run --separate-stderr assay run load --drive "sim:$PWD/none.yaml" --time 1ms --db none
	[ "$status" -eq 1 ] || [ "$status" -eq 2 ]
	says "none.yaml" "No such file"
}

@test "an empty file" {
	: >wrong.yaml
	refused
}

@test "no YAML at all" {
	printf 'geometry: [1, 2\nnand: }\n' >wrong.yaml
	refused
}

@test "binary rubbish" {
	head -c 4096 /dev/urandom >wrong.yaml
	refused
}

@test "a list where a mapping belongs" {
	printf -- '- one\n- two\n' >wrong.yaml
	refused
}

@test "an unknown parameter" {
	cp "$(model)" wrong.yaml
	local n
	n=$(number_line)
	sed -i "${n}s/geometry.channels/geometry.no_such/" wrong.yaml
	refused "line $n" "geometry.no_such"
}

@test "a parameter given twice" {
	cp "$(model)" wrong.yaml
	local n
	n=$(number_line)
	sed -i "${n}p" wrong.yaml
	refused "line $((n + 1))"
}

@test "a parameter left out" {
	cp "$(model)" wrong.yaml
	sed -i "$(number_line)d" wrong.yaml
	refused "geometry.channels"
}

@test "a word where a number belongs" {
	cp "$(model)" wrong.yaml
	local n
	n=$(number_line)
	sed -i "${n}s/value: [0-9]*/value: plenty/" wrong.yaml
	refused "line $n" "plenty"
}

@test "a negative number" {
	cp "$(model)" wrong.yaml
	local n
	n=$(number_line)
	sed -i "${n}s/value: [0-9]*/value: -1/" wrong.yaml
	refused "line $n" "-1"
}

@test "a number far too large" {
	cp "$(model)" wrong.yaml
	local n
	n=$(number_line)
	sed -i "${n}s/value: [0-9]*/value: 99999999999999999999/" wrong.yaml
	refused "line $n"
}

@test "a parameter with a value of the wrong kind" {
	cp "$(model)" wrong.yaml
	local n
	n=$(number_line)
	sed -i "${n}s/value: [0-9]*/value: [1, 2]/" wrong.yaml
	refused "line $n"
}

@test "an impossible combination" {
	cp "$(model)" wrong.yaml
	# More data than the flash can hold.
	sed -i 's/capacity: { value: 120034123776B/capacity: { value: 240GB/' wrong.yaml
	refused
}

@test "an override on the command line is checked like the file" {
	fails 2 run load --drive sim:sm2258xt-120g-usb,capacity=-5 --time 1ms --db none
	says "capacity" "-5"
}

@test "a model is explained: mechanisms, what follows, matches, parameters, sources" {
	works models sm2258xt-120g-usb
	[[ $output == *"pSLC cache"*"on"*"raw capacity"*"139.4 GB"*"Matched to:"*"tests/sim/test-sm2258xt.c"*"Sources"* ]]
	[ -z "$(awk 'length($0) > 80' <<<"$output")" ]
}

@test "each model fits 80 columns and says the same as JSON" {
	local model
	for model in $(assay models); do
		works models "$model"
		[ -z "$(LC_ALL=C.UTF-8 awk 'length($0) > 80' <<<"$output")" ]
		assay models "$model" --json | jq -e --arg m "$model" '.schema == "assay.model/1" and .name == $m
			and (.parameters | length > 3 and all(.value != null and .source != null and .origin != null))
			and (.facts | length > 0) and .memory_bytes > 0' >/dev/null
	done
}

@test "overrides show where a value comes from" {
	assay models sm2258xt-120g-usb,capacity=8GB,gc.low=8 --json >model.json
	jq -e '[.parameters[] | {key: .name, value: .origin}] | from_entries
		| .["gc.low"] == "overridden" and .capacity == "overridden" and .["geometry.superblocks"] == "scaled"
		and .["nand.read"] == "given" and .seed == "default"' model.json
	fails 2 models sm2258xt-120g-usb,gc.low=8000000
	says "gc.low"
}

@test "a model of one's own is explained, and refused with its line" {
	sed 's/^name: .*/name: mine/' "$ASSAY_SOURCE_DIR/models/momentus-7200-500g.yaml" >mine.yaml
	works models "$PWD/mine.yaml"
	[[ $output == "mine - disk: "* ]]
	local n
	n=$(grep -n '^  rpm:' mine.yaml | cut -d: -f1)
	sed -i 's/^  rpm:/  rpn:/' mine.yaml
	run --separate-stderr assay models "$PWD/mine.yaml"
	[ "$status" -eq 1 ]
	says "mine.yaml" "line $n" "did you mean 'rpm'"
}

@test "every figure a model was matched to names a test that there is" {
	local model test
	for model in $(assay models); do
		for test in $(assay models "$model" --json | jq -r '.matches[].test'); do
			[ -f "$ASSAY_SOURCE_DIR/$test" ]
		done
	done
}

@test "every model has a page" {
	local model
	for model in $(assay models); do
		[ -f "$ASSAY_SOURCE_DIR/docs/models/$model.md" ]
	done
}
