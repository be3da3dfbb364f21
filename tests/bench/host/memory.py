#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reports the results of "xensched advise-size" for each workload, as a table and as JSON.

Usage: memory.py FOLDER OUTPUT.json WORKLOAD...

advise-size reads the log from shortly before the workload's start to shortly after its
end; the mean is that of this time ("seconds"), of which
the workload itself takes "run_seconds".
"""

import json
import sys

INTERVAL_MS = 20


def run_seconds(folder, workload):
    """In exact mode a tick of the TSC is a nanosecond."""
    with open("%s/%s.errand" % (folder, workload), encoding="utf-8") as file:
        return round(int(file.read().split()[0]) / 1e9, 3)


def advice(folder, workload, source):
    with open("%s/%s.%s" % (folder, workload, source),
              encoding="utf-8") as file:
        said = json.load(file)
    if said["lost_rows"] or said["interval_ms"] != INTERVAL_MS:
        sys.exit("%s, %s: %d rows were lost" % (workload, source,
                                                said["lost_rows"]))
    logs = {log["log"]: log for log in said["logs"]}
    for event in said["events"]:
        log = logs[event["log"]]
        yield {"workload": workload, "source": source,
               "event": event["event"], "rows": event["rows"],
               "seconds": said["seconds"],
               "run_seconds": run_seconds(folder, workload),
               "mean": round(event["mean"], 1), "most": event["most"],
               "row_bytes": log["row_bytes"],
               "sizes": {str(reader["interval_ms"]): reader["size_bytes"]
                         for reader in log["readers"]},
               "log_shared_with": [name for name in log["events"]
                                   if name != event["event"]]}


def main():
    folder, output = sys.argv[1:3]
    found = [one for workload in sys.argv[3:]
             for source in ("hypervisor", "linux")
             for one in advice(folder, workload, source)]
    with open(output, "w", encoding="ascii") as file:
        json.dump(found, file, indent=1)
        file.write("\n")
    print("%-16s %-12s %8s %7s %6s %4s %12s %12s" % (
        "workload", "event", "rows", "mean", "most", "row", "log, 20 ms",
        "log, 100 ms"))
    for one in found:
        print("%-16s %-12s %8d %7.1f %6d %4d %12d %12d" % (
            one["workload"], one["event"], one["rows"], one["mean"],
            one["most"], one["row_bytes"], *one["sizes"].values()))


main()
