#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The include rule: which folder of src/ may include which.

	tools/layers.py [ROOT]

Data goes one way, so a folder may include only what its row allows. Includes across folders are written
"folder/name.h". Prints FILE:LINE and the reason for each that is not allowed; exits 1 if there was one.
"""
import re
import sys
from pathlib import Path

import csource

# folder: what it may include besides itself
ALLOWED = {
    "base": "",
    "data": "base",
    "ssd": "base",
    "device": "base data ssd",
    "trace": "base data device",
    "load": "base data device trace",
    "analysis": "base data",
    "experiment": "base data load trace analysis device",
    "store": "base data device",
    "report": "base data store",
    "fit": "base data ssd experiment store report",
    "sweep": "base data ssd experiment store report",
    "export": "base data ssd experiment store report",
    "serve": "base data ssd experiment store report",
    "cli": "base data ssd device trace load analysis experiment store report fit sweep export serve",
}

# header: the only folders of src/ that may include it. What a simulated drive knows of itself is for the
# record and the reader: an experiment that saw it would not measure.
PRIVATE = {
    "device/truth.h": "device store report",
}

# system header, as a regular expression: the only folders of src/ that may include it
EXTERNAL = {
    r"sqlite3\.h": "store",
    r"liburing.*|libnvme.*|blkid/.*|linux/(nvme|fs|hdreg|loop)\S*": "device",
    r"gsl/.*": "analysis fit",
    r"mpi\.h": "sweep",
    r"fuse.*|nbdkit.*": "export",
    r"microhttpd\.h": "serve",
}

# These are a library for others to embed: libc and libm, nothing else.
LIBC_ONLY = "base ssd"
LIBC = set(
    """assert ctype errno fenv float inttypes limits locale math stdalign stdarg stdatomic stdbool stddef
    stdint stdio stdlib stdnoreturn string strings time unistd fcntl sys/mman sys/stat sys/types""".split()
)

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def quoted(folder, target):
    """Why "target" may not be included from folder, or None."""
    if "/" not in target:
        return f'write "{folder}/{target}": includes name their folder'
    other = target.split("/")[0]
    if other not in ALLOWED:
        return f'"{target}": there is no folder src/{other} in the table'
    if target in PRIVATE and folder not in PRIVATE[target].split():
        return f'"{target}" is only for {PRIVATE[target]} and tests'
    if target in PRIVATE or other == folder or other in ALLOWED[folder].split():
        return None
    return f'"{target}": src/{folder} may include only {ALLOWED[folder] or "itself"}'


def system(folder, target):
    """Why <target> may not be included from folder, or None."""
    for pattern, folders in EXTERNAL.items():
        if re.fullmatch(pattern, target) and folder not in folders.split():
            return f"<{target}> is only for {folders}"
    if folder in LIBC_ONLY.split() and target.removesuffix(".h") not in LIBC:
        return f"<{target}>: src/{folder} needs libc and libm only"
    return None


def violations(root):
    found = []
    for path in csource.files(Path(root) / "src", ".c", ".h"):
        where = Path("src") / path
        if len(path.parts) != 2:
            found.append(f"{where}: sources lie in src/FOLDER/")
            continue
        folder = path.parts[0]
        if folder not in ALLOWED:
            found.append(f"{where}: there is no folder src/{folder} in the table")
            continue
        for n, line in csource.numbered(csource.read(root, where)):
            match = INCLUDE.match(line)
            if not match:
                continue
            check = quoted if match.group(1) == '"' else system
            reason = check(folder, match.group(2))
            if reason:
                found.append(f"{where}:{n}: {reason}")
    return found


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = violations(root)
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
