#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""xensched timeline --ctf: babeltrace2 finds the rows that xensched dump prints, at the same
times.
"""

import json
import os
import random
import re
import shutil
import struct
import subprocess
import zlib

from command_world import XENSCHED, check, main, path, run, test
from recording_made import (
    CRUNCH, DOM0, EVENTS, GUEST, MS, NONE, XEN, Recording, slow_request,
    slow_request_with_threads)

EVENTS["strange"] = 77

FIELD = re.compile(r'(\w+) = (?:\( (?:"[^"]*"|<unknown>) : container = (\d+) \)|'
                   r'"([^"]*)"|(-?\d+))')
TIME = r"\[(\d+):(\d+):(\d+)\.(\d{9})\]"
LOSS = re.compile(r"Tracer discarded (\d+) events? between %s and %s.* within "
                  r"stream \"[^\"]*/([^\"]*)\"" % (TIME, TIME))


def ns_of(hours, minutes, seconds, ns):
    return (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 10 ** 9 + \
        int(ns)


def export(recording, code=0, out=None):
    out = out or path("ctf")
    file = recording
    if isinstance(recording, Recording):
        file = recording.write(path("recording"))
    return out, run("timeline", file, "--ctf", out).expect(code)


def babeltrace(folder):
    """Events as (ns, name, fields), and losses as (rows, begin, end, stream)."""
    done = subprocess.run(["babeltrace2", "--clock-cycles", "--no-delta", folder],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, env=dict(os.environ, TZ="UTC"))
    out, err = done.stdout.decode("ascii"), done.stderr.decode()
    check(done.returncode == 0, err)
    events = []
    for line in out.splitlines():
        found = re.fullmatch(r"\[0*(\d+)\] ([\w-]+): (.*)", line)
        check(found, line)
        fields = {}
        for name, label, text, number in FIELD.findall(found[3]):
            fields[name] = int(label or number) if label or number else text
        events.append((int(found[1]), found[2], fields))
    losses = [(int(found[0]), ns_of(*found[1:5]), ns_of(*found[5:9]), found[9])
              for found in LOSS.findall(err)]
    check(len(losses) == err.count("WARNING"), err)
    return events, losses


def dumped(recording):
    """The same from the output of dump, on the host's clock."""
    rows, losses = [], []
    out = run("dump", recording.write(path("recording")), "--json").expect(0).out
    for line in out.splitlines():
        row = json.loads(line)
        source = row.get("source", 0)
        if "lost_rows" in row:
            losses.append((row["lost_rows"], source, row["cpu"], row["file"]))
            continue
        seconds, rest = re.search(r'"time_s":(\d+)\.(\d{9})', line).groups()
        ns = int(seconds) * 10 ** 9 + int(rest)
        rows.append((ns, source, row["cpu"], row["event"], row["current"],
                     row["correspondent"], row["counter"]))
    return rows, losses


def plain(event):
    ns, name, fields = event
    if name == "nameless":
        name = str(fields["number"])
    return (ns, fields.get("source", 0), fields["cpu_id"], name,
            fields["current"], fields["correspondent"], fields["counter"])


