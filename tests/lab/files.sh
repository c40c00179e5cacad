#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Files and folders on ext4 and on NTFS (ntfs-3g): only what is ours, never past the free space, all gone
# at the end, nothing left in memory taken for the drive.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lab.sh"
lab_start

round_trip() {
	local fs=$1 mnt=$2

	drive "file:$mnt/f,size=64MiB" --leave-free 10MB fill 1MiB 8 check 64KiB 16 flush
	expect "$fs: file round trip" 0 'check ops=1024 .*errors=0'
	drive "file:$mnt/f" --leave-free 10MB info check 1MiB 8
	expect "$fs: file again, with its data" 0 'span=67108864' 'check ops=64 .*errors=0'
	drive "file:$mnt/f" --leave-free 10MB rand read 4KiB 8 0.3
	within "$fs: all of it was written" "$(value unwritten_read rand)" 0 0
	drive "file:$mnt/new,size=16MiB,keep=false" --leave-free 10MB rand read 4KiB 4 0.2
	expect "$fs: unwritten reads are counted" 0 'unwritten_read=[1-9]'
	check "$fs: keep=false" "$fs: the file is still there" [ ! -e "$mnt/new" ]

	drive "dir:$mnt" --leave-free 20MB info fill 1MiB 8 check 64KiB 16 flush
	expect "$fs: folder round trip" 0 'kind=dir' 'fill ops=[0-9]+ bytes=[1-9][0-9]* errors=0' \
		'check ops=[0-9]+ bytes=[1-9][0-9]* errors=0'
	check "$fs: all removed" "$fs: files are left" [ ! -e "$mnt/assay-data" ]
	drive "dir:$mnt,keep=true,size=160MiB" --leave-free 20MB fill 1MiB 8
	drive "dir:$mnt,size=160MiB" --leave-free 20MB check 1MiB 8 trim 64MiB 0 128MiB
	expect "$fs: what was kept is found" 0 'check ops=160 .*errors=0' 'trim .*errors=0'

	# Odd places: across pieces.
	drive "dir:$mnt,size=200MiB,piece=16MiB" --leave-free 20MB fill 768KiB 8 check 1536KiB 4
	expect "$fs: blocks across pieces" 0 'check ops=134 bytes=209715200 errors=0'

	# TRIM gives the space back, a killed run is taken over.
	drive "dir:$mnt,keep=true,size=160MiB,piece=16MiB" --leave-free 20MB fill 1MiB 8
	before=$(df --output=avail -k "$mnt" | tail -1)
	drive "dir:$mnt,keep=true,size=160MiB" --leave-free 20MB trim 32MiB 0 64MiB
	after=$(df --output=avail -k "$mnt" | tail -1)
	within "$fs: space given back by a discard, in KiB" $((after - before)) 65000 66000
	drive "dir:$mnt,size=160MiB" --leave-free 20MB check 1MiB 8
	expect "$fs: what was discarded is gone" 0 'check ops=160 bytes=100663296 errors=64'
	"$LAB_DRIVE" "dir:$mnt,size=64MiB" --leave-free 20MB fill 1MiB 8 wait 20 >/dev/null &
	victim=$!
	sleep 1
	kill -9 "$victim"
	wait "$victim" 2>/dev/null
	[ -e "$mnt/assay-data/piece-00000" ] || fail "$fs: the killed run left nothing to find"
	drive "dir:$mnt,size=64MiB" --leave-free 20MB info check 1MiB 8
	expect "$fs: what a killed run left is used" 0 'check ops=64 .*errors=0'
	check "$fs: and then removed" "$fs: left over" [ ! -e "$mnt/assay-data" ]

	# Second run, at the same time.
	"$LAB_DRIVE" "dir:$mnt,size=64MiB" --leave-free 20MB wait 100 >/dev/null &
	victim=$!
	sleep 0.5
	drive "dir:$mnt,size=64MiB" --leave-free 20MB info
	expect "$fs: a second run in the folder" 3 "another run is using '$mnt/assay-data'"
	kill "$victim"
	wait "$victim" 2>/dev/null
	"$LAB_DRIVE" "file:$mnt/f" --leave-free 10MB wait 100 >/dev/null &
	victim=$!
	sleep 0.5
	drive "file:$mnt/f" --leave-free 10MB info
	expect "$fs: a second run on the file" 3 "another run is using '$mnt/f'"
	kill "$victim"
	wait "$victim" 2>/dev/null

	# Not ours.
	rm -rf "${mnt:?}/assay-data"
	echo 'my thesis' >"$mnt/thesis"
	drive "file:$mnt/thesis" fill 4KiB 1
	expect "$fs: a file of somebody else" 3 "assay did not make it"
	drive "file:$mnt/thesis,size=1MiB" fill 4KiB 1
	expect "$fs: and with a size" 3 "assay did not make it"
	check "$fs: its bytes" "$fs: its bytes changed" [ "$(cat "$mnt/thesis")" = 'my thesis' ]
	mkdir "$mnt/assay-data" && echo x >"$mnt/assay-data/x"
	drive "dir:$mnt,size=64MiB" --leave-free 20MB info
	expect "$fs: a folder of somebody else" 3 'assay did not make it'
	check "$fs: its files" "$fs: its files changed" [ "$(ls -A "$mnt/assay-data")" = x ]
	rm -r "$mnt/assay-data"

	# Sizes.
	drive "file:$mnt/big,size=1000TB" info
	expect "$fs: an impossible size" 1 'cannot make .* only .* may be used'
	check "$fs: nothing left of it" "$fs: the file was made" [ ! -e "$mnt/big" ]
	drive "dir:$mnt,size=1000TB" --leave-free 20MB info
	expect "$fs: an impossible size of a folder" 1 'cannot use .* only .* may be used'
	drive "dir:$mnt" info
	expect "$fs: a full disk (2 GiB are left free)" 1 'not enough free space'
	drive "file:$mnt/g,size=4MiB" info
	expect "$fs: a full disk, file" 1 'only 0 B may be used'
	check "$fs: no folder left" "$fs: a folder is left" [ ! -e "$mnt/assay-data" ]
	rm -rf "${mnt:?}"/*
}

make_loop A a.img 512
make_mount ext4 "$A" ext4 || lab_skip 'no ext4'
round_trip ext4 "$LAB/ext4"
# Direct I/O and depth, by the counters of the disk below.
drive "file:$LAB/ext4/f,size=128MiB" --leave-free 10MB fill 1MiB 8 rand read 4KiB 32 1
ops=$(value ops rand)
within 'ext4: bytes read by the disk / asked for' \
	"$(awk "BEGIN { print $(value device_read rand) / ($ops * 4096) }")" 0.98 1.02
drive "dir:$LAB/ext4" --leave-free 20MB info
expect 'ext4: the drive below' 0 "serial='${A#/dev/}'" 'counts=1'

# Read-only.
mount -o remount,ro "$LAB/ext4"
drive "file:$LAB/ext4/h,size=4MiB" --leave-free 10MB info
expect 'read-only file system, file' 1 'mounted read-only'
drive "dir:$LAB/ext4" --leave-free 10MB info
expect 'read-only file system, folder' 1 'mounted read-only'
drive "file:$LAB/ext4/f" --read-only rand read 4KiB 4 0.2
expect 'reading there is fine' 0 'rand ops=[1-9].* errors=0'

make_loop N n.img 512
if make_mount ntfs-3g "$N" ntfs; then
	round_trip ntfs "$LAB/ntfs"
	drive "dir:$LAB/ntfs" --leave-free 20MB info
	expect 'ntfs: the drive below' 0 "serial='${N#/dev/}'" 'counts=1'
	# ntfs-3g goes through the page cache of its device, and only the counters know.
	drive "dir:$LAB/ntfs,size=64MiB" --leave-free 20MB fill 1MiB 8 rand read 4KiB 8 0.5
	within 'ntfs: what memory served does not show up at the disk' "$(value device_read rand)" 0 1000000
else
	echo 'skipped: ntfs-3g'
fi

# Memory is no disk.
mkdir ram && mount -t tmpfs none ram && MOUNTS+=("$LAB/ram")
drive "file:$LAB/ram/f,size=4MiB" info
expect 'tmpfs, file' 1 'kept in memory \(tmpfs\)'
drive "dir:$LAB/ram" info
expect 'tmpfs, folder' 1 'kept in memory \(tmpfs\)'
check 'tmpfs: nothing made' 'tmpfs: something was made' [ -z "$(ls -A ram)" ]
mkdir -p over/{lower,merged} ram/{upper,work}
if mount -t overlay overlay -o "lowerdir=over/lower,upperdir=$LAB/ram/upper,workdir=$LAB/ram/work" \
	over/merged 2>/dev/null; then
	MOUNTS+=("$LAB/over/merged")
	drive "dir:$LAB/over/merged" info
	expect 'overlay on tmpfs' 1 'kept in memory'
fi

# Places that cannot be.
drive "dir:$LAB/nothing" info
expect 'no such folder' 1 'No such file or directory'
drive "dir:$LAB/a.img" info
expect 'a file as a folder' 1 "is not a folder; for a file write 'file:"
drive "file:$LAB" info
expect 'a folder as a file' 1 "is a folder; write 'dir:"
drive "file:$LAB/nothing/f,size=4MiB" info
expect 'no such folder of a file' 1 "cannot look at the folder '$LAB/nothing'"
drive "file:$LAB/none" info
expect 'no size' 1 'say how large'
drive "file:$LAB/odd,size=5000B" info
expect 'an odd size' 2 'not a multiple of 4 KiB'
drive "file:$LAB/odd,sizes=4KiB" info
expect 'an unknown option' 2 "did you mean 'size'"
drive "dir:$LAB,piece=3MB" info
expect 'an odd piece' 2 'power of two'
if command -v setpriv >/dev/null; then
	cp "$LAB_DRIVE" drive-copy && chmod 755 . drive-copy && mkdir -m 755 locked
	OUTPUT=$(setpriv --reuid=65534 --regid=65534 --clear-groups ./drive-copy dir:locked info 2>&1)
	STATUS=$?
	expect 'a folder that one may not write to' 1 'may not write to'
	mkdir -m 777 open
	OUTPUT=$(setpriv --reuid=65534 --regid=65534 --clear-groups ./drive-copy dir:open,size=64MiB \
		--leave-free 0B fill 1MiB 8 check 4KiB 32 2>&1)
	STATUS=$?
	expect 'everybody may measure in a folder of his own' 0 'check ops=16384 .*errors=0'
fi
lab_result
