# SPDX-License-Identifier: GPL-3.0-or-later
"""What the checks share: the files of the tree, and C text without its comments and strings."""
import os
import re
from pathlib import Path

SKIP = re.compile(r"^(build.*|\.git|node_modules|__pycache__|\..*cache)$")
BINARY = {".png", ".jpg", ".gz", ".xz", ".zst", ".bin", ".woff2", ".ico", ".db"}

TOKEN = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*'""",
    re.VERBOSE | re.DOTALL,
)


def files(root, *suffixes):
    """Every file below root, or those with these suffixes, as paths relative to root, sorted."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not SKIP.match(name)]
        for name in names:
            path = Path(folder, name).relative_to(root)
            if name == ".git":  # a worktree's is a file
                continue
            if not suffixes or path.suffix in suffixes:
                found.append(path)
    return sorted(found)


def text_files(root):
    """Every file that is text."""
    found = []
    for path in files(root):
        if path.suffix in BINARY or path.parts[:2] == ("tests", "fuzz"):
            continue
        if b"\0" not in (Path(root) / path).read_bytes()[:8192]:
            found.append(path)
    return found


def read(root, path):
    return (Path(root) / path).read_text(encoding="utf-8", errors="replace")


def bare(text):
    """C text with comments and the insides of strings blanked; lines stay where they are."""

    def blank(match):
        token = match.group(0)
        kept = "\n" * token.count("\n")
        return token[0] + kept + token[0] if token[0] in "\"'" else " " + kept

    # An #include's file name is not a string of the program, but blanking it does no harm.
    return TOKEN.sub(blank, text)


def numbered(text):
    return enumerate(text.split("\n"), 1)
