# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2154 # bats sets status, output and stderr
#
# common.bash - what the command line tests share.
#
# ASSAY is the program, ASSAY_SOURCE_DIR the tree. Every test runs in an empty folder with a home of its own,
# so that no test sees another's results.

bats_require_minimum_version 1.5.0

common_setup()
{
	: "${ASSAY:?set ASSAY to the program under test}"
	cd "$BATS_TEST_TMPDIR" || return 1
	export HOME=$BATS_TEST_TMPDIR
	export XDG_DATA_HOME=$BATS_TEST_TMPDIR/data
	export LC_ALL=C.UTF-8
	unset XDG_CONFIG_HOME COLUMNS
}

setup()
{
	common_setup
}

teardown()
{
	release_all
}

assay()
{
	"$ASSAY" "$@" </dev/null
}

# Skip the test unless these programs are there.
requires()
{
	local program
	for program in "$@"; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

requires_root()
{
	((EUID == 0)) || skip "needs root"
}

show_streams()
{
	printf 'stdout: %s\nstderr: %s\n' "$output" "$stderr" | head -n 40
}

# fails STATUS ARGUMENT...: assay exits so, with nothing on stdout and one line on stderr, which is $stderr.
fails()
{
	local want=$1
	shift
	run --separate-stderr assay "$@"
	if ((status != want)) || [[ -n $output || -z $stderr || $stderr == *$'\n'* ]]; then
		printf 'assay %s\nexit %s, not %s\n' "$*" "$status" "$want"
		show_streams
		return 1
	fi
}

# works ARGUMENT...: assay exits 0; $output is stdout.
works()
{
	run --separate-stderr assay "$@"
	if ((status != 0)); then
		printf 'assay %s\nexit %s\n' "$*" "$status"
		show_streams
		return 1
	fi
}

# says TEXT...: the last stderr holds each of these.
says()
{
	local text
	for text in "$@"; do
		if [[ $stderr != *"$text"* ]]; then
			printf 'does not say "%s": %s\n' "$text" "$stderr"
			return 1
		fi
	done
}

# contains TEXT...: the last stdout holds each of these.
contains()
{
	local text
	for text in "$@"; do
		if [[ $output != *"$text"* ]]; then
			printf 'does not print "%s":\n%s\n' "$text" "$output"
			return 1
		fi
	done
}

# The JSON of a run without what may differ between two runs of one seed; numbers stay as they are written.
without_circumstances()
{
	"$ASSAY_SOURCE_DIR/tests/cli/without-circumstances.py" "$1"
}

# loop_device SIZE: a loop device of a sparse file; its path is in $loop. Detached after the test.
loop_device()
{
	requires_root
	requires losetup
	local image
	image=$(mktemp "$BATS_TEST_TMPDIR/drive.XXXXXX")
	truncate -s "$1" "$image"
	loop=$(losetup --find --show "$image" 2>/dev/null) || skip "no loop devices here"
	printf '%s\n' "$loop" >>"$BATS_TEST_TMPDIR/.loops"
}

# mounted FOLDER MOUNT-ARGUMENT...: mount something there; unmounted after the test.
mounted()
{
	local folder
	folder=$(realpath -m "$1")
	shift
	requires_root
	mkdir -p "$folder"
	# Without file descriptor 3: a file system's own process that kept it would keep bats waiting.
	mount "$@" "$folder" 2>/dev/null 3>&- || skip "cannot mount here"
	printf '%s\n' "$folder" >>"$BATS_TEST_TMPDIR/.mounts"
}

release_all()
{
	local name
	cd /
	if [[ -f $BATS_TEST_TMPDIR/.mounts ]]; then
		while read -r name; do
			umount "$name" 2>/dev/null || umount -l "$name" || true
		done < <(tac "$BATS_TEST_TMPDIR/.mounts")
	fi
	if [[ -f $BATS_TEST_TMPDIR/.loops ]]; then
		while read -r name; do
			losetup -d "$name" || true
		done <"$BATS_TEST_TMPDIR/.loops"
	fi
}
