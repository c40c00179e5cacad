#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Count what one `meson test` run did, from its JSON log.

	tools/count-tests.py LOG...			prints "PASSED FAILED SKIPPED"
	tools/count-tests.py --failures LOG...		prints what the failing programs said of each failing point

A program that speaks TAP counts by its test points, any other program as one. A program that says all is
well and then dies, or stops before its plan is done, adds one failure, so that a failing run never counts
as none.
"""
import json
import re
import sys

PLAN = re.compile(r"^1\.\.(\d+)(\s*#\s*skip.*)?\s*$", re.IGNORECASE | re.MULTILINE)
POINT = re.compile(r"^(not )?ok\b(.*)$", re.MULTILINE)
DIRECTIVE = re.compile(r"#\s*(skip|todo)", re.IGNORECASE)


def count_tap(text):
    """(passed, failed, skipped) of the test points in TAP output."""
    passed = failed = skipped = 0
    for bad, rest in POINT.findall(text):
        directive = DIRECTIVE.search(rest)
        word = directive.group(1).lower() if directive else ""
        if word:
            skipped += 1
        elif bad:
            failed += 1
        else:
            passed += 1
    return passed, failed, skipped


def count_entry(entry):
    """(passed, failed, skipped) of one test program."""
    result = entry["result"]
    plan = PLAN.search(entry.get("stdout") or "")
    if not plan:
        return (
            int(result in ("OK", "EXPECTEDFAIL")),
            int(result not in ("OK", "EXPECTEDFAIL", "SKIP")),
            int(result == "SKIP"),
        )
    if int(plan.group(1)) == 0:
        return 0, int(result not in ("OK", "SKIP")), 1
    passed, failed, skipped = count_tap(entry["stdout"])
    if result not in ("OK", "SKIP") and not failed:
        failed = 1
    return passed, failed, skipped


def failures(entry):
    """What a failing program said: its failing points with the comments behind them, else its last lines."""
    lines = (entry.get("stdout") or "").split("\n")
    if not PLAN.search(entry.get("stdout") or ""):
        return lines[-60:]
    kept = []
    keep = False
    for line in lines:
        if POINT.match(line):
            keep = line.startswith("not ok") and not DIRECTIVE.search(line)
        if keep:
            kept.append(line)
    return kept[:400]


def entries(paths):
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as log:
            for line in log:
                yield json.loads(line)


def main(arguments):
    if arguments[:1] == ["--failures"]:
        for entry in entries(arguments[1:]):
            if count_entry(entry)[1]:
                print(f"-- {entry['name']}: {entry['result']}, exit {entry.get('returncode')}")
                print(*failures(entry), sep="\n")
        return
    total = [0, 0, 0]
    for entry in entries(arguments):
        for i, n in enumerate(count_entry(entry)):
            total[i] += n
    print(*total)


if __name__ == "__main__":
    main(sys.argv[1:])
