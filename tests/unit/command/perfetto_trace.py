# SPDX-License-Identifier: GPL-2.0-only
"""The contents of a trace of --perfetto, by protobuf's own compiler."""

import ast
import os
import re
import subprocess

from command_world import TOP, check, path, run


def message(lines):
    """A message as protoc prints it, as a dictionary of lists."""
    fields = {}
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith(" {"):
            fields.setdefault(line[:-2], []).append(message(lines))
        else:
            name, value = line.split(": ", 1)
            fields.setdefault(name, []).append(
                ast.literal_eval(value) if re.match(r'["\d-]', value)
                else value)
    return fields


def as_perfetto(recording):
    """The packets of the trace, read by protobuf's own compiler."""
    out = path("trace")
    run("timeline", recording.write(path("recording")), "--perfetto",
        out).expect(0)
    protos = os.path.join(TOP, "tools/xensched/timeline/perfetto")
    with open(out, "rb") as trace:
        text = subprocess.run(
            ["protoc", "-I", protos, "--decode", "perfetto.Trace",
             "perfetto.proto"], stdin=trace, stdout=subprocess.PIPE,
            check=True).stdout.decode()
    check(not re.search(r"^\s*\d+[:{ ]", text, re.M), "an unknown field")
    return message(iter(text.splitlines())).get("packet", [])


def one(fields, *names):
    for name in names:
        fields = fields[name][0]
    return fields
