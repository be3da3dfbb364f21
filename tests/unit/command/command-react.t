#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""xensched on and xensched sample: how they read their arguments, what they do when the daemon
reports that a condition is met, and which samples they choose.
"""

import json
import os
import signal
import socket
import subprocess
import time

from command_world import (
    XENSCHED, await_handler, check, check_members, daemon, hear, main, path, run, start,
    test)

FIRED = {"fired": {"id": 7, "condition": "mark web1 3", "domain": "web1",
                   "domid": 1, "value": 3, "count": 1, "held_back": 2,
                   "dry_run": False}}


def line(value):
    return json.dumps(value).encode() + b"\n"


def telling(requests, *lines):
    """A daemon that receives a request, sends these lines, and then records what it receives."""
    def talk(connection):
        requests.append(json.loads(hear(connection)))
        for text in lines:
            connection.sendall(text)
        connection.settimeout(5)
        while True:
            text = hear(connection)
            if not text:
                return
            requests.append(json.loads(text))
            connection.sendall(line({"ok": True, "result": {}}))
    return talk


def on(lines, *words, requests=None, xen=None, code=0):
    requests = [] if requests is None else requests
    with daemon(telling(requests, *lines)) as where:
        return run("on", "--socket", where, *words, xen=xen).expect(code)


OK = line({"ok": True, "result": {"id": 7}})


@test
def wrong_use():
    """wrong arguments are reported before the daemon is asked"""
    for words, said in (
            ((), "no CONDITION"),
            (("loss",), "--do ACTION"),
            (("mark web1", "--do", "pause"), "mark GUEST CODE"),
            (("mark web1 3", "--do", "fly"), "no action 'fly'"),
            (("mark web1 3", "--do", "snapshot"), "snapshot FILE"),
            (("mark web1 3", "--do", "pause", "stop"), "first action"),
            (("loss", "--do", "pause"), "needs a guest"),
            (("wake-delay web1 > 5ms", "--do", "stop"), "use pause"),
            (("loss", "--do", "shell x", "--do", "shell y", "shell z"),
             "a --do for each"),
            (("loss", "--every", "x", "--do", "shell x"), "--every takes"),
            (("loss", "--times", "-1", "--do", "shell x"), "--times"),
            (("now", "--do", "unpause"), "needs a guest")):
        ended = run("on", *words).expect(2, said)
        check(not ended.out, ended.out)
    run("on", "loss", "--socket", path("none"), "--do", "shell true").expect(
        3, "xenschedd is not running")


@test
def in_order():
    """actions run in order, and their environment describes the event"""
    file = path("done")
    requests = []
    ended = on([OK, line(FIRED)], "mark web1 3", "--do",
               "shell echo $XENSCHED_DOMAIN $XENSCHED_DOMID $XENSCHED_VALUE "
               "$XENSCHED_COUNT $XENSCHED_CONDITION >>%s" % file,
               "shell echo two >>%s" % file, requests=requests)
    with open(file, encoding="utf-8") as f:
        check(f.read() == "web1 1 3 1 mark web1 3\ntwo\n")
    check("met 1 time, 2 held back" in ended.err, ended.err)
    check(requests[0] == {"command": "on", "condition": "mark web1 3",
                          "times": 1, "every_s": 1.0, "stop": False,
                          "pauses": False, "dry_run": False}, requests)
    check(requests[1] == {"command": "reacted", "id": 7}, requests)


@test
def first_failure():
    """the first action that fails ends them, and the daemon receives the reason"""
    requests = []
    file = path("never")
    ended = on([line(FIRED), OK], "mark web1 3", "--do", "shell exit 3",
               "shell touch %s" % file, requests=requests, code=1)
    check("'exit 3' ended with status 3" in ended.err, ended.err)
    check(not os.path.exists(file))
    check(requests[1]["failure"] == "'exit 3' ended with status 3", requests)


@test
def dry_run():
    """a dry run prints what it would do"""
    file = path("never")
    ended = on([OK, line(FIRED)], "mark web1 3", "--dry-run", "--do", "stop",
               "shell touch %s" % file)
    check("would do: stop\nwould do: shell touch" in ended.out, ended.out)
    check(not os.path.exists(file))


@test
def matches_as_json():
    """on --json prints an object for each match, with the facts of the text"""
    fired = dict(FIRED["fired"], late_ms=1.5)
    ended = on([OK, line({"fired": fired})], "mark web1 3", "--json", "--dry-run",
               "--do", "stop", "shell date")
    check(json.loads(ended.out) ==
          {"condition": "mark web1 3", "domain": "web1", "domid": 1, "value": 3,
           "unit": None, "count": 1, "late_ns": 1500000, "dry_run": True,
           "actions": ["stop", "shell date"]}, ended.out)
    said = json.loads(run("on", "now", "--json", "--do", "shell true").expect(0).out)
    check((said["condition"], said["domain"], said["domid"], said["late_ns"]) ==
          ("now", None, None, None), said)


@test
def pausing():
    """pause and unpause; the daemon learns that it has to unpause the guest if the command ends"""
    requests = []
    on([OK, line(FIRED)], "mark web1 3", "--do", "pause", "unpause",
       requests=requests, xen="quiet")
    check(requests[0]["pauses"] and not requests[0]["stop"], requests)
    ended = on([OK, line(FIRED)], "mark web1 3", "--do", "unpause", xen="quiet",
               code=1)
    check("was not paused by a reaction" in ended.err, ended.err)


@test
def bounded():
    """an endless reaction that leaves a file each time ends after 100 times, and says so"""
    for times, actions, wanted, said in (
            ("0", ["checkpoint /x-%n"], 100, True),
            ("0", ["journal %n", "snapshot /x-%n"], 100, True),
            ("0", ["snapshot /x"], 0, False),
            ("0", ["shell date +%n"], 0, False),
            ("5000", ["checkpoint /x-%n"], 5000, False)):
        requests = []
        ended = on([OK, line({"ok": False, "error": "enough"})], "mark web1 3",
                   "--times", times, "--do", *actions, requests=requests, code=1)
        check(requests[0]["times"] == wanted, requests)
        check(("after 100 times" in ended.err) == said, ended.err)


@test
def says_units():
    """a figure that met a condition has its unit, also in the shell's environment"""
    for condition, value, said in (
            ("wake-delay web1 > 5ms", 5200000, "5200000 ns"),
            ("service web1 > 50%", 51.5, "51.5 %"), ("rate web1 db > 5", 6, "6 /s"),
            ("memory web1 > 5", 6, "6 pages"), ("runq > 3", 4, "4 vCPUs"),
            ("loss", 10, "10 rows"), ("regret", 1, "1 moves"),
            ("mark web1 3", 3, "3"), ("pmc0 web1 > 5", 6, "6")):
        fired = line({"fired": dict(FIRED["fired"], condition=condition, value=value)})
        file = path("unit")
        ended = on([OK, fired], condition, "--do",
                   "shell echo $XENSCHED_VALUE $XENSCHED_UNIT >%s" % file)
        check("%s: %s, time 1" % (condition, said) in ended.out, ended.out)
        with open(file, encoding="utf-8") as f:
            check(f.read() == said + "\n", said)


