#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The command xensched, against a daemon and a hypervisor which are not real.

XENSCHED is the program, built with sanitizers and with fake-xen.c in place of
libxenctrl.  The daemon is a socket in this test which answers what a test
wants: the examples of docs/control-socket.md, which are thereby shown to be
what the command understands, and everything a daemon should not say.

Each test's first line of documentation is the promise which it holds.  They
run at the same time, since most of them wait.
"""

import concurrent.futures
import contextlib
import copy
import fcntl
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
XENSCHED = os.environ.get("XENSCHED", TOP + "/build/unit/xensched-test")
FOLDER = tempfile.mkdtemp(prefix="xensched-command-")
TESTS = []
LOOKING = ("status", "matrix", "plan")
ASKING = LOOKING + ("restore", "act")


class Failed(Exception):
    """A promise wasn't held."""


def test(function):
    TESTS.append(function)
    return function


def check(condition, *what):
    if not condition:
        raise Failed("\n".join(str(w) for w in what))


def path(name):
    """A new name in the folder of this run."""
    return "%s/%s-%d" % (FOLDER, name, next(path.numbers))


path.numbers = iter(range(1 << 30))


class Ended:
    """What a run of the program left."""

    def __init__(self, arguments, done):
        self.arguments = arguments
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    def expect(self, code, *words):
        """This exit code, and these words in the output or the errors."""
        both = self.out + self.err
        about = (self.arguments, "exit code %d" % self.code, both[:2000])
        check("Sanitizer" not in both and "runtime error" not in both, *about)
        check(self.code == code, "expected exit code %d" % code, *about)
        for word in words:
            check(word in both, "expected '%s'" % word, *about)
        return self


def run(*arguments, xen=None, text=True, **options):
    environment = {k: v for k, v in os.environ.items() if k != "FAKE_XEN"}
    if xen:
        environment["FAKE_XEN"] = xen
    options.setdefault("stdout", subprocess.PIPE)
    done = subprocess.run([XENSCHED, *arguments], env=environment, timeout=60,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          check=False, **options)
    done.stdout = (done.stdout or b"").decode(errors="replace")
    done.stderr = done.stderr.decode(errors="replace")
    return Ended(arguments, done)


@contextlib.contextmanager
def start(*arguments, xen, **options):
    """The program in the background; it is gone in the end."""
    environment = dict(os.environ, FAKE_XEN=xen)
    process = subprocess.Popen([XENSCHED, *arguments], env=environment,
                               stdin=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def daemon(talk):
    """A socket; talk(connection) is called with each client."""
    where = path("socket")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(where)
    listener.listen()

    def serve():
        while True:
            try:
                connection = listener.accept()[0]
            except OSError:
                return
            with connection, contextlib.suppress(OSError):
                talk(connection)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield where
    finally:
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def hear(connection):
    """One request."""
    line = b""
    while not line.endswith(b"\n"):
        part = connection.recv(4096)
        if not part:
            break
        line += part
    return line


def saying(reply):
    def talk(connection):
        hear(connection)
        connection.sendall(reply)
    return talk


def answer(value):
    return saying(json.dumps(value).encode() + b"\n")


def examples():
    """The responses of docs/control-socket.md, by command."""
    found = {}
    with open(TOP + "/docs/control-socket.md", encoding="utf-8") as file:
        text = file.read()
    for part in re.split(r"^### ", text, flags=re.M)[1:]:
        name = part.split("\n")[0]
        block = re.search(r"```json\n(.*?)```", part, re.S)
        found[name] = json.loads(block.group(1))
    return found


def ask(command, value, *options):
    with daemon(answer(value)) as where:
        return run(command, "--socket", where, *options)


# A terminal


class Terminal:
    """The program on a terminal of its own: what it writes, and keys."""

    def __init__(self, *arguments, rows=24, columns=100):
        self.screen = self.all = b""
        environment = dict(os.environ, TERM="xterm")
        environment.pop("LINES", None)
        environment.pop("COLUMNS", None)
        self.main, end = pty.openpty()
        self.resize(rows, columns, False)
        self.process = subprocess.Popen(
            [XENSCHED, *arguments], env=environment, stdin=end, stdout=end,
            stderr=subprocess.PIPE, start_new_session=True)
        os.close(end)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()
        os.close(self.main)

    def resize(self, rows, columns, tell=True):
        fcntl.ioctl(self.main, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))
        if tell:
            self.process.send_signal(signal.SIGWINCH)

    def until(self, *words):
        """Wait until all of them have been written since the last time."""
        end = time.monotonic() + 20
        while not all(word.encode() in self.screen for word in words):
            check(time.monotonic() < end, words, self.screen[-3000:])
            if select.select([self.main], [], [], 0.1)[0]:
                try:
                    self.screen += os.read(self.main, 65536)
                except OSError:
                    check(False, words, self.screen[-3000:])
        self.all += self.screen
        self.screen = b""

    def press(self, keys):
        os.write(self.main, keys)

    def end(self):
        """The exit code."""
        while self.process.poll() is None:
            if select.select([self.main], [], [], 0.1)[0]:
                with contextlib.suppress(OSError):
                    self.screen += os.read(self.main, 65536)
        errors = self.process.stderr.read().decode(errors="replace")
        check("Sanitizer" not in errors and "runtime error" not in errors,
              errors)
        return self.process.returncode


