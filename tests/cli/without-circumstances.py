#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run's JSON without run, started, wall_s and environment. Numbers keep the text they are written with, so
that two outputs are equal only if they were byte for byte."""
import json
import sys


class Literal(float):
    """A number that is written as it was read."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.text = text
        return self

    def __repr__(self):
        return self.text


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        run = json.load(file, parse_float=Literal, parse_int=Literal)
    for key in ("run", "started", "wall_s", "environment"):
        del run[key]
    write(run)


def write(value, indent=""):
    """One scalar a line, so that cmp and diff name the place."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if isinstance(item, (dict, list)):
            print(f"{indent}{key}: {'{' if isinstance(item, dict) else '['}")
            write(item, indent + " ")
        else:
            print(f"{indent}{key}: {repr(item) if isinstance(item, Literal) else json.dumps(item)}")


main()
