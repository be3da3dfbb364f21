#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""xensched's questions to the daemon: requests, output, wrong answers; options, help, and that
manual pages and completion know all of them.
"""

import contextlib
import copy
import json
import os
import random
import re
import socket
import subprocess
import sys
import time

from command_world import (
    ASKING, FOLDER, LOOKING, TOP, XENSCHED, Ended, Terminal, alone, answer,
    answering, ask, check, daemon, examples, hear, main, path, run, saying,
    test)


@test
def top():
    """top shows each domain with its partner, in any size, until q"""
    answers = examples()
    with daemon(answering(answers)) as where, \
            Terminal("top", "--socket", where, columns=170) as terminal:
        terminal.until("disk", "idle", "operator", "by CPU", "4809.3",
                       "PLACE", "97 %", "COST/UNIT", "31.20 us/page",
                       "node 0 97 %, node 1 3 %")
        for order in "ready", "moves", "talk", "cost":
            terminal.press(b"s")
            terminal.until(order)
        terminal.resize(6, 30)
        terminal.until("NAME")
        terminal.resize(2, 5)
        terminal.resize(50, 200)
        terminal.until("disk", "idle", "operator")
        terminal.press(b"q")
        check(terminal.end() == 0)


@test
def top_without_daemon():
    """top reports that the daemon is gone, and continues when it is back"""
    answers = examples()
    good = answers["status"]
    with daemon(answering(answers)) as where, \
            Terminal("top", "--socket", where) as terminal:
        terminal.until("disk")
        answers["status"] = None
        terminal.until("without an answer")
        good["result"]["mode"] = "advise"
        answers["status"] = good
        terminal.until("dvise")  # the rest of the line has not changed
        terminal.press(b"q")
        check(terminal.end() == 0)
    with Terminal("top", "--socket", path("nothing")) as terminal:
        check(terminal.end() == 3)


@test
def top_hostile():
    """top prints no control characters, whatever it receives"""
    answers = examples()
    domain = answers["status"]["result"]["domains"][1]
    domain["name"] = "\x1b[2Jevil\x07" + "x" * 500
    domain["domid"] = -5
    domain["service_share"] = 1e300
    domain["pcpus"] = list(range(0, 8000, 2))
    answers["matrix"]["result"]["events"]["evtchn-send"] += [
        {"from_domid": 10 ** 18, "to_domid": None, "rate": "x"}, 5, None]
    with daemon(answering(answers)) as where, \
            Terminal("top", "--socket", where) as terminal:
        terminal.until("evil")
        terminal.press(b"q")
        check(terminal.end() == 0)
        check(b"\x1b[2Jevil" not in terminal.all, terminal.all[:3000])
        check(b"?[2Jevil?" in terminal.all, terminal.all[:3000])


@test
def top_narrow():
    """top has columns for waits by domain, moves and time at target within 80 columns"""
    answers = examples()
    with daemon(answering(answers)) as where, \
            Terminal("top", "--socket", where, columns=80) as terminal:
        terminal.until("PLACE", "disk", "97 %", "WAITS FOR", "8.3", "68.9",
                       "db1 7.1, Domain-0", "5211", "MOVE/S", "12.1")
        terminal.press(b"q")
        check(terminal.end() == 0)


@test
def top_of_older():
    """top of a daemon that does not report where domains ran shows "-" there"""
    answers = examples()
    for domain in answers["status"]["result"]["domains"]:
        for name in ("ran", "at_place", "lever", "crossings_per_s"):
            domain.pop(name, None)
    with daemon(answering(answers)) as where, \
            Terminal("top", "--socket", where, columns=100) as terminal:
        terminal.until("PLACE", "ours", "- ours", "Enter opens")
        terminal.press(b"q")
        check(terminal.end() == 0)
        check(b"97 %" not in terminal.all, terminal.all[:3000])


def answers_about_disk(opened):
    """Answers about disk, with its waits; @opened receives the domids that top asks about."""
    answers = examples()
    whole = answers["waits"]

    def about_disk(request):
        if request["seconds"] == 60:
            opened.add(request.get("domid"))
        if request.get("domid") != 1 or request["seconds"] != 60:
            return whole
        result = dict(whole["result"], domains=whole["result"]["domains"][:1],
                      by_second=[None] + 58 * [0.0] + [20.5], vcpus=[
                          {"vcpu": 0, "pcpu": 3, "ran_percent": 22.7, "ready_percent": 8.4}])
        return {"ok": True, "result": result}
    answers["waits"] = about_disk
    return answers


@test
def top_of_one_guest():
    """top opens one guest on 80x24: last minute, waits, vCPUs; with UTF-8 and without"""
    for kind, locale, levels in (("xterm", "C.UTF-8", "\u2581\u2588"),
                                 ("vt100", "C", "_#")):
        opened = set()
        with daemon(answering(answers_about_disk(opened))) as where, \
                Terminal("top", "--socket", where, "--sort", "ready", columns=80,
                         env={"TERM": kind, "LC_ALL": locale}) as terminal:
            terminal.until("disk", "Enter opens")
            terminal.press(b"\r")
            terminal.until("disk (domain 1)", "RUN 22.7 %", "READY 8.3 %", "P50 18 us",
                           "READY %", *levels, "the highest is 20.5", "db1", "7.10", "(unknown)",
                           "preempted", "6.80", "event-channel", "1.51", "22.7", "8.4")
            terminal.press(b"\x1bOB\x1bOB\r\x1b")  # two lines down, Enter, Escape
            terminal.until("WAITS FOR", "idle")
            terminal.press(b"q")
            check(terminal.end() == 0)
            check(opened == {1}, "keys of the table opened another guest", opened)


@test
def top_sorted_by_cost():
    """top --sort cost has the guest on top whose work costs most"""
    answers = answers_about_disk(set())
    for domain, cost in zip(answers["status"]["result"]["domains"], (2.0, 1.0, 3.0)):
        domain.update(cost_us=cost, cost_per="page")
    with daemon(answering(answers)) as where, \
            Terminal("top", "--socket", where, "--sort", "cost", columns=80) as terminal:
        terminal.until("disk", "Enter opens")
        terminal.press(b"\r")
        terminal.until("idle (domain 2)")


@test
def top_filtered():
    """top shows only names with a text that the user types, until Escape"""
    with daemon(answering(crowd(100))) as where, \
            Terminal("top", "--socket", where, "--sort", "name", columns=80) as terminal:
        terminal.until("d000", "d001")
        terminal.press(b"/D09")
        terminal.until("names with: ", "99 d09")
        terminal.press(b"\r")
        terminal.until("10 domains")
        terminal.press(b"/\x1b")
        terminal.until("100 domains")
        terminal.press(b"q")
        check(terminal.end() == 0)


@test
def top_needs_terminal():
    """top without a terminal: exit code 1, and the command to use instead"""
    ask("top", examples()["status"]).expect(1, "needs a terminal")


# Requests and answers


@test
def no_daemon():
    """without a daemon: exit code 3, and how to start it"""
    for command in ASKING:
        run(command, "--socket", path("nothing")).expect(
            3, "not running", "systemctl start xenschedd")


@test
def dead_daemon():
    """a socket that a killed daemon left: exit code 3"""
    where = path("socket")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(where)
    run("status", "--socket", where).expect(3, "not running", where)
    check(os.path.exists(where), "the command removed the socket")


@test
def request():
    """the request is one line of the protocol"""
    for command in ASKING:
        lines = []

        def talk(connection, lines=lines):
            lines.append(hear(connection))
            connection.sendall(b'{"ok":true,"result":{}}\n')

        with daemon(talk) as where:
            run(command, "--socket", where)
        check(lines == [b'{"command":"%s"}\n' % command.encode()], lines)


@test
def json_unchanged():
    """--json prints the result as the daemon sent it, unknown members included"""
    for command in ASKING:
        value = copy.deepcopy(examples()[command])
        value["result"]["new"] = {"big": 2 ** 63 - 1, "text": "a/ü\n",
                                  "list": [1.25, None, True]}
        ended = ask(command, value, "--json").expect(0)
        check(json.loads(ended.out) == value["result"], ended.out)


@test
def text_of_status():
    """status prints its answer in columns"""
    ended = ask("status", examples()["status"]).expect(
        0, "mode act", "182731 read, 0 lost", "54 sites",
        "for 10000 ms at a time; ends in 9950 ms unless", "PMCs          4\n")
    sources, rows = [block.splitlines()
                     for block in ended.out.split("\n\n")[1:]]
    check(sources[0].split() == ["SOURCE", "STATE", "ROWS", "LOST", "REFUSED",
                                 "REASON"], sources)
    check(sources[2].split() == ["linux", "absent", "0", "0", "0"], sources)
    check([re.split("  +", row.strip()) for row in rows] == [
        ["DOMAIN", "ID", "ACCT", "DRIVER", "CPU%", "GROUP", "AFFINITY",
         "MOVED", "PCPUS", "LEVER", "AT PLACE", "CROSS/S", "RAN",
         "MEMORY", "COST/UNIT"],
        ["Domain-0", "0", "2", "yes", "31.2", "-", "operator", "no", "0-1",
         "-", "-", "72", "node 0 100 %", "node 0 52 %, node 1 48 %", "-"],
        ["disk", "1", "3", "no", "22.7", "-", "ours", "yes", "1",
         "soft", "97 %", "72", "node 0 97 %, node 1 3 %", "node 0 100 %", "31.20 us/page"],
        ["idle", "2", "4", "no", "0.0", "-", "default", "no", "3",
         "-", "-", "-", "-", "-", "-"]], ended.out)
    column = rows[0].index("AFFINITY")
    check(all(row[column - 1] == " " and row[column] != " " for row in rows),
          ended.out)


@test
def soft_weight_in_status():
    """status prints the weight of soft affinities while the daemon has set it"""
    status = examples()["status"]
    ask("status", status).expect(
        0, "Xen's credit2 heeds soft affinities: 50 % (was 0)\n")
    status["result"]["soft_weight"]["percent"] = 80
    ask("status", status).expect(
        0, "80 % (was 0), which another program has set since xenschedd set 50 %")
    for weight in (None, 5, "x"):
        status["result"]["soft_weight"] = weight
        ended = ask("status", status).expect(0)
        check("heeds" not in ended.out, ended.out)


@test
def ran_in_status():
    """status of an older daemon has "-" for where domains ran, and for nonsense"""
    status = examples()["status"]
    domain = status["result"]["domains"][1]
    for name in ("ran", "at_place", "lever", "crossings_per_s", "memory", "cost_us"):
        del domain[name]
    line = "  yes    1      -             -        -  -             -                                 -\n"
    ask("status", status).expect(0, line)
    for ran in ({}, [], [5], [{}], [{"place": "node 0"}], [{"share": 1}],
                [{"place": 0, "share": 1}], [{"place": "x", "share": "1"}]):
        domain["ran"] = ran
        ask("status", status).expect(0, line)
    domain["ran"] = [{"place": "node %d" % i, "share": 0.05}
                     for i in range(20)]
    ask("status", status).expect(
        0, ", ".join("node %d 5 %%" % i for i in range(20)))
    domain["ran"][0]["place"] = "\x1b[2J" + "y" * 2000
    ended = ask("status", status).expect(0, "?[2Jyyy", "...")
    check("\x1b" not in ended.out, ended.out)


@test
def budget_in_status():
    """status prints the cost of logging, if the daemon has a budget"""
    status = examples()["status"]
    check("budget" not in ask("status", status).expect(0).out)
    status["result"]["budget"] = {
        "percent": 1.0, "overhead_percent": 0.834, "own_percent": 0.5,
        "rows_per_s": 3100, "raised": 3, "kept": True}
    ended = ask("status", status).expect(
        0, "0.83 % of a pCPU (the daemon 0.50), budget 1.00 %; 3 thresholds")
    check("cannot" not in ended.out, ended.out)
    status["result"]["budget"]["kept"] = False
    ask("status", status).expect(0, "cannot keep; 3 thresholds raised")


@test
def holder_in_status():
    """status reports that no program holds the log, and that no counter is usable"""
    value = examples()["status"]
    value["result"]["xen"].update(lease_ms=0, lease_left_ms=0, pmcs=0)
    ask("status", value).expect(0, "by no program", "none usable on this machine")
    for name in ("lease_ms", "lease_left_ms", "pmcs"):
        del value["result"]["xen"][name]
    ask("status", value).expect(0)


@test
def text_of_matrix():
    """matrix prints a row per pair"""
    ended = ask("matrix", examples()["matrix"]).expect(0, "1000 ms")
    rows = [line.split() for line in ended.out.splitlines()]
    check(["evtchn-send", "disk", "1", "Domain-0", "0", "1204.6",
           "48211", "31.20", "us/page"] in rows, ended.out)
    check(["grant-map", "(not", "bound)", "-", "disk", "1", "0.0", "3", "-"] in rows, ended.out)
    check("  (not bound)   -  disk  " in ended.out, ended.out)


@test
def text_of_processes():
    """matrix --processes prints a row per process and back end, and why there are no more"""
    value = examples()["processes"]
    asked = []

    def talk(connection):
        asked.append(json.loads(hear(connection)))
        connection.sendall(json.dumps(value).encode() + b"\n")

    with daemon(talk) as where:
        ended = run("matrix", "--socket", where, "--processes", "web")
    ended.expect(0, "1000 ms")
    check(asked[0]["command"] == "processes" and asked[0]["domain"] == "web", asked)
    rows = [line.split() for line in ended.out.splitlines()]
    check(["412", "postgres", "driver", "1", "4096.0", "81920"] in rows, ended.out)
    check("evtchn" not in ended.out and "web:" not in ended.out, ended.out)

    value["result"]["processes"][1]["command"] = ""
    value["result"]["processes"][0]["command"] = "\x1b[2J"
    value["result"]["reason"] = "xensched-agent does not run there"
    ended = ask("matrix", value, "--processes", "4").expect(
        0, "web: xensched-agent does not run there")
    rows = [line.split() for line in ended.out.splitlines()]
    check(["388", "-", "Domain-0", "0", "12.5", "930"] in rows, ended.out)
    check("\x1b" not in ended.out, ended.out)
    ended = ask("matrix", value, "--processes", "web", "--sort", "to",
                "--json", "--top", "1").expect(0)
    check([p["pid"] for p in json.loads(ended.out)["processes"]] == [388],
          ended.out)


@test
def text_of_plan():
    """plan prints each move with its reason and its numbers"""
    ended = ask("plan", examples()["plan"]).expect(
        0, "1 move\n", "disk (domain 1): soft affinity to pCPUs 0-1, applied: "
        "97 % of its time there, by placement\n",
        "to node 0 (pCPUs 0-1): saves 10.3 ms/s", "share 0.9801", "driver_domain Domain-0")
    check("idle      to node 0 (pCPUs 0-1): costs" in ended.out, ended.out)


@test
def effect_in_plan():
    """plan prints the effect of a move, not the affinity that was set"""
    plan = examples()["plan"]
    move = plan["result"]["moves"][0]
    move.update(hard=True, at_place=1)
    ask("plan", plan).expect(0, ": hard affinity to pCPUs 0-1, applied: 100 % "
                             "of its time there, by ")
    for share in (None, "1"):
        move.update(hard=False, at_place=share)
        ask("plan", plan).expect(0, ": soft affinity to pCPUs 0-1, applied: "
                                 "time there not known, by ")
    del move["hard"], move["at_place"]
    ask("plan", plan).expect(0, ": soft affinity to pCPUs 0-1, applied: time "
                             "there not known, by ")
    for state in ("proposed", "given-back"):
        move.update(state=state)
        ask("plan", plan).expect(0, " 0-1, %s, by " % state)
    del move["soft"]
    ask("plan", plan).expect(0, ": - affinity to pCPUs 0-1")


@test
def text_of_restore():
    """restore prints how many, and fails if the daemon restored a part"""
    value = examples()["restore"]
    ask("restore", value).expect(0, "restored: 1", "mode: advise")
    value["result"]["failed"] = 2
    ask("restore", value).expect(1, "failed: 2", "not everything")
    ask("restore", value, "--json").expect(1, '"failed"')


@test
def one_domain():
    """explain, hold and release ask about the domain, by name or number"""
    for command in ("explain", "hold", "release"):
        for domain, member in (("1", {"domid": 1}), ("disk", {"domain": "disk"}),
                               ("Web Server 1", {"domain": "Web Server 1"}),
                               ("B\u00fcro", {"domain": "B\u00fcro"}),
                               ("99999999999", {"domid": 2 ** 32 - 1}),
                               ("a\"b\n1", {"domain": "a\"b\n1"})):
            lines = []

            def talk(connection, lines=lines):
                lines.append(hear(connection))
                connection.sendall(b'{"ok":true,"result":{}}\n')

            with daemon(talk) as where:
                run(command, "--socket", where, domain).expect(0)
            check(len(lines) == 1 and lines[0].count(b"\n") == 1, lines)
            check(json.loads(lines[0]) == {"command": command, **member},
                  lines)


@test
def text_of_explain():
    """explain prints the daemon's sentences, one per line"""
    value = examples()["explain"]
    ended = ask("explain", value, "disk").expect(0)
    check(ended.out.splitlines() == value["result"]["lines"], ended.out)


