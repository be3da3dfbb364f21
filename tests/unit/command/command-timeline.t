#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""xensched timeline, latency and why, for schedules of which every answer is known.
"""

import copy
import json
import os
import random
import re

from command_world import TOP, check, main, path, run, test
from recording_made import (
    CRUNCH, DISK, DOM0, GUEST, LINUX, MS, NONE, XEN, Recording, paged_requests,
    slow_request, slow_request_with_threads, with_counters)
from perfetto_trace import as_perfetto, one


def analysed(command, recording, *arguments, code=0):
    file = recording.write(path("recording"))
    return run(command, file, *arguments).expect(code)


@test
def timeline_sums():
    """timeline: the states of each vCPU add up to the whole time"""
    said = json.loads(analysed("timeline", slow_request(), "--json").out)
    check(said["length_ns"] == 50 * MS, said["length_ns"])
    vcpus = {v["domain"]: v for v in said["vcpus"]}
    dom0 = vcpus["Domain-0"]
    check(dom0["running_ns"] == 1 * MS and dom0["runnable_ns"] == 39 * MS, dom0)
    check(vcpus["crunch"]["running_ns"] == 49 * MS, vcpus)
    for vcpu in vcpus.values():
        parts = [vcpu[key + "_ns"] for key in
                 ("running", "runnable", "blocked", "unknown", "lost")]
        check(sum(parts) == said["length_ns"], vcpu)
    check(said["checks"]["disordered"] == 0, said)


@test
def timeline_text():
    """timeline as text: the share of the time that each domain ran"""
    out = analysed("timeline", slow_request()).out
    check("Domain-0" in out and "RUNNABLE" in out, out)


@test
def timeline_costs():
    """timeline prints the cost per page or notification, the back end's time included"""
    for pages, unit, cost, back_end in (2, "page", 25, 10), (0, "notification", 50, 20):
        r = paged_requests(pages)
        found, = json.loads(analysed("timeline", r, "--json").out)["costs"]
        check(found["domain"] == "disk" and found["cost_per"] == unit, found)
        check(found["cost_us"] == cost and found["back_ends_us"] == back_end, found)
        check("%.2f us/%s" % (cost, unit) in analysed("timeline", r).out)
    # The log counts no maps of a back end that reports the pages of its ring.
    r = paged_requests(0)
    dom0 = r.source(LINUX, 0, "Domain-0")
    for i in range(50):
        r.row(i * MS + 20500, 0, "ring-pages", DOM0, DISK, 2, file=1, source=dom0)
    found, = json.loads(analysed("timeline", r, "--json").out)["costs"]
    check((found["units"], found["cost_us"], found["cost_per"]) == (100, 25, "page"), found)
    # There is no cost if only every nth row is recorded, or if a guest has no work.
    r.host["domains"][2]["thresholds"] = {"service-ns": 10}
    check(json.loads(analysed("timeline", r, "--json").out)["costs"] == [])
    check("COST" not in analysed("timeline", slow_request()).out)
    # Without service times a cost is unknown, not 0.
    r = paged_requests(service=False)
    check(json.loads(analysed("timeline", r, "--json").out)["costs"] == [])


@test
def latency_numbers():
    """latency: how long, in which part, and which domain ran instead"""
    said = json.loads(analysed("latency", slow_request(), "--json").out)
    pairs = {(p["from"], p["to"]): p for p in said["pairs"]}
    slow = pairs["disk", "Domain-0"]
    check(slow["total_ns"]["max"] == 39 * MS, slow)
    check(slow["delivery_ns"]["max"] == 0 and
          slow["wait_ns"]["max"] == 39 * MS, slow)
    check([(h["domain"], h["ns"]) for h in slow["waited_for"]] ==
          [("crunch", 39 * MS)], slow)
    quick = pairs["Domain-0", "disk"]
    check(quick["total_ns"]["p50"] == 100000, quick)
    check(quick["waited_for"][0]["domain"] == "idle", quick)


@test
def latency_of_one():
    """latency FILE DOMAIN: only notifications to that domain, by name or domid"""
    for domain in ("disk", "2"):
        said = json.loads(analysed("latency", slow_request(), domain,
                                   "--json").out)
        check({p["to"] for p in said["pairs"]} == {"disk"}, said)
    ended = analysed("latency", slow_request(), "nobody", code=1)
    check("nobody" in ended.err, ended.err)


@test
def name_of_the_dying():
    """a dying domain without a name keeps its former name"""
    r = slow_request()
    later = copy.deepcopy(r.host)
    later["domains"][2]["name"] = ""
    r.later_hosts.append(later)
    said = json.loads(analysed("latency", r, "disk", "--json").out)
    check({p["to"] for p in said["pairs"]} == {"disk"}, said)


@test
def latency_text():
    """latency as text names the domain that had the pCPU"""
    out = analysed("latency", slow_request()).out
    check("39.0 ms" in out and "crunch 100 %" in out, out)


@test
def latency_worst():
    """latency --worst: the longest waits of a domain, each with its causes"""
    out = analysed("latency", slow_request(), "Domain-0", "--worst", "2").out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    check(lines[0] == "1. Domain-0 waited 39.0 ms from 0.001000 s", out)
    for words in ("it waited 39.0 ms for pCPU 0:",
                  "0.001000 s crunch ran there for 39.0 ms",
                  "disk notified it at 0.001000 s from pCPU 1; it was runnable "
                  "0 ns later"):
        check(words in lines, words, out)
    check("2. " not in out, out)
    waits = re.findall(r"^[0-9]+\. disk waited (\S+ \S+) ", analysed(
        "latency", slow_request(), "disk", "--worst", "9").out, re.M)
    check(waits == ["100.0 us"], waits)
    chain = analysed("latency", slow_request(), "disk", "--worst", "1").out
    check(re.findall(r"^(\S+) ran on", chain, re.M) == ["disk", "Domain-0"], chain)
    for wrong in (("--worst", "3"), ("disk", "--worst", "0"),
                  ("disk", "--worst", "3", "--json")):
        analysed("latency", slow_request(), *wrong, code=2)


RT = 3
SYSCTL, EVENT_CHECK = 35, 4
PREEMPTED, CAPPED, MIGRATED = 0, 6, 8


def work(reason, times, ns):
    return reason << 54 | times << 32 | ns


def left(why):
    return why << 28


