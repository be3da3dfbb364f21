#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What placement-dom0.sh measured, as a table and as JSON.

Usage: placement.py RESULTS-FOLDER OUTPUT.json

RESULTS-FOLDER has, besides what dom0 wrote, the rows of each recording as
JSON lines (PLACE-ROUND.jsonl).

A notification is one row of evtchn-send between the guest and Domain-0, which
have one vCPU each. Where it was sent is the pCPU of the row. Where it arrives
is where the other one's vCPU ran next: the pCPU of the first service-ns row
about it that is not earlier (these rows are written when a vCPU leaves its
pCPU, and at each tick).
"""

import bisect
import json
import pathlib
import statistics
import sys

from rows import accounting_domains, events_of

CORES = 2  # of each socket

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


def ran_next(stays, times, acct, at):
    """The pCPU on which @acct was first at @at or later; None: unknown."""
    i = bisect.bisect_left(times[acct], at)
    return stays[acct][i]["cpu"] if i < len(stays[acct]) else None


def notifications(folder, name, pair):
    """Between the two: all, those to another pCPU, those to another socket."""
    rows = events_of(folder, name)
    stays = {acct: [row for row in rows if row["event"] == "service-ns" and
                    row["current"] == acct] for acct in pair}
    times = {acct: [row["time_s"] for row in stays[acct]] for acct in pair}
    sent = cpus = sockets = 0
    for row in rows:
        if row["event"] != "evtchn-send" or \
                {row["current"], row["correspondent"]} != pair:
            continue
        to = ran_next(stays, times, row["correspondent"], row["time_s"])
        sent += 1
        if to is not None:
            cpus += to != row["cpu"]
            sockets += to // CORES != row["cpu"] // CORES
    return sent, cpus, sockets


def instructions(folder, few, many):
    """By place, of one request, in each round."""
    found = {}
    with open(folder + "/ticks", encoding="ascii") as file:
        for line in file:
            place, one, other = line.split()
            found.setdefault(place, []).append(
                (int(other) - int(one)) / (many - few))
    return found


def mean(numbers):
    return round(statistics.mean(numbers), 3)


def results(folder):
    with open(folder + "/requests", encoding="ascii") as file:
        few, many, recorded = map(int, file.read().split())
    rounds = instructions(folder, few, many)
    for place, meaning in PLACES:
        domains = accounting_domains(folder, place)
        pair = {domains["Domain-0"], domains["front"]}
        found = [notifications(folder, path.stem, pair) for path in
                 sorted(pathlib.Path(folder).glob(place + "-[0-9].jsonl"))]
        sent, cpus, sockets = ([n / recorded for n in column]
                               for column in zip(*found))
        yield {
            "place": place, "meaning": meaning,
            "instructions_per_request": round(statistics.median(
                rounds[place])),
            "notifications_per_request": mean(sent),
            "cross_pcpu_per_request": mean(cpus),
            "cross_socket_per_request": mean(sockets),
            "rounds": {"instructions": [round(n) for n in rounds[place]],
                       "cross_pcpu": [round(n, 3) for n in cpus],
                       "cross_socket": [round(n, 3) for n in sockets]},
            "requests_per_round": many - few, "recorded_per_round": recorded,
        }


def main():
    folder, output = sys.argv[1:]
    found = list(results(folder))
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