@test
def error_first():
    """for a missing domain only the error is printed"""
    no = line({"ok": False, "error": "there is no domain 'web9'"})
    ended = on([no], "mark web9 3", "--do", "shell true", code=1)
    check(ended.err == "xensched: xenschedd: there is no domain 'web9'\n" and not ended.out,
          ended.err, ended.out)
    with daemon(telling([], line({"ok": True, "result": {"domains": []}}))) as where:
        ended = run("sample", "--socket", where, "web9", "--every", "5 ms-of-service",
                    "--checkpoint", path("samples")).expect(1, "'web9'")
    check(ended.err.count("\n") == 1, ended.err)


def fake_xl(*lines):
    """The environment with this shell script as xl."""
    folder = path("bin")
    os.makedirs(folder, exist_ok=True)
    with open(folder + "/xl", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + "\n".join(lines) + "\n")
    os.chmod(folder + "/xl", 0o755)
    return {"PATH": folder + ":" + os.environ["PATH"]}


def save_to(file, env, code=0):
    """The end of a reaction that saves a guest to @file."""
    with daemon(telling([], OK, line(FIRED))) as where:
        return run("on", "--socket", where, "mark web1 3", "--do",
                   "checkpoint " + file, xen="quiet", env=env).expect(code)


@test
def disk_full():
    """a checkpoint that fails has one message: the full disk, or whole lines of xl"""
    file = path("file")
    noise = "".join("libxl: detail: libxl_%d.c:%d: something that is no reason at all"
                    "\n" % (i, i) for i in range(30))
    for why, said in (
            ("libxl: error: libxl_aoutils.c:646:libxl__xxx: Domain 1:write: No space "
             "left on device\nunable to save", "cannot save domain 1: the disk is "
             "full: '%s'\n" % file),
            ("libxl: error: it is not this one\nunable to save", "cannot save domain 1 "
             "to '%s': libxl: detail: libxl_" % file)):
        ended = save_to(file, fake_xl("cat >&2 <<END\n%s%s\nEND\nexit 1" % (noise, why)), 1)
        lines = [one for one in ended.err.splitlines() if "cannot save" in one]
        check(len(lines) == 1 and said.strip() in lines[0], ended.err)
        check("full" in said or lines[0].endswith("it is not this one unable to save"),
              ended.err)


