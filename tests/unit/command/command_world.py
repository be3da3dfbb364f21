# SPDX-License-Identifier: GPL-2.0-only
"""Common parts of the tests of xensched: a synthetic daemon, a fake hypervisor, a terminal, and
results as TAP.

XENSCHED is the program, built with sanitizers and with fake-xen.c in place of libxenctrl. The
daemon is a socket in this test that answers what a test chooses: the examples of
docs/internals/control-socket.md, so that the command demonstrably understands them, and wrong
answers of every kind.

The first line of a test's docstring is the behaviour that it checks, and its name in TAP. Tests
run at the same time, because most of them wait; those that need a CPU run after that, one by one.
"""

import concurrent.futures
import contextlib
import fcntl
import itertools
import json
import os
import pty
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

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.append(TOP + "/tests")
from tap import Tap  # noqa: E402  (tests/tap.py)

XENSCHED = os.environ.get("XENSCHED", TOP + "/build/unit/bin/xensched-test")
FOLDER = tempfile.mkdtemp(prefix="xensched-command-")
TESTS = []
ALONE = []
LOOKING = ("status", "matrix", "plan")
# Answers of a daemon that is older than the command.
REFUSED = {"ok": False, "error": "there is no such command"}
ASKING = LOOKING + ("restore", "act")


class Failed(Exception):
    """A check failed."""


def test(function):
    TESTS.append(function)
    return function


def alone(function):
    """Marks a test that is in time only if it has a CPU."""
    ALONE.append(function)
    return function


def check(condition, *what):
    if not condition:
        raise Failed("\n".join(str(w) for w in what))


def path(name):
    """A new name in the folder of this run."""
    return "%s/%s-%d" % (FOLDER, name, next(path.numbers))


path.numbers = iter(range(1 << 30))


class Ended:
    """The results of one run of the program."""

    def __init__(self, arguments, done):
        self.arguments = arguments
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr

    def expect(self, code, *words):
        """Fails unless the exit code is this, and the output or the errors have these words."""
        both = self.out + self.err
        about = (self.arguments, "exit code %d" % self.code, both[:2000])
        check("Sanitizer" not in both and "runtime error" not in both, *about)
        check(self.code == code, "expected exit code %d" % code, *about)
        for word in words:
            check(word in both, "expected '%s'" % word, *about)
        return self


def members(value):
    """Names of all members of JSON, at any depth."""
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from members(one)


def documented_members(command):
    """The names that json.md has in backticks about a command, and those that it refers to."""
    folder = TOP + "/docs/internals/"
    with open(folder + "json.md", encoding="utf-8") as f:
        text = re.search(r"^## %s\n(.*?)(?=^## |\Z)" % command, f.read(), re.M | re.S)[1]
    if "control-socket.md#plan" in text:
        with open(folder + "control-socket.md", encoding="utf-8") as f:
            text += re.sub(r'"(\w+)"', r"`\1`", f.read())
    return set(re.findall(r"`(\w+)`", text))


def check_members(command, value):
    """Each member is in snake_case, and documented; returns the value."""
    found = set(members(value))
    wrong = [name for name in found - documented_members(command)]
    wrong += [name for name in found if not re.fullmatch(r"[a-z][a-z0-9_]*", name)]
    check(found and not wrong, command, *wrong)
    return value


def run(*arguments, xen=None, text=True, **options):
    environment = {k: v for k, v in os.environ.items() if k != "FAKE_XEN"}
    if xen:
        environment["FAKE_XEN"] = xen
    environment.update(options.pop("env", {}))
    options.setdefault("stdout", subprocess.PIPE)
    done = subprocess.run([XENSCHED, *arguments], env=environment, timeout=60,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          check=False, **options)
    done.stdout = (done.stdout or b"").decode(errors="replace")
    done.stderr = done.stderr.decode(errors="replace")
    return Ended(arguments, done)


@contextlib.contextmanager
def start(*arguments, xen, **options):
    """The program in the background; it is killed at the end."""
    environment = dict(os.environ, FAKE_XEN=xen)
    process = subprocess.Popen([XENSCHED, *arguments], env=environment,
                               stdin=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def await_handler(process, number=signal.SIGINT):
    """Waits until the program catches this signal: before that, the signal would kill it."""
    while True:
        with open("/proc/%d/status" % process.pid, encoding="ascii") as status:
            caught = next(int(line.split()[1], 16) for line in status
                          if line.startswith("SigCgt:"))
        if caught >> (number - 1) & 1:
            return
        time.sleep(0.01)


def asks_for_the_lease(connection):
    """Answers a command's question for which domains it may turn events on: for none."""
    while b"\n" not in (line := connection.recv(4096, socket.MSG_PEEK)):
        if not line:
            return False
        time.sleep(0.001)
    if json.loads(line) != {"command": "lease"}:
        return False
    hear(connection)
    connection.sendall(b'{"ok": true, "result": {}}\n')
    return True


@contextlib.contextmanager
def daemon(talk):
    """A socket. talk(connection) is called with each client, and has ended when this returns.

    A client that asks for the lease gets its answer here, and talk() does not see the question.
    """
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
                if not asks_for_the_lease(connection):
                    talk(connection)

    server = threading.Thread(target=serve, daemon=True)
    server.start()
    try:
        yield where
    finally:
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        # A client may leave before it has read the answer.
        server.join(30)
        listener.close()
    check(not server.is_alive(), "the daemon still talks")


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
    """The responses of docs/internals/control-socket.md, by command."""
    found = {}
    with open(TOP + "/docs/internals/control-socket.md", encoding="utf-8") as file:
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
    """The program on a terminal of its own: its output, and keys."""

    def __init__(self, *arguments, rows=24, columns=100, env=None):
        self.screen = self.all = b""
        environment = {**os.environ, "TERM": "xterm", **(env or {})}
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
        """Waits until all of these words have been written since the last call."""
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
    """Answers each question by its command: None is no answer, and a function computes the
    answer from the request.
    """
    def talk(connection):
        request = json.loads(hear(connection))
        reply = answers.get(request["command"], REFUSED)
        if callable(reply):
            reply = reply(request)
        if reply is not None:
            connection.sendall(json.dumps(reply).encode() + b"\n")
    return talk


def result_of(function):
    """The behaviour, whether the check passed, why it was skipped or failed."""
    promise = function.__doc__.splitlines()[0]
    try:
        return promise, True, function()
    except Failed as failure:
        return promise, False, failure
    except Exception as error:  # a faulty test fails as well
        return promise, False, "%s: %s" % (type(error).__name__, error)


def main():
    """Runs all tests of test() and alone(), and returns the exit code."""
    if not os.access(XENSCHED, os.X_OK):
        print("Bail out! there is no program '%s'; build it with 'make unit'"
              % XENSCHED)
        return 1
    tap = Tap()
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        results = itertools.chain(pool.map(result_of, TESTS),
                                  map(result_of, ALONE))
        for promise, good, why in results:
            if good and why:
                tap.skip(promise, why)
            else:
                tap.check(good, promise, why)
    shutil.rmtree(FOLDER, ignore_errors=True)
    return tap.finish()
