#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of the tree that no compiler checks. Prints TAP, one point a rule.

	tools/tidy.py [--root DIR] [--build DIR] [--list] [RULE...]

A rule is a function that yields "FILE:LINE: what is wrong". Exceptions stand in tools/tidy.allow.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import csource
import layers

FILE_LINES = 500
HEADER_LINES = 200
FUNCTION_LINES = 70
TEST_FUNCTION_LINES = 100

C_FOLDERS = ("src", "tests", "bench", "tools")
MIT_FOLDERS = ("src/base/", "src/ssd/", "models/")

RULES = {}


class Skip(Exception):
    """The rule cannot be checked here, and why."""


def rule(sentence):
    def register(function):
        RULES[function.__name__.removeprefix("rule_")] = (sentence, function)
        return function

    return register


def need(program):
    path = shutil.which(program)
    if not path:
        raise Skip(f"{program} is not installed")
    return path


def c_files(root, *suffixes):
    """C files that are ours, relative to root."""
    suffixes = suffixes or (".c", ".h")
    return [p for p in csource.files(root, *suffixes) if p.parts[0] in C_FOLDERS]


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


@rule("C files are formatted by clang-format 14 and .clang-format")
def rule_format(root, _build):
    program = need("clang-format-14")
    paths = c_files(root)
    if not paths:
        return
    result = run([program, "--dry-run", "--ferror-limit=1", *map(str, paths)], cwd=root)
    for line in result.stderr.splitlines():
        match = re.match(r"(\S+?):(\d+):\d+: \w+: code should be clang-formatted", line)
        if match:
            yield f"{match[1]}:{match[2]}: not formatted; run clang-format-14 -i {match[1]}"


@rule("a folder of src/ includes only what stands above it (tools/layers.py)")
def rule_layers(root, _build):
    yield from layers.violations(root)


@rule("every header compiles alone and twice")
def rule_headers(root, _build):
    compiler = need("gcc")
    flags = "-std=c17 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-function -Werror -fsyntax-only -x c -".split()

    def compile_alone(path):
        text = f'#include "{path.name}"\n' * 2
        folders = [f"-I{root}/{path.parent}", f"-I{root}/src"]
        result = run([compiler, *folders, *flags], input=text)
        if result.returncode:
            return f"{path}:1: {next(iter(result.stderr.splitlines()), 'does not compile')}"
        return None

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from filter(None, pool.map(compile_alone, c_files(root, ".h")))


@rule("every C file is in its folder's meson.build, or in another by its path")
def rule_listed(root, _build):
    everywhere = "".join(csource.read(root, p) for p in csource.files(root) if p.name == "meson.build")
    for path in c_files(root, ".c"):
        build_file = Path(root) / path.parent / "meson.build"
        text = build_file.read_text() if build_file.exists() else ""
        if f"/{path}'" in everywhere:
            continue
        names = {path.name, path.stem, path.stem.removeprefix("test-"), path.stem.removeprefix("fuzz-")}
        if not any(f"'{name}'" in text or f"'{path.parent.name}/{name}'" in text for name in names):
            yield f"{path}:1: not in {path.parent}/meson.build, so nothing compiles it"


@rule(f"sources of src/ have at most {FILE_LINES} lines, headers {HEADER_LINES}")
def rule_lengths(root, _build):
    for path in csource.files(root, ".c", ".h"):
        if path.parts[0] != "src":
            continue
        lines = csource.read(root, path).count("\n")
        most = HEADER_LINES if path.suffix == ".h" else FILE_LINES
        if lines > most:
            yield f"{path}:{most + 1}: has {lines} lines"


def functions(root):
    """(path, name, first line, last line) of every C function."""
    program = need("ctags")
    paths = c_files(root, ".c", ".h")
    command = [program, "--output-format=json", "--fields=+ne", "--kinds-C=f", "--languages=C",
               "--langmap=C:+.h", "-f", "-", *map(str, paths)]
    if not paths:
        return
    result = run(command, cwd=root)
    if result.returncode:
        raise Skip("this ctags is not Universal Ctags with JSON output")
    for line in result.stdout.splitlines():
        tag = json.loads(line)
        if "end" in tag:
            yield Path(tag["path"]), tag["name"], tag["line"], tag["end"]


