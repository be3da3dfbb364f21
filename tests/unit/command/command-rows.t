#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""xensched record, dump, advise-size and replay, on a fake hypervisor and on recordings, whole
and damaged.
"""

import copy
import itertools
import json
import os
import pty
import random
import re
import signal
import struct
import subprocess
import sys
import threading
import time
import zlib

from command_world import (
    FOLDER, REFUSED, Failed, XENSCHED, alone, answering, await_handler, check,
    daemon, examples, hear, main, path, run, start, test)
from recording_made import NONE, Recording

# The microsecond at which the fake Xen's 32-bit times wrap; the time from its first row to then.
WRAP = 5 * 2 ** 36
BEFORE_WRAP = 4000


def dumped(file, code=0, *words):
    """The rows of a recording, as objects."""
    ended = run("dump", "--json", file).expect(code, *words)
    return [json.loads(line) for line in ended.out.splitlines()]


def is_beginning(some, rows):
    """Whether @some are the first of @rows.

    Times are ignored: a part of a recording may lack the row that has their upper bits.
    """
    return [{**row, "time_s": 0} for row in some] == \
        [{**row, "time_s": 0} for row in rows[:len(some)]]


def check_complete(rows):
    """Fails unless both pCPUs have rows, and no row is missing in between."""
    for cpu in (0, 2):
        counters = [row["counter"] for row in rows if row["cpu"] == cpu]
        check(counters, "no rows of pCPU %d" % cpu)
        check(counters == list(range(counters[0],
                                     counters[0] + len(counters))), cpu)


def check_times(rows):
    """Fails unless the pCPUs' times, of 32 and 64 bits, are those of the fake Xen.

    Its clock advances by one microsecond with each row of either pCPU, and rows with the same
    counter follow each other.
    """
    for row in rows:
        made = WRAP - BEFORE_WRAP + 2 * (row["counter"] - 1) + (row["cpu"] == 2)
        check(-1e-9 <= made / 1e6 - row["time_s"] < 16.1e-6, row, made)


def around_wrap(make_rows):
    """Rows from before and after the wrap of 32-bit times.

    @make_rows has the fake Xen make rows for that many seconds.  On a busy machine these may all
    be of one side, so that it has to be repeated.
    """
    for seconds in "1", "4", "16", "16":
        rows = make_rows(seconds)
        sides = {row["time_s"] * 1e6 > WRAP for row in rows}
        if sides == {False, True}:
            return rows
    raise Failed("all %d rows are of one side of the wrap" % len(rows))


@alone
def record_seconds():
    """record --seconds: the file has every row once and in order"""
    file = path("recording")

    def recorded(seconds):
        run("record", "--seconds", seconds, file, xen="busy").expect(
            0, " 0 rows lost")
        rows = dumped(file)
        check_complete(rows)
        return rows

    rows = around_wrap(recorded)
    check_times(rows)
    check({"cpu", "time_s", "event", "current", "correspondent",
           "counter"} == set(rows[0]), rows[0])
    check({row["event"] for row in rows} == {"evtchn-send", "grant-map"})
    check(os.stat(file).st_mode & 0o777 == 0o600, "others may read it")


@test
def reasons_in_words():
    """dump prints why a vCPU began to wait, and which waits ended without a run"""
    r = Recording(["Domain-0", "db"])
    r.reasons = True
    r.row(1, 0, "wake-delay", 3, 2, 1000, reason=0x10 | 1)
    r.row(2, 0, "wake-delay", 3, 2, 1000, reason=0x40 | 0x18 | 3)
    r.row(3, 0, "preempt-delay", 3, 2, 1000, reason=0x80 | 3)
    r.row(4, 0, "wake-delay", 3, 2, 1000, reason=0x20 | 15)
    r.row(5, 0, "wait-part", 3, 2, 1000)
    file = path("recording")
    r.write(file)
    said = [[row["event"]] + [row.get(k) for k in ("left", "woke", "capped", "paused", "ran")]
            for row in dumped(file)]
    check(sorted(said, key=str) == sorted([
        ["wake-delay", "blocked", "event-channel", False, False, True],
        ["wake-delay", "polling", "timer", True, False, True],
        ["preempt-delay", "yielded", None, False, False, False],
        ["wake-delay", None, None, False, True, True],
        ["wait-part", None, None, None, None, None]], key=str), said)
    out = run("dump", file).expect(0).out
    for words in ("blocked, woken by event-channel", "polling, capped, woken by timer",
                  "yielded, did not run", "unknown, paused"):
        check(words in out, out)


@test
def off_cpu_in_words():
    """dump prints why a vCPU left its pCPU, and when that is unknown"""
    r = Recording(["Domain-0", "db"])
    r.row(1, 0, "off-cpu", 3, 2, 1 << 28 | 1 << 23 | 1000)
    r.row(2, 0, "off-cpu", 3, NONE, 1 << 28 | 3 << 23 | 1 << 27 | 2)
    r.row(3, 0, "off-cpu", 3, NONE, 6 << 28 | 0x7fffff)
    r.row(4, 0, "off-cpu", 3, NONE, 15 << 28 | 7 << 23 | 1 << 26)
    file = path("recording")
    r.write(file)
    said = [{k: v for k, v in row.items()
             if k in ("left", "woke", "capped", "paused", "off_ns")}
            for row in dumped(file)]
    check(said == [
        {"left": "blocked", "woke": "event-channel", "capped": False, "paused": False,
         "off_ns": 512000},
        {"left": "blocked", "woke": "timer", "capped": True, "paused": False,
         "off_ns": 1024},
        {"left": "capped", "capped": False, "paused": False,
         "off_ns": 0x7fffff * 512},
        {"capped": False, "paused": True, "off_ns": 0}], said)
    out = run("dump", file).expect(0).out
    for words in ("blocked for 512.000 us, woken by event-channel",
                  "blocked, capped for 1.024 us, woken by timer",
                  "capped for at least 4294966", "unknown, paused for 0.000 us"):
        check(words in out, out)


@test
def budgets_in_words():
    """dump prints what was left of a budget, and whether a deadline was missed"""
    r = Recording(["Domain-0", "db"])
    r.row(1, 0, "replenish", 3, NONE, 0)
    r.row(2, 0, "replenish", 3, NONE, 1 << 31 | 20000001)
    r.row(3, 0, "replenish", 3, NONE, 0xffffffff)
    file = path("recording")
    r.write(file)
    said = [(row["left_ns"], row["missed"]) for row in dumped(file)]
    check(said == [(0, False), (20000001, True), (0x7fffffff, True)], said)
    out = run("dump", file).expect(0).out
    for words in " 0.000 us left\n", "20000.001 us left, deadline missed":
        check(words in out, out)


@test
def work_in_words():
    """dump prints Xen's work for each domain, how often and for how long"""
    r = Recording(["Domain-0", "db"])
    for nr, (event, reason) in enumerate((
            ("hypercall-time", 29), ("hypercall-time", 1023), ("irq-time", 17),
            ("exit-time", 48), ("exit-time", 512 + 123), ("exit-time", 512 + 78),
            ("exit-time", 768), ("flush-wait", 1))):
        r.row(nr + 1, 0, event, 3, NONE, reason << 54 | (nr + 2) << 32 | 5001)
    file = path("recording")
    r.write(file)
    said = [(row["reason"], row.get("reason_name"), row["times"], row["ns"])
            for row in dumped(file)]
    check(said == [
        (29, "sched-op", 2, 5001), (1023, None, 3, 5001), (17, "softirq-schedule", 4, 5001),
        (48, "ept-violation", 5, 5001), (635, "ioio", 6, 5001), (590, "exception", 7, 5001),
        (768, "npf", 8, 5001), (1, "vcpu-state", 9, 5001)], said)
    out = run("dump", file).expect(0).out
    for words in ("sched-op 2 times, 5.001 us", "reason 1023 3 times, 5.001 us"):
        check(words in out, out)