def answering(answers):
    """To each question the answer to its command; None: nothing."""
    def talk(connection):
        reply = answers[json.loads(hear(connection))["command"]]
        if reply is not None:
            connection.sendall(json.dumps(reply).encode() + b"\n")
    return talk


@test
def top():
    """top shows each domain with its partner, in any size, until q"""
    answers = examples()
    with daemon(answering(answers)) as where, \
            Terminal("top", "--socket", where, columns=120) as terminal:
        terminal.until("disk", "idle", "operator", "by CPU", "4809.3",
                       "AT PLACE", "97 %", "node 0 97 %, node 1 3 %")
        terminal.press(b"s")
        terminal.until("talk")
        terminal.resize(6, 30)
        terminal.until("NAME")
        terminal.resize(2, 5)
        terminal.resize(50, 200)
        terminal.until("disk", "idle", "operator")
        terminal.press(b"q")
        check(terminal.end() == 0)


@test
def top_without_daemon():
    """top says so when the daemon goes, and shows it when it is back"""
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
    """top shows nothing that drives the terminal, whatever it is told"""
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
    """top has on 80 columns how much of its time a guest is at its place"""
    answers = examples()
    with daemon(answering(answers)) as where, \
            Terminal("top", "--socket", where, columns=80) as terminal:
        terminal.until("AT PLACE", "disk", "97 %")
        terminal.press(b"q")
        check(terminal.end() == 0)


@test
def top_of_older():
    """top of a daemon which does not say where domains ran shows "-" there"""
    answers = examples()
    for domain in answers["status"]["result"]["domains"]:
        for name in ("ran", "at_place", "lever", "crossings_per_s"):
            domain.pop(name, None)
    with daemon(answering(answers)) as where, \
            Terminal("top", "--socket", where, columns=100) as terminal:
        terminal.until("AT PLACE", "ours", "-  1", "scroll")
        terminal.press(b"q")
        check(terminal.end() == 0)
        check(b"%" not in terminal.all, terminal.all[:3000])


@test
def top_needs_terminal():
    """top without a terminal: exit code 1, and what else there is"""
    ask("top", examples()["status"]).expect(1, "needs a terminal")


# Talking to a daemon


@test
def no_daemon():
    """without a daemon: exit code 3, and how to start it"""
    for command in ASKING:
        run(command, "--socket", path("nothing")).expect(
            3, "not running", "systemctl start xenschedd")


@test
def dead_daemon():
    """a socket which a killed daemon left: exit code 3"""
    where = path("socket")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(where)
    run("status", "--socket", where).expect(3, "not running", where)
    check(os.path.exists(where), "the command removed the socket")


@test
def request():
    """the request is the one line of the protocol"""
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
    """--json prints the result as it was sent, also what isn't known"""
    for command in ASKING:
        value = copy.deepcopy(examples()[command])
        value["result"]["new"] = {"big": 2 ** 63 - 1, "text": "a/ü\n",
                                  "list": [1.25, None, True]}
        ended = ask(command, value, "--json").expect(0)
        check(json.loads(ended.out) == value["result"], ended.out)


@test
def text_of_status():
    """status prints what it got, in columns"""
    ended = ask("status", examples()["status"]).expect(
        0, "mode act", "182731 read, 0 lost", "28 sites",
        "for 10000 ms at a time; ends in 9950 ms unless", "PMCs          4\n")
    sources, rows = [block.splitlines()
                     for block in ended.out.split("\n\n")[1:]]
    check(sources[0].split() == ["SOURCE", "STATE", "ROWS", "LOST", "REFUSED",
                                 "REASON"], sources)
    check(sources[2].split() == ["linux", "absent", "0", "0", "0"], sources)
    check([re.split("  +", row.strip()) for row in rows] == [
        ["DOMAIN", "ID", "ACCT", "DRIVER", "CPU%", "GROUP", "AFFINITY",
         "MOVED", "PCPUS", "LEVER", "AT PLACE", "CROSS/S", "RAN"],
        ["Domain-0", "0", "2", "yes", "31.2", "-", "operator", "no", "0-1",
         "-", "-", "72", "node 0 100 %"],
        ["disk", "1", "3", "no", "22.7", "-", "ours", "yes", "1",
         "soft", "97 %", "72", "node 0 97 %, node 1 3 %"],
        ["idle", "2", "4", "no", "0.0", "-", "default", "no", "3",
         "-", "-", "-", "-"]], ended.out)
    column = rows[0].index("AFFINITY")
    check(all(row[column - 1] == " " and row[column] != " " for row in rows),
          ended.out)


