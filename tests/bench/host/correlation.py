#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Correlates notifications with the use of a ring, per interval of 20 ms over a run, by
Pearson's r (5.3.3 of the thesis).

Usage: correlation.py FOLDER OUTPUT.json LOAD...

Writes OUTPUT.json, and FOLDER/correlation-LOAD-THRESHOLD.dat for gnuplot: seconds since the
run began, notifications, requests, pages. The count of every nth
request is multiplied by n.
"""

import json
import sys

import rows

INTERVAL_MS = 20
THRESHOLDS = (3, 1)


def pearson(x, y):
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    x = [v - mean_x for v in x]
    y = [v - mean_y for v in y]
    both = sum(a * b for a, b in zip(x, y))
    return both / (sum(a * a for a in x) * sum(b * b for b in y)) ** 0.5


def read(folder, name):
    """Rows of notifications, and of the ring."""
    acct = rows.accounting_domains(folder, name)
    pair = {acct["Domain-0"], acct["bench"]}
    sent = [row for row in rows.rows_of(folder, name)
            if row["event"] == "evtchn-send" and
            {row["current"], row["correspondent"]} == pair]
    ring = [row for row in rows.rows_of(folder, name + "-ring")
            if row["event"] == "ring-pages"]
    return sent, ring


def per_interval(sent, ring, threshold):
    """Notifications, requests and pages of each whole interval of the run.

    The first and the last interval are left out, because they also contain the
    notifications of the run's start and end.
    """
    columns = [rows.per_interval(of, INTERVAL_MS, number) for of, number in (
        (sent, lambda row: row["counter"]),
        (ring, lambda row: threshold),
        (ring, lambda row: threshold * row["counter"]))]
    first, last = min(columns[1]), max(columns[1])
    return list(zip(*([column[i] for i in range(first + 1, last)]
                      for column in columns)))


def correlations(lines):
    sent, requests, pages = zip(*lines)
    return {"r_requests": round(pearson(sent, requests), 4),
            "r_pages": round(pearson(sent, pages), 4)}


def correlation(folder, load, threshold):
    name = "%s-%s" % (load, threshold)
    sent, ring = read(folder, name)
    lines = per_interval(sent, ring, threshold)
    with open("%s/correlation-%s.dat" % (folder, name), "w",
              encoding="ascii") as file:
        for i, line in enumerate(lines):
            print("%.3f" % (i * INTERVAL_MS / 1e3), *line, file=file)
    notifications, requests, pages = (sum(column) for column in zip(*lines))
    found = {"load": load, "threshold": threshold,
             "interval_ms": INTERVAL_MS, "intervals": len(lines),
             "notifications": notifications, "requests": requests,
             "pages": pages, **correlations(lines)}
    if threshold == 1:
        # The rows of the same run that a threshold of 3 would have left.
        found["thinned"] = correlations(per_interval(sent, ring[2::3], 3))
    return found


def main():
    folder, output = sys.argv[1:3]
    found = [correlation(folder, load, threshold)
             for load in sys.argv[3:] for threshold in THRESHOLDS]
    with open(output, "w", encoding="ascii") as file:
        json.dump(found, file, indent=1)
        file.write("\n")
    print("%-10s %9s %9s %13s %9s %9s %11s %9s" % (
        "load", "threshold", "intervals", "notifications", "requests", "pages",
        "r requests", "r pages"))
    for one in found:
        print("%-10s %9d %9d %13d %9d %9d %11.3f %9.3f" % (
            one["load"], one["threshold"], one["intervals"],
            one["notifications"], one["requests"], one["pages"],
            one["r_requests"], one["r_pages"]))
        if "thinned" in one:
            print("%-10s %9s %54.3f %9.3f" % (
                "", "thinned", *one["thinned"].values()))


main()
