#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Killed at any moment, the results file opens, and the run goes on to the same end.

load common

ladder()
{
	assay run fill --quiet --profile short --seed 5 "$@"
}

# For the background: the program takes the place of the shell, so that a signal reaches it.
ladder_exec()
{
	exec "$ASSAY" run fill --quiet --profile short --seed 5 "$@" </dev/null
}

# until_running DB: wait until the run is stored there.
until_running()
{
	local i
	for ((i = 0; i < 500; i++)); do
		if "$ASSAY" runs --db "$1" 2>/dev/null | grep -q running; then
			return 0
		fi
		sleep 0.02
	done
	return 1
}

# kill_after PID DB PHASES: kill the program once so many phases are stored. What is stored says when, not
# the clock: how fast or how busy the machine is makes no difference.
kill_after()
{
	python3 - "$@" <<-'END'
		import os, signal, sqlite3, sys, time
		pid, path, wanted = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
		db = sqlite3.connect(path, timeout=30)
		def alive():
		    return open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] != "Z"
		while alive() and db.execute("SELECT count(*) FROM phase").fetchone()[0] < wanted:
		    time.sleep(0.001)
		db.close()
		os.kill(pid, signal.SIGKILL)
	END
}

@test "killed at ten moments: the results open with what was committed, and resume ends in the same bytes" {
	local phases i pid
	ladder --db whole.db --json >whole
	phases=$(sqlite3 whole.db "SELECT count(*) FROM phase")
	without_circumstances whole >whole.same
	for ((i = 0; i < 10; i++)); do
		rm -f killed.db*
		ladder_exec --db killed.db --json >killed 2>err &
		pid=$!
		until_running killed.db
		kill_after "$pid" killed.db $((phases * i / 12))
		wait "$pid" || true
		if ! "$ASSAY" runs --db killed.db | grep -q running; then
			# It came to its end between the look and the blow.
			continue
		fi
		python3 - <<-'END'
			import sqlite3
			db = sqlite3.connect("killed.db")
			assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
			assert db.execute("PRAGMA foreign_key_check").fetchall() == []
		END
		assay resume last --db killed.db >resumed
		without_circumstances resumed >resumed.same
		cmp whole.same resumed.same
		printf 'moment %d: resumed\n' "$i" >>resumed.moments
	done
	[ "$(wc -l <resumed.moments)" -ge 5 ]
}

@test "Ctrl-C ends the phase, keeps what there is, and the run can go on" {
	ladder --db whole.db --json >whole
	# Without job control a shell starts background programs with SIGINT ignored.
	set -m
	ladder_exec --db a.db --json >stopped 2>err &
	local pid=$!
	until_running a.db
	kill -INT "$pid"
	local status=0
	wait "$pid" || status=$?
	set +m
	if [ "$status" -eq 0 ]; then
		skip "was done before it could be stopped"
	fi
	[ "$status" -eq 1 ] || [ "$status" -eq 130 ]
	"$ASSAY" runs --db a.db | grep -q interrupted
	assay resume last --db a.db >resumed
	without_circumstances whole >whole.same
	without_circumstances resumed >resumed.same
	cmp whole.same resumed.same
}

@test "what is done, or was never started, cannot be resumed" {
	assay run load --quiet --time 100ms --db a.db >/dev/null
	fails 1 resume last --db a.db
	says complete
	fails 1 resume 19990101-000000-0000 --db a.db
	says 19990101
}