@test
def soft_weight_in_status():
    """status says what soft affinities weigh, while the daemon has set it"""
    status = examples()["status"]
    ask("status", status).expect(
        0, "Xen's credit2 heeds soft affinities: 50 % (was 0)\n")
    for weight in (None, 5, "x"):
        status["result"]["soft_weight"] = weight
        ended = ask("status", status).expect(0)
        check("heeds" not in ended.out, ended.out)


@test
def ran_in_status():
    """status of an older daemon has "-" for where domains ran, and no guess
    for what makes no sense"""
    status = examples()["status"]
    domain = status["result"]["domains"][1]
    for name in ("ran", "at_place", "lever", "crossings_per_s"):
        del domain[name]
    line = "  yes    1      -             -        -  -\n"
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
    """status says what logging costs, where the daemon has a budget"""
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
    """status says when nobody holds the log, and no counter is usable"""
    value = examples()["status"]
    value["result"]["xen"].update(lease_ms=0, lease_left_ms=0, pmcs=0)
    ask("status", value).expect(0, "by nobody", "none usable on this machine")
    for name in ("lease_ms", "lease_left_ms", "pmcs"):
        del value["result"]["xen"][name]
    ask("status", value).expect(0)


@test
def text_of_matrix():
    """matrix prints a row per pair"""
    ended = ask("matrix", examples()["matrix"]).expect(0, "1000 ms")
    rows = [line.split() for line in ended.out.splitlines()]
    check(["evtchn-send", "disk", "1", "Domain-0", "0", "1204.6",
           "48211"] in rows, ended.out)
    check("  (not bound)   -  disk  " in ended.out, ended.out)


@test
def text_of_plan():
    """plan prints each move with its reason and its numbers"""
    ended = ask("plan", examples()["plan"]).expect(
        0, "1 move\n", "disk (domain 1): soft affinity to pCPUs 0-1, applied: "
        "97 % of its time there, by driver-affinity\n",
        "98 % of its", "share 0.9801", "driver_domain Domain-0")
    check("idle      it talks little" in ended.out, ended.out)


@test
def effect_in_plan():
    """plan says what came of an affinity; that it is set proves nothing"""
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
    """restore says how many, and fails when the daemon did in part"""
    value = examples()["restore"]
    ask("restore", value).expect(0, "restored: 1", "mode: advise")
    value["result"]["failed"] = 2
    ask("restore", value).expect(1, "failed: 2", "not everything")
    ask("restore", value, "--json").expect(1, '"failed"')


@test
def one_domain():
    """explain, hold and release ask about the domain, by name or number"""
    for command in ("explain", "hold", "release"):
        for who, member in (("1", {"domid": 1}), ("disk", {"domain": "disk"}),
                            ("a\"b\n1", {"domain": "a\"b\n1"})):
            lines = []

            def talk(connection, lines=lines):
                lines.append(hear(connection))
                connection.sendall(b'{"ok":true,"result":{}}\n')

            with daemon(talk) as where:
                run(command, "--socket", where, who).expect(0)
            check(len(lines) == 1 and lines[0].count(b"\n") == 1, lines)
            check(json.loads(lines[0]) == {"command": command, **member},
                  lines)


@test
def text_of_explain():
    """explain prints the daemon's words, a line each"""
    value = examples()["explain"]
    ended = ask("explain", value, "disk").expect(0)
    check(ended.out.splitlines() == value["result"]["lines"], ended.out)
    check(ask("act", examples()["act"]).expect(0).out == "mode: act\n")
    check(ask("hold", examples()["hold"], "1").expect(0).out == "")


def crowd(number):
    """status, matrix and plan of a host with so many domains, idle first"""
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
        for who in "d042", "42":
            ended = ask(command, value, who).expect(0)
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
    """top shows one domain or group, or the first few, and says how many not"""
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
    """what isn't a response is an error, never a crash and never a guess"""
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
    """a result of other types is printed as far as it is understood"""
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
    """a response which is cut off, anywhere, is an error"""
    whole = json.dumps(examples()["restore"]).encode()
    for length in range(1, len(whole) + 1, 7):
        with daemon(saying(whole[:length])) as where:
            run("restore", "--socket", where).expect(
                1, "cut off after %d bytes" % length)


@test
def no_reply():
    """a connection which is closed is an error"""
    with daemon(hear) as where:
        run("status", "--socket", where).expect(1, "without an answer")
    with daemon(lambda connection: None) as where:
        run("status", "--socket", where).expect(1, "closed the connection")


@test
def long_reply():
    """a response without end takes a bounded amount of memory"""
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
        run("status", "--socket", where).expect(1, "doesn't answer", where)
        took = time.monotonic() - begin
    check(4 < took < 15, "took %.1f s" % took)


@test
def silent_daemon():
    """a daemon which hangs: time-out"""
    slow(lambda connection: time.sleep(20))


