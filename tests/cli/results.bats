#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What is stored can be listed, shown, compared, reported, exported and followed back; and what cannot be stored
# ends in one sentence.

load common

small()
{
	assay run load --quiet --drive sim:sm2258xt-120g-usb --block 4KiB --depth 1,32 --read 0,100 --span 1GiB \
		--time 200ms "$@"
}

@test "a run goes to the XDG data folder, and is listed and shown" {
	small >printed
	[ -f data/assay/assay.db ]
	works runs
	contains load sim:sm2258xt-120g-usb done
	works show last
	[ "$output" = "$(cat printed)" ]
}

@test "a run is found by the beginning of its id, and not by anything else" {
	small --json >a
	local id
	id=$(jq -r .run a)
	works show "$id"
	works show "${id:0:${#id}-1}"
	fails 1 show 19990101-000000-0000
	says "19990101"
}

@test "the table fits 80 columns" {
	small >printed
	run ! grep -nE '^.{81,}' printed
}

@test "without a store there is no run to show, and none is made by asking" {
	fails 1 show last
	[ ! -e data ]
	run --separate-stderr assay runs
	[ "$status" -le 1 ]
	[ ! -e data ]
	fails 1 show last --db none.db
	says "none.db"
	[ ! -e none.db ]
}

@test "report: one file of HTML that needs no network" {
	small --report direct.html >/dev/null
	works report last -o later.html
	for file in direct.html later.html; do
		head -c 15 "$file" | grep -qi '<!doctype html>'
		run ! grep -nE '(src|href)="?(https?:)?//' "$file"
		run ! grep -nE "@import|url\\(['\"]?https?:" "$file"
	done
}

@test "export: CSV has a row for every phase" {
	small --json >a
	works export last --csv
	[ "$(printf '%s\n' "$output" | wc -l)" -eq $((1 + $(jq '.phases | length' a))) ]
	printf '%s\n' "$output" >a.csv
	python3 - <<-'END'
		import csv
		rows = list(csv.DictReader(open("a.csv")))
		assert all(None not in row and None not in row.values() for row in rows), "ragged rows"
	END
}

@test "compare: like with like, and refuses what is not alike" {
	small --json --seed 1 >a
	small --json --seed 2 >b
	works compare "$(jq -r .run a)" "$(jq -r .run b)"
	assay run load --quiet --json --drive sim:sm2258xt-120g-usb --time 100ms >c
	run --separate-stderr assay compare "$(jq -r .run a)" "$(jq -r .run c)"
	[ "$status" -ne 0 ]
	says "profile"
}

@test "drives, experiments and models are listed" {
	works drives
	contains sim:sm2258xt-120g-usb
	works experiments
	contains fill quick load "?"
	works models
	contains sm2258xt-120g-usb
	works models sm2258xt-120g-usb
	contains pslc "TB" || contains capacity
	fails 1 models no-such-model
	says no-such-model
}

@test "plan: what it would write, and the store is not made" {
	works plan fill --profile short
	contains GB
	[ ! -e data ]
}

@test "a results file that cannot be made: said before anything is measured" {
	fails 1 run load --time 1s --db "$PWD/none/a.db"
	says "none/a.db"
	mkdir folder
	fails 1 run load --time 1s --db "$PWD/folder"
	says folder
	echo "not a database, but long enough to look like something" >text.db
	fails 1 run load --time 1s --db "$PWD/text.db"
	says text.db
	grep -q "not a database" text.db
}

@test "a report that cannot be made: said before anything is measured" {
	fails 1 run fill --profile short --db none --report "$PWD/none/report.html"
	says none/report.html
	mkdir folder
	fails 1 run fill --profile short --db none --report "$PWD/folder"
	says folder
}

@test "an output that cannot be written" {
	small >/dev/null
	fails 1 report last -o "$PWD/none/report.html"
	says none/report.html
	[ -w /dev/full ] || skip "no /dev/full"
	# shellcheck disable=SC2016 # the inner shell expands it
	run --separate-stderr bash -c '"$ASSAY" run load --quiet --json --time 1ms --db none >/dev/full'
	[ "$status" -eq 1 ]
	says "No space left"
}

@test "a full disk under the results" {
	requires_root
	mounted "$PWD/mnt" -t tmpfs -o size=256k tmpfs
	fails 1 run fill --profile short --quiet --db "$PWD/mnt/a.db"
	says a.db full
}

@test "a read-only folder for the results" {
	requires_root
	mounted "$PWD/mnt" -t tmpfs -o ro tmpfs
	fails 1 run load --time 1s --db "$PWD/mnt/a.db"
	says mnt/a.db
}

@test "a results file of a newer version is refused, not changed" {
	requires sqlite3
	small --db a.db >/dev/null
	sqlite3 a.db 'PRAGMA user_version = 9999'
	local before
	before=$(sha256sum a.db)
	fails 1 show last --db a.db
	says a.db 9999
	fails 1 run load --time 1s --db a.db
	[ "$(sha256sum a.db)" = "$before" ]
}

@test "two runs at once into one results file" {
	small --db a.db >/dev/null &
	local first=$!
	small --db a.db >/dev/null &
	wait "$first"
	wait $!
	works runs --db a.db
	[ "$(printf '%s\n' "$output" | grep -c done)" -eq 2 ]
}
