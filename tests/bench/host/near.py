#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes the plan that host-near.sh measures, and reports the value of the places.

Usage: near.py plan MACHINE BYTES REPETITIONS PATTERN
       near.py report FOLDER OUTPUT.json

FOLDER has a database MACHINE-SEED-BYTES.sqlite for each boot (near-dom0.sh).  A figure of a
run is that of its guests together: requests per second are added, times averaged.  Places
are compared within a repetition, which has the same reads at each place.  The report has
the median of these ratios, the least and the most, and an interval of the median
(bootstrap, 95 %).  It counts the guests that were at each place when a run ended.
"""

import collections
import contextlib
import json
import pathlib
import re
import sqlite3
import sys

from paired import in_brackets, ratio_report, spread

# The pCPUs of each place, by machine, which guests take in turn; each socket has 4 pCPUs,
# dom0 has pCPU 0.  If a guest may use all pCPUs, Xen's scheduler chooses.
PLACES = {
    "xeon2": {"same_pcpu": "0", "same_llc": "123", "other_socket": "4567"},
    "epyc2": {"same_pcpu": "0", "same_llc": "1", "same_socket": "23",
              "other_socket": "4567"},
}
ALL = {"credit2": ["0-7"]}
BASE = "same-llc"
# Guests, requests in flight; reads per second that are due for each guest, or 0: a closed
# loop.
LOADS = tuple((guests, depth, 0) for guests in (1, 2, 4, 8) for depth in (1, 32))
OPEN_RATES = {4096: 10000, 65536: 2000}

WORDS = {
    "same-pcpu": "dom0's pCPU",
    "same-llc": "the same last-level cache",
    "same-socket": "another one of the socket",
    "other-socket": "the other socket",
    "credit2": "left to credit2",
}


def print_plan(machine, size, repetitions, pattern):
    most = 0
    print(f"warmup = 1\nrepetitions = {repetitions}")
    for guests, depth, rate in LOADS + ((1, 32, OPEN_RATES[size]),):
        name = f"g{guests}_d{depth}_r{rate}_b{size}"
        if re.search(pattern, name):
            print(f'workload.{name}.run = "./near-dom0.sh reads {guests} {depth} {rate} {size}"')
            most = max(most, guests)
    for place, pcpus in (PLACES[machine] | ALL).items():
        held = ", ".join(f'"near{guest}={pcpus[guest % len(pcpus)]}"'
                         for guest in range(most))
        print(f"configuration.{place}.place = [ {held} ]")


def figures(path):
    """The output of runs, by (bytes, guests, depth, rate), place and repetition."""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    with contextlib.closing(sqlite3.connect(path)) as db:
        for workload, place, repetition, name, value in db.execute(
                "SELECT workload, configuration, repetition, name, value "
                "FROM value JOIN run ON run = id WHERE state = 'done' AND repetition > 0"):
            guests, depth, rate, size = map(int, re.findall(r"\d+", workload))
            run = found[size, guests, depth, rate][place.replace("_", "-")]
            run.setdefault(repetition, {})[name] = value
    return found


def ratios(name, place, base, boots):
    """Ratios of a figure to that of the base, in the same repetition of the same boot."""
    found = [run[name] / boot[base][repetition][name] for boot in boots
             for repetition, run in boot[place].items()
             if repetition in boot.get(base, {})]
    if not found:
        return {}
    return {f"{name}_to_" + base.replace("-", "_"): ratio_report(found)}


def place_counts(machine, runs):
    """How many guests were at each place when their runs ended."""
    names = {pcpu: name for name, pcpus in PLACES[machine].items() for pcpu in pcpus}
    return collections.Counter(
        names[f"{pcpu:.0f}"].replace("_", "-") for run in runs
        for name, pcpu in run.items() if name.startswith("pcpu"))


def cell_report(machine, key, place, boots):
    """One load at one place, from all boots that have it."""
    size, guests, depth, rate = key
    boots = [boot[key] for boot in boots if place in boot.get(key, {})]
    runs = [run for boot in boots for run in boot[place].values()]
    report = {"bytes": size, "guests": guests, "depth": depth, "rate": rate,
              "place": place, "boots": len(boots), "runs": len(runs),
              "guests_at_end": place_counts(machine, runs),
              "requests_per_s": spread([run["requests"] for run in runs]),
              "p50_us": spread([run["p50"] / 1000 for run in runs]),
              "p99_us": spread([run["p99"] / 1000 for run in runs])}
    if place != BASE:
        for name in "requests", "p50":
            report |= ratios(name, place, BASE, boots)
    return report


def make_report(folder):
    by_machine = collections.defaultdict(list)
    for path in sorted(pathlib.Path(folder).glob("*.sqlite")):
        by_machine[path.name.split("-")[0]].append(figures(path))
    return [{"machine": machine,
             "cells": [cell_report(machine, key, place, boots)
                       for key in sorted(set().union(*boots)) for place in WORDS
                       if any(place in boot.get(key, {}) for boot in boots)]}
            for machine, boots in sorted(by_machine.items(), reverse=True)]


def more(cell, name):
    """How much more, or less, than at the base."""
    ratio = cell.get(f"{name}_to_" + BASE.replace("-", "_"))
    return in_brackets(ratio, lambda r: 100 * (r - 1), "{:+.1f} %") if ratio else ""


def rate(cell):
    """Requests per second of the base; of other places how many more or less."""
    if cell.get("rate"):
        return None
    if cell["place"] == BASE:
        return in_brackets(cell["requests_per_s"], float, "{:,.0f}")
    return more(cell, "requests")


def times(cell):
    return ", ".join(in_brackets(cell[key], float, "{:.1f}")
                     for key in ("p50_us", "p99_us"))


def chosen(cell):
    """Where guests were that Xen's scheduler placed."""
    if cell["place"] != "credit2":
        return None
    return ", ".join(f"{WORDS[place]}: {count}"
                     for place, count in sorted(cell["guests_at_end"].items()))


def load(cell):
    text = f"{cell['guests']} x {cell['depth']} x {cell['bytes'] // 1024}"
    return text + f", {cell['rate']:,}/s" if cell.get("rate") else text


def table(report, text=rate):
    """Rows of docs/develop/results.md: each place is a column."""
    yield ["machine", "guests x in flight x KiB"] + list(WORDS.values())
    for one in report:
        rows = collections.defaultdict(dict)
        for cell in one["cells"]:
            if text(cell) is not None:
                rows[load(cell)][cell["place"]] = text(cell)
        for loads, places in rows.items():
            yield [f"`{one['machine']}`", loads] + [places.get(place, "") for place in WORDS]


def main():
    if len(sys.argv) == 6 and sys.argv[1] == "plan":
        print_plan(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5])
    elif len(sys.argv) == 4 and sys.argv[1] == "report":
        report = make_report(sys.argv[2])
        with open(sys.argv[3], "w", encoding="ascii") as file:
            json.dump(report, file, indent=1)
            file.write("\n")
        for text in rate, times, chosen:
            for row in table(report, text):
                print(" | ".join(row))
            print()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