@test
def dripping_daemon():
    """a daemon which sends a byte now and then: the same time-out"""
    def talk(connection):
        while True:
            connection.sendall(b" ")
            time.sleep(0.1)

    slow(talk)


@test
def full_daemon():
    """a daemon which doesn't even accept: the same time-out"""
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
    """who isn't root is told so"""
    if os.getuid():
        return "needs root to become somebody else"
    program = path("program")
    # By another process: one which other threads start now could inherit the
    # file, open for writing, and then it cannot be run.
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
    """names and errors can't send control characters to a terminal"""
    value = examples()["status"]
    value["result"]["domains"][1]["name"] = "a\x1b[2Jb\x07\n\x9bc"
    ended = ask("status", value).expect(0, "a?[2Jb??")
    check(not set(ended.out) & set("\x1b\x07\x9b"), ended.out)
    ask("status", {"ok": False, "error": "x\x1b[31m\ny"}).expect(
        1, "x?[31m?y")


@test
def wide_names():
    """names which aren't ASCII don't break the columns"""
    value = examples()["status"]
    value["result"]["domains"][1]["name"] = "плата-ü"
    rows = ask("status", value).expect(0).out.split("\n\n")[2].splitlines()
    check(len({row.index(word) for row, word in
               zip(rows, ("ACCT", "   2  yes", "   3  no"))}) == 1, rows)


# Arguments


@test
def other_sources():
    """--source: the log of this Linux or of a domain; what isn't there is said"""
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
                      ("check", "x"), ("check", "--json"), ("", ""),
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
    """numbers out of range or with rubbish behind are wrong use"""
    for value in ("", "0", "-1", "1x", "x", "nan", "inf", "1e3", ".", "1..2",
                  "0.0", "99999999999", "1 ", "0x10"):
        run("record", "--seconds", value, path("f")).expect(2, "--seconds")
    for value in ("", "0", "-1", "1x", "1KK", "K", "0x10", "1.5M", "0K",
                  "99999999999999999999", "99999999999G", "1k"):
        run("record", "--size", value, path("f")).expect(2, "--size")
    for value in ("", "0", "-1", "1x", "x", "1.5", "0x10", "60001",
                  "99999999999999999999"):
        run("advise-size", "--interval", value).expect(2, "--interval")


@test
def helps():
    """--help and --version print to stdout and end with 0"""
    check("schedlog ABI 1" in run("--version").expect(0).out)
    texts = [run("--help").expect(0)]
    for line in texts[0].out.splitlines():
        if line.startswith("  ") and not line.startswith("  --"):
            texts.append(run(line.split()[0], "--help").expect(0))
            check(texts[-1].out.startswith("usage: xensched "), line)
    check(len(texts) == 17, len(texts))
    for text in texts:
        check(not text.err and text.out, text.arguments)
        check(max(map(len, text.out.splitlines())) < 80, text.out)


def completed(*words):
    """What bash offers for the last of these words of a command line."""
    script = """. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
                _xensched; printf '%s\\n' "${COMPREPLY[@]}" """
    done = subprocess.run(
        ["bash", "-uc", script, TOP + "/tools/xensched/xensched.bash-completion",
         "xensched", *words], stdout=subprocess.PIPE, check=True)
    return set(done.stdout.decode().split())


@test
def completion():
    """completion for bash knows every command and every option of each"""
    commands = re.findall(r"^  (\w[\w-]*) ", run("--help").out, re.M)
    check(completed("") == {*commands, "--help", "--version"}, completed(""))
    check(completed("adv") == {"advise", "advise-size"}, completed("adv"))
    for command in commands:
        text = run(command, "--help").expect(0).out
        options = set(re.findall(r"^  (--[\w-]+)", text, re.M))
        check(completed(command, "--") == options, command, options,
              completed(command, "--"))
    for command, other in (("status", "talk"), ("matrix", "cpu"),
                           ("plan", "rate"), ("top", "total")):
        keys = completed(command, "--sort", "")
        check(len(keys) > 1 and other not in keys, command, keys)
        for key in keys:
            run(command, "--sort", key, "--socket", path("none")).expect(
                1 if command == "top" else 3)
        run(command, "--sort", other).expect(2, *keys)


@test
def manual():
    """the manual page has every command and every option"""
    with open(TOP + "/tools/xensched/man/xensched.8", encoding="utf-8") as f:
        page = f.read().replace("\\-", "-")
    for command in re.findall(r"^  (\w[\w-]*) ", run("--help").out, re.M):
        check(".B xensched %s\n" % command in page, command)
        check(re.search(r"^\.B[IR]? %s\b" % command, page, re.M), command)
        text = run(command, "--help").expect(0).out
        for option in re.findall(r"^  (--[\w-]+)", text, re.M):
            check(re.search(r'^\.BI? "?%s\b' % option, page, re.M), option)


