#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Each xensched command in a code block of a document exists, with its options: the help of the
command lists them. Commands that read a recording run on a synthetic one. Other commands do not
run, because they would ask this host. Fails if a document shows an option that does not exist, or
a command that fails on a recording.
"""

import functools
import json
import pathlib
import re
import shlex

from command_world import TOP, check, check_members, main, path, run, test
from recording_made import (
    marked, paged_requests, slow_request, slow_request_with_threads, through_all_layers)

# Commands that read only a recording, and guests that the recording has.
READERS = {"dump", "latency", "replay", "roi", "timeline", "why"}
GUESTS = {"Domain-0", "crunch", "disk"}

# Characters that end a xensched command in a line of shell.
REST = {"|", ">", ">>", "<", "&", "&&", "||", ";", "--"}


def documents():
    top = pathlib.Path(TOP)
    return [top / "README.md", *sorted(top.glob("docs/**/*.md"))]


def blocks(text):
    """Code blocks that are not fenced, as lines without their indentation."""
    for found in re.finditer(r"(?:^(?:    .*)?\n)+", text, re.M):
        yield [line[4:] for line in found[0].split("\n") if line.strip()]


def commands(text):
    """Words of each command of xensched."""
    for lines in blocks(text):
        joined = re.sub(r"\\\n\s*", " ", "\n".join(lines)).split("\n")
        for line in joined:
            found = re.match(r"(?:(?:[\w-]*[#$]) +)?xensched (?!COMMAND)(.*)", line)
            if not found:
                continue
            lexer = shlex.shlex(found[1], posix=True, punctuation_chars="|&;<>")
            lexer.whitespace_split = True
            words = list(lexer)
            end = next((i for i, word in enumerate(words) if word in REST), len(words))
            yield words[:end]


@functools.lru_cache(maxsize=None)
def options(command):
    """The options of a command; None if there is no such command."""
    done = run(command, "--help")
    return set(re.findall(r"--[a-z-]+", done.out)) if done.code == 0 else None


@test
def commands_of_documents():
    """each command in a document exists, with its options"""
    number = 0
    wrong = []
    for document in documents():
        for command, *words in commands(document.read_text(encoding="utf-8")):
            number += 1
            known = options(command)
            wrong += ["%s: xensched %s: %s" % (document.name, command, word)
                      for word in [command, *words]
                      if known is None or word.startswith("--") and
                      word.split("=")[0] not in known]
    check(number > 50, number)
    check(not wrong, *wrong)


def on_recording(words, recording):
    """The command's words with this recording as its file; None if it needs another one."""
    command, *rest = words
    if command not in READERS or {"--source", "--host", "--with", "--thread"} & set(rest):
        return None
    rest = ["disk" if word == "GUEST" else word for word in rest]
    if "--at" in rest:
        rest[rest.index("--at") + 1] = "0.0406"
    plain = [word for word in rest if not word.startswith("--")]
    if not plain or set(plain[1:]) - GUESTS - {"0.0406"} and command in {"latency", "why", "roi"}:
        return None
    rest[rest.index(plain[0])] = recording
    return [command, *(path("out") if word.split(".")[-1] in {"html", "pftrace", "ctf"} else word
                       for word in rest)]


@test
def readers_of_documents():
    """each command in a document that reads a recording succeeds"""
    recording = path("rows")
    slow_request().write(recording)
    number = 0
    for document in documents():
        for words in commands(document.read_text(encoding="utf-8")):
            changed = on_recording(words, recording)
            if changed:
                run(*changed).expect(0)
                number += 1
    check(number > 15, number)


@test
def codes_of_reasons():
    """control-socket.md explains each code of a reason, and no other"""
    text = (pathlib.Path(TOP) / "docs/internals/control-socket.md").read_text(encoding="utf-8")
    table = re.search(r"^#### Codes\n(.*?)^#", text, re.M | re.S)[1]
    explained = re.findall(r"`([\w-]+)`", "".join(re.findall(r"^\| (`.*?) \|", table, re.M)))
    source = pathlib.Path(TOP) / "tools/xensched/policy/reason-name.c"
    codes = set(re.findall(r'= "([\w-]+)"', source.read_text(encoding="utf-8"))) - {"none"}
    check(len(codes) > 30, codes)
    check(sorted(explained) == sorted(codes), set(explained) ^ codes, explained)


@test
def members_of_documents():
    """each member of a command's JSON is in snake_case, and documented"""
    file = slow_request_with_threads().write(path("rows"))
    layers = through_all_layers().write(path("layers"))
    regions = marked().write(path("regions"))
    costs = paged_requests().write(path("costs"))
    for command, *words in (
            ("timeline", layers), ("timeline", regions), ("timeline", costs),
            ("latency", file),
            ("why", file, "disk", "--at", "0.0406"),
            ("why", file, "disk", "--thread", "cp", "--at", "0.0001"),
            ("roi", regions), ("dump", file), ("dump", "--summary", file),
            ("replay", file), ("advise-size", "--source", "recording:" + file),
            ("check",), ("on", "now", "--do", "shell true")):
        out = run(command, *words, "--json").out
        values = ([json.loads(out)] if out.startswith("{\n") else
                  [json.loads(line) for line in out.splitlines()])
        check_members(command, values)


main()