def isolated(kind):
    """rt has pCPU 1, works for 1 ms, and then is late for one of the reasons."""
    r = Recording(["Domain-0", "rt"])
    r.row(0, 0, "runq", XEN)
    r.stay(0, 1 * MS, 1, RT, woken=0)
    if kind in ("domain", "hypercall"):
        r.stay(5 * MS, 40 * MS, 1, DOM0, RT, woken=5 * MS)
        r.stay(40 * MS, 41 * MS, 1, RT, woken=10 * MS)
        r.row(4 * MS, 1, "irq-time", XEN, counter=work(2, 1, 1000))
        r.row(40 * MS + 9, 1, "irq-time", DOM0, counter=work(2, 30, 200000))
        if kind == "hypercall":
            # Rows of one tick follow each other.
            r.row(40 * MS + 900, 1, "hypercall-time", DOM0, counter=work(SYSCTL, 1, 34 * MS))
    elif kind == "interrupts":
        r.stay(10 * MS, 45 * MS, 1, RT, woken=10 * MS)
        for ms in (8, 18, 28, 38, 48):
            r.row(ms * MS, 1, "irq-time", RT if ms > 8 else XEN,
                  counter=work(EVENT_CHECK, 51 if ms == 48 else 50, 4 * MS))
    elif kind == "interrupts-idle":
        r.stay(30 * MS, 31 * MS, 1, RT, woken=10 * MS)
        r.row(8 * MS, 1, "irq-time", XEN, counter=work(2, 1, 1000))
        r.row(32 * MS, 1, "irq-time", XEN, counter=work(EVENT_CHECK, 900, 21 * MS))
    elif kind == "timer":
        # dom0's hypercall is longer than rt sleeps, so rt's timer is handled after it.
        r.stay(5 * MS, 90 * MS, 1, DOM0, RT, woken=5 * MS)
        r.row(4 * MS, 1, "irq-time", XEN, counter=work(2, 1, 1000))
        r.row(89 * MS + 950000, 1, "hypercall-time", DOM0, counter=work(SYSCTL, 2, 80 * MS))
        r.row(89 * MS + 950000, 1, "hypercall-time", DOM0, counter=work(29, 500, 2 * MS))
        r.stay(90 * MS, 91 * MS, 1, RT, woken=89 * MS + 900000)
    elif kind == "timer-idle":
        r.row(4 * MS, 1, "irq-time", XEN, counter=work(2, 1, 1000))
        r.row(30 * MS + 1000, 1, "irq-time", XEN, counter=work(6, 1, 18 * MS))
        r.stay(30 * MS, 31 * MS, 1, RT, woken=30 * MS)
    elif kind == "budget":
        r.stay(10 * MS, 13 * MS, 1, RT, woken=10 * MS)
        # Xen writes this row before it takes the time at which the run begins.
        r.row(40 * MS - 21000, 1, "off-cpu", RT, counter=left(CAPPED))
        r.stay(40 * MS, 41 * MS, 1, RT)
    elif kind in ("moved", "hotplug"):
        if kind == "hotplug":
            r.host["topology"] = [{}, {"online": False}, {}]
        r.stay(10 * MS, 13 * MS, 1, RT, woken=10 * MS)
        r.row(40 * MS, 2, "migrate", RT, counter=1 << 16 | 2)
        r.row(40 * MS, 2, "off-cpu", RT, counter=left(MIGRATED if kind == "moved" else PREEMPTED))
        r.stay(40 * MS, 41 * MS, 2, RT)
    elif kind == "woken-elsewhere":
        r.stay(5 * MS, 6 * MS, 2, DOM0)
        r.stay(10 * MS, 13 * MS, 1, RT, woken=10 * MS)
        r.row(40 * MS, 2, "migrate", RT, counter=1 << 16 | 2)
        r.stay(40 * MS, 41 * MS, 2, RT, woken=20 * MS)
    elif kind == "ticks":
        # The first tick's sum began before the recording; the third comes early.
        r.stay(2 * MS, 3 * MS, 1, RT, woken=2 * MS)
        r.row(3 * MS, 1, "irq-time", RT, counter=work(EVENT_CHECK, 50, 5 * MS))
        r.stay(10 * MS, 11 * MS, 1, RT, woken=10 * MS)
        r.row(12 * MS, 1, "irq-time", RT, counter=work(EVENT_CHECK, 50, 800000))
        r.stay(12 * MS + 100000, 13 * MS, 1, RT, woken=12 * MS + 100000)
        r.row(13 * MS, 1, "irq-time", RT, counter=work(EVENT_CHECK, 50, 700000))
    r.stay(95 * MS, 96 * MS, 1, RT, woken=95 * MS)
    return r


CAUSES = {
    "domain": "Domain-0 had pCPU 1 (29.8 ms)",
    "hypercall": "hypercalls of Domain-0, mostly sysctl (34.0 ms)",
    "interrupts": "interrupts on pCPU 1, mostly event-check-ipi (16.0 ms)",
    "interrupts-idle": "interrupts on pCPU 1, mostly event-check-ipi (18.3 ms)",
    "timer": "hypercalls of Domain-0, mostly sysctl (40.0 ms)",
    "timer-idle": "interrupts on pCPU 1, mostly other (18.0 ms)",
    "budget": "its budget was used up (27.0 ms)",
    "moved": "it had to leave pCPU 1 (27.0 ms)",
    "hotplug": "it had to leave pCPU 1, which was offline for a part of the recording "
               "(27.0 ms)",
    "woken-elsewhere": "it had to leave pCPU 1 (20.0 ms)",
    "ticks": "interrupts on pCPU 1, mostly event-check-ipi (800.0 us)",
}


@test
def causes():
    """latency --worst and why name the reason for which a run was late"""
    for kind, cause in CAUSES.items():
        out = analysed("latency", isolated(kind), "rt", "--worst", "1").out
        check("cause: " + cause in out.splitlines(), kind, out)


def missed_deadlines(periods=2):
    """rt is ready from 10 ms on, runs from 40 to 70 ms, and has 5 ms of each budget left."""
    r = Recording(["Domain-0", "rt"])
    r.row(0, 0, "runq", XEN)
    r.row(0, 1, "replenish", RT, counter=1 << 31 | 1)
    r.stay(5 * MS, 40 * MS, 1, DOM0, RT, woken=5 * MS)
    r.row(10 * MS - 1, 1, "replenish", RT, counter=0)
    r.row(10 * MS, 1, "replenish", RT, counter=2)
    r.row(40 * MS, 1, "replenish", RT, counter=0)
    r.row(50 * MS, 1, "replenish", DOM0, counter=1 << 31 | 7)
    for i in range(1, periods):
        r.row((60 + i) * MS, 1, "replenish", RT, counter=1 << 31 | 5 * MS)
    r.stay(40 * MS, 70 * MS, 1, RT, woken=10 * MS)
    r.row(70 * MS, 1, "replenish", RT, counter=3)
    r.row(70 * MS + 1, 1, "replenish", RT, counter=4)
    return r


@test
def deadlines():
    """latency --worst and why print the budgets and the missed deadlines of a run"""
    out = analysed("latency", missed_deadlines(), "rt", "--worst", "1").out
    lines = out.splitlines()
    check(lines[0] == "rt missed 2 of 7 deadlines", out)
    for words in ("  it got its next budget at 0.040000 s",
                  "  it missed its deadline at 0.061000 s, with 5.0 ms of its budget left"):
        check(lines.count(words) == 1, words, out)
    check(out.count("next budget") == 3 and out.count("missed its deadline") == 1, out)
    said = json.loads(analysed("why", missed_deadlines(), "rt", "--at", "0.041", "--json").out)
    check([(b["at_ns"], b["left_ns"], b["missed"]) for b in said["chain"][0]["budgets"]] ==
          [(10 * MS, 2, False), (40 * MS, 0, False), (61 * MS, 5 * MS, True), (70 * MS, 3, False)],
          said)
    many = analysed("why", missed_deadlines(9), "rt", "--at", "0.041").out
    check(many.count("next budget") + many.count("missed its deadline") == 4, many)
    check("  and 7 budgets more\n" in many, many)
    check("deadlines" not in analysed("latency", isolated("budget"), "rt", "--worst", "1").out)