@test
def settings():
    """each of xenschedd's options has its key, and the manual pages have both"""
    def page(name):
        with open(TOP + "/tools/xensched/" + name, encoding="utf-8") as f:
            return f.read().replace("\\-", "-")

    daemon_page, keys_page = page("man/xenschedd.8"), page("man/xensched.conf.5")
    text = run("replay", "x", "--", "--help").expect(0).out
    check(max(map(len, text.splitlines())) < 80, text)
    options = dict(re.findall(r"^  --([\w-]+)(.*\n(?:    .*\n)*)", text, re.M))
    check(len(options) > 25 and "help" in options, options)
    example = re.findall(r"^#(\w+) = ", page("xensched.conf"), re.M)
    keys = {re.sub("_(ms|percent|mib)$", "", key).replace("_", "-"): key
            for key in example}
    check(keys.keys() == options.keys() -
          {"help", "version", "config", "replace-area"}, keys, options)
    for option, about in options.items():
        check(re.search(r'^\.BI? --%s\b' % option, daemon_page, re.M), option)
        number = re.search(r"\(default:\s+(\d+)\)", about)
        if option in keys:
            check(re.search(r'^\.BR %s " \(%s' % (
                keys[option], number.group(1) + r"\)" if number else ""),
                            keys_page, re.M), option, about)


@test
def events_documented():
    """each event of the ABI is in events.md and in the table of abi.md"""
    with open(TOP + "/xen-patches/files/xen/include/public/schedlog.h",
              encoding="utf-8") as f:
        names = re.findall(r'X\(\w+, +\d+, +"([\w-]+)"', f.read())
    check(len(names) >= 19, names)
    for name in "events.md", "abi.md":
        with open(TOP + "/docs/" + name, encoding="utf-8") as f:
            text = f.read()
        for event in set(names) - {"pmc1", "pmc2"}:   # pmc0 to pmc3
            check(re.search(r"\b%s\b" % event, text), name, event)


@test
def lost_output():
    """output that can't be written is a failure"""
    with open("/dev/full", "wb") as full:
        run("--help", stdout=full).expect(1, "No space left")
        run("dump", "--seconds", "9", xen="busy", stdout=full).expect(
            1, "No space left")


# Looking at a hypervisor


@test
def check_host():
    """check names the step which fails, its remedy, and what isn't known"""
    for xen, good, failed, remedy in (
            (None, 0, "Xen", "/dev/xen/privcmd"),
            ("unprivileged", 1, "privileges", "by root in dom0"),
            ("unpatched", 2, "schedlog", "CONFIG_SCHEDLOG"),
            ("other-abi", 3, "ABI version", "same build"),
            ("no-area", 4, "log area", "start xenschedd")):
        lines = run("check", xen=xen).expect(1).out.splitlines()
        check(len(lines) == 6, lines)
        check([line.split()[0] for line in lines] ==
              ["ok"] * good + ["FAIL"] + ["-"] * (5 - good), lines)
        check(failed in lines[good] and remedy in lines[good], lines)
    lines = run("check", xen="busy").expect(
        0, "counters: none usable on this machine;", "held by nobody;",
        "events on: evtchn-send grant-map\n").out.splitlines()
    check(all(line.startswith("ok ") for line in lines[:5]), lines)
    check("modprobe xensched_log" in lines[5], lines)
    run("check", xen="quiet").expect(0, "events on: none")


@test
def allow_marks():
    """allow-marks takes a domain and on or off, and says what went wrong"""
    for what in ("on", "off"):
        check(not run("allow-marks", "1", what, xen="no-area").expect(0).out)
    run("allow-marks", "7", "on", xen="no-area").expect(1, "no domain 7")
    run("allow-marks", "1", "on", xen="unprivileged").expect(1, "by root")
    run("allow-marks", "1", "on", xen="unpatched").expect(1, "CONFIG_SCHEDLOG")
    run("allow-marks", "1", "on").expect(1, "/dev/xen/privcmd")
    for wrong in ((), ("1",), ("1", "maybe"), ("disk", "on"), ("-1", "on"),
                  ("32752", "on"), ("1x", "on"), ("1", "on", "more"),
                  ("", "on")):
        run("allow-marks", *wrong, xen="no-area").expect(2, "allow-marks")


@test
def check_holder():
    """check says how long the log is held, and how many counters there are"""
    run("check", xen="held").expect(
        0, "held by a scheduler, ends in 9876 ms unless renewed",
        "performance counters: 4;")


def dumped(file, code=0, *words):
    """The rows of a recording, as objects."""
    ended = run("dump", "--json", file).expect(code, *words)
    return [json.loads(line) for line in ended.out.splitlines()]


def is_beginning(some, rows):
    """Are @some the first of @rows?

    Their times aren't looked at: in a part of a recording there may be no
    row which tells the upper bits.
    """
    return [{**row, "time_s": 0} for row in some] == \
        [{**row, "time_s": 0} for row in rows[:len(some)]]


def check_complete(rows):
    """Both pCPUs are there, and of each no row is missing in between."""
    for cpu in (0, 2):
        counters = [row["counter"] for row in rows if row["cpu"] == cpu]
        check(counters, "no rows of pCPU %d" % cpu)
        check(counters == list(range(counters[0],
                                     counters[0] + len(counters))), cpu)


