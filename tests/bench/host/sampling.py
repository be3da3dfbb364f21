#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reports the results of host-sampling.sh as a table and as JSON.

Usage: sampling.py RUNS-FOLDER OUTPUT.json WORKLOAD...

XENSCHED is the command that chooses and estimates. The estimate is of the guest's pCPU
for all intervals together: its modelled time, and the lines that were not in its L1 and
L2. The reference is the whole run for the same units of work.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "machine"))

import modelled  # pylint: disable=wrong-import-position

XENSCHED = os.environ.get("XENSCHED", "xensched")
PCPU = 1         # the guest's
REGIONS = 62     # programs/parts/work-count.h
SAMPLES, TRIALS = 20, 100

FURTHER = ("llc",) + modelled.MOVED + ("dram_local", "dram_remote")

FIGURES = {
    "modelled_ns": modelled.ns,
    "lines_beyond_l2": lambda _, counts: sum(counts[name] for name in FURTHER),
}


def units_of(path):
    """The machine; and what the guest's pCPU did, by entry: (region, counts)."""
    found = {}
    with open(path, encoding="ascii") as file:
        machine = json.loads(file.readline())
        for line in map(json.loads, file):
            if line["pcpu"] == PCPU:
                found[line["entry"]] = (line["region"], line)
    return machine, found


def figure_of(figure, machine, units, first, begun, count):
    """Instructions of "count" units, the first of which is the run's unit "begun"."""
    total = 0
    for n in range(count):
        region, counts = units[first + n]
        if region != 1 + (begun + n) % REGIONS:
            sys.exit(f"unit {begun + n} is marked as region {region}")
        total += FIGURES[figure](machine, counts)
    return total


def counts_of(folder):
    """By checkpoint, units of work and steps of a kind."""
    with open(folder / "taken" / "counts", encoding="ascii") as file:
        return [list(map(int, line.split())) for line in file]


def begun_of(folder):
    return [units for units, _ in counts_of(folder)]


def sizes_of(folder, numbers):
    """By sample, units of work and steps of a kind."""
    counts = counts_of(folder)
    return {number: [b - a for a, b in zip(counts[number - 1], counts[number])]
            for number in numbers}


def orders(folder):
    """(sample, where its interval begins in the file, units of it)"""
    path = folder / "restored" / "order"
    for line in path.read_text(encoding="ascii").splitlines():
        sample, warm, units, _, entry = map(int, line.split())
        yield sample, entry + warm, units


def truth(folder, figure, last):
    begun = begun_of(folder)
    machine, units = units_of(folder / "whole" / "machine.jsonl")
    return figure_of(figure, machine, units, begun[0], begun[0],
                     begun[last] - begun[0])


def measured(folder, figure):
    """The time of each sample's interval alone."""
    begun = begun_of(folder)
    machine, units = units_of(folder / "restored" / "machine.jsonl")
    return {sample: figure_of(figure, machine, units, first, begun[sample - 1],
                              count)
            for sample, first, count in orders(folder)}


def xensched(*words):
    return json.loads(subprocess.run([XENSCHED, "sample", *words, "--json"],
                                     check=True, capture_output=True).stdout)


def write_values(path, values):
    with open(path, "w", encoding="ascii") as file:
        file.writelines(" ".join(map(str, [number, *of])) + "\n"
                        for number, of in values.items())


def trial(folder, values, seed):
    """Like an operator: choose samples, measure them, estimate."""
    chosen = xensched("choose", folder, "--top", str(SAMPLES), "--seed",
                      str(seed))
    numbers = [one["number"] for one in chosen["chosen"]]
    write_values(folder + "/measured", {n: [values[n]] for n in numbers})
    found = xensched("estimate", folder)
    return {key: found[key] * len(values) for key in ("mean", "low", "high")}


def trials_of(folder, values, sizes, whole):
    """With the sizes of all intervals, or without any."""
    with tempfile.TemporaryDirectory() as scratch:
        for number in values:
            shutil.copy(folder / f"taken/samples/{number:04}.json", scratch)
        if sizes:
            write_values(scratch + "/sizes", sizes)
        found = [trial(scratch, values, seed) for seed in range(1, TRIALS + 1)]
    errors = [one["mean"] / whole - 1 for one in found]
    return {"mean_error": sum(map(abs, errors)) / TRIALS,
            "half_interval": modelled.median(
                [(one["high"] - one["low"]) / 2 / whole for one in found]),
            "within_3_percent": sum(abs(error) < 0.03 for error in errors),
            "has_truth": sum(one["low"] <= whole <= one["high"] for one in found),
            "errors": [round(error, 4) for error in errors]}


def of_figure(folder, figure):
    values = measured(folder, figure)
    sizes = sizes_of(folder, values)
    whole = truth(folder, figure, len(values))
    return {"figure": figure, "truth": whole,
            "all_intervals_error": sum(values.values()) / whole - 1,
            "sizes": sizes, "values": values,
            "by_size": trials_of(folder, values, sizes, whole),
            "plain": trials_of(folder, values, None, whole)}


def of_workload(folder):
    figures = [of_figure(folder, figure) for figure in FIGURES]
    return {"workload": folder.name, "samples": SAMPLES,
            "intervals": len(figures[0]["values"]), "figures": figures}


HEADS = ("work", "figure", "estimate", "intervals", "all of them", "mean error",
         "interval", "in 3 %", "has truth")


def lines(workloads):
    yield HEADS
    for one in workloads:
        for figure in one["figures"]:
            for how in ("by_size", "plain"):
                found = figure[how]
                yield (one["workload"], figure["figure"], how,
                       str(one["intervals"]),
                       f"{100 * figure['all_intervals_error']:+.2f} %",
                       f"{100 * found['mean_error']:.2f} %",
                       f"+-{100 * found['half_interval']:.2f} %",
                       f"{found['within_3_percent']} of {TRIALS}",
                       f"{found['has_truth']} of {TRIALS}")


def report(runs, output, workloads):
    found = [of_workload(runs / workload) for workload in workloads]
    for line in lines(found):
        print("%-10s %-18s %-9s %9s %12s %11s %10s %9s %10s" % line)
    with open(output, "w", encoding="ascii") as file:
        json.dump({"machine": runs.name, "trials": TRIALS,
                   "workloads": found}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    report(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
