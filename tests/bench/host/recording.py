#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reports the cost of recordings as a table and as JSON.

Usage: recording.py FOLDER OUTPUT.json TOOLSTACK

FOLDER has the database of recording.plan, and one trace of xentrace and of trace-cmd for
each workload.  The programs of these tools count the records.

Bandwidths assume that a second has 1000 million instructions, as in exact mode.
"""

import json
import statistics
import subprocess
import sys

from rows import xentrace_records
from runs import figures

CONFIGS = ["patched", "all", "all_threads", "xentrace", "trace_cmd"]
WORKLOADS = ["fio-rand4k-qd1", "fio-rand4k-qd32", "postmark"]


def records(folder, toolstack, config, workload):
    if config == "xentrace":
        return xentrace_records("%s/xentrace_all-%s" % (folder, workload),
                                toolstack)
    done = subprocess.run(
        ["trace-cmd", "report", "-i", "%s/trace_cmd-%s" % (folder, workload)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return done.stdout.count(b"\n")


def measured(folder, toolstack):
    """The rows of the table, for each workload and configuration."""
    values = figures(folder + "/runs.sqlite")
    for workload in WORKLOADS:
        plain = None
        for config in CONFIGS:
            def mean(name):
                found = values[workload.replace("-", "_"), config, name]
                return statistics.mean(found) if found else None

            operations, instructions = mean("operations"), mean("instructions")
            if operations is None:  # There is no trace-cmd.
                continue
            plain = plain or instructions / operations
            found = {"workload": workload,
                     "config": config.replace("_", "-" if "trace" in config else "+"),
                     "instructions_per_op": round(instructions / operations, 1),
                     "ratio_to_patched": round(instructions / operations / plain, 5)}
            if config != "patched":
                rows = mean("rows") or records(folder, toolstack, config, workload)
                found.update(
                    rows_per_op=round(rows / operations, 2),
                    bytes_per_second=round(mean("bytes") / (instructions / 1e9)),
                    bytes_per_row=round(mean("bytes") / rows, 2),
                    recorders_per_million_rows=round(mean("recorders") / rows * 1e6))
            yield found


def table(found):
    yield ["workload", "what records", "instructions per op.", "more",
           "rows per op.", "MB/s", "bytes per row",
           "million instructions of the recorder per million rows"]
    for one in found:
        row = [one["workload"], one["config"],
               "%.0f" % one["instructions_per_op"]]
        if one["config"] == "patched":
            yield row + [""] * 5
            continue
        yield row + ["%+.2f %%" % ((one["ratio_to_patched"] - 1) * 100),
                     "%.1f" % one["rows_per_op"],
                     "%.2f" % (one["bytes_per_second"] / 1e6),
                     "%.1f" % one["bytes_per_row"],
                     "%.0f" % (one["recorders_per_million_rows"] / 1e6)]


def main():
    folder, output, toolstack = sys.argv[1:4]
    found = list(measured(folder, toolstack))
    with open(output, "w", encoding="ascii") as file:
        json.dump(found, file, indent=1)
        file.write("\n")
    for row in table(found):
        print("  ".join(row))


if __name__ == "__main__":
    main()
