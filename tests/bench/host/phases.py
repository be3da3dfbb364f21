#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What host-phases.sh is to do, and what it measured, as a table and as JSON.

Usage: phases.py plan AMOUNT SEED
       phases.py report RESULTS-FOLDER OUTPUT.json

"plan" prints shell variables for phases-dom0.sh. RESULTS-FOLDER has, besides
that and what dom0 wrote, the rows of each recording as JSON lines.

A notification is one row of evtchn-send between two domains, each of which has
one vCPU. Where it was sent is the pCPU of the row. Where it arrives is where the
other one's vCPU ran next: the pCPU of the first service-ns row about it that is
not earlier (these rows are written when a vCPU leaves its pCPU, and at each
tick).
"""

import bisect
import collections
import datetime
import itertools
import json
import random
import sys

from rows import accounting_domains, events_of

CORES = 4  # of each socket
CPUS = ("0-3", "4-7")
BACKENDS = {"D": 0, "V": 1}  # which socket

# A letter for each guest, see tests/host/dom0/usr/lib/box/phases.sh.
PHASES = "DDDVVVCC CVDDVDVC pDDpqqCC VDVVDVDC".split()
GUESTS = ["g%d" % (i + 1) for i in range(len(PHASES[0]))]

PLACEMENTS = (
    ("credit2", "anywhere, by Xen's scheduler"),
    ("static", "the best sockets by hand, for all phases"),
    ("random", "sockets by lot"),
    ("xenschedd", "by xenschedd --mode act"),
    ("xenschedd_soft", "the same, by soft affinity and credit2_soft_weight=0"),
    ("xenschedd_hard", "the same, by hard affinity"),
)
BY_DAEMON = "xenschedd"     # so their names begin


def crossing(sockets, phase):
    """How many pairs of who talks to whom are apart."""
    apart = 0
    for letter in set(phase):
        who = [i for i, mine in enumerate(phase) if mine == letter]
        if letter in BACKENDS:
            apart += sum(sockets[i] != BACKENDS[letter] for i in who)
        elif letter in "pqrs":
            apart += sockets[who[0]] != sockets[who[1]]
    return apart


def best_sockets():
    """For all phases; of equally good ones the most even."""
    return min(itertools.product((0, 1), repeat=len(GUESTS)),
               key=lambda s: (sum(crossing(s, p) for p in PHASES),
                              abs(2 * sum(s) - len(s)), s))


def print_plan(amount, seed):
    lot = random.Random(seed)
    drawn = [lot.randrange(2) for _ in GUESTS]
    print("phases='%s'" % " ".join(PHASES))
    print("placements='%s'" % " ".join(name for name, _ in PLACEMENTS))
    print("amount=%d\npart=%d\nseed=%d" % (amount, amount // 4, seed))
    for name, sockets in ("static", best_sockets()), ("random", drawn):
        print("%s='%s'" % (name, " ".join(
            "%s=%s" % (guest, CPUS[s]) for guest, s in zip(GUESTS, sockets))))


def read_plan(folder):
    with open(folder + "/plan", encoding="ascii") as file:
        lines = [line.rstrip().split("=", 1) for line in file]
    return {name: value.strip("'") for name, value in lines}


def read_ticks(folder, placement):
    """(phase, when it began in ms, instructions) of each phase."""
    with open(folder + "/ticks", encoding="ascii") as file:
        lines = [line.split() for line in file]
    return [(phase, int(began), int(ticks))
            for name, phase, began, ticks in lines if name == placement]


def read_moves(name):
    """(ms, guest, to where)"""
    moves = []
    with open(name, encoding="utf-8") as file:
        for entry in map(json.loads, file):
            if entry["what"] == "move":
                when = datetime.datetime.fromisoformat(
                    entry["time"].replace("Z", "+00:00"))
                moves.append((when.timestamp() * 1000, entry["name"]))
    return moves


def delays(phases, moves):
    """Of each move, ms since the beginning of the phase in which it was."""
    begun = [began for _, began, _ in phases]
    return [round(ms - begun[bisect.bisect_right(begun, ms) - 1])
            for ms, _ in moves]


def changes():
    """The fewest moves after which everybody is beside whom he talks to, phase
    by phase; of a pair that is apart one is moved, the first here."""
    place, count = {}, 0
    for phase in PHASES:
        for guest, letter in zip(GUESTS, phase):
            want = BACKENDS.get(letter)
            if letter in "pqrs":
                want = place.get(GUESTS[phase.rindex(letter)])
            if want is not None:
                count += place.get(guest) != want
                place[guest] = want
    return count


def stays_of(rows, domains):
    """By accounting domain: times, and pCPUs, at which it left a pCPU."""
    stays = collections.defaultdict(lambda: ([], []))
    for row in rows:
        if row["event"] == "service-ns" and row["current"] in domains:
            times, cpus = stays[row["current"]]
            times.append(row["time_s"])
            cpus.append(row["cpu"])
    return stays


def notifications(rows, domains, stays):
    """All between two domains, those to another pCPU, to another socket."""
    sent = cpus = sockets = 0
    for row in rows:
        if row["event"] != "evtchn-send" or \
                not {row["current"], row["correspondent"]} <= domains or \
                row["current"] == row["correspondent"]:
            continue
        times, places = stays[row["correspondent"]]
        i = bisect.bisect_left(times, row["time_s"])
        sent += 1
        if i < len(times):
            cpus += places[i] != row["cpu"]
            sockets += places[i] // CORES != row["cpu"] // CORES
    return sent, cpus, sockets


def migrations(stays):
    """How often a vCPU ran on another socket than before."""
    return sum(a // CORES != b // CORES for _, cpus in stays.values()
               for a, b in zip(cpus, cpus[1:]))


def result(folder, placement, meaning, plan):
    phases = read_ticks(folder, placement)
    rows = events_of(folder, placement)
    domains = set(accounting_domains(folder, placement).values())
    stays = stays_of(rows, domains)
    sent, cpus, sockets = notifications(rows, domains, stays)
    moves = read_moves("%s/%s.journal" % (folder, placement)) \
        if placement.startswith(BY_DAEMON) else []
    return {
        "placement": placement, "meaning": meaning,
        "pinned": plan.get(placement, ""),
        "instructions": sum(ticks for _, _, ticks in phases),
        "phases": [{"phase": phase, "instructions": ticks}
                   for phase, _, ticks in phases],
        "notifications_recorded": sent,
        "to_another_pcpu": round(cpus / sent, 4),
        "to_another_socket": round(sockets / sent, 4),
        "vcpus_changed_socket": migrations(stays),
        "moves": len(moves), "move_delays_ms": delays(phases, moves),
        "changes": changes(),
    }


def work(amount):
    letters = "".join(PHASES)
    return {
        "requests": amount * sum(letters.count(b) for b in BACKENDS),
        "round_trips": amount * sum(letters.count(p) for p in "pqrs") // 2,
        "loops": amount // 4 * letters.count("C"),
    }


def compare(found):
    """Adds what each is against the best by hand."""
    by_hand = next(one for one in found if one["placement"] == "static")
    for one in found:
        one["work_per_instruction_to_static"] = round(
            by_hand["instructions"] / one["instructions"], 4)
        for mine, theirs in zip(one["phases"], by_hand["phases"]):
            mine["work_per_instruction_to_static"] = round(
                theirs["instructions"] / mine["instructions"], 4)


def print_table(found, done):
    print("the same work under each: %(requests)d requests, %(round_trips)d "
          "round trips, %(loops)d loops" % done)
    print("%-14s %14s %15s %11s %11s %9s %6s" % (
        "placement", "instructions", "work per instr.", "to another",
        "to another", "changed", "moves"))
    print("%-14s %14s %15s %11s %11s %9s" % (
        "", "(millions)", "to by hand", "pCPU", "socket", "socket"))
    for one in found:
        print("%-14s %14.0f %+14.2f%% %10.1f%% %10.1f%% %9d %6d" % (
            one["placement"], one["instructions"] / 1e6,
            (one["work_per_instruction_to_static"] - 1) * 100,
            one["to_another_pcpu"] * 100, one["to_another_socket"] * 100,
            one["vcpus_changed_socket"], one["moves"]))
    print("\nwork per instruction to by hand, by phase")
    for i, phase in enumerate(PHASES):
        print("%-10s" % phase + "".join("  %s %+.2f%%" % (
            one["placement"],
            (one["phases"][i]["work_per_instruction_to_static"] - 1) * 100)
            for one in found))
    for one in found:
        if one["placement"].startswith(BY_DAEMON):
            print("\n%s: %d moves for %d changes, ms after the change: %s" % (
                one["placement"], one["moves"], one["changes"],
                " ".join(map(str, one["move_delays_ms"]))))


def report(folder, output):
    plan = read_plan(folder)
    found = [result(folder, placement, meaning, plan)
             for placement, meaning in PLACEMENTS]
    done = work(int(plan["amount"]))
    compare(found)
    with open(output, "w", encoding="ascii") as file:
        json.dump({"work": done, "seed": int(plan["seed"]),
                   "placements": found}, file, indent=1)
        file.write("\n")
    print_table(found, done)


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "plan":
        print_plan(int(sys.argv[2]), int(sys.argv[3]))
    elif len(sys.argv) == 4 and sys.argv[1] == "report":
        report(*sys.argv[2:])
    else:
        sys.exit(__doc__)