@test
def text_of_waits():
    """waits prints domains that wait, and a line for each holder and each cause"""
    value = examples()["waits"]
    asked = []

    def talk(connection):
        asked.append(json.loads(hear(connection)))
        connection.sendall(json.dumps(value).encode() + b"\n")

    with daemon(talk) as where:
        ended = run("waits", "--socket", where, "--seconds", "90", "--at", "00:00")
    ended.expect(0, "60 s from 2026-01-31T12:02:00Z")
    check(asked[0]["command"] == "waits" and asked[0]["seconds"] == 90, asked)
    at = time.localtime(asked[0]["at"])
    check((at.tm_hour, at.tm_min, at.tm_sec) == (0, 0, 0), asked)
    check(0 <= time.time() - asked[0]["at"] <= 90000, asked)
    rows = [line.split() for line in ended.out.splitlines()]
    check(["disk", "1", "8.31", "18", "5211", "db1", "preempted", "6.80", "21.2"] in rows,
          ended.out)
    check(["db1", "event-channel", "0.30", "18.3"] in rows, ended.out)
    check(["(xen)", "event-channel", "0.37", "290.1"] in rows, ended.out)
    check(["(unknown)", "0.02"] in rows, ended.out)
    check(["mail1", "5", "0.10", "-", "-", "-"] in rows, ended.out)
    check([["(not", "over", "yet)", "94.90"]] ==
          [row for row in rows if row[:1] == ["(not"]], ended.out)

    culprits = value["result"]["domains"][0]["for"]
    culprits += [{"name": "a%d" % i, "domid": 10 + i, "percent": 0.5 - i / 10,
                  "waits_per_s": 1.0} for i in range(3)]
    ended = ask("waits", value, "disk").expect(0, "(others)")
    rows = [line.split() for line in ended.out.splitlines()]
    check(["(others)", "0.70"] in rows and "mail" not in ended.out, ended.out)
    check("(offline)" not in ended.out, ended.out)
    value["result"]["domains"][1].update(offline_percent=70.0, counted_percent=0.0)
    ended = ask("waits", value).expect(0)
    check(["(offline)", "70.00"] in [line.split() for line in ended.out.splitlines()], ended.out)
    ended = ask("waits", value, "mail").expect(0, "mail1")
    check("disk" not in ended.out, ended.out)
    ended = ask("waits", value, "--json", "--top", "1").expect(0)
    check([d["name"] for d in json.loads(ended.out)["domains"]] == ["disk"], ended.out)
    value["result"]["seconds"] = 0
    ask("waits", value).expect(0, "nothing is known of that time", "11:04:17Z")
    for wrong in ("24:00", "12", "12:60", "12:00:61", "noon", "12:0x"):
        run("waits", "--at", wrong).expect(2, "a time of day")


