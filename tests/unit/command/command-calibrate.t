#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""xensched calibrate: it writes all of its measurement or nothing, and restores dom0's
affinity, whatever ends it.

Distances are those of this machine, between CPUs 0 and 1. Guests and dom0 are lines of a file
(file-host.c); memory of nodes and event channels are synthetic (fake-calibrate.c).
"""

import json
import os
import signal
import subprocess
import time

from command_world import XENSCHED, check, check_members, main, path, test

DOM0 = "Domain-0 0 0 0-1 all\nDomain-0 0 1 all 0-1\n"
ONE_VCPU = "Domain-0 0 0 0-1 all\n"


class Bench:
    """A folder with a synthetic host."""

    def __init__(self, dom0=DOM0):
        self.folder = path("calibrate")
        os.mkdir(self.folder)
        self.guests = self.folder + "/guests"
        self.file = self.folder + "/distances.json"
        with open(self.guests, "w", encoding="ascii") as f:
            f.write(dom0)

    def begin(self, *arguments, **more):
        env = {k: v for k, v in os.environ.items() if "FAKE" not in k}
        env["FAKE_HOST"] = self.guests
        env.update(more)
        return subprocess.Popen([XENSCHED, "calibrate",
                                 *(arguments or [self.file])], env=env,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self, process):
        out, complaint = process.communicate(timeout=60)
        return process.returncode, out.decode(), complaint.decode()

    def run(self, *arguments, **more):
        return self.end(self.begin(*arguments, **more))

    def dom0(self):
        with open(self.guests, encoding="ascii") as f:
            return f.read()

    def found(self):
        with open(self.file, encoding="ascii") as f:
            return json.load(f)


def all_between(found, kind):
    return [ns for row in found[kind]["between"] for ns in row]


@test
def all_kinds_are_measured_and_dom0_is_where_it_was():
    """calibrate measures all kinds, and restores dom0's affinity"""
    for _ in range(3):  # on a busy machine one of two threads may wait for too long
        bench = Bench()
        code, out, complaint = bench.run()
        check(code == 0 and not complaint, complaint)
        found = bench.found()
        if "llc" in found["line"]:
            break
    check((found["pcpus"], found["nodes"]) == (4, 2))
    check(all(0 < ns < 1e6 for ns in all_between(found, "memory")))
    check(found["notification"]["between"] == [[0, 5000], [5000, 0]])
    if os.cpu_count() > 1:
        line = found["line"]["between"]
        check(line[0][0] == line[1][1] == 0 and 0 < line[0][1] == line[1][0])
        check(found["line"]["llc"] > 0)
    check("from node 1" in out and bench.file in out, out)
    check(bench.dom0() == DOM0)


@test
def with_one_vcpu_memory_only():
    """with one vCPU calibrate measures memory only, and a message gives the reason"""
    bench = Bench(ONE_VCPU)
    code, out, _ = bench.run()
    check(code == 0 and "one vCPU" in out, out)
    check(all(ns > 0 for ns in all_between(bench.found(), "memory")))
    check(not any(all_between(bench.found(), "line")))
    check(bench.dom0() == ONE_VCPU)


@test
def a_node_without_pcpus_has_no_line_of_its_own():
    """calibrate prints no memory of a node without pCPUs"""
    bench = Bench()
    code, out, complaint = bench.run(FAKE_HOST_NODES="3")
    check(code == 0, complaint)
    line = out[out.index("line"):out.index("notification")].splitlines()
    check(line[3].split() == ["from", "node", "2", "-", "-", "-"], line)
    memory = out[out.index("memory"):].splitlines()
    check(memory[3].split() == ["from", "node", "2", "-", "-", "-"], memory)


@test
def json_is_what_the_text_is():
    """calibrate --json prints its measurement, with null for what it did not measure"""
    bench = Bench()
    code, out, complaint = bench.run(bench.file, "--json", FAKE_HOST_NODES="3")
    check(code == 0, complaint)
    said = check_members("calibrate", json.loads(out))
    check((said["file"], said["vcpus"], said["nodes"]) == (bench.file, 2, 3), said)
    check(said["memory_ns"][:2] == [[ns or None for ns in row] for row in
                                    bench.found()["memory"]["between"][:2]], said)
    check(said["notification_ns"][0][1] == 5000, said)
    check(said["memory_ns"][2] == said["line_ns"][2] == [None] * 3, said)


@test
def an_interrupted_calibration_restores_all():
    """calibrate, interrupted, restores dom0 and leaves the file unchanged"""
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        bench = Bench()
        check(bench.run()[0] == 0)
        before = bench.found()
        process = bench.begin(FAKE_CALIBRATE="stop")
        while bench.dom0() == DOM0:
            time.sleep(0.01)
        time.sleep(0.3)
        process.send_signal(number)
        code, _, complaint = bench.end(process)
        check(code == 1 and "interrupted" in complaint, complaint)
        check(bench.dom0() == DOM0)
        check(bench.found() == before)


@test
def what_cannot_be_done_is_said():
    """calibrate without a domain, affinity, file or Xen reports that and leaves nothing behind"""
    bench = Bench()
    check(bench.run(FAKE_CALIBRATE="no-domain")[::2] ==
          (1, "xensched: cannot make a domain\n"))
    code, _, complaint = bench.run(FAKE_HOST_DENY="Domain-0")
    check(code == 1 and complaint, complaint)
    code, _, complaint = bench.run("/nowhere/file")
    check(code == 1 and "/nowhere/file" in complaint, complaint)
    check(not os.path.exists(bench.file))
    check(bench.dom0() == DOM0)
    os.rename(bench.guests, bench.guests + "2")
    env = {k: v for k, v in os.environ.items() if "FAKE" not in k}
    done = subprocess.run([XENSCHED, "calibrate"], env=env, check=False,
                          stderr=subprocess.PIPE)
    check(done.returncode == 1 and b"privcmd" in done.stderr, done.stderr)


main()
