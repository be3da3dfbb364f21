#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""
Makes disks.json and a table from the results of host-disks.sh.

Usage: disks.py FOLDER FILE

FOLDER has stock.sqlite and patched.sqlite, the results of the two plans.  The cost of a
source is compared with the same xen-blkback and a daemon without that source; its count,
with Linux's count of the same time.
"""

import json
import pathlib
import statistics
import sys

sys.dont_write_bytecode = True

from report import print_table  # pylint: disable=wrong-import-position
from runs import figures  # pylint: disable=wrong-import-position

WORKLOADS = {"postmark": "Postmark",
             "fio_rand4k_qd1": "4 KiB reads, one at a time",
             "fio_rand4k_qd32": "4 KiB reads, 32 at a time",
             "fio_seq64k_qd1": "64 KiB reads, one at a time"}

# By configuration: the one without the source, and the name of the source.
WAYS = {"stock": (None, "Linux's own, nothing"),
        "statistics": ("stock", "statistics"),
        "patched": ("stock", "patched, the event off"),
        "module": ("patched", "patched, each request logged")}


def entries(values):
    for workload in WORKLOADS:
        for way in WAYS:
            instructions = values.get((workload, way, "instructions"))
            if not instructions:
                continue
            known, done = (sum(values[workload, way, name]) for name in ("pages", "done"))
            yield {"workload": workload, "way": way, "runs": len(instructions),
                   "instructions": round(statistics.median(instructions), 1),
                   "least": min(instructions), "most": max(instructions),
                   "pages_known": int(known), "pages_done": int(done)}


def table(found):
    of = {(e["workload"], e["way"]): e for e in found}
    yield ["workload", "xen-blkback", "instructions per operation", "more than without",
           "pages known", "of those that Linux counted"]
    for e in found:
        base = of.get((e["workload"], WAYS[e["way"]][0]))
        known = e["way"] in ("statistics", "module")
        yield [WORKLOADS[e["workload"]], WAYS[e["way"]][1],
               f"{e['instructions']:,.0f} ({e['least']:,.0f} to {e['most']:,.0f})",
               f"{e['instructions'] - base['instructions']:+,.0f} "
               f"({(e['instructions'] / base['instructions'] - 1) * 100:+.2f} %)"
               if base else "",
               f"{e['pages_known']:,}" if known else "",
               f"{e['pages_known'] / e['pages_done'] * 100:.2f} %" if known else ""]


def main():
    folder, output = sys.argv[1:]
    values = {}
    for name in ("stock", "patched"):
        values.update(figures(pathlib.Path(folder) / (name + ".sqlite")))
    found = list(entries(values))
    with open(output, "w", encoding="ascii") as file:
        json.dump(found, file, indent=1)
        file.write("\n")
    print_table(table(found))


if __name__ == "__main__":
    main()