@test
def waits_of_a_domain_that_did_not_wait():
    """waits of a domain that did not wait says so, and succeeds"""
    answer = examples()["waits"]
    quiet = {"name": "quiet", "domid": 9, "ready_percent": 0, "counted_percent": 0,
             "offline_percent": 0, "unknown_percent": 0, "for": [], "causes": []}
    answer["result"]["domains"].append(quiet)
    ask("waits", answer, "quiet").expect(0, "quiet did not wait for a pCPU", "60 s from")
    ended = ask("waits", answer, "quiet", "--json").expect(0)
    check(json.loads(ended.out)["domains"] == [quiet], ended.out)
    check("quiet" not in ask("waits", answer).expect(0).out, "all that did not wait")
    ask("waits", answer, "nosuch").expect(1, "group 'nosuch'\n")
    ask("matrix", examples()["matrix"], "nosuch").expect(1, "group 'nosuch'\n")


@test
def waits_since_a_mark():
    """waits asks for the time since a mark of one domain"""
    asked = []

    def talk(connection):
        asked.append(json.loads(hear(connection)))
        connection.sendall(json.dumps(examples()["waits"]).encode() + b"\n")

    with daemon(talk) as where:
        run("waits", "--socket", where, "disk", "--begin", "7").expect(0, "disk")
    check(asked[0]["since_mark"] == 7 and asked[0]["domain"] == "disk", asked)
    run("waits", "--begin", "7").expect(2, "needs a DOMAIN")
    run("waits", "disk", "--begin", "build").expect(2, "the code of a mark")


