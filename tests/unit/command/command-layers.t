#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Through all layers: a thread that waits for a thread that waits for the disk, requests on
rings, the daemon's decisions, and whether a guest's rows agree with Xen's.
"""

import copy
import json

from command_world import alone, check, main, path, run, test
from perfetto_trace import as_perfetto
from recording_made import (
    CRUNCH, DISK, DOM0, DRIVER, GUEST, LINUX, MS, XEN, Recording, slow_request,
    slow_request_with_threads, through_all_layers)


def said(recording, *arguments):
    file = recording.write(path("recording"))
    return json.loads(run("timeline", file, "--json", *arguments).expect(0).out)


def why(recording, *arguments, code=0, words=""):
    file = recording.write(path("recording"))
    ended = run("why", file, *arguments).expect(code, words)
    return [" ".join(line.split()) for line in ended.out.splitlines()]


def in_this_order(lines, *words):
    at = 0
    for some in words:
        found = [i for i in range(at, len(lines)) if some in lines[i]]
        check(found, some, "\n".join(lines[at:]))
        at = found[0]


@test
def a_thread_through_all_layers():
    """why --thread: thread, thread, interrupt, vCPU, back end's thread, pCPU, and its holder"""
    lines = why(through_all_layers(), "disk", "--thread", "cp", "--at", "0.0425")
    in_this_order(
        lines, "cp 300 of disk had disk from 0.042000 s to 0.044000 s",
        "it waited 1.0 ms for disk", "writer<b>& 301 had it for 1.0 ms",
        "writer<b>& 301 woke it",
        "writer<b>& 301 of disk had disk from 0.040700 s and woke it 300.0 us later",
        "it slept, usually for a device, from 0.001000 s to 0.040600 s",
        "an interrupt on disk woke it",
        "disk ran on pCPU 1 from 0.040600 s and took the interrupt",
        "Domain-0 notified it at 0.040500 s from pCPU 0",
        "2.xvda-0 77 of Domain-0 had Domain-0 from 0.040002 s and sent the "
        "notification 498.0 us later",
        "an interrupt on Domain-0 woke it",
        "Domain-0 ran on pCPU 0 from 0.040000 s and took the interrupt 1.0 us later",
        "it waited 39.0 ms for pCPU 0:", "crunch ran there for 39.0 ms",
        "disk notified it at 0.001000 s from pCPU 1")


@test
def a_thread_whose_vcpu_was_late():
    """why --thread: a ready thread whose vCPU had no pCPU"""
    r = slow_request_with_threads()
    # The thread is woken by another vCPU's row before dom0's vCPU can run.
    dom0 = 1
    r.wake(5 * MS, dom0, 1, 0, 78, interrupt=True)
    r.switch(40 * MS + 950000, dom0, 0, 0, 78)
    r.switch(40 * MS + 990000, dom0, 0, 78, 0)
    lines = why(r, "Domain-0", "--thread", "78", "--at", "0.0409")
    in_this_order(lines, "PID 78 of Domain-0 had Domain-0 from 0.040950 s",
                  "it waited 36.0 ms for Domain-0",
                  "but Domain-0 had a pCPU from 0.040000 s only",
                  "Domain-0 ran on pCPU 0 from 0.040000 s",
                  "crunch ran there for 39.0 ms")


@test
def threads_that_are_not_there():
    """why --thread of an unknown thread, or after its end, reports that"""
    why(slow_request_with_threads(), "disk", "--thread", "nobody", "--at", "0",
        code=1, words="no thread 'nobody'")
    why(slow_request_with_threads(), "disk", "--thread", "cp", "--at", "0.049",
        code=1, words="did not run")
    why(slow_request_with_threads(), "disk", "--thread", "2.xvda-0", "--at", "0",
        code=1, words="no thread '2.xvda-0'")


@test
def requests_of_rings():
    """timeline: requests on a ring, from the notification to the response"""
    rings = said(through_all_layers())["rings"]
    check(len(rings) == 1, rings)
    ring = rings[0]
    check((ring["front"], ring["back"]) == ("disk", "Domain-0"), ring)
    check(ring["requests"] == 2 and ring["notified"] == 1, ring)
    check(ring["sectors"] == 24, ring)
    # From 1 ms on; the second request waits for the first one.
    check(ring["max_ns"] == 39 * MS + 400000, ring)
    check(ring["busy_ns"] == 39 * MS + 450000, ring)
    out = run("timeline", through_all_layers().write(path("recording"))).expect(0).out
    check("RING OF" in out and "39.4 ms" in out, out)


