#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Checks what the report of make bench-record does with rounds that were disturbed.

The rounds are synthetic: on a core of this program's own, on a shared core, and on a core whose
other hyperthread is busy.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))))
sys.path.append(TOP + "/tests")
from tap import Tap  # noqa: E402  (tests/tap.py)

CYCLES = {"core": 0.7, "empty": 3.5, "disabled": 3.5, "rdtsc": 24.5, "memcpy_row": 3.5,
          "entries0": 7.0, "entries1": 10.0, "entries4": 10.5, "entries5_tsc32": 25.0,
          "entries5_tsc": 30.0, "counting": 11.0, "threshold_skip": 5.0,
          "domain_skip": 4.2, "xen_trace": 130.0, "xen_trace_no_time": 100.0}


def report(slow=1, of_rounds=0.0, waited=0, stolen=0):
    """The text and the JSON of 100 rounds, in which some cases are slower."""
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/rounds", "w", encoding="ascii") as file:
            for number in range(100):
                for name, cycles in CYCLES.items():
                    factor = slow if number and rng.random() < of_rounds else 1
                    file.write("case %s %.3f\n" % (name, cycles * factor))
                file.write("round %d 3000000\n" % (waited if number % 5 == 0 else 0))
                file.write("scaling 1 10.5\nscaling 2 10.6\n")
            file.write("steal %d 1000000000\n" % stolen)
        done = subprocess.run(
            [sys.executable, TOP + "/tests/bench/record/report.py", folder + "/rounds",
             folder + "/json", "x", "gcc", ""], check=True, stdout=subprocess.PIPE)
        with open(folder + "/json", encoding="utf-8") as file:
            return done.stdout.decode(), json.load(file)


def main():
    tap = Tap()
    text, quiet = report()
    tap.check(not quiet["worthless"] and "worth nothing" not in text and
              all(g["met"] for g in quiet["goals"]), "a core of its own: all goals are met",
              text)
    text, shared = report(slow=2.3, of_rounds=0.4)
    tap.check(shared["net"] == quiet["net"] and shared["goals"] == quiet["goals"],
              "rounds that took longer change no goal", text)
    for why, options in (("another process was on the core in 20 of 100 rounds",
                          {"waited": 1000000}),
                         ("kept the core from running for 10%", {"stolen": 100000000}),
                         ("2.3 times as long", {"slow": 2.3, "of_rounds": 0.6})):
        text, found = report(**options)
        tap.check(len(found["worthless"]) == 1 and why in found["worthless"][0] and
                  "! This run is worth nothing: " in text and "  met" not in text,
                  "a run is worth nothing, since " + why, text)
        tap.check(found["net"] == quiet["net"], "its minima are those of a quiet one", text)
    text, _ = report(waited=50000, stolen=1000000)
    tap.check("worth nothing" not in text, "a few short interruptions do no harm", text)
    return tap.finish()


if __name__ == "__main__":
    raise SystemExit(main())