@test
def private():
    """only its owner can read a checkpoint, whatever the umask and an old file allow"""
    before = os.umask(0)
    try:
        folder = path("open")
        os.mkdir(folder, 0o1777)
        os.chmod(folder, 0o1777)
        file = folder + "/saved"
        with open(file + ".part", "w", encoding="utf-8"):
            os.chmod(file + ".part", 0o666)
        save = fake_xl('echo memory >"$4"')
        save_to(file, save)
        check(os.stat(file).st_mode & 0o777 == 0o600, oct(os.stat(file).st_mode))
        with open(file, encoding="utf-8") as f:
            check(f.read() == "memory\n")
        os.chmod(folder, 0o777)
        os.unlink(file)
        ended = save_to(file, save, 1)
        check("every user may write to the folder; 'chmod o-w %s/'" % folder in ended.err,
              ended.err)
        check(not os.listdir(folder), os.listdir(folder))
        ended = save_to("/nowhere/file", save, 1)
        check("cannot create '/nowhere/file.part': No such file" in ended.err, ended.err)
    finally:
        os.umask(before)


@test
def refused():
    """on reports the daemon's refusal, and the end of a daemon"""
    no = line({"ok": False, "error": "there is no domain 'web1'"})
    ended = on([no], "mark web1 3", "--do", "shell true", code=1)
    check("there is no domain 'web1'" in ended.err, ended.err)
    with daemon(lambda connection: hear(connection)) as where:
        run("on", "loss", "--socket", where, "--do", "shell true").expect(
            1, "xenschedd has ended")
    on([b"nonsense\n"], "loss", "--do", "shell true", code=1)


@test
def now():
    """on now: runs its action at once, without a daemon, in the given environment"""
    file = path("now")
    run("on", "now", "--do", "shell echo $XENSCHED_CONDITION >%s" % file
        ).expect(0)
    with open(file, encoding="utf-8") as f:
        check(f.read() == "now\n")
    run("on", "now", "--do", "shell false", "shell true").expect(1, "status 1")


@test
def interrupted():
    """Ctrl-C while it waits ends it without an error"""
    with daemon(telling([], OK)) as where:
        with start("on", "loss", "--socket", where, "--do", "shell true",
                   xen="quiet", stderr=subprocess.PIPE) as process:
            await_handler(process)
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            said = process.stderr.read()
            check(process.wait(10) == 0 and b"met 0 times" in said, said)


