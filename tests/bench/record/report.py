#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Make a table and a JSON file of what the program bench printed.

Usage: report.py ROUNDS JSON COMMAND COMPILER WHY-NO-LTTNG

A case's figures are those of whole iterations, the loop included; the goals
are about what a case takes beyond the empty loop ("net"), of the minima: on a
core that is shared a median has the other's work in it. "worthless" lists why
the figures say nothing, which is empty if the core was this program's.

Goals are ratios within one run, to a bare rdtsc or to a peer: cycles are no
constant, they were twice as many on one machine half an hour later, and the
ratios had stayed.
"""

import collections
import json
import os
import statistics
import sys

# The thesis' table 5.2: the same, in the words which it has for them.
THESIS = [("native", "empty"), ("disabled", "disabled"),
          ("0 entries", "entries0"), ("1 entry", "entries1"),
          ("4 entries", "entries4"), ("5 entries", "entries5_tsc")]


# A round is disturbed if the thread waited for more than this share of it.
WAITED = 0.05
# More disturbed rounds, stolen time, or distance of medians and minima, is too much.
DISTURBED_ROUNDS = 0.1
STOLEN = 0.02
SLOWER = 1.2


def read_rounds(path):
    """The cases, the scaling, and (waited, took) of each round and of all of it."""
    cases = collections.defaultdict(list)
    scaling = collections.defaultdict(list)
    rounds, stolen = [], (0, 1)
    with open(path, encoding="ascii") as file:
        for line in file:
            kind, name, number = line.split()
            if kind == "round":
                rounds.append((int(name), int(number)))
            elif kind == "steal":
                stolen = int(name), int(number)
            else:
                (cases if kind == "case" else scaling)[name].append(float(number))
    return cases, scaling, rounds, stolen


def worthless(rounds, stolen, cases):
    """Why the figures say nothing, in words."""
    disturbed = sum(waited > WAITED * took for waited, took in rounds)
    if disturbed > DISTURBED_ROUNDS * len(rounds):
        yield (f"another process was on the core in {disturbed} of {len(rounds)} "
               f"rounds")
    if stolen[0] > STOLEN * stolen[1]:
        yield (f"the hypervisor below kept the core from running for "
               f"{stolen[0] / stolen[1]:.0%} of the time")
    slower = statistics.median(statistics.median(c) / min(c) for c in cases.values())
    if slower > SLOWER:
        yield (f"half of the cases took {slower:.1f} times as long or more in their "
               f"median as in their minimum: the core's other hyperthread or another "
               f"machine was busy, or its speed changed")


def figures(cycles):
    return {"min": round(min(cycles), 2),
            "median": round(statistics.median(cycles), 2),
            "max": round(max(cycles), 2)}


def net_of(cases, which):
    """What each case takes beyond the empty loop."""
    return {name: f[which] - cases["empty"][which] for name, f in cases.items()}


def machine(compiler, core):
    """What the figures hold for."""
    info = {"cpu": "unknown", "virtual": False}
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        for line in file:
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                info["cpu"] = value.strip()
            elif key.strip() == "flags":
                info["virtual"] = "hypervisor" in value.split()
    info["cpus"] = os.cpu_count()
    info["compiler"] = compiler
    # One addition of a chain takes one cycle of the core.
    info["tsc_cycles_per_core_cycle"] = round(min(core), 3)
    return info


class Goals:
    def __init__(self, net):
        self.net = net
        self.list = []

    def add(self, goal, value, limit, met):
        self.list.append({"goal": goal, "value": round(value, 2),
                          "limit": round(limit, 2), "met": met})

    def at_most(self, goal, value, limit):
        self.add(goal, value, limit, value <= limit)

    def at_least(self, goal, value, limit):
        self.add(goal, value, limit, value >= limit)

    def part(self, goal, ours, limit):
        self.at_most(goal + ": x times a bare rdtsc",
                     self.net[ours] / self.net["rdtsc"], limit)

    def times(self, goal, peer, ours, limit):
        if peer in self.net:
            self.at_least(goal, self.net[peer] / self.net[ours], limit)


def goals(net, scaling):
    g = Goals(net)
    g.part("4 entries, no timestamp", "entries4", 0.6)
    g.part("5 entries with TSC", "entries5_tsc", 1.6)
    g.part("counting", "counting", 0.4)
    g.part("skipped by the threshold", "threshold_skip", 0.2)
    g.part("skipped, intra-domain", "domain_skip", 0.1)
    g.times("Xen's trace() takes, with time, x times as long",
            "xen_trace", "entries5_tsc", 4)
    g.times("Xen's trace() takes, without time, x times as long",
            "xen_trace_no_time", "entries4", 4)
    g.times("LTTng takes x times as long", "lttng_ust", "entries5_tsc", 6)
    alone = scaling["1"]["min"]
    for producers, cycles in scaling.items():
        if producers != "1":
            g.at_most(f"{producers} producers: x times as long as alone",
                      cycles["min"] / alone, 1.05)
    return g.list


def table(report, net):
    print(f"{'TSC cycles per event':28}{'min':>9}{'median':>9}{'max':>10}"
          f"{'net min':>9}{'net med.':>10}")
    for name, f in report["cases"].items():
        print(f"  {name:26}{f['min']:9.2f}{f['median']:9.2f}{f['max']:10.2f}"
              f"{net[name]:9.2f}{report['net_median'][name]:10.2f}")
    for producers, f in report["scaling"].items():
        print(f"  {producers + ' producer(s)':26}{f['min']:9.2f}"
              f"{f['median']:9.2f}{f['max']:10.2f}")
    for name, reason in report["absent"].items():
        print(f"  {name:26}not measured: {reason}")
    print("\nAs the thesis' table 5.2 (minimum, median)")
    for words, name in THESIS:
        print(f"  {words:26}{report['cases'][name]['min']:9.2f}"
              f"{report['cases'][name]['median']:9.2f}")
    print(f"\n{'Goal, by minima':56}{'value':>9}{'limit':>9}")
    for g in report["goals"]:
        verdict = "met" if g["met"] else "MISSED"
        print(f"  {g['goal']:54}{g['value']:9.2f}{g['limit']:9.2f}  "
              f"{'worth nothing' if report['worthless'] else verdict}")
    m = report["machine"]
    print(f"\n{m['cpu']}, {m['cpus']} CPUs"
          f"{', virtual machine' if m['virtual'] else ''}; {m['compiler']}")
    print(f"A cycle of the core takes {m['tsc_cycles_per_core_cycle']} cycles "
          "of the TSC.")
    for reason in report["worthless"]:
        print(f"! This run is worth nothing: {reason}.")


def main():
    if len(sys.argv) != 6:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    rounds, out, command, compiler, no_lttng = sys.argv[1:]
    cases, scaling, waits, stolen = read_rounds(rounds)
    reasons = list(worthless(waits, stolen, cases))
    core = cases.pop("core")

    report = {
        "unit": "cycles",
        "command": command,
        "machine": machine(compiler, core),
        "cases": {name: figures(c) for name, c in cases.items()},
        "absent": {},
        "scaling": {name: figures(c) for name, c in scaling.items()},
        "worthless": reasons,
    }
    if "lttng_ust" not in cases:
        report["absent"]["lttng_ust"] = no_lttng or "its event was never on"
    net = net_of(report["cases"], "min")
    report["net"] = {name: round(cycles, 2) for name, cycles in net.items()}
    report["net_median"] = {name: round(cycles, 2) for name, cycles in
                            net_of(report["cases"], "median").items()}
    report["goals"] = goals(net, report["scaling"])

    with open(out, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=2)
        file.write("\n")
    table(report, net)
    return 0


if __name__ == "__main__":
    sys.exit(main())
