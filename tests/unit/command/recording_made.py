# SPDX-License-Identifier: GPL-2.0-only
"""Recordings that a test writes row by row.

The format is that of docs/internals/recording-format.md. Times are in ns, by a TSC of 1 GHz.
"""

import json
import struct
import zlib

EVENTS = {"service-ns": 0, "evtchn-send": 2, "evtchn-recv": 3, "grant-map": 4, "memory": 7,
          "runq": 8, "wake-delay": 9, "migrate": 10, "mark": 11,
          "preempt-delay": 12, "wait-part": 13, "off-cpu": 14, "replenish": 15,
          "hypercall-time": 20, "irq-time": 21, "exit-time": 22, "flush-wait": 23,
          "ring-pages": 24, "ring-sectors": 25,
          "guest-switch": 27, "guest-wake": 28, "guest-name": 29}
LINUX, DRIVER, GUEST = 1, 2, 3
XEN, NONE = 1, 0xffff

# All three ids, a counter and a TSC of 64 bits.
REGISTER = 1 | 2 | 4 | 8 | 1 << 4 | 3 << 5 | 1 << 7
REASON = 1 << 18
FULL_ROW = struct.Struct("<HHHxxQQ8x")


def mark_sum(data):
    value = 0x811c9dc5
    for byte in data:
        value = (value ^ byte) * 0x01000193 & 0xffffffff
    return (value ^ value >> 15 ^ value >> 30) & 0x7fff


