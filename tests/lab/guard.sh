#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What must not be written to is refused, in one sentence, and keeps its bytes.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lab.sh"
lab_start

# refused WHAT IMAGE PATTERN ARGUMENTS...: exit 3 with one sentence, and the image as it was.
refused() {
	local what=$1 image=$2 pattern=$3 before after
	shift 3
	sync
	before=$(sha256sum <"$image")
	drive "$@" fill 1MiB 4
	sync
	after=$(sha256sum <"$image")
	if [ "$before" != "$after" ]; then
		fail "$what: bytes were changed"
	elif [ "$(wc -l <<<"$OUTPUT")" != 1 ]; then
		fail "$what: not one sentence"
	else
		expect "$what" 3 "$pattern"
	fi
}

# An MBR with one Linux partition of 16 MiB from 1 MiB on.
partition_table() {
	printf '\0\0\0\0\x83\0\0\0\0\x08\0\0\0\x80\0\0' |
		dd of="$1" bs=1 seek=446 conv=notrunc status=none
	printf '\x55\xaa' | dd of="$1" bs=1 seek=510 conv=notrunc status=none
	sync
}

make_loop A a.img 64
name=${A#/dev/}

refused 'without --destroy' a.img "say '--destroy $name'" "$A"
refused 'with another name' a.img "names 'sda'.*this is '$name'" "$A" --destroy sda
refused 'with half a name' a.img 'names' "$A" --destroy "${name%?}"
drive "$A" --destroy "$name" fill 1MiB 4 32MiB check 1MiB 4 32MiB
expect 'with the right name it is written' 0 'check ops=32 .*errors=0'

# A file system that is mounted: whatever is given.
# Read-only, since a mounted file system changes its bytes whenever it likes.
MOUNT_OPTIONS=ro make_mount ext4 "$A" mnt || lab_skip 'no ext4'
refused 'mounted' a.img "is mounted at '$LAB/mnt'" "$A" --destroy "$name" --over ext4
refused 'mounted, nothing given' a.img 'is mounted' "$A"
drive "$A" --read-only rand read 4KiB 4 0.2
expect 'read-only opens need nothing' 0 'rand ops=[1-9].* errors=0'

# A loop device on a file of it is no holder of it, but one on the device is.
umount mnt
losetup_on_device=$(losetup -f --show "$A") && LOOPS+=("$losetup_on_device")
refused 'behind another loop device' a.img "behind the loop device '${losetup_on_device#/dev/}'" \
	"$A" --destroy "$name" --over ext4
losetup -d "$losetup_on_device"

# Signatures.
refused 'ext4 signature' a.img "'--over ext4'" "$A" --destroy "$name"
refused 'other signature named' a.img "there is ext4" "$A" --destroy "$name" --over ntfs
drive "$A" --destroy "$name" --over ext4 fill 1MiB 4 check 1MiB 4
expect 'named signature' 0 'check ops=64 .*errors=0'
if command -v mkntfs >/dev/null; then
	mkntfs -q -f "$A" >/dev/null 2>&1
	refused 'ntfs signature' a.img "'--over ntfs'" "$A" --destroy "$name"
fi
wipefs -q -a "$A"
dd if=/dev/zero of="$A" bs=1M count=8 status=none
partition_table "$A"
refused 'partition table' a.img "'--over dos'" "$A" --destroy "$name"
if command -v sfdisk >/dev/null; then
	echo 'label: gpt' | sfdisk -q --no-reread "$A" >/dev/null 2>&1
	sync
	refused 'GPT' a.img "'--over gpt'" "$A" --destroy "$name"
fi
wipefs -q -a "$A"

# Swap.
if mkswap -q "$A" >/dev/null 2>&1 && swapon "$A" 2>/dev/null; then
	refused 'swap' a.img 'is used as swap' "$A" --destroy "$name" --over swap
	swapoff "$A"
fi
wipefs -q -a "$A"

# Held by device mapper, under a mount or not.
if size=$(blockdev --getsz "$A") && dmsetup create "assay-lab-$$" --table "0 $size linear $A 0" 2>/dev/null; then
	refused 'device mapper' a.img "is part of 'assay-lab-$$'" "$A" --destroy "$name"
	dmsetup remove "assay-lab-$$"
else
	echo 'skipped: device mapper'
fi

# Partitions in use.
make_loop P p.img 64
pname=${P#/dev/}
partition_table "$P"
# Told to the kernel by hand, since not every kernel reads partition tables.
addpart "$P" 1 2048 32768 && addpart "$P" 2 34816 32768
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -b "${P}p2" ] || sleep 0.1
done
if [ -b "${P}p1" ]; then
	mkfs.ext4 -q "${P}p1" && mkdir -p mnt1 && mount -o ro "${P}p1" mnt1 && MOUNTS+=("$LAB/mnt1")
	refused 'a mounted partition' p.img "has a partition '${pname}p1' that is mounted" "$P" \
		--destroy "$pname" --over dos
	drive "${P}p2" --destroy "${pname}p2" fill 1MiB 4 check 1MiB 4
	expect 'the partition beside it may be had' 0 'check ops=16 .*errors=0'
	refused 'the mounted partition itself' p.img "is mounted" "${P}p1" --destroy "${pname}p1" \
		--over ext4
	umount mnt1
else
	echo 'skipped: partitions'
fi

# Somebody has it open exclusively, or a run is going on.
"$LAB_DRIVE" "$A" --destroy "$name" wait 100 >/dev/null &
holder=$!
sleep 0.5
refused 'a second run' a.img 'in use|locked' "$A" --destroy "$name"
drive "$A" --read-only info
expect 'a second run, read-only' 3 'locked; is a run going on there'
kill "$holder"
wait "$holder" 2>/dev/null

# The root file system, wherever it is.
root=$(findmnt -n -o SOURCE /)
if [ -b "$root" ]; then
	drive "$root" --destroy "$(basename "$root")" info
	expect 'root' 3 'root file system'
fi

# A mount in another mount namespace: the kernel knows.
mkfs.ext4 -q -F "$A"
if unshare -m true 2>/dev/null; then
	unshare -m sh -c "mount --make-rprivate / && mount -o ro '$A' mnt && exec sleep 100" &
	holder=$!
	sleep 2
	refused 'mounted elsewhere' a.img 'in use' "$A" --destroy "$name" --over ext4
	kill "$holder"
	wait "$holder" 2>/dev/null
fi

# What is not a drive at all.
drive /dev/assay-nothing info
expect 'missing device' 1 "there is no device '/dev/assay-nothing'; 'assay drives'"
drive /dev/null info
expect 'character device' 1 'is a character device'
ln -s "$LAB/a.img" "/dev/assay-lab-$$" 2>/dev/null && {
	drive "/dev/assay-lab-$$" info
	expect 'a file under /dev' 1 "not a block device; for a file write"
	rm -f "/dev/assay-lab-$$"
}
blockdev --setro "$P" && {
	drive "$P" --destroy "$pname" info
	expect 'write-protected' 1 'read-only'
	blockdev --setrw "$P"
}
if id nobody >/dev/null 2>&1 && command -v setpriv >/dev/null; then
	cp "$LAB_DRIVE" drive-copy && chmod 755 . drive-copy
	OUTPUT=$(setpriv --reuid=65534 --regid=65534 --clear-groups ./drive-copy "$A" --read-only info 2>&1)
	STATUS=$?
	expect 'without permission' 1 "may not read '$A'; root may"
fi
lab_result
