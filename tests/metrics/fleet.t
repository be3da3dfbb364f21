#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Two hosts, a real Prometheus that scrapes both, its rules, the fleet's dashboard, and
xensched fleet.

The hosts are two of "xensched traffic" with a synthetic nft and xenstore: on A
guest a1 sends b1 on B 4 MB/s, and 8 MB/s to a2 on A; b1 answers with 1 MB/s.
tests/metrics/fleet-hosts.t does it with two hosts in boxes.  Writes TAP.
"""

import contextlib
import json
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

XENSCHED = os.environ.get("XENSCHED", TOP + "/build/unit/bin/xensched-test")
RULES = TOP + "/tools/xensched/prometheus/xensched-rules.yml"
DASHBOARD = TOP + "/tools/xensched/grafana/xensched-fleet.json"
DOCS = TOP + "/docs/operate/fleet.md"
FOLDER = tempfile.mkdtemp(prefix="xensched-fleet-")
TAP = Tap()
MAC = {name: "00:16:3e:00:00:" + name for name in ("a1", "a2", "b1")}
# Each host: its guests by domid, and what they send to each peer, bytes per second.
HOSTS = {
    "A": ({1: "a1", 2: "a2"}, ((1, "b1", 4e6), (1, "a2", 8e6), (2, "a1", 5e5))),
    "B": ({1: "b1"}, ((1, "a1", 1e6),)),
}
# Says what the kernel would if it had counted since this file was made.
NFT = """#!/usr/bin/python3
import json, os, sys, time
seconds = time.time() - os.stat(__file__).st_mtime
print(json.dumps({"nftables": [{"set": {"name": "named"}}, {"rule": {}}, {"rule": {}},
  {"set": {"name": "sent", "elem": [
    {"elem": {"val": {"concat": ["vif%d.0" % domid, mac]},
              "counter": {"packets": 1, "bytes": int(rate * seconds)}}}
    for domid, mac, rate in RATES]}}]}))
