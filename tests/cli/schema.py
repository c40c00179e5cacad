#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a JSON file is a run of schema assay.run/1: keys, their order, types. Says what is not."""
import json
import sys

NUMBER = (int, float)
MAYBE = (int, float, type(None))
TEXT = (str, type(None))

RUN = {
    "schema": str, "run": str, "experiment": str, "profile": dict, "drive": dict, "environment": dict,
    "started": str, "wall_s": NUMBER, "drive_s": NUMBER, "written_bytes": int, "phases": list, "verdicts": list,
}
PROFILE = {"name": str, "version": int, "hash": str}
DRIVE = {"spec": str, "kind": str, "model": TEXT, "serial": TEXT, "firmware": TEXT, "capacity_bytes": int}
PHASE = {
    "label": str, "repeat": MAYBE, "pass": MAYBE, "level_pct": MAYBE, "span_bytes": MAYBE, "order": TEXT,
    "read_pct": MAYBE, "block_bytes": MAYBE, "queue_depth": MAYBE, "threads": MAYBE, "arrival": TEXT,
    "offered_iops": MAYBE, "start_s": NUMBER, "end_s": NUMBER, "read": (dict, type(None)),
    "write": (dict, type(None)), "state": dict, "in_flight_device_mean": MAYBE, "in_flight_device_max": MAYBE, "stamp_error_ns": MAYBE,
    "notes": list,
}
FLOW = {"ops": int, "bytes": int, "errors": int, "iops": NUMBER, "mbps": NUMBER, "lat_ns": dict}
LATENCY = {key: NUMBER for key in ("min", "mean", "p50", "p90", "p99", "p999", "p9999", "max")}
STATE = {
    "written_since_purge_bytes": MAYBE, "fill_pct": MAYBE, "idle_before_s": MAYBE, "temperature_c": MAYBE,
    "wear_pct": MAYBE,
}
VERDICT = {
    "name": str, "value": (int, float, str, type(None)), "unit": TEXT, "low": MAYBE, "high": MAYBE, "n": int,
    "interval": TEXT, "status": str, "text": str,
}
NOTES = {
    "host_bound", "depth_not_reached", "unwritten_read", "cache_served", "throttled", "not_steady",
    "span_not_covered", "interrupted",
}
STATUSES = {"measured", "not_identifiable", "not_reached", "not_supported", "refused"}

wrong = []


def check(where, value, keys):
    if not isinstance(value, dict):
        wrong.append(f"{where} is not an object")
        return
    here = [key for key in value if key in keys]
    if here != list(keys):
        wrong.append(f"{where}: keys {list(value)}, promised {list(keys)}")
        return
    for key, kind in keys.items():
        if not isinstance(value[key], kind) or isinstance(value[key], bool):
            wrong.append(f"{where}.{key} is {value[key]!r}")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        run = json.load(file)
    check("run", run, RUN)
    if wrong:
        sys.exit("\n".join(wrong))
    check("profile", run["profile"], PROFILE)
    check("drive", run["drive"], DRIVE)
    for phase in run["phases"]:
        check("phase", phase, PHASE)
        check("state", phase["state"], STATE)
        for direction in ("read", "write"):
            if phase[direction]:
                check(direction, phase[direction], FLOW)
                # Where nothing completed there is no latency, not one of 0.
                kinds = LATENCY if phase[direction]["ops"] else {key: type(None) for key in LATENCY}
                check("lat_ns", phase[direction]["lat_ns"], kinds)
        if set(phase["notes"]) - NOTES:
            wrong.append(f"notes {phase['notes']}")
        if phase["order"] not in ("sequential", "random", None):
            wrong.append(f"order {phase['order']}")
    for verdict in run["verdicts"]:
        check("verdict", verdict, VERDICT)
        if verdict["status"] not in STATUSES:
            wrong.append(f"status {verdict['status']}")
    if not run["phases"]:
        wrong.append("no phases")
    sys.exit("\n".join(sorted(set(wrong))) or 0)


main()
