#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""xensched timeline --with: events of another program's CTF trace are at the recording's times.
The test writes traces byte by byte, as LTTng and mirage-profile lay them out. If lttng is
installed, one trace is LTTng's own.
"""

import json
import os
import shutil
import struct
import subprocess
import time
import uuid

from command_world import alone, check, main, path, run, test
from perfetto_trace import as_perfetto
from recording_made import CRUNCH, DISK, MS, XEN, slow_request

UUID = uuid.UUID("2a6422d0-6cee-11e0-8c08-cb07d7b3a564")

TYPES = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
trace { major = 1; minor = 8; uuid = "%s"; byte_order = le;
    packet.header := struct { u32 magic; u8 uuid[16]; u32 stream_id; }; };
"""

# As LTTng has it: a clock with a date, a CPU in each packet.
LTTNG = TYPES + """
env { hostname = "%s"; domain = "kernel"; };
clock { name = "monotonic"; freq = 1000000000; offset = %d; };
typealias integer { size = 64; align = 8; signed = false;
    map = clock.monotonic.value; } := stamp;
stream { id = 0; packet.context := struct { stamp timestamp_begin;
        stamp timestamp_end; u64 content_size; u64 packet_size; u32 cpu_id; };
    event.header := struct { u32 id; stamp timestamp; }; };
event { name = "sched_switch"; id = 0; stream_id = 0;
    fields := struct { string prev_comm; u32 prev_tid; }; };
"""

# mirage-profile's layout: the trace does not name its clock.
MIRAGE = TYPES.replace(" u32 stream_id;", "") + """
struct event_header { u64 timestamp; enum : u8 { creates = 0, label = 5 } id; }
    align (8);
struct thread_context { u64 thread; } align (8);
stream { packet.context := struct { u32 packet_size; u32 content_size; };
    event.header := struct event_header; };
event { name = creates; id = 0; context := struct thread_context;
    fields := struct { u64 child; enum : u8 { Wait = 0, Bind = 2 } thread_type; }; };
event { name = label; id = 5; context := struct thread_context;
    fields := struct { string label; }; };
"""


def folder(metadata, stream):
    place = path("foreign")
    os.mkdir(place)
    with open(place + "/metadata", "w", encoding="ascii") as file:
        file.write(metadata)
    with open(place + "/trace.ctf", "wb") as file:
        file.write(stream)
    return place


def lttng(events, hostname="disk", date=0, cpu=3):
    """events: (ns of its clock, comm, tid)"""
    body = b"".join(struct.pack("<IQ", 0, ns) + comm.encode() + b"\0" +
                    struct.pack("<I", tid) for ns, comm, tid in events)
    head = struct.pack("<I16sI", 0xc1fc1fc1, UUID.bytes, 0)
    bits = 8 * (len(head) + 36 + len(body))
    head += struct.pack("<QQQQI", events[0][0], events[-1][0], bits, bits, cpu)
    return folder(LTTNG % (UUID, hostname, date), head + body)


def mirage():
    """At 5 ms and 7 ms after Xen's system time was 3 s."""
    body = struct.pack("<QBQQB", 3 * 10 ** 9 + 5 * MS, 0, 1, 2, 2)
    body += struct.pack("<QBQ", 3 * 10 ** 9 + 7 * MS, 5, 2) + b"read block\0"
    head = struct.pack("<I16s", 0xc1fc1fc1, UUID.bytes)
    bits = 8 * (len(head) + 8 + len(body))
    return folder(MIRAGE % UUID, head + struct.pack("<II", bits, bits) + body)


def shown(recording, trace, *arguments, code=0, words=""):
    file = recording.write(path("recording"))
    ended = run("timeline", file, "--json", "--with", trace,
                *arguments).expect(code, words)
    return json.loads(ended.out).get("foreign")


def marked(offset, error=1000, domain=DISK):
    """disk marked its clock at 2 ms and at 44 ms."""
    r = slow_request()
    for ns in (2 * MS, 44 * MS):
        r.clock_label(ns, 1, domain, "monotonic", ns + offset - error,
                      ns + offset + error)
    return r


