#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
List functions of the hypervisor whose parameters have other names in a declaration than in
a definition, or none: Xen's CI requires rule 8.3 of MISRA C.

Usage: parameter-names.py FILE...

A FILE is C source, or a patch, of which the added lines count.
"""

import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
# Return type, name, parameters, and whether a body follows.
FUNCTION = re.compile(r"(?<![\w.>])([A-Za-z_][\w \n]*?[\s*]+)([A-Za-z_]\w*)"
                      r"\(([^(){};]*(?:\([^()]*\)[^(){};]*)*)\)\s*([;{])")
STATEMENT = re.compile(r"(return|else|case|goto|if|while|for|switch|do|sizeof)\b")
TYPE = re.compile(r"(void|int|char|long|short|bool|unsigned|u?int\d+_t)$")


def text_of(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".patch"):
        if not re.search(r"^\+\+\+ b/xen/", text, re.M):
            return ""
        text = "\n".join(line[1:] for line in text.splitlines()
                         if line[:1] == "+" and line[:3] != "+++")
    return DIRECTIVE.sub("", COMMENT.sub("", text))


def parameters(text):
    """the text of each, split at commas outside of brackets"""
    part, depth = "", 0
    for char in text + ",":
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += char


def name_of(parameter):
    """the name of a parameter, or None"""
    pointer = re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", parameter)
    if pointer:
        return pointer[1]
    words = re.findall(r"\w+", re.sub(r"\[[^]]*\]", "", parameter))
    if len(words) < 2 or TYPE.match(words[-1]) or words[-2] in ("struct", "union", "enum"):
        return None
    return words[-1]


def functions(paths):
    """(name, path, names of parameters, is it a definition)"""
    for path in paths:
        for match in FUNCTION.finditer(text_of(path)):
            if not STATEMENT.match(match[1]) and not STATEMENT.match(match[2]):
                names = [name_of(p) for p in parameters(match[3])
                         if p not in ("void", "", "...")]
                yield match[2], path, names, match[4] == "{"


def faults(paths):
    found = list(functions(paths))
    bodies = {}
    for name, path, names, is_body in found:
        if is_body:
            bodies.setdefault(name, []).append((path, names))
    for name, path, names, is_body in found:
        if is_body or name not in bodies:
            continue
        if None in names:
            yield f"{path}: {name}() is declared with a parameter that has no name"
        for other, theirs in bodies[name]:
            if None not in names and names != theirs:
                yield (f"{path}: {name}({', '.join(names)}), "
                       f"but ({', '.join(map(str, theirs))}) in {other}")


if __name__ == "__main__":
    for fault in sorted(set(faults(sys.argv[1:]))):
        print(fault)