@test
def changes_say_what_is_the_case():
    """act, advise, hold and release print the new state, and what prevents moves"""
    act = examples()["act"]
    ended = ask("act", act).expect(0, "mode: act", "moves in the latest: 2")
    check("not moving" not in ended.out, ended.out)
    act["result"]["obstacles"] = ["cannot write 'x'"]
    ask("act", act).expect(0, "not moving    cannot write 'x'\n")
    ask("advise", act).expect(0, "mode: advise", "0 domains stay")
    hold = examples()["hold"]
    ask("hold", hold, "1").expect(0, "disk (domain 1) is held", "was moved")
    hold["result"]["moved"] = False
    ask("hold", hold, "1").expect(0, "leaves it where it is")
    ask("release", hold, "1").expect(0, "disk (domain 1) is not held")


@test
def why_nothing_moves():
    """status and plan print why nothing is moved; a paused domain is nowhere"""
    for command in ("status", "plan"):
        value = examples()[command]
        check("not moving" not in ask(command, value).expect(0).out)
        value["result"]["obstacles"] = ["mode advise: x", 5, "no \x1b xenstored"]
        ended = ask(command, value).expect(0, "not moving    mode advise: x\n",
                                           "no ? xenstored")
        check(ended.out.count("not moving") == 2, ended.out)
    value = examples()["plan"]
    value["result"]["moves"][0].update(paused=True, at_place=None, policy=None)
    ended = ask("plan", value).expect(0, "applied: it is paused\n")
    check("by -" not in ended.out, ended.out)
    value["result"]["moves"][0].update(stopped=True)
    ask("plan", value).expect(0, "applied: a reaction, a checkpoint or a sample has stopped it\n")


@test
def rules_in_status():
    """status names rules that match no domain, and no others"""
    status = examples()["status"]
    ended = ask("status", status).expect(0, "'name=B\u00fcro' holds for no domain")
    check("web-*" not in ended.out, ended.out)
    for rules in (None, [], [5, {}], "x"):
        status["result"]["rules"] = rules
        check("holds for" not in ask("status", status).expect(0).out)


def crowd(number):
    """status, matrix and plan of a host with this number of domains, idle first"""
    value = {"status": {"domains": []}, "matrix": {"events": {"grant-map": [],
             "evtchn-send": []}}, "plan": {"moves": [], "kept": []}}
    for i in range(number):
        name = "d%03d" % i
        about = {"domid": i, "service_share": i / 100}
        if i % 10 == 3:
            about["group"] = "three"
        value["status"]["domains"].append({"name": name, **about})
        value["plan"]["moves" if i < 2 else "kept"].append(
            {"domain": name, "reason": "because", **about})
        value["matrix"]["events"]["grant-map" if i % 2 else "evtchn-send"] \
            .append({"from": name, "from_domid": i, "to": "d000",
                     "to_domid": 0, "rate": i, "total": number - i})
    return {k: {"ok": True, "result": v} for k, v in value.items()}


def names_in(text):
    return list(dict.fromkeys(re.findall(r"\bd\d\d\d\b", text)))


@test
def busiest():
    """of a thousand domains the 20 busiest are shown, and how many are not"""
    values = crowd(1000)
    last = ["d%03d" % i for i in range(999, 979, -1)]
    ended = ask("status", values["status"]).expect(
        0, "980 more domains are not shown")
    check(names_in(ended.out) == last, ended.out)
    ended = ask("matrix", values["matrix"]).expect(
        0, "980 more pairs are not shown")
    check(sorted(names_in(ended.out)) == ["d000"] + last[::-1], ended.out)
    ended = ask("plan", values["plan"]).expect(
        0, "980 more domains are not shown")
    check(names_in(ended.out) == ["d001", "d000"] + last[:18], ended.out)
    for command, value in values.items():
        ended = ask(command, value, "--top", "0").expect(0)
        check(len(names_in(ended.out)) == 1000 and "shown" not in ended.out)
        ended = ask(command, value, "--json").expect(0)
        check(json.loads(ended.out) == value["result"])
        check("shown" not in ask(command, crowd(20)[command]).expect(0).out)


@test
def selected():
    """status, matrix and plan show one domain or group, in another order"""
    values = crowd(100)
    for command, value in values.items():
        for domain in "d042", "42":
            ended = ask(command, value, domain).expect(0)
            check(names_in(ended.out) == ["d042"] + ["d000"] *
                  (command == "matrix"), ended.out)
        ask(command, value, "nobody").expect(1, "'nobody'")
        ask(command, value, "nobody", "--json").expect(1, "'nobody'")
    for command in "status", "plan":
        three = names_in(ask(command, values[command], "three").expect(0).out)
        check(three == ["d%03d" % i for i in range(93, 0, -10)], three)
        ended = ask(command, values[command], "--sort", "name", "--top", "3")
        check(names_in(ended.expect(0).out)[-1] == "d002", ended.out)
        ended = ask(command, values[command], "--json", "d007").expect(0)
        check(names_in(ended.out) == ["d007"], ended.out)
    ended = ask("matrix", values["matrix"], "--sort", "total", "--top", "2",
                "--json").expect(0)
    check([len(v) for v in json.loads(ended.out)["events"].values()] ==
          [1, 1], ended.out)
    check(names_in(ended.out) == ["d001", "d000"], ended.out)


@test
def top_selected():
    """top shows one domain or group, or the first few, and how many it leaves out"""
    answers = crowd(100)
    with daemon(answering(answers)) as where:
        with Terminal("top", "--socket", where, "three",
                      columns=120) as terminal:
            terminal.until("d093", "d083", "d003", "10 domains", "0 not shown")
            check(b"d092" not in terminal.all, terminal.all)
        with Terminal("top", "--socket", where, "--top", "3", "--sort", "name",
                      columns=120) as terminal:
            terminal.until("d000", "d001", "d002", "by name", "97 not shown")
            check(b"d003" not in terminal.all, terminal.all)
        with Terminal("top", "--socket", where, "nobody") as terminal:
            check(terminal.end() == 1)


