#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes the plan of host-lever.sh, and reports its results as a table and as JSON.

Usage: lever.py plan HOST BOOT
       lever.py cases RESULTS-FOLDER HOST BOOT
       lever.py report CASES OUTPUT.json MACHINE

"plan" prints shell variables for lever-dom0.sh. "cases" prints a line of JSON
for each lever of a boot; RESULTS-FOLDER has, in addition to dom0's output, the rows
of each recording as JSON lines. "report" is for such lines of many boots.

Where a guest ran is the pCPU of its rows of service-ns. dom0 is held at the
place, so a notification between it and the disk guest crosses sockets if the
guest isn't there.  If the guest sends it, the row has the guest's pCPU.  If the guest
receives it, its pCPU is the one on which the guest ran next.

The wake delay does not contain the waits of a preempted vCPU. So for guests that never
sleep, the report has the time in which they did not run.
"""

import bisect
import collections
import itertools
import json
import pathlib
import random
import statistics
import sys

from rows import accounting_domains, events_of

WINDOW_S, STEP_S = 0.5, 0.1
REACHED = 0.95
SETTLED_S = 2       # the goal: to be there by then

WEIGHTS = ["weight25", "weight50", "weight100"]
LEVERS = ["none", "soft", "nudge", "hard"] + WEIGHTS + ["nudge50"]
PLAIN = LEVERS[:4]
HELD_FAR, FREED, LEVER_SET, ENDED = 1, 2, 3, 4

BY_HAND = PLAIN + ["weight50", "nudge50"]

# Cores of a socket; levers; seconds for each; further guests with levers, which never
# sleep; processes of dom0 that never sleep.
Host = collections.namedtuple("Host", "cores levers seconds wishing spinning",
                              defaults=(PLAIN, 8, 0, 0))
HOSTS = {
    "room": Host(4, BY_HAND),
    "overload": Host(4, ["none", "soft", "hard"] + WEIGHTS, wishing=6),
    "tight": Host(2, BY_HAND),
    "credit": Host(4),
    "null": Host(4),
    "exact": Host(4, BY_HAND, seconds=3, spinning=1),
}


def print_plan(name, boot):
    host = HOSTS[name]
    lot = random.Random("%s %s" % (name, boot))
    print("place=0-%d far=%d-%d" % (
        host.cores - 1, host.cores, 2 * host.cores - 1))
    print("seconds=%d spinning=%d" % (host.seconds, host.spinning))
    print("levers='%s'" % " ".join(lot.sample(host.levers, len(host.levers))))
    print("wishing='%s'" % " ".join(
        "wishing%d" % (i + 1) for i in range(host.wishing)))


class Recording:
    """The rows of a case about time on pCPUs and about notifications."""

    def __init__(self, folder, name, cores):
        self.cores = cores
        self.acct = accounting_domains(folder, name)
        self.stays = collections.defaultdict(lambda: ([], [], []))
        self.sends, self.delays, self.marks = [], [], {}
        for row in events_of(folder, name):
            self.take(row)

    def take(self, row):
        at, acct = row["time_s"], row.get("current")
        if row["event"] == "service-ns":
            for one, what in zip(self.stays[acct],
                                 (at, row["cpu"], row["counter"] / 1e9)):
                one.append(what)
        elif row["event"] == "evtchn-send":
            self.sends.append((at, row["cpu"], acct, row["correspondent"]))
        elif row["event"] == "wake-delay":
            self.delays.append((at, acct, row["counter"] / 1e3))
        elif row["event"] == "mark":
            self.marks[row["counter"]] = at

    def near(self, cpu):
        return cpu < self.cores

    def service(self, acct, begin, end):
        """Seconds at the place, and elsewhere."""
        times, cpus, lengths = self.stays[acct]
        found = [0.0, 0.0]
        for i in range(bisect.bisect_right(times, begin),
                       bisect.bisect_right(times, end)):
            found[not self.near(cpus[i])] += lengths[i]
        return found

    def share(self, acct, begin, end):
        """Part of its time at the place; None: it did not run."""
        here, elsewhere = self.service(acct, begin, end)
        return here / (here + elsewhere) if here + elsewhere else None

    def ran_next_near(self, acct, at):
        times, cpus, _ = self.stays[acct]
        i = bisect.bisect_left(times, at)
        return i < len(cpus) and self.near(cpus[i])

    def crossings(self, guest, begin, end):
        """Notifications between guest and dom0, and how many crossed."""
        dom0, sent, crossed = self.acct["Domain-0"], 0, 0
        for at, cpu, sender, receiver in self.sends:
            if {sender, receiver} != {guest, dom0} or not begin < at <= end:
                continue
            sent += 1
            crossed += not (self.near(cpu) if sender == guest
                            else self.ran_next_near(guest, at))
        return sent, crossed

    def waits(self, acct, begin, end):
        """Delays after wake-ups in us."""
        return [delay for at, woken, delay in self.delays
                if woken == acct and begin < at <= end]


def windows(rec, acct, begin, end):
    """(beginning, share) of each window of WINDOW_S."""
    steps = int((end - begin - WINDOW_S) / STEP_S + 1e-6) + 1
    starts = [begin + i * STEP_S for i in range(steps)]
    return [(at - begin, rec.share(acct, at, at + WINDOW_S))
            for at in starts]


def reached(found):
    """The beginning of the first window with enough at the place, or None."""
    return next((round(at, 1) for at, share in found
                 if share is not None and share >= REACHED), None)


def delays_of(rec, acct, begin, end):
    waits = rec.waits(acct, begin, end)
    return {
        "mean_us": round(statistics.mean(waits), 1) if waits else None,
        "waits_ms_per_s": round(sum(waits) / 1e3 / (end - begin), 2),
        "wakes_per_s": round(len(waits) / (end - begin), 1),
    }


def rounded(number, digits=4):
    return None if number is None else round(number, digits)


def domains_of(rec, begin, end):
    found = {}
    for name, acct in rec.acct.items():
        near, elsewhere = (one / (end - begin)
                           for one in rec.service(acct, begin, end))
        found[name] = {
            "pcpus": round(near + elsewhere, 4),
            "share": rounded(rec.share(acct, begin, end)),
            "wake_delay": delays_of(rec, acct, begin, end),
        }
    return found


def load(rec, begin, end):
    """pCPUs in use at the place, and on the other socket."""
    sums = [rec.service(acct, begin, end) for acct in rec.acct.values()]
    return [round(sum(column) / (end - begin), 3) for column in zip(*sums)]


def read_requests(folder, name):
    with open("%s/%s.requests" % (folder, name), encoding="ascii") as file:
        before, after = map(int, file)
    return after - before


def case(folder, name, host, boot):
    rec = Recording(folder, name, HOSTS[host].cores)
    disk = rec.acct["disk"]
    begin, end = rec.marks[LEVER_SET], rec.marks[ENDED]
    far = rec.marks[HELD_FAR], rec.marks[FREED]
    shares = windows(rec, disk, begin, end)
    sent, crossed = rec.crossings(disk, begin, end)
    far_sent, far_crossed = rec.crossings(disk, *far)
    return {
        "host": host, "boot": int(boot), "lever": name,
        "seconds": round(end - begin, 3),
        "share": rounded(rec.share(disk, begin, end)),
        "share_settled": rounded(rec.share(disk, begin + SETTLED_S, end)),
        "reached_s": reached(shares),
        "notifications_per_s": round(sent / (end - begin), 1),
        "crossings_per_s": round(crossed / (end - begin), 1),
        "crossing": rounded(crossed / sent if sent else None),
        "far_notifications_per_s": round(far_sent / (far[1] - far[0]), 1),
        "far_crossings_per_s": round(far_crossed / (far[1] - far[0]), 1),
        "requests_per_s": round(read_requests(folder, name) / (end - begin), 1),
        "load": load(rec, begin, end),
        "domains": domains_of(rec, begin, end),
        "windows": [rounded(share, 3) for _, share in shares],
    }


def print_cases(folder, host, boot):
    found = [case(folder, path.stem, host, boot)
             for path in sorted(pathlib.Path(folder).glob("*.jsonl"))]
    print("\n".join(map(json.dumps, found)))


def spread(numbers):
    """Median, least and most; a time of None means never."""
    known = sorted(number for number in numbers if number is not None)
    if not known:
        return None
    return {"median": round(statistics.median(known), 4),
            "min": known[0], "max": known[-1], "of": len(known)}


def wishing(one):
    return [domain for name, domain in one["domains"].items()
            if name.startswith("wishing")]


def waits_per_request(one):
    """ms that guest and dom0 waited for a pCPU, for each request."""
    waits = sum(one["domains"][name]["wake_delay"]["waits_ms_per_s"]
                for name in ("disk", "Domain-0"))
    return waits / one["requests_per_s"] if one["requests_per_s"] else None


FIGURES = {
    "share": lambda one: one["share"],
    "share_settled": lambda one: one["share_settled"],
    "reached_s": lambda one: one["reached_s"],
    "crossing": lambda one: one["crossing"],
    "crossings_per_s": lambda one: one["crossings_per_s"],
    "notifications_per_s": lambda one: one["notifications_per_s"],
    "requests_per_s": lambda one: one["requests_per_s"],
    "waits_per_request_ms": waits_per_request,
    "disk_wake_us": lambda one: one["domains"]["disk"]["wake_delay"]["mean_us"],
    "disk_waits_ms_per_s":
        lambda one: one["domains"]["disk"]["wake_delay"]["waits_ms_per_s"],
    "dom0_wake_us":
        lambda one: one["domains"]["Domain-0"]["wake_delay"]["mean_us"],
    "dom0_waits_ms_per_s":
        lambda one: one["domains"]["Domain-0"]["wake_delay"]["waits_ms_per_s"],
    "disk_pcpus": lambda one: one["domains"]["disk"]["pcpus"],
    "dom0_pcpus": lambda one: one["domains"]["Domain-0"]["pcpus"],
    "computing_pcpus": lambda one: one["domains"]["computing"]["pcpus"],
    "load_place": lambda one: one["load"][0],
    "load_far": lambda one: one["load"][1],
    "wishing_least": lambda one: min(
        (guest["pcpus"] for guest in wishing(one)), default=None),
    "wishing_most": lambda one: max(
        (guest["pcpus"] for guest in wishing(one)), default=None),
    "wishing_share": lambda one: statistics.mean(
        guest["share"] for guest in wishing(one)) if wishing(one) else None,
}


def summary(cases):
    groups = collections.defaultdict(list)
    for one in cases:
        groups[one["host"], one["lever"]].append(one)
    for host, lever in itertools.product(HOSTS, LEVERS):
        ones = groups[host, lever]
        if ones:
            yield {"host": host, "lever": lever, "boots": len(ones),
                   "there_in_time": sum(
                       (one["share_settled"] or 0) >= REACHED for one in ones),
                   **{name: spread([figure(one) for one in ones])
                      for name, figure in FIGURES.items()}}


def text_of(found, boots, factor, form):
    """The figure of the boots that have it, with their number if some lack it."""
    if not found:
        return "-"
    text = "%s (%s..%s)" % tuple(form % (found[key] * factor)
                                 for key in ("median", "min", "max"))
    return text if found["of"] == boots else "%s, %d boots" % (
        text, found["of"])


COLUMNS = (
    ("at place, %", "share_settled", 100, "%.1f"),
    ("reached, s", "reached_s", 1, "%.1f"),
    ("crossing, %", "crossing", 100, "%.1f"),
    ("crossings/s", "crossings_per_s", 1, "%.0f"),
    ("requests/s", "requests_per_s", 1, "%.0f"),
    ("disk waits, ms/s", "disk_waits_ms_per_s", 1, "%.0f"),
    ("dom0 waits, ms/s", "dom0_waits_ms_per_s", 1, "%.0f"),
    ("both, ms/request", "waits_per_request_ms", 1, "%.2f"),
    ("pCPUs, place", "load_place", 1, "%.2f"),
    ("pCPUs, other", "load_far", 1, "%.2f"),
)

OVERLOAD = COLUMNS[:1] + COLUMNS[4:] + (
    ("others at place, %", "wishing_share", 100, "%.0f"),
    ("least of a pCPU, %", "wishing_least", 100, "%.0f"),
    ("most, %", "wishing_most", 100, "%.0f"),
)


def print_table(lines):
    for host, group in itertools.groupby(lines, lambda line: line["host"]):
        columns = OVERLOAD if host == "overload" else COLUMNS
        print("\n%s: median (least..most)" % host)
        print("| lever | boots | there in time | %s |" % " | ".join(
            column[0] for column in columns))
        print("|---" * (len(columns) + 3) + "|")
        for line in group:
            print("| %s | %d | %d | %s |" % (
                line["lever"], line["boots"], line["there_in_time"],
                " | ".join(text_of(line[name], line["boots"], factor, form)
                           for _, name, factor, form in columns)))


def report(name, output, machine):
    with open(name, encoding="ascii") as file:
        cases = [json.loads(line) for line in file]
    lines = list(summary(cases))
    with open(output, "w", encoding="ascii") as file:
        json.dump({"machine": machine, "summary": lines, "cases": cases}, file,
                  indent=1)
        file.write("\n")
    print("measured on: %s" % machine)
    print_table(lines)


def main():
    command, *arguments = sys.argv[1:]
    {"plan": print_plan, "cases": print_cases, "report": report}[command](
        *arguments)


main()
