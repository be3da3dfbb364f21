#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What recording cost, as a table and as JSON.

Usage: recording.py FOLDER OUTPUT.json TOOLSTACK

FOLDER has the lines of recording-dom0.sh (figures), and of xentrace and trace-cmd
one trace for each workload, whose records are counted with their own programs.

A second is 1000 million instructions here: what a bandwidth is in a host in exact
mode.
"""

import collections
import json
import os
import subprocess
import sys

CONFIGS = ["patched", "all", "all+threads", "xentrace", "trace-cmd"]


def lines_of(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False, **more)
    return done.stdout.count(b"\n")


def records(folder, toolstack, config, workload):
    trace = "%s/%s-%s" % (folder, config, workload)
    if config == "xentrace":
        return lines_of([toolstack + "/usr/bin/xenalyze", "--dump-all", trace],
                        env=dict(os.environ,
                                 LD_LIBRARY_PATH=toolstack + "/usr/lib"))
    return lines_of(["trace-cmd", "report", "-i", trace])


def read(folder):
    runs = collections.defaultdict(list)
    with open(folder + "/figures", encoding="ascii") as file:
        for line in file:
            config, workload, _, *figures = line.split()
            runs[workload, config].append([int(figure) for figure in figures])
    return runs


def figures(runs, key, toolstack, folder):
    workload, config = key
    mean = [sum(column) / len(runs[key]) for column in zip(*runs[key])]
    operations, instructions, size, rows, cpu = mean
    base = runs[workload, "patched"]
    per_op = instructions / operations
    plain = sum(run[1] for run in base) / sum(run[0] for run in base)
    found = {"workload": workload, "config": config, "runs": len(runs[key]),
             "instructions_per_op": round(per_op, 1),
             "ratio_to_patched": round(per_op / plain, 5)}
    if config == "patched":
        return found
    if config in ("xentrace", "trace-cmd"):
        rows = records(folder, toolstack, config, workload)
    seconds = instructions / 1e9
    found.update(rows_per_op=round(rows / operations, 2),
                 bytes_per_second=round(size / seconds),
                 bytes_per_row=round(size / rows, 2) if rows else None,
                 writers_per_million_rows=round(cpu / rows * 1e6) if rows
                 else None)
    return found


def table(found):
    yield ["workload", "what records", "instructions per op.", "more",
           "rows per op.", "MB/s", "bytes per row",
           "million instructions of those who record, per million rows"]
    for one in found:
        row = [one["workload"], one["config"],
               "%.0f" % one["instructions_per_op"]]
        if one["config"] == "patched":
            yield row + [""] * 5
            continue
        cpu = one["writers_per_million_rows"]
        yield row + ["%+.2f %%" % ((one["ratio_to_patched"] - 1) * 100),
                     "%.1f" % one["rows_per_op"],
                     "%.2f" % (one["bytes_per_second"] / 1e6),
                     "%.1f" % (one["bytes_per_row"] or 0),
                     "" if cpu is None else "%.0f" % (cpu / 1e6)]


def main():
    folder, output, toolstack = sys.argv[1:4]
    runs = read(folder)
    keys = sorted(runs, key=lambda key: (key[0], CONFIGS.index(key[1])))
    found = [figures(runs, key, toolstack, folder) for key in keys]
    with open(output, "w", encoding="ascii") as file:
        json.dump(found, file, indent=1)
        file.write("\n")
    for row in table(found):
        print("  ".join(row))


if __name__ == "__main__":
    main()