@test
def dump_of_many():
    """dump: guests' rows have the host's time, the source, and names by domid"""
    r = Recording(["Domain-0", "crunch", "disk"])
    r.row(5 * MS, 0, "evtchn-recv", DISK, DOM0)
    guest = r.source(GUEST, 1, "crunch", offset=-5 * 10 ** 8)
    driver = r.source(DRIVER, 2, "disk", offset=7 * 10 ** 8)
    r.row(5 * MS, 3, "guest-switch", 1, 0, source=guest)
    r.response(5 * MS, driver, DISK, DOM0, 8)
    out = run("dump", r.write(path("recording"))).expect(0).out
    rows = [line.split() for line in out.splitlines()]
    check(rows[0][-1] == "source", rows[0])
    check({row[0] for row in rows[1:]} == {"1.005000000"}, out)
    check([(row[3], row[4], row[6:]) for row in rows[1:]] ==
          [("disk", "Domain-0", []),
           ("crunch", "Domain-0", ["guest", "crunch"]),
           ("disk", "Domain-0", ["driver", "disk"])], out)


@test
def names_of_sources():
    """the name of a source has up to 255 bytes, and UTF-8 is kept"""
    name = "Büro" * 51
    r = Recording(["Domain-0", "crunch"])
    guest = r.source(GUEST, 9, name)
    r.switch(5 * MS, guest, 0, 0, 7)
    r.switch(6 * MS, guest, 0, 7, 0)
    file = r.write(path("recording"))
    found = json.loads(run("contents", "--json", file).expect(0).out)
    check(found["sources"][0]["name"] == name, found)
    run("contents", file).expect(0, " %s " % name)
    run("dump", file).expect(0, " guest %s\n" % name)
    check(name.encode().decode("latin-1") in str(as_perfetto(r)))


@test
def rebooted():
    """a domain that rebooted keeps its threads and rings, and has both domids"""
    r = through_all_layers()
    later = copy.deepcopy(r.host)
    later["domains"][2]["domid"] = 7
    r.later_hosts.append(later)
    again = r.source(GUEST, 7, "disk")
    r.name(42 * MS, again, 0, 20, "init", 20)
    r.switch(43 * MS, again, 0, 0, 20)
    r.switch(44 * MS, again, 0, 20, 0, "S")
    found = said(r)
    check({(t["domain"], t["pid"]) for t in found["threads"]} ==
          {("disk", 300), ("disk", 301), ("disk", 20), ("Domain-0", 77)},
          found["threads"])
    check(all("vcpu" in t and t["vcpu"].startswith(t["domain"])
              for t in found["threads"]), found["threads"])
    file = r.write(path("recording"))
    for name in ("2", "7", "disk"):
        run("why", file, name, "--at", "0.0406").expect(0, "disk ran on pCPU 1")


@test
def domains_of_a_group():
    """domains that share a number have the name of their group, and each name finds them"""
    r = slow_request()
    r.host["domains"][2]["group"] = "web"
    file = r.write(path("alone"))
    check("(group web)" not in run("timeline", file).expect(0, "disk").out)
    r.host["domains"].append(dict(r.host["domains"][2], domid=3, name="disk2"))
    file = r.write(path("recording"))
    check("(group web)" in run("timeline", file).expect(0).out)
    for name in ("web", "(group web)", "disk", "disk2", "3"):
        run("latency", file, name).expect(0, "(group web)")


@test
def percentiles_of_few():
    """the P99 of two requests is the slower one, as for notifications"""
    r = Recording(["Domain-0", "crunch", "disk"])
    r.row(0, 3, "runq", XEN)
    dom0 = r.source(LINUX, 0, "Domain-0")
    for begin, took in ((1 * MS, 1000), (2 * MS, 500000)):
        r.row(begin, 1, "evtchn-recv", DOM0, DISK)
        r.response(begin + took, dom0, DOM0, DISK, 8)
    r.row(3 * MS, 3, "runq", XEN)
    ring = said(r)["rings"][0]
    check((ring["p50_ns"], ring["p99_ns"], ring["max_ns"]) ==
          (1000, 500000, 500000), ring)


