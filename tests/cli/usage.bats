#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What the command line says of itself, and of what it does not understand: exit 2 and one sentence.

load common

@test "help goes to stdout, by any name" {
	works --help
	contains "Usage: assay COMMAND" "fill" "sim:" "--drive"
	local overview=$output
	works help
	[ "$output" = "$overview" ]
	works help run
	contains "--drive" "--json" "--destroy"
	local run=$output
	works run --help
	[ "$output" = "$run" ]
}

@test "the version is the project's" {
	works --version
	contains "$(sed -n "s/^ *version: '\(.*\)',/\1/p" "$ASSAY_SOURCE_DIR/meson.build")"
}

@test "no command at all is wrong usage, and says where help is" {
	run --separate-stderr assay
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	says "assay --help"
}

@test "an unknown command is named, with the nearest one" {
	fails 2 rnu
	says "'rnu'" "run"
}

@test "an unknown option is named, with the nearest one" {
	fails 2 run fill --drvie sim:ideal
	says "drvie" "--drive"
}

@test "an option without its value" {
	fails 2 run fill --drive
	says "--drive" "needs a value"
}

@test "an option given twice" {
	fails 2 run fill --seed 1 --seed 2
	says "--seed" "twice"
}

@test "a number that is none, or out of range, is quoted with what is allowed" {
	fails 2 run fill --seed banana
	says "--seed" "banana"
	fails 2 run fill --repeat 5000
	says "--repeat" "'5000'" "to 1000"
	fails 2 run fill --copy-depth 0
	says "--copy-depth" "'0'" "1 to"
	fails 2 run load --time banana --drive null
	says "--time" "banana"
}

@test "an unknown experiment is named, with where they are listed" {
	fails 2 run fil
	says "'fil'" "assay experiments"
}

@test "no experiment" {
	fails 2 run
	says "experiment"
}

@test "an unknown kind of drive" {
	fails 2 run quick --drive floppy:a
	says "floppy"
}

@test "an unknown simulated drive says where they are listed" {
	run --separate-stderr assay run quick --drive sim:no-such-model
	[ "$status" -eq 1 ] || [ "$status" -eq 2 ]
	says "no-such-model" "assay models"
}

@test "an unknown parameter of a simulated drive is named" {
	run --separate-stderr assay run quick --drive sim:sm2258xt-120g-usb,pslc.no_such=1
	[ "$status" -eq 2 ]
	says "pslc.no_such"
}

@test "a recipe, rest or profile that does not exist is quoted" {
	fails 2 run fill --prepare freshly
	says "freshly"
	fails 2 run fill --rest later
	says "later"
	fails 2 run quick --profile cd
	says "cd"
}

@test "errors go to stderr even with --json, and stdout stays empty" {
	fails 2 run fill --json --repeat 5000
}
