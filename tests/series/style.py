#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Checks the form of patches like a reviewer of xen-devel.  Xen has no checkpatch; these are
the rules of CODING_STYLE and docs/process/sending-patches.pandoc that a program can check.

Usage: style.py MAIL...

Reports: a subject that does not begin with its area, or is too long; a
message with lines of more than 75 columns; a sign-off, which no program can give; and
in added lines: more than 80 columns in C, blanks at the end of a line, tabs in C that
has none, a new source file without SPDX line, with an old form of it, or without the
editor's lines at its end.
Files that a program of Xen's tree writes are left out.
"""

import email
import email.header
import re
import sys

GENERATED = re.compile(r"\.gen\.go$")
SOURCE = re.compile(r"\.[chS]$")
NEW = re.compile(r"\.(c|h|py)$")
# Files in Linux's style.
LINUX = re.compile(r"^xen/(xsm/flask/|arch/x86/cpu/mwait-idle)")


def text_of(header):
    return "".join(part if isinstance(part, str) else part.decode(code or "ascii")
                   for part, code in email.header.decode_header(header))


def message_faults(mail, body):
    subject = re.sub(r"^\[PATCH[^]]*\] *", "",
                     re.sub(r"\s*\n\s*", " ", text_of(mail["Subject"])))
    if not re.match(r"[\w/, -]+: \S", subject):
        yield f"the subject does not say what it is about: {subject}"
    if len(subject) > 72:
        yield f"the subject has {len(subject)} columns"
    for line in body.splitlines():
        if len(line) > 75 and not line.startswith("    "):
            yield f"a line of the message has {len(line)} columns: {line}"
        if line.startswith("Signed-off-by:"):
            yield "there is a sign-off: its sender gives it"


def files_of(patch):
    """(path, is it new, added lines) of each file"""
    for part in re.split(r"^diff --git ", patch, flags=re.M)[1:]:
        head, _, rest = part.partition("\n@@")
        path = re.search(r"^\+\+\+ b/(.*)$", head, re.M)
        if path and not GENERATED.search(path[1]):
            added = [line[1:] for line in rest.splitlines() if line[:1] == "+"]
            yield path[1], "\n--- /dev/null" in head, added


def line_faults(path, line):
    if line != line.rstrip():
        yield "a blank at the end of a line"
    if SOURCE.search(path):
        if len(line.expandtabs()) > 80:
            yield f"{len(line.expandtabs())} columns"
        if "\t" in line and not LINUX.search(path) and not path.endswith(".S"):
            yield "a tab"


def new_faults(path, added):
    if NEW.search(path):
        first = "\n".join(added[:2])
        if not re.search(r"SPDX-License-Identifier: [\w.-]*(only|or-later|MIT)\b", first):
            yield "a new file without an SPDX line as LICENSES/ has them"
    if re.search(r"\.[ch]$", path) and path.startswith("xen/") and \
       " * Local variables:" not in added[-10:]:
        yield "a new file without the editor's lines at its end"


def faults(mail):
    body, _, patch = mail.get_payload().partition("\n---\n")
    yield from message_faults(mail, body)
    for path, new, added in files_of(patch):
        for line in added:
            for fault in line_faults(path, line):
                yield f"{path}: {fault}: {line}"
        if new:
            for fault in new_faults(path, added):
                yield f"{path}: {fault}"


def main():
    bad = False
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            for fault in faults(email.message_from_file(file)):
                print(f"{name.rsplit('/', 1)[-1]}: {fault}")
                bad = True
    return bad


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    sys.exit(main())