"""


def check(what, good, *why):
    TAP.check(good, what, *why)


def documented(heading, shown, real):
    """The command below this heading of the document, with a part of it replaced."""
    command = subprocess.run([TOP + "/tests/host/tutorial.py", DOCS, heading], check=True,
                             stdout=subprocess.PIPE).stdout.decode()
    check("the document has '%s'" % shown, shown in command, command)
    return [XENSCHED, *command.replace(shown, real).split()[1:]]


def make_host(name):
    """Its folder, with what it has for a xenstore and an nft."""
    guests, sends = HOSTS[name]
    folder = "%s/%s" % (FOLDER, name)
    os.makedirs(folder + "/textfile")
    with open(folder + "/nft", "w", encoding="utf-8") as f:
        f.write(NFT.replace("RATES", repr([(d, MAC[peer], rate)
                                           for d, peer, rate in sends])))
    os.chmod(folder + "/nft", 0o755)
    with open(folder + "/xenstore", "w", encoding="utf-8") as f:
        for domid, guest in guests.items():
            f.write("/local/domain/%d/name %s\n/local/domain/%d/vm /vm/uuid-%s\n"
                    "/local/domain/0/backend/vif/%d/0/mac %s\n"
                    % (domid, guest, domid, guest, domid, MAC[guest]))
    return folder


@contextlib.contextmanager
def host(name, port):
    """xensched traffic, and the node_exporter that tells what it writes."""
    folder = make_host(name)
    # In a network of its own: a second one is refused in the same.
    process = subprocess.Popen(
        ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"]),
         *documented("On each host", "/var/lib/prometheus/node-exporter", folder + "/textfile")],
        env=dict(os.environ, FAKE_XENSTORE=folder + "/xenstore",
                 PATH=folder + ":" + os.environ["PATH"]))
    try:
        with running("prometheus-node-exporter", folder + "/log",
                     "--collector.disable-defaults", "--collector.textfile",
                     "--collector.textfile.directory=%s/textfile" % folder,
                     "--web.listen-address=127.0.0.1:%d" % port):
            yield folder
    finally:
        process.terminate()
        process.wait()


def configure(ports):
    targets = "\n".join("      - {targets: ['127.0.0.1:%d'], labels: {instance: %s}}"
                        % (port, name) for name, port in ports.items())
    with open(FOLDER + "/prometheus.yml", "w", encoding="utf-8") as file:
        file.write("global: {scrape_interval: 1s, evaluation_interval: 1s}\n"
                   "rule_files: ['%s']\n"
                   "scrape_configs:\n"
                   "  - job_name: xensched\n"
                   "    static_configs:\n%s\n" % (RULES, targets))


def promtool(*arguments, **options):
    done = subprocess.run([TOOLS + "/usr/bin/promtool", *arguments],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **options)
    return done.returncode, done.stdout.decode()


def test_rules():
    code, said = promtool("check", "rules", RULES)
    check("promtool finds nothing wrong with the rules", code == 0, said)
    code, said = promtool("test", "rules", TOP + "/tests/metrics/rules.test.yml")
    check("pairs across hosts are separate from others, also when one moves",
          code == 0, said)


def test_documented(folder):
    with open(folder + "/textfile/xensched-traffic.prom", encoding="utf-8") as file:
        written = set(re.findall(r"^xensched_\w+", file.read(), re.M))
    with open(RULES, encoding="utf-8") as file:
        written |= set(re.findall(r"record: (\S+)", file.read()))
    with open(DOCS, encoding="utf-8") as file:
        text = file.read()
    check("each metric and each rule is documented",
          all("`%s`" % name in text or "ready" in name for name in written), written)


def fleet(port, *options):
    done = subprocess.run(
        [XENSCHED, "fleet", "--prometheus", "http://127.0.0.1:%d/" % port, *options],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode()


def near(value, wanted):
    return wanted / 1.8 < value < 1.8 * wanted


# Data exist for some seconds of the 5 minutes, so rates are still too low, on both
# hosts by about the same factor.
def test_fleet(port):
    code, said = fleet(port, "--least", "64K", "--json")
    check("it is found out", code == 0, said)
    found = json.loads(said)["pairs"] if code == 0 else []
    check("a1 and b1, and they alone, should share a host",
          [[vm["name"] for vm in pair["vms"]] for pair in found] == [["a1", "b1"]],
          said)
    one, other = found[0]["vms"] if found else ({}, {})
    check("both hosts and UUIDs are printed",
          [(vm.get("host"), vm.get("uuid")) for vm in (one, other)] ==
          [("A", "uuid-a1"), ("B", "uuid-b1")], said)
    check("a1 sends four times as much of it as b1",
          near(one.get("sends_bytes_per_s", 0),
               4 * other.get("sends_bytes_per_s", 1)), said)
    check("and how much of all that it sends",
          abs(one.get("share_of_sent", 0) - 1 / 3) < 0.1 and
          other.get("share_of_sent") == 1, said)
    done = subprocess.run(
        documented("Many hosts", "http://localhost:9090", "http://127.0.0.1:%d" % port),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    said = done.stdout.decode()
    check("the document's command names them", done.returncode == 0 and
          said.startswith("a1 and b1 should share a host"), said)
    code, said = fleet(port, "--least", "1G")
    check("with a higher --least there is no pair",
          code == 0 and said.startswith("no guests of different hosts"), said)


def test_dashboard(port):
    check("the dashboard's lines tell hosts apart", not hostless(DASHBOARD),
          *hostless(DASHBOARD))
    for title, expression in panels(DASHBOARD):
        hosts = set()
        with contextlib.suppress(OSError, ValueError):
            for labels, _ in query(port, expression):
                hosts |= {labels.get("instance"), labels.get("host")}
        # Sums have no host.
        check("dashboard, %s: both hosts are to be seen" % title,
              {"A", "B"} <= hosts or (hosts == {None} and "sum(" in expression),
              expression, hosts)


def main():
    if not os.access(XENSCHED, os.X_OK):
        print("Bail out! %s is not built: make unit" % XENSCHED)
        return 1
    fetch()
    test_rules()
    ports, port = {name: free_port() for name in HOSTS}, free_port()
    configure({})
    with running("prometheus", FOLDER + "/prometheus.log",
                 "--config.file=%s/prometheus.yml" % FOLDER,
                 "--storage.tsdb.path=%s/data" % FOLDER, "--web.enable-lifecycle",
                 "--web.listen-address=127.0.0.1:%d" % port), \
            host("A", ports["A"]) as folder, host("B", ports["B"]):
        until(port, "vector(1)")
        code, said = fleet(port)
        check("without metrics, the command that has to run is named",
              code == 1 and "run 'xensched traffic' on each host" in said, said)
        configure(ports)
        subprocess.run(["curl", "-fsS", "-X", "POST",
                        "http://127.0.0.1:%d/-/reload" % port], check=True)
        # Rates are true when they are made of some looks.
        check("Prometheus has scraped both hosts",
              until(port, "count(count_over_time(xensched:pair_bytes_across_hosts:"
                    "rate5m[5m]) > 20) == 2", 120),
              *open(FOLDER + "/prometheus.log", encoding="utf-8"))
        test_fleet(port)
        test_dashboard(port)
        test_documented(folder)
    return TAP.finish()


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
