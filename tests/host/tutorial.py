#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Prints the commands of a tutorial, one per line.

Usage: tutorial.py DOCUMENT HEADING
       tutorial.py --text DOCUMENT HEADING
       tutorial.py --not-here DOCUMENT HEADING

A tutorial is the first block of code below a heading; --text prints the block itself. Its
lines are as a reader would type them: prompts and comments are removed, output is left out,
and GUEST and disk are the guest web1. A command of a guest, with the prompt "guest#", becomes
"obey web1 'COMMAND'". A file that "cat" shows becomes a command that writes it. A line
whose command needs something that the host in the box does not have is left out: a trace of
another program (--with) and babeltrace2's plugin (--ctf). --not-here prints only these.
"""

import pathlib
import re
import shlex
import sys


NOT_HERE = {"--with", "--ctf"}
PROMPT = re.compile(r"(dom0|guest)?[#$] +")


def block(text, heading):
    """Lines of the first block of code below the heading."""
    found = re.search(r"^#+ " + re.escape(heading) + r"\n(.*?)(?=^#|\Z)", text,
                      re.M | re.S)
    if not found:
        sys.exit(f"tutorial: there is no heading '{heading}'")
    lines = re.search(r"(?:^    .*\n)+", found[1], re.M)
    if not lines:
        sys.exit(f"tutorial: there is no block of code below '{heading}'")
    return [line[4:] for line in lines[0].replace("\\\n", "").splitlines()]


def shown_file(lines):
    """The lines up to the next prompt, which "cat" has printed."""
    for line in lines:
        if PROMPT.match(line):
            return
        yield line


def commands(lines, not_here):
    for number, line in enumerate(lines):
        prompt = PROMPT.match(line)
        command = re.sub(r"\s+# .*", "", line[prompt.end():] if prompt else line)
        command = re.sub(r"\b(GUEST|disk)\b", "web1", command)
        if not_here:
            if command.startswith("xensched ") and NOT_HERE & set(command.split()):
                yield command
        elif command.startswith("cat "):
            text = " ".join(map(shlex.quote, shown_file(lines[number + 1:])))
            yield f"printf '%s\\n' {text} >{command[4:]}"
        elif prompt and prompt[1] == "guest":
            yield f"obey web1 {shlex.quote(command)}"
        elif command == "wait" or command.startswith("xensched ") and \
                not NOT_HERE & set(command.split()):
            yield command


def main():
    words = sys.argv[1:]
    option = words.pop(0) if words[:1] in (["--text"], ["--not-here"]) else None
    if len(words) != 2:
        sys.exit(__doc__)
    document, heading = words
    lines = block(pathlib.Path(document).read_text(encoding="utf-8"), heading)
    print("\n".join(lines if option == "--text" else commands(lines, option is not None)))


if __name__ == "__main__":
    main()