@test
def error_reply():
    """the daemon's error is printed, exit code 1"""
    for command in ASKING:
        ask(command, {"ok": False, "error": "no plan yet"}).expect(
            1, "xenschedd: no plan yet")


@test
def garbage():
    """an answer that is not a response is an error, never a crash or a guess"""
    for reply in (b"\n", b"hello\n", b"null\n", b"7\n", b"[]\n", b"{}\n",
                  b'"ok"\n', b"\0\0\0\n", b"\xff\xfe\n", b'{"ok":true}\n',
                  b'{"ok":true,"result":[]}\n', b'{"ok":1,"result":{}}\n',
                  b'{"ok":"true","result":{}}\n', b'{"ok":false}\n',
                  b'{"ok":false,"error":7}\n', b'{"ok":false,"result":{}}\n',
                  b'{"ok":true,"error":"x"}\n', b'{"ok":true,"result":{}}x\n',
                  b'{"ok":true,"result":{}}{}\n', b'{"ok":true,"result":{}\n',
                  b"[" * 100000 + b"\n", b'{"a":' * 100000 + b"\n"):
        with daemon(saying(reply)) as where:
            run("status", "--socket", where).expect(1, "makes no sense")


@test
def random_garbage():
    """random bytes are an error"""
    chance = random.Random(1)
    for size in (1, 10, 1000, 100000):
        reply = chance.randbytes(size).replace(b"\n", b"") + b"\n"
        with daemon(saying(reply)) as where:
            run("plan", "--socket", where).expect(1, "makes no sense")


@test
def strange_results():
    """a result with other types is printed as far as it is understood"""
    chance = random.Random(2)
    others = [None, True, -1, 2 ** 63 - 1, 1e308, "", "x" * 5000, [], {},
              [[]], [{}], {"a": 1}, ["a", 1]]

    def change(value):
        if chance.random() < 0.15:
            return chance.choice(others)
        if isinstance(value, dict):
            return {k: change(v) for k, v in value.items()
                    if chance.random() < 0.95}
        if isinstance(value, list):
            return [change(v) for v in value]
        return value

    for command in LOOKING:
        for _ in range(15):
            result = change(examples()[command]["result"])
            if isinstance(result, dict):
                ask(command, {"ok": True, "result": result}).expect(0)
        ask(command, {"ok": True, "result": {}}).expect(0)


@test
def cut_reply():
    """a response that is cut off, anywhere, is an error"""
    whole = json.dumps(examples()["restore"]).encode()
    for length in range(1, len(whole) + 1, 7):
        with daemon(saying(whole[:length])) as where:
            run("restore", "--socket", where).expect(
                1, "cut off after %d bytes" % length)


@test
def no_reply():
    """a connection that is closed is an error"""
    with daemon(hear) as where:
        run("status", "--socket", where).expect(1, "without an answer")
    with daemon(lambda connection: None) as where:
        run("status", "--socket", where).expect(1, "closed the connection")


@alone
def long_reply():
    """an endless response takes a bounded amount of memory"""
    def talk(connection):
        hear(connection)
        while True:
            connection.sendall(b"[" * (1 << 20))

    with daemon(talk) as where:
        run("matrix", "--socket", where).expect(1, "longer than 64 MiB")


@test
def large_reply():
    """a large response in many pieces is understood"""
    value = examples()["matrix"]
    pair = value["result"]["events"]["grant-map"][0]
    value["result"]["events"]["grant-map"] = [pair] * 20000
    ended = ask("matrix", value, "--top", "0").expect(0)
    check(ended.out.count("grant-map") == 20000, len(ended.out))


def slow(talk):
    with daemon(talk) as where:
        begin = time.monotonic()
        err = run("status", "--socket", where).expect(
            1, "doesn't answer", where, "ask again").err
        check("restart" not in err, err)
        took = time.monotonic() - begin
    check(4 < took < 15, "took %.1f s" % took)


@test
def silent_daemon():
    """a daemon that hangs: time-out"""
    slow(lambda connection: time.sleep(20))


@test
def dripping_daemon():
    """a daemon that sends a byte now and then: the same time-out"""
    def talk(connection):
        while True:
            connection.sendall(b" ")
            time.sleep(0.1)

    slow(talk)


@test
def full_daemon():
    """a daemon that does not even accept: the same time-out"""
    where = path("socket")
    with socket.socket(socket.AF_UNIX) as listener, \
            contextlib.ExitStack() as stack:
        listener.bind(where)
        listener.listen(0)
        for _ in range(2):
            client = stack.enter_context(socket.socket(socket.AF_UNIX))
            client.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                client.connect(where)
        run("status", "--socket", where).expect(1, "doesn't answer")


@test
def not_root():
    """without root the message says so"""
    if os.getuid():
        return "needs root to become another user"
    program = path("program")
    # Another process writes the file: a thread that forks meanwhile would inherit it, open for
    # writing, and then the file could not be executed.
    subprocess.run(["cp", XENSCHED, program], check=True)
    os.chmod(program, 0o755)
    os.chmod(FOLDER, 0o711)
    with daemon(answer(examples()["status"])) as where:
        os.chmod(where, 0o600)
        done = subprocess.run([program, "status", "--socket", where],
                              user=65534, group=65534, extra_groups=[],
                              capture_output=True, text=True, check=False,
                              timeout=60)
        Ended("as nobody", done).expect(1, "run by root")
    return None


@test
def terminal():
    """names and errors cannot send control characters to a terminal"""
    value = examples()["status"]
    value["result"]["domains"][1]["name"] = "a\x1b[2Jb\x07\n\x9bc"
    ended = ask("status", value).expect(0, "a?[2Jb??")
    check(not set(ended.out) & set("\x1b\x07\x9b"), ended.out)
    ask("status", {"ok": False, "error": "x\x1b[31m\ny"}).expect(
        1, "x?[31m?y")


@test
def wide_names():
    """names that are not ASCII do not break the columns"""
    value = examples()["status"]
    value["result"]["domains"][1]["name"] = "плата-ü"
    rows = ask("status", value).expect(0).out.split("\n\n")[2].splitlines()
    check(len({row.index(word) for row, word in
               zip(rows, ("ACCT", "   2  yes", "   3  no"))}) == 1, rows)


# Arguments


@test
def other_sources():
    """--source: the log of this Linux or of a domain; a missing one is reported"""
    run("dump", "--source", "hypervisor", "--seconds", "0.1",
        xen="busy").expect(0)
    run("dump", "--source", "linux", xen="busy").expect(
        1, "there is no /dev/xensched-log; load the module xensched_log")
    run("dump", "--source", "domain:5", xen="busy").expect(
        1, "nothing is logged in domain 5")
    run("dump", "--source", "domain:", xen="busy").expect(1, "takes a domid")
    for source in ("nothing", "synthetic:rows=1"):
        run("dump", "--source", source, xen="busy").expect(
            1, "there is no live source")


