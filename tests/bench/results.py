#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The tables of docs/develop/results.md and README.md, from what was measured.

Usage: results.py [--check]

Each table that follows a line "<!-- NAME -->" is made again from a file in
docs/develop/results/, which is what a benchmark has left in build/bench/ (of lever.json
without its cases, of memory.json, correlation.json and site-cost.json what is in the
tables; site-cost-arm64.json is build/arm64/bench/site-cost.json). With --check nothing is
written: exit code 1 and a line for each table that says something else than its file.
"""

import json
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/bench/host"))
sys.dont_write_bytecode = True

import disks  # pylint: disable=wrong-import-position
import near  # pylint: disable=wrong-import-position
import phases  # pylint: disable=wrong-import-position
import recording  # pylint: disable=wrong-import-position
import report  # pylint: disable=wrong-import-position

DOCUMENTS = ("docs/develop/results.md", "README.md")


def load(name):
    with open(TOP / "docs/develop/results" / (name + ".json"), encoding="ascii") as file:
        return json.load(file)


def percent(ratio):
    text = f"{(ratio - 1) * 100:+.1f} %"
    return "0.0 %" if text[1:] == "0.0 %" else text


# --- bench-host ---

def host():
    return report.table(load("host"))


def host_short():
    ratio = {(e["workload"], e["config"]): e["ratio_to_native"]
             for e in load("host") if e["backend"] == "dom0"}
    yield ["more than unpatched", "Postmark", "4 KiB reads, one at a time",
           "4 KiB reads, 32 at a time"]
    for config, words in (
            ("disabled", "no event on, the daemon runs"),
            ("evtchn", "each notification"),
            ("evtchn+ring1", "and each request of the disk"),
            ("default", "what the daemon logs by default"),
            ("all", "all events"),
            ("xentrace", "Xen's own xentrace, all events")):
        yield [words] + [percent(ratio[w, config])
                         for w in report.WORKLOADS[:3]]


# --- bench-sites ---

SITES = {
    "send": "event channel send (on: filtered, no row)",
    "map": "grant map (two hypercalls; on: filtered, no row)",
    "unmap": "grant unmap (two hypercalls; on: filtered, no row)",
    "switch": "round trip: 2 sends, 2 context switches (on: one row)",
}


def sites():
    costs = [load(name)["cases"] for name in ("site-cost", "site-cost-arm64")]
    yield ["operation, from dom0", "x86: unpatched", "events off", "event on",
           "arm64: unpatched", "events off", "event on"]
    for name, words in SITES.items():
        yield [words] + [str(cost[name][which]) for cost in costs
                         for which in ("native", "off", "on")]


# --- bench-daemon ---

def daemon():
    found = load("daemon")
    yield ["1,000 guests, 256 pCPUs, 1 million rows/s", "CPU time, % of a core",
           "least", "most", "hypercalls/s"]
    for key, words in (
            ("still", "all are there"),
            ("storm", "1,000 boot within 20 s"),
            ("storm_looking_at_vcpus",
             "the same, if each caused a look at all vCPUs")):
        used = found[key]["percent"]
        yield [words] + [f"{used[which]:.1f}"
                         for which in ("median", "min", "max")] + \
            [f"{found[key]['hypercalls_per_second']:,}"]


# --- bench-placement ---

PLACES = {
    "same-pcpu": "held on dom0's pCPU",
    "same-socket": "held on the other core of that socket",
    "other-socket": "held on the other socket",
    "free": "free, began on the other socket, no daemon",
    "soft": "brought near by soft affinity",
    "nudge": "the same, after 0.5 s of hard affinity",
    "hard": "brought near by hard affinity",
    "weight50": "brought near by soft affinity, `credit2_soft_weight=50`",
    "daemon": "placed by `xenschedd --mode act`",
}


def placement():
    found = load("placement")
    base = found[0]["instructions_per_request"]
    yield ["the guest is", "instructions per request", "",
           "notifications per request", "to another pCPU", "to another socket"]
    for i, e in enumerate(found):
        yield [PLACES[e["place"]], str(e["instructions_per_request"]),
               percent(e["instructions_per_request"] / base) if i else ""] + [
                   f"{e[key]:.2f}" if e[key] else "0" for key in (
                       "notifications_per_request", "cross_pcpu_per_request",
                       "cross_socket_per_request")]


# --- bench-sampling ---

SAMPLED = {"modelled_ns": "modelled time", "lines_beyond_l2": "lines from beyond the L2"}
HOW = {"by_size": "yes", "plain": "no"}


def sampling():
    found = load("sampling")
    trials = found["trials"]
    yield ["guest", "what is estimated", "sizes", "samples",
           "all intervals, each by itself", "mean error", "half of the interval",
           "within 3 %", "truth in the interval"]
    for one in found["workloads"]:
        for figure in one["figures"]:
            for how, words in HOW.items():
                e = figure[how]
                yield [one["workload"], SAMPLED[figure["figure"]], words,
                       f"{one['samples']} of {one['intervals']}",
                       f"{100 * figure['all_intervals_error']:+.1f} %",
                       f"{100 * e['mean_error']:.1f} %",
                       f"{100 * e['half_interval']:.1f} %",
                       f"{e['within_3_percent']} of {trials}",
                       f"{e['has_truth']} of {trials}"]


# --- bench-cases ---

CASES = {
    "noise": ("an hour of the same load, with 30 % of noise: moves after the "
              "first minute", "0"),
    "partner": ("a partner that moves every 5 s, for an hour: most moves in a "
                "minute", "1"),
    "overcommit": ("three vCPUs that want to run per core, SMT: share that the "
                   "least guest gets of its former time", "0.98"),
    "memory": ("a guest with memory on one node that talks to the other: ms/s "
               "more than at the better node", "5"),
    "turns": ("a guest that reads one block at a time from dom0, which is bound to one pCPU: µs "
              "per read more than at the best location, dom0's pCPU", "0"),
    "crowd": ("four such guests, which keep dom0 busy: µs per read more than at the best "
              "location, other pCPUs of the node", "0"),
}


def few(number):
    return f"{number:.3g}"


def cases():
    found = load("cases")
    policies = list(dict.fromkeys(e["policies"] for e in found))
    yield ["case", "goal"] + [f"`{p}`" for p in policies]
    for name, (words, goal) in CASES.items():
        by_policy = {e["policies"]: e["figure"] for e in found
                     if e["case"] == name}
        yield [words, goal] + [
            few(f["median"]) if f["min"] == f["max"] else
            f"{few(f['median'])} ({few(f['min'])} to {few(f['max'])})"
            for f in (by_policy[p] for p in policies)]


# --- bench-lever ---

LEVERS = {
    "none": "none: Xen's scheduler alone",
    "soft": "soft affinity",
    "nudge": "the same, after 0.5 s of hard affinity",
    "hard": "hard affinity",
    "weight25": "soft affinity, weight 25",
    "weight50": "soft affinity, `credit2_soft_weight=50`",
    "weight100": "soft affinity, weight 100",
    "nudge50": "the same, after 0.5 s of hard affinity",
}


def spread(figure, scale=1, digits=0):
    """Median (least to most), or one number if they look the same."""
    middle, least, most = (f"{figure[key] * scale:.{digits}f}"
                           for key in ("median", "min", "max"))
    return middle if least == middle == most else f"{middle} ({least} to {most})"


def in_time(e):
    return f"{e['there_in_time']} of {e['boots']}"


def loads(e):
    return ", ".join(f"{e[key]['median']:.1f}" for key in ("load_place",
                                                           "load_far"))


COLUMNS = {
    "in time": in_time,
    "disk's guest there in time": in_time,
    "at the place, %": lambda e: spread(e["share_settled"], 100),
    "notifications across sockets, %": lambda e: spread(e["crossing"], 100),
    "per second": lambda e: spread(e["crossings_per_s"]),
    "waits, ms": lambda e: spread(e["waits_per_request_ms"], 1, 1),
    "waits per request": lambda e: spread(e["waits_per_request_ms"], 1, 1),
    "requests/s": lambda e: spread(e["requests_per_s"]),
    "guest waits/s": lambda e: spread(e["disk_waits_ms_per_s"]),
    "dom0 waits/s": lambda e: spread(e["dom0_waits_ms_per_s"]),
    "pCPUs in use, place and other": loads,
    "others at the place, %": lambda e: spread(e["wishing_share"], 100),
    "least, %": lambda e: spread(e["wishing_least"], 100),
    "most, %": lambda e: spread(e["wishing_most"], 100),
}


def lever(hosts, *columns):
    many = len(hosts) > 1
    yield (["scheduler"] if many else []) + ["affinities", *columns]
    for e in load("lever")["summary"]:
        if e["host"] in hosts:
            yield (([e["host"]] if many else []) + [LEVERS[e["lever"]]] +
                   [COLUMNS[c](e) for c in columns])


# --- bench-memory, bench-correlation ---

def size(number):
    return f"{number} B" if number < 1024 else f"{number // 1024} KiB"


# The others have as many rows: service-tsc, evtchn-recv, ring-sectors; runq is constant.
MEMORY = ("service-ns", "evtchn-send", "grant-map", "wake-delay", "ring-pages")


def memory():
    yield ["workload", "event", "rows", "mean", "most", "log, read every 20 ms",
           "every 100 ms"]
    before = None
    for e in load("memory"):
        if e["event"] not in MEMORY:
            continue
        yield [f"`{e['workload']}`" if e["workload"] != before else "",
               f"`{e['event']}`", str(e["rows"]), f"{e['mean']:.1f}",
               str(e["most"]), size(e["sizes"]["20"]), size(e["sizes"]["100"])]
        before = e["workload"]


def correlation():
    yield ["load", "each", "intervals", "notifications", "requests", "pages",
           "r, requests", "r, pages"]
    for e in load("correlation"):
        yield [f"`{e['load']}`", {3: "third", 1: "request"}[e["threshold"]],
               str(e["intervals"]), str(e["notifications"]),
               str(e["requests"]), str(e["pages"]), f"{e['r_requests']:.3f}",
               f"{e['r_pages']:.3f}"]


# --- bench-page ---

def page():
    yield ["rows", "page", "made in", "open after", "frames/s, half of it in sight",
           "a hundredth", "a ten thousandth"]
    for e in load("page")["pages"]:
        yield [f"{e['rows']:,}", f"{e['page_bytes'] / 1e6:.1f} MB",
               f"{e['made_s']:.1f} s", f"{e['opened_s']:.1f} s"] + [
                   f"{e['frames_per_s_' + share]:.0f} (longest {e['worst_ms_' + share]:.0f} ms)"
                   for share in ("all", "hundredth", "ten_thousandth")]


ROOM = ("in time", "at the place, %", "notifications across sockets, %")

TABLES = {
    "sites": sites,
    "daemon": daemon,
    "host": host,
    "host-short": host_short,
    "placement": placement,
    "near": lambda: near.table(load("near")),
    "near-times": lambda: near.table(load("near"), near.times),
    "phases": lambda: phases.table(load("phases")["cases"]),
    "phases-where": lambda: phases.where(load("phases")["cases"]),
    "phases-drawn": lambda: phases.table(load("phases")["drawn"], "drawn"),
    "phases-advised": lambda: phases.table(load("phases")["advised"], "drawn", "advised"),
    "sampling": sampling,
    "cases": cases,
    "memory": memory,
    "correlation": correlation,
    "disks": lambda: disks.table(load("disks")),
    "recording": lambda: recording.table(load("recording")),
    "page": page,
    "lever-room": lambda: lever(["room"], *ROOM, "per second", "waits, ms",
                                "pCPUs in use, place and other"),
    "lever-schedulers": lambda: lever(["credit", "null"], *ROOM, "waits, ms"),
    "lever-tight": lambda: lever(["tight"], *ROOM, "waits, ms",
                                 "pCPUs in use, place and other"),
    "lever-exact": lambda: lever(
        ["exact"], "in time", "waits per request", "requests/s",
        "guest waits/s", "dom0 waits/s"),
    "lever-overload": lambda: lever(
        ["overload"], "disk's guest there in time", "waits, ms",
        "pCPUs in use, place and other", "others at the place, %", "least, %",
        "most, %"),
}


def table(name):
    head, *lines = TABLES[name]()
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for line in lines:
        yield "| " + " | ".join(line) + " |"


def renewed(match):
    return f"<!-- {match[1]} -->\n\n" + "".join(
        line + "\n" for line in table(match[1]))


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    wrong, seen = [], set()
    for document in DOCUMENTS:
        text = (TOP / document).read_text(encoding="utf-8")
        pattern = re.compile(r"<!-- ([a-z-]+) -->\n\n(?:\|.*\n)*")
        seen.update(match[1] for match in pattern.finditer(text))
        wrong += [f"{document}: table {match[1]}"
                  for match in pattern.finditer(text)
                  if renewed(match) != match[0]]
        if not check:
            (TOP / document).write_text(pattern.sub(renewed, text),
                                        encoding="utf-8")
    wrong += [f"table {name} is in no document" for name in
              sorted(set(TABLES) - seen)] if check else []
    for line in wrong:
        print(("results: differs from docs/develop/results/: " if check else
               "results: rewritten: ") + line)
    return 1 if check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
