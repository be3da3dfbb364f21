#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Keeps options and keys in the manual pages in step with the programs' tables.

usage: options.py [--write] XENSCHED

XENSCHED is the built command; its --help, and that of xenschedd, which it contains, print the
tables. Each command has a page. Settings of xenschedd are entries of xensched.conf(5), which
name the key and the option; xenschedd(8) has the options that are no keys. An entry begins
with the table's text; from a line '.\\" More:' on it is written by hand. Prints each entry
that differs, and exits with 1; --write corrects the pages instead.
"""

import os
import re
import subprocess
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
MORE = '.\\" More:'
# What a key has after the name of its option.
UNITS = {"settle": "_ms", "stay": "_ms", "quiet": "_ms", "half-life": "_ms",
         "interval": "_ms", "period": "_ms", "lease": "_ms", "least-gain": "_us",
         "misses": "_per_ms",
         "budget": "_percent", "journal-size": "_mib"}
NO_KEYS = {"config", "replace-area", "version", "help"}
LISTS = {"policies", "pmc"}


def help_of(*command):
    """Each option's text and default (or None)."""
    text = subprocess.run([*command, "--help"], stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    found = {}
    for name, about in re.findall(
            r"^  --([\w-]+)(?: \S+)?\s+(\S.*\n(?:     .*\n)*)", text, re.M):
        about = " ".join(about.split())
        default = re.search(r" \(default: (.*)\)$", about)
        found[name] = (about[:default.start()] if default else about,
                       default.group(1) if default else None)
    return found


def roff(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def wrapped(text):
    text = text[0].upper() + text[1:]
    return [roff(line) for line in
            textwrap.wrap(text + ".", 78, break_on_hyphens=False,
                          break_long_words=False)]


def option_lines(text, default):
    return wrapped(text) + (wrapped("Default: " + default) if default else [])


def quoted_default(name, default):
    if default is None:
        return "none"
    if re.fullmatch(r"\d+", default) or " " in default:
        return roff(default)
    text = "\\(dq%s\\(dq" % roff(default)
    return "[ %s ]" % text if name in LISTS else text


def corrected(page, header, wanted):
    """The page with each entry as it should be; header(name) finds its line."""
    missed = []
    for name, (first, lines) in wanted.items():
        found = re.search(r"(?<=^\.TP\n)" + header(name) + r".*\n", page, re.M)
        if not found:
            missed.append(name)
            continue
        end = re.compile(r"^\.(TP|SH|SS)\b", re.M).search(page, found.end())
        end = end.start() if end else len(page)
        body = page[found.end():end]
        more = body[body.index(MORE):] if MORE in body else ""
        page = (page[:found.start()] + (first or found.group()) +
                "\n".join(lines) + "\n" + more + page[end:])
    return page, missed


def page_of(command):
    """The command's page, or the one that it shares with others."""
    name = "xensched-%s.8" % command
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        shared = re.search(r"^\.so man8/(\S+)", f.read(), re.M)
    return shared.group(1) if shared else name


def pages(xensched):
    """Each page's name, and how to find and what to write of each entry."""
    daemon = help_of(xensched, "replay", "x", "--")
    commands = re.findall(r"^  (\w[\w-]*) ", subprocess.run(
        [xensched, "--help"], stdout=subprocess.PIPE, check=True)
        .stdout.decode(), re.M)
    options = {}
    for command in commands:
        page = options.setdefault(page_of(command), {})
        page.update(help_of(xensched, command))
        page.pop("help", None)
    keys = {name: name.replace("-", "_") + UNITS.get(name, "")
            for name in daemon if name not in NO_KEYS}

    def option(name):
        return r'\.BI? "?%s\b(?!\\-)' % re.escape(roff("--" + name))

    yield "xenschedd.8", option, {
        name: (None, option_lines(*about)) for name, about in daemon.items()
        if name in NO_KEYS}
    for page, about in options.items():
        yield page, option, {
            name: (None, option_lines(*one)) for name, one in about.items()}
    yield ("xensched.conf.5",
           lambda name: r'\.BR %s "' % keys[name],
           {name: ('.BR %s ", " %s " (%s)"\n' % (
               keys[name], roff("--" + name),
               quoted_default(name, daemon[name][1])),
               wrapped(daemon[name][0])) for name in keys})


def main():
    write = sys.argv[1:2] == ["--write"]
    wrong = 0
    for name, header, wanted in pages(sys.argv[-1]):
        file = os.path.join(HERE, name)
        with open(file, encoding="utf-8") as f:
            page = f.read()
        right, missed = corrected(page, header, wanted)
        for option in missed:
            print("%s: no entry for '%s': write its .TP and its first line"
                  % (name, option))
        if right != page and write:
            with open(file, "w", encoding="utf-8") as f:
                f.write(right)
        elif right != page:
            for option, one in wanted.items():
                if corrected(page, header, {option: one})[0] != page:
                    print("%s: '%s' is not as the program says: make man"
                          % (name, option))
        wrong += bool(missed) or (right != page and not write)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