@test
def record_size():
    """record --size ends when the file has that size"""
    file = path("recording")
    run("record", "--size", "100K", file, xen="busy").expect(0)
    size = os.stat(file).st_size
    check(100 << 10 <= size < 2 << 20, size)
    check_complete(dumped(file))


@test
def record_filtered():
    """--event records rows of that event only; a wrong name is wrong use"""
    file = path("recording")
    run("record", "--seconds", "0.5", "--event", "grant-map", file,
        xen="busy").expect(0)
    check({row["event"] for row in dumped(file)} == {"grant-map"})
    run("record", "--event", "grant-map,nothing", file).expect(2, "nothing")


@test
def flight_recorder():
    """--ring keeps the latest rows, and snapshots write them while it continues"""
    file, socket = path("snapshot"), path("trigger")
    run("record", "--snapshot", "--trigger", socket, file).expect(1, "no recorder")
    with start("record", "--ring", "1M", "--last", "1s", "--trigger", socket,
               xen="busy", stderr=subprocess.PIPE) as p:
        while not os.path.exists(socket):
            time.sleep(0.01)
        time.sleep(3)
        for _ in range(2):
            run("record", "--snapshot", "--trigger", socket, file).expect(0)
            rows = dumped(file)
            check_complete(rows)
            counters = [row["counter"] for row in rows]
            check(min(counters) > 1, "it has the first row still")
        run("record", "--snapshot", "--trigger", socket, "/no/such/folder").expect(
            1, "No such file")
        # A snapshot that fails keeps the previous file, and leaves no other one.
        kept = path("kept")
        os.mkdir(kept)
        os.symlink("/dev/full", kept + "/last.new")
        with open(kept + "/last", "w", encoding="ascii") as f:
            f.write("precious")
        run("record", "--snapshot", "--trigger", socket, kept + "/last").expect(
            1, "No space left")
        with open(kept + "/last", encoding="ascii") as f:
            check(f.read() == "precious")
        check(os.listdir(kept) == ["last"], os.listdir(kept))
        run("record", "--ring", "1M", "--trigger", socket, xen="busy").expect(
            1, "another recorder")
        p.send_signal(signal.SIGINT)
        check(p.wait(timeout=30) == 0, p.returncode)
    check(not os.path.exists(socket))
    run("record", "--ring", "1M", file).expect(2, "--ring")
    run("record", "--last", "5", file).expect(2, "--ring")


@test
def last_rows():
    """A recorder that is stopped reads what was logged until then"""
    asked, stopped = threading.Event(), threading.Event()

    def slow(_):
        asked.set()
        stopped.wait(10)
        return REFUSED

    file = path("rows")
    with daemon(answering({"host": slow})) as where:
        with start("record", "--socket", where, file, xen="busy",
                   stderr=subprocess.DEVNULL) as p:
            check(asked.wait(30), "it did not ask the daemon")
            p.send_signal(signal.SIGINT)
            time.sleep(0.1)
            stopped.set()
            check(p.wait(timeout=30) == 0, p.returncode)
    check(len(dumped(file)) > 0, "no row was read")


@test
def former_names():
    """snapshot and contents still work, and name the option that replaces them"""
    file = path("rows")
    run("record", "--size", "64K", file, xen="busy").expect(0)
    summary = run("dump", "--summary", file).expect(0)
    check("warning" not in summary.err, summary.err)
    former = run("contents", file).expect(0, "warning: 'contents' is now 'dump --summary'")
    check(former.out == summary.out, former.out)
    run("snapshot", "--trigger", path("none"), file).expect(1, "no recorder")
    run("snapshot").expect(2, "--snapshot takes a FILE")
    run("record", "--snapshot", "--ring", "1M", file).expect(2, "no option but --trigger")
    run("dump", "--summary").expect(2, "needs a FILE")


@test
def snapshot_waits_alone():
    """a snapshot to a slow disk does not delay the reading of rows"""
    slow, socket = path("slow"), path("trigger")
    os.mkfifo(slow)
    with start("record", "--ring", "8M", "--trigger", socket, xen="busy",
               stderr=subprocess.PIPE) as p:
        while not os.path.exists(socket):
            time.sleep(0.01)
        time.sleep(0.5)
        with subprocess.Popen([XENSCHED, "record", "--snapshot", "--trigger", socket, slow],
                              stderr=subprocess.DEVNULL) as asking:
            # No process reads what the recorder writes; a recorder that waits cannot answer.
            time.sleep(0.5)
            file = path("snapshot")
            run("record", "--snapshot", "--trigger", socket, file).expect(0)
            check_complete(dumped(file))
            asking.kill()
        os.close(os.open(slow, os.O_RDONLY | os.O_NONBLOCK))
        p.send_signal(signal.SIGINT)
        check(p.wait(timeout=30) == 0, p.returncode)


