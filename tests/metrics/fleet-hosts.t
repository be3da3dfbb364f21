#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Two Xen hosts in boxes with a network between them, a Prometheus that scrapes both, and
xensched fleet: the example of docs/operate/fleet.md.

a1 on host A sends to b1 on host B all the time, and to a2 on A as well.  Fails if a1 and
b1 are not named as guests that should share a host, or a1 and a2 are, or if either host is
missing in a window of the dashboards.  Writes TAP.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.append(TOP + "/tests")
from prometheus import fetch, free_port, panels, query, running, until  # noqa: E402
from tap import Tap  # noqa: E402  (tests/tap.py)

XENSCHED = TOP + "/build/tools/xensched"
RULES = TOP + "/tools/xensched/prometheus/xensched-rules.yml"
GRAFANA = TOP + "/tools/xensched/grafana/"
FOLDER = tempfile.mkdtemp(prefix="xensched-hosts-")
TAP = Tap()
# nc ends when its input does: the listener has one that does not.
HEAR = "mkfifo /silence; exec 3<>/silence; while nc -l -p 7000 <&3 >/dev/null; do :; done"
SAY = "while :; do head -c 500000 /dev/zero | nc -w 5 %s 7000; usleep 500000; done"
GUESTS = {
    "A": (("a2", "10.0.0.2/24", HEAR),
          ("a1", "10.0.0.1/24",
           "(%s) & %s" % (SAY % "10.0.0.17", SAY % "10.0.0.2"))),
    "B": (("b1", "10.0.0.17/24", HEAR),),
}
LEAST = "50K"


def check(what, good, *why):
    TAP.check(good, what, *why)


def bring_nft():
    """nft and its libraries, in a folder that a box can take along."""
    folder = FOLDER + "/nft"
    os.mkdir(folder)
    program = shutil.which("nft", path="/usr/sbin:/sbin:/usr/bin")
    said = subprocess.run(["ldd", program], stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    for file in [program, *re.findall(r"=> (/\S+)", said)]:
        if not re.search(r"/(libc|ld-linux)[.-]", file):
            shutil.copy(file, folder)
    return folder


def network(number, lan, port):
    """A host's two cards: to the other host, and to Prometheus."""
    here, there = lan[number], lan[1 - number]
    mac = "52:54:00:00:%02x:%%02x" % number
    return [
        "--netdev", "socket,id=lan,udp=127.0.0.1:%d,localaddr=127.0.0.1:%d"
        % (there, here),
        "--device", "virtio-net-pci,netdev=lan,romfile=,mac=" + mac % 1,
        "--netdev", "user,id=scrape,restrict=on,hostfwd=tcp:127.0.0.1:%d-:80" % port,
        "--device", "virtio-net-pci,netdev=scrape,romfile=,mac=" + mac % 2,
    ]


@contextlib.contextmanager
def host(name, number, lan, port, nft):
    """A box, which writes what it says to a file; it is gone in the end."""
    folder = "%s/%s" % (FOLDER, name)
    os.mkdir(folder)
    with open(folder + "/plan", "w", encoding="utf-8") as plan:
        plan.write("".join("%s %s %s\n" % guest for guest in GUESTS[name]))
    with open(folder + "/log", "wb") as log:
        process = subprocess.Popen(
            [TOP + "/tests/host/box", "--timeout", "3000",
             *network(number, lan, port),
             TOP + "/tests/metrics/fleet-dom0.sh", folder + "/plan", nft],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()


def said(name):
    with open("%s/%s/log" % (FOLDER, name), encoding="utf-8",
              errors="replace") as log:
        return log.read()


def until_up(name, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if "all run" in said(name):
            return True
        time.sleep(1)
    return False


def configure(ports):
    job = "  - job_name: %s\n    metrics_path: /%s.prom\n    static_configs:\n%s\n"
    targets = "\n".join("      - {targets: ['127.0.0.1:%d'], labels: {instance: %s}}"
                        % (port, name) for name, port in ports.items())
    with open(FOLDER + "/prometheus.yml", "w", encoding="utf-8") as file:
        file.write("global: {scrape_interval: 5s, evaluation_interval: 5s}\n"
                   "rule_files: ['%s']\nscrape_configs:\n" % RULES)
        for name in "xensched", "traffic":
            file.write(job % (name, name, targets))


def fleet(port, *options):
    """What xensched fleet says, and how it ended."""
    done = subprocess.run(
        [XENSCHED, "fleet", "--prometheus", "http://127.0.0.1:%d" % port,
         "--least", LEAST, *options], check=False,
        env=dict(os.environ, LD_LIBRARY_PATH=TOP + "/build/dist/usr/lib"),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode()


def test_fleet(port):
    code, text = fleet(port)
    pairs = re.findall(r"^(\w+) and (\w+) should share a host", text, re.M)
    check("a1 and b1 should share a host, and no others", code == 0 and
          [set(pair) for pair in pairs] == [{"a1", "b1"}], text)
    for line in text.splitlines():
        print("# " + line)
    check("the hosts of both are printed", re.search(r"a1 on A sends", text)
          and re.search(r"b1 on B sends", text), text)
    local = query(port, 'xensched:pair_bytes:rate5m{domain="a1",peer="a2"}')
    check("a1 and a2 exchange as much, and it is known that it is within A",
          len(local) == 1 and local[0][1] > 50 * 1024 and
          (local[0][0]["host"], local[0][0]["peer_host"]) == ("A", "A"), local)


def hosts_of(port, expression):
    hosts = set()
    for labels, _ in query(port, expression):
        hosts |= {labels.get("instance"), labels.get("host")}
    return hosts


def test_dashboards(port):
    for board in "xensched.json", "xensched-fleet.json":
        wrong = []
        for title, expression in panels(GRAFANA + board):
            try:
                hosts_of(port, expression)
            except (OSError, ValueError) as error:
                wrong.append((title, expression, error))
        check("Prometheus understands each window of %s" % board, not wrong, *wrong)
    for expression in ("xensched_uptime_seconds", "xensched_service_share",
                       "xensched_traffic_guest"):
        hosts = hosts_of(port, expression)
        check("both hosts are seen in %s" % expression, {"A", "B"} <= hosts, hosts)


def main():
    fetch()
    ports = {name: free_port() for name in GUESTS}
    lan, port = [free_port(), free_port()], free_port()
    configure(ports)
    nft = bring_nft()
    with host("A", 0, lan, ports["A"], nft), host("B", 1, lan, ports["B"], nft), \
            running("prometheus", FOLDER + "/prometheus.log",
                    "--config.file=%s/prometheus.yml" % FOLDER,
                    "--storage.tsdb.path=%s/data" % FOLDER,
                    "--web.listen-address=127.0.0.1:%d" % port):
        for name in GUESTS:
            check("host %s has its guests" % name, until_up(name, 900), said(name))
        # Rates are those of 5 minutes, and too low until then.
        check("Prometheus knows of traffic across hosts", until(
            port, "count(count_over_time(xensched:pair_bytes_across_hosts:rate5m[10m])"
            " > 66) == 2", 900), said("A"), said("B"))
        test_fleet(port)
        test_dashboards(port)
    return TAP.finish()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
