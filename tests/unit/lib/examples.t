#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""The library's examples do as their comments say, on synthetic rows, a recording of these,
and a fake hypervisor; and manual pages show the functions as the headers declare them.
Fails if an example does not build or misreads a source, or if a declaration has changed.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.append(TOP + "/tests")
from tap import Tap  # noqa: E402  (tests/tap.py)

EXAMPLES = os.environ.get("EXAMPLES", TOP + "/build/unit/example-")
ROWS = "synthetic:rows=90,pair=evtchn-send/2/3/2/1,pair=service-ns/2/3/1/500000"
# Rows that a pair of weight 2 and one of weight 1 have together.
ALL_ROWS = 90


def run(name, *arguments, xen=None):
    environment = {k: v for k, v in os.environ.items() if k != "FAKE_XEN"}
    if xen:
        environment["FAKE_XEN"] = xen
    return subprocess.run([EXAMPLES + name, *arguments], env=environment, timeout=60,
                          capture_output=True, text=True, check=False)


def counts(text):
    """Number of rows by event, and of lost ones."""
    return {line.split()[0]: int(line.split()[1]) for line in text.splitlines()}


def declared(text):
    """Declarations of functions in C, without line breaks."""
    return {" ".join(found.split()) for found in
            re.findall(r"^(?:int|void|const|struct)\b[^;{}]*\bxensched_\w+\([^;{}]*\);", text, re.M)}


def shown(page):
    """The declarations that a manual page shows."""
    text = page.replace("\\-", "-")
    return declared("\n".join(re.findall(r"^\.B (.*)", text, re.M)))


def check_manual(tap):
    headers = set()
    for name in glob.glob(TOP + "/tools/xensched/include/xensched/*.h"):
        with open(name, encoding="utf-8") as f:
            headers |= declared(f.read())
    number = 0
    wrong = set()
    for name in glob.glob(TOP + "/tools/xensched/man/*.3"):
        with open(name, encoding="utf-8") as f:
            functions = shown(f.read())
        number += len(functions)
        wrong |= functions - headers
    tap.check(number > 20 and not wrong,
              "manual pages have the functions as the headers declare them", number, *wrong)


def main():
    tap = Tap()
    check_manual(tap)
    with tempfile.TemporaryDirectory(prefix="xensched-examples-") as folder:
        file = folder + "/rows"
        done = run("count-events", ROWS)
        live = counts(done.stdout)
        tap.check(set(live) == {"service-ns", "evtchn-send", "lost"} and
                  sum(live.values()) == ALL_ROWS and live["lost"] == 0,
                  "count-events counts each synthetic row once", done)
        done = run("save-rows", ROWS, file)
        tap.check(done.returncode == 0, "save-rows writes a recording", done)
        done = run("count-events", "recording:" + file)
        tap.check(counts(done.stdout) == live, "the recording has the same rows", done, live)
        done = run("list-sources", file)
        tap.check(done.returncode == 0 and
                  f"hypervisor, save-rows: 2 batches, {ALL_ROWS} rows, 0 lost" in done.stdout,
                  "list-sources finds them in one source", done)
        done = run("print-rows", file)
        tap.check(done.returncode == 0 and
                  done.stdout.count(": evtchn-send 2 -> 3, 1\n") == live["evtchn-send"],
                  "print-rows prints each with its ends and counter", done)
        with open(file, "r+b") as recording:
            recording.truncate(os.path.getsize(file) - 10)
        done = run("print-rows", file)
        tap.check(done.returncode == 1 and "cut off" in done.stderr and
                  "evtchn-send" in done.stdout,
                  "a recording that is cut off is read up to its end, and reported", done)
        done = run("show-log", xen="busy")
        tap.check(done.returncode == 0 and "log sites; events on:" in done.stdout and
                  "pCPU 0, buffer 0: " in done.stdout,
                  "show-log shows events and log buffers", done)
        done = run("show-log", xen="")
        tap.check(done.returncode == 1 and done.stderr.startswith("show-log: "),
                  "without a log area the error says so", done)
        for name in ("count-events", "save-rows", "list-sources", "print-rows"):
            tap.check(run(name).returncode == 2, f"{name} without arguments prints its usage")
    return tap.finish()


sys.exit(main())