def table_lines(lines):
    """How many of a function's lines belong to initialised tables: these are data."""
    n = 0
    inside = False
    for line in lines:
        if not inside and re.match(r"\s+(static )?const .*=\s*\{\s*$", line):
            inside = True
        n += inside
        if inside and re.match(r"\s+\};", line):
            inside = False
    return n


@rule(f"functions have at most {FUNCTION_LINES} lines (tests {TEST_FUNCTION_LINES}), tables not counted")
def rule_functions(root, _build):
    for path, name, first, last in functions(root):
        lines = csource.read(root, path).split("\n")[first - 1 : last]
        n = len(lines) - table_lines(lines)
        if n > (TEST_FUNCTION_LINES if path.parts[0] == "tests" else FUNCTION_LINES):
            yield f"{path}:{first}: {name}() has {n} lines"


@rule("no conditional compilation inside a function")
def rule_ifdef(root, _build):
    for path, name, first, last in functions(root):
        lines = csource.read(root, path).split("\n")
        for n in range(first, last):
            if re.match(r"\s*#\s*(if|ifdef|ifndef|else|elif)\b", lines[n]):
                yield f"{path}:{n + 1}: in {name}(): use a file for each case"


@rule("the first line names the licence, by folder")
def rule_spdx(root, _build):
    suffixes = {".c", ".h", ".py", ".sh", ".bash", ".bats", ".js", ".css", ".yaml", ".rs"}
    for path in csource.text_files(root):
        head = csource.read(root, path)[:400].split("\n")
        script = head[0].startswith("#!")
        if path.suffix not in suffixes and not script:
            continue
        licence = "MIT" if str(path).startswith(MIT_FOLDERS) else "GPL-3.0-or-later"
        if path.parts[0] == "tests":  # of what is MIT may be MIT, too
            licence = "(MIT|GPL-3.0-or-later)"
        # Behind what the language wants first: "#!" or "use strict".
        later = script or head[0] == '"use strict";'
        line = head[1] if later and len(head) > 1 else head[0]
        if not re.search(rf"SPDX-License-Identifier: {licence}(\s*\*/)?\s*$", line):
            yield f"{path}:{2 if script else 1}: should say SPDX-License-Identifier: {licence}"


# call: what to use instead
BANNED = {
    "strcpy": "snprintf or memcpy with a checked length",
    "strcat": "snprintf",
    "sprintf": "snprintf",
    "vsprintf": "vsnprintf",
    "gets": "fgets",
    "strtok": "strsep or strcspn",
    "atoi": "parse_u64",
    "atol": "parse_u64",
    "atof": "parse_double",
    "rand": "rng_u64",
    "srand": "rng_init",
    "random": "rng_u64",
    "drand48": "rng_double",
    "alloca": "malloc",
    "system": "posix_spawn",
    "usleep": "clock_nanosleep",
    "signal": "sigaction",
    "localtime": "localtime_r",
    "gmtime": "gmtime_r",
    "ctime": "strftime",
}


# Tests may wait, raise and read their own text.
TESTS_MAY = {"usleep", "signal", "atof", "strcpy", "system"}


@rule("no calls that are unsafe, unseeded or not for threads")
def rule_calls(root, _build):
    for path in c_files(root):
        names = set(BANNED) - (TESTS_MAY if path.parts[0] == "tests" else set())
        pattern = re.compile(rf"(?<![\w.>])({'|'.join(sorted(names))})\s*\(")
        for n, line in csource.numbered(csource.bare(csource.read(root, path))):
            for name in pattern.findall(line):
                yield f"{path}:{n}: {name}(): use {BANNED[name]}"


