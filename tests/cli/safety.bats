#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing is written to a block device that was not named in full, is in use, or holds something known.

load common

# refuses ARGUMENT...: a writing run on $loop exits 3 with one sentence and $loop holds the same bytes.
refuses()
{
	local before
	before=$(sha256sum <"$loop")
	fails 3 run load --drive "$loop" --read 0 --bytes 8MiB --db none "$@"
	[ "$(sha256sum <"$loop")" = "$before" ]
}

@test "without --destroy" {
	loop_device 32M
	refuses
	says "$loop" "--destroy" "${loop#/dev/}"
}

@test "preparing destroys too: reading from a fresh drive needs --destroy" {
	loop_device 64M
	local before
	dd if=/dev/urandom of="$loop" bs=1M count=64 status=none
	before=$(sha256sum <"$loop")
	fails 3 run load --drive "$loop" --prepare fresh --read 100 --time 100ms --db none
	says "--destroy ${loop#/dev/}"
	[ "$before" = "$(sha256sum <"$loop")" ]
	works run load --drive "$loop" --destroy "${loop#/dev/}" --prepare fresh --read 100 --time 100ms --quiet --db none
	[ "$before" != "$(sha256sum <"$loop")" ]
}

@test "with the serial of another drive, or a part of the right one" {
	loop_device 32M
	refuses --destroy S1XWNEAD500100Z
	says "S1XWNEAD500100Z"
	refuses --destroy "${loop#/dev/loop}"
	refuses --destroy ""
}

@test "with its name it works" {
	loop_device 32M
	works run load --drive "$loop" --destroy "${loop#/dev/}" --read 0 --bytes 8MiB --db none
}

@test "mounted: whatever is given" {
	requires mkfs.ext4
	loop_device 32M
	mkfs.ext4 -q "$loop"
	mounted "$PWD/mnt" "$loop"
	fails 3 run load --drive "$loop" --read 0 --bytes 8MiB --db none --destroy "${loop#/dev/}" --over ext4
	says "$loop" "mnt"
	touch mnt/still-works
}

@test "swap: whatever is given" {
	requires mkswap swapon
	loop_device 32M
	mkswap -q "$loop" 2>/dev/null || mkswap "$loop" >/dev/null
	swapon "$loop" 2>/dev/null || skip "cannot swap here"
	run --separate-stderr assay run load --drive "$loop" --read 0 --bytes 8MiB --db none --destroy "${loop#/dev/}" --over swap
	swapoff "$loop"
	[ "$status" -eq 3 ]
	says "swap"
}

@test "a partition of it is in use" {
	requires sfdisk mkfs.ext4
	requires_root
	truncate -s 64M disk
	echo ',' | sfdisk -q disk
	loop=$(losetup --find --show --partscan disk 2>/dev/null) || skip "no loop devices here"
	printf '%s\n' "$loop" >>"$BATS_TEST_TMPDIR/.loops"
	[ -b "${loop}p1" ] || skip "no partitions of loop devices here"
	mkfs.ext4 -q "${loop}p1"
	mounted "$PWD/mnt" "${loop}p1"
	fails 3 run load --drive "$loop" --read 0 --bytes 8MiB --db none --destroy "${loop#/dev/}" --over dos
	says "${loop}p1"
}

@test "an ext4 signature asks for --over" {
	requires mkfs.ext4
	loop_device 32M
	mkfs.ext4 -q "$loop"
	refuses --destroy "${loop#/dev/}"
	says "ext4" "--over"
	refuses --destroy "${loop#/dev/}" --over ntfs
	says "ext4"
	works run load --drive "$loop" --destroy "${loop#/dev/}" --over ext4 --read 0 --bytes 8MiB --db none
}

@test "an NTFS signature asks for --over" {
	requires mkfs.ntfs
	loop_device 32M
	mkfs.ntfs -qf "$loop" >/dev/null
	refuses --destroy "${loop#/dev/}"
	says "ntfs" "--over"
	works run load --drive "$loop" --destroy "${loop#/dev/}" --over ntfs --read 0 --bytes 8MiB --db none
}

@test "a LUKS signature asks for --over" {
	loop_device 32M
	printf 'LUKS\xba\xbe\x00\x01' | dd of="$loop" conv=notrunc status=none
	refuses --destroy "${loop#/dev/}"
	says "crypto_LUKS" "--over"
	works run load --drive "$loop" --destroy "${loop#/dev/}" --over crypto_LUKS --read 0 --bytes 8MiB --db none
}

@test "a partition table asks for --over" {
	requires sfdisk
	loop_device 32M
	echo ',' | sfdisk -q "$loop" >/dev/null 2>&1
	refuses --destroy "${loop#/dev/}"
	says "dos" "--over"
}

@test "reading needs no --destroy and changes nothing" {
	loop_device 32M
	local before
	before=$(sha256sum <"$loop")
	works run load --drive "$loop" --read 100 --time 200ms --db none
	[ "$(sha256sum <"$loop")" = "$before" ]
}

@test "planning touches nothing, not even the store" {
	loop_device 64M
	local before
	before=$(sha256sum <"$loop")
	works plan load --drive "$loop" --read 0 --bytes 8MiB --time 0s
	contains "8"
	[ "$(sha256sum <"$loop")" = "$before" ]
	[ ! -e data ]
}

@test "results on the measured drive are refused unless --db says so" {
	requires mkfs.ext4
	loop_device 256M
	mkfs.ext4 -q "$loop"
	mounted "$PWD/mnt" "$loop"
	XDG_DATA_HOME=$PWD/mnt/data fails 3 run load --drive "dir:$PWD/mnt" --leave-free 16MiB --read 0 --bytes 8MiB
	says "--db"
}

@test "the write budget is kept" {
	loop_device 64M
	run --separate-stderr assay run load --drive "$loop" --destroy "${loop#/dev/}" --read 0 --bytes 32MiB --time 0s \
		--max-written 8MiB --db none
	[ "$status" -eq 3 ] || [ "$status" -eq 1 ]
	says "8"
}

@test "a folder: other files stay, its own are gone afterwards, free space is left" {
	requires mkfs.ext4
	loop_device 512M
	mkfs.ext4 -q "$loop"
	mounted "$PWD/mnt" "$loop"
	echo precious >mnt/mine
	works run load --drive "dir:$PWD/mnt" --leave-free 64MiB --span 64MiB --read 0 --bytes 16MiB --db none
	[ "$(cat mnt/mine)" = precious ]
	(($(df --output=avail -B1 mnt | tail -n 1) >= 64 * 1024 * 1024))
}
