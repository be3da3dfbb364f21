#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes the plans that host-phases.sh measures, and reports what placement is worth.

Usage: phases.py cases
       phases.py plan CASE REPETITIONS
       phases.py report FOLDER OUTPUT.json

FOLDER has a database MACHINE-CASE-SEED.sqlite for each boot (phases-dom0.sh).  The placed
run is compared with that of credit2 in the same repetition, which had the same reads at
the same times and began on the same sockets.  The report has the median of these ratios,
the least and the most, and an interval of the median (bootstrap, 95 %).
"""

import collections
import contextlib
import json
import pathlib
import sqlite3
import sys

from paired import in_brackets, ratio_report, spread

# The daemon's settings: it knows the guests already, and may move all of them at once.
SETTINGS = "--settle 0 --max-moves 100"
# For load that changes within seconds.
EAGER = SETTINGS + " --half-life 300 --period 300 --stay 1000"

# A letter for each guest: D reads from dom0, V from the driver domain, - does nothing.
Case = collections.namedtuple("Case", "words seconds rate settings phases")
CASES = {
    "both": Case("500 reads/s of each guest", 1, 500, SETTINGS, ["DVVDVDDV"]),
    "slow": Case("100 reads/s of each guest", 1, 100, SETTINGS, ["DVVDVDDV"]),
    "dom0": Case("500 reads/s of each guest, all from dom0", 1, 500, SETTINGS, ["DDDDDDDD"]),
    "alone": Case("500 reads/s of one guest, the others idle", 1, 500, SETTINGS,
                  ["D-------"]),
    "change10": Case("125 reads/s, other back ends every 10 s", 10, 125, EAGER,
                     ["DDVVDVDV", "DVDVVVDD"]),
    "change3": Case("250 reads/s, other back ends every 3 s", 3, 250, EAGER,
                    ["DDVVDVDV", "DVDVVVDD", "VDDDVDVV", "VVDDDVVD"]),
    "change1": Case("500 reads/s, other back ends every second", 1, 500, EAGER,
                    ["DDVVDVDV", "DVDVVVDD", "VDDDVDVV", "VVDDDVVD"]),
}
# The load of "slow", judged by "xensched trial" on the host: pairs of blocks.
TRIAL, TRIAL_PAIRS = "trial", 8
FIGURES = ("time", "mean", "p50", "p99")


def print_plan(name, repetitions):
    case = CASES["slow" if name == TRIAL else name]
    print(f"repetitions = {repetitions}")
    if name == TRIAL:
        print(f'workload.{name}.run = "./phases-dom0.sh trial {TRIAL_PAIRS} {case.rate} '
              f'{case.phases[0]}"')
    else:
        print(f'workload.{name}.run = "./phases-dom0.sh go {case.seconds} {case.rate} '
              f'{" ".join(case.phases)}"')
        print('configuration.credit2.prepare = "./phases-dom0.sh scatter"')
    print('configuration.placed.prepare = [ "./phases-dom0.sh scatter", '
          f'"./phases-dom0.sh by_daemon {case.settings}" ]')
    print('configuration.placed.cleanup = "./phases-dom0.sh end_daemon"')


def figures(path):
    """The output of runs, by configuration and repetition."""
    found = {"credit2": {}, "placed": {}}
    with contextlib.closing(sqlite3.connect(path)) as db:
        for configuration, repetition, name, value in db.execute(
                "SELECT configuration, repetition, name, value "
                "FROM value JOIN run ON run = id WHERE state = 'done'"):
            found[configuration].setdefault(repetition, {})[name] = value
    return found


def case_report(name, boots):
    pairs = [(boot["credit2"][repetition], placed) for boot in boots
             for repetition, placed in sorted(boot["placed"].items())
             if repetition in boot["credit2"]]
    found = {"case": name, "boots": len(boots), "pairs": len(pairs)}
    for configuration, nr in ("credit2", 0), ("placed", 1):
        found[configuration] = {key: spread([pair[nr][key] for pair in pairs])
                                for key in sorted(pairs[0][nr])}
    for key in FIGURES:
        found[key + "_to_credit2"] = ratio_report(
            [placed[key] / credit2[key] for credit2, placed in pairs])
    return found


def trials(path):
    """What "xensched trial" found."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        for output, in db.execute("SELECT output FROM run WHERE state = 'done'"):
            yield json.loads(next(line for line in output.splitlines()
                                  if line.startswith("{")))


def make_report(folder):
    boots = collections.defaultdict(list)
    for path in sorted(pathlib.Path(folder).glob("*-*-*.sqlite")):
        machine, case, _ = path.name.split("-")
        boots[machine, case].append(path)
    machines = sorted({key[0] for key in boots}, reverse=True)
    return {"cases": [{"machine": machine} |
                      case_report(name, [figures(path) for path in boots[machine, name]])
                      for machine in machines for name in CASES if boots[machine, name]],
            "trials": [{"machine": machine} | trial for machine in machines
                       for path in boots[machine, TRIAL] for trial in trials(path)]}


def more(ratio):
    return in_brackets(ratio, lambda r: 100 * (r - 1), "{:+.1f} %")


def micro(figure):
    return in_brackets(figure, lambda ns: ns / 1000, "{:.1f}")


def load(one, report):
    several = len({case["machine"] for case in report["cases"]}) > 1
    return (f"`{one['machine']}`: " if several else "") + CASES[one["case"]].words


def table(report):
    """Rows of docs/develop/results.md."""
    yield ["load", "pairs", "pCPU time per read, µs", "placed", "mean time, placed",
           "P99, µs", "placed"]
    for one in report["cases"]:
        credit2 = one["credit2"]
        yield [load(one, report), str(one["pairs"]),
               micro(credit2["time"]), more(one["time_to_credit2"]),
               more(one["mean_to_credit2"]),
               micro(credit2["p99"]), more(one["p99_to_credit2"])]


def where(report):
    """Guests on the socket of their back end when a run ended, and the daemon's moves."""
    yield ["load", "near, credit2", "near, placed", "moves in a run", "rolled back"]
    for one in report["cases"]:
        yield [load(one, report)] + [in_brackets(figure, float, "{:.0f}") for figure in (
            one["credit2"]["near"], one["placed"]["near"], one["placed"]["moves"],
            one["placed"]["rolled_back"])]


def main():
    if sys.argv[1:] == ["cases"]:
        print(" ".join(CASES), TRIAL)
    elif len(sys.argv) == 4 and sys.argv[1] == "plan":
        print_plan(sys.argv[2], int(sys.argv[3]))
    elif len(sys.argv) == 4 and sys.argv[1] == "report":
        report = make_report(sys.argv[2])
        with open(sys.argv[3], "w", encoding="ascii") as file:
            json.dump(report, file, indent=1)
            file.write("\n")
        for rows in table(report), where(report):
            for row in rows:
                print(" | ".join(row))
            print()
        for trial in report["trials"]:
            print(f"{trial['machine']}: {trial['verdict']}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
