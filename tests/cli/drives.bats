#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Drives that cannot be measured: one clear sentence each, the right exit code, nothing touched.

load common

@test "a block device that does not exist" {
	fails 1 run load --drive /dev/assay-none --time 1s --db none
	says "/dev/assay-none" "no device"
}

@test "a device that is no block device" {
	run --separate-stderr assay run load --drive /dev/null --time 1s --db none
	[ "$status" -eq 1 ] || [ "$status" -eq 3 ]
	[ -z "$output" ]
	says "/dev/null" "character device"
}

@test "a folder that does not exist" {
	fails 1 run load --drive "dir:$PWD/none" --time 1s --db none
	says "none" "No such file"
}

@test "a file in a folder that does not exist" {
	fails 1 run load --drive "file:$PWD/none/a,size=64MiB" --time 1s --db none
	says "none" "No such file"
}

@test "a file given as a folder, and a folder given as a file" {
	touch plain
	fails 1 run load --drive "dir:$PWD/plain" --time 1s --db none
	says "plain"
	mkdir folder
	run --separate-stderr assay run load --drive "file:$PWD/folder,size=64MiB" --time 1s --db none
	[ "$status" -eq 1 ] || [ "$status" -eq 3 ]
	says "folder"
}

@test "a file that assay did not make is not touched" {
	head -c 8388608 /dev/urandom >mine
	local before
	before=$(sha256sum mine)
	fails 3 run load --drive "file:$PWD/mine" --read 0 --bytes 8MiB --db none
	says "mine"
	fails 3 run load --drive "file:$PWD/mine,size=16MiB" --read 0 --bytes 8MiB --db none
	[ "$(sha256sum mine)" = "$before" ]
}

@test "impossible sizes" {
	fails 2 run load --drive "file:$PWD/a,size=banana" --time 1s --db none
	says "banana"
	run --separate-stderr assay run load --drive "file:$PWD/a,size=0" --time 1s --db none
	[ "$status" -eq 1 ] || [ "$status" -eq 2 ]
	says "size"
	run --separate-stderr assay run load --drive "file:$PWD/a,size=900TB" --read 0 --bytes 8MiB --db none
	[ "$status" -eq 1 ] || [ "$status" -eq 3 ]
	says "900"
	[ ! -s a ]
	fails 2 run load --drive null,capacity=1kB --time 1s --db none
	says "capacity"
}

@test "a span that is not on the drive, a block that does not fit" {
	run --separate-stderr assay run load --drive null,capacity=1GB --span 2GB --time 1s --db none
	[ "$status" -eq 1 ] || [ "$status" -eq 2 ]
	says "2"
	run --separate-stderr assay run load --drive null --block 1000B --time 1s --db none
	[ "$status" -eq 1 ] || [ "$status" -eq 2 ]
	says "1000"
}

@test "tmpfs in place of a disk" {
	[ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ] || skip "/dev/shm is no tmpfs here"
	local folder
	folder=$(mktemp -d /dev/shm/assay-test.XXXXXX)
	run --separate-stderr assay run load --drive "dir:$folder" --read 0 --bytes 8MiB --db none
	local dir_status=$status dir_says=$stderr
	run --separate-stderr assay run load --drive "file:$folder/a,size=64MiB" --read 0 --bytes 8MiB --db none
	rm -rf "$folder"
	[ "$dir_status" -eq 1 ] || [ "$dir_status" -eq 3 ]
	[ "$status" -eq 1 ] || [ "$status" -eq 3 ]
	says "tmpfs"
	[[ $dir_says == *tmpfs* ]]
}

@test "a folder without permission to write" {
	((EUID != 0)) || skip "root may write anywhere"
	mkdir folder
	chmod 555 folder
	fails 1 run load --drive "dir:$PWD/folder" --read 0 --bytes 8MiB --db none
	says "folder" "Permission denied"
}

@test "a file system that is mounted read-only" {
	loop_device 64M
	requires mkfs.ext4
	mkfs.ext4 -q "$loop"
	mounted "$PWD/mnt" -o ro "$loop"
	fails 1 run load --drive "dir:$PWD/mnt" --leave-free 0B --read 0 --bytes 8MiB --db none
	says "mnt" "read-only"
}

@test "a file system without enough free space" {
	loop_device 64M
	requires mkfs.ext4
	mkfs.ext4 -q "$loop"
	mounted "$PWD/mnt" "$loop"
	run --separate-stderr assay run load --drive "dir:$PWD/mnt" --read 0 --bytes 8MiB --db none
	[ "$status" -eq 1 ] || [ "$status" -eq 3 ]
	[ -z "$output" ]
	says "free"
}

@test "a second run on the same file while the first goes on" {
	assay run load --drive "file:$PWD/a,size=64MiB" --leave-free 0B --read 0 --rate 20 --bytes 320KiB --time 0s --db none >first 2>&1 &
	local first=$! i
	for ((i = 0; i < 40; i++)); do
		[ -s a ] && break
		sleep 0.1
	done
	sleep 0.5
	run --separate-stderr assay run load --drive "file:$PWD/a,size=64MiB" --leave-free 0B --time 1s --db none
	local second=$status
	wait "$first" || { cat first; return 1; }
	[ "$second" -eq 1 ] || [ "$second" -eq 3 ]
	says "/a" "another run"
}

@test "a second run on the same block device while the first goes on" {
	loop_device 64M
	assay run load --drive "$loop" --destroy "${loop#/dev/}" --read 0 --rate 20 --bytes 320KiB --time 0s --db none >first 2>&1 &
	local first=$!
	sleep 1.5
	run --separate-stderr assay run load --drive "$loop" --destroy "${loop#/dev/}" --read 0 --bytes 8MiB --db none
	local second=$status
	wait "$first" || { cat first; return 1; }
	[ "$second" -eq 3 ]
	says "$loop" "another"
}
