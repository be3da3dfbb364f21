# SPDX-License-Identifier: GPL-2.0-only
"""Reads the counts of the machine model, and computes times from them.

A time is instructions x CPI, plus the latency of each line that was not in the L1,
divided by the number of such lines in flight at the same time (overlap). An upgrade
takes the time of a line at that distance.
Counts are facts about the program on these caches; times are as good as the
description's latencies, so reports show how a verdict changes with them (VARIED).
"""

import json
import statistics

# The cost of a count, by the description's key.
COSTS = {
    "l2": "l2_ns", "llc": "llc_ns", "same_llc": "same_llc_ns",
    "same_socket": "same_socket_ns", "other_socket": "other_socket_ns",
    "dram_local": "dram_local_ns", "dram_remote": "dram_remote_ns",
    "upgrade_same_llc": "same_llc_ns",
    "upgrade_same_socket": "same_socket_ns",
    "upgrade_other_socket": "other_socket_ns",
}

MOVED = ("same_llc", "same_socket", "other_socket")

# (factor of latencies, overlap)
VARIED = tuple((scale, overlap) for scale in (0.5, 1, 2)
               for overlap in (1, 2, 3, 4))


def read(path):
    """The machine, and by region a list of entries {pcpu: counts}."""
    with open(path, encoding="ascii") as file:
        machine = json.loads(file.readline())
        regions = {}
        for line in map(json.loads, file):
            region = regions.setdefault(line.pop("region"), {})
            region.setdefault(line.pop("entry"), {})[line.pop("pcpu")] = line
    return machine, {region: [entries[key] for key in sorted(entries)]
                     for region, entries in regions.items()}


def total(entry, pcpus=None):
    """The counts of these pCPUs, or of all of them."""
    found = {}
    for pcpu, counts in entry.items():
        if pcpus is None or pcpu in pcpus:
            for name, value in counts.items():
                found[name] = found.get(name, 0) + value
    return found


def ns(machine, counts, scale=1, overlap=1):
    waits = sum(counts[name] * machine[key] for name, key in COSTS.items())
    return (counts["instructions"] * machine["cpi"] / machine["ghz"] +
            waits * scale / overlap)


def moved(counts):
    return sum(counts[name] for name in MOVED)


def median(numbers):
    return statistics.median(numbers)
