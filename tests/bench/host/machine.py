#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reports the results of machine-dom0.sh as a table and as JSON.

Usage: machine.py RESULTS-FOLDER OUTPUT.json TOOLSTACK MACHINE...

RESULTS-FOLDER/MACHINE has, in addition to dom0's output, the counts of the machine
model (machine.jsonl) and the rows of the recording as JSON lines (log.jsonl).
TOOLSTACK has xenalyze, which counts the records of xentrace.
Every figure is a median over the rounds, of a region with many requests less one
with few, per request; modelled times are of all pCPUs together.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "machine"))

# pylint: disable=wrong-import-position
import modelled
from rows import accounting_domains, events_of, xentrace_records

SHOWN = ("llc", "same_llc", "same_socket", "other_socket",
         "upgrade_same_llc", "upgrade_same_socket", "upgrade_other_socket",
         "dram_local", "dram_remote", "ipis")


# Places of machine-dom0.sh that do not differ in the guest's pCPU.
NO_LOG = 4
PLACE_OF_LOG = {5: "log", 6: "xentrace"}


def per_request(few, many, requests):
    return {name: (many[name] - few[name]) / requests for name in many}


def medians(rounds):
    return {name: round(modelled.median([one[name] for one in rounds]), 3)
            for name in rounds[0]}


def rounds_of(regions, number, requests, pcpus=None):
    return [per_request(modelled.total(few, pcpus),
                        modelled.total(many, pcpus), requests)
            for few, many in zip(regions[2 * number + 1],
                                 regions[2 * number + 2])]


def times(machine, rounds):
    """Modelled ns, as "FACTOR/OVERLAP": median over the rounds."""
    return {"%g/%d" % varied: round(modelled.median(
        [modelled.ns(machine, one, *varied) for one in rounds]))
            for varied in modelled.VARIED}


def place(machine, name, rounds):
    counts = medians(rounds)
    return {"place": name, "counts": counts,
            "lines_moved": round(modelled.median(
                [modelled.moved(one) for one in rounds]), 1),
            "rounds_lines_moved": [round(modelled.moved(one), 1)
                                   for one in rounds],
            "modelled_ns": times(machine, rounds)}


def rows_while_they_talk(folder):
    """All rows from the first to the last notification between the two."""
    domains = accounting_domains(folder, "log")
    pair = {domains["Domain-0"], domains["front"]}
    rows = events_of(folder, "log")
    talk = [row["time_s"] for row in rows if row["event"] == "evtchn-send" and
            {row["current"], row["correspondent"]} == pair]
    return sum(talk[0] <= row["time_s"] <= talk[-1] for row in rows)


def xentrace_per_request(folder, toolstack, requests):
    few, many = (xentrace_records(str(folder / ("xentrace." + which)), toolstack)
                 for which in ("few", "many"))
    return (many - few) / requests


def costs(machine, regions, place, requests, rows):
    """Costs of a row (ROWS of a request) where it is written, and where it is read.
    REQUESTS of a round: without a log, and at PLACE."""
    reader = {machine["pcpus"] - 1}
    writers = set(range(machine["pcpus"])) - reader
    off = medians(rounds_of(regions, NO_LOG, requests[0], writers))
    written = [{name: (value - off[name]) / rows for name, value in one.items()}
               for one in rounds_of(regions, place, requests[1], writers)]
    read = [{name: value / rows for name, value in one.items()}
            for one in rounds_of(regions, place, requests[1], reader)]
    return {"rows_per_request": round(rows, 2),
            "row_written": {"counts": medians(written),
                            "modelled_ns": times(machine, written)},
            "row_read_from_the_other_socket": {
                "counts": medians(read), "modelled_ns": times(machine, read)}}


def results(folder, toolstack):
    machine, regions = modelled.read(folder / "machine.jsonl")
    with open(folder / "requests", encoding="ascii") as file:
        few, many, rounds, many_read, _ = map(int, file.read().split())
    places = []
    with open(folder / "places", encoding="ascii") as file:
        for number, name, requests, wanted in map(str.split, file):
            found = rounds_of(regions, int(number), int(requests) - few)
            if len(found) != int(wanted):
                raise SystemExit("%s: %d rounds, not %s" % (name, len(found),
                                                            wanted))
            places.append(place(machine, name, found))
    return {"machine": machine, "places": places, "requests": many - few,
            "rounds": rounds,
            "log": costs(machine, regions, 5, (many_read - few, many_read - few),
                         rows_while_they_talk(str(folder)) / many),
            "xentrace": costs(machine, regions, 6, (many_read - few, many - few),
                              xentrace_per_request(folder, toolstack,
                                                   many - few))}


def print_places(found):
    print("%-13s %12s %7s" % ("place", "instr./req.", "lines") +
          "".join(" %8s" % name.replace("upgrade", "up").replace(
              "other_socket", "o_sock").replace("same_socket", "s_sock")
                  for name in SHOWN) + " %10s" % "model. ns")
    for one in found["places"]:
        print("%-13s %12d %7.1f" % (one["place"],
                                    one["counts"]["instructions"],
                                    one["lines_moved"]) +
              "".join(" %8.1f" % one["counts"][name] for name in SHOWN) +
              " %10d" % one["modelled_ns"]["1/1"])


def print_verdict(found):
    base, near, far = (next(one["modelled_ns"] for one in found["places"]
                            if one["place"] == name) for name in
                       ("same-pcpu", "same-llc", "other-socket"))
    print("\nmodelled time of a request on the other socket, against dom0's "
          "last-level cache, dom0's pCPU:")
    for varied in modelled.VARIED:
        key = "%g/%d" % varied
        print("  latencies x %-4g overlap %d  %+6.1f %%  %+6.1f %%" % (
            varied + ((far[key] / near[key] - 1) * 100,
                      (far[key] / base[key] - 1) * 100)))


def print_log(name, log):
    print("\n%s: %.1f rows per request" % (name, log["rows_per_request"]))
    for name in ("row_written", "row_read_from_the_other_socket"):
        one = log[name]
        print("%-31s %9.1f instructions" % (name.replace("_", " "),
                                            one["counts"]["instructions"]) +
              "".join(", %s %.3f" % (key, one["counts"][key]) for key in SHOWN
                      if abs(one["counts"][key]) >= 0.0005) +
              ", %.0f modelled ns" % one["modelled_ns"]["1/1"])


def main():
    folder, output, toolstack, *machines = sys.argv[1:]
    found = {name: results(pathlib.Path(folder) / name, toolstack)
             for name in machines}
    with open(output, "w", encoding="ascii") as file:
        json.dump(found, file, indent=1)
        file.write("\n")
    for name, one in found.items():
        print("== %s" % name)
        print_places(one)
        print_verdict(one)
        for name in PLACE_OF_LOG.values():
            print_log(name, one[name])


main()
