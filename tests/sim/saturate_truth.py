#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""saturate on the model of S4's figure 1: the program finds the source's figures, by the bands in which the model
itself is accepted (docs/models/tlc-sata-120g.md), and says nothing of what it cannot know."""
import json
import subprocess
import sys

checks = 0
failed = 0


def check(what, good, value):
    global checks, failed
    checks += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {checks} - {what}")
    if not good:
        print(f"# {value}")


def saturate(*options):
    command = [sys.argv[1], "run", "saturate", "--drive", "sim:tlc-sata-120g", "--advertised", "84k", "--runs", "1",
               "--json", "--quiet", "--db", "none", *options]
    run = json.loads(subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout)
    return {v["name"].removeprefix("saturate."): v for v in run["verdicts"]}


def within(found, name, low, high):
    v = found[name]
    check(f"{name} from {low} to {high}", v["status"] == "measured" and low <= v["value"] <= high, v)


def figures(found):
    within(found, "hold_s", 47, 53)
    within(found, "plateau_iops", 26000 * 0.95, 26000 * 1.05)
    within(found, "trough_iops", 600, 1000)
    within(found, "oscillation_period_s", 5, 600)
    within(found, "hold_s.90", 0, 100)
    within(found, "hold_s.10", 47, 100)


# Until steady: some ten hours of the drive's time.
steady = saturate()
figures(steady)
within(steady, "steady_iops", 1800 * 0.9, 1800 * 1.1)
within(steady, "steady_from_s", 600, 900)
within(steady, "best_over_worst", 2, 1000)
# Half a drive write says nothing of the steady state.
short = saturate("--for", "2h", "--until", "time")
figures(short)
check("two hours do not show a steady state", short["steady_iops"]["status"] == "not_identifiable", short["steady_iops"])
print(f"1..{checks}")
sys.exit(failed > 0)