@test
def a_clock_that_the_guest_marked():
    """if a guest marked its clock, events are at the guest's times, with a bound"""
    offset = 77 * 10 ** 9
    trace = lttng([(offset + 10 * MS, "sh", 12), (offset + 20 * MS, "cp", 13)])
    found = shown(marked(offset), trace)
    # The first code of a label is the row that counts; the last one has the time.
    times = [e["at_ns"] for e in found["events"]]
    check(times[1] - times[0] == 10 * MS, found)
    check(abs(times[0] - 10 * MS) <= found["clock_error_ns"] <= 2000, found)
    check(found["events"][0]["text"] ==
          "sched_switch: prev_comm = sh, prev_tid = 12", found)
    check(found["events"][0]["lane"].endswith(" CPU 3"), found)
    check("marked" in found["clock"] and found["outside"] == 0, found)


@test
def a_clock_that_drifts():
    """between two marks of the clock the bound contains the clock's drift"""
    r = slow_request()
    r.clock_label(2 * MS, 1, DISK, "monotonic", 2 * MS, 2 * MS)
    r.clock_label(44 * MS, 1, DISK, "monotonic", 44 * MS + 5000, 44 * MS + 5000)
    found = shown(r, lttng([(3 * MS, "sh", 1), (44 * MS + 5000, "sh", 2)]))
    check(5000 <= found["clock_error_ns"] <= 5002, found)
    check(found["events"][1]["at_ns"] == 44 * MS, found)


@test
def whose_clock():
    """if several guests marked their clocks, the trace names the guest"""
    r = marked(10 ** 9)
    r.clock_label(3 * MS, 0, CRUNCH, "monotonic", 0, 0)
    trace = lttng([(10 ** 9 + 10 * MS, "sh", 1)])
    check(abs(shown(r, trace)["events"][0]["at_ns"] - 10 * MS) < 2000)
    shown(r, lttng([(10, "sh", 1)], hostname="other"), code=1,
          words="several domains marked their clocks")


@test
def xens_system_time():
    """a clock without a date is Xen's system time, as in mini-os"""
    r = slow_request()
    r.system_times = [(0, 3 * 10 ** 9), (40 * MS, 3 * 10 ** 9 + 40 * MS + 50)]
    found = shown(r, mirage())
    check([e["at_ns"] for e in found["events"]] == [5 * MS, 7 * MS], found)
    check([e["text"] for e in found["events"]] ==
          ["creates: thread = 1, child = 2, thread_type = Bind",
           "label: thread = 2, label = read block"], found)
    check("system time" in found["clock"], found)
    check(50 <= found["clock_error_ns"] < 60, found)
    # A file in the folder, as users of mirage-profile have it.
    found = shown(r, mirage() + "/trace.ctf")
    check(len(found["events"]) == 2, found)


@test
def by_date():
    """without marks and system time the date aligns both, and no bound is claimed"""
    r = slow_request()
    r.utc = 1800000000 * 10 ** 9
    trace = lttng([(5 * MS, "early", 1), (10 ** 9 + 5 * MS, "sh", 2)],
                  date=1799999999 * 10 ** 9)
    found = shown(r, trace)
    check([e["at_ns"] for e in found["events"]] == [5 * MS], found)
    check(found["outside"] == 1 and "clock_error_ns" not in found, found)
    out = run("timeline", r.write(path("recording")), "--with",
              trace).expect(0).out
    check("with an unknown error" in out, out)


@test
def an_unknown_clock():
    """an unknown clock is reported, with the remedy"""
    shown(slow_request(), mirage(), code=1, words="xensched-mark clock")


