#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the checks themselves: each rule fires on what it forbids and is silent on what it allows."""
import importlib
import importlib.machinery
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import tidy

count = importlib.import_module("count-tests")


def load(name):
    """A tool whose file name is no module name."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(Path(__file__).parent / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


doc = load("doc-examples")

GPL = "/* SPDX-License-Identifier: GPL-3.0-or-later */\n"
MIT = "/* SPDX-License-Identifier: MIT */\n"
GUARDED = "#ifndef A\n#define A\nint f(void);\n#endif\n"
LONG = "int f(void)\n{\n" + "\tg();\n" * 69 + "}\n"
TABLE = "int f(void)\n{\n\tstatic const int t[] = {\n" + "\t\t1,\n" * 80 + "\t};\n\treturn t[0];\n}\n"

# rule: (path, text that is wrong), (path, text that is right)
CASES = {
    "format": (("src/base/a.c", "int  f( void );\n"), ("src/base/a.c", "int f(void);\n")),
    "layers": (("src/base/a.c", '#include "data/b.h"\n'), ("src/data/a.c", '#include "base/b.h"\n')),
    "headers": (("src/base/a.h", "struct s { size_t n; };\n"), ("src/base/a.h", GUARDED)),
    "listed": (("src/base/stray.c", ""), None),
    "lengths": (("src/base/a.h", "\n" * 201), ("src/base/a.h", "\n" * 200)),
    "functions": (("src/base/a.c", LONG), ("src/base/a.c", TABLE)),
    "ifdef": (
        ("src/base/a.c", "int f(void)\n{\n#ifdef X\n\treturn 1;\n#endif\n\treturn 0;\n}\n"),
        ("src/base/a.c", "#ifdef X\nint f(void)\n{\n\treturn 0;\n}\n#endif\n"),
    ),
    "spdx": (("src/ssd/a.c", GPL), ("src/ssd/a.c", MIT)),
    "calls": (
        ("src/base/a.c", "int f(char *s)\n{\n\treturn atoi(s);\n}\n"),
        ("src/base/a.c", '/* atoi(s) */\nint f(void)\n{\n\treturn g("atoi(s)") + my_atoi(1);\n}\n'),
    ),
    "output": (
        ("src/load/a.c", "void f(void)\n{\n\tfprintf(stderr, 0);\n}\n"),
        ("src/cli/a.c", "void f(void)\n{\n\tfprintf(stderr, 0);\n}\n"),
    ),
    "submit": (
        ("src/experiment/a.c", "void f(void)\n{\n\tlane_submit(0);\n}\n"),
        ("src/load/a.c", "void f(void)\n{\n\tlane_submit(0);\n}\n"),
    ),
    "globals": None,  # needs objects: test_globals
    "words": (("docs/a.md", "TO" + "DO: write\n"), ("docs/a.md", "TO" + "DOS and Fixme\n")),
    "paths": (("docs/a.md", "see /ho" + "me/me/x\n"), ("docs/a.md", "see /dev/sda, ~/home/x\n")),
    "space": (("docs/a.md", "word \n"), ("docs/a.md", "word\n")),
    "spelling": (("docs/a.md", "rec" + "ieve\n"), ("docs/a.md", "receive\n")),
    "shell": (("a.sh", "#!/bin/bash\necho $1\n"), ("a.sh", '#!/bin/bash\necho "$1"\n')),
    "honest": (("docs/honest.md", "`tests/none.c`: _x_\n"), ("docs/honest.md", "x\n")),
    "python": (("a.py", "def f(:\n"), ("a.py", "def f():\n    pass\n")),
}

LAYERS_WRONG = [
    ("src/experiment/a.c", '#include "device/truth.h"'),
    ("src/cli/a.c", '#include "device/truth.h"'),
    ("src/load/a.c", '#include "store/store.h"'),
    ("src/report/a.c", "#include <sqlite3.h>"),
    ("src/ssd/a.c", "#include <libfyaml.h>"),
    ("src/load/a.c", "#include <liburing.h>"),
    ("src/load/a.c", '#include "stream.h"'),
    ("src/new/a.c", ""),
]
LAYERS_RIGHT = [
    ("src/report/a.c", '#include "device/truth.h"'),
    ("src/store/a.c", "#include <sqlite3.h>"),
    ("src/cli/a.c", '#include "store/store.h"'),
    ("src/device/a.c", "#include <liburing.h>"),
]


class Tree(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copy(Path(__file__).parent.parent / ".clang-format", self.root)

    def put(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def complaints(self, name, build=None):
        for got, _, complaints, why in tidy.check(self.root, build, [name]):
            if got == name:
                if complaints is None:
                    self.skipTest(why)
                return complaints
        return None

    def one(self, name, path, text):
        self.put(path, text)
        found = self.complaints(name)
        (self.root / path).unlink()
        return found


class Rules(Tree):
    def test_every_rule_has_a_case(self):
        self.assertEqual(set(CASES), set(tidy.RULES))

    def test_layers(self):
        for path, text in LAYERS_WRONG:
            self.assertEqual(len(self.one("layers", path, text + "\n")), 1, (path, text))
        for path, text in LAYERS_RIGHT:
            self.assertEqual(self.one("layers", path, text + "\n"), [], (path, text))

    def test_listed(self):
        self.put("src/base/meson.build", "files('a.c')\n")
        self.assertEqual(self.one("listed", "src/base/a.c", ""), [])

    def test_globals(self):
        folder = self.root / "build/src/base"
        folder.mkdir(parents=True)
        for text, wrong in (("int n = 3;", 1), ("static int n; int *f(void) { return &n; }", 1),
                            ("int g(void); int (*const t[])(void) = { g };", 0)):
            self.put("a.c", text)
            subprocess.run(["gcc", "-c", self.root / "a.c", "-o", folder / "a.o"], check=True)
            subprocess.run(["ar", "rc", folder / "a.a", folder / "a.o"], check=True)
            self.assertEqual(len(self.complaints("globals", self.root / "build")), wrong, text)

    def test_honest(self):
        self.put("tests/a.bats", '@test "as it is" {\n}\n')
        self.assertEqual(self.one("honest", "docs/honest.md", "| a | `tests/a.bats`: _as it is_ |\n"), [])
        self.assertEqual(len(self.one("honest", "docs/honest.md", "| a | `tests/a.bats`: _as it was_ |\n")), 1)
        text = "`tests/a.bats`: _as it is_, _as it was_; more\n"
        self.assertEqual(len(self.one("honest", "docs/honest.md", text)), 1)

    def test_exceptions(self):
        line = "calls src/base/a.c:atoi because the text is ours\n"
        self.put("tools/tidy.allow", line)
        self.assertEqual(self.one("calls", "src/base/a.c", "int f = atoi(0);\n"), [])
        unneeded = list(tidy.check(self.root, None, ["calls"]))[-1]
        self.assertEqual((unneeded[0], len(unneeded[2])), ("allow", 1))
        self.put("tools/tidy.allow", line.replace(" because the text is ours", ""))
        self.assertEqual(len(self.one("calls", "src/base/a.c", "int f = atoi(0);\n")), 1)


def rule_test(name, wrong, right):
    def test(self):
        self.assertNotEqual(self.one(name, *wrong), [], "should have fired")
        if right:
            self.assertEqual(self.one(name, *right), [], "should have been silent")

    return test


for rule_name, case in CASES.items():
    if case:
        setattr(Rules, f"test_rule_{rule_name}", rule_test(rule_name, *case))


class Counting(unittest.TestCase):
    def entry(self, result, stdout=""):
        return count.count_entry(json.loads(json.dumps({"result": result, "stdout": stdout})))

    def test_plain(self):
        self.assertEqual(self.entry("OK", "fine\n"), (1, 0, 0))
        self.assertEqual(self.entry("SKIP"), (0, 0, 1))
        for result in ("FAIL", "TIMEOUT", "ERROR", "INTERRUPT", "UNEXPECTEDPASS"):
            self.assertEqual(self.entry(result), (0, 1, 0))

    def test_points(self):
        text = "1..4\nok 1 - a\nnot ok 2 - b\nok 3 - c # skip no root\n# ok\nok 4\n"
        self.assertEqual(self.entry("FAIL", text), (2, 1, 1))

    def test_all_skipped(self):
        self.assertEqual(self.entry("SKIP", "1..0 # SKIP no loop devices\n"), (0, 0, 1))

    def test_failures(self):
        text = "ok 1 - a\n# fine\nnot ok 2 - b\n# why\nok 3\n1..3\n"
        self.assertEqual(count.failures({"stdout": text}), ["not ok 2 - b", "# why"])

    def test_dies_after_success(self):
        self.assertEqual(self.entry("ERROR", "1..2\nok 1 - a\n"), (1, 1, 0))
        self.assertEqual(self.entry("FAIL", "1..1\nok 1 - a\n"), (1, 1, 0))


class DocExamples(unittest.TestCase):
    def test_finds(self):
        text = "x\n```console\n$ a b\nout\n$ c \\\n  d # (exit 3)\n```\n```sh\n$ not this\n```\n"
        found = doc.examples(text)
        self.assertEqual([(e.line, e.command, e.status) for e in found], [(3, "a b", 0), (5, "c \\\n  d", 3)])
        self.assertEqual(found[0].expected, ["out"])

    def test_matches(self):
        self.assertTrue(doc.matches(["a ... c", "...", "z"], "a b c\n1\n2\nz\n"))
        self.assertTrue(doc.matches(["a", "...", "z"], "a\nz\n"))
        self.assertTrue(doc.matches([], "anything"))
        self.assertFalse(doc.matches(["a"], "a\nb\n"))
        self.assertFalse(doc.matches(["a ... c"], "a b\nc\n"))

    def test_real_drive(self):
        command = doc.planned("sudo assay run fill --drive /dev/sdx --destroy S1", "/t")
        self.assertEqual(command, "assay plan fill --drive file:/t/drive.img,size=4GiB --destroy S1")

    def test_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            def why(command, *expected):
                example = doc.Example(1, command)
                example.expected = list(expected)
                return doc.run(example, folder, {"PATH": "/usr/bin:/bin"})

            self.assertIsNone(why("echo hello", "he..."))
            self.assertIsNone(why("exit 3 # (exit 3)"))
            self.assertIn("exit 3, not 0", why("exit 3"))
            self.assertIn("prints", why("echo hello", "bye"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
