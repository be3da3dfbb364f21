# SPDX-License-Identifier: GPL-2.0-only
"""Reads a recording as rows and as numbers per interval."""

import collections
import json
import os
import subprocess


def accounting_domains(folder, name):
    with open("%s/%s.status" % (folder, name), encoding="utf-8") as file:
        domains = json.load(file)["domains"]
    return {domain["name"]: domain["acct"] for domain in domains}


def rows_of(folder, name):
    """The rows in any order.  Fails if the recording has lost rows."""
    with open("%s/%s.jsonl" % (folder, name), encoding="utf-8") as file:
        for row in map(json.loads, file):
            if row.get("lost_rows"):
                raise SystemExit("%s: %d rows were lost" % (
                    name, row["lost_rows"]))
            yield row


def events_of(folder, name):
    """Rows of events only, by their time."""
    return sorted((row for row in rows_of(folder, name) if "event" in row),
                  key=lambda row: row["time_s"])


def per_interval(rows, interval_ms, number):
    """number(row) summed up, by interval."""
    sums = collections.Counter()
    for row in rows:
        sums[int(row["time_s"] * 1e3 // interval_ms)] += number(row)
    return sums


def xentrace_records(path, toolstack):
    """The number of records in a trace of xentrace, by its own reader."""
    done = subprocess.run(
        [toolstack + "/usr/bin/xenalyze", "--dump-all", path],
        env=dict(os.environ, LD_LIBRARY_PATH=toolstack + "/usr/lib"),
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.count(b"\n")