@test
def stops_recording():
    """stop-recording ends a flight recorder"""
    where = path("trigger")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(where)
    listener.listen()
    with subprocess.Popen([XENSCHED, "on", "now", "--do",
                           "stop-recording " + where]) as process:
        connection = listener.accept()[0]
        check(hear(connection) == b"stop\n")
        connection.sendall(b"\n")
        check(process.wait(10) == 0)
    listener.close()


def folder(samples, size=lambda number: 1, phases=(1, 1000, 30)):
    """Samples of a guest that computes, reads, or does both, each to some degree."""
    where = path("samples")
    os.mkdir(where)
    for number in range(1, samples + 1):
        phase = number // 5 % 3
        sent = phases[phase] * size(number)
        value = {"version": 1, "number": number, "begin": number * 1000,
                 "end": number * 1000 + 1000, "checkpoint": "%04d.save" % number,
                 "did": {"evtchn-send>Domain-0": {"rows": sent, "sum": sent},
                         "service-ns": {"rows": 2, "sum": 1000 + number % 7}}}
        with open("%s/%04d.json" % (where, number), "w", encoding="utf-8") as f:
            json.dump(value, f)
    return where


def write_sizes(where, size, kind=lambda number: 0):
    with open(where + "/sizes", "w", encoding="utf-8") as f:
        for number in range(1, 46):
            f.write("%d %d %d\n" % (number, size(number), kind(number)))