@test
def xen_work():
    """why: how long Xen worked in a run, and while another domain had the pCPU"""
    out = analysed("why", isolated("interrupts"), "rt", "--at", "0.02").out
    check("of that, Xen worked for 16.0 ms: irq-time event-check-ipi 16.0 ms (201 times)"
          in out, out)
    r = isolated("hypercall")
    out = analysed("why", r, "rt", "--at", "0.02").out
    check("hypercall-time sysctl 29.1 ms (1 time)" in out, out)
    holder, = json.loads(analysed("why", r, "rt", "--at", "0.02", "--json").out
                         )["chain"][0]["waited_for"]
    check([(w["event"], w["reason"]) for w in holder["xen_work"]] ==
          [("hypercall-time", "sysctl"), ("irq-time", "timer")], holder)


@test
def many_kinds_of_work():
    """latency --worst: interrupts delay a run, whatever number of kinds of work there is"""
    r = Recording(["Domain-0", "rt"])
    r.row(0, 0, "runq", XEN)
    r.row(1 * MS, 1, "irq-time", XEN, counter=work(2, 1, 1000))
    r.stay(2 * MS, 30 * MS, 1, RT, woken=2 * MS)
    for reason in range(12, 30):
        r.row(12 * MS, 1, "hypercall-time", RT, counter=work(reason, 1, 1000))
    r.row(12 * MS + 900, 1, "irq-time", RT, counter=work(EVENT_CHECK, 50, 4 * MS))
    r.row(31 * MS, 1, "runq", XEN)
    out = analysed("latency", r, "rt", "--worst", "1").out
    check("interrupts on pCPU 1" in out and "(4.0 ms)" in out, out)


@test
def why_chain():
    """why: from the late run back to the domain that computed in the meantime"""
    out = analysed("why", slow_request(), "disk", "--at", "0.0406").out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    for words in ("disk ran on pCPU 1 from 0.040600 s to 0.045000 s",
                  "Domain-0 notified it at 0.040500 s from pCPU 0; it was "
                  "runnable 0 ns later",
                  "Domain-0 ran on pCPU 0 from 0.040000 s and sent the "
                  "notification 500.0 us later",
                  "it waited 39.0 ms for pCPU 0:",
                  "0.001000 s crunch ran there for 39.0 ms",
                  "disk notified it at 0.001000 s from pCPU 1; it was runnable "
                  "0 ns later"):
        check(words in lines, words, out)


@test
def why_at_printed_time():
    """why: a printed time, which lacks the last digits, means the wait that begins there"""
    r = Recording(["Domain-0", "rt"])
    r.row(0, 0, "runq", XEN)
    r.stay(0, 5 * MS + 400, 1, RT, DOM0, woken=0)
    r.stay(5 * MS + 400, 7 * MS, 1, DOM0, RT, woken=5 * MS)
    r.stay(7 * MS, 8 * MS, 1, RT)
    r.row(9 * MS, 0, "runq", XEN)
    at = re.search(r" from ([0-9.]+) s", analysed("latency", r, "rt", "--worst", "1").out)
    check(at.group(1) == "0.005000", at.group(1))
    out = analysed("why", r, "rt", "--at", at.group(1)).out
    check("it waited 2.0 ms for pCPU 1:" in out, out)


@test
def why_json():
    """why as JSON has the facts of the text"""
    said = json.loads(analysed("why", slow_request(), "disk", "--at", "0.0406",
                               "--json").out)
    late, dom0, first = said["chain"]
    check((late["domain"], late["pcpu"], late["ran_ns"], said["end_ns"]) ==
          ("disk", 1, 40600000, 45 * MS), late)
    check(late["notified_by"] == {"domain": "Domain-0", "vcpu": 0, "at_ns": 40500000,
                                  "pcpu": 0}, late)
    check(dom0["waited_for"] == [{"domain": "crunch", "vcpu": 0, "at_ns": 1 * MS,
                                  "ns": 39 * MS, "xen_work": []}], dom0)
    check(dom0["did_ns"] - dom0["ran_ns"] == 500000, dom0)
    check(first["slept_ns"] is None and first["notified_by"] is None, first)


@test
def why_json_of_threads():
    """why --thread as JSON: the threads that had the vCPU, and what woke it"""
    r = slow_request_with_threads()
    words = ("disk", "--thread", "writer<b>&", "--at", "0.0005")
    link = json.loads(analysed("why", r, *words, "--json").out)["chain"][0]
    check((link["thread"], link["pid"]) == ("writer<b>&", 301), link)
    check(link["woken_by"] == {"thread": "cp", "pid": 300, "interrupt": False}, link)
    text = analysed("why", r, *words).out
    for held in link["waited_for"]:
        check("%s %d had it for %.1f us" % (
            held["thread"], held["pid"], held["ns"] / 1e3) in text, text)
    check(link["waited_for"], link)


def two_vcpus():
    """A host where both vCPUs of disk wait: one for 1 ms, the other one for 20 ms."""
    r = Recording(["Domain-0", "crunch", "disk"], vcpus={"disk": 2})
    for cpu in (0, 1):
        r.stay(0, 1 * MS, cpu, DISK, woken=0)
    r.row(10 * MS, 2, "evtchn-recv", DISK, DOM0)
    r.stay(11 * MS, 13 * MS, 0, DISK, woken=10 * MS)
    r.stay(2 * MS, 30 * MS, 1, CRUNCH, DISK, woken=2 * MS)
    r.row(10 * MS + 500, 2, "evtchn-recv", DISK, DOM0)
    r.stay(30 * MS, 32 * MS, 1, DISK, woken=10 * MS + 500)
    r.row(40 * MS, 2, "runq", XEN)
    return r


@test
def why_of_a_vcpu():
    """latency prints the command that explains its maximum, with that vCPU"""
    file = two_vcpus().write(path("recording"))
    out = run("latency", file).expect(0).out
    command = re.search(r"the slowest one: xensched (why .*)", out).group(1)
    check(command == "why '%s' 'disk/1' --at 0.010000" % file, out)
    at = ("--at", "0.010001")
    out = run("why", file, "disk/1", *at).expect(0).out
    check("disk v1 ran on pCPU 1 from 0.030000 s" in out, out)
    out = run("why", file, "disk/0", *at).expect(0).out
    check("disk v0 ran on pCPU 0 from 0.011000 s" in out, out)
    run("why", file, "disk/2", *at).expect(1, "did not run")
    run("why", file, "disk/x", *at).expect(1, "no domain")


@test
def why_use():
    """why without a time, of an unknown domain, or after the end reports that"""
    file = slow_request().write(path("recording"))
    run("why", file, "disk").expect(2, "--at TIME")
    run("why", file, "disk", "--at", "x").expect(2, "does not take")
    run("why", file, "nobody", "--at", "0").expect(1, "nobody")
    run("why", file, "disk", "--at", "10").expect(1, "did not run")
    run("why", file).expect(2, "DOMAIN")


