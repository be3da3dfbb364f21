#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reports the results of placement.plan as a table and as JSON.

Usage: placement.py RUNS.sqlite OUTPUT.json
"""

import json
import statistics
import sys

from runs import figures

PLACES = (
    ("same-pcpu", "held on the same pCPU"),
    ("same-socket", "held on another core of the socket"),
    ("other-socket", "held on the other socket"),
    ("free", "anywhere, no daemon, from the other socket"),
    ("soft", "near by soft affinity, from the other socket"),
    ("nudge", "the same, after 0.5 s of hard affinity"),
    ("hard", "near by hard affinity"),
    ("weight50", "near by soft affinity with credit2_soft_weight=50"),
    ("daemon", "where the daemon placed it, from the other socket"),
)


def mean(numbers):
    return round(statistics.mean(numbers), 3)


def results(database):
    found = figures(database)
    for place, meaning in PLACES:
        def of(workload, name):
            return found[workload, place.replace("-", "_"), name]

        instructions = of("requests", "instructions")
        notified, cpus, sockets = (of("notifications", name) for name in (
            "notifications", "cross_pcpu", "cross_socket"))
        yield {
            "place": place, "meaning": meaning,
            "instructions_per_request": round(statistics.median(instructions)),
            "notifications_per_request": mean(notified),
            "cross_pcpu_per_request": mean(cpus),
            "cross_socket_per_request": mean(sockets),
            "rounds": {"instructions": [round(n) for n in instructions],
                       "cross_pcpu": [round(n, 3) for n in cpus],
                       "cross_socket": [round(n, 3) for n in sockets]},
            "requests_per_round": round(of("requests", "requests")[0]),
            "recorded_per_round": round(of("notifications", "recorded")[0]),
        }


def main():
    database, output = sys.argv[1:]
    found = list(results(database))
    with open(output, "w", encoding="ascii") as file:
        json.dump(found, file, indent=1)
        file.write("\n")
    base = found[0]["instructions_per_request"]
    print("%-12s %13s %8s %14s %11s %11s" % (
        "place", "instr./req.", "", "notif./req.", "to another", "to another"))
    print("%51s %11s %11s" % ("", "pCPU", "socket"))
    for one in found:
        print("%-12s %13d %+7.2f%% %14.2f %11.2f %11.2f" % (
            one["place"], one["instructions_per_request"],
            (one["instructions_per_request"] / base - 1) * 100,
            one["notifications_per_request"], one["cross_pcpu_per_request"],
            one["cross_socket_per_request"]))


main()
