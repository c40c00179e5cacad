#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A block device: what is written is read back, discards and zeroes arrive, and the disk's own counters
# prove that I/O is direct and how deep it is.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lab.sh"
lab_start
make_loop A a.img 256
name=${A#/dev/}

drive "$A" --destroy "$name" info fill 1MiB 8 check 64KiB 32 check 1MiB 8 flush
expect 'round trip' 0 "serial='$name'" "state_key='loop:" 'fill ops=256 bytes=268435456 errors=0' \
	'check ops=4096 .*errors=0' 'flush ops=1 .*errors=0'

# Verify sees one flipped byte, and says where.
printf 'X' | dd of=a.img bs=1 seek=$((100 * 1048576 + 5000)) conv=notrunc status=none
sync
echo 3 >/proc/sys/vm/drop_caches
drive "$A" --destroy "$name" check 1MiB 8
expect 'a flipped byte is found' 0 'check ops=256 bytes=[0-9]* errors=1 .*at=104857600'

# Discards free the file behind the loop device; zeroes read as zeros. Both ways of discarding.
for how in auto call; do
	drive "$A,trim=$how" --destroy "$name" fill 1MiB 8
	before=$(stat -c %b a.img)
	drive "$A,trim=$how" --destroy "$name" trim 16MiB 0 128MiB
	expect "discard ($how)" 0 'trim ops=8 bytes=134217728 errors=0'
	after=$(stat -c %b a.img)
	within "discard ($how) frees 128 MiB, in 512-byte blocks" $((before - after)) 262000 262144
	drive "$A,trim=$how" --destroy "$name" check 1MiB 8
	expect "after a discard ($how) half is gone" 0 'check ops=256 bytes=134217728 errors=128'
	drive "$A,trim=$how" --destroy "$name" trim 4KiB 128MiB 4MiB
	expect "many small discards ($how)" 0 'trim ops=1024 bytes=4194304 errors=0'
done
drive "$A" --destroy "$name" fill 1MiB 8 zeroes 1MiB 2MiB
expect 'write zeroes' 0 'zeroes ops=1 .*errors=0'
check 'zeroes are zeros' 'zeroes are not zeros' cmp -s -n 2097152 -i 1048576:0 a.img /dev/zero
drive "$A" --destroy "$name" fill 1MiB 8 purge
expect 'purge' 0 'purge result=0'
within 'purge frees all' "$(stat -c %b a.img)" 0 16

# Direct: the counters of the device see every byte.
drive "$A" --destroy "$name" fill 1MiB 8 rand read 4KiB 32 1 rand write 4KiB 32 1
expect 'random' 0 'rand ops=[1-9][0-9]* errors=0'
ops=$(value ops rand)
bytes=$(value device_read rand)
within 'bytes read by the device / asked for' "$(awk "BEGIN { print $bytes / ($ops * 4096) }")" 0.99 1.01

# Depth: in flight by our stamps is what was asked for; the device has 128 requests and never shows more.
within 'in flight at depth 32, by us' "$(value in_flight rand)" 31 32.01
# On a busy host less: what is done but not yet seen by us counts for us and not for the device.
within 'in flight at depth 32, by the device' "$(value device_in_flight rand)" 2 32.5
echo 128 >"/sys/block/$name/queue/nr_requests" 2>/dev/null
drive "$A" --read-only rand read 64KiB 512 2
within 'in flight at depth 512, by us' "$(value in_flight rand)" 480 513
within 'in flight at depth 512, by the device' "$(value device_in_flight rand)" 40 128.5

# A device that is smaller than its partition table says, or not there: impossible sizes.
truncate -s 0 empty.img
E0=$(losetup -f --show empty.img 2>/dev/null) && LOOPS+=("$E0") && {
	drive "$E0" --destroy "${E0#/dev/}" info
	expect 'a device of size 0' 1 'size of 0|nothing behind'
}
lab_result
