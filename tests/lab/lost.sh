#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Drives that stop answering, and drives that go away.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lab.sh"
lab_start
# What the kernel may still write to is never freed; that is not a leak.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# A frozen file system below a loop device: writes to the device hang until it is thawed.
make_loop A a.img 256
make_mount ext4 "$A" below || lab_skip 'no ext4'
make_loop B below/b.img 64
name=${B#/dev/}
fsfreeze -f below || lab_skip 'no fsfreeze'
start=$(date +%s)
OUTPUT=$("$LAB_DRIVE" "$B,lost_after=2s" --destroy "$name" fill 1MiB 4 2>&1 &
	pid=$!
	# The process itself cannot end before the kernel lets go of its I/O; its words must not wait for that.
	for _ in $(seq 100); do
		sleep 0.1
		[ -e "/proc/$pid" ] || break
	done
	fsfreeze -u below
	wait "$pid") ; STATUS=$?
took=$(($(date +%s) - start))
echo "took $took s, exit $STATUS"
check 'I/Os that never come back are timed out' 'no time-out' grep -q 'errors=4 first=ETIMEDOUT' <<<"$OUTPUT"
check 'and nothing more is submitted' 'submitted more' grep -q 'submit=-110' <<<"$OUTPUT"
# The kernel gives back what a ring held only some time after its process has ended.
for _ in $(seq 100); do
	drive "$B" --destroy "$name" fill 1MiB 4 check 1MiB 4
	[[ $STATUS -eq 3 && $OUTPUT == *'in use'* ]] || break
	sleep 0.1
done
expect 'after that the drive works again' 0 'check ops=64 .*errors=0'

# The timed-out run reports and closes before the drive answers.
fsfreeze -f below
"$LAB_DRIVE" "$B,lost_after=1s" --destroy "$name" fill 1MiB 2 >out.txt 2>&1 &
pid=$!
sleep 4
OUTPUT=$(cat out.txt)
check 'close does not wait for what is lost' 'close waits for what is lost' grep -q '^closed' out.txt
fsfreeze -u below
wait "$pid"

# A drive that goes away: the daemon of an NTFS mount is killed under a run.
make_loop N n.img 256
if make_mount ntfs-3g "$N" ntfs; then
	drive "file:$LAB/ntfs/f,size=64MiB" --leave-free 10MB fill 1MiB 4
	"$LAB_DRIVE" "file:$LAB/ntfs/f" --leave-free 10MB rand read 4KiB 32 3 >out.txt 2>&1 &
	pid=$!
	sleep 1
	pids=$(pgrep -f "ntfs-3g.* $LAB/ntfs" || pgrep -f "$LAB/ntfs")
	daemon=
	for candidate in $pids; do
		[ "$(cat "/proc/$candidate/comm")" = mount.ntfs-3g ] && daemon=$candidate
	done
	if [ -n "$daemon" ]; then
		kill -9 "$daemon"
		wait "$pid"
		STATUS=$?
		OUTPUT=$(cat out.txt)
		expect 'a drive that goes away fails what is in flight' 0 \
			'errors=[1-9][0-9]* .*first=(ECONNABORTED|ENOTCONN|EIO)'
	else
		wait "$pid"
		echo 'skipped: no daemon found'
	fi
fi
lab_result
