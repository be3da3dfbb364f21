#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws the cells that host-near.sh measures, and reports what the places are worth.

Usage: near.py plan MACHINE SEED BYTES
       near.py report FOLDER OUTPUT.json

FOLDER has a file MACHINE-SEED-BYTES for each boot (near-dom0.sh).  A figure of a boot is
that of its guests together: requests per second are added, times averaged.  Places are
compared within a boot; reported are the median, the least and the most of the boots.
"""

import collections
import json
import pathlib
import random
import statistics
import sys

# The pCPUs of each place, by machine, for four guests: of 8 of each socket.  dom0 has
# pCPU 0.
PLACES = {
    "xeon2": {"same-pcpu": (0, 0, 0, 0), "same-llc": (1, 2, 3, 4),
              "other-socket": (8, 9, 10, 11)},
    "epyc2": {"same-pcpu": (0, 0, 0, 0), "same-llc": (1, 1, 1, 1),
              "same-socket": (2, 3, 4, 5), "other-socket": (8, 9, 10, 11)},
}
BASE = "same-llc"
DEPTHS = (1, 32)
GUESTS = (1, 4)

WORDS = {
    "same-pcpu": "dom0's pCPU",
    "same-llc": "the same last-level cache",
    "same-socket": "another one of the socket",
    "other-socket": "the other socket",
}


def print_plan(machine, seed, size):
    lot = random.Random(seed)
    cells = [(place, depth, size, pcpus[:guests])
             for place, pcpus in PLACES[machine].items()
             for depth in DEPTHS for guests in GUESTS]
    lot.shuffle(cells)
    for place, depth, _, pcpus in cells:
        print(seed, place, depth, size, *pcpus)


def figures(path):
    """By (bytes, guests, depth, place): requests/s, median and P99 in us."""
    guests_of = collections.defaultdict(list)
    with open(path, encoding="ascii") as file:
        for line in file:
            _, place, guests, depth, size, ms, *numbers = line.split()
            guests_of[int(size), int(guests), int(depth), place].append(
                [int(ms)] + [int(n) for n in numbers])
    return {key: {"requests_per_s": sum(1000 * g[1] / g[0] for g in guests),
                  "p50_us": sum(g[3] for g in guests) / len(guests) / 1000,
                  "p99_us": sum(g[4] for g in guests) / len(guests) / 1000}
            for key, guests in guests_of.items()}


def spread(values):
    return {"median": statistics.median(values), "min": min(values),
            "max": max(values)}


def cell_report(key, boots):
    """One cell, from the figures of all boots that have it."""
    size, guests, depth, place = key
    found = [(boot[key], boot.get((size, guests, depth, BASE)))
             for boot in boots if key in boot]
    report = {"bytes": size, "guests": guests, "depth": depth, "place": place,
              "boots": len(found)}
    for name in found[0][0]:
        report[name] = spread([one[name] for one, _ in found])
    ratios = [one["requests_per_s"] / base["requests_per_s"]
              for one, base in found if base]
    if ratios:
        report["rate_to_" + BASE.replace("-", "_")] = spread(ratios)
    return report


def order(key):
    return *key[:3], list(WORDS).index(key[3])


def make_report(folder):
    by_machine = collections.defaultdict(list)
    for path in sorted(pathlib.Path(folder).iterdir()):
        by_machine[path.name.split("-")[0]].append(figures(path))
    return [{"machine": machine,
             "cells": [cell_report(key, boots) for key in
                       sorted(set().union(*boots), key=order)]}
            for machine, boots in sorted(by_machine.items(), reverse=True)]


def in_brackets(figure, scale, form):
    middle, least, most = (form.format(scale(figure[key]))
                           for key in ("median", "min", "max"))
    return middle if least == middle == most else f"{middle} ({least} to {most})"


def rate(cell):
    """Requests per second of the base; of other places how many more or less."""
    if cell["place"] == BASE:
        return in_brackets(cell["requests_per_s"], float, "{:,.0f}")
    ratio = cell.get("rate_to_" + BASE.replace("-", "_"))
    return in_brackets(ratio, lambda r: 100 * (r - 1), "{:+.1f} %") if ratio else ""


def times(cell):
    return ", ".join(in_brackets(cell[key], float, "{:.1f}")
                     for key in ("p50_us", "p99_us"))


def table(report, text=rate):
    """Rows of docs/develop/results.md: each place is a column."""
    yield ["machine", "KiB", "guests x in flight"] + list(WORDS.values())
    for one in report:
        rows = collections.defaultdict(dict)
        for cell in one["cells"]:
            rows[cell["bytes"], cell["guests"], cell["depth"]][cell["place"]] = text(cell)
        for (size, guests, depth), places in rows.items():
            yield [f"`{one['machine']}`", str(size // 1024), f"{guests} x {depth}"] + [
                places.get(place, "") for place in WORDS]


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "plan":
        print_plan(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    elif len(sys.argv) == 4 and sys.argv[1] == "report":
        report = make_report(sys.argv[2])
        with open(sys.argv[3], "w", encoding="ascii") as file:
            json.dump(report, file, indent=1)
            file.write("\n")
        for text in rate, times:
            for row in table(report, text):
                print(" | ".join(row))
            print()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
