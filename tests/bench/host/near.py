#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws the cells that host-near.sh measures, and reports what the places are worth.

Usage: near.py plan MACHINE SEED
       near.py report FOLDER OUTPUT.json

FOLDER has a file MACHINE-SEED for each seed (near-dom0.sh).  A figure of a seed is that of
its guests together: requests per second are added, times averaged.  Places are compared
within a seed; the interval is that of 95 % of 10,000 bootstrap means over the seeds.
"""

import collections
import json
import pathlib
import random
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
BYTES = (4096,)

WORDS = {
    "same-pcpu": "dom0's pCPU",
    "same-llc": "the same last-level cache",
    "same-socket": "another one of the socket",
    "other-socket": "the other socket",
}


def print_plan(machine, seed):
    lot = random.Random(seed)
    cells = [(place, depth, size, pcpus[:guests])
             for place, pcpus in PLACES[machine].items()
             for depth in DEPTHS for size in BYTES for guests in GUESTS]
    lot.shuffle(cells)
    for place, depth, size, pcpus in cells:
        print(seed, place, depth, size, *pcpus)


def figures(path):
    """By (depth, guests, bytes) and place: requests/s, median and P99 in us."""
    guests_of = collections.defaultdict(list)
    with open(path, encoding="ascii") as file:
        for line in file:
            _, place, guests, depth, size, ms, *numbers = line.split()
            guests_of[int(depth), int(guests), int(size), place].append(
                [int(ms)] + [int(n) for n in numbers])
    return {key: {"requests_per_s": sum(1000 * g[1] / g[0] for g in guests),
                  "p50_us": sum(g[3] for g in guests) / len(guests) / 1000,
                  "p99_us": sum(g[4] for g in guests) / len(guests) / 1000}
            for key, guests in guests_of.items()}


def interval(values):
    """Mean, and where 95 % of the bootstrap means are."""
    lot = random.Random(1)
    means = sorted(sum(lot.choices(values, k=len(values))) / len(values)
                   for _ in range(10000))
    return {"mean": sum(values) / len(values), "low": means[249],
            "high": means[9749]}


def cell_report(key, seeds):
    """Of one cell, from the figures of each seed."""
    depth, guests, size, place = key
    found = [seed[key] for seed in seeds]
    base = [seed[depth, guests, size, BASE] for seed in seeds]
    report = {"depth": depth, "guests": guests, "bytes": size, "place": place}
    for name in found[0]:
        report[name] = interval([f[name] for f in found])
        report[name]["to_" + BASE.replace("-", "_")] = interval(
            [f[name] / b[name] for f, b in zip(found, base)])
    return report


def make_report(folder):
    by_machine = collections.defaultdict(dict)
    for path in sorted(pathlib.Path(folder).iterdir()):
        machine, seed = path.name.rsplit("-", 1)
        by_machine[machine][int(seed)] = figures(path)
    return [{"machine": machine, "seeds": sorted(seeds),
             "cells": [cell_report(key, list(seeds.values()))
                       for key in sorted(seeds[min(seeds)], key=order)]}
            for machine, seeds in by_machine.items()]


def order(key):
    return key[1], key[0], key[2], list(WORDS).index(key[3])


def percent(figure):
    low, high = ((figure[end] - 1) * 100 for end in ("low", "high"))
    return f"{(figure['mean'] - 1) * 100:+.1f} % ({low:+.1f} to {high:+.1f})"


def table(report):
    """Rows of docs/develop/results.md."""
    yield ["machine", "guests x depth", "place", "requests/s",
           "against the same cache", "median, us", "P99, us"]
    for one in report:
        for cell in one["cells"]:
            rate = cell["requests_per_s"]
            yield [f"`{one['machine']}`", f"{cell['guests']} x {cell['depth']}",
                   WORDS[cell["place"]], f"{rate['mean']:,.0f}",
                   "" if cell["place"] == BASE else percent(rate["to_same_llc"]),
                   f"{cell['p50_us']['mean']:.1f}",
                   f"{cell['p99_us']['mean']:.1f}"]


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "plan":
        print_plan(sys.argv[2], int(sys.argv[3]))
    elif len(sys.argv) == 4 and sys.argv[1] == "report":
        report = make_report(sys.argv[2])
        with open(sys.argv[3], "w", encoding="ascii") as file:
            json.dump(report, file, indent=1)
            file.write("\n")
        for row in table(report):
            print(" | ".join(row))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
