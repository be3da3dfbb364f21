#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes the plans that host-phases.sh measures, and reports what placement is worth.

Usage: phases.py cases
       phases.py cores CASE
       phases.py plan CASE REPETITIONS
       phases.py report FOLDER OUTPUT.json

FOLDER contains a database MACHINE-CASE-SEED.sqlite for each boot (phases-dom0.sh).  The
report compares the runs of each repetition, which had the same reads at the same times: placed
with credit2, which decided where the guests ran; placed with drawn, where they were bound to
drawn sockets; and advised with drawn: bound to the same sockets, with the daemon in mode
advise, which moves no guest.  For the ratios the report contains median, minimum, maximum, and
the 95 % bootstrap interval of the median.
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

# A letter for each guest: D reads from dom0, V from the driver domain, C computes, - does nothing.
# A socket has this number of cores.
Case = collections.namedtuple("Case", "words seconds rate settings phases cores",
                              defaults=[4])
CASES = {
    "both": Case("500 reads/s of each guest", 1, 500, SETTINGS, ["DVVDVDDV"]),
    "slow": Case("100 reads/s of each guest", 1, 100, SETTINGS, ["DVVDVDDV"]),
    "dom0": Case("500 reads/s of each guest, all from dom0", 1, 500, SETTINGS, ["DDDDDDDD"]),
    "alone": Case("500 reads/s of one guest, the others idle", 1, 500, SETTINGS,
                  ["D-------"]),
    "compute": Case("500 units/s of each guest, which only compute", 1, 500, SETTINGS,
                    ["CCCCCCCC"]),
    "crowd": Case("11 vCPUs on 4 pCPUs, six guests compute and two read", 1, 500, SETTINGS,
                  ["DVCCCCCC"], cores=2),
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


def print_with_daemon(name, affinities, options):
    print(f'configuration.{name}.prepare = [ "./phases-dom0.sh {affinities}", '
          f'"./phases-dom0.sh by_daemon {options}" ]')
    print(f'configuration.{name}.cleanup = "./phases-dom0.sh end_daemon"')


def case_of(name):
    return CASES["slow" if name == TRIAL else name]


def print_plan(name, repetitions):
    case = case_of(name)
    print(f"repetitions = {repetitions}")
    if name == TRIAL:
        print(f'workload.{name}.run = "./phases-dom0.sh trial {TRIAL_PAIRS} {case.rate} '
              f'{case.phases[0]}"')
    else:
        print(f'workload.{name}.run = "./phases-dom0.sh go {case.seconds} {case.rate} '
              f'{" ".join(case.phases)}"')
        print('configuration.credit2.prepare = "./phases-dom0.sh let_go"')
        print('configuration.drawn.prepare = "./phases-dom0.sh bind"')
        print_with_daemon("advised", "bind", f"--mode advise {case.settings}")
    print_with_daemon("placed", "let_go", f"--mode act {case.settings}")


def figures(path):
    """The output of runs, by configuration and repetition."""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    with contextlib.closing(sqlite3.connect(path)) as db:
        for configuration, repetition, name, value in db.execute(
                "SELECT configuration, repetition, name, value "
                "FROM value JOIN run ON run = id WHERE state = 'done'"):
            found[configuration][repetition][name] = value
    return found


def case_report(name, boots, base, compared):
    pairs = [(boot[base][repetition], run) for boot in boots
             for repetition, run in sorted(boot[compared].items())
             if repetition in boot[base]]
    if not pairs:
        return None
    found = {"case": name, "boots": len(boots), "pairs": len(pairs)}
    for configuration, nr in (base, 0), (compared, 1):
        found[configuration] = {key: spread([pair[nr][key] for pair in pairs])
                                for key in sorted(pairs[0][nr])}
    for key in FIGURES:
        found[f"{key}_to_{base}"] = ratio_report(
            [run[key] / other[key] for other, run in pairs])
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
    runs = {key: [figures(path) for path in paths] for key, paths in boots.items()
            if key[1] != TRIAL}

    def reports(base, compared="placed"):
        found = [(machine, case_report(name, runs[machine, name], base, compared))
                 for machine in machines for name in CASES if (machine, name) in runs]
        return [{"machine": machine} | case for machine, case in found if case]

    return {"cases": reports("credit2"), "drawn": reports("drawn"),
            "advised": reports("drawn", "advised"),
            "trials": [{"machine": machine} | trial for machine in machines
                       for path in boots[machine, TRIAL] for trial in trials(path)]}


def more(ratio):
    return in_brackets(ratio, lambda r: 100 * (r - 1), "{:+.1f} %")


def micro(figure):
    return in_brackets(figure, lambda ns: ns / 1000, "{:.1f}")


def load(one, cases):
    several = len({case["machine"] for case in cases}) > 1
    return (f"`{one['machine']}`: " if several else "") + CASES[one["case"]].words


def table(cases, base="credit2", compared="placed"):
    """Rows of docs/develop/results.md."""
    yield ["load", "pairs", "pCPU time per read, µs", compared, f"mean time, {compared}",
           "P99, µs", compared]
    for one in cases:
        yield [load(one, cases), str(one["pairs"]),
               micro(one[base]["time"]), more(one[f"time_to_{base}"]),
               more(one[f"mean_to_{base}"]),
               micro(one[base]["p99"]), more(one[f"p99_to_{base}"])]


def where(cases, base="credit2"):
    """Guests on the socket of their back end when a run ended, and the daemon's moves."""
    yield ["load", f"near, {base}", "near, placed", "moves in a run", "rolled back"]
    for one in cases:
        yield [load(one, cases)] + [in_brackets(figure, float, "{:.0f}") for figure in (
            one[base]["near"], one["placed"]["near"], one["placed"]["moves"],
            one["placed"]["rolled_back"])]


def main():
    if sys.argv[1:] == ["cases"]:
        print(" ".join(CASES), TRIAL)
    elif len(sys.argv) == 3 and sys.argv[1] == "cores":
        print(case_of(sys.argv[2]).cores)
    elif len(sys.argv) == 4 and sys.argv[1] == "plan":
        print_plan(sys.argv[2], int(sys.argv[3]))
    elif len(sys.argv) == 4 and sys.argv[1] == "report":
        report = make_report(sys.argv[2])
        with open(sys.argv[3], "w", encoding="ascii") as file:
            json.dump(report, file, indent=1)
            file.write("\n")
        for rows in (table(report["cases"]), where(report["cases"]),
                     table(report["drawn"], "drawn"), where(report["drawn"], "drawn"),
                     table(report["advised"], "drawn", "advised")):
            for row in rows:
                print(" | ".join(row))
            print()
        for trial in report["trials"]:
            print(f"{trial['machine']}: {trial['verdict']}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
