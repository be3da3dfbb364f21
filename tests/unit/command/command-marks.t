#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""xensched with marks of guests: regions, counts, labels, codes; and xensched roi, for schedules
of which every answer is known.
"""

import json
import random
import re
import subprocess

from command_world import check, main, path, run, test
from perfetto_trace import as_perfetto, one
from recording_made import (
    CRUNCH, DISK, DOM0, MS, XEN, Recording, marked, slow_request)

PARTS = "running_ns", "runnable_ns", "blocked_ns", "unknown_ns"


def said_by(command, recording, *arguments):
    file = recording.write(path("recording"))
    return json.loads(run(command, file, *arguments, "--json").expect(0).out)


def roi(recording, *arguments):
    said = said_by("roi", recording, *arguments)
    check(all(sum(i[part] for part in PARTS) == i["wall_ns"] ==
              i["end_ns"] - i["begin_ns"] for i in said["intervals"]), said)
    return said


def only(kinds):
    check(len(kinds) == 1, kinds)
    return kinds[0]


@test
def exact():
    """roi: how long each region ran, waited and slept, and its partners"""
    said = roi(marked())
    kinds = {k["name"]: k for k in said["kinds"]}
    check(set(kinds) == {"request", "use"}, kinds)
    request = said["intervals"][0]
    check([request[key] for key in PARTS] ==
          [501000 + 1400000, 100000, 39499000, 0], request)
    check(request["wake_delay_ns"] == 100000, request)
    check(request["sent"] == request["received"] == 1, request)
    check(request["vcpu"] == "disk" and request["whole"], request)
    check(kinds["request"]["traffic"] == [
        {"with": "Domain-0", "acct": DOM0, "sent": 1, "received": 1}], kinds)
    use = said["intervals"][1]
    check([use[key] for key in PARTS] == [2 * MS, 0, 0, 0] and
          use["sent"] == 0, use)
    check(kinds["use"]["histogram"] == [
        {"from_ns": 2 ** 20, "below_ns": 2 ** 21, "n": 1}], kinds)


@test
def by_name_or_code():
    """roi --begin, --end: by code, by name, of one domain; a missing one is reported"""
    check([k["name"] for k in roi(marked(), "--begin", "use")["kinds"]] ==
          ["use"])
    mixed = roi(marked(), "--begin", "77", "--end", "use")
    check(only(mixed["intervals"])["wall_ns"] == MS - 2, mixed)
    check(not roi(marked(), "--begin", "use", "crunch")["kinds"])
    r = slow_request()
    for ns in (10, 20, 30, 40):
        r.mark(ns * 1000, 1, DISK, 1)
        r.mark(ns * 1000 + ns * 10, 1, DISK, 2)
    kind = only(roi(r, "--begin", "1", "--end", "2", "disk")["kinds"])
    check(kind["regions"] == 4 and kind["wall_ns"] ==
          {"p50": 200, "p99": 400, "max": 400}, kind)
    # One mark ends the region of the mark before.
    check(only(roi(r, "--begin", "1")["kinds"])["regions"] == 3)
    file = r.write(path("recording"))
    run("roi", file, "--begin", "9").expect(0, "no such mark")
    run("roi", file, "nobody").expect(1, "nobody")
    run("roi", file, "--end", "2").expect(2, "--begin")
    run("roi").expect(2, "FILE")


@test
def seam():
    """roi: an event at the instant where two regions meet belongs to the second one"""
    r = slow_request()
    for number, begin, end in ((1, MS // 2, MS), (2, MS, MS + 500)):
        r.begin_region(begin, 1, DISK, number)
        r.end_region(end, 1, DISK, number)
    check([i["sent"] for i in roi(r)["intervals"]] == [0, 1])


@test
def text():
    """roi as text: medians, a histogram, partners"""
    out = run("roi", marked().write(path("recording"))).expect(0).out
    for words in ("request", "41.5 ms", "from ", "#", "with Domain-0: sent 1.0"):
        check(words in out, words, out)


@test
def unknown_and_why():
    """roi gives the reason if it does not know what a vCPU did"""
    r = marked()
    for key in [key for key in r.files if key[1] in (0, 9)]:
        del r.files[key]
    out = run("roi", r.write(path("recording"))).expect(0).out
    check("100.0 % of their time is UNKNOWN: service-ns is not logged" in out, out)


@test
def without_their_end():
    """roi reports how many marks have no end or no begin"""
    r = slow_request()
    r.end_region(10, 1, DISK, 1)
    for ns in (20, 30, 40):
        r.begin_region(ns, 1, DISK, 1)
    r.end_region(50, 1, DISK, 1)
    kind = only(roi(r)["kinds"])
    check([kind[key] for key in ("regions", "unended", "unbegun")] ==
          [1, 2, 1], kind)
    check(kind["name"] == "#1" and kind["wall_ns"]["max"] == 10, kind)
    out = run("roi", r.write(path("recording"))).expect(0).out
    check("without their end: 2" in out and "without their begin: 1" in out,
          out)
    # The greatest depth, and one deeper.
    r = slow_request()
    for i in range(1000):
        r.begin_region(100 + i, 1, DISK, 1)
    for i in range(1000):
        r.end_region(2000 + i, 1, DISK, 1)
    kind = only(roi(r)["kinds"])
    check(kind["regions"] + kind["unended"] == 1000 ==
          kind["regions"] + kind["unbegun"], kind)


@test
def not_whole():
    """roi: a region in which rows were lost is not whole, and in no statistics"""
    r = slow_request()
    r.begin_region(1000, 1, DISK, 1)
    r.end_region(2000, 1, DISK, 1)
    r.begin_region(3000, 1, DISK, 1)
    r.lose(1, "mark", 3)
    r.end_region(9000, 1, DISK, 1)
    said = roi(r)
    kind = only(said["kinds"])
    check([i["whole"] for i in said["intervals"]] == [True, False], said)
    check(kind["not_whole"] == 1 and kind["measured"] == 1 and
          kind["wall_ns"]["max"] == 1000, kind)
    out = run("roi", r.write(path("recording"))).expect(0).out
    check("not whole, as rows were lost in them, and left out: 1" in out, out)


def two_vcpus():
    r = Recording(["Domain-0", "crunch", "disk"], vcpus={"disk": 2})
    for cpu in (0, 1):
        r.stay(0, 10 * MS, cpu, DISK, woken=0)
    return r


@test
def vcpus():
    """roi: an end belongs to the begin on its own vCPU, or else on any vCPU"""
    r = two_vcpus()
    r.begin_region(1 * MS, 0, DISK, 1, vcpu=0)
    r.begin_region(2 * MS, 1, DISK, 1, vcpu=1)
    r.end_region(4 * MS, 0, DISK, 1, vcpu=0)
    r.end_region(8 * MS, 1, DISK, 1, vcpu=1)
    said = roi(r)
    check([(i["wall_ns"], i["running_ns"], i["moved"], i["vcpu"])
           for i in said["intervals"]] ==
          [(3 * MS, 3 * MS, False, "disk v0"),
           (6 * MS, 6 * MS, False, "disk v1")], said)
    r = two_vcpus()
    r.begin_region(1 * MS, 0, DISK, 1, vcpu=0)
    r.end_region(4 * MS, 1, DISK, 1, vcpu=1)
    said = roi(r)
    moved = only(said["intervals"])
    check(moved["moved"] and moved["unknown_ns"] == 3 * MS, moved)
    check(only(said["kinds"])["moved"] == 1, said)
    out = run("roi", r.write(path("recording"))).expect(0).out
    check("on another vCPU" in out, out)


@test
def moves():
    """roi: how often a region's vCPU moved to another pCPU"""
    r = Recording(["Domain-0", "crunch", "disk"])
    for i in range(6):
        begin = i * 2 * MS
        if i:
            r.row(begin, i % 2, "migrate", DISK,
                  counter=(1 - i % 2) << 16 | i % 2)
        r.stay(begin, begin + MS, i % 2, DISK, woken=begin - 1000 if i else 0)
    r.begin_region(MS // 2, 0, DISK, 1)
    r.end_region(8 * MS + MS // 2, 0, DISK, 1)
    interval = only(roi(r)["intervals"])
    check(interval["migrations"] == 4, interval)
    check(interval["wake_delay_ns"] == 4000, interval)


@test
def random_regions():
    """roi: running + runnable + blocked = wall, for any nested regions"""
    for seed in range(30):
        rng = random.Random(seed)
        r = Recording(["Domain-0", "crunch", "disk"])
        r.row(0, 3, "runq", XEN)
        did = {acct: [] for acct in (DOM0, CRUNCH, DISK)}
        free = {acct: 0 for acct in did}
        rows, ns, acct = [], 0, DISK
        for _ in range(300):
            after = rng.choice([w for w in did if w != acct])
            end = ns + rng.randrange(20000, 100000)
            woken = rng.randrange(free[acct], ns + 1) if rng.random() < 0.7 \
                else None
            r.stay(ns, end, 0, acct, after, woken=woken)
            did[acct].append((ns, end, woken))
            for _ in range(rng.randrange(4)):
                rows.append((rng.randrange(ns + 1, end), acct,
                             rng.randrange(2), rng.randrange(3)))
            free[acct] = ns = end
            acct = after
        # Marks with the same time would have no order.
        rows = sorted({row[0]: row for row in rows}.values())
        opened, expected = {}, []
        for ns, acct, ends, number in rows:
            if not ends:
                r.begin_region(ns, 0, acct, number)
                opened.setdefault((acct, number), []).append(ns)
            else:
                r.end_region(ns, 0, acct, number)
                if opened.get((acct, number)):
                    expected.append((opened[acct, number].pop(), ns, acct))
        said = roi(r)
        intervals = sorted((i["begin_ns"], i["end_ns"],
                            said["kinds"][i["kind"]]["acct"])
                           for i in said["intervals"])
        check(intervals == sorted(expected), seed, intervals, expected)
        check(sum(k["unended"] for k in said["kinds"]) ==
              sum(map(len, opened.values())), seed)
        for i in said["intervals"]:
            acct = said["kinds"][i["kind"]]["acct"]
            ran = sum(max(0, min(end, i["end_ns"]) - max(begin, i["begin_ns"]))
                      for begin, end, _ in did[acct])
            waited = sum(max(0, min(begin, i["end_ns"]) -
                             max(woken, i["begin_ns"]))
                         for begin, _, woken in did[acct] if woken is not None)
            check(i["running_ns"] == ran and i["wake_delay_ns"] == waited and
                  not i["unknown_ns"], seed, i, ran, waited)


@test
def many():
    """roi: twenty thousand nested regions take no noticeable time"""
    r = slow_request()
    for i in range(20000):
        r.begin_region(1000 + 8 * i, 1, DISK, i % 200)
    for i in range(20000):
        r.end_region(41 * MS + 8 * i, 1, DISK, i % 200)
    said = roi(r)
    check(len(said["kinds"]) == 200 and said["intervals"], len(said["kinds"]))
    check(sum(k["regions"] + k["unended"] for k in said["kinds"]) == 20000)


@test
def in_short():
    """timeline: a summary of the marks"""
    marks = said_by("timeline", marked())["marks"]
    check([marks[kind] for kind in ("begin", "end", "count", "label", "code",
                                    "broken")] == [2, 2, 2, 1, 1, 0], marks)
    check(marks["counts"] == [{"domain": "disk", "name": "jobs", "values": 2,
                               "last": 0}], marks)
    label = only(marks["labels"])
    check(label["text"] == "half of it" and label["vcpu"] == "disk" and
          label["at_ns"] == 41 * MS + 2, label)
    check({(g["name"], g["total_ns"]) for g in marks["regions"]} ==
          {("request", 41500000), ("use", 2 * MS)}, marks)
    out = run("timeline", marked().write(path("recording"))).expect(0).out
    check("request" in out and "41.5 ms" in out, out)


@test
def lost_parts():
    """an incomplete name, label or count is ignored"""
    good = marked()
    marks = good.files[1, 11, 0]
    names = {"request", "use", "jobs", "half of it"}
    for gone in range(len(marks)):
        r = marked()
        del r.files[1, 11, 0][gone]
        said = said_by("timeline", r)["marks"]
        found = {x.get("name", x.get("text")) for x in
                 said["regions"] + said["counts"] + said["labels"]}
        check({n for n in found if not re.match("#[0-9]+$", n)} <= names,
              gone, said)
        check(all(c["last"] in (0, 2 ** 40 + 5) for c in said["counts"]),
              gone, said)
        check(said["broken"] + len(said["labels"]) + said["count"] +
              said["begin"] + said["end"] + said["code"] +
              len(names & found) >= 10, gone, said)


@test
def named_anew():
    """a number with two names has each name in its time"""
    r = slow_request()
    for ns, name in ((1000, "first"), (3000, "second")):
        r.name_region(ns, 1, DISK, 1, name)
        r.begin_region(ns + 10, 1, DISK, 1)
        r.end_region(ns + 20, 1, DISK, 1)
    check([k["name"] for k in roi(r)["kinds"]] == ["first", "second"])


@test
def perfetto():
    """--perfetto: regions are slices of tracks, counts counters, labels instants"""
    packets = as_perfetto(marked())
    names = {one(p, "track_descriptor", "uuid"):
             one(p, "track_descriptor")["name"][0] for p in packets
             if "name" in p.get("track_descriptor", [{}])[0]}
    begin = min(one(p, "timestamp") for p in packets if "timestamp" in p)
    tracks, seen = {}, []
    for p in packets:
        event = p.get("track_event", [{}])[0]
        if not event:
            continue
        track, ns = one(event, "track_uuid"), one(p, "timestamp") - begin
        if event["type"] == ["SLICE_BEGIN"]:
            tracks.setdefault(track, []).append((one(event, "name"), ns))
        elif event["type"] == ["SLICE_END"] and track in tracks:
            name, first = tracks[track].pop()
            seen.append((name, first, ns, names[track]))
        elif event["type"] == ["COUNTER"] and names[track] == "disk: jobs":
            seen.append(("jobs", one(event, "counter_value"), ns))
        elif event["type"] == ["INSTANT"] and one(event, "name") in (
                "half of it", "mark 77"):
            seen.append((one(event, "name"), ns))
    check(set(seen) == {
        ("request", MS // 2, 42 * MS, "disk: regions"),
        ("use", 41 * MS, 43 * MS, "disk: regions"),
        ("jobs", 2 ** 40 + 5, 41 * MS + 1), ("jobs", 0, 43 * MS),
        ("half of it", 41 * MS + 2), ("mark 77", 42 * MS + 2)}, seen)


@test
def ctf():
    """--ctf: a mark has the parts of its code as fields"""
    out = path("ctf")
    run("timeline", marked().write(path("recording")), "--ctf", out).expect(0)
    text = subprocess.run(["babeltrace2", out], stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    check(re.search(r"mark: .*type = 15, what = 0, high = 8, low = 0 ", text),
          text)
    check(re.search(r"mark: .*counter = 77, ", text), text)


@test
def hostile():
    """names in marks are text, and arbitrary marks do no harm"""
    r = slow_request()
    r.name_region(10, 1, DISK, 1, b"</script><b>\x1b[2J\xff\n")
    r.begin_region(20, 1, DISK, 1)
    r.label(25, 1, DISK, "\x1b]0;<i>\"\\")
    r.end_region(30, 1, DISK, 1)
    r.data(40, 1, DISK, b"endless" * 100)
    r.typed(50, 1, DISK, 3, 1, 12)
    rng = random.Random(1)
    for i in range(20000):
        r.mark(100 + i, rng.randrange(9), rng.choice([DISK, CRUNCH, 60000]),
               rng.choice([rng.getrandbits(32), 0xf << 28 | rng.getrandbits(28),
                           rng.getrandbits(64)]))
    file = r.write(path("recording"))
    for command in ("roi", "timeline"):
        ended = run(command, file).expect(0)
        check(not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", ended.out), ended.out)
        check("</script><b>?[2J??" in ended.out, ended.out)
        json.loads(run(command, file, "--json").expect(0).out)
    out = path("out")
    for option in ("--html", "--perfetto", "--ctf"):
        run("timeline", file, option, out + option).expect(0)
    with open(out + "--html", encoding="utf-8") as page:
        check("<b>?[2J" not in page.read())
    labels = said_by("timeline", r)["marks"]["labels"]
    check("?]0;<i>\"\\" in [label["text"] for label in labels], labels)


main()
