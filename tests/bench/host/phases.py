#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes the plan of host-phases.sh, and reports its results as a table and as JSON.

Usage: phases.py plan LENGTH SEED PHASES
       phases.py report RUNS-FOLDER OUTPUT.json

"plan" prints the lines that a seed adds to phases.plan. RUNS-FOLDER has a folder LENGTH-SEED for
each plan that is complete.

The modelled time of a phase is its instructions x the mean time of an instruction in
its samples. The gain of a placement is how much more work it does per
modelled time than credit2 does in the mean of its runs of the same seed, all
phases together; over the seeds, the median, the least and the most. With five
seeds the true median is between least and most with 94 % probability. The
figures of credit2 compare each of its runs with the mean of the others: chance.
"""

import bisect
import collections
import datetime
import itertools
import json
import pathlib
import random
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "machine"))

import modelled  # pylint: disable=wrong-import-position
from runs import figures  # pylint: disable=wrong-import-position

CPUS = ("0-3", "4-7")
BACKENDS = {"D": 0, "V": 1}  # which socket
REQUESTS_PER_S = 2700        # of each guest, that make a phase of a second
SAMPLES = 6                  # of a phase
SAMPLED_US = 45000           # of each, warming included

# A letter for each guest, see tests/host/dom0/usr/lib/box/phases.sh. These are seed 1's;
# those of other seeds are random.
PHASES = "DDDVVVCC CVDDVDVC pDDpqqCC VDVVDVDC".split()
GUESTS = ["g%d" % (i + 1) for i in range(len(PHASES[0]))]

BASE = "credit2"
BASE_RUNS = ("credit2", "credit2_again", "credit2_third")
PLACEMENTS = (
    (BASE, "anywhere, by Xen's scheduler"),
    ("static", "pinned to the sockets that are best for all phases together"),
    ("random", "pinned to sockets by lot"),
    ("memory", "soft affinity to the node of their memory, as xl chose it"),
    ("driver", "xenschedd, driver-affinity and working-set"),
    ("observe", "anywhere, while xenschedd logs and plans, and moves no guest"),
    ("placement", "xenschedd, placement"),
)
BY_DAEMON = ("driver", "observe", "placement")

VARIED = ((1, 1), (0.5, 1), (2, 1), (1, 4), (0.5, 4), (2, 4))


# --- the plan ---

def drawn_phase(lot):
    """Up to two pairs, one or two guests that compute, half and half of the others."""
    pairs = lot.choice((0, 0, 1, 2))
    computing = lot.choice((1, 2))
    readers = len(GUESTS) - 2 * pairs - computing
    from_dom0 = readers // 2 + (readers % 2) * lot.randrange(2)
    letters = list("ppqq"[:2 * pairs] + "C" * computing + "D" * from_dom0 +
                   "V" * (readers - from_dom0))
    lot.shuffle(letters)
    return "".join(letters)


def phases_of(lot, seed, number):
    if seed == 1 and number <= len(PHASES):
        return PHASES[:number]
    return [drawn_phase(lot) for _ in range(number)]


def crossing(sockets, phase):
    """How many pairs of guests that communicate are apart."""
    apart = 0
    for letter in set(phase):
        guests = [i for i, mine in enumerate(phase) if mine == letter]
        if letter in BACKENDS:
            apart += sum(sockets[i] != BACKENDS[letter] for i in guests)
        elif letter in "pqrs":
            apart += sockets[guests[0]] != sockets[guests[1]]
    return apart


def best_sockets(phases):
    """For all of them; of equally good ones the most even."""
    return min(itertools.product((0, 1), repeat=len(GUESTS)),
               key=lambda s: (sum(crossing(s, p) for p in phases),
                              abs(2 * sum(s) - len(s)), s))


def print_plan(length, seed, number):
    lot = random.Random(seed)
    drawn = [lot.randrange(2) for _ in GUESTS]
    phases = phases_of(lot, seed, number)
    pause = max(10000, 1e6 * length / SAMPLES - SAMPLED_US)
    print('workload.phases.run = "./phases-dom0.sh go_through %d %d %s"' % (
        REQUESTS_PER_S * length, pause, " ".join(phases)))
    for name, sockets in ("static", best_sockets(phases)), ("random", drawn):
        print("configuration.%s.place = [ %s ]" % (name, ", ".join(
            '"%s=%s"' % (guest, CPUS[s]) for guest, s in zip(GUESTS, sockets))))


# --- one run ---

Phase = collections.namedtuple("Phase", "word region began ticks")


def read_phases(folder):
    """By placement, its phases in their order; the output of phases-dom0.sh."""
    found = collections.defaultdict(dict)
    for (_, placement, figure), (value,) in figures(
            folder / "runs.sqlite").items():
        number, word, what = figure.split(".")
        found[placement].setdefault((int(number), word), {})[what] = int(value)
    return {name: [Phase(word, **phases[number, word])
                   for number, word in sorted(phases)]
            for name, phases in found.items()}


def read_journal(path):
    """When guests were moved (ms), and the number of moves that were undone."""
    moves, regrets = [], 0
    with open(path, encoding="utf-8") as file:
        for entry in map(json.loads, file):
            regrets += entry["what"] in ("worse", "regret")
            if entry["what"] == "move":
                when = datetime.datetime.fromisoformat(
                    entry["time"].replace("Z", "+00:00"))
                moves.append(when.timestamp() * 1000)
    return moves, regrets


def delays(phases, moves):
    """For each move, ms since the beginning of its phase."""
    begun = [phase.began for phase in phases]
    return [round(ms - begun[max(0, bisect.bisect_right(begun, ms) - 1)])
            for ms in moves]


def sampled(regions, number):
    """The counts of all samples of a phase, added up; how many they are."""
    samples = [modelled.total(entry) for entry in regions[number]]
    return {name: sum(one[name] for one in samples)
            for name in samples[0]}, len(samples)


def scaled(counts, ticks):
    return {name: value * ticks / counts["instructions"]
            for name, value in counts.items()}


def placed(folder, machine, regions, name, phases):
    """What all phases took under one placement."""
    each, all_counts, samples = [], {}, 0
    for phase in phases:
        counts, number = sampled(regions, phase.region)
        whole = scaled(counts, phase.ticks)
        samples += number
        for key, value in whole.items():
            all_counts[key] = all_counts.get(key, 0) + value
        each.append({"phase": phase.word, "instructions": phase.ticks,
                     "modelled_ns": round(modelled.ns(machine, whole))})
    one = {"placement": name, "samples": samples,
           "instructions": sum(phase.ticks for phase in phases),
           "phases": each,
           "lines_from_other_socket": round(all_counts["other_socket"]),
           "lines_from_remote_memory": round(all_counts["dram_remote"]),
           "modelled_ns": {"%g/%d" % varied: round(modelled.ns(
               machine, all_counts, *varied)) for varied in VARIED}}
    if name in BY_DAEMON:
        moves, regrets = read_journal(folder / (name + ".journal"))
        one.update(moves=len(moves), regrets=regrets,
                   move_delays_ms=delays(phases, moves))
    return one


def run(folder):
    length, seed = map(int, folder.name.split("-"))
    machine, regions = modelled.read(folder / "machine.jsonl")
    phases = read_phases(folder)
    names = BASE_RUNS + tuple(name for name, _ in PLACEMENTS if name != BASE)
    found = [placed(folder, machine, regions, name, phases[name])
             for name in names if name in phases]
    return {"length_s": length, "seed": seed, "placements": found}


# --- all runs ---

def spread(numbers):
    return {"median": round(statistics.median(numbers), 4),
            "min": round(min(numbers), 4), "max": round(max(numbers), 4)}


def against(mine, bases):
    """A run's figures, as ratios to the mean of those of BASES."""
    def ratio(figure):
        return figure(mine) / statistics.mean(figure(one) for one in bases)

    def time_of_phase(i):
        return lambda one: one["phases"][i]["modelled_ns"]

    def time_varied(name):
        return lambda one: one["modelled_ns"][name]

    return {
        "varied": {name: 1 / ratio(time_varied(name))
                   for name in ("%g/%d" % v for v in VARIED)},
        "worst_phase": min(1 / ratio(time_of_phase(i))
                           for i in range(len(mine["phases"]))),
        "instructions": ratio(lambda one: one["instructions"]),
        "lines": ratio(lambda one: one["lines_from_other_socket"]),
    }