@test
def chooses():
    """sample choose takes some samples of each kind, with weights that add up to all"""
    where = folder(45)
    run("sample", "choose", where, "--top", "9").expect(0, "45 intervals")
    said = json.loads(run("sample", "choose", where, "--top", "9",
                          "--json").expect(0).out)
    check(len(said["chosen"]) == 9, said)
    check(abs(sum(c["weight"] for c in said["chosen"]) - 45) < 1e-2, said)
    kinds = {c["number"] // 5 % 3 for c in said["chosen"]}
    check(kinds == {0, 1, 2}, said)
    with open(where + "/chosen.json", encoding="utf-8") as f:
        check(json.load(f) == said)


def strata_of(where, wanted):
    return json.loads(run("sample", "choose", where, "--top", str(wanted),
                          "--json").expect(0).out)["stratum"]


def mixed(strata):
    """The number of these samples that have intervals of several phases."""
    return len({(stratum, number // 5 % 3)
                for number, stratum in enumerate(strata, 1)}) - len(set(strata))


@test
def chooses_by_work():
    """sample choose groups samples by what they did per unit of work, if sizes are known"""
    def size(number):
        return 40 ** (number % 2)

    where = folder(45, size)
    check(mixed(strata_of(where, 20)) > 0)
    write_sizes(where, size)
    check(mixed(strata_of(where, 20)) == 0)
    with open(where + "/sizes", "a", encoding="utf-8") as f:
        f.write("46 1\n")
    run("sample", "choose", where).expect(1, "sizes:46")


@test
def chooses_by_kind():
    """sample choose groups samples by kind of work, if sizes name kinds"""
    where = folder(45, phases=(1, 1, 1))
    check(mixed(strata_of(where, 20)) > 0)
    write_sizes(where, lambda number: 1, lambda number: (0, 1, 1000)[number // 5 % 3])
    check(mixed(strata_of(where, 20)) == 0)
    with open(where + "/sizes", "w", encoding="utf-8") as f:
        f.writelines("%d 1 1\n" % number for number in range(1, 45))
        f.write("45 1\n")
    run("sample", "choose", where).expect(1, "sizes:45")


@test
def chooses_neighbours():
    """sample choose separates samples by time if their rows do not differ"""
    where = folder(45, phases=(1, 1, 1))
    of = strata_of(where, 12)
    check(sum(a != b for a, b in zip(of, of[1:])) + 1 == len(set(of)) == 6, of)


@test
def draws_again():
    """sample choose draws the same samples from a seed, and others from another seed"""
    where = folder(45)

    def drawn(*words):
        return json.loads(run("sample", "choose", where, "--json",
                              *words).expect(0).out)["chosen"]

    check(drawn() == drawn("--seed", "1"))
    check(drawn("--seed", "2") == drawn("--seed", "2") != drawn("--seed", "1"))
    run("sample", "choose", where, "--seed", "x").expect(2, "a number")


@test
def estimates():
    """sample estimate computes the mean of the measurements, with an interval"""
    where = folder(45)
    said = check_members("sample", json.loads(run(
        "sample", "choose", where, "--top", "12", "--json").expect(0).out))

    def cost(number):
        return (10, 50, 20)[number // 5 % 3] + number % 4 * 0.1

    run("sample", "estimate", where).expect(1, "/measured'")
    with open(where + "/measured", "w", encoding="utf-8") as f:
        for chosen in said["chosen"]:
            f.write("%d %f\n" % (chosen["number"], cost(chosen["number"])))
    run("sample", "estimate", where).expect(0, "in 95 of 100 cases")
    ended = check_members("sample", json.loads(run(
        "sample", "estimate", where, "--json").expect(0).out))
    truth = sum(cost(n) for n in range(1, 46)) / 45
    check(ended["low"] <= truth <= ended["high"], ended, truth)
    check(abs(ended["mean"] - truth) < 0.03 * truth, ended, truth)
    with open(where + "/measured", "w", encoding="utf-8") as f:
        for chosen in said["chosen"]:
            f.write("%d %.17g\n" % (chosen["number"], 1e-9 * cost(chosen["number"])))
    small = json.loads(run("sample", "estimate", where, "--json").expect(0).out)
    for key in ("low", "mean", "high"):
        check(abs(small[key] / (1e-9 * ended[key]) - 1) < 1e-5, small, ended)
    with open(where + "/measured", "a", encoding="utf-8") as f:
        f.write("999 1\n")
    run("sample", "estimate", where).expect(1, "measured:13")
    with open(where + "/measured", "w", encoding="utf-8") as f:
        f.write("%d 1\n" % said["chosen"][0]["number"])
    run("sample", "estimate", where).expect(1, "has no value of sample")


@test
def estimates_with_sizes():
    """sample estimate is proportional to sizes, if the folder has all sizes"""
    where = folder(45)
    said = json.loads(run("sample", "choose", where, "--top", "9",
                          "--json").expect(0).out)

    def size(number):
        return 10 + number * 7 % 13

    with open(where + "/measured", "w", encoding="utf-8") as f:
        for chosen in said["chosen"]:
            number = chosen["number"]
            f.write("%d %f\n" % (number, 3 * size(number)))
    write_sizes(where, size)
    ended = json.loads(run("sample", "estimate", where, "--json").expect(0).out)
    truth = 3 * sum(map(size, range(1, 46))) / 45
    check(all(abs(ended[key] - truth) < 1e-3
              for key in ("low", "mean", "high")), ended, truth)
    with open(where + "/sizes", "w", encoding="utf-8") as f:
        f.write("1 10\n")
    run("sample", "estimate", where).expect(1, "/sizes' has no value of sample 2")
    with open(where + "/sizes", "w", encoding="utf-8") as f:
        f.write("".join("%d 0\n" % n for n in range(1, 46)))
    run("sample", "estimate", where).expect(1, "has none")


@test
def no_samples():
    """a folder without samples is reported"""
    where = path("empty")
    os.mkdir(where)
    run("sample", "choose", where).expect(1, "there are no samples")
    run("sample", "estimate", where).expect(1, "'xensched sample choose")
    with open(where + "/0001.json", "w", encoding="utf-8") as f:
        f.write('{"version": 2}')
    run("sample", "choose", where).expect(1, "later version")
    for words, said in ((("web1",), "--every takes"),
                        (("web1", "--every", "5"), "--every takes"),
                        (("web1", "--every", "5 days"), "--every takes"),
                        (("web1", "--every", "0 cycles"), "--every takes"),
                        (("web1", "--every", "5M instructions"), "instructions"),
                        (("web1", "--every", "5M", "cycles"), "--checkpoint"),
                        (("choose",), "sample choose DIR"), ((), "no GUEST")):
        run("sample", *words).expect(2, said)


main()