@test
def wrong_arguments():
    """wrong use: exit code 2, a message, nothing on stdout"""
    long = "/" + "x" * 200
    for arguments in ((), ("nothing",), ("--nothing",), ("status", "--no"),
                      ("status", "x", "y"), ("status", "--top", "x"),
                      ("status", "--sort", "x"), ("plan", "--sort", "rate"),
                      ("top", "--sort", "total"), ("matrix", "--top", "-1"),
                      ("hold",), ("hold", ""), ("release", "a", "b"),
                      ("explain", "--top", "1", "a"), ("act", "a"),
                      ("status", "--socket"),
                      ("status", "--socket", ""), ("status", "--json=1"),
                      ("status", "--seconds", "1"), ("status", "-x"),
                      ("status", "--socket", long), ("record",),
                      ("record", "a", "b"), ("record", "--json", "a"),
                      ("dump", "a", "b"), ("dump", "--seconds", "1", "a"),
                      ("dump", "--source", "linux", "a"),
                      ("check", "x"), ("check", "--ring"), ("", ""),
                      ("advise-size", "x"), ("advise-size", "--source", ""),
                      ("advise-size", "--seconds", "1", "--source",
                       "recording:f"), ("replay",), ("replay", "a", "b"),
                      ("replay", "a", "--source", "synthetic:"),
                      ("replay", "--source", "hypervisor"),
                      ("replay", "a", "--", "--share", "x"),
                      ("replay", "a", "--", "--no"),
                      ("replay", "a", "--", "--share", "50", "b")):
        ended = run(*arguments).expect(2)
        check(ended.err and not ended.out, arguments, ended.out, ended.err)


@test
def wrong_numbers():
    """numbers out of range, or followed by other characters, are wrong use"""
    for value in ("", "0", "-1", "1x", "x", "nan", "inf", "1e3", ".", "1..2",
                  "0.0", "99999999999", "1 ", "0x10"):
        run("record", "--seconds", value, path("f")).expect(2, "--seconds")
    for value in ("", "0", "-1", "1x", "1KK", "K", "0x10", "1.5M", "0K",
                  "99999999999999999999", "99999999999G", "1k"):
        run("record", "--size", value, path("f")).expect(2, "--size")
    for value in ("", "0", "-1", "1x", "x", "1.5", "0x10", "60001",
                  "99999999999999999999"):
        run("advise-size", "--interval", value).expect(2, "--interval")


def alone(folder):
    """The program in a folder without those of other packages. Another process copies it: a thread
    that forks meanwhile would have the copy open for writing, and it could not be executed.
    """
    os.mkdir(folder)
    subprocess.run(["cp", XENSCHED, folder + "/xensched"], check=True)
    return folder + "/xensched"