def compared(one, name):
    """For one seed: a placement with credit2, or each run of credit2 with the others."""
    bases = [e for e in one["placements"] if e["placement"] in BASE_RUNS]
    if name != BASE:
        return [against(e, bases) for e in one["placements"]
                if e["placement"] == name]
    return [against(e, [other for other in bases if other is not e])
            for e in bases] if len(bases) > 1 else []


def summary(runs, name):
    """The comparison over all seeds of one length."""
    by_seed = {one["seed"]: compared(one, name) for one in runs}
    ratios = [ratio for each in by_seed.values() for ratio in each]
    if not ratios:
        return None
    varied = {key: spread([r["varied"][key] for r in ratios])
              for key in ratios[0]["varied"]}
    found = {
        "placement": name,
        "seeds": [seed for seed, each in by_seed.items() if each],
        "work_per_time_to_credit2": varied["1/1"],
        "worst_phase": round(min(r["worst_phase"] for r in ratios), 4),
        "instructions_to_credit2": spread([r["instructions"] for r in ratios]),
        "lines_from_other_socket_to_credit2":
            spread([r["lines"] for r in ratios]),
        "varied": varied,
    }
    if name in BY_DAEMON:
        mine = [e for one in runs for e in one["placements"]
                if e["placement"] == name]
        found["moves"] = [e["moves"] for e in mine]
        found["regrets"] = [e["regrets"] for e in mine]
    return found