@test
def lost_rows():
    """where rows are lost, no domain has run or slept"""
    r = slow_request()
    r.lose(0, "service-ns", 7)
    r.row(90 * MS, 0, "service-ns", CRUNCH, NONE, 1 * MS)
    said = json.loads(analysed("timeline", r, "--json").out)
    check(said["lost_rows"] == 7, said)
    vcpus = {v["domain"]: v for v in said["vcpus"]}
    for name in ("Domain-0", "disk"):
        check(vcpus[name]["lost_ns"] == 40 * MS, vcpus[name])
    # The counter of its last row shows that it ran before.
    check(vcpus["crunch"]["lost_ns"] == 39 * MS, vcpus["crunch"])


@test
def preempted():
    """a vCPU that did not sleep was runnable until it ran again"""
    r = Recording(["Domain-0", "crunch", "disk"])
    r.stay(0, 10 * MS, 0, CRUNCH, DOM0, woken=0)
    r.stay(10 * MS, 30 * MS, 0, DOM0, CRUNCH, woken=10 * MS)
    r.stay(30 * MS, 40 * MS, 0, CRUNCH)
    r.row(0, 1, "runq", 1)
    said = json.loads(analysed("timeline", r, "--json").out)
    crunch = [v for v in said["vcpus"] if v["domain"] == "crunch"][0]
    check(crunch["runnable_ns"] == 20 * MS, crunch)
    check(crunch["running_ns"] == 20 * MS, crunch)
    check(crunch["blocked_ns"] == 0, crunch)


def off_cpu(*counters):
    """crunch leaves its pCPU to dom0 and gets it back; rows give the reason."""
    r = Recording(["Domain-0", "crunch", "disk"])
    r.stay(0, 10 * MS, 0, CRUNCH, DOM0, woken=0)
    r.stay(10 * MS, 30 * MS, 0, DOM0, CRUNCH, woken=10 * MS)
    for counter in counters:
        r.row(30 * MS, 0, "off-cpu", CRUNCH, counter=counter)
    r.stay(30 * MS, 40 * MS, 0, CRUNCH)
    r.row(0, 1, "runq", 1)
    return analysed("why", r, "crunch", "--at", "0.035").out


@test
def why_off_cpu():
    """a vCPU that did not sleep may have had no budget, according to off-cpu"""
    check("it had been preempted" in off_cpu(), off_cpu())
    check("it had been preempted" in off_cpu(39062), off_cpu(39062))
    capped = off_cpu(6 << 28 | 39062)
    check("it was off its pCPU as capped" in capped, capped)


@test
def what_woke():
    """off-cpu names what woke a vCPU, if no notification did"""
    for counter, words in (3 << 23, "according to Xen: timer"), (0, "a timer, an interrupt"):
        r = Recording(["Domain-0", "crunch", "disk"])
        r.stay(0, 10 * MS, 0, CRUNCH, XEN, woken=0)
        r.row(10 * MS, 0, "service-ns", XEN, CRUNCH, 0)
        r.row(30 * MS, 0, "service-ns", XEN, CRUNCH, 20 * MS)
        r.stay(30 * MS, 40 * MS, 0, CRUNCH, XEN, woken=30 * MS)
        r.row(30 * MS, 0, "off-cpu", CRUNCH, counter=1 << 28 | counter | 39062)
        r.row(0, 1, "runq", 1)
        out = analysed("why", r, "crunch", "--at", "0.035").out
        check(words in out, out)


def woken_after_idle(woken, late):
    """disk sleeps, wakes, and runs 401 ms later; the stamp of that run is late."""
    r = Recording(["Domain-0", "crunch", "disk"])
    ran = 402 * MS
    r.row(0, 0, "runq", XEN)
    r.stay(0, 1 * MS, 1, DISK, woken=0)
    r.row(ran, 1, "wake-delay", DISK, counter=ran - woken)
    r.row(ran + late + 2 * MS, 1, "service-ns", DISK, XEN, 2 * MS)
    said = json.loads(analysed("timeline", r, "--json").out)
    disk = [v for v in said["vcpus"] if v["domain"] == "disk"][0]
    check(disk["running_ns"] == 3 * MS, disk)
    return said, disk


@test
def late_after_idle():
    """a late stamp after an idle pCPU does not turn sleep into waiting"""
    said, disk = woken_after_idle(401 * MS, 103000)
    check(disk["runnable_ns"] == 1 * MS and disk["blocked_ns"] == 400 * MS, disk)
    check(said["checks"]["unplaced_wake_ups"] == 0 and
          said["checks"]["late_ns"] == 103000, said["checks"])