@alone
def many_losses():
    """a hundred thousand losses are read within seconds"""
    r = Recording(["Domain-0", "crunch", "disk"])
    dom0 = r.source(LINUX, 0, "Domain-0")
    for number in range(100000):
        now = number * 10000
        r.stay(now, now + 1000, 0, DISK, XEN)
        r.lose(0, "service-ns", 1)
        r.row(now, 1, "evtchn-recv", CRUNCH, DISK)
        r.lose(1, "evtchn-recv", 1)
        r.response(now + 2000, dom0, DOM0, DISK, 8)
    check(len(said(r)["rings"]) == 1)


@test
def requests_whose_notification_was_lost():
    """a request whose notification may be lost begins with its response"""
    r = through_all_layers()
    r.row(45 * MS, 1, "evtchn-recv", CRUNCH, DISK)
    r.lose(1, "evtchn-recv", 3)
    r.row(49 * MS, 1, "evtchn-recv", CRUNCH, DISK)
    r.response(48 * MS, 1, DOM0, DISK, 8)
    ring = said(r)["rings"][0]
    check(ring["requests"] == 3 and ring["busy_ns"] == 39 * MS + 450000, ring)


@test
def rings_of_a_liar():
    """a driver domain serves its own rings only, whatever it reports, and any number of them"""
    r = slow_request()
    crunch = r.source(DRIVER, 1, "crunch")
    for front in range(2, 3000):
        r.response(10 * MS + front, crunch, DOM0, front, 2 ** 29 - 1, 7)
    rings = said(r)["rings"]
    check({ring["back"] for ring in rings} == {"crunch"}, rings[:3])
    check(len(rings) == 1024, len(rings))


@test
def decisions_of_the_daemon():
    """timeline: the daemon's decisions, with time and reason"""
    decisions = said(through_all_layers())["decisions"]
    found = [(d["domain"], d["text"]) for d in decisions]
    check(found == [("disk", "move to pCPUs 2-3: 98 % of its <b>interactions"),
                    ("Domain-0", "outcome: it is better")], decisions)
    # The recording's clock is dom0's, later by the delay of its reader.
    times = [d["at_ns"] for d in decisions]
    check(times[1] - times[0] == 3 * MS, times)
    out = run("timeline", through_all_layers().write(path("recording"))).expect(0).out
    check("disk: move to pCPUs 2-3: 98 %" in out, out)


@test
def damaged_journals():
    """a damaged journal in a recording does no harm"""
    for journal in ({}, "x", [1, None, {}], [{"at_ns": -1, "domid": 0}],
                    [{"at_ns": 1e300, "domid": 0}],
                    [{"at_ns": 11 * 10 ** 9 + 1, "domid": -5}],
                    [{"at_ns": 11 * 10 ** 9 + 1, "domid": 2, "what": 7,
                      "reason": "x" * 100000}]):
        r = slow_request()
        r.host["journal"] = journal
        for decision in said(r)["decisions"]:
            check(len(decision["text"]) < 500, decision)


@test
def rows_while_the_vcpu_did_not_run():
    """timeline counts rows that a guest wrote while Xen says it did not run"""
    checks = said(slow_request_with_threads())["checks"]
    check(checks["rows_of_linux"] > 10, checks)
    check(checks["rows_while_not_running"] == 0, checks)
    r = slow_request_with_threads()
    # The vCPU slept from 1 ms to 40.5 ms.
    for ns in (10, 12, 14):
        r.switch(ns * MS, 2, 0, 0, 300)
        r.switch(ns * MS + 1, 2, 0, 300, 0)
    checks = said(r)["checks"]
    check(checks["rows_while_not_running"] == 6, checks)
    check(8 * MS < checks["absent_ns"] < 15 * MS, checks)
    # Without these rows the vCPU that ran is uncertain.
    hint = "migrate is not logged"
    file = r.write(path("recording"))
    check(hint in run("timeline", file).expect(0).out)
    r.row(50 * MS + 1000, 0, "migrate", DISK, counter=1 << 16)
    check(hint not in run("timeline", r.write(file)).expect(0).out)


@test
def layers_in_perfetto():
    """--perfetto: requests are slices with a flow, decisions are instants"""
    packets = as_perfetto(through_all_layers())
    names = [p["track_event"][0].get("name", [None])[0] for p in packets
             if "track_event" in p]
    check("read, 8 sectors" in names and "write, 16 sectors" in names, names)
    check("asks" in names and "response" in names, names)
    check("xenschedd: move to pCPUs 2-3: 98 % of its <b>interactions" in names,
          names)


main()