def percent(ratio):
    return "%+.1f %%" % ((ratio - 1) * 100)


def interval(figure):
    return "%s (%s to %s)" % tuple(percent(figure[key]) for key in
                                   ("median", "min", "max"))


def print_table(length, seeds, found):
    print("\nphases of %d s, %d seeds: work per modelled time, to credit2" %
          (length, seeds))
    print("%-10s %-32s %9s %-28s %-28s" % (
        "", "", "worst", "instructions", "lines from other socket"))
    for one in found:
        print("%-10s %-32s %9s %-28s %-28s" % (
            one["placement"], interval(one["work_per_time_to_credit2"]),
            percent(one["worst_phase"]),
            interval(one["instructions_to_credit2"]),
            interval(one["lines_from_other_socket_to_credit2"])))
    for one in found:
        print("  %-10s latencies/overlap: %s" % (one["placement"], ", ".join(
            "%s %s" % (key, percent(value["median"]))
            for key, value in one["varied"].items())))
        if "moves" in one:
            print("  %-10s moves %s, regrets %s" % ("", one["moves"],
                                                    one["regrets"]))


def report(folder, output):
    runs = [run(one.parent) for one in
            sorted(pathlib.Path(folder).glob("*-*/complete"))]
    lengths = []
    for length in sorted({one["length_s"] for one in runs}):
        these = [one for one in runs if one["length_s"] == length]
        found = [one for one in (summary(these, name) for name, _ in PLACEMENTS)
                 if one]
        lengths.append({"length_s": length,
                        "seeds": [one["seed"] for one in these],
                        "placements": found})
        print_table(length, len(these), found)
    with open(output, "w", encoding="ascii") as file:
        json.dump({"machine": pathlib.Path(folder).name, "lengths": lengths,
                   "runs": runs}, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "plan":
        print_plan(*map(int, sys.argv[2:]))
    elif len(sys.argv) == 4 and sys.argv[1] == "report":
        report(*sys.argv[2:])
    else:
        sys.exit(__doc__)