OUTPUT = re.compile(
    r"""(?<![\w.>])(?:(printf|vprintf|puts|putchar|perror|exit|_exit|quick_exit|getenv|secure_getenv)\s*\(
    | (fprintf|vfprintf|fputs|fputc|putc|fwrite|fflush)\s*\([^;]*\b(?:stdout|stderr)\b)""",
    re.VERBOSE,
)


@rule("only src/cli prints, reads the environment or exits")
def rule_output(root, _build):
    for path in c_files(root):
        if path.parts[0] != "src" or path.parts[1] == "cli":
            continue
        for n, line in csource.numbered(csource.bare(csource.read(root, path))):
            for names in OUTPUT.findall(line):
                yield f"{path}:{n}: {names[0] or names[1]}(): only src/cli may"


@rule("only src/load submits and reaps")
def rule_submit(root, _build):
    pattern = re.compile(r"(?<![\w.>])(lane_submit|lane_reap)\s*\(")
    for path in c_files(root):
        if path.parts[0] != "src" or path.parts[1] in ("load", "device"):
            continue
        for n, line in csource.numbered(csource.bare(csource.read(root, path))):
            for name in pattern.findall(line):
                yield f"{path}:{n}: {name}(): only src/load may"


@rule("no variables outside functions that can change, and no static ones inside")
def rule_globals(root, build):
    program = need("objdump")
    if not build:
        raise Skip("needs --build")
    for archive in sorted(Path(build).glob("src/*/*.a")):
        folder = archive.parent.name
        for line in run([program, "-t", str(archive)]).stdout.splitlines():
            match = re.match(r"[0-9a-f]+ (.{7}) (\.t?(?:data|bss)(?:\.\S+)?)\s+([0-9a-f]+) (.*)", line)
            if not match or match[2].startswith(".data.rel.ro") or "O" not in match[1]:
                continue
            name = match[4].split()[-1].split(".")[0]
            if int(match[3], 16) and not name.startswith("__"):
                yield f"src/{folder}:{name}: lies in {match[2]}"


@rule("nothing left for later")
def rule_words(root, _build):
    # Put together here so that this file does not find itself.
    words = ["TO" + "DO", "FIX" + "ME", "X" + "XX", "HA" + "CK"]
    pattern = re.compile(rf"\b({'|'.join(words)})\b")
    for path in csource.text_files(root):
        if path.stem == "placeholder":
            yield f"{path}:1: a file that holds a place"
        if path.parts[0] == "LICENSES":
            continue
        for n, line in csource.numbered(csource.read(root, path)):
            for word in pattern.findall(line):
                yield f"{path}:{n}: {word}"


@rule("no paths of somebody's machine")
def rule_paths(root, _build):
    folders = ["work", "home", "root", "Users", "private"]
    pattern = re.compile(rf"(?<![\w.~*}}])/(?:{'|'.join(folders)})/\w+")
    for path in csource.text_files(root):
        for n, line in csource.numbered(csource.read(root, path)):
            for found in pattern.findall(line):
                yield f"{path}:{n}: {found}"


@rule("no white space at the end of a line, one newline at the end of a file")
def rule_space(root, _build):
    for path in csource.text_files(root):
        if path.parts[0] == "LICENSES":
            continue
        text = csource.read(root, path)
        for n, line in csource.numbered(text):
            if line != line.rstrip():
                yield f"{path}:{n}: white space at the end"
        if text and (not text.endswith("\n") or text.endswith("\n\n")):
            yield f"{path}:{text.count(chr(10)) + 1}: the file does not end in one newline"


@rule("spelling (codespell)")
def rule_spelling(root, _build):
    program = need("codespell")
    paths = [str(p) for p in csource.text_files(root) if p.parts[0] != "LICENSES"]
    words = Path(root) / "tools/codespell.ignore"
    options = ["-I", str(words)] if words.exists() else []
    result = run([program, *options, *paths], cwd=root)
    for line in result.stdout.splitlines():
        yield line.removeprefix("./")


# Variables that bats sets or that cross its subshells; a word "done" that ends no loop.
BATS_KNOWS = "SC2154,SC2030,SC2031,SC1010"