def check_times(rows):
    """The pCPUs' times, of 32 and 64 bits, are those of the fake Xen.

    Its clock goes on by one microsecond with each row of either pCPU, and
    rows with the same counter come one after the other.
    """
    first = 5 * 2 ** 36 - 200
    for row in rows:
        made = first + 2 * (row["counter"] - 1) + (row["cpu"] == 2)
        check(-1e-9 <= made / 1e6 - row["time_s"] < 16.1e-6, row, made)
    check({row["time_s"] * 1e6 > first + 200 for row in rows} ==
          {False, True}, "32 bits didn't come round")


@test
def record_seconds():
    """record --seconds: every row is in the file, once and in order"""
    file = path("recording")
    run("record", "--seconds", "1", file, xen="busy").expect(0, " 0 rows lost")
    rows = dumped(file)
    check(len(rows) > 100, len(rows))
    check_complete(rows)
    check_times(rows)
    check({"cpu", "time_s", "event", "current", "correspondent",
           "counter"} == set(rows[0]), rows[0])
    check({row["event"] for row in rows} == {"evtchn-send", "grant-map"})
    check(os.stat(file).st_mode & 0o777 == 0o600, "others may read it")


@test
def record_size():
    """record --size ends when the file has that size"""
    file = path("recording")
    run("record", "--size", "100K", file, xen="busy").expect(0)
    size = os.stat(file).st_size
    check(100 << 10 <= size < 2 << 20, size)
    check_complete(dumped(file))


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
    """Everything that was written to a terminal, whose other end is closed."""
    text = b""
    try:
        while chunk := os.read(terminal, 65536):
            text += chunk
    except OSError:
        pass
    return text


@test
def record_progress():
    """on a terminal record shows its progress"""
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
    """record that can't begin leaves the file as it is"""
    file = path("precious")
    with open(file, "w", encoding="ascii") as f:
        f.write("precious")
    for xen in (None, "unprivileged", "unpatched", "other-abi", "no-area"):
        run("record", "--seconds", "1", file, xen=xen).expect(1)
    with open(file, encoding="ascii") as f:
        check(f.read() == "precious")


@test
def record_nothing():
    """when no event is on, record and dump say so"""
    file = path("recording")
    run("record", "--seconds", "0.1", file, xen="quiet").expect(
        0, "no event is on")
    check(dumped(file) == [])
    run("dump", "--seconds", "0.1", xen="quiet").expect(0, "no event is on")


@test
def record_given_up():
    """an area which is given up ends the recording, which is complete"""
    file = path("recording")
    run("record", "--seconds", "20", file, xen="given-up").expect(
        1, "log area is gone")
    check_complete(dumped(file))


@test
def losses():
    """lost rows are said by record and by dump, where they were lost"""
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
    ended = run("dump", "--json", "--seconds", "1", xen="busy").expect(0)
    check_times([json.loads(line) for line in ended.out.splitlines()])


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


# How large a log has to be


def advised(*options, xen=None):
    """What advise-size says as JSON."""
    return json.loads(run("advise-size", "--json", *options,
                          xen=xen).expect(0).out)


def advised_size(advice, log, interval):
    """Of log file @log, for a reader that comes each @interval ms."""
    return [reader["size_bytes"] for entry in advice["logs"]
            if entry["log"] == log for reader in entry["readers"]
            if reader["interval_ms"] == interval][0]


def found_at_most(rows, interval):
    """The most rows of a pCPU in any @interval ms, wherever it begins."""
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
    """advise-size: mean and most per interval, and sizes, are what they are"""
    steady = "synthetic:rows=100000,rate=1000,batch=1,pair=evtchn-send/2/3/1/1"
    advice = advised("--source", steady)
    event = advice["events"][0]
    check(abs(event.pop("mean") - 20) < 0.01, advice)
    check(event == {"event": "evtchn-send", "log": 0, "cpu": 0,
                    "rows": 100000, "most": 20}, advice)
    check(abs(advice["intervals"] - 5000) < 2, advice)
    # A visit finds rows of two intervals, 40 of 16 bytes, or of six; the size
    # is for twice that and one row more.
    check(advised_size(advice, 0, 20) == 2048, advice)
    check(advised_size(advice, 0, 100) == 4096, advice)
    advice = advised("--source", steady, "--interval", "50")
    check(advice["events"][0]["most"] == 50, advice)
    check(advised_size(advice, 0, 50) == 4096, advice)
    two = advised("--source", steady + ",cpus=2,pair=mark/2/3/1/1")
    check({(e["event"], e["cpu"]) for e in two["events"]} ==
          {(e, c) for e in ("evtchn-send", "mark") for c in (0, 1)}, two)
    check(sum(e["rows"] for e in two["events"]) == 100000, two)


