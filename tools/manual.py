#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's --help and its manual page must say the same; prints TAP, one point a command or experiment.

	tools/manual.py ASSAY

`assay help --man` is the manual page. Every command, option and experiment of one must be in the other.
"""
import re
import shutil
import subprocess
import sys

OPTION = re.compile(r"^  --([a-z][a-z0-9._-]*)", re.MULTILINE)


def call(*command, text=None):
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def section(text, title):
    """The names in the first column below a title of a help text."""
    match = re.search(rf"^{title}:\n((?:(?:  .*)?\n)*?)(?=^\S|\Z)", text, re.MULTILINE)
    return re.findall(r"^  (\S+)", match[1], re.MULTILINE) if match else []


def manual_sections(text):
    """Subsection title: its options, from roff."""
    text = text.replace("\\-", "-").replace("\\e", "\\").replace("\\&", "")
    found = {}
    for part in re.split(r"^\.SS ", text, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        body = re.split(r"^\.SH ", body, flags=re.MULTILINE)[0]
        found[title.strip()] = re.findall(r"^\.B --(\S+)", body, re.MULTILINE)
    return found


def differences(what, here, there):
    return [f"{what}: only in --help: {x}" for x in sorted(set(here) - set(there))] + [
        f"{what}: only in the manual: {x}" for x in sorted(set(there) - set(here))
    ]


def layout(text, width=80):
    """What makes a help text hard to read on a terminal."""
    return [f"line {n} has {len(line)} columns" for n, line in enumerate(text.split("\n"), 1) if len(line) > width]


def points(assay):
    """(name, complaints) of every point."""
    overview = call(assay, "--help")
    manual = call(assay, "help", "--man")
    yield "assay --help and help --man exit 0", [
        f"exit {r.returncode}" for r in (overview, manual) if r.returncode or not r.stdout
    ]
    yield "the overview fits a terminal", layout(overview.stdout)
    sections = manual_sections(manual.stdout)
    commands = section(overview.stdout, "Commands")
    titles = {title.split()[1]: title for title in sections if title.startswith("assay ")}
    yield "commands", differences("command", commands, titles) or ([] if commands else ["none found"])
    experiments = []
    for name in commands:
        text = call(assay, name, "--help")
        wrong = [f"exit {text.returncode}"] if text.returncode else []
        experiments = experiments or section(text.stdout, "Experiments")
        here = OPTION.findall(text.stdout)
        yield f"assay {name}", wrong + layout(text.stdout) + differences(
            "option", here, sections.get(titles.get(name), []))
    others = [title for title in sections if not title.startswith("assay ")]
    yield "experiments", differences("experiment", experiments, others) or ([] if others else ["none found"])
    common = set(OPTION.findall(call(assay, "run", "--help").stdout))
    for name in experiments:
        text = call(assay, "run", name, "--help")
        wrong = [f"exit {text.returncode}"] if text.returncode else []
        here = set(OPTION.findall(text.stdout)) - common
        yield f"experiment {name}", wrong + layout(text.stdout) + differences(
            "option", here, set(sections.get(name, [])) - common)
    if shutil.which("groff"):
        roff = call("groff", "-man", "-ww", "-z", "-Tutf8", text=manual.stdout)
        yield "the manual is good roff", roff.stderr.strip().split("\n") if roff.stderr.strip() else []


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    bad = n = 0
    for n, (name, complaints) in enumerate(points(sys.argv[1]), 1):
        print(f"{'not ok' if complaints else 'ok'} {n} - {name}")
        for complaint in complaints:
            print(f"# {complaint}")
        bad += bool(complaints)
    print(f"1..{n}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