@test
def contents():
    """contents has the source of rows, and how many there are"""
    file = path("recording")
    run("record", "--seconds", "0.5", file, xen="busy").expect(0)
    rows = dumped(file)
    said = json.loads(run("dump", "--summary", "--json", file).expect(0).out)
    check(said["version"] == 2 and said["out_of_order"] == 0, said)
    check([(s["kind"], s["rows"]) for s in said["sources"]] ==
          [("hypervisor", len(rows))], said)
    check("hypervisor" in run("dump", "--summary", file).expect(0).out)
    with open(file, "r+b") as f:
        f.truncate(os.stat(file).st_size // 2)
    run("dump", "--summary", file).expect(1, "cut off")


@test
def record_interrupted():
    """Ctrl-C, and SIGTERM, end a recording, which is complete"""
    for number in (signal.SIGINT, signal.SIGTERM):
        file = path("recording")
        with start("record", file, xen="busy", stderr=subprocess.PIPE) as p:
            while not os.path.exists(file) or os.stat(file).st_size < 10000:
                time.sleep(0.01)
            p.send_signal(number)
            errors = p.communicate(timeout=30)[1]
            check(p.returncode == 0, p.returncode, errors)
            check(b"rows" in errors and b"\x1b" not in errors, errors)
        check_complete(dumped(file))


def read_all(terminal):
    """All that a process wrote to a terminal whose other end is closed."""
    text = b""
    try:
        while chunk := os.read(terminal, 65536):
            text += chunk
    except OSError:
        pass
    return text


@test
def record_progress():
    """record shows its progress on a terminal"""
    master, slave = pty.openpty()
    with start("record", "--seconds", "1.3", path("recording"), xen="busy",
               stderr=slave) as p:
        os.close(slave)
        check(p.wait(timeout=30) == 0, p.returncode)
    text = read_all(master).decode()
    os.close(master)
    check(text.count("\r") >= 3 and text.rstrip().endswith("lost"), repr(text))
    done = [int(percent) for percent in re.findall(r"\r *(\d+) %  ", text)]
    check(len(done) >= 2 and done[0] < done[1] <= 100, done)


@test
def record_disk_full():
    """a full disk is reported, exit code 1"""
    run("record", "--seconds", "30", "/dev/full", xen="busy").expect(
        1, "No space left", "/dev/full")
    run("record", FOLDER + "/no/folder", xen="busy").expect(1, "no/folder")


@test
def record_without_xen():
    """record that cannot begin leaves the file unchanged"""
    file = path("precious")
    with open(file, "w", encoding="ascii") as f:
        f.write("precious")
    for xen in (None, "unprivileged", "unpatched", "other-abi", "no-area"):
        run("record", "--seconds", "1", file, xen=xen).expect(1)
    with open(file, encoding="ascii") as f:
        check(f.read() == "precious")


@test
def record_nothing():
    """record and dump report that no event is on"""
    file = path("recording")
    run("record", "--seconds", "0.1", file, xen="quiet").expect(
        0, "no event is on")
    check(dumped(file) == [])
    run("dump", "--seconds", "0.1", xen="quiet").expect(0, "no event is on")


@test
def record_given_up():
    """an area that is released ends the recording, which is complete"""
    file = path("recording")
    run("record", "--seconds", "20", file, xen="given-up").expect(
        1, "log area is gone")
    check_complete(dumped(file))


@test
def losses():
    """record and dump report lost rows at their place"""
    file = path("recording")
    ended = run("record", "--seconds", "0.5", file, xen="flood").expect(0)
    lost = int(re.search(r"(\d+) rows lost", ended.err).group(1))
    rows = dumped(file)
    check(0 < lost == sum(row.get("lost_rows", 0) for row in rows), lost)
    check("rows (" in run("dump", file).expect(0).out)
    latest = {}
    for row in rows:
        cpu = row["cpu"]
        if "lost_rows" in row:
            if cpu in latest:
                latest[cpu] += row["lost_rows"]
            continue
        check(row["counter"] == latest.get(cpu, row["counter"] - 1) + 1, row)
        latest[cpu] = row["counter"]


@test
def dump_live():
    """dump without a file prints live rows, in columns"""
    ended = run("dump", "--seconds", "1", xen="busy").expect(0)
    rows = [line.split() for line in ended.out.splitlines()]
    check(rows[0] == ["time", "cpu", "event", "current", "correspondent",
                      "counter"], rows[0])
    check(len(rows) > 10 and all(len(row) == 6 for row in rows), len(rows))
    check({row[3] + " " + row[4] for row in rows[1:]} ==
          {"2 3", "xen none"}, rows[1])

    def dumped_live(seconds):
        ended = run("dump", "--json", "--seconds", seconds, xen="busy").expect(0)
        return [json.loads(line) for line in ended.out.splitlines()]

    check_times(around_wrap(dumped_live))


@test
def dump_live_ends():
    """dump of live rows ends with Ctrl-C and with a closed pipe"""
    with start("dump", xen="busy", stdout=subprocess.PIPE) as p:
        for _ in range(10):
            check(p.stdout.readline(), "no rows")
        p.send_signal(signal.SIGINT)
        p.stdout.read()
        check(p.wait(timeout=30) == 0, p.returncode)
    with start("dump", xen="busy", stdout=subprocess.PIPE) as p:
        p.stdout.readline()
        p.stdout.close()
        p.wait(timeout=30)


# The size that a log buffer needs


def advised(*options, xen=None):
    """The JSON of advise-size."""
    return json.loads(run("advise-size", "--json", *options,
                          xen=xen).expect(0).out)


def advised_size(advice, log, interval):
    """Size of log buffer @log for a reader that polls every @interval ms."""
    return [reader["size_bytes"] for entry in advice["logs"]
            if entry["log"] == log for reader in entry["readers"]
            if reader["interval_ms"] == interval][0]


def found_at_most(rows, interval):
    """The most rows of a pCPU in any @interval ms, wherever the interval begins."""
    most = 0
    for cpu in {row["cpu"] for row in rows}:
        times = [row["time_s"] for row in rows if row["cpu"] == cpu]
        begin = 0
        for end, at in enumerate(times):
            while times[begin] <= at - interval / 1e3:
                begin += 1
            most = max(most, end - begin + 1)
    return most


@test
def advise_numbers():
    """advise-size: mean and most per interval, and sizes, are those of the rows"""
    steady = "synthetic:rows=100000,rate=1000,batch=1,pair=evtchn-send/2/3/1/1"
    advice = advised("--source", steady)
    event = advice["events"][0]
    check(abs(event.pop("mean") - 20) < 0.01, advice)
    check(event == {"event": "evtchn-send", "log": 0, "cpu": 0,
                    "rows": 100000, "most": 20}, advice)
    check(abs(advice["intervals"] - 5000) < 2, advice)
    # A poll finds rows of two intervals, 40 of 16 bytes, or of six; the size is for twice
    # that and one row more.
    check(advised_size(advice, 0, 20) == 2048, advice)
    check(advised_size(advice, 0, 100) == 4096, advice)
    advice = advised("--source", steady, "--interval", "50")
    check(advice["events"][0]["most"] == 50, advice)
    check(advised_size(advice, 0, 50) == 4096, advice)
    two = advised("--source", steady + ",cpus=2,pair=mark/2/3/1/1")
    check({(e["event"], e["cpu"]) for e in two["events"]} ==
          {(e, c) for e in ("evtchn-send", "mark") for c in (0, 1)}, two)
    check(sum(e["rows"] for e in two["events"]) == 100000, two)


def configured(text):
    file = path("config")
    with open(file, "w", encoding="utf-8") as f:
        f.write(text)
    return file


@test
def advise_configuration():
    """advise-size prints a configuration that xenschedd accepts"""
    source = "synthetic:rows=5000,rate=100000,pair=evtchn-send/2/3/9/1," \
             "pair=grant-map/3/2/1/1,pair=ring-pages/3/2/1/1"
    text = run("advise-size", "--source", source).expect(0).out
    setting = re.search(r"^log_sizes = \[[^]]*\]$", text, re.M)
    check(setting and text.endswith(setting.group() + "\n"), text)
    items = re.findall(r'"([\w-]+):(\d+)K"', setting.group())
    check([event for event, _ in items] ==
          ["evtchn-send", "grant-map", "ring-pages"], items)
    size = advised_size(advised("--source", source), 0, 100)
    check({int(kib) << 10 for _, kib in items} == {size}, items, size)
    # The daemon's own parser, which a mistake would end.
    good = configured(setting.group() +
                      "\nlog = [ 'evtchn-send', 'ring-pages' ]")
    run("replay", "--source", LOAD + ",rows=1000", "--host", host_file(HOST),
        "--", "--config", good).expect(0)
    run("replay", "--source", LOAD, "--", "--config",
        configured(setting.group().replace("K", "X"))).expect(2, "log_sizes")


@test
def check_sizes():
    """check reports whether log buffers have the configured sizes"""
    for text, word in (
            ("log = 'evtchn-send'\nlog_sizes = 'evtchn-send:1M'",
             "ok    sizes of the log area: as configured"),
            ("log = 'evtchn-send'", "that of evtchn-send has 1048576 bytes, "
             "configured are 262144; restart xenschedd"),
            ("", "there is 1 log buffer, configured are 8"),):
        run("check", "--config", configured(text), xen="busy").expect(0, word)
    run("check", "--config", configured("log = 1"), xen="busy").expect(
        1, ":1: 'log' does not take '1'")
    run("check", "--config", path("none"), xen="busy").expect(1, "No such file")


@test
def advise_any_time():
    """advise-size: no poll, at any time, finds more rows than advised"""
    file = path("recording")
    run("record", "--seconds", "1", file, xen="busy").expect(0)
    rows = dumped(file)
    for interval in (1, 3, 20):
        advice = advised("--source", "recording:" + file, "--interval",
                         str(interval))
        reader = advice["logs"][0]["readers"][0]
        most = found_at_most(rows, interval) * advice["logs"][0]["row_bytes"]
        check(reader["interval_ms"] == interval, reader)
        check(most <= reader["most_bytes"] <= 2 * most, most, reader)
        check(reader["size_bytes"] >= 2 * reader["most_bytes"], reader)


@test
def advise_when_written():
    """advise-size counts rows by the time when they were written, not read"""
    # A row every 2 us of the fake Xen's clock, whatever its speed.
    advice = advised("--seconds", "1", xen="flood")
    most = {(e["cpu"], e["event"]): e["most"] for e in advice["events"]}
    for cpu in (0, 2):
        check(most[cpu, "evtchn-send"] == 7500, most)
        check(most[cpu, "grant-map"] == 2500, most)


@test
def advise_lost():
    """advise-size: if rows were lost, a size is a lower bound, and is marked as one"""
    advice = advised("--seconds", "0.5", xen="flood")
    check(advice["lost_rows"] > 0 and advice["logs"][0]["lower_bound"], advice)
    run("advise-size", "--seconds", "0.5", xen="flood").expect(
        0, "over ", "Rows were lost", "lower bound")
    calm = run("advise-size", "--seconds", "0.5", xen="busy").expect(
        0, "safety factor of 2", " 0 lost", "evtchn-send grant-map ")
    check("over " not in calm.out and "lower bound" not in calm.out, calm.out)
    made_up = "synthetic:rows=100,lose=3,pair=mark/2/3/1/1"
    advice = advised("--source", made_up)
    check(advice["lost_rows"] == 6 and advice["logs"][0]["lower_bound"],
          advice)


@test
def advise_nothing():
    """advise-size reports that it has no rows, or no source"""
    ended = run("advise-size", "--seconds", "0.1", xen="quiet").expect(
        0, "no event is on", "0 rows")
    check("sizes" not in ended.out, ended.out)
    check(advised("--seconds", "0.1", xen="quiet")["logs"] == [])
    run("advise-size", xen="no-area").expect(1, "start xenschedd")
    run("advise-size", "--source", "nothing").expect(
        1, "source 'nothing'")
    run("advise-size", "--source", "recording:" + path("no")).expect(1, "No su")


@test
def advise_interrupted():
    """advise-size prints its result so far when it is interrupted"""
    with start("advise-size", xen="busy", stdout=subprocess.PIPE) as p:
        await_handler(p)
        time.sleep(1)
        p.send_signal(signal.SIGINT)
        check(b"rows per interval" in p.stdout.read(), "nothing")
        check(p.wait(timeout=30) == 0, p.returncode)


@test
def dump_cut():
    """of a recording that is cut anywhere, dump prints all rows before the cut"""
    whole, file = path("recording"), path("cut")
    # Several chunks, even on a busy machine.
    run("record", "--seconds", "0.5", whole, xen="busy").expect(0)
    rows = dumped(whole)
    with open(whole, "rb") as f:
        content = f.read()
    most = -1
    for length in sorted(random.Random(3).sample(range(64, len(content)), 25)):
        with open(file, "wb") as f:
            f.write(content[:length])
        some = dumped(file, 1, "cut off at offset %d" % length)
        check(is_beginning(some, rows) and len(some) >= most, length)
        most = len(some)
    check(most > 0, "no rows at all")


@test
def dump_damaged():
    """a recording with a changed byte: an error, and no changed row"""
    whole, file = path("recording"), path("damaged")
    run("record", "--size", "20K", whole, xen="busy").expect(0)
    rows = dumped(whole)
    with open(whole, "rb") as f:
        content = bytearray(f.read())
    for at in random.Random(4).sample(range(len(content)), 25):
        content[at] ^= 0x10
        with open(file, "wb") as f:
            f.write(content)
        content[at] ^= 0x10
        check(is_beginning(dumped(file, 1, file), rows), at)


@test
def dump_no_recording():
    """a file that is not a recording is refused, by name"""
    run("dump", path("nothing")).expect(1, "nothing", "No such file")
    run("dump", FOLDER).expect(1, FOLDER)
    run("dump", XENSCHED).expect(1, "not a recording")
    run("dump", "/dev/null").expect(1, "/dev/null")
    run("dump", xen="unpatched").expect(1, "CONFIG_SCHEDLOG")


HOST = {
    "topology": "2x2",
    "domains": [
        {"domid": 0, "name": "Domain-0", "acct": 12, "driver_domain": True,
         "affinity": "operator",
         "vcpus": [{"pcpu": 0, "hard": "0-1"}, {"pcpu": 1, "hard": "0-1"}]},
        {"domid": 1, "name": "disk", "acct": 7, "vcpus": [{"pcpu": 2}]},
        {"domid": 2, "name": "idle", "acct": 5, "vcpus": [{"pcpu": 3}]}]}
LOAD = "synthetic:rate=1000,pair=evtchn-send/7/12/1/1"


def host_file(host):
    file = path("host")
    with open(file, "w", encoding="utf-8") as f:
        f.write(host if isinstance(host, str) else json.dumps(host))
    return file


def replayed(*arguments):
    """The plans, and the numbers at the end."""
    ended = run("replay", "--json", *arguments).expect(0)
    lines = [json.loads(line) for line in ended.out.splitlines()]
    return lines[:-1], lines[-1]


@test
def replay_made_up():
    """replay plans from synthetic rows, once per period of their time"""
    host = host_file(HOST)
    plans, numbers = replayed("--seconds", "20", "--host", host, "--source",
                              LOAD)
    check([plan["time_s"] for plan in plans] == list(range(1, 20)), plans)
    moved = [plan for plan in plans if plan["done"]]
    check(len(moved) == 1 and moved[0]["time_s"] == 6, moved)
    check(moved[0]["done"][0]["soft_affinity"] == "0-1", moved)
    check(moved[0]["moves"][0]["domain"] == "disk", moved)
    check(moved[0]["moves"][0]["state"] == "applied", moved)
    check({k["domain"] for k in plans[-1]["kept"]} == {"Domain-0", "idle"})
    check(numbers["moves"] == 1 and numbers["plans"] == 19, numbers)
    run("replay", "--seconds", "20", "--host", host, "--source", LOAD).expect(
        0, "6.000 s  move disk to pCPUs 0-1: to node 0 (pCPUs 0-1): saves ", "moves 1, restored 0",
        "the last plan, at 19.000 s", "idle      to node 0 (pCPUs 0-1): costs ")


@test
def replay_ran():
    """replay reports where domains ran by the rows, and no effect of its own moves"""
    rest = ("--seconds", "20", "--host", host_file(HOST), "--source",
            "synthetic:rate=1000,cpus=3,batch=10,pair=evtchn-send/7/12/1/1,"
            "pair=service-ns/7/1/1/100000")
    plans, numbers = replayed(*rest)
    ran = numbers["ran"]
    check([d["domain"] for d in ran] == ["disk"], ran)
    check([p["place"] for p in ran[0]["ran"]] == ["node 0", "node 1"], ran)
    for part, share in zip(ran[0]["ran"], (2 / 3, 1 / 3)):
        check(abs(part["share"] - share) < 0.05, ran)
    kept = [p["moves"][0] for p in plans if p["moves"] and not p["done"]]
    check(len(kept) > 5, len(kept))
    check(all(m["at_place"] is None for m in kept), kept)
    done = [d["what"] for p in plans for d in p["done"]]
    check(done == ["move"], done)
    run("replay", *rest).expect(0, "where domains ran, by these rows:\n",
                                "\ndisk     1  node 0 6",
                                "applied: time there not known")
    ended = run("replay", "--seconds", "5", "--host", host_file(HOST),
                "--source", LOAD).expect(0)
    check("where domains ran" not in ended.out, ended.out)


@test
def replay_wakes():
    """replay takes wake-ups for unknown if the recording has none, and not for 0"""
    def moves(*more):
        seconds = []
        for t in range(101, 112):
            seconds += [(t, (0, [(0, 12, NONE, 3 * 10 ** 8), (12, 7, 250)])),
                        (t, (2, [(0, 7, NONE, 3 * 10 ** 8), (7, 12, 250), *more]))]
        return replayed(written((100, HOST), *seconds), "--", "--settle", "0")[1]["moves"]

    check(moves() == 1)
    # Together, the two wake each other more often than that, which costs more than it saves.
    check(moves((9, 7, NONE, 1000)) == 0)


@test
def replay_hard():
    """a guest that a replay moved by hard affinity keeps it when the host changes"""
    busy = [(7, 12, 1000)]
    file = written((100, HOST), *((100 + t, busy) for t in range(1, 10)),
                   (109.5, change(HOST, vcpus=[{"pcpu": 3}])),
                   *((110 + t, busy) for t in range(8)))
    plans = replayed(file, "--", "--settle", "0", "--affinity", "hard")[0]
    done = [d["what"] for p in plans for d in p["done"]]
    check(done == ["move"], done)
    check(plans[-1]["moves"][0]["hard"], plans[-1])


@test
def replay_group():
    """replay moves the domains of a group together"""
    host = copy.deepcopy(HOST)
    for domain in host["domains"][1:]:
        domain.update(acct=7, group="web")
    plans, numbers = replayed("--seconds", "20", "--host", host_file(host),
                              "--source", LOAD)
    check(numbers["moves"] == 2, numbers)
    check(" with Domain-0" in json.dumps(plans[-1]["moves"][1]),
          plans[-1])
    host["domains"][1]["group"] = "a b"
    run("replay", "--host", host_file(host), "--source", LOAD).expect(
        1, "domain 1: 'group' is no name")


@test
def replay_settings():
    """replay accepts xenschedd's settings, after --"""
    host = host_file(HOST)
    rest = ("--seconds", "5", "--host", host, "--source", LOAD, "--")
    plans, numbers = replayed(*rest, "--period", "500ms", "--settle", "0s")
    check(len(plans) == 9 and numbers["moves"] == 1, numbers)
    check(plans[1]["done"] and plans[1]["time_s"] == 1, plans[1])
    plans, numbers = replayed(*rest, "--settle", "0", "--least-gain", "1s")
    check(numbers["moves"] == 0, numbers)
    check("least gain 1000.00 ms/s" in json.dumps(plans[-1]), plans[-1])
    conf = path("conf")
    with open(conf, "w", encoding="ascii") as f:
        f.write("least_gain_us = 700000\nsettle_ms = 0\n")
    plans, numbers = replayed(*rest, "--config", conf)
    check("least gain 700.00 ms/s" in json.dumps(plans[-1]), plans[-1])
    run("replay", *rest, "--config", path("nothing")).expect(2, "No such file")
    run("replay", *rest, "--share", "x").expect(2, "--share")
    run("replay", *rest, "--help").expect(0, "--least-gain")


@test
def replay_memory():
    """replay takes the location of memory from the recording"""
    host = json.loads(json.dumps(HOST))
    settings = ("--policies", "placement", "--misses", "100000", "--settle", "0")
    load = LOAD + ",pair=service-ns/7/1/1/90000"
    for pages, pcpus in ([0, 100000], [2, 3]), ([100000, 0], [0, 1]):
        host["domains"][1].update(pages=pages, pages_ns=1)
        plans, _ = replayed("--seconds", "9", "--host", host_file(host), "--source",
                            load, "--", *settings)
        check(plans[-1]["moves"][0]["pcpus"] == pcpus, plans[-1])
        node = pcpus[0] // 2
        check(f"100 % of its memory is on node {node}" in json.dumps(plans),
              plans[-1])


@test
def replay_phases():
    """replay of a load that changes: one move per phase, none in between"""
    host = copy.deepcopy(HOST)
    host["domains"].append({
        "domid": 3, "name": "storage", "acct": 9, "driver_domain": True,
        "vcpus": [{"pcpu": 2, "hard": "2-3"}]})
    plans = replayed(
        "--seconds", "119", "--host", host_file(host), "--source",
        "synthetic:rate=1000,pair=evtchn-send/5/7/1/1,"
        "phase=20,pair=evtchn-send/7/12/9/1,"
        "phase=20,pair=evtchn-send/7/9/9/1", "--", "--settle", "0")[0]
    done = [(p["time_s"], d["name"], d["soft_affinity"])
            for p in plans for d in p["done"]]
    check([d[1:] for d in done] == [("disk", "0-1"), ("disk", "2-3")] * 3, done)
    for number, what in enumerate(done):
        check(0 < what[0] - 20 * number <= 5, done)


@test
def replay_operator():
    """replay leaves a guest alone that an operator holds or has placed"""
    host = copy.deepcopy(HOST)
    host["domains"][1]["held"] = True
    plans, numbers = replayed("--seconds", "9", "--host", host_file(host),
                              "--source", LOAD)
    check(numbers["moves"] == 0, numbers)
    check("an operator holds it" in json.dumps(plans[-1]["kept"]), plans[-1])
    host["domains"][1]["held"] = False
    host["domains"][1]["affinity"] = "operator"
    host["domains"][1]["vcpus"][0]["hard"] = "2"
    plans, numbers = replayed("--seconds", "9", "--host", host_file(host),
                              "--source", LOAD)
    check("set by an operator" in json.dumps(plans[-1]["kept"]), plans[-1])


def written(*chunks):
    """A recording: hosts, or rows of evtchn-send (from, to, number), each with its second."""
    def with_crc(header, contents=b""):
        return header + struct.pack("=I", zlib.crc32(header + contents)) + \
            contents

    def chunk(kind, contents, lcr, pos, second, cpu=0):
        return with_crc(struct.pack("=6I4QI", 0x6b6e6863, kind, len(contents),
                                    cpu, 0, lcr, pos, 0, 0,
                                    int(second * 1e9), 0), contents)

    parts = [with_crc(struct.pack("=8s4I2Q5I", b"xensched", 0x01020304, 1, 2, 0,
                                  0, 0, 0, 0, 0, 0, 0))]
    for second, what in chunks:
        if isinstance(what, dict):
            parts.append(chunk(2, json.dumps(what).encode(), 0, 0, second))
        else:
            cpu, rows = what if isinstance(what, tuple) else (0, what)
            rows = b"".join(struct.pack("=3H2xQ", *(2, *row)[-4:])
                            for row in rows)
            parts.append(chunk(1, rows, 0x1f, 0, second, cpu))
    parts.append(chunk(0, b"", 0, len(chunks), 0))
    file = path("recording")
    with open(file, "wb") as f:
        f.write(b"".join(parts))
    return file


def change(host, **members):
    """The host, with another disk guest."""
    host = copy.deepcopy(host)
    host["domains"][1].update(members)
    return host


@test
def replay_goes_on():
    """a replay's move outlives changes of the host, but not an operator's affinity or its reason"""
    busy = [(7, 12, 1000)]
    ours = {"affinity": "ours", "vcpus": [{"pcpu": 1, "soft": "2-3"}]}
    begin = [(100, change(HOST, **ours))] + [(100 + t, busy)
                                             for t in range(1, 10)]
    settings = ("--", "--settle", "0", "--quiet", "3000", "--least-gain", "10")

    def done(*then):
        plans = replayed(written(*begin, *then), *settings)[0]
        there = [m["domain"] for m in plans[-1]["moves"]]
        return [(p["time_s"], d["what"]) for p in plans for d in p["done"]] + \
            there

    check(done() == [(3, "move"), "disk"], done())
    more = [(110 + t, busy) for t in range(8)]
    for members in ({"held": False}, ours, {"vcpus": [{"pcpu": 3}]}):
        also = done((109.5, change(HOST, **members)), *more)
        check(also == [(3, "move"), "disk"], members, also)
    also = done((109.5, change(HOST, affinity="operator", vcpus=[
        {"pcpu": 2, "soft": "2"}])), *more)
    check(also == [(3, "move"), (10, "operator")], also)
    also = done((109.5, change(HOST, uuid="another")), *more)
    check(also == [(3, "move"), (12, "move"), "disk"], also)
    also = done((130, []))
    check([x[1] for x in also] == ["move", "restore"] and also[1][0] > 12, also)


@test
def replay_time():
    """replay stops its clock while time goes back, and leaves out jumps"""
    busy = [(7, 12, 1000)]
    for times, seconds in (((100, 101, 50, 102, 103), 3),
                           ((100, 101, 102, 90000, 90001), 3),
                           ((0, 1, 2, 18446744072), 2),
                           ((18446744072, 18446744073), 0)):
        file = written((times[0], HOST), *((t, busy) for t in times[1:]))
        numbers = replayed(file)[1]
        check(abs(numbers["seconds"] - seconds) <= 1, times, numbers)


@test
def replay_twice():
    """the same rows twice give the same plans, to the byte"""
    arguments = ("replay", "--json", "--seconds", "30", "--host",
                 host_file(HOST), "--source",
                 LOAD + ",pair=evtchn-send/5/12/1/1,pair=evtchn-send/5/7/2/1,"
                 "pair=grant-map/12/5/1/3,lose=2,seed=7")
    first = run(*arguments).expect(0).out
    check(first == run(*arguments).expect(0).out and len(first) > 1000)


@test
def replay_thresholds():
    """with a threshold, one row counts for all events that it stands for"""
    host = dict(HOST, thresholds={"evtchn-send": 10})
    rest = ("--seconds", "20", "--source", LOAD, "--host")
    rate = replayed(*rest, host_file(HOST))[0][-1]["moves"][0]["evidence"]
    tenfold = replayed(*rest, host_file(host))[0][-1]["moves"][0]["evidence"]
    check(abs(tenfold["rate"] / rate["rate"] - 10) < 0.01, rate, tenfold)
    host = change(host, thresholds={"evtchn-send": 40})
    more = replayed(*rest, host_file(host))[0][-1]["moves"][0]["evidence"]
    check(abs(more["rate"] / rate["rate"] - 40) < 0.01, rate, more)


def tell_host(host):
    """A daemon that a command asks for the host."""
    def talk(connection):
        check(json.loads(hear(connection)) == {"command": "host"})
        connection.sendall(json.dumps({"ok": True, "result": host}).encode() +
                           b"\n")
    return talk


def recorded_with_host(host, seconds="1.5"):
    """A recording that begins with the host.

    record waits half a second for the answer. A busy machine may need longer; then the recording is
    useless for the tests below, and another one is made.
    """
    file = path("recording")
    with daemon(tell_host(host)) as where:
        for _ in range(20):
            ended = run("record", "--seconds", seconds, "--socket", where,
                        file, xen="busy").expect(0, " 0 rows lost")
            if "doesn't answer" not in ended.err:
                return file
    raise Failed(ended.err)


@test
def replay_recorded():
    """record keeps the names of numbers, and replay plans with them"""
    file = recorded_with_host(examples()["host"]["result"])
    plans, numbers = replayed(file, "--", "--period", "100", "--settle", "0")
    check(numbers["rows"] == len(dumped(file)), numbers)
    # One every 100 ms; a busy machine may have recorded fewer.
    check(5 <= len(plans) <= 15, len(plans))
    check(all(abs(plan["time_s"] - 0.1 * i) < 0.02
              for i, plan in enumerate(plans, 1)), plans)
    names = {d["domain"] for d in plans[-1]["moves"] + plans[-1]["kept"]}
    check(names == {"Domain-0", "disk", "idle"}, names)
    first = run("replay", "--json", file).expect(0).out
    check(first == run("replay", "--json", file).expect(0).out)
    check("rows" in run("advise-size", "--source",
                        "recording:" + file).expect(0).out)


def communicating_pairs(*arguments, **options):
    """The values of the columns current and correspondent."""
    lines = run("dump", *arguments, **options).expect(0).out.splitlines()
    return {tuple(line[39:].split()[:-1]) for line in lines[1:]
            if not line.startswith("#")}


@test
def dump_names():
    """dump prints names from the recording or the daemon, and numbers without a name"""
    host = copy.deepcopy(HOST)
    host["domains"][1].update(name="di\x1bsk", acct=2)
    host["domains"][2].update(group="web", acct=3)
    host["domains"].append(dict(host["domains"][2], domid=3, name="second"))
    file = recorded_with_host(host)
    check(communicating_pairs(file) == {("di?sk", "(group", "web)"), ("xen", "none")},
          communicating_pairs(file))
    host["domains"][2].pop("group")
    unnamed = {("2", "3"), ("xen", "none")}
    with daemon(tell_host(host)) as where:
        for _ in range(20):
            said = communicating_pairs("--seconds", "1", "--socket", where, xen="busy")
            if said != unnamed:  # otherwise the answer came too late
                break
    check(said == {("di?sk", "idle"), ("xen", "none")}, said)
    check(communicating_pairs("--seconds", "1", "--socket", path("none"), xen="busy") ==
          unnamed)
    check({row["current"] for row in dumped(file)} == {1, 2})


@test
def record_changes():
    """record writes the host again if domains change, and only then"""
    host = copy.deepcopy(HOST)
    file = path("recording")
    asked = itertools.count(1)
    often_enough = threading.Event()

    def talk(connection):
        tell_host(host)(connection)
        times = next(asked)
        if times == 2:
            host["domains"][1]["name"] = "renamed"
        if times == 4:
            often_enough.set()

    with daemon(talk) as where:
        with start("record", "--socket", where, file, xen="busy",
                   stderr=subprocess.PIPE) as p:
            check(often_enough.wait(60), "it does not ask any more")
            p.send_signal(signal.SIGINT)
            check(p.wait(timeout=60) == 0, p.stderr.read())
    said = json.loads(run("dump", "--summary", "--json", file).expect(0).out)
    check(said["hosts"] == 2, said)
    plans = replayed(file, "--", "--period", "100")[0]
    check("disk" in json.dumps(plans[0]), plans[0])
    check("renamed" in json.dumps(plans[-1]), plans[-1])


@test
def record_names_at_last():
    """record asks a slow daemon again, and once more at the end"""
    host = examples()["host"]["result"]
    asked = itertools.count()

    def talk(connection):
        hear(connection)
        if next(asked):
            connection.sendall(json.dumps({"ok": True, "result": host}).encode() +
                               b"\n")
        else:
            time.sleep(0.8)

    file = path("recording")
    with daemon(talk) as where:
        run("record", "--seconds", "0.1", "--socket", where, file,
            xen="busy").expect(0, "does not name the domains of its numbers yet")
    replayed(file)


@test
def without_names():
    """record and timeline report that names are missing"""
    file = path("recording")
    run("record", "--seconds", "0.3", "--socket", path("nothing"), file,
        xen="busy").expect(0, "has no names of domains")
    run("timeline", file).expect(0, "has no names of domains")


@test
def record_killed():
    """record that is killed at once leaves a recording"""
    file = path("recording")
    with start("record", "--seconds", "30", "--socket", path("nothing"), file,
               xen="quiet", stderr=subprocess.DEVNULL) as process:
        while not os.path.exists(file):
            time.sleep(0.001)
        time.sleep(0.02)
        process.kill()
        process.wait()
    check(os.stat(file).st_size >= 64, os.stat(file).st_size)


@test
def replay_not_known():
    """replay of a recording without a host reports that, with the remedy"""
    file = path("recording")
    run("record", "--seconds", "0.3", "--socket", path("nothing"), file,
        xen="busy").expect(0, "does not name", "not running")
    run("replay", file).expect(1, "--host", file)
    plans, numbers = replayed("--host", host_file(HOST), file, "--",
                              "--period", "50")
    check(plans and numbers["rows"] == len(dumped(file)), numbers)
    run("replay", "--source", LOAD, "--seconds", "1").expect(1, "--host")


@test
def replay_wrong_host():
    """an inconsistent host is refused, with the mistake"""
    rest = ("--source", LOAD, "--seconds", "3")
    run("replay", *rest, "--host", path("nothing")).expect(1, "No such file")
    for host, word in (
            ("", "JSON"), ("[]", "JSON"), ("{", "JSON"), ("{}", "topology"),
            ({"topology": "2x"}, "SOCKETSxCORES"),
            ({"topology": "9999x9999"}, "SOCKETSxCORES"),
            ({"topology": []}, "pCPUs"), ({"topology": [1]}, "pCPUs"),
            ({"topology": "2x2"}, "domains"),
            (dict(HOST, domains={}), "domains"),
            (dict(HOST, domains=[1]), "domains"),
            (dict(HOST, domains=[{}]), "domid"),
            (dict(HOST, domains=HOST["domains"][::-1]), "sorted"),
            (dict(HOST, domains=[{"domid": 1, "acct": 70000}]), "acct"),
            (dict(HOST, domains=[{"domid": 1, "acct": -1}]), "acct"),
            (dict(HOST, domains=[{"domid": 1, "name": "x" * 300}]), "name"),
            (dict(HOST, domains=[{"domid": 1, "name": 5}]), "name"),
            (dict(HOST, domains=[{"domid": 1, "affinity": "x"}]), "affinity"),
            (dict(HOST, domains=[{"domid": 1, "vcpus": [5]}]), "vcpus"),
            (dict(HOST, domains=[{"domid": 1, "serves": [-1]}]), "serves"),
            (dict(HOST, domains=[{"domid": 7, "vcpus": [{"hard": "0-9"}]}]),
             "domain 7: 'hard'"),
            (dict(HOST, thresholds={"evtchn-send": 0}), "threshold")):
        run("replay", *rest, "--host", host_file(host)).expect(1, word)


@test
def replay_cut():
    """replay of a recording that is cut anywhere prints the plans before the cut, and its place"""
    file = recorded_with_host(HOST, "0.4")
    with open(file, "rb") as f:
        content = f.read()
    settings = ("--", "--period", "20", "--settle", "0")
    whole = run("replay", "--json", file, *settings).expect(0).out
    whole = whole.splitlines()[:-1]
    check(len(whole) > 10, whole)
    # The host is in the first pack, which ends there.
    told = 64 + 64 + int.from_bytes(content[64 + 8:64 + 12], "little")
    sizes = [*range(0, 200, 7), *range(told - 3, told + 140, 3),
             *random.Random(1).sample(range(len(content)), 40)]
    file = path("cut")
    for size in sizes:
        with open(file, "wb") as f:
            f.write(content[:size])
        ended = run("replay", "--json", file, *settings)
        ended.expect(1, "cut off" if size >= 64 else file)
        plans = ended.out.splitlines()[:-1]
        check(plans == whole[:len(plans)], size, plans[-1:])
        check(bool(ended.out) == (size >= told), size, ended.out)


@test
def replay_damaged():
    """a recording damaged anywhere: an error with the place"""
    file = recorded_with_host(HOST, "0.3")
    with open(file, "rb") as f:
        content = bytearray(f.read())
    file = path("damaged")
    for at in random.Random(2).sample(range(len(content)), 40):
        content[at] ^= 0x10
        with open(file, "wb") as f:
            f.write(content)
        content[at] ^= 0x10
        run("replay", file).expect(1, file)


if __name__ == "__main__":
    sys.exit(main())
