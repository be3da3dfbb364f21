# SPDX-License-Identifier: GPL-2.0-only
"""Reads the results of "xensched runs do" from its database (docs/measure/experiments.md)."""

import collections
import contextlib
import sqlite3


def figures(path):
    """By workload, configuration and name: the values of its runs, as they were done."""
    found = collections.defaultdict(list)
    with contextlib.closing(sqlite3.connect(path)) as db:
        for *key, value in db.execute(
                "SELECT workload, configuration, name, value FROM value JOIN run "
                "ON run = id WHERE state = 'done' AND repetition > 0 ORDER BY id"):
            found[tuple(key)].append(value)
    return found