class Recording:
    """Rows in the order in which they are added, per pCPU and log buffer."""

    def __init__(self, names, vcpus=None, begin=10 ** 9):
        """names: of accounting domains, from number 2 on."""
        self.begin = begin
        self.files = {}
        self.reasons = False  # in rows of waits
        self.losses = {}
        self.sources = {}
        self.system_times = []
        self.one_tsc = False
        self.utc = 0
        self.later_hosts = []
        self.host = {
            "topology": "1x4",
            "domains": [
                {"domid": number, "name": name, "acct": number + 2,
                 "vcpus": [{}] * (vcpus or {}).get(name, 1)}
                for number, name in enumerate(names)]}

    def row(self, ns, cpu, event, current, correspondent=NONE, counter=1,
            file=None, source=0, reason=0):
        number = EVENTS[event]
        key = cpu, number if file is None else file, source
        offset = self.sources[source][1] if source else 0
        self.files.setdefault(key, []).append(
            FULL_ROW.pack(number | reason << 8, current, correspondent, counter,
                          self.begin + ns + offset))

    def source(self, kind, domid, name="", offset=0):
        """Adds a Linux that logs, with a TSC that is this far ahead, and returns its id."""
        name = name.encode(errors="surrogateescape")
        info = struct.pack("<IIQ40s", kind, domid, 10 ** 6, b"") + \
            name.ljust(64, b"\0")
        self.sources[len(self.sources) + 1] = info, offset
        return len(self.sources)

    def response(self, ns, source, back, front, sectors, operation=0, cpu=0):
        """Adds the rows of a back end that has completed a request of a front end."""
        self.row(ns, cpu, "ring-sectors", back, front, sectors << 3 | operation,
                 file=1, source=source)

    def decision(self, ns, domid, what, reason, **more):
        """Adds an entry of the daemon's journal. The daemon's clock is 10 s ahead when the last
        row, at 50 ms, is read.
        """
        self.host.setdefault("journal", []).append(
            dict(more, at_ns=self.begin + 10 ** 10 - 50 * MS + ns, domid=domid,
                 what=what, reason=reason))

    def clock_label(self, ns, cpu, current, name, before, after):
        """Adds the marks of 'xensched-mark clock': the row is between the two times."""
        self.label(ns, cpu, current, "%s=%x" % (name, before))
        self.label(ns + 100, cpu, current, "until=%x" % after)

    def switch(self, ns, source, cpu, before, after, why="S", taken=False):
        """Adds the row of a vCPU that switches from one thread to another one, by PIDs."""
        self.row(ns, cpu, "guest-switch", 0, file=0, source=source,
                 counter=after | before << 22 | ord(why) << 44 | taken << 52)

    def wake(self, ns, source, cpu, waker, woken, interrupt=False):
        self.row(ns, cpu, "guest-wake", 0, file=0, source=source,
                 counter=woken | waker << 22 | interrupt << 44)

    def name(self, ns, source, cpu, pid, name, process):
        text = name if isinstance(name, bytes) else name.encode()
        for part in range(3):
            some = text[5 * part:5 * part + 5]
            self.row(ns, cpu, "guest-name", 0, file=0, source=source,
                     counter=pid | part << 22 |
                     int.from_bytes(some, "little") << 24)
        self.row(ns, cpu, "guest-name", 0, file=0, source=source,
                 counter=pid | 3 << 22 | process << 24)

    def mark(self, ns, cpu, current, code):
        self.row(ns, cpu, "mark", current, counter=code)

    def typed(self, ns, cpu, current, what, high, low):
        """Adds a mark with structure, as uapi/xensched_mark.h defines it."""
        self.mark(ns, cpu, current, 0xf << 28 | what << 25 | high << 15 | low)

    def begin_region(self, ns, cpu, current, number, vcpu=0):
        self.typed(ns, cpu, current, 0, number, vcpu)

    def end_region(self, ns, cpu, current, number, vcpu=0):
        self.typed(ns, cpu, current, 1, number, vcpu)

    def data(self, ns, cpu, current, data):
        for first in range(0, max(len(data), 1), 3):
            self.mark(ns, cpu, current, 0xf << 28 | 5 << 25 |
                      (not first) << 24 |
                      int.from_bytes(data[first:first + 3], "little"))

    def name_region(self, ns, cpu, current, number, name):
        text = name if isinstance(name, bytes) else name.encode()
        self.data(ns, cpu, current, text)
        self.typed(ns, cpu, current, 3, number, mark_sum(text))

    def label(self, ns, cpu, current, text, vcpu=0):
        self.data(ns, cpu, current, text.encode())
        self.typed(ns, cpu, current, 2, mark_sum(text.encode()) & 0x3ff, vcpu)

    def count(self, ns, cpu, current, number, value):
        whole = value.to_bytes(8, "little")
        self.data(ns, cpu, current, whole.rstrip(b"\0"))
        self.typed(ns, cpu, current, 4, number, mark_sum(whole))

    def stay(self, begin, end, cpu, current, after=XEN, woken=None):
        """Adds a run interval, from wake-up to exit; rows have to be in order."""
        if woken is not None:
            self.row(begin, cpu, "wake-delay", current, counter=begin - woken)
        self.row(end, cpu, "service-ns", current, after, end - begin)

    def lose(self, cpu, event, rows, source=0):
        """Loses this number of rows after the present ones."""
        key = cpu, 0 if source else EVENTS[event], source
        self.losses.setdefault(key, []).append(
            (len(self.files.get(key, [])), rows))

    @staticmethod
    def chunk(kind, contents=b"", cpu=0, file=0, pos=0, lost=0, time=0,
              source=0, register=REGISTER):
        head = struct.pack(
            "<6I4QI", 0x6b6e6863, kind, len(contents), cpu, file, register,
            pos, lost * FULL_ROW.size, lost, time, source)
        return head + struct.pack(
            "<I", zlib.crc32(contents, zlib.crc32(head))) + contents

    def chunks(self):
        for host in [self.host] + self.later_hosts:
            yield self.chunk(2, json.dumps(host).encode())
        for source, (info, offset) in self.sources.items():
            yield self.chunk(3, info, source=source)
            yield self.chunk(4, struct.pack(
                "<IIQQQQQ", 0, 0, self.begin, self.begin + offset, 10 ** 6,
                10 ** 6, 0), source=source)
        times = self.system_times
        # Xen's system time and the TSC begin together.
        if self.one_tsc and not times:
            times = [(0, self.begin)]
        for ns, system_ns in times:
            yield self.chunk(7, struct.pack(
                "<IIQQQQQ", 0, 2 * self.one_tsc, self.begin + ns, system_ns,
                10 ** 6, 10 ** 6, 0))
        for (cpu, file, source), rows in self.files.items():
            cuts = self.losses.get((cpu, file, source), []) + [(len(rows), 0)]
            first = lost = pos = 0
            for at, more in cuts:
                # A chunk has room for 16 MiB.
                for some in range(first, at, 200000):
                    part = rows[some:min(some + 200000, at)]
                    yield self.chunk(1, b"".join(part), cpu, file, pos, lost,
                                     self.begin + 10 ** 10, source,
                                     REGISTER | REASON * self.reasons)
                    pos += len(part) * FULL_ROW.size
                    lost = 0
                first, lost = at, lost + more
            if lost:
                yield self.chunk(1, b"", cpu, file, pos, lost,
                                 self.begin + 10 ** 10, source)

    def head(self):
        version = 2 if (self.sources or self.system_times or self.utc or
                        self.one_tsc) else 1
        head = struct.pack("<8s4IQQQ3I", b"xensched", 0x01020304, version,
                           2, 0, 10 ** 6, self.utc,
                           self.begin if version == 2 else 0, 0, 0, 0)
        return head + struct.pack("<I", zlib.crc32(head))

    def bytes(self):
        chunks = list(self.chunks())
        return b"".join([self.head(), *chunks,
                         self.chunk(0, pos=len(chunks))])

    def write(self, path):
        with open(path, "wb") as file:
            file.write(self.bytes())
        return path


DOM0, CRUNCH, DISK = 2, 3, 4
MS = 10 ** 6


