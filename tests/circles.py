#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Find C files that call each other in a circle.

    circles.py FOLDER...

Each FOLDER is one program or library: a file of it uses another one when it
names a function or an object which that one defines.  A header says nothing
here, since it may be implemented anywhere.  Prints each circle, files in
alphabetical order, and how many there are; the exit code is 1 if there are any.
"""

import pathlib
import re
import sys

DEFINED = re.compile(r"^(?!static\b|typedef\b|extern\b)[A-Za-z_][\w\s\*]*?"
                     r"\b(\w+)(?:\(|(?:\[[^\]]*\])* = |;$)", re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")
# A type can have the name of another file's function.
TAG = re.compile(r"\b(?:struct|union|enum)\s+\w+")
NOT_CODE = re.compile(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|^#.*?[^\\]$',
                      re.DOTALL | re.MULTILINE)


def read(path):
    return NOT_CODE.sub("", path.read_text(encoding="utf-8"))


def definitions(code):
    """Names defined at the left margin which other files can see."""
    names = set()
    for match in DEFINED.finditer(code):
        rest = code[match.end() - 1:]
        if rest[0] == "(":
            # A prototype ends in a semicolon, a macro's use in nothing.
            body = re.match(r"\([^{};]*?\)[^{};()]*\{", rest)
            if not body:
                continue
        names.add(match.group(1))
    return names


def own(code):
    """Names that mean something else within the file."""
    return set(re.findall(r"^static\b[\w\s\*]*?\b(\w+)[(\[;= ]", code,
                          re.MULTILINE))


def circles(uses):
    """Strongly connected sets of more than one file (Tarjan's algorithm)."""
    index, low, stack, found = {}, {}, [], []

    def visit(v):
        index[v] = low[v] = len(index)
        stack.append(v)
        for w in uses[v]:
            if w not in index:
                visit(w)
                low[v] = min(low[v], low[w])
            elif w in stack:
                low[v] = min(low[v], index[w])
        if low[v] == index[v]:
            part = stack[stack.index(v):]
            del stack[stack.index(v):]
            if len(part) > 1:
                found.append(sorted(part))

    for v in uses:
        if v not in index:
            visit(v)
    return found


def look_at(folder):
    code = {p: read(p) for p in sorted(pathlib.Path(folder).rglob("*.c"))}
    home = {}
    for path, text in code.items():
        for name in definitions(text):
            home.setdefault(name, set()).add(path)
    words = {path: set(WORD.findall(TAG.sub("", text))) - own(text)
             for path, text in code.items()}
    uses = {path: {next(iter(home[name])) for name in words[path] & home.keys()
                   if len(home[name]) == 1} - {path} for path in code}
    return circles(uses)


def main():
    found = [circle for folder in sys.argv[1:] for circle in look_at(folder)]
    for circle in found:
        print(" ".join(str(path) for path in circle))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
