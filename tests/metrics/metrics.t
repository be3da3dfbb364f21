#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The daemon's metrics, read by the real Prometheus through node_exporter.

The file is what tests/unit/daemon/test-metrics writes, the daemon's own code with a host
that follows a script.  Writes TAP.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.append(TOP + "/tests")
from prometheus import (  # noqa: E402
    TOOLS, fetch, free_port, hostless, panels, query, running, until)
from tap import Tap  # noqa: E402  (tests/tap.py)

METRICS_TEST = TOP + "/build/unit/test-metrics"
DASHBOARD = TOP + "/tools/xensched/grafana/xensched.json"
DOCS = TOP + "/docs/operate/metrics.md"
FOLDER = tempfile.mkdtemp(prefix="xensched-metrics-")
METRICS = FOLDER + "/textfile/xensched.prom"
TAP = Tap()


def check(what, good, *why):
    TAP.check(good, what, *why)


def named(text):
    return set(re.findall(r"\bxensched_[a-z0-9_]+", text))


def write_metrics():
    os.mkdir(FOLDER + "/textfile")
    subprocess.run([METRICS_TEST], env=dict(os.environ, METRICS_COPY=METRICS),
                   cwd=FOLDER, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    with open(METRICS, encoding="utf-8") as file:
        return file.read()


def test_file(text):
    tool = subprocess.run([TOOLS + "/usr/bin/promtool", "check", "metrics"],
                          input=text.encode(), capture_output=True,
                          check=False)
    # It wants counters to be announced as Prometheus does, not OpenMetrics.
    lines = [line for line in tool.stderr.decode().splitlines()
             if "_total" not in line and "no help text" not in line]
    # 3: it found something to say, which is in the lines.
    check("promtool finds nothing wrong with the file",
          not lines and tool.returncode in (0, 3), tool.returncode, *lines)
    with open(DOCS, encoding="utf-8") as file:
        documented = named(file.read())
    written = {line.split("{")[0].split(" ")[0] for line in text.splitlines()
               if line and line[0] != "#"}
    check("all that is written is documented", written <= documented,
          written - documented)
    # Only after a trial; test-answer-trial looks for them.
    documented -= {"xensched_trial_cost_change_ratio",
                   "xensched_trial_at_target_ratio"}
    check("all that is documented is written", documented <= written,
          documented - written)


def test_prometheus(port, text):
    # Rates need two scrapes.
    check("Prometheus has read it through node_exporter",
          until(port, "count_over_time(xensched_moves_total[1m]) > 2"),
          *open(FOLDER + "/prometheus.log", encoding="utf-8"))
    for line in text.splitlines():
        if line.startswith("xensched_moves_total"):
            wanted = float(line.split()[1])
    check("a counter has its value",
          query(port, "xensched_moves_total")[0][1] == wanted == 1)
    samples = [line for line in text.splitlines() if line[0] != "#"]
    found = query(port, '{__name__=~"xensched_.*"}')
    check("no sample is missing", len(found) == len(samples),
          len(found), len(samples))
    names = {labels.get("from_domain") for labels, _ in
             query(port, "xensched_rate")}
    check("names of domains are what they were", 'd\\is"k' in names, names)


def test_dashboard(port):
    check("the dashboard's lines tell hosts apart", not hostless(DASHBOARD),
          *hostless(DASHBOARD))
    for title, expression in panels(DASHBOARD):
        try:
            good = bool(query(port, expression))
        except (OSError, ValueError) as error:
            good = False
            expression += "\n%s" % error
        check("dashboard, %s: there is something to be seen" % title, good,
              expression)


def main():
    if not os.access(METRICS_TEST, os.X_OK):
        print("Bail out! %s is not built: make unit" % METRICS_TEST)
        return 1
    fetch()
    text = write_metrics()
    test_file(text)
    exporter, port = free_port(), free_port()
    with open(FOLDER + "/prometheus.yml", "w", encoding="utf-8") as file:
        file.write("global: {scrape_interval: 1s}\n"
                   "scrape_configs: [{job_name: node, static_configs: "
                   "[{targets: ['127.0.0.1:%d']}]}]\n" % exporter)
    with running("prometheus-node-exporter", FOLDER + "/exporter.log",
                 "--collector.disable-defaults",
                 "--collector.textfile",
                 "--collector.textfile.directory=%s/textfile" % FOLDER,
                 "--web.listen-address=127.0.0.1:%d" % exporter), \
            running("prometheus", FOLDER + "/prometheus.log",
                    "--config.file=%s/prometheus.yml" % FOLDER,
                    "--storage.tsdb.path=%s/data" % FOLDER,
                    "--web.listen-address=127.0.0.1:%d" % port):
        test_prometheus(port, text)
        test_dashboard(port)
    return TAP.finish()


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
