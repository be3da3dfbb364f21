# SPDX-License-Identifier: GPL-2.0-only
"""Debian's Prometheus and node_exporter, run for a test, and asked."""

import contextlib
import json
import os
import re
import socket
import subprocess
import time
import urllib.parse
import urllib.request

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
TOOLS = TOP + "/build/prometheus"


def fetch():
    subprocess.run([TOP + "/tests/metrics/fetch.sh", TOOLS], check=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(name, log, *arguments):
    """One of its programs, in the background; what it says is in the file log."""
    with open(log, "wb") as out:
        process = subprocess.Popen([TOOLS + "/usr/bin/" + name, *arguments],
                                   stdout=out, stderr=out)
        try:
            yield
        finally:
            process.kill()
            process.wait()


def query(port, expression):
    """What Prometheus answers: a list of (labels, value)."""
    url = "http://127.0.0.1:%d/api/v1/query?%s" % (
        port, urllib.parse.urlencode({"query": expression}))
    with urllib.request.urlopen(url, timeout=10) as answer:
        value = json.load(answer)
    if value["status"] != "success":
        raise ValueError(value)
    return [(sample["metric"], float(sample["value"][1]))
            for sample in value["data"]["result"]]


def until(port, expression, seconds=60):
    """Wait until it has a value; False: it never had."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, ValueError):
            if query(port, expression):
                return True
        time.sleep(0.2)
    return False


def targets(board):
    """The panels of a dashboard: (title, Grafana's query and its legend) of each."""
    with open(board, encoding="utf-8") as file:
        for panel in json.load(file)["panels"]:
            for target in panel["targets"]:
                yield panel["title"], target


def panels(board):
    """The panels of a dashboard: (title, expression) of each, for all hosts."""
    for title, target in targets(board):
        yield title, target["expr"].replace("$instance", ".*")


def hostless(board):
    """Titles of those panels whose lines do not say of which host they are."""
    return [title for title, target in targets(board)
            if not re.search(r"{{(instance|host)}}", target["legendFormat"])
            and not re.match(r"sum\([^,]*\)$", target["expr"])]