@test
def advise_any_time():
    """advise-size: whenever a reader comes, it finds no more than is said"""
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
    """advise-size counts rows when they were written, not when read"""
    # A row each 2 us of the fake Xen's clock, however fast it makes them.
    advice = advised("--seconds", "1", xen="flood")
    most = {(e["cpu"], e["event"]): e["most"] for e in advice["events"]}
    for cpu in (0, 2):
        check(most[cpu, "evtchn-send"] == 7500, most)
        check(most[cpu, "grant-map"] == 2500, most)


@test
def advise_lost():
    """advise-size: when rows were lost a size is a lower bound, and says so"""
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
    """advise-size without rows, or without a source, says so"""
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
    """advise-size prints what it has when it is interrupted"""
    with start("advise-size", xen="busy", stdout=subprocess.PIPE) as p:
        time.sleep(1)
        p.send_signal(signal.SIGINT)
        check(b"rows per interval" in p.stdout.read(), "nothing")
        check(p.wait(timeout=30) == 0, p.returncode)


@test
def dump_cut():
    """of a recording which is cut anywhere all rows before are printed"""
    whole, file = path("recording"), path("cut")
    # Several chunks, also on a machine with something else to do.
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
    """what isn't a recording is refused, by name"""
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
    """replay plans from made-up rows, once per period of their time"""
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
        0, "6.000 s  move disk to pCPUs 0-1: 100 % of its", "1 moves",
        "the last plan, at 19.000 s", "idle      it talks little")


@test
def replay_ran():
    """replay says where domains ran by the rows; what would have come of a
    move it does not claim to know"""
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
def replay_hard():
    """what a replay moved by hard affinity stays so when the host changes"""
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
    """replay takes domains of a group for one party"""
    host = copy.deepcopy(HOST)
    for domain in host["domains"][1:]:
        domain.update(acct=7, group="web")
    plans, numbers = replayed("--seconds", "20", "--host", host_file(host),
                              "--source", LOAD)
    check(numbers["moves"] == 2, numbers)
    check("100 % of its group web's" in json.dumps(plans[-1]["moves"][1]),
          plans[-1])
    host["domains"][1]["group"] = "a b"
    run("replay", "--host", host_file(host), "--source", LOAD).expect(
        1, "domain 1: 'group' is no name")


@test
def replay_settings():
    """replay takes xenschedd's settings, behind --"""
    host = host_file(HOST)
    rest = ("--seconds", "5", "--host", host, "--source", LOAD, "--")
    plans, numbers = replayed(*rest, "--period", "500", "--settle", "0")
    check(len(plans) == 9 and numbers["moves"] == 1, numbers)
    check(plans[1]["done"] and plans[1]["time_s"] == 1, plans[1])
    plans, numbers = replayed(*rest, "--settle", "0", "--min-rate", "5000")
    check(numbers["moves"] == 0, numbers)
    check("5000 are needed" in json.dumps(plans[-1]), plans[-1])
    conf = path("conf")
    with open(conf, "w", encoding="ascii") as f:
        f.write("min_rate = 7000\nsettle_ms = 0\n")
    plans, numbers = replayed(*rest, "--config", conf)
    check("7000 are needed" in json.dumps(plans[-1]), plans[-1])
    run("replay", *rest, "--config", path("nothing")).expect(2, "No such file")
    run("replay", *rest, "--share", "x").expect(2, "--share")
    run("replay", *rest, "--help").expect(0, "--min-rate")


@test
def replay_phases():
    """replay of a load which changes: one move per phase, none in between"""
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
    """replay leaves alone what an operator holds or has set"""
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
    """A recording: a host, or rows evtchn-send (from, to, how many), each with
    the second."""
    def with_crc(header, contents=b""):
        return header + struct.pack("=I", zlib.crc32(header + contents)) + \
            contents

    def chunk(kind, contents, lcr, pos, second):
        return with_crc(struct.pack("=6I4QI", 0x6b6e6863, kind, len(contents),
                                    0, 0, lcr, pos, 0, 0,
                                    int(second * 1e9), 0), contents)

    parts = [with_crc(struct.pack("=8s4I2Q5I", b"xensched", 0x01020304, 1, 1, 0,
                                  0, 0, 0, 0, 0, 0, 0))]
    for second, what in chunks:
        if isinstance(what, dict):
            parts.append(chunk(2, json.dumps(what).encode(), 0, 0, second))
        else:
            rows = b"".join(struct.pack("=3H2xQ", 2, *row) for row in what)
            parts.append(chunk(1, rows, 0x1f, 0, second))
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
    """what a replay moved stays when the host changes, unless an operator came
    or it is another domain, and is given back when there is no reason"""
    busy = [(7, 12, 1000)]
    ours = {"affinity": "ours", "vcpus": [{"pcpu": 1, "soft": "2-3"}]}
    begin = [(100, change(HOST, **ours))] + [(100 + t, busy)
                                             for t in range(1, 10)]
    settings = ("--", "--settle", "0", "--quiet", "3000")

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
    """time that goes back stands still, time that jumps is left out"""
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
    """of a threshold's events one makes a row, which counts for all"""
    host = dict(HOST, thresholds={"evtchn-send": 10})
    rest = ("--seconds", "20", "--source", LOAD, "--host")
    rate = replayed(*rest, host_file(HOST))[0][-1]["moves"][0]["evidence"]
    tenfold = replayed(*rest, host_file(host))[0][-1]["moves"][0]["evidence"]
    check(abs(tenfold["rate"] / rate["rate"] - 10) < 0.01, rate, tenfold)
    host = change(host, thresholds={"evtchn-send": 40})
    more = replayed(*rest, host_file(host))[0][-1]["moves"][0]["evidence"]
    check(abs(more["rate"] / rate["rate"] - 40) < 0.01, rate, more)


