# SPDX-License-Identifier: GPL-3.0-or-later
# lab.sh - what the lab tests share: a working folder, loop devices and mounts that are taken apart again.
# shellcheck shell=bash
#
# Every test file sources this, then calls lab_start. Exit 77 means skipped.

set -u
LAB_DRIVE=${LAB_DRIVE:?the path of lab-drive}
failures=0

lab_skip() {
	echo "SKIP: $1"
	exit 77
}

lab_start() {
	[ "$(id -u)" = 0 ] || lab_skip 'needs root'
	LAB=$(mktemp -d "${TMPDIR:-/tmp}/assay-lab.XXXXXX") || exit 1
	LOOPS=()
	MOUNTS=()
	trap lab_end EXIT
	cd "$LAB" || exit 1
	truncate -s 1M probe.img
	local probe
	probe=$(losetup -f --show probe.img 2>/dev/null) || lab_skip 'no loop devices'
	losetup -d "$probe"
}

lab_end() {
	local i
	cd /
	for ((i = ${#MOUNTS[@]} - 1; i >= 0; i--)); do
		umount "${MOUNTS[i]}" 2>/dev/null || umount -l "${MOUNTS[i]}" 2>/dev/null
	done
	for ((i = ${#LOOPS[@]} - 1; i >= 0; i--)); do
		losetup -d "${LOOPS[i]}" 2>/dev/null
	done
	rm -rf "$LAB"
}

# make_loop VARIABLE FILE SIZE: a loop device with direct I/O on a new file that is written out.
make_loop() {
	dd if=/dev/zero of="$2" bs=1M count="$3" status=none
	local device
	device=$(losetup -f --show --direct-io=on "$2") || lab_skip "no loop device on $2"
	LOOPS+=("$device")
	printf -v "$1" '%s' "$device"
}

# make_mount TYPE DEVICE FOLDER
make_mount() {
	mkdir -p "$3"
	case $1 in
	ntfs-3g)
		command -v mkntfs >/dev/null || return 1
		mkntfs -q -f "$2" >/dev/null 2>&1 && mount -t ntfs-3g "$2" "$3" || return 1
		;;
	*)
		"mkfs.$1" -q "$2" && mount -o "${MOUNT_OPTIONS:-rw}" "$2" "$3" || return 1
		;;
	esac
	MOUNTS+=("$LAB/$3")
}

drive() {
	OUTPUT=$(timeout 120 "$LAB_DRIVE" "$@" 2>&1)
	STATUS=$?
}

ok() {
	echo "ok: $1"
}

fail() {
	echo "FAIL: $1"
	printf '%s\n' "${OUTPUT:-}" | sed 's/^/    /'
	failures=$((failures + 1))
}

# expect WHAT STATUS PATTERN...: the last drive's exit status, and lines that its output must have.
expect() {
	local what=$1 status=$2 pattern
	shift 2
	if [ "$STATUS" != "$status" ]; then
		fail "$what: exit $STATUS, not $status"
		return
	fi
	for pattern in "$@"; do
		if ! grep -Eq -- "$pattern" <<<"$OUTPUT"; then
			fail "$what: no '$pattern'"
			return
		fi
	done
	ok "$what"
}

# check WHAT WHAT_NOT COMMAND...: the command must succeed.
check() {
	local what=$1 what_not=$2
	shift 2
	if "$@"; then
		ok "$what"
	else
		fail "$what_not"
	fi
}

# value KEY LINE: the number behind KEY= in the first output line that begins with LINE.
value() {
	sed -n "s/^$2.* $1=\([0-9.]*\).*/\1/p" <<<"$OUTPUT" | head -1
}

# within WHAT NUMBER LOW HIGH
within() {
	if awk -v x="${2:-nan}" -v low="$3" -v high="$4" 'BEGIN { exit !(x >= low && x <= high) }'; then
		ok "$1 ($2)"
	else
		fail "$1: ${2:-nothing} is not within $3 and $4"
	fi
}

lab_result() {
	[ "$failures" = 0 ] || {
		echo "$failures failed"
		exit 1
	}
}
