# SPDX-License-Identifier: GPL-2.0-only
"""Reports figures of runs, and ratios of runs that had the same load."""

import random
import statistics

RESAMPLES = 2000
LEAST = 6   # ratios for an interval, as in "xensched runs compare"


def spread(values):
    return {"median": statistics.median(values), "min": min(values),
            "max": max(values)}


def interval(values):
    """The interval of the median, by a percentile bootstrap."""
    lot = random.Random(1)
    medians = sorted(statistics.median(lot.choices(values, k=len(values)))
                     for _ in range(RESAMPLES))
    return [medians[RESAMPLES // 40], medians[-RESAMPLES // 40]]


def ratio_report(ratios):
    report = spread(ratios)
    if len(ratios) >= LEAST:
        report["interval"] = interval(ratios)
    return report


def in_brackets(figure, scale, form):
    low, high = figure.get("interval", (figure["min"], figure["max"]))
    middle, low, high = (form.format(scale(value))
                         for value in (figure["median"], low, high))
    return middle if low == middle == high else f"{middle} ({low} to {high})"