def tell_host(host):
    """A daemon which is asked for the host."""
    def talk(connection):
        check(json.loads(hear(connection)) == {"command": "host"})
        connection.sendall(json.dumps({"ok": True, "result": host}).encode() +
                           b"\n")
    return talk


def recorded_with_host(host, seconds="1.5"):
    file = path("recording")
    with daemon(tell_host(host)) as where:
        run("record", "--seconds", seconds, "--socket", where, file,
            xen="busy").expect(0, " 0 rows lost")
    return file


@test
def replay_recorded():
    """record keeps what the numbers stand for, and replay plans with it"""
    file = recorded_with_host(examples()["host"]["result"])
    plans, numbers = replayed(file, "--", "--period", "100", "--settle", "0")
    check(numbers["rows"] == len(dumped(file)), numbers)
    check(13 <= len(plans) <= 15, len(plans))
    names = {d["domain"] for d in plans[-1]["moves"] + plans[-1]["kept"]}
    check(names == {"Domain-0", "disk", "idle"}, names)
    first = run("replay", "--json", file).expect(0).out
    check(first == run("replay", "--json", file).expect(0).out)
    check("rows" in run("advise-size", "--source",
                        "recording:" + file).expect(0).out)


@test
def record_changes():
    """record keeps it again when domains change, and only then"""
    host = copy.deepcopy(HOST)
    file = path("recording")
    with daemon(tell_host(host)) as where:
        with start("record", "--seconds", "5", "--socket", where, file,
                   xen="busy", stderr=subprocess.PIPE) as p:
            time.sleep(2.5)
            host["domains"][1]["name"] = "renamed"
            check(p.wait(timeout=60) == 0, p.stderr.read())
    with open(file, "rb") as f:
        content = f.read()
    check(content.count(b'"topology"') == 2, content.count(b'"topology"'))
    plans = replayed(file)[0]
    check("disk" in json.dumps(plans[0]), plans[0])
    check("renamed" in json.dumps(plans[-1]), plans[-1])


@test
def replay_not_known():
    """a recording which doesn't say what numbers mean: so, and what to do"""
    file = path("recording")
    run("record", "--seconds", "0.3", "--socket", path("nothing"), file,
        xen="busy").expect(0, "does not say", "not running")
    run("replay", file).expect(1, "--host", file)
    plans, numbers = replayed("--host", host_file(HOST), file, "--",
                              "--period", "50")
    check(plans and numbers["rows"] == len(dumped(file)), numbers)
    run("replay", "--source", LOAD, "--seconds", "1").expect(1, "--host")


@test
def replay_wrong_host():
    """a host which makes no sense is refused, with what is wrong"""
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
            (dict(HOST, domains=[{"domid": 1, "name": "x" * 100}]), "name"),
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
    """a recording cut anywhere: the plans before, and where it ends"""
    file = recorded_with_host(HOST, "0.4")
    with open(file, "rb") as f:
        content = f.read()
    settings = ("--", "--period", "20", "--settle", "0")
    whole = run("replay", "--json", file, *settings).expect(0).out
    whole = whole.splitlines()[:-1]
    check(len(whole) > 10, whole)
    told = 64 + 64 + len(json.dumps(HOST, separators=(",", ":")))
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


def result_of(function):
    """A line of TAP without its number, and what follows it."""
    promise = function.__doc__.splitlines()[0]
    try:
        skipped = function()
    except Failed as failure:
        lines = str(failure).splitlines()
        return "not ok", promise, ["# " + line for line in lines[:40]]
    except Exception as error:  # a test which is wrong has failed as well
        return "not ok", promise, ["# %s: %s" % (type(error).__name__, error)]
    return "ok", promise + (" # SKIP " + skipped if skipped else ""), []


def main():
    if not os.access(XENSCHED, os.X_OK):
        print("Bail out! there is no program '%s'; build it with 'make unit'"
              % XENSCHED)
        return 1
    print("1..%d" % len(TESTS))
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        results = pool.map(result_of, TESTS)
        for number, (result, promise, more) in enumerate(results, 1):
            print("%s %d - %s" % (result, number, promise), *more, sep="\n",
                  flush=True)
            failures += result != "ok"
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