@test
def commands_of_other_packages():
    """a command of a package that is not installed: its name, and exit status 69"""
    program = alone(path("sbin"))
    for package, commands in (("xensched-lab", ("runs", "on", "sample")),
                              ("xensched-fleet", ("traffic", "fleet"))):
        for command in commands:
            done = subprocess.run([program, command, "--help"], check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            check((done.returncode, done.stdout, done.stderr.decode()) ==
                  (69, b"", "xensched: '%s' is in the package %s, which is not installed:"
                   " apt install %s\n" % (command, package, package)), done)
            check(run(command, "--help").code == 0, command)


@test
def helps():
    """--help and --version print to stdout and end with 0"""
    check("schedlog ABI 2" in run("--version").expect(0).out)
    texts = [run("--help").expect(0)]
    for line in texts[0].out.splitlines():
        if line.startswith("  ") and not line.startswith("  --"):
            texts.append(run(line.split()[0], "--help").expect(0))
            check(texts[-1].out.startswith("usage: xensched "), line)
    check(len(texts) == 29, len(texts))
    for text in texts:
        check(not text.err and text.out, text.arguments)
        check(max(map(len, text.out.splitlines())) < 80, text.out)


def completed(*words):
    """bash's completions of the last of these words of a command line."""
    script = """. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
                _xensched; printf '%s\\n' "${COMPREPLY[@]}" """
    done = subprocess.run(
        ["bash", "-uc", script, TOP + "/tools/xensched/xensched.bash-completion",
         "xensched", *words], stdout=subprocess.PIPE, check=True)
    return set(done.stdout.decode().split())


@test
def completion():
    """completion for bash knows every command, its options and the keys of --sort"""
    commands = re.findall(r"^  (\w[\w-]*) ", run("--help").out, re.M)
    check(completed("") == {*commands, "--help", "--version"}, completed(""))
    check(completed("adv") == {"advise", "advise-size"}, completed("adv"))
    for command in commands:
        text = run(command, "--help").expect(0).out
        options = set(re.findall(r"^  (--[\w-]+)", text, re.M))
        check(completed(command, "--") == options, command, options,
              completed(command, "--"))
    for command, other in (("status", "talk"), ("matrix", "cpu"),
                           ("plan", "rate"), ("top", "total"), ("waits", "talk")):
        keys = completed(command, "--sort", "")
        named = re.search(r"KEY\s+is ([^.]*)", run(command, "--help").expect(0).out)
        named = re.findall(r"\w+", re.sub(r"\([^)]*\)", "", named[1]))
        check(keys == set(named) - {"or"}, command, keys, named)
        for key in keys:
            run(command, "--sort", key, "--socket", path("none")).expect(
                1 if command == "top" else 3)
        run(command, "--sort", other).expect(2, *keys)


@test
def manual():
    """every command is in xensched(8) with its summary, and has a page with every option"""
    def text_of(page):
        with open(TOP + "/tools/xensched/man/" + page, encoding="utf-8") as f:
            text = f.read().replace("\\-", "-")
        other = re.search(r"^\.so man8/(\S+)", text, re.M)
        return text_of(other.group(1)) if other else text

    table = text_of("xensched.8")
    for command, summary in re.findall(r"^  (\w[\w-]*) +(.+)", run("--help").out, re.M):
        check(".B %s\n%s\n" % (command, summary) in table, command, summary)
        page = text_of("xensched-%s.8" % command)
        check(".B xensched %s\n" % command in page, command)
        text = run(command, "--help").expect(0).out
        for option in re.findall(r"^  (--[\w-]+)", text, re.M):
            check(option == "--help" or
                  re.search(r'^\.BI? "?%s\b' % option, page, re.M),
                  command, option)


@test
def settings():
    """each option and key is in the manual pages, spelled as in the program"""
    done = subprocess.run(
        [TOP + "/tools/xensched/man/options.py", XENSCHED],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    check(done.returncode == 0, done.stdout.decode())
    text = run("replay", "x", "--", "--help").expect(0).out
    check(max(map(len, text.splitlines())) < 80, text)
    options = set(re.findall(r"^  --([\w-]+)", text, re.M))
    check(len(options) > 25 and "help" in options, options)
    with open(TOP + "/tools/xensched/xensched.conf", encoding="utf-8") as f:
        example = re.findall(r"^#(\w+) = ", f.read(), re.M)
    keys = {re.sub("(_per)?_(ms|us|percent|mib)$", "", key).replace("_", "-")
            for key in example}
    check(keys == options - {"help", "version", "config", "replace-area"},
          keys ^ options)


@test
def events_documented():
    """each event of the ABI is in events.md and in the table of abi.md"""
    names = []
    for header in ("/xen-patches/files/xen/include/public/schedlog.h",
                   "/tools/xensched/include/xensched/linux-events.h"):
        with open(TOP + header, encoding="utf-8") as f:
            names += re.findall(r'X\(\w+, +"([\w-]+)"', f.read())
    check(len(names) >= 24, names)
    for name in "events.md", "abi.md":
        with open(TOP + "/docs/internals/" + name, encoding="utf-8") as f:
            text = f.read()
        for event in set(names) - {"pmc1", "pmc2"}:   # pmc0 to pmc3
            check(re.search(r"\b%s\b" % event, text), name, event)


@test
def lost_output():
    """output that cannot be written is a failure"""
    with open("/dev/full", "wb") as full:
        run("--help", stdout=full).expect(1, "No space left")
        run("dump", "--seconds", "9", xen="busy", stdout=full).expect(
            1, "No space left")


# Looking at a hypervisor


def check_here(*options, **more):
    """Runs check with a state file in the folder of this run, not in this machine's folder."""
    config = path("config")
    with open(config, "w", encoding="ascii") as f:
        f.write(f"state = '{config}.json'\n")
    return run("check", "--config", config, *options, **more)


@test
def check_host():
    """check names the step that fails, its remedy, and what is unknown"""
    for xen, good, failed, remedy in (
            (None, 0, "Xen", "/dev/xen/privcmd"),
            ("unprivileged", 1, "privileges", "by root in dom0"),
            ("unpatched", 2, "schedlog", "CONFIG_SCHEDLOG"),
            ("other-abi", 3, "ABI version", "same build"),
            ("no-area", 4, "log area", "start xenschedd")):
        lines = check_here(xen=xen).expect(1).out.splitlines()
        check(len(lines) == (8 if xen == "no-area" else 7), lines)
        check([line.split()[0] for line in lines] ==
              ["ok"] * good + ["FAIL"] + ["-"] * (5 - good) + ["ok"] * (len(lines) - 6), lines)
        check("Linux's statistics" in lines[6], lines)
        check(failed in lines[good] and remedy in lines[good], lines)
    lines = check_here(xen="busy").expect(
        0, "counters: none usable on this machine;", "held by no program;",
        "events on: evtchn-send grant-map\n").out.splitlines()
    check(all(line.startswith("ok ") for line in lines[:5]), lines)
    check("modprobe xensched_log" in lines[6], lines)
    disks = [line for line in lines if "disks" in line or "back ends" in line]
    check(len(disks) == 1 and disks[0].startswith("ok "), "they contradict", disks)
    check_here(xen="quiet").expect(0, "events on: none")


@test
def shared_colours():
    """check lists the domains that share colours of the last-level cache"""
    out = check_here(
        xen="quiet", env={"FAKE_LLC_COLOURS": "Domain-0 0-3 rt 4-7 db 3-4"}).expect(0).out
    found = [line.split("  ", 1)[1].strip() for line in out.splitlines() if "LLC" in line]
    check(found == ["LLC colours of Domain-0: 0-3 according to Xen's command line; "
                    "shared with db; Xen reports no colours",
                    "LLC colours of rt: 4-7 according to its configuration; "
                    "shared with db; Xen reports no colours",
                    "LLC colours of db: 3-4 according to its configuration; "
                    "shared with Domain-0, rt; Xen reports no colours"], out)
    out = check_here(xen="quiet", env={"FAKE_LLC_COLOURS": "rt 4 db 5"}).expect(0).out
    check("rt: 4 according to its configuration; shared with no domain; " in out, out)
    names = ["guest-%d" % i for i in range(40)]
    out = check_here(xen="quiet", env={"FAKE_LLC_COLOURS": " all ".join(names + [""])}).out
    check("guest-0: all according to its configuration; shared with " + ", ".join(names[1:]) + ";"
          in out, out)
    check("LLC colours" not in check_here(xen="quiet").expect(0).out)


@test
def check_json():
    """check --json has the lines of the text, and whether one failed"""
    names = {"ok": "ok", "-": "note", "FAIL": "failed", "warn": "warning"}
    for xen in (None, "no-area", "busy"):
        text = check_here(xen=xen)
        answer = check_here("--json", xen=xen)
        check(answer.code == text.code, answer.code)
        value = json.loads(answer.out)
        check(value["ready"] == (text.code == 0), value["ready"])
        for line, one in zip(text.out.splitlines(), value["checks"], strict=True):
            # The rest of a lease differs between the two runs.
            wanted = line.split("ends in")[0]
            result = [word for word, name in names.items() if name == one["result"]]
            got = f"{result[0]:4}  {one['check']}" + (": " if one["text"] else "") + one["text"]
            check(got.startswith(wanted) and list(one) == ["check", "result", "text"], got, line)


@test
def check_state():
    """check reports that the state file cannot be written, or why that is fine"""
    folder = path("state")
    with open(folder, "w", encoding="ascii") as f:
        f.write(f"state = '{folder}.d/x.json'\n")
    run("check", "--config", folder, xen="quiet").expect(0, "xenschedd makes its folder")
    os.mkdir(folder + ".d")
    run("check", "--config", folder, xen="quiet").expect(0, "ok    state\n")
    check(not os.listdir(folder + ".d"), os.listdir(folder + ".d"))
    with open(folder, "w", encoding="ascii") as f:
        f.write("state = '/dev/full/x.json'\n")
    run("check", "--config", folder, xen="quiet").expect(
        1, "FAIL  state: cannot write", "moves nothing until")


@test
def check_toolstack():
    """check describes what a host of xapi's means to the daemon"""
    folder = path("xapi")
    os.mkdir(folder)
    config = folder + "/conf"
    with open(config, "w", encoding="ascii") as f:
        f.write(f"state = '{folder}/state'\n")
    check("xapi" not in run("check", "--config", config, xen="quiet").expect(0).out)
    with open(folder + "/xensource-inventory", "w", encoding="ascii"):
        pass
    run("check", "--config", config, xen="quiet", cwd=folder).expect(
        0, "-     toolstack: this host's toolstack is xapi")


@test
def check_reactions():
    """check warns if the configuration has reactions, and xensched-lab is missing"""
    folder = path("sbin")
    program_alone = alone(folder)
    config = folder + "/conf"
    with open(config, "w", encoding="utf-8") as f:
        f.write("state = \"%s/state\"\nreactions = [ \"loss do shell true\" ]\n" % folder)
    for program, warned in ((program_alone, True), (XENSCHED, False)):
        done = subprocess.run([program, "check", "--config", config], check=False,
                              env=dict(os.environ, FAKE_XEN="quiet"),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        check(("apt install xensched-lab" in done.stdout.decode()) == warned, done)


@test
def check_settings():
    """check names settings that have no meaning on this host"""
    config, host = path("config"), path("host")
    with open(host, "w", encoding="ascii") as f:
        f.write("web1 1 0 all all\n")

    def fits(text):
        with open(config, "w", encoding="utf-8") as f:
            f.write(f"state = '{config}.state'\n" + text)
        return run("check", "--config", config, xen="quiet", env={"FAKE_HOST": host})

    fits("rules = [ 'name=web1: nodes=0' ]\n").expect(0, "ok    settings: as this")
    fits("rules = [ 'name=B\u00fcro: hold', 'name=web1: nodes=7' ]\n"
         "soft_pools = [ 'bach' ]\n").expect(
             0, "warn  settings: the rule 'name=B\u00fcro' matches no domain",
             "names node 7", "cpupool 'bach'")


@test
def durations():
    """a duration has a unit, or its traditional one; any other text is refused"""
    for seconds in ("1", "0.02", "20ms", "20000us", "1.5s", "0.001min", "1h"):
        run("dump", "--seconds", seconds, "/nowhere/x").expect(2, "without a FILE")
        run("record", "--ring", "1M", "--last", seconds, "/nowhere/x").expect(2)
        run("on", "loss", "--every", seconds, "--socket", path("none"), "--do",
            "shell true").expect(3)
    for wrong in ("", "x", "1x", "1 s", "-1s", "1e3s", "s", "1.2.3s", "0x10s", "1ss",
                  "99999999999h", "nan"):
        for words in (("dump", "--seconds", wrong), ("record", "--last", wrong),
                      ("why", "--at", wrong), ("advise-size", "--interval", wrong),
                      ("on", "loss", "--do", "shell true", "--every", wrong),
                      ("on", "wake-delay > %s" % wrong, "--do", "shell true"),
                      ("replay", "/nowhere/x", "--", "--period", wrong)):
            ended = run(*words)
            check(ended.code in (1, 2) and "nowhere" not in ended.err, words, ended.err)
    for words in (("advise-size", "--interval", "1.5ms"), ("advise-size", "--interval",
                                                           "0.5ms")):
        run(*words).expect(2, "--interval")


@test
def usage_of_needed_options():
    """help has no brackets around a mandatory argument"""
    for command, needed, other in (("why", "--at TIME", "[--thread THREAD]"),
                                   ("fleet", "--prometheus URL", "[--json]"),
                                   ("traffic", "--metrics FILE", "[--seconds N]"),
                                   ("on", "--do ACTION...", "[--every LENGTH]")):
        usage = run(command, "--help").expect(0).out.split("\n\n")[0]
        name = needed.split()[0]
        check(needed in usage and "[" + name not in usage and other in usage and
              usage.count(name) == 1, usage)


@test
def can_start():
    """check --can-start prints why the daemon cannot start, and else nothing"""
    for xen, remedy in ((None, "/dev/xen/privcmd"), ("unprivileged", "by root in dom0"),
                        ("unpatched", "CONFIG_SCHEDLOG"), ("other-abi", "same build")):
        run("check", "--can-start", xen=xen).expect(1, "cannot start here", remedy)
    for xen in ("no-area", "quiet", "busy"):
        done = run("check", "--can-start", xen=xen).expect(0)
        check(not done.out and not done.err, done.out, done.err)


@test
def allow_marks():
    """allow-marks accepts a domain and on or off, and reports errors"""
    for what in ("on", "off"):
        check(not run("allow-marks", "1", what, xen="no-area").expect(0).out)
    run("allow-marks", "7", "on", xen="no-area").expect(1, "no domain 7")
    run("allow-marks", "32752", "on", xen="no-area").expect(1, "no domain 32752")
    for name in ("nobody", "1x"):
        run("allow-marks", name, "on", xen="no-area").expect(1, "no domain")
    run("allow-marks", "1", "on", xen="unprivileged").expect(1, "by root")
    run("allow-marks", "1", "on", xen="unpatched").expect(1, "CONFIG_SCHEDLOG")
    run("allow-marks", "1", "on").expect(1, "/dev/xen/privcmd")
    for wrong in ((), ("1",), ("1", "maybe"), ("1", "on", "more"),
                  ("", "on")):
        run("allow-marks", *wrong, xen="no-area").expect(2, "allow-marks")


@test
def check_holder():
    """check prints how long the log is held, and how many counters there are"""
    check_here(xen="held").expect(
        0, "held by a scheduler, ends in 9876 ms unless renewed",
        "performance counters: 4;")


def put_host(folder, running, installed, debian, candidate):
    """Files below host/, where check looks, and an apt-cache there."""
    files = {"sys/hypervisor/version/major": "4\n", "sys/hypervisor/version/minor": "17\n",
             "usr/bin/apt-cache": "#!/bin/sh\necho '  Installed: x'\n"
                                  "echo '  Candidate: %s'\n" % candidate}
    if running:
        files["sys/hypervisor/properties/changeset"] = "xensched %s\n" % running
    if installed:
        files["boot/schedlog-xen-4.17-amd64.version"] = installed + "\n"
    if debian:
        files["var/lib/xensched-hypervisor/debian-4.17"] = debian + "\n"
    for name, text in files.items():
        name = "%s/host/%s" % (folder, name)
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o755)


@test
def check_versions():
    """check compares the running and the installed hypervisor with Debian's"""
    old, new = "4.17.5+72-g01140da4e8-1", "4.17.7+13-g2445b30a44-0+deb12u1"
    for host, begin, *wanted in (
            ((new, new, new, new), "ok ", "running %s, installed %s, Debian's newest %s\n"
             % (new, new, new)),
            ((old, old, old, new), "- ", "running %s, installed %s, Debian's newest %s; run "
             "xensched-build-hypervisor" % (old, old, new), "then reboot"),
            ((old, old, new, "(none)"), "- ", "newest %s; run" % new),
            ((old, new, new, new), "- ", "newest %s; reboot\n" % new),
            ((None, new, new, new), "ok ", "running another, installed " + new),
            ((old, None, None, new), "- ", "installed none", "build it from Debian's"),
            ((old, old, old, old + "+b1"), "ok ", "newest %s\n" % old),
            (("tree xen", "tree xen", None, new), "- ", "running tree xen,"),
            ((new, new, None, "(none)"), "ok ", "newest not known\n")):
        folder = path("check")
        put_host(folder, *host)
        out = check_here(xen="busy", cwd=folder).expect(0, *wanted).out
        line = [each for each in out.splitlines() if "hypervisor: " in each]
        check(len(line) == 1 and line[0].startswith(begin), host, line)
    check("hypervisor: " not in check_here(xen="busy").out)


if __name__ == "__main__":
    sys.exit(main())