@rule("shell scripts pass shellcheck")
def rule_shell(root, _build):
    program = need("shellcheck")
    paths = []
    for path in csource.text_files(root):
        head = csource.read(root, path)[:80].split("\n")[0]
        if re.match(r"#!.*\b(ba)?sh\b", head) or path.suffix in (".bash", ".bats"):
            paths.append(str(path))
    if not paths:
        return
    result = run([program, "-x", "-f", "gcc", "-e", BATS_KNOWS, *paths], cwd=root)
    for line in result.stdout.splitlines():
        match = re.match(r"(\S+?:\d+):\d+: (.*)", line)
        if match:
            yield f"{match[1]}: {match[2]}"


@rule("Python files compile")
def rule_python(root, _build):
    for path in csource.files(root, ".py"):
        try:
            compile(csource.read(root, path), str(path), "exec")
        except SyntaxError as error:
            yield f"{path}:{error.lineno}: {error.msg}"


@rule("every test that docs/honest.md names exists")
def rule_honest(root, _build):
    path = Path("docs/honest.md")
    if not (Path(root) / path).exists():
        return
    for n, line in csource.numbered(csource.read(root, path)):
        for where, names in re.findall(r"`(tests/[^`]+)`:((?: _[^_]+(?:_[a-z]+)*_[,;]?)*)", line):
            file = Path(root) / where
            if not file.exists():
                yield f"{path}:{n}: there is no {where}"
                continue
            for name in re.findall(r"_(.+?)_(?=[,;]? _|[,;|. ]|$)", names):
                if name not in file.read_text():
                    yield f"{path}:{n}: {where} has no test called '{name}'"


class Allowed:
    """tools/tidy.allow, and which of its lines were needed."""

    def __init__(self, root):
        self.lines = []
        path = Path(root) / "tools/tidy.allow"
        for n, line in csource.numbered(path.read_text() if path.exists() else ""):
            match = re.match(r"(\w+) (\S+?)(?::(\S+))? because \S+", line)
            if match:
                self.lines.append([n, *match.groups(), False])
            elif line and not line.startswith("#"):
                self.lines.append([n, "", line, None, False])

    def has(self, name, complaint):
        for line in self.lines:
            if line[1] == name and complaint.startswith(line[2] + ":"):
                if not line[3] or re.search(rf"\b{re.escape(line[3])}\b", complaint):
                    line[4] = True
                    return True
        return False

    def unused(self, names):
        for line in self.lines:
            if not line[4] and (line[1] in names or not line[1]):
                yield f"tools/tidy.allow:{line[0]}: nothing needs this: {line[1]} {line[2]}"


def check(root, build, names):
    """Run the rules; yields (name, sentence, complaints or None, why skipped)."""
    allowed = Allowed(root)
    done = []
    for name in names:
        sentence, function = RULES[name]
        try:
            complaints = [c for c in function(root, build) if not allowed.has(name, c)]
        except Skip as reason:
            yield name, sentence, None, str(reason)
            continue
        done.append(name)
        yield name, sentence, complaints, ""
    yield "allow", "every exception in tools/tidy.allow is needed", list(allowed.unused(done)), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--root", default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--build", help="folder of a gcc build, for the rules that look at objects")
    parser.add_argument("--list", action="store_true", help="name the rules")
    parser.add_argument("rules", nargs="*", metavar="RULE")
    options = parser.parse_args()
    if options.list:
        for name, (sentence, _) in RULES.items():
            print(f"{name:<12}{sentence}")
        return 0
    unknown = [name for name in options.rules if name not in RULES]
    if unknown:
        parser.error(f"there is no rule '{unknown[0]}'; see --list")

    bad = n = 0
    for name, sentence, complaints, why in check(options.root, options.build, options.rules or RULES):
        n += 1
        if complaints is None:
            print(f"ok {n} - {name}: {sentence} # SKIP {why}")
            continue
        print(f"{'not ok' if complaints else 'ok'} {n} - {name}: {sentence}")
        for complaint in complaints:
            print(f"# {complaint}")
        bad += bool(complaints)
    print(f"1..{n}", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
