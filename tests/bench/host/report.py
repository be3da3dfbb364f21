#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Makes host.json, a table and plots from the results of host.sh.

Usage: report.py FOLDER

host-native/BOOT/runs.sqlite and host-patched/BOOT/runs.sqlite there are the results of
host.plan.

The nth boot of one hypervisor is compared with the nth of the other.  A ratio
is the median of all boots, its interval from the smallest to the largest: with
five boots, this interval contains the true median in 15 of 16 cases.
"""

import collections
import json
import pathlib
import statistics
import subprocess
import sys

from runs import figures

CONFIGS = ["native", "patched", "disabled", "evtchn", "evtchn+ring3",
           "evtchn+ring1", "default", "all", "xentrace"]
WORKLOADS = ["postmark", "fio-rand4k-qd1", "fio-rand4k-qd32",
             "fio-seq64k-qd1", "fio-seq64k-qd32"]
BACKENDS = ["dom0", "driver"]

# Figure 5.7: throughput of Postmark, less than native.
THESIS = {"disabled": "-2.0 %", "evtchn": "-3.8 %", "evtchn+ring3": "-10.5 %",
          "evtchn+ring1": "-23.9 %"}

# The goals: the largest cost of a configuration.
GOALS = {"patched": lambda workload: 1.001,
         "disabled": lambda workload: 1.001,
         "evtchn": lambda workload: 1.005,
         "all": lambda workload: {"postmark": 1.02, "fio-rand4k-qd1": 1.05,
                                  "fio-rand4k-qd32": 1.05}.get(workload)}


def read(folder):
    """For each workload, back end and configuration: runs, by boot."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for path in sorted(pathlib.Path(folder).glob("host-*/*/runs.sqlite")):
        values = figures(path)
        for workload, config in {key[:2] for key in values}:
            backend, name = workload.replace("_", "-").split("-", 1)
            found[name, backend, config.replace("_", "+")][path.parent.name] = list(
                zip(*(map(int, values[workload, config, figure]) for figure in
                      ("operations", "instructions", "idle"))))
    return found


def per_op(turns):
    return sum(turn[1] for turn in turns) / sum(turn[0] for turn in turns)


def spread(turns):
    each = [turn[1] / turn[0] for turn in turns]
    return (max(each) - min(each)) / per_op(turns)


def entry(key, boots, native):
    turns = [turn for boot in boots.values() for turn in boot]
    ratios = [per_op(boot) / per_op(native[number])
              for number, boot in boots.items() if number in native]
    return {"workload": key[0], "backend": key[1], "config": key[2],
            "operations": turns[0][0],
            "instructions_per_op": round(per_op(turns), 1),
            "ratio_to_native": round(statistics.median(ratios), 6),
            "ratio_interval": [round(min(ratios), 6), round(max(ratios), 6)],
            "spread": round(max(spread(boot) for boot in boots.values()), 6),
            "runs": len(turns), "boots": len(ratios),
            "idle_ns": sum(turn[2] for turn in turns)}


def entries(measured):
    for key in [(w, b, c) for b in BACKENDS for w in WORKLOADS
                for c in CONFIGS]:
        if key in measured:
            yield entry(key, measured[key], measured[key[0], key[1], "native"])


def configs(found):
    """Those that were measured, in their order; the first is native."""
    return [c for c in CONFIGS if any(e["config"] == c for e in found)]


def rows(found):
    """For each back end and workload an entry, or None, per configuration."""
    cells = {(e["backend"], e["workload"], e["config"]): e for e in found}
    for backend in BACKENDS:
        for workload in WORKLOADS:
            line = [cells.get((backend, workload, c)) for c in configs(found)]
            if line[0]:
                yield backend, workload, line


def together(found, backend):
    """Ratios of all workloads in one, weighted by the operations done, so work
    that happens once per second has its correct weight."""
    sums = collections.Counter()
    for e in found:
        if e["backend"] == backend:
            sums[e["config"]] += e["operations"] * e["instructions_per_op"]
    return [sums[c] / sums["native"] for c in configs(found)[1:]]


def percent(ratio):
    return f"{(ratio - 1) * 100:+.2f} %"


def cell(e):
    """A figure, and its interval if there were several boots."""
    if not e:
        return ""
    if e.get("boots", 1) == 1:
        return percent(e["ratio_to_native"])
    low, high = e["ratio_interval"]
    return (f"{percent(e['ratio_to_native'])} ({(low - 1) * 100:+.2f} to "
            f"{(high - 1) * 100:+.2f})")


def table(found):
    yield ["back end", "workload", "native, per op."] + configs(found)[1:]
    for backend, workload, line in rows(found):
        yield ([backend, workload, f"{line[0]['instructions_per_op']:.0f}"] +
               [cell(e) for e in line[1:]])
        if workload == WORKLOADS[-1] and all(line):
            yield ([backend, "all five together", ""] +
                   [percent(ratio) for ratio in together(found, backend)])
    yield (["", "thesis: throughput", ""] +
           [THESIS.get(c, "") for c in configs(found)[1:]])


def print_table(lines):
    lines = list(lines)
    widths = [max(len(cell) for cell in column) for column in zip(*lines)]
    for i, line in enumerate(lines):
        cells = [cell.ljust(width) if j < 2 else cell.rjust(width)
                 for j, (cell, width) in enumerate(zip(line, widths))]
        print("| " + " | ".join(cells) + " |")
        if i == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")


def print_goals(found):
    for e in found:
        limit = GOALS.get(e["config"], lambda workload: None)(e["workload"])
        if limit and e["ratio_to_native"] > limit:
            print(f"goal missed: {e['workload']}, {e['backend']}, "
                  f"{e['config']}: {cell(e)}, wanted at most {percent(limit)}")


PLOT = """
set terminal {terminal}
set output '{output}'
set title 'Instructions of the whole host, more than native'
set ylabel 'percent (logarithmic)'
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.8 border -1
set logscale y
set yrange [0.01:100]
set format y '%g'
set xtics rotate by -20
set key outside top horizontal
set grid ytics
plot for [i=2:{last}] '{data}' using i:xtic(1) title columnheader(i)
"""


def plot(found, folder):
    """Draws bars; a value below 0.01 % has almost none."""
    data = f"{folder}/host.dat"
    with open(data, "w", encoding="ascii") as file:
        print("workload", *configs(found)[1:], file=file)
        for backend, workload, line in rows(found):
            print(f"{workload}/{backend}",
                  *[max((e["ratio_to_native"] - 1) * 100, 0.0101) if e else "-"
                    for e in line[1:]], file=file)
    for terminal, suffix in (("svg size 1000,500", "svg"),
                             ("pngcairo size 1000,500", "png")):
        subprocess.run(["gnuplot"], check=True, text=True, input=PLOT.format(
            terminal=terminal, output=f"{folder}/host.{suffix}", data=data,
            last=len(configs(found))))


def main():
    folder, = sys.argv[1:]
    found = list(entries(read(folder)))
    with open(f"{folder}/host.json", "w", encoding="ascii") as file:
        json.dump(found, file, indent=1)
        file.write("\n")
    print_table(table(found))
    print("Instructions of the whole host per operation; then how many more "
          "than native: the median of the boots, and from which to which.\n"
          "The largest spread of the runs of one figure in one boot: "
          f"{max(e['spread'] for e in found) * 100:.2f} %; idle: "
          f"{sum(e['idle_ns'] for e in found)} ns.")
    print_goals(found)
    plot(found, folder)
    print(f"Written: {folder}/host.json, host.svg, host.png")


if __name__ == "__main__":
    main()