def slow_request():
    """disk notifies dom0, which waits 39 ms for the pCPU that crunch has."""
    r = Recording(["Domain-0", "crunch", "disk"])
    r.row(0, 3, "runq", XEN)
    r.stay(0, 1 * MS + 1000, 1, DISK)
    r.row(1 * MS, 1, "evtchn-recv", DOM0, DISK)
    r.stay(0, 40 * MS, 0, CRUNCH, DOM0)
    r.stay(40 * MS, 41 * MS, 0, DOM0, CRUNCH, woken=1 * MS)
    r.row(40 * MS + 500000, 0, "evtchn-recv", DISK, DOM0)
    r.stay(40 * MS + 600000, 45 * MS, 1, DISK, woken=40 * MS + 500000)
    r.row(50 * MS, 0, "service-ns", CRUNCH, NONE, 9 * MS)
    return r


def paged_requests(pages=2, service=True):
    """50 times disk runs for 30 us and dom0 for 20; each time dom0 maps @pages of disk's pages.

    The recording has no service times if @service is false."""
    r = Recording(["Domain-0", "crunch", "disk"])
    r.host["domains"][0]["driver_domain"] = True
    for i in range(50):
        r.row(i * MS + 1000, 0, "evtchn-send", DISK, DOM0)
        if service:
            r.row(i * MS, 1, "service-ns", DISK, DOM0, 30000)
            r.row(i * MS + 20000, 0, "service-ns", DOM0, DISK, 20000)
        if pages:
            r.row(i * MS + 20500, 0, "grant-map", DOM0, DISK, pages)
    return r


def marked():
    """The regions of disk while it waits for dom0: one whole, and one within it."""
    r = slow_request()
    r.name_region(MS // 4, 1, DISK, 7, "request")
    r.begin_region(MS // 2, 1, DISK, 7)
    r.name_region(MS // 2 + 1, 1, DISK, 8, "use")
    r.begin_region(41 * MS, 1, DISK, 8)
    r.count(41 * MS + 1, 1, DISK, 9, 2 ** 40 + 5)
    r.label(41 * MS + 2, 1, DISK, "half of it")
    r.end_region(42 * MS, 1, DISK, 7)
    r.name_region(42 * MS + 1, 1, DISK, 9, "jobs")
    r.mark(42 * MS + 2, 1, DISK, 77)
    r.count(43 * MS, 1, DISK, 9, 0)
    r.end_region(43 * MS, 1, DISK, 8)
    return r


def with_counters(lost=False):
    """slow_request() with a run queue and memory; rows are lost from 30 ms on."""
    r = slow_request()
    for ns, units in ((0, 3), (10 * MS, 3), (20 * MS, 1), (30 * MS, 2)):
        for cpu in (0, 1):
            r.row(ns, cpu, "runq", XEN, counter=units + cpu)
    r.row(5 * MS, 1, "memory", DISK, counter=256)
    r.row(25 * MS, 0, "memory", DISK, counter=512)
    if lost:
        r.lose(0, "runq", 5)
        r.row(45 * MS, 0, "runq", XEN, counter=3)
        r.lose(1, "memory", 1)
        r.row(45 * MS, 1, "memory", DOM0, counter=100)
    return r


def slow_request_with_threads():
    """slow_request() with the threads of dom0 and disk."""
    r = slow_request()
    dom0 = r.source(LINUX, 0, "Domain-0")
    disk = r.source(GUEST, 2, "disk", offset=-5 * 10 ** 8)
    # disk: cp (300, of 300) waits for its writer (301), which asks for the disk.
    r.name(0, disk, 0, 300, "cp", 300)
    r.name(0, disk, 0, 301, "writer<b>&", 300)
    r.switch(0, disk, 0, 0, 300)
    r.wake(MS // 4, disk, 0, 300, 301)
    r.switch(MS // 2, disk, 0, 300, 301, "S")
    r.switch(1 * MS + 500, disk, 0, 301, 0, "D")
    r.wake(40 * MS + 600100, disk, 0, 0, 301, interrupt=True)
    r.switch(40 * MS + 700000, disk, 0, 0, 301, "R")
    r.wake(41 * MS, disk, 0, 301, 300)
    r.switch(42 * MS, disk, 0, 301, 300, "R", taken=True)
    r.switch(44 * MS, disk, 0, 300, 301, "Z")
    # dom0: the back end's thread.
    r.name(40 * MS + 500, dom0, 0, 77, "2.xvda-0", 77)
    r.wake(40 * MS + 1000, dom0, 0, 0, 77, interrupt=True)
    r.switch(40 * MS + 2000, dom0, 0, 0, 77, "R")
    r.switch(40 * MS + 900000, dom0, 0, 77, 0, "S")
    return r


def through_all_layers():
    """slow_request_with_threads(), where the back end's thread waits for dom0's pCPU, with the
    responses on its ring, and the daemon's decisions.
    """
    r = slow_request_with_threads()
    r.response(40 * MS + 400000, 1, DOM0, DISK, 8)
    r.response(40 * MS + 450000, 1, DOM0, DISK, 16, operation=1)
    r.decision(41 * MS, 2, "move", "98 % of its <b>interactions",
               soft_affinity="2-3")
    r.decision(60 * 10 ** 9, 2, "restore", "after the end of the recording")
    r.decision(44 * MS, 0, "outcome", "it is better")
    return r