@test
def contradictions_are_unknown():
    """a wake-up that contradicts other rows makes the state unknown, never waiting"""
    said, disk = woken_after_idle(401 * MS, 20 * MS)
    check(disk["runnable_ns"] == 0 and disk["blocked_ns"] == 0, disk)
    check(disk["unknown_ns"] > 400 * MS, disk)
    check(said["checks"]["unplaced_wake_ups"] == 1, said["checks"])
    # According to the other rows it ran when it woke.
    said, disk = woken_after_idle(MS // 2, 0)
    check(disk["runnable_ns"] == 0 and disk["unknown_ns"] > 400 * MS, disk)
    check(said["checks"]["woken_while_running"] == 1, said["checks"])


@test
def one_run_one_vcpu():
    """of two vCPUs the one that woke ran, however late the stamps are"""
    r = Recording(["Domain-0", "crunch", "disk"], vcpus={"disk": 2})
    r.row(0, 0, "runq", XEN)
    for cpu in (1, 2):
        r.stay(0, 1 * MS, cpu, DISK, woken=0)
    ran = 402 * MS
    r.row(ran, 0, "wake-delay", DISK, counter=1 * MS)
    r.row(ran + 2000, 0, "migrate", DISK, counter=2 << 16)
    r.row(ran + 32000 + 2 * MS, 0, "service-ns", DISK, DOM0, 2 * MS)
    r.row(ran + 2332000, 0, "service-ns", DOM0, XEN, 360000)
    said = json.loads(analysed("timeline", r, "--json").out)
    disk = [v for v in said["vcpus"] if v["domain"] == "disk"]
    check([v["runs"] for v in disk] == [1, 2], disk)
    check(sum(v["runnable_ns"] for v in disk) <= 1 * MS, disk)
    check(disk[1]["blocked_ns"] == 400 * MS, disk)


@test
def vcpus_without_names():
    """without a number of vCPUs there are as many as ran at the same time"""
    r = Recording(["Domain-0", "crunch", "disk"])
    rng, where, rows = random.Random(1), [None, None], []
    for now in range(0, 400 * MS, 2 * MS):
        for vcpu in (0, 1):
            # Each sleeps and runs in turn, mostly on another pCPU.
            cpu = rng.choice([c for c in range(4) if c // 2 == vcpu])
            begins = now + rng.randrange(100000)
            rows.append((begins, cpu, "wake-delay", 1000))
            if where[vcpu] not in (None, cpu):
                rows.append((begins, cpu, "migrate", where[vcpu] << 16 | cpu))
            rows.append((begins + 10 ** 6, cpu, "service-ns", 10 ** 6))
            where[vcpu] = cpu
    r.row(0, 0, "runq", XEN)
    for ns, cpu, event, counter in sorted(rows, key=lambda row: row[0]):
        r.row(ns, cpu, event, DISK, XEN, counter)
    r.host = {}
    ended = analysed("timeline", r, "--json")
    check("has no names" in ended.err, ended.err)
    check(len(json.loads(ended.out)["vcpus"]) == 2, ended.out)


def slow_request_at(r, begin):
    """slow_request() from this time on; disk slept before."""
    r.row(begin, 3, "runq", XEN)
    r.stay(begin, begin + 1 * MS + 1000, 1, DISK, woken=begin)
    r.row(begin + 1 * MS, 1, "evtchn-recv", DOM0, DISK)
    r.stay(begin, begin + 40 * MS, 0, CRUNCH, DOM0, woken=begin)
    r.stay(begin + 40 * MS, begin + 41 * MS, 0, DOM0, CRUNCH, woken=begin + 1 * MS)
    r.row(begin + 50 * MS, 0, "service-ns", CRUNCH, NONE, 9 * MS)


@test
def suspended_host():
    """a clock that goes back is reported, and no sum includes that moment"""
    r = Recording(["Domain-0", "crunch", "disk"], begin=5 * 3600 * 10 ** 9)
    dom0 = r.source(LINUX, 0, "Domain-0")
    slow_request_at(r, 0)
    r.switch(1 * MS, dom0, 0, 0, 77)
    resumed = 2 * 10 ** 9 - r.begin
    slow_request_at(r, resumed)
    r.switch(resumed + 40 * MS, dom0, 0, 77, 0)
    ended = analysed("timeline", r, "--json")
    check("clock went back after 0.050000 s" in ended.err and
          "continue at 0.060000 s" in ended.err, ended.err)
    said = json.loads(ended.out)
    check(said["clock_went_back"] == 1 and said["length_ns"] == 110 * MS, said)
    vcpus = {v["domain"]: v for v in said["vcpus"]}
    for vcpu in vcpus.values():
        check(vcpu["lost_ns"] == 10 * MS, vcpu)
    disk, waits = vcpus["disk"], vcpus["Domain-0"]
    check(disk["running_ns"] == 2 * MS + 2000, disk)
    check(disk["blocked_ns"] == disk["runnable_ns"] == 0, disk)
    # It waited for 39 ms before the cut, and again after it.
    check(waits["running_ns"] == 2 * MS and waits["blocked_ns"] == 1 * MS, waits)
    check(waits["runnable_ns"] == 78 * MS, waits)
    check(threads_of(said)["Domain-0", 77]["running_ns"] <= 89 * MS, said)
    # Times that one of the two trace formats cannot represent.
    file = r.write(path("recording"))
    run("timeline", file, "--ctf", path("ctf")).expect(1, "clock went back")
    run("dump", "--summary", file).expect(0, "unknown length", "clock went back")
    said = json.loads(run("dump", "--summary", "--json", file).expect(0).out)
    check(said["ns"] is None and said["clock_went_back"] == 1, said)


class Skewed:
    """A host whose pCPUs have different clocks, as Xen stamps rows on it. A delay is the time from
    the TSC of the sender's pCPU to the TSC of the pCPU on which the run begins.
    """

    def __init__(self, seed, ahead):
        self.random = random.Random(seed)
        self.ahead = ahead
        self.names = ["Domain-0"]
        self.rows = []

    def add(self, ns, cpu, event, current, correspondent, counter):
        self.rows.append((ns + self.ahead[cpu] + 10 * MS, cpu, event, current,
                          correspondent, counter))

    def run_due_to(self, ns, sender, cpu, acct, length):
        """Returns when it begins."""
        begin = ns + int(self.random.lognormvariate(8.5, .8)) + 1000
        self.add(begin, cpu, "wake-delay", acct, NONE, max(
            0, begin + self.ahead[cpu] - ns - self.ahead[sender]))
        self.add(begin + length, cpu, "service-ns", acct, XEN, length)
        return begin

    def talk(self, guest_cpu, dom0_cpu, answers, n, pause=1000000):
        """Notifications between a guest, which its timer also wakes, and dom0."""
        guest = len(self.names) + 2
        self.names.append("guest%u" % guest)
        now = self.random.randrange(MS)
        for _ in range(n):
            now += int(.6 * pause + self.random.expovariate(2.5 / pause))
            begin = self.run_due_to(now, guest_cpu, guest_cpu, guest, 60000)
            sent = begin + 50000
            self.add(sent, guest_cpu, "evtchn-recv", DOM0, guest, 1)
            served = self.run_due_to(sent, guest_cpu, dom0_cpu, DOM0, 40000)
            if answers:
                answer = served + 30000
                self.add(answer, dom0_cpu, "evtchn-recv", guest, DOM0, 1)
                self.run_due_to(answer, dom0_cpu, guest_cpu, guest, 60000)

    def recording(self, one_tsc=False):
        r = Recording(self.names)
        r.one_tsc = one_tsc
        for row in sorted(self.rows, key=lambda row: (row[1], row[0])):
            r.row(*row)
        return r


def skewed(seed, ahead, answers=True, n=300):
    """Each pCPU but the first has a guest that communicates with dom0 on the first."""
    host = Skewed(seed, ahead)
    for cpu in range(1, len(ahead)):
        host.talk(cpu, 0, answers, n)
    return host


def latencies(recording):
    found = json.loads(analysed("latency", recording, "--json").out)
    return found, [value for pair in found["pairs"] if pair["measured"]
                   for value in pair["total_ns"].values()]


@test
def clocks_that_differ():
    """the bounds of pCPUs' clocks contain the truth, or are unknown"""
    unknown = 0
    for seed in range(60):
        some = random.Random(seed)
        most = some.choice((0, 2000, 20000, 300000, 5 * MS))
        ahead = [some.randint(-most, most) for _ in range(some.randint(2, 4))]
        answers = seed % 3 != 2
        r = skewed(seed, ahead, answers).recording()
        ended = analysed("timeline", r, "--json")
        said = json.loads(ended.out)
        truth = max(ahead) - min(ahead)
        error = said["clock_error_ns"]
        context = seed, ahead, answers, said["clock_skew_ns"], error
        check(("cannot be known" in ended.err) == (error is None), context)
        if error is None:
            unknown += answers and truth < 100000
            continue
        check(answers and abs(said["clock_skew_ns"] - truth) <= error, context)
        check(error < max(40000, truth / 2), context)
    # The cause of a wake-up is one of many, or two causes look alike.
    check(unknown <= 3, unknown)


@test
def latencies_of_clocks_that_differ():
    """no latency is less than the error of the two pCPUs' clocks"""
    for ahead in (-300000, -20000, 0, 20000, 300000):
        r = skewed(1, [0, ahead]).recording()
        found, lengths = latencies(r)
        error = found["clock_error_ns"]
        check(0 < error < 20000 and found["disordered"] == 0, found)
        check(lengths and min(lengths) >= error - 10, ahead, error, lengths)
        check(any(pair["below_error"] for pair in found["pairs"]), found)
        text = analysed("latency", r).out
        check("are shorter than the clocks" in text, text)


@test
def a_clock_without_bounds():
    """a clock without bounds makes no other clock wrong"""
    for seed in range(4):
        host = Skewed(seed, [0, 0, 3 * MS])
        host.talk(1, 0, True, 4000, 600000)
        host.talk(2, 0, False, 4000, 600000)
        said = json.loads(analysed("timeline", host.recording(), "--json").out)
        check(said["clock_error_ns"] is None, said["clock_error_ns"])
        check(said["clock_skew_ns"] == 0, seed, said["clock_skew_ns"])


@test
def clocks_that_xen_compared():
    """if Xen found one clock, and nothing contradicts it, nothing is corrected"""
    r = skewed(1, [0, 0]).recording(one_tsc=True)
    ended = analysed("timeline", r, "--json")
    check(ended.err == "", ended.err)
    said = json.loads(ended.out)
    check(said["clock_skew_ns"] == 0 and said["clock_error_ns"] < 10, said)
    check(not any(pair["below_error"] for pair in latencies(r)[0]["pairs"]))
    said = json.loads(analysed("timeline", skewed(1, [0, 200000]).recording(
        one_tsc=True), "--json").out)
    check(abs(said["clock_skew_ns"] - 200000) <= said["clock_error_ns"], said)


@test
def cut_off():
    """a recording that is cut off is shown up to the cut, and the command fails"""
    whole = slow_request().bytes()
    file = path("recording")
    for size in range(0, len(whole), 97):
        with open(file, "wb") as f:
            f.write(whole[:size])
        for command in ("timeline", "latency"):
            ended = run(command, file)
            ended.expect(1)
            check(str(file) in ended.err, ended.err)


@test
def output_is_input():
    """no output option overwrites the recording"""
    file = slow_request().write(path("recording"))
    other = path("link")
    os.symlink(file, other)
    with open(file, "rb") as f:
        before = f.read()
    for option in ("--html", "--perfetto"):
        for name in (file, other):
            run("timeline", file, option, name).expect(1, "another name")
    with open(file, "rb") as f:
        check(f.read() == before, "it was overwritten")


@test
def hostile_names():
    """names from a recording do not control the terminal"""
    r = Recording(["\x1b[2Jboo", "<script>alert(1)</script>", "disk"])
    r.stay(0, 1 * MS, 0, DOM0, CRUNCH)
    r.stay(1 * MS, 2 * MS, 0, CRUNCH, DISK)
    r.row(MS // 2, 0, "evtchn-send", DOM0, CRUNCH)
    for command in ("timeline", "latency"):
        out = analysed(command, r).out
        check("\x1b" not in out and "?[2Jboo" in out, out)


def threads_of(said):
    return {(t["domain"], t["pid"]): t for t in said["threads"]}


def states_of(thread):
    return [thread[key + "_ns"] for key in
            ("running", "runnable", "blocked", "unknown", "lost")]


@test
def threads_sums():
    """timeline: the states of each thread, on the host's clock"""
    said = json.loads(analysed("timeline", slow_request_with_threads(),
                               "--json").out)
    threads = threads_of(said)
    check(set(threads) == {("disk", 300), ("disk", 301), ("Domain-0", 77)},
          threads)
    for thread in threads.values():
        check(sum(states_of(thread)) == said["length_ns"], thread)
    # The guest's clock is half a second behind the host's.
    writer = threads["disk", 301]
    check(writer["name"] == "writer<b>&" and writer["process"] == 300 and
          writer["vcpu"] == "disk", writer)
    check(writer["running_ns"] == MS // 2 + 500 + 1300000 + 6 * MS, writer)
    check(writer["runnable_ns"] == MS // 4 + 99900 + 2 * MS, writer)
    check(writer["blocked_ns"] == 39 * MS + 599600 and writer["woken"] == 2,
          writer)
    # After its end a thread has no known state.
    check(threads["disk", 300]["unknown_ns"] == 6 * MS, threads["disk", 300])
    check(threads["Domain-0", 77]["running_ns"] == 898000, threads)
    check(said["checks"]["switches_without_row"] == 0, said["checks"])
    # The rest of the output is the same as without threads.
    alone = json.loads(analysed("timeline", slow_request(), "--json").out)
    check(alone["vcpus"] == said["vcpus"] and alone["threads"] == [], alone)


@test
def threads_text():
    """timeline as text: the threads that ran most"""
    out = analysed("timeline", slow_request_with_threads()).out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    check(any(line.startswith("disk writer<b>& 301 3 15.60 %")
              for line in lines), out)


@test
def threads_random():
    """timeline: threads of synthetic random hosts have the states that the host knows"""
    for seed in range(30):
        rng = random.Random(seed)
        r = Recording(["Domain-0", "guest"])
        r.row(0, 0, "runq", XEN)
        guest = r.source(GUEST, 1, "guest", offset=rng.randrange(10 ** 9))
        runs, state, since, sums = [0, 0], {}, {}, {}
        pids = range(10, 16)

        def change(pid, now, new):
            old = sums.setdefault(pid, {})
            was = state.get(pid, "unknown")
            old[was] = old.get(was, 0) + now - since.get(pid, 0)
            state[pid], since[pid] = new, now

        now = 0
        for _ in range(400):
            now += rng.randrange(1, 100000)
            cpu = rng.randrange(2)
            asleep = [p for p in pids if state.get(p) in ("blocked", None)]
            ready = [p for p in pids if state.get(p) == "runnable"]
            if asleep and rng.random() < 0.5:
                pid = rng.choice(asleep)
                r.wake(now, guest, cpu, runs[cpu], pid, rng.random() < 0.3)
                change(pid, now, "runnable")
                continue
            after = rng.choice(ready + [0])
            before = runs[cpu]
            if before == after:
                continue
            why = rng.choice("SDR")
            r.switch(now, guest, cpu, before, after, why, why == "R")
            if before:
                change(before, now, "runnable" if why == "R" else "blocked")
            if after:
                change(after, now, "running")
            runs[cpu] = after
        end = now + 1000
        r.row(end, 0, "runq", XEN)
        for pid in list(state):
            change(pid, end, "unknown")
        said = json.loads(analysed("timeline", r, "--json").out)
        for (_, pid), thread in threads_of(said).items():
            for key in ("running", "runnable", "blocked", "unknown", "lost"):
                check(thread[key + "_ns"] == sums[pid].get(key, 0), seed, pid,
                      key, thread, sums[pid])
        check({pid for _, pid in threads_of(said)} == set(state), said)


@test
def threads_lost():
    """where rows of a Linux are lost, no thread has run or slept"""
    r = Recording(["Domain-0", "guest"])
    r.row(0, 0, "runq", XEN)
    guest = r.source(GUEST, 1)
    r.switch(0, guest, 0, 0, 10)
    r.switch(1 * MS, guest, 0, 10, 11, "S")
    r.switch(0, guest, 1, 0, 12)
    r.switch(5 * MS, guest, 1, 12, 0, "S")
    r.lose(0, "guest-switch", 7, guest)
    r.switch(4 * MS, guest, 0, 13, 10, "R")
    r.row(6 * MS, 0, "runq", XEN)
    said = json.loads(analysed("timeline", r, "--json").out)
    check(said["lost_rows_of_linux"] == 7, said)
    threads = threads_of(said)
    for pid, wanted in ((10, [3 * MS, 0, 0, 0, 3 * MS]),
                        (11, [0, 0, 0, 1 * MS, 5 * MS]),
                        (12, [5 * MS, 0, 1 * MS, 0, 0]),
                        (13, [0, 2 * MS, 0, 4 * MS, 0])):
        check(states_of(threads["guest", pid]) == wanted, pid, threads)
    # A row that is missing without a reported loss is noticed, too.
    r = Recording(["Domain-0", "guest"])
    r.row(0, 0, "runq", XEN)
    guest = r.source(GUEST, 1)
    r.switch(0, guest, 0, 0, 10)
    r.switch(2 * MS, guest, 0, 11, 12, "S")
    r.row(3 * MS, 0, "runq", XEN)
    said = json.loads(analysed("timeline", r, "--json").out)
    check(said["checks"]["switches_without_row"] == 1, said)
    check(states_of(threads_of(said)["guest", 10]) == [0, 0, 0, 3 * MS, 0],
          said)


@test
def threads_hostile():
    """arbitrary rows about threads do no harm"""
    r = slow_request()
    guest = r.source(GUEST, 1, "\x1b[2Jme")
    rng = random.Random(1)
    for i in range(3000):
        r.row(rng.randrange(2 ** 40), rng.randrange(3),
              rng.choice(["guest-switch", "guest-wake", "guest-name"]),
              rng.randrange(65536), file=0, source=guest,
              counter=rng.getrandbits(64))
    r.name(0, guest, 0, 5, b"\x1b[2J\xff\n<b>", 5)
    r.switch(60 * MS, guest, 0, 0, 5)
    said = json.loads(analysed("timeline", r, "--json").out)
    alone = json.loads(analysed("timeline", slow_request(), "--json").out)
    check(said["vcpus"] == alone["vcpus"], said)
    for thread in said["threads"]:
        check(sum(states_of(thread)) == said["length_ns"], thread)
    out = analysed("timeline", r).out
    check("\x1b" not in out, out)
    sums_agree(r)


def states(packets):
    """The states of each thread in order: (state, begin, cpu)."""
    changes = {}
    for packet in packets:
        if "generic_kernel_task_state_event" in packet:
            event = one(packet, "generic_kernel_task_state_event")
            changes.setdefault(one(event, "tid"), []).append(
                (one(event, "state"), one(packet, "timestamp"),
                 event.get("cpu", [None])[0]))
    return changes


def sums_agree(recording):
    """Fails unless threads have the sums of their vCPUs, and no pCPU has two at a time."""
    packets = as_perfetto(recording)
    said = json.loads(analysed("timeline", recording, "--json").out)
    end = said["begin_ns"] + said["length_ns"]
    changes = states(packets)
    for tid, vcpu in enumerate(said["vcpus"], 1):
        found = {}
        mine = changes[tid]
        check(mine[-1][:2] == ("STOPPED", end), mine, end)
        for (state, begin, cpu), after in zip(mine, mine[1:]):
            # The importer rejects two slices at a time.
            check(after[1] > begin, mine)
            pause = state == "RUNNABLE" and cpu is not None and \
                after == ("RUNNING", begin + 1, after[2])
            state = "RUNNING" if pause else state
            found[state] = found.get(state, 0) + after[1] - begin
        wanted = {"RUNNING": vcpu["running_ns"],
                  "RUNNABLE": vcpu["runnable_ns"],
                  "INTERRUPTIBLE_SLEEP": vcpu["blocked_ns"],
                  "STOPPED": vcpu["unknown_ns"] + vcpu["lost_ns"]}
        check({s: n for s, n in found.items() if n} ==
              {s: n for s, n in wanted.items() if n}, tid, found, wanted)
    has = {}
    for packet in packets:
        if "generic_kernel_task_state_event" not in packet:
            continue
        event = one(packet, "generic_kernel_task_state_event")
        tid, cpu = one(event, "tid"), event.get("cpu", [None])[0]
        if one(event, "state") == "RUNNING":
            check(has.get(cpu) is None, packet)
            has[cpu] = tid
        elif cpu is not None:
            check(has.get(cpu) == tid, packet)
            has[cpu] = None
    check(not any(has.values()), has)
    return packets


@test
def perfetto_states():
    """--perfetto: threads have the states of vCPUs, according to protobuf's own reader"""
    packets = sums_agree(slow_request())
    names = {one(p, "generic_kernel_process_tree", "threads", "comm")
             for p in packets if "generic_kernel_process_tree" in p}
    check(names == {"Domain-0", "crunch", "disk"}, names)


@test
def perfetto_processes():
    """--perfetto: a domain is a process with its whole name, spaces included"""
    r = slow_request_with_threads()
    r.host["domains"][2]["name"] = "disk of my guest"
    r.wake(0, r.source(GUEST, 9, "not there"), 0, 1, 2)
    packets = as_perfetto(r)
    tracks = [one(p, "track_descriptor") for p in packets
              if "track_descriptor" in p]
    process = {one(t, "process", "pid"): one(t, "process", "process_name")
               for t in tracks if "process" in t}
    threads = {one(t, "thread", "thread_name"):
               process[one(t, "thread", "pid")] for t in tracks if "thread" in t}
    check(threads == {
        "Domain-0": "Domain-0", "crunch": "crunch",
        "disk of my guest": "disk of my guest", "2.xvda-0 77": "Domain-0",
        "cp 300": "disk of my guest", "writer<b>& 301": "disk of my guest",
        "PID 1": "not there", "PID 2": "not there"}, threads)
    # The importer uses only the first word of a command line as a name.
    trees = [one(p, "generic_kernel_process_tree") for p in packets
             if "generic_kernel_process_tree" in p]
    check(trees and not any("processes" in tree for tree in trees), trees)


@test
def perfetto_flows():
    """--perfetto: a flow leads from each notification by its wake-up to the run"""
    packets = as_perfetto(slow_request())
    begin = json.loads(analysed("timeline", slow_request(),
                                "--json").out)["begin_ns"]
    flows = {}
    for packet in packets:
        event = one(packet, "track_event") if "track_event" in packet else {}
        for flow in event.get("flow_ids", []) + \
                event.get("terminating_flow_ids", []):
            flows.setdefault(flow, []).append(
                (one(packet, "timestamp") - begin, one(event, "name"),
                 one(event, "track_uuid") & 0xff))
    check(sorted(flows.values()) == [
        [(1 * MS, "notifies Domain-0", 2), (1 * MS, "woken by disk", 0),
         (40 * MS, "runs", 0)],
        [(40 * MS + 500000, "notifies disk", 0),
         (40 * MS + 500000, "woken by Domain-0", 2),
         (40 * MS + 600000, "runs", 2)]], flows)


@test
def perfetto_threads():
    """--perfetto: threads of guests have timeline's states, on tracks of their own"""
    r = slow_request_with_threads()
    packets = sums_agree(r)
    said = json.loads(analysed("timeline", r, "--json").out)
    tracks = {}
    for p in packets:
        track = one(p, "track_descriptor") if "track_descriptor" in p else {}
        if "thread" in track:
            tracks[track["uuid"][0]] = one(track, "thread", "thread_name")
    spans, begun = {}, {}
    for p in packets:
        event = one(p, "track_event") if "track_event" in p else {}
        track = event.get("track_uuid", [None])[0]
        if event.get("type") == ["SLICE_BEGIN"]:
            check(track not in begun, p)
            begun[track] = one(event, "name"), one(p, "timestamp")
        elif event.get("type") == ["SLICE_END"]:
            name, begin = begun.pop(track)
            key = tracks[track], name
            spans[key] = spans.get(key, 0) + one(p, "timestamp") - begin
    check(not begun, begun)
    for thread in said["threads"]:
        name = "%s %d" % (thread["name"], thread["pid"])
        check(sum(ns for (thread_name, what), ns in spans.items() if thread_name == name and
                  what == "runs on " + thread["vcpu"]) ==
              thread["running_ns"], thread, spans)
        check(spans.get((name, "waits for a vCPU"), 0) ==
              thread["runnable_ns"], thread, spans)
        check(sum(ns for (thread_name, what), ns in spans.items()
                  if thread_name == name and what.startswith("sleeps")) ==
              thread["blocked_ns"], thread, spans)
    check(spans["writer<b>& 301", "sleeps (D)"] == 39 * MS + 599600, spans)
    names = {one(p, "track_event", "name") for p in packets
             if "track_event" in p and "name" in one(p, "track_event")}
    check({"wakes writer<b>& 301", "woken by cp 300"} <= names, names)


@test
def perfetto_random():
    """--perfetto: synthetic random hosts have the same sums, losses included"""
    for seed in range(20):
        rng = random.Random(seed)
        r = Recording(["Domain-0", "crunch", "disk"], {"crunch": 3})
        for cpu in range(3):
            at = 0
            while at < 20 * MS:
                end = at + rng.randrange(1, 2 * MS)
                acct = rng.choice([XEN, DOM0, CRUNCH, DISK])
                if acct != XEN:
                    r.stay(at, end, cpu, acct, rng.choice([XEN, NONE, CRUNCH]),
                           rng.choice([None, at - rng.randrange(at + 1)]))
                if rng.random() < 0.05:
                    r.lose(cpu, "service-ns", rng.randrange(1, 9))
                at = end
        sums_agree(r)


@test
def perfetto_counters():
    """--perfetto: run queues, each once, memory and notifications are counters"""
    packets = sums_agree(with_counters(True))
    begin = json.loads(analysed("timeline", with_counters(True),
                                "--json").out)["begin_ns"]
    tracks = {}
    for p in packets:
        track = one(p, "track_descriptor") if "track_descriptor" in p else {}
        if "counter" in track:
            tracks[one(track, "uuid")] = (one(track, "name"),
                                          one(track, "counter", "unit"), [])
    for p in packets:
        event = one(p, "track_event") if "track_event" in p else {}
        if event.get("type") == ["COUNTER"]:
            tracks[one(event, "track_uuid")][2].append(
                (one(p, "timestamp") - begin, one(event, "counter_value")))
    check(sorted(tracks.values()) == [
        ("Domain-0 notifies disk", "COUNT", [(0, 0), (40 * MS, 100)]),
        ("disk notifies Domain-0", "COUNT", [(0, 100), (10 * MS, 0)]),
        ("memory of Domain-0", "SIZE_BYTES", [(45 * MS, 409600)]),
        ("memory of disk", "SIZE_BYTES", [(5 * MS, 1 << 20), (25 * MS, 2 << 20)]),
        ("run queue 0", "COUNT", [(0, 3), (20 * MS, 1), (30 * MS, 2),
                                  (45 * MS, 3)])], tracks)


@test
def perfetto_rates():
    """--perfetto: notifications per second of the pairs that communicate most"""
    r = Recording(["dom %d" % i for i in range(30)])
    for ms in range(2005):
        for guest in range(1, 30):
            if ms % guest == 0:
                r.row(ms * MS, 0, "evtchn-send", 2 + guest, 2)
                if ms % 2:  # a notification that is pending already has no receipt
                    r.row(ms * MS, 0, "evtchn-recv", 2, 2 + guest)
        if ms == 1000:
            r.lose(0, "evtchn-send", 5)
            r.lose(0, "evtchn-recv", 5)
    names, rates = {}, {}
    for p in as_perfetto(r):
        track = one(p, "track_descriptor") if "track_descriptor" in p else {}
        event = one(p, "track_event") if "track_event" in p else {}
        if "counter" in track:
            names[one(track, "uuid")] = one(track, "name")
        if event.get("type") == ["COUNTER"]:
            rates.setdefault(names[one(event, "track_uuid")], []).append(
                (one(p, "timestamp") - r.begin, one(event, "counter_value")))
    check(set(rates) == {"dom %d notifies dom 0" % i for i in range(1, 17)},
          rates)
    # Rows were lost from 1000 to 1010 ms; the last part ends at 2004 ms.
    check(rates["dom 1 notifies dom 0"] == [(0, 1000), (1010 * MS, 1000),
                                            (1990 * MS, 1071)], rates)
    check(rates["dom 5 notifies dom 0"][0] == (0, 200), rates)
    half = dict(rates["dom 16 notifies dom 0"])
    check(half[0] == 100 and half[20 * MS] == 0 and half[30 * MS] == 100, half)


@test
def perfetto_no_rates():
    """--perfetto: there are no rates if a row stands for several notifications"""
    for host, domain, rates in (({}, {}, 2),
                                ({"runq": 2}, {}, 2),
                                ({"evtchn-recv": 2}, {}, 0),
                                ({}, {"evtchn-recv": 2}, 0)):
        r = with_counters(True)
        r.host["thresholds"] = host
        r.host["domains"][1]["thresholds"] = domain
        names = [one(p, "track_descriptor", "name") for p in as_perfetto(r)
                 if "counter" in p.get("track_descriptor", [{}])[0]]
        check(len([n for n in names if " notifies " in n]) == rates, host, names)


@test
def perfetto_losses():
    """--perfetto: lost rows are a slice of a track of their own"""
    r = slow_request()
    r.lose(0, "service-ns", 7)
    r.row(90 * MS, 0, "service-ns", CRUNCH, NONE, 1 * MS)
    events = [one(p, "track_event") for p in sums_agree(r) if "track_event" in p]
    lost = [e for e in events if "7 rows lost" in e.get("name", [])]
    check([one(e, "type") for e in lost] == ["SLICE_BEGIN"], events)
    ends = [e for e in events if e.get("type") == ["SLICE_END"]]
    check([e["track_uuid"] for e in ends] == [lost[0]["track_uuid"]], ends)


@test
def perfetto_hostile():
    """--perfetto: names are text, whatever bytes they contain; a full disk is reported"""
    r = Recording(["\x1b[2Jboo\udcff", "<b>\n" * 100, "disk\x01"])
    r.stay(0, 1 * MS, 0, DOM0, CRUNCH)
    r.stay(1 * MS, 2 * MS, 0, CRUNCH, DISK)
    texts = {one(p, "generic_kernel_process_tree", "threads", "comm")
             for p in sums_agree(r) if "generic_kernel_process_tree" in p}
    for text in texts:
        check(all(" " <= c <= "~" for c in text), text)
    file = r.write(path("recording"))
    run("timeline", file, "--perfetto", "/dev/full").expect(1, "/dev/full")
    run("timeline", file, "--perfetto",
        path("no") + "/x").expect(1, "cannot create")


@test
def nothing_logged():
    """a recording without rows of service-ns names the events to log"""
    r = Recording(["Domain-0"])
    r.row(0, 0, "memory", DOM0)
    check("service-ns" in analysed("timeline", r).out)
    check("evtchn-recv" in analysed("latency", r).err)


main()
