#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints the commands of a tutorial, one per line.

Usage: tutorial.py DOCUMENT HEADING

A tutorial is the first block of code below a heading. Its lines are as a reader would
type them: prompts and comments are removed, output is left out, and GUEST and web1 are
the guest disk. A line whose command needs something that the host in the box does not
have is left out: a trace of another program (--with) and babeltrace2's plugin (--ctf).
"""

import pathlib
import re
import sys


NOT_HERE = {"--with", "--ctf"}


def block(text, heading):
    """Lines of the first block of code below the heading."""
    found = re.search(r"^#+ " + re.escape(heading) + r"\n(.*?)(?=^#|\Z)", text,
                      re.M | re.S)
    if not found:
        sys.exit(f"tutorial: there is no heading '{heading}'")
    lines = re.search(r"(?:^    .*\n)+", found[1], re.M)
    if not lines:
        sys.exit(f"tutorial: there is no block of code below '{heading}'")
    return lines[0].replace("\\\n", "").splitlines()


def commands(lines):
    for line in lines:
        line = re.sub(r"^    ([#$] )?", "", line)
        line = re.sub(r"\s+# .*", "", line)
        if line.startswith("xensched ") and not NOT_HERE & set(line.split()):
            yield re.sub(r"\b(GUEST|web1)\b", "disk", line)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    print("\n".join(commands(block(text, sys.argv[2]))))


if __name__ == "__main__":
    main()
