#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Nothing that stays in the hypervisor uses what is thrown away after boot.

Usage: check-init.py TREE     (a built, patched Xen source tree)

Code and data marked __init and __initdata are unmapped when Xen has booted;
to touch them later is a page fault.  Neither compiler nor linker nor Xen's
build see that.  One TAP line per object file of the series' new C files: none
of its functions and none of its data refers to something in an init section,
but for those which are in one themselves.
"""

import pathlib
import re
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
from tap import Tap  # noqa: E402  (tests/tap.py)

FILES = pathlib.Path(__file__).parents[2] / "xen-patches" / "files"

# Where code and data are which stay.  Other sections are tables, of which
# some belong to init code: exceptions, bug frames, debug information.
STAYING = re.compile(r"\.(text|data|rodata|bss)\b")
INIT = re.compile(r"\.init\b")


def lines_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True).stdout.splitlines()


def init_symbols(image):
    """Names of global symbols which go away"""
    symbols = []
    for line in lines_of("nm", "-n", str(image)):
        fields = line.split()
        if len(fields) == 3:
            symbols.append((int(fields[0], 16), fields[1], fields[2]))
    address = {name: value for value, _, name in symbols}
    begin, end = address["__init_begin"], address["__init_end"]
    return {name for value, kind, name in symbols
            if begin <= value < end and kind.isupper()}


def uses(path, init):
    """["SECTION uses SYMBOL"] of an object file"""
    found, section = [], ""
    for line in lines_of("objdump", "-rw", str(path)):
        match = re.match(r"RELOCATION RECORDS FOR \[(.*)\]:", line)
        if match:
            section = match.group(1)
            continue
        fields = line.split()
        if len(fields) < 3 or not STAYING.match(section):
            continue
        symbol = re.sub(r"[-+]0x[0-9a-f]+$", "", fields[2])
        if symbol in init or INIT.match(symbol):
            found.append(f"{section} uses {symbol}")
    return found


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2

    tree = pathlib.Path(sys.argv[1])
    init = init_symbols(tree / "xen" / "xen-syms")
    tap = Tap()
    objects = sorted(path.relative_to(FILES).with_suffix(".o")
                     for path in (FILES / "xen").rglob("*.c"))
    for name in objects:
        if name.parts[1] == "arch" and name.parts[2] != "x86":
            continue
        found = uses(tree / name, init)
        tap.check(not found, f"{name} does without what goes away after boot",
                  *sorted(set(found)))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