def packets(folder):
    """The packets of each stream, as (begin, end, rows lost before, has events)."""
    streams = {}
    for name in sorted(os.listdir(folder)):
        with open(folder + "/" + name, "rb") as file:
            data = file.read()
        at = 0
        while name != "metadata" and at < len(data):
            size, content, begin, end, lost = struct.unpack_from("<5Q", data,
                                                                 at + 36)
            fields = at + 36 + 48 + 8
            if name.startswith("source"):
                fields = data.index(b"\0", fields + 8) + 1
            streams.setdefault(name, []).append(
                (begin, end, lost, content // 8 > fields - at))
            at += size // 8
    return streams


def by_log(rows):
    """The name of a row's stream; in these recordings each hypervisor event has a log buffer."""
    logs = {}
    for row in rows:
        key = row[1], row[2], None if row[1] else row[3]
        logs.setdefault(key, []).append(row)
    return logs


def round_trip(recording, in_order=True):
    """The events of the trace; fails if one differs from dump's rows."""
    folder, _ = export(recording)
    events, losses = babeltrace(folder)
    rows, lost = dumped(recording)
    found = [plain(event) for event in events]
    check(sorted(found) == sorted(rows), found, rows)
    check([row[0] for row in found] == sorted(row[0] for row in found), found)
    if in_order:
        check(by_log(found) == by_log(rows), found, rows)
    check(sum(loss[0] for loss in losses) == sum(loss[0] for loss in lost),
          losses, lost)
    if in_order:
        check(sorted(loss[0] for loss in losses) ==
              sorted(loss[0] for loss in lost), losses, lost)
        for name, some in packets(folder).items():
            # Trace Compass stops at such a packet.
            check(all(packet[3] for packet in some[1:]), name, some)
    return events, losses


def random_host(seed, loss=0.02, backwards=False):
    rng = random.Random(seed)
    r = Recording(["Domain-0", "crunch", "disk"], begin=rng.randrange(10 ** 12))
    if seed % 2:
        for kind in (1, 2, 3):
            r.source(kind, kind - 1, "domain %d" % kind,
                     offset=rng.randrange(10 ** 9))
    for source in range(len(r.sources) + 1):
        for cpu in range(3):
            now = 0
            for _ in range(150):
                now += rng.randrange(MS)
                ns = max(0, now - backwards * rng.randrange(5 * MS))
                event = "guest-wake" if source else \
                    rng.choice(["service-ns", "runq", "migrate", "strange"])
                r.row(ns, cpu, event, rng.randrange(7), rng.choice([XEN, NONE]),
                      rng.getrandbits(64), 0 if source else None, source)
                if rng.random() < loss:
                    r.lose(cpu, event, rng.randrange(1, 2 ** 40), source)
    return r


@test
def same_rows():
    """the trace has dump's rows: the same events, times and order"""
    events, losses = round_trip(slow_request_with_threads())
    check(len(events) == 34 and not losses, len(events), losses)


@test
def fields():
    """the fields of a row: domain names, domids, CPU, and the parts of a counter"""
    r = slow_request_with_threads()
    r.row(60 * MS, 3, "migrate", CRUNCH, NONE, 2 << 16 | 5)
    folder, _ = export(r)
    events, _ = babeltrace(folder)
    move = [f for _, name, f in events if name == "migrate"]
    check(move == [{"cpu_id": 3, "file": 10, "current": CRUNCH,
                    "current_domid": 1, "correspondent": NONE,
                    "correspondent_domid": -1, "counter": 2 << 16 | 5,
                    "from": 2, "to": 5}], move)
    switch = [f for _, name, f in events if name == "guest-switch"][0]
    for name, value in {"domid": 2, "domain": "disk", "before": 0, "after": 300,
                        "why": ord("S"), "taken": 0, "source": 2}.items():
        check(switch[name] == value, name, switch)
    said = subprocess.run(["babeltrace2", folder], stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    check('current = ( "crunch" : container = 3 ), current_domid = 1' in said,
          said)


@test
def classes():
    """one stream class per kind of source, one clock, and the clock error of each source"""
    folder, _ = export(slow_request_with_threads())
    with open(folder + "/metadata", encoding="ascii") as file:
        text = file.read()
    check(text.startswith("/* CTF 1.8 */"), text[:100])
    check(len(set(re.findall(r"^clock {.*?^};", text, re.M | re.S))) == 1, text)
    check(len(re.findall(r"^stream {", text, re.M)) == 3, text)
    for words in ('source_0_error_ns = 0;', 'source_2_kind = "guest";',
                  'source_2_name = "disk";', 'source_1_kind = "linux";'):
        check(words in text, words, text)


@test
def random_hosts():
    """the trace of a synthetic random host has dump's rows and losses"""
    for seed in range(12):
        round_trip(random_host(seed))


@test
def out_of_order():
    """times that go backwards in a log are sorted, and losses as well"""
    for seed in range(8):
        round_trip(random_host(seed, 0.2, True), False)


@test
def many_rows():
    """a source with more rows than one packet holds loses none at the end"""
    for nr in (8191, 8192, 8193, 20000):
        r = Recording(["Domain-0"])
        for i in range(nr):
            r.row(i // 3, 0, "runq", XEN, NONE, i)
        events, _ = round_trip(r)
        check(len(events) == nr, nr)


@test
def losses():
    """lost rows are discarded events, with their number, log and interval"""
    r = slow_request()
    r.lose(0, "service-ns", 7)
    r.row(90 * MS, 0, "service-ns", CRUNCH, NONE, 1 * MS)
    r.lose(0, "service-ns", 2 ** 32)
    guest = r.source(GUEST, 2, "disk", 10 ** 9)
    r.lose(1, "guest-wake", 5, guest)
    r.wake(20 * MS, guest, 1, 7, 8)
    _, found = round_trip(r)
    begin = r.begin
    check(sorted(found) == [
        (5, begin, begin + 20 * MS, "source1-vcpu1-file0"),
        (7, begin + 50 * MS, begin + 90 * MS, "pcpu0-file0"),
        (2 ** 32, begin + 90 * MS, begin + 90 * MS, "pcpu0-file0")], found)
    folder, ended = export(r)
    check("4294967308 rows were lost" in ended.err, ended.err)
    # Trace Compass places a loss between a packet's last event and its end.
    check(packets(folder)["pcpu0-file0"] == [
        (begin + 40 * MS, begin + 50 * MS, 0, True),
        (begin + 50 * MS, begin + 90 * MS, 7, True),
        (begin + 90 * MS, begin + 90 * MS, 2 ** 32 + 7, True)],
          packets(folder))


@test
def losses_between_rows():
    """losses without a row between them are one; a loss may precede the first row"""
    r = Recording(["Domain-0"])
    r.lose(2, "runq", 3)
    for ns, rows in ((10, 4), (20, 5), (30, 0), (40, 6), (50, 0)):
        r.row(ns, 2, "runq", XEN, NONE, ns)
        if rows:
            r.lose(2, "runq", rows)
    begin = r.begin
    _, found = round_trip(r)
    check(sorted(found) == [
        (3, begin + 10, begin + 10, "pcpu2-file8"),
        (4, begin + 10, begin + 20, "pcpu2-file8"),
        (5, begin + 20, begin + 30, "pcpu2-file8"),
        (6, begin + 40, begin + 50, "pcpu2-file8")], found)


def chunk(register, contents, file):
    """Rows of pCPU 1 with another log control register."""
    head = struct.pack("<6I4QI", 0x6b6e6863, 1, len(contents), 1, file, register,
                       0, 0, 0, 0, 0)
    return head + struct.pack("<I", zlib.crc32(contents, zlib.crc32(head))) + \
        contents


@test
def some_fields():
    """an event lacks the fields that its row lacks; a row without a time is left out"""
    r = Recording(["Domain-0", "crunch"])
    r.row(0, 0, "runq", XEN, NONE, 1)
    whole = r.bytes()
    # event, current, TSC; counter of 32 bits, TSC; event, counter, TSC; no time
    some = [chunk(0x3 | 0xe0, struct.pack("<HH4xQ", 10, CRUNCH, r.begin + 5), 1),
            chunk(0x8 | 0xe0, struct.pack("<I4xQ", 77, r.begin + 6), 2),
            chunk(0x9 | 0xe0, struct.pack("<HxxIQ", 10, 1 << 16, r.begin + 7), 4),
            chunk(0xf, struct.pack("<HHHxxI4x", 10, 2, 3, 4), 3)]
    file = path("recording")
    with open(file, "wb") as f:
        f.write(whole[:-64] + b"".join(some) +
                Recording.chunk(0, pos=len(some) + 2))
    folder, ended = export(file)
    check("1 rows have no TSC time stamp" in ended.err, ended.err)
    events, _ = babeltrace(folder)
    check(events[1:] == [
        (r.begin + 5, "migrate",
         {"cpu_id": 1, "file": 1, "current": CRUNCH, "current_domid": 1}),
        (r.begin + 6, "nameless",
         {"cpu_id": 1, "file": 2, "number": -1, "counter": 77}),
        (r.begin + 7, "migrate",
         {"cpu_id": 1, "file": 4, "counter": 1 << 16, "from": 1, "to": 0})],
        events)


@test
def date():
    """the trace's clock has the date of the recording"""
    head = bytearray(slow_request_with_threads().bytes())
    # 2023-11-14 22:13:20 UTC
    struct.pack_into("<Q", head, 32, 1700000000 * 10 ** 9)
    size = struct.calcsize("<8s4IQQQ3I")
    struct.pack_into("<I", head, size, zlib.crc32(head[:size]))
    file = path("recording")
    with open(file, "wb") as f:
        f.write(head)
    said = subprocess.run(["babeltrace2", "--clock-gmt", "--clock-date",
                           export(file)[0]], stdout=subprocess.PIPE, check=True)
    check(said.stdout.startswith(b"[2023-11-14 22:13:20.000000000]"),
          said.stdout[:100])


def named(names):
    r = Recording(names)
    for i, name in enumerate(names):
        r.row(i, 0, "evtchn-send", 2 + i, 2 + len(names) - i, i)
        r.wake(i, r.source(GUEST, i, name), 0, 1, 2)
    return r


def readable(folder):
    """The text of the trace, for people."""
    with open(folder + "/metadata", encoding="ascii") as file:
        text = file.read()
    check(all(c in "\n\t" or " " <= c <= "~" for c in text), text)
    return subprocess.run(["babeltrace2", folder], stdout=subprocess.PIPE,
                          check=True).stdout.decode("ascii").replace("\\?", "?")


@test
def labels():
    """each accounting domain has a label: its name, its number, or one for all beyond the limit"""
    r = Recording(["Domain-0"])
    r.row(0, 0, "evtchn-send", DOM0, 5)
    check('"accounting domain 5" : container = 5' in readable(export(r)[0]))
    for acct in range(1200):
        r.row(acct, 0, "evtchn-send", 2 + acct, NONE)
    folder, _ = export(r)
    said = readable(folder)
    check("<unknown>" not in said and said.count('"#others"') == 176 and
          said.count('"none" : container = 65535') == 1200, said[-1000:])
    round_trip(r)


@test
def hostile_names():
    """names in metadata and events are text, whatever bytes they contain"""
    r = named(['"; }; env { bad = 1; }; /*', "disk", "disk", "\\",
               "*/ stream { id = 9; };", "#5", '"', "\u00e9"])
    round_trip(r)
    said = readable(export(r)[0])
    for words in ('"?; }; env { bad = 1; }; /*" : container = 2 )',
                  '"disk" : container = 3 )', '"disk#4" : container = 4 )',
                  '"?" : container = 5 )', '"?5" : container = 7 )',
                  '"?#8" : container = 8 )', '"??" : container = 9 )'):
        check(words in said, words, said)
    # A host that cannot be parsed has no names.
    r = named(["\x1b[2Jboo\n\x01", "\udcff"])
    round_trip(r)
    check("?[2Jboo??" in readable(export(r)[0]))


@test
def hostile_numbers():
    """a recording with any times, counters and number of logs makes a trace or an error"""
    r = Recording(["Domain-0", "crunch"])
    r.row(0, 0, "mark", DOM0, 65534, 2 ** 64 - 1)
    for ns in (2 ** 40, 2 ** 60):
        r.lose(0, "mark", 2 ** 58)
        r.row(ns, 0, "mark", CRUNCH, DOM0, 2 ** 63)
    folder, _ = export(r)
    events, _ = babeltrace(folder)
    check(len(events) == 3, events)
    r.row(2 ** 62 + 1, 4000000000, "strange", CRUNCH, DOM0, 0, file=4000000000)
    folder, _ = export(r)
    check(babeltrace(folder)[0][-1][0] == 2 ** 62, babeltrace(folder))
    for cpu in range(33000):
        r.row(0, cpu, "runq", XEN, file=9)
    folder, ended = export(r, 1)
    check("32768 log buffers" in ended.err and not os.path.exists(folder),
          ended.err)


@test
def cut_anywhere():
    """a recording that is cut off makes a trace up to there, and a failure"""
    r = slow_request_with_threads()
    whole, all_of_it = r.bytes(), babeltrace(export(r)[0])[0]
    file = path("recording")
    for size in range(0, len(whole), 131):
        with open(file, "wb") as f:
            f.write(whole[:size])
        folder, ended = export(file, 1)
        check(file in ended.err, ended.err)
        if os.path.exists(folder):
            for event in babeltrace(folder)[0]:
                # Names of domains come first, so the rest may lack them.
                check(plain(event) in [plain(e) for e in all_of_it], event)


@test
def other_outputs():
    """--ctf works together with --html and --json"""
    file, out, page = slow_request().write(path("recording")), path("ctf"), \
        path("page")
    run("timeline", file, "--ctf", out, "--html", page).expect(0)
    check(babeltrace(out)[0] and os.stat(page).st_size > 10000)
    said = run("timeline", file, "--ctf", path("ctf"), "--json").expect(0).out
    check(json.loads(said)["length_ns"] == 50 * MS, said)


@test
def folders():
    """--ctf creates its folder or uses an empty one, and refuses any other"""
    file = slow_request().write(path("recording"))
    empty, full, name = path("empty"), path("full"), path("file")
    os.mkdir(empty)
    os.mkdir(full)
    for mine in (full + "/mine", name):
        with open(mine, "w", encoding="ascii") as f:
            f.write("mine")
    run("timeline", file, "--ctf", empty).expect(0, "events")
    check(len(babeltrace(empty)[0]) == 10, babeltrace(empty))
    run("timeline", file, "--ctf", empty).expect(1, "is not empty")
    check(len(babeltrace(empty)[0]) == 10, babeltrace(empty))
    run("timeline", file, "--ctf", full).expect(1, full, "is not empty")
    check(os.listdir(full) == ["mine"], os.listdir(full))
    run("timeline", file, "--ctf", name).expect(1, name, "not a folder")
    run("timeline", file, "--ctf", name + "/x").expect(1, "Not a directory")
    run("timeline", file, "--ctf",
        path("no") + "/x").expect(1, "No such file or directory")
    run("timeline", file, "--ctf").expect(2, "--ctf")
    nothing = Recording(["Domain-0"]).write(path("recording"))
    run("timeline", nothing, "--ctf", path("ctf")).expect(1, "no rows")


def in_namespace(script, *arguments):
    """A root shell whose mounts no other process sees, or None."""
    if os.getuid() or subprocess.run(["unshare", "-m", "true"], check=False,
                                     stderr=subprocess.DEVNULL).returncode:
        return None
    done = subprocess.run(["unshare", "-m", "sh", "-ec", script, "-",
                           *arguments], stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.STDOUT, timeout=60)
    return done.returncode, done.stdout.decode(errors="replace")


CANNOT_MOUNT = "it needs root that may mount"


@test
def disk_full():
    """--ctf reports a full disk at any step, and leaves no folder behind"""
    r = Recording(["Domain-0"])
    for i in range(30000):
        r.row(i, i % 3, "runq", XEN)
    file, where = r.write(path("recording")), path("disk")
    os.mkdir(where)
    for size in ("4k", "64k", "300k", "780k", "800k", "1m"):
        ended = in_namespace(
            'mount -t tmpfs -o size=$1 none "$2"; "$3" timeline "$4" --ctf '
            '"$2/ctf" || { ls -A "$2"; exit 1; }', size, where, XENSCHED, file)
        if not ended:
            return CANNOT_MOUNT
        code, out = ended
        check(code == 1 and "No space left on device" in out and
              out.endswith("\n") and out.splitlines()[-1] != "ctf", size, *ended)
    return None


@test
def no_plugin():
    """--ctf without babeltrace2's plugin names the package to install"""
    said = subprocess.run(["babeltrace2", "list-plugins"], check=True,
                          stdout=subprocess.PIPE).stdout.decode()
    plugins = re.search(r"Path: (.*)/babeltrace-plugin-ctf.so", said)
    check(plugins, said)
    file, out = slow_request().write(path("recording")), path("ctf")
    ended = in_namespace('mount -t tmpfs none "$1"; "$2" timeline "$3" --ctf '
                         '"$4"', plugins[1], XENSCHED, file, out)
    if not ended:
        return CANNOT_MOUNT
    code, said = ended
    check(code == 1 and "plugin 'ctf' is missing" in said and
          "install" in said, *ended)
    check(not os.path.exists(out))
    return None


@test
def no_privileges():
    """--ctf reports a folder in which it cannot write"""
    file, where = slow_request().write(path("recording")), path("theirs")
    os.mkdir(where, 0o500)
    command = [XENSCHED, "timeline", file, "--ctf", where + "/ctf"]
    if not os.getuid():
        if not shutil.which("setpriv"):
            return "there is no setpriv"
        without = "-dac_override,-dac_read_search"
        command = ["setpriv", "--bounding-set", without, "--inh-caps", without,
                   *command]
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    check(done.returncode == 1 and b"Permission denied" in done.stderr, done)
    return None


main()