@test
def what_is_no_trace():
    """a folder without a trace is reported; the recording is shown all the same"""
    shown(slow_request(), "/nowhere", code=1, words="No such file")
    empty = path("empty")
    os.mkdir(empty)
    shown(slow_request(), empty, code=1, words="there is no file 'metadata' in it")
    with open(empty + "/trace.ctf", "w", encoding="ascii"):
        pass
    shown(slow_request(), empty + "/trace.ctf", code=1,
          words="there is no file 'metadata' beside it")
    shown(slow_request(), folder("this is not TSDL", b"x"), code=1,
          words="as a CTF trace")
    damaged = lttng([(10 * MS, "sh", 1)])
    with open(damaged + "/trace.ctf", "r+b") as file:
        file.truncate(70)
    shown(marked(0), damaged, code=1, words="as a CTF trace")
    run("timeline", slow_request().write(path("recording")), "--with").expect(2)


TRACED = r"""
#include <stdio.h>
#include <time.h>
#include <lttng/tracef.h>
static long long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}
int main(void)
{
    for (int i = 0; i < 3; i++) {
        long long before = now();
        lttng_ust_tracef("number %d", i);
        printf("%lld %lld\n", before, now());
    }
    return 0;
}
"""


def lttng_traced():
    """A trace of LTTng's own, and the two times between which each event happened."""
    place = path("lttng")
    os.mkdir(place)
    with open(place + "/traced.c", "w", encoding="ascii") as file:
        file.write(TRACED)
    env = dict(os.environ, LTTNG_HOME=place, LTTNG_UST_REGISTER_TIMEOUT="20000")

    def do(*words):
        return subprocess.run(words, env=env, check=True, timeout=60,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.decode()

    do("cc", "-o", place + "/traced", place + "/traced.c", "-llttng-ust")
    with subprocess.Popen(["lttng-sessiond", "--no-kernel"], env=env,
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as daemon:
        try:
            for _ in range(100):
                if not subprocess.run(["lttng", "list"], env=env, check=False,
                                      stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL).returncode:
                    break
                time.sleep(0.1)
            do("lttng", "create", "mine", "--output=" + place + "/trace")
            do("lttng", "enable-event", "-u", "lttng_ust_tracef:*")
            do("lttng", "start")
            said = do(place + "/traced")
            do("lttng", "destroy")
        finally:
            daemon.terminate()
    return place + "/trace", [[int(ns) for ns in line.split()]
                              for line in said.splitlines()]


@alone
def lttngs_own():
    """a trace that LTTng made itself (if it is installed) is at its times"""
    if not shutil.which("lttng-sessiond") or subprocess.run(
            ["cc", "-E", "-include", "lttng/tracef.h", "-x", "c", "/dev/null"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            check=False).returncode:
        return
    trace, times = lttng_traced()
    # The recording began a ms before, by this machine's CLOCK_MONOTONIC.
    offset = times[0][0] - 1 * MS
    r = slow_request()
    r.clock_label(MS // 2, 1, DISK, "monotonic", offset + MS // 2 - 10,
                  offset + MS // 2 + 10)
    r.row(10 ** 9, 3, "runq", XEN)
    found = shown(r, trace)
    events = found["events"]
    check(len(events) == 3, found)
    for event, (before, after) in zip(events, times):
        check(before - offset - found["clock_error_ns"] <= event["at_ns"] <=
              after - offset + found["clock_error_ns"], event, before, after)
    check('msg = number 0' in events[0]["text"], events)


@test
def hostile_texts():
    """texts of a trace do not control the terminal, and are cut"""
    trace = lttng([(10 * MS, "\033[2J<script>" + "x" * 5000, 1)])
    found = shown(marked(0), trace)
    check(len(found["events"][0]["text"]) < 200, found)


@test
def in_perfetto():
    """--perfetto: events of the other trace are instants of a track of their own"""
    r = marked(0)
    out = path("trace")
    run("timeline", r.write(path("recording")), "--perfetto", out, "--with",
        lttng([(10 * MS, "sh", 12)])).expect(0)
    with open(out, "rb") as file:
        data = file.read()
    check(b"sched_switch: prev_comm = sh, prev_tid = 12" in data)
    check(as_perfetto(r))


main()
