#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""xensched runs: each run of a plan is done once, whatever ends the program in between; guests'
affinities are restored; and the verdicts follow from the figures.

The workloads are shell commands of this machine. Guests are lines of a file (file-host.c), which
outlive a program that is killed.
"""

import collections
import contextlib
import csv
import io
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import time
import xml.etree.ElementTree as ElementTree
import zlib

from command_world import (
    TOP, XENSCHED, alone, check, check_members, main, path, run, test)
from recording_made import paged_requests, slow_request

PLAN = """repetitions = %d
workload.work.run = "%s"
configuration.a.log = "dry"
configuration.b.log = "dry"
"""
GUESTS = """Domain-0 0 0 0-1 all
Domain-0 0 1 0-1 all
web1 1 0 all 0-1
web1 1 1 all 0-1
db 2 0 2-3 all
"""
PLACED = """repetitions = 1
workload.work.run = "cat $FAKE_HOST"
configuration.near.place = [ "web1=0-1", "db=0" ]
configuration.far.place = "web1=2-3"
"""


class Bench:
    """A folder with a database, a plan and, if requested, guests."""

    def __init__(self, plan=None, guests=None, xen=None):
        self.folder = path("bench")
        os.mkdir(self.folder)
        self.db = self.folder + "/db"
        self.guests = self.folder + "/guests"
        self.xen = xen
        self.plan(plan or PLAN % (2, "true"))
        if guests:
            with open(self.guests, "w", encoding="utf-8") as f:
                f.write(guests)

    def plan(self, text):
        with open(self.folder + "/plan", "w", encoding="utf-8") as f:
            f.write(text)

    def environment(self, more=None):
        env = {k: v for k, v in os.environ.items() if "FAKE" not in k}
        if os.path.exists(self.guests):
            env["FAKE_HOST"] = self.guests
        if self.xen:
            env["FAKE_XEN"] = self.xen
        env.update(more or {})
        return env

    def arguments(self, *arguments):
        return [XENSCHED, "runs", "--database", self.db, *arguments]

    def runs(self, *arguments, **more):
        """Like run(), in the folder."""
        done = subprocess.run(self.arguments(*arguments), cwd=self.folder,
                              env=self.environment(more), timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              stdin=subprocess.DEVNULL, check=False)
        return Result(arguments, done)

    def do(self, *arguments, **more):
        return self.runs("do", "plan", *arguments, **more)

    @contextlib.contextmanager
    def doing(self, *arguments, **more):
        process = subprocess.Popen(
            self.arguments("do", "plan", *arguments), cwd=self.folder,
            env=self.environment(more), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def sql(self, text, *values):
        with contextlib.closing(sqlite3.connect(self.db)) as db, db:
            return db.execute(text, values).fetchall()

    def has(self, name):
        return os.path.exists(os.path.join(self.folder, name))

    def lines(self, name):
        try:
            with open(os.path.join(self.folder, name), encoding="utf-8") as f:
                return f.read().splitlines()
        except FileNotFoundError:
            return []

    def until(self, condition, *what):
        end = time.monotonic() + 30
        while not condition():
            check(time.monotonic() < end, "it never came", *what)
            time.sleep(0.005)


class Result:
    def __init__(self, arguments, done):
        self.arguments, self.code = arguments, done.returncode
        self.out = done.stdout.decode(errors="replace")
        self.err = done.stderr.decode(errors="replace")

    def expect(self, code, *words):
        both = self.out + self.err
        about = (self.arguments, "exit code %d" % self.code, both[:3000])
        check("Sanitizer" not in both and "runtime error" not in both, *about)
        check(self.code == code, "expected exit code %d" % code, *about)
        for word in words:
            check(word in both, "expected '%s'" % word, *about)
        return self


# Plans


@test
def plan_mistakes():
    """each mistake in a plan is reported with its line, and no database is made"""
    good = "repetitions = 1\nworkload.w.run = \"true\"\n"
    for text, *words in (
            (good + "configuration.a.place = \"web1\"\n", ":3:", "GUEST=PCPUS"),
            (good + "configuration.a.place = [ \"w=1\", \"w=2\" ]\n", ":3:",
             "placed twice"),
            (good + "configuration.a.place = \"w=x\"\n", ":3:", "w=x"),
            (good + "configuration.a.log = \"nothing\"\n", ":3:", "nothing"),
            (good + "configuration.a.pin = \"x\"\n", ":3:", "'pin'"),
            ("\n\nworkload.w.run = \"\"\n", ":3:", "empty"),
            ("workload.w.walk = \"x\"\n", ":1:", "'walk'"),
            ("workloads.w.run = \"x\"\n", ":1:", "workload.NAME.WHAT"),
            ("workload.w = \"x\"\n", ":1:", "workload.NAME.WHAT"),
            ("repetitions = 0\n", ":1:", "1 to 10000"),
            ("warmup = \"x\"\n", ":1:", "0 to 10000"),
            ("repetitions = 1\nrepetitions = 2\n", ":1:", "again"),
            ("repetitions = [\n", "plan"),
            (good, "no configuration"),
            ("repetitions = 1\nconfiguration.a.log = \"dry\"\n", "no workload"),
            ("workload.w.run = \"x\"\nconfiguration.a.log = \"dry\"\n",
             "repetitions"),
            ("repetitions = 1\nworkload.w.prepare = \"x\"\n"
             "configuration.a.log = \"dry\"\n", "workload.w.run")):
        bench = Bench(text)
        bench.do().expect(1, *words)
        check(not bench.has("db"), text)
    Bench().runs("do", "no-plan").expect(1, "no-plan", "No such file")


@test
def wrong_use():
    """an unknown action, too few or too many arguments, or a wrong option is wrong use"""
    for words in ([], ["dance"], ["do"], ["do", "a", "b"], ["show"],
                  ["compare", "a"], ["list", "1", "2"],
                  ["list", "--all"], ["stat", "--csv"],
                  ["export", "--csv", "--markdown"]):
        run("runs", *words).expect(2, "Try 'xensched runs --help'")


# Order and outcome


@test
def each_once():
    """each workload runs once in each configuration in each repetition"""
    bench = Bench("repetitions = 5\nwarmup = 2\n" + "".join(
        "workload.%s.run = \"echo %s >> done\"\n" % (w, w) for w in "uvw") +
        "".join("configuration.%s.prepare = \"echo %s >> done\"\n" % (c, c)
                for c in ("c", "d")))
    bench.do().expect(0, "42 runs are done")
    rows = bench.sql("SELECT workload, configuration, repetition, id FROM run "
                     "ORDER BY id")
    check(sorted(r[:3] for r in rows) == sorted(
        (w, c, r) for w in "uvw" for c in "cd" for r in range(-1, 6)), rows)
    check([r[2] for r in rows] == sorted(r[2] for r in rows), "interleaved", rows)
    done = bench.lines("done")
    check(done == [word for row in rows for word in (row[1], row[0])], done)
    blocks = collections.defaultdict(list)
    for row in rows:
        blocks[row[2]].append(row[:2])
    check(len({tuple(b) for b in blocks.values()}) > 1, "not shuffled", blocks)


@test
def seed_gives_order():
    """the order follows from the stored seed"""
    orders = collections.defaultdict(set)
    for _ in range(3):
        bench = Bench("repetitions = 3\nworkload.w.run = \"true\"\n" + "".join(
            "configuration.c%d.log = \"dry\"\n" % i for i in range(6)))
        bench.do().expect(0)
        seed = bench.sql("SELECT seed FROM experiment")[0][0]
        orders[seed].add(tuple(r[0] for r in bench.sql(
            "SELECT configuration FROM run ORDER BY id")))
    check(len(orders) == 3 and all(len(o) == 1 for o in orders.values()), orders)
    check(len(set.union(*orders.values())) == 3, "one order for all seeds")


@test
def figures():
    """the database has each run's time, exit status, values and output"""
    bench = Bench("""repetitions = 2
workload.good.run = [ "echo value rate 12.5 MB/s", "echo value count 3",
                      "echo value rate 13e1 MB/s", "echo 'value x y z'",
                      "echo value a 1 b c", "echo a value q 1", "sleep 0.3" ]
workload.bad.run = "echo oh no; exit 3"
configuration.c.log = "dry"
""")
    bench.do().expect(1, "failed", "ended with 3", "oh no", "2 of them failed")
    values = bench.sql("SELECT repetition, name, value, unit FROM value JOIN run "
                       "ON run = id ORDER BY repetition, name")
    check(values == [(r, n, v, u) for r in (1, 2) for n, v, u in
                     (("count", 3, ""), ("rate", 130, "MB/s"))], values)
    for wall, status, output, repetition in bench.sql(
            "SELECT wall_ns, exit_status, output, repetition FROM run WHERE "
            "workload = 'good'"):
        check(0.3e9 <= wall < 3e9 and status == 0, wall, status)
        check((output is not None) == (repetition == 1), repetition, output)
    rows = bench.sql("SELECT state, exit_status, failure, output FROM run WHERE "
                     "workload = 'bad'")
    check([r[:2] for r in rows] == [("failed", 3)] * 2 and
          all("oh no" in r[2] and "oh no" in r[3] for r in rows), rows)
    bench.runs("stat").expect(0, "bad, c: 2 of 2 runs failed")
    bench = Bench(PLAN % (3, "echo out"))
    bench.do("--all").expect(0)
    check(bench.sql("SELECT count(output) FROM run")[0][0] == 6)


@test
def around_the_workload():
    """cleanups run after a failure; the workload does not run after a failed prepare"""
    bench = Bench("""repetitions = 1
workload.w.prepare = "echo wp >> said; test ! -e bad-w"
workload.w.run = "echo run >> said; test ! -e bad-r"
workload.w.cleanup = "echo wc >> said"
configuration.c.prepare = "echo cp >> said; test ! -e bad-c"
configuration.c.cleanup = "echo cc >> said"
""")
    for bad, wanted in (("none", "cp wp run wc cc"), ("bad-r", "cp wp run wc cc"),
                        ("bad-w", "cp wp wc cc"), ("bad-c", "cp cc")):
        open(bench.folder + "/" + bad, "w", encoding="utf-8").close()
        bench.do().expect(0 if bad == "none" else 1)
        check(" ".join(bench.lines("said")) == wanted, bad, bench.lines("said"))
        os.unlink(bench.folder + "/said")
        os.unlink(bench.folder + "/" + bad)


@test
def named():
    """the environment of each command identifies its run"""
    say = ("echo %s $XENSCHED_RUN $XENSCHED_WORKLOAD $XENSCHED_CONFIGURATION "
           "$XENSCHED_REPETITION >> said")
    bench = Bench("repetitions = 2\nwarmup = 1\n" + "".join(
        "workload.%s.run = \"%s\"\n" % (w, say % "run") for w in "uv") + "".join(
            "configuration.%s.%s = \"%s\"\n" % (c, what, say % what)
            for c in "cd" for what in ("prepare", "cleanup")))
    bench.do().expect(0)
    rows = bench.sql("SELECT id, workload, configuration, repetition FROM run "
                     "ORDER BY id")
    check(len(rows) == 12 and bench.lines("said") == [
        "%s %d %s %s %d" % (what, *row) for row in rows
        for what in ("prepare", "run", "cleanup")], bench.lines("said"))


@test
def waits():
    """while a workload runs, the program itself does not run at all"""
    bench = Bench("repetitions = 1\nconfiguration.c.log = \"dry\"\n"
                  "workload.w.run = \"echo >> begun; sleep 30\"\n")

    def ran(process):
        with open("/proc/%d/status" % process.pid, encoding="ascii") as file:
            return re.findall(r"ctxt_switches:\s*(\d+)", file.read())

    with bench.doing() as process:
        bench.until(lambda: bench.has("begun"))
        time.sleep(0.5)
        before = ran(process)
        time.sleep(1.5)
        check(ran(process) == before, before, ran(process))
        process.send_signal(signal.SIGINT)
        check(process.wait(30) == 1, "Ctrl-C did not end it")


@test
def much_output():
    """a workload with endless output neither waits nor fills the memory"""
    bench = Bench("repetitions = 1\nconfiguration.c.log = \"dry\"\n"
                  "workload.w.run = \"head -c 20000000 /dev/zero | tr '\\\\0' x;"
                  " echo; echo value late 1\"\n")
    bench.do().expect(0)
    check(bench.sql("SELECT length(output) FROM run")[0][0] <= (1 << 20) + 100)


@test
def values_anywhere():
    """a figure counts anywhere in the output; the database keeps the output's end"""
    bench = Bench("repetitions = 2\nconfiguration.c.log = \"dry\"\n"
                  "workload.w.run = [ \"echo value early 1 s\", \"head -c 3000000 "
                  "/dev/zero | tr '\\\\0' x\", \"echo; echo value late 2 s\", "
                  "\"printf 'value unended 3 s'\" ]\n")
    bench.do().expect(0)
    check(bench.sql("SELECT name, value, unit FROM value WHERE run = 1 ORDER BY "
                    "name") == [("early", 1, "s"), ("late", 2, "s"),
                                ("unended", 3, "s")])
    output = bench.sql("SELECT output FROM run WHERE repetition = 1")[0][0]
    check(output.startswith("(19") and "bytes before this are not kept" in output
          and output.endswith("value late 2 s\nvalue unended 3 s"), output[:200])
    bench.plan("repetitions = 1\nconfiguration.c.log = \"dry\"\nworkload.w.run = "
               "[ \"head -c 3000000 /dev/zero | tr '\\\\0' x\", \"echo why; exit 3\" "
               "]\n")
    bench.do().expect(1, "ended with 3", "why")


@test
def every_status_counts():
    """a run fails if any line, or any command of a pipeline, fails; a cleanup continues"""
    for lines in ("no-such-command | cat", "no-such-command; echo value x 1",
                  "false | true | true; true", "echo value x 1\", \"exit 3 | cat",
                  "no-such-command\", \"echo value x 1",
                  "cat < /nowhere |\", \"awk '{ print \\\"value x\\\", $1 }'"):
        bench = Bench("repetitions = 1\nconfiguration.c.log = \"dry\"\n"
                      "workload.w.run = [ \"%s\" ]\n" % lines)
        bench.do().expect(1, "1 of them failed")
        check(bench.sql("SELECT state FROM run") == [("failed",)], lines)
    bench = Bench("repetitions = 1\nconfiguration.c.prepare = [ \"false\", \"true\" ]\n"
                  "workload.w.run = \"echo >> begun\"\n")
    bench.do().expect(1, "the configuration's prepare ended with 1")
    check(not bench.has("begun"), "it was done all the same")
    bench = Bench("repetitions = 1\nconfiguration.c.log = \"dry\"\n"
                  "workload.w.run = \"if false | true; then :; fi; false || true; ! "
                  "false; echo well\"\n"
                  "workload.w.cleanup = [ \"false\", \"echo >> cleaned\" ]\n")
    bench.do().expect(0)
    check(bench.has("cleaned"), "the cleanup stopped at its first line")


@test
def example_of_documents():
    """the first example of docs/measure/experiments.md fails if its guest does not exist"""
    with open(TOP + "/docs/measure/experiments.md", encoding="utf-8") as file:
        text = re.search(r"# cat plan\n(.*?)    # xensched", file.read(), re.S)[1]
    text = re.sub(r"configuration\.(\w+)\.place.*", r'configuration.\1.log = "dry"', text)
    text = re.sub("^    ", "", text, flags=re.M)
    bench = Bench(text.replace("ssh", "no-such-ssh"))
    bench.do().expect(1, "22 of them failed")


@test
def figures_refused():
    """a percentage is a figure; a text that is almost a number is reported, with its run"""
    bench = Bench("""repetitions = 3
workload.w.run = [ "echo value load 12%", "echo value rate 1.5GB/s",
                   "echo value busy 99 %", "echo value bad 1,234.5 /s",
                   "echo value x y z", "echo value of all 3" ]
workload.n.run = "echo value ratio -nan"
workload.v.run = "echo value a 1 234 /s"
workload.u.run = "echo value a 1"
configuration.c.log = "dry"
""")
    bench.do().expect(0, "'value bad 1,234.5 /s' is no figure", "'value ratio -nan'")
    check(bench.sql("SELECT DISTINCT name, value, unit FROM value JOIN run ON id = run "
                    "WHERE workload = 'w' ORDER BY name") ==
          [("busy", 99, "%"), ("load", 12, "%"), ("rate", 1.5, "GB/s")])
    for action in (["stat"], ["compare", "c", "c"], ["report", path("page")]):
        out = bench.runs(*action).expect(0).out
        if action[0] == "report":
            out = open(action[1], encoding="utf-8").read()
        check("w, c: 3 of 3 runs printed a figure that was refused" in out and
              "1,234.5" in out and "-nan" in out and "1 234" in out, action, out)
        check("! u" not in out, out)


@test
def figures_missing():
    """a run that lacks a figure of the others is marked"""
    bench = Bench("repetitions = 8\nconfiguration.a.log = \"dry\"\n"
                  "configuration.b.log = \"dry\"\nworkload.w.run = [ \"if [ "
                  "$XENSCHED_CONFIGURATION = a ] || [ $XENSCHED_REPETITION -gt 2 ]\", "
                  "\"then echo value rate 1; fi\" ]\nworkload.v.run = \"true\"\n")
    bench.do().expect(0)
    bench.sql("UPDATE run SET wall_ns = 1e9")
    first = bench.sql("SELECT min(id) FROM run WHERE workload = 'w' AND configuration "
                      "= 'b' AND repetition <= 2")[0][0]
    said = "w, b: 2 of 8 runs lack the figure 'rate', which others of this workload " \
        "have (run %d)" % first
    for action in (["stat"], ["compare", "a", "b"], ["report", path("page")]):
        out = bench.runs(*action).expect(0).out
        if action[0] == "report":
            out = open(action[1], encoding="utf-8").read().replace("&#39;", "'")
        check(said in out and out.count("lack the figure") == 1, action, out)


@test
def units_of_one_figure():
    """units that differ by a prefix are converted; others are reported, and judged apart"""
    plan = "repetitions = 8\nconfiguration.a.log = \"dry\"\nconfiguration.b.log = \"dry\"\n" \
        "workload.w.run = \"if [ $XENSCHED_CONFIGURATION = a ]; then echo value bw %s; " \
        "else echo value bw %s; fi\"\n"
    for a, b, said in (("1.2 GB/s", "900 MB/s", "a: 1.200 GB/s, b: 0.9000 GB/s"),
                       ("1 MiB", "512 KiB", "(a: 1024 KiB, b: 512.0 KiB)"),
                       ("1 ms", "1500 us", "(a: 1.000 ms, b: 1.500 ms)"),
                       ("2 kreq/s", "1000 req/s", "(a: 2.000 kreq/s, b: 1.000 kreq/s)"),
                       ("2 s", "3000 \u00b5s", "(a: 2.000 s, b: 0.003000 s)")):
        bench = Bench(plan % (a, b))
        bench.do().expect(0)
        bench.sql("UPDATE run SET wall_ns = 1e9")
        out = bench.runs("compare", "a", "b").expect(0, said).out
        check("cannot be converted" not in out, out)
        check(len(re.findall(r"^w  *bw ", bench.runs("stat").out, re.M)) == 2, out)
    bench = Bench(plan % ("1.2 GB/s", "900 req/s"))
    bench.do().expect(0)
    page = path("page")
    bench.runs("report", page).expect(0)
    page = open(page, encoding="utf-8").read()
    check(page.count("<svg") == 3, "two units on one axis", page)
    for out in (page, bench.runs("stat").out, bench.runs("compare", "a", "b").out):
        check("w, bw: the units 'GB/s' and 'req/s' cannot be converted" in out, out)


PROC_STAT = """cpu 0 0 0 0 0 0 0 %d 0 0
cpu0 0 0 0 0 0 0 0 0 0 0
cpu1 0 0 0 0 0 0 0 0 0 0
cpu2 0 0 0 0 0 0 0 0 0 0
cpu3 0 0 0 0 0 0 0 0 0 0
intr 0
"""


def stolen(seconds, before, after):
    """What stat prints about steal time, for a run of this length."""
    bench = Bench(PLAN % (1, "cat after > proc-stat; sleep %s" % seconds))
    for name, ticks in ("proc-stat", before), ("after", after):
        with open(bench.folder + "/" + name, "w", encoding="ascii") as file:
            file.write(PROC_STAT % ticks)
    bench.do().expect(0)
    return re.findall(r"\(steal\).* up to (\S+) %", bench.runs("stat").expect(0).out)


@test
def steal():
    """steal time is a share of all CPUs' time, and a tick at the run's begin is left out"""
    # Four CPUs; 100 ticks are 1 s.
    said = stolen(1, 1000, 1000 + 300)
    check(len(said) == 1 and 5 < float(said[0]) < 76, said)
    check(not stolen(0.1, 1000, 1001), "one tick is no steal")
    check(stolen(0.1, 1000, 1010), "ten ticks of forty are")


@test
def left_in_the_background():
    """runs does not wait for a process that a prepare left running"""
    bench = Bench("repetitions = 1\nworkload.w.prepare = \"sleep 60 &\"\n"
                  "workload.w.run = \"true\"\nconfiguration.c.log = \"dry\"\n")
    begin = time.monotonic()
    bench.do().expect(0)
    check(time.monotonic() - begin < 30)


# Ends of the program


@test
def killed_anywhere():
    """after kill -9 at any time each run is there once, and at most one is repeated"""
    rng = random.Random(3)
    bench = Bench("repetitions = 30\nworkload.w.run = \"echo >> done; sleep 0.02\""
                  "\nconfiguration.a.log = \"dry\"\nconfiguration.b.log = \"dry\"\n")
    for kills in range(12):
        with bench.doing() as process:
            bench.until(lambda: bench.has("db"))
            time.sleep(rng.random() * 0.4)
            process.kill()
            process.wait()
        with contextlib.suppress(sqlite3.OperationalError):
            if bench.sql("SELECT total(state = 'done') FROM run") > [(30,)]:
                break
    kills += 1
    check(kills > 1, "it was never killed")
    bench.do().expect(0)
    rows = bench.sql("SELECT workload, configuration, repetition, state, attempts "
                     "FROM run")
    check(len({r[:3] for r in rows}) == len(rows) == 60, rows)
    check(all(r[3] == "done" for r in rows), rows)
    attempts = sum(r[4] for r in rows)
    check(60 <= attempts <= 60 + kills, attempts, kills)
    check(len(bench.lines("done")) <= attempts, "a run was done twice")
    check(bench.sql("SELECT count(*) FROM experiment") == [(1,)])
    check(bench.sql("PRAGMA integrity_check") == [("ok",)])


@test
def what_is_left_of_it():
    """the remains of a killed program do not block the next one"""
    bench = Bench(PLAN % (1, "echo >> begun; sleep 60"))
    with bench.doing() as process:
        bench.until(lambda: bench.lines("begun"))
        keeper = int(subprocess.check_output(["pgrep", "-P", str(process.pid)]))
        os.kill(keeper, signal.SIGSTOP)
        try:
            process.kill()
            process.wait()
            bench.plan(PLAN % (1, "true"))
            bench.do().expect(0)
        finally:
            os.kill(keeper, signal.SIGCONT)


@test
def repeated_is_said():
    """a run that had begun is repeated, with a note"""
    bench = Bench(PLAN % (1, "echo >> begun; sleep 60"))
    with bench.doing() as process:
        bench.until(lambda: bench.lines("begun"))
        process.kill()
        process.wait()
    bench.plan(PLAN % (1, "echo >> begun; sleep 60"))
    with bench.doing() as process:
        bench.until(lambda: len(bench.lines("begun")) == 2)
        process.send_signal(signal.SIGINT)
        out = process.communicate(timeout=30)[1].decode()
    check("continues: 0 of its 2 runs are done" in out and
          "had begun, and is repeated" in out, out)


@test
def workload_is_killed_too():
    """when the program dies, its workload dies, and all processes of that"""
    bench = Bench(PLAN % (1, "sleep 987 & echo $! > pid; wait"))
    with bench.doing() as process:
        bench.until(lambda: bench.lines("pid"))
        process.kill()
        process.wait()
    pid = bench.lines("pid")[0]
    bench.until(lambda: not os.path.exists("/proc/%s/cmdline" % pid) or
                not open("/proc/%s/cmdline" % pid, "rb").read(), pid)


@test
def interrupted_anywhere():
    """Ctrl-C at each step: cleanups run, and the plan continues at that step"""
    text = """repetitions = 1
workload.w.prepare = "echo >> wp; sleep 0.2"
workload.w.run = "echo >> run; sleep 0.2"
workload.w.cleanup = "echo >> wc; sleep 0.2"
configuration.c.prepare = "echo >> cp; sleep 0.2"
configuration.c.cleanup = "echo >> cc; sleep 0.2"
configuration.d.log = "dry"
"""
    for step in ("cp", "wp", "run", "wc", "cc"):
        bench = Bench(text)
        with bench.doing() as process:
            bench.until(lambda: bench.lines(step), step)
            process.send_signal(signal.SIGINT)
            out = process.communicate(timeout=30)[1].decode()
            check(process.returncode == 1 and "the same command continues" in out,
                  step, process.returncode, out)
        check(len(bench.lines("cc")) == len(bench.lines("cp")), step)
        check(len(bench.lines("wc")) == len(bench.lines("wp")), step)
        check(bench.sql("SELECT count(*) FROM run WHERE configuration = 'c' AND "
                        "state = 'done'") == [(0,)], "a half run counts", step)
        bench.do().expect(0, "continues", "2 runs are done, 0 of them failed")


@test
def second_interrupt():
    """a second Ctrl-C ends a cleanup that hangs"""
    bench = Bench("repetitions = 1\nworkload.w.run = \"true\"\n"
                  "workload.w.cleanup = \"echo >> wc; sleep 60\"\n"
                  "configuration.c.log = \"dry\"\n")
    with bench.doing() as process:
        bench.until(lambda: bench.lines("wc"))
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
        process.communicate(timeout=30)
        check(process.returncode == 1, process.returncode)


@test
def another_plan():
    """a finished plan runs again; a changed plan does not continue the first one"""
    bench = Bench()
    bench.do().expect(0, "experiment 1: 4 runs")
    bench.do().expect(0, "experiment 2: 4 runs")
    bench.plan(PLAN % (1, "true"))
    bench.do().expect(0, "experiment 3: 2 runs")
    bench.runs("list").expect(0, "a,b")
    bench.runs("list", "3").expect(0, "10")
    bench.runs("list", "4").expect(1, "no experiment 4")


@test
def one_at_a_time():
    """two programs do not run workloads at the same time"""
    bench = Bench(PLAN % (1, "echo >> begun; sleep 60"))
    with bench.doing() as process:
        bench.until(lambda: bench.lines("begun"))
        bench.do().expect(1, "another 'xensched runs do' is running (process %d)" %
                          process.pid)


# The database


@test
def database_damaged():
    """a damaged database, or another file, is reported and left unchanged"""
    bench = Bench(PLAN % (30, "head -c 3000 /dev/urandom | od"))
    bench.do("--all").expect(0)
    with open(bench.db, "rb") as f:
        whole = f.read()
    for length in (100, 4096, len(whole) // 2, len(whole) - 4096):
        with open(bench.db, "wb") as f:
            f.write(whole[:length])
        for action in ("list", "stat"):
            bench.runs(action).expect(1, bench.db, "damaged")
        bench.do().expect(1, "damaged")
        check(os.stat(bench.db).st_size == length, "it was changed")
    for content in (b"hello", b"x" * 10000):
        with open(bench.db, "wb") as f:
            f.write(content)
        bench.do().expect(1, "no database of runs")
        check(open(bench.db, "rb").read() == content, "it was changed")
    os.unlink(bench.db)
    with contextlib.closing(sqlite3.connect(bench.db)) as db:
        db.execute("CREATE TABLE theirs(x)")
    bench.do().expect(1, "no database of runs")
    os.unlink(bench.db)
    bench.runs("list").expect(1, "No such file", "runs do PLAN")


@test
def database_damaged_within():
    """a page that was overwritten is found before anything is measured"""
    bench = Bench(PLAN % (30, "head -c 3000 /dev/urandom | od; echo >> done"))
    bench.do("--all").expect(0)
    size = os.stat(bench.db).st_size
    with open(bench.db, "r+b") as f:
        f.seek(size // 4096 // 2 * 4096)
        f.write(b"\xff" * 4096)
    os.unlink(bench.folder + "/done")
    bench.do().expect(1, bench.db, "damaged")
    check(not bench.has("done"), "it was measured all the same")


@test
def whole_or_not_at_all():
    """if the end of a run cannot be written, the database has nothing of the run"""
    bench = Bench()
    bench.do().expect(0)
    bench.sql("CREATE TRIGGER no BEFORE INSERT ON value WHEN new.name = 'b' "
              "BEGIN SELECT RAISE(ABORT, 'not this one'); END")
    bench.plan(PLAN % (1, "echo value a 1; echo value b 2"))
    bench.do().expect(1, "not this one")
    check(bench.sql("SELECT state, wall_ns FROM run WHERE experiment = 2 ORDER BY "
                    "id") == [("begun", None), ("planned", None)])
    check(bench.sql("SELECT count(*) FROM value") == [(0,)])
    bench.sql("DROP TRIGGER no")
    bench.do().expect(0, "is repeated", "2 runs are done, 0 of them failed")
    check(bench.sql("SELECT count(*) FROM value") == [(4,)])


@test
def database_later():
    """a database of a later version stays unchanged"""
    bench = Bench()
    bench.do().expect(0)
    bench.sql("PRAGMA user_version = 2")
    for arguments in (["list"], ["do", "plan"]):
        bench.runs(*arguments).expect(1, "later xensched", "version 2")
    check(bench.sql("SELECT count(*) FROM experiment") == [(1,)])


@test
def database_read_only():
    """a read-only database is read, together with its journal or with an error"""
    bench = Bench(PLAN % (2, "true"))
    bench.do().expect(0)
    with contextlib.closing(sqlite3.connect(bench.db)) as db:
        db.execute("UPDATE run SET failure = NULL")
        db.commit()
        for name in os.listdir(bench.folder):
            check(name in ("db", "db-wal", "db-shm", "plan", "runs.lock", "state"), name)
        for source, names in (("whole", ("db",)), ("journal", ("db", "db-wal"))):
            os.mkdir(bench.folder + "/" + source)
            if source == "whole":
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            else:
                db.execute("UPDATE run SET state = 'failed'")
                db.commit()
            for name in names:
                shutil.copy(bench.folder + "/" + name, bench.folder + "/" + source)
    script = "for where in whole journal; do mount --bind $where $where; mount -o " \
        "remount,bind,ro $where; for what in list stat export 'show 1' 'compare a b'; do " \
        "echo \"$where $what\"; '%s' runs --database $where/db $what 2>&1; echo \"code $?\"; " \
        "done; done" % XENSCHED
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], check=False,
                          cwd=bench.folder, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=bench.environment())
    said = done.stdout.decode()
    if "code" not in said or b"mount" in done.stderr:
        return "no name space of its own here: %s" % done.stderr.decode().strip()
    whole, journal = said.split("journal list")
    check(whole.count("code 0") == 5 and "wall time" in whole, said)
    check(journal.count("code 1") == 5 and journal.count("'journal/db-wal' has to be "
                                                         "merged") == 5, said)
    return None


@test
def database_locked():
    """another process that writes is reported, and nothing is lost"""
    bench = Bench(PLAN % (3, "echo >> begun; while test ! -e go; do sleep 0.05; "
                          "done"))
    with bench.doing() as process:
        bench.until(lambda: bench.lines("begun"))
        with contextlib.closing(sqlite3.connect(bench.db)) as db:
            db.execute("BEGIN IMMEDIATE")
            open(bench.folder + "/go", "w", encoding="utf-8").close()
            out = process.communicate(timeout=60)[1].decode()
            check(process.returncode == 1 and "another process is writing" in out,
                  out)
            db.execute("ROLLBACK")
    bench.do().expect(0, "0 of its 6 runs are done", "is repeated", "6 runs")


@test
def disk_full():
    """a full disk is reported; finished runs are kept, and runs continues after them"""
    bench = Bench(PLAN % (40, "head -c 6000 /dev/urandom | od"))
    script = "mount -t tmpfs -o size=300k none \"$PWD\" && cd \"$PWD\" && cp ../plan-text plan && " \
        "{ '%s' runs --database db do plan --all 2> ../said; echo $? > ../code; " \
        "cp db* ../; }" % XENSCHED
    os.mkdir(bench.folder + "/small")
    os.rename(bench.folder + "/plan", bench.folder + "/plan-text")
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], check=False,
                          cwd=bench.folder + "/small", stderr=subprocess.PIPE,
                          env=bench.environment())
    if not bench.has("code"):
        return "no name space of its own here: %s" % done.stderr.decode().strip()
    said = "\n".join(bench.lines("said"))
    check(bench.lines("code") == ["1"] and "the disk is full" in said, said)
    finished = bench.sql("SELECT count(*) FROM run WHERE state = 'done'")[0][0]
    check(0 < finished < 80, finished, said)
    check(bench.sql("SELECT count(*) FROM run WHERE state = 'begun'")[0][0] <= 1)
    os.rename(bench.folder + "/plan-text", bench.folder + "/plan")
    bench.do().expect(0, "continues: %d of its 80" % finished,
                      "80 runs are done, 0 of them failed")
    return None


# Guests


def affinities(bench):
    return bench.lines("guests")


@test
def placed_and_back():
    """guests have the affinity of the configuration, and then their original one"""
    bench = Bench(PLACED, GUESTS)
    bench.do("--all").expect(0)
    output = dict(bench.sql("SELECT configuration, output FROM run"))
    for line in ("web1 1 0 0-1 0-1", "web1 1 1 0-1 0-1", "db 2 0 0 0",
                 "Domain-0 0 0 0-1 all"):
        check(line in output["near"], line, output["near"])
    for line in ("web1 1 0 2-3 2-3", "web1 1 1 2-3 2-3", "db 2 0 2-3 all"):
        check(line in output["far"], line, output["far"])
    check(affinities(bench) == GUESTS.splitlines(), affinities(bench))
    check(not bench.has("state/runs.state"), "the state file is left")
    check("domain web1 of 2 vCPUs" in bench.sql("SELECT host FROM session")[0][0])


@test
def not_there():
    """a plan with a guest or pCPU that does not exist changes nothing, and runs nothing"""
    for place, *words in (("web9=0", "no guest 'web9'"), ("web1=4", "pCPUs 4")):
        bench = Bench(PLACED.replace("web1=2-3", place), GUESTS)
        bench.do().expect(1, "configuration 'far'", *words)
        check(affinities(bench) == GUESTS.splitlines(), affinities(bench))
        check(bench.sql("SELECT count(*) FROM run") == [(0,)])
    Bench(PLACED).do().expect(1, "privcmd")


@test
def guest_goes():
    """a guest that dies makes its own runs fail, not others"""
    bench = Bench("repetitions = 1\nworkload.w.run = \"sed -i /db/d $FAKE_HOST\"\n"
                  "configuration.near.place = \"db=0\"\n"
                  "configuration.far.place = \"db=1\"\n"
                  "configuration.not.log = \"dry\"\n", GUESTS)
    bench.do().expect(1, "no guest 'db'")
    states = dict(bench.sql("SELECT configuration, state FROM run"))
    check(states["not"] == "done", states)
    check("db" not in "".join(affinities(bench)))


@test
def killed_while_placing():
    """kill -9 at each step of a placement: the next start restores all affinities"""
    steps = 0
    while True:
        bench = Bench(PLACED, GUESTS)
        steps += 1
        code = bench.do(FAKE_HOST_KILL=str(steps)).code
        if code == 0:
            break
        check(code == -signal.SIGKILL, steps, code)
        moved = affinities(bench) != GUESTS.splitlines()
        bench.plan(PLAN % (1, "cat $FAKE_HOST"))
        result = bench.do().expect(0)
        check("original affinity back" in result.err or not moved, result.err)
        output = bench.sql("SELECT output FROM run WHERE experiment = 2")[0][0]
        check(output.splitlines() == GUESTS.splitlines(), steps,
              output)
    check(steps > 8, steps)


@test
def interrupted_while_placed():
    """after Ctrl-C guests have their original affinity"""
    bench = Bench(PLACED.replace("cat $FAKE_HOST", "echo >> begun; sleep 60"),
                  GUESTS)
    with bench.doing() as process:
        bench.until(lambda: bench.lines("begun"))
        check(affinities(bench) != GUESTS.splitlines())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    check(affinities(bench) == GUESTS.splitlines(), affinities(bench))


@test
def operator_wins():
    """an affinity that another program sets meanwhile stays"""
    bench = Bench("repetitions = 1\nworkload.w.run = "
                  "\"sed -i 's/^web1 1 0 .*/web1 1 0 3 3/' $FAKE_HOST\"\n"
                  "configuration.near.place = \"web1=0-1\"\n", GUESTS)
    bench.do().expect(0)
    check("web1 1 0 3 3" in affinities(bench) and
          "web1 1 1 all 0-1" in affinities(bench), affinities(bench))


# Recordings


RECORDED = """repetitions = 2
workload.w.run = "sleep 0.5"
configuration.rec.log = [ "evtchn-send", "grant-map" ]
configuration.dry.log = "dry"
configuration.off.log = "off"
"""


@alone
def recorded():
    """logged events are recorded, and the first repetition is kept; dry and off record nothing"""
    bench = Bench(RECORDED.replace("configuration.off.log = \"off\"\n", ""),
                  xen="busy")
    bench.do().expect(0)
    rows = bench.sql("SELECT configuration, repetition, recording, rows, lost_rows,"
                     " recording_bytes, recording_crc32, recorded_ns FROM run")
    for configuration, repetition, file, nr, lost, size, crc, ns in rows:
        if configuration == "dry":
            check(file is None and nr is None, rows)
            continue
        check(nr > 10 and lost == 0 and ns > 0.3e9, rows)
        check(os.path.exists(file) == (repetition == 1), rows)
        if repetition == 1:
            check(os.stat(file).st_size == size, rows)
            check(zlib.crc32(open(file, "rb").read()) == crc, rows)
            run("timeline", file).expect(0)
    check(bench.sql("SELECT sum(notifications) > 0 FROM pair") == [(1,)])


@test
def schedule():
    """the database's sums of a recording are those of timeline and latency"""
    bench = Bench("repetitions = 1\nworkload.w.run = \"mv made db-recordings/1.rows\""
                  "\nconfiguration.rec.log = \"all\"\n", xen="busy")
    file = slow_request().write(bench.folder + "/made")
    said = json.loads(run("timeline", "--json", file).expect(0).out)
    pairs = json.loads(run("latency", "--json", file).expect(0).out)["pairs"]
    bench.do().expect(0)
    sums = collections.Counter()
    for vcpu in said["vcpus"]:
        for state in ("running", "runnable", "blocked"):
            sums[vcpu["domain"], state] += vcpu[state + "_ns"]
    rows = bench.sql("SELECT name, running_ns, waiting_ns, asleep_ns FROM domain")
    check({row[0] for row in rows} == {name for name, _ in sums}, rows)
    for name, *found in rows:
        check(found == [sums[name, state] for state in
                        ("running", "runnable", "blocked")], name, found, sums)
    for name, ns in bench.sql("SELECT domain, sum(ns) FROM place GROUP BY domain"):
        check(ns == sums[name, "running"], name, ns, sums)
    for state in ("running", "runnable"):
        for name, ns in bench.sql("SELECT domain, sum(ns) FROM span WHERE state = ? "
                                  "GROUP BY domain", state):
            check(ns == sums[name, state], name, state, ns, sums)
    check(bench.sql("SELECT sender, receiver, notifications, median_ns, p99_ns FROM "
                    "pair ORDER BY rowid") ==
          [(p["from"], p["to"], sum(p["notifications"].values()),
            p["total_ns"]["p50"], p["total_ns"]["p99"]) for p in pairs])
    check(sorted(bench.sql("SELECT domain, other, ns FROM instead")) ==
          sorted((p["to"], w["domain"], w["ns"]) for p in pairs
                 for w in p["waited_for"]))
    bench.runs("compare", "rec", "rec").expect(0, "ran on, in rec", "waited ran")


@test
def costs():
    """a recorded run has a figure for the cost per unit of a guest's work"""
    bench = Bench("repetitions = 2\nworkload.w.run = \"mv made$XENSCHED_RUN db-recordings/"
                  "$XENSCHED_RUN.rows\"\nconfiguration.rec.log = \"all\"\n", xen="busy")
    for number in 1, 2:
        paged_requests().write(bench.folder + "/made%d" % number)
    bench.do().expect(0)
    check(bench.sql("SELECT name, value, unit FROM value") ==
          2 * [("cost of disk", 25.0, "us/page")])
    bench.runs("stat").expect(0, "cost of disk", "us/page")


@test
def off_is_off():
    """log = off refuses to start while an event is on; a failed recorder fails its run"""
    bench = Bench(RECORDED, xen="busy")
    bench.plan("repetitions = 1\nworkload.w.run = \"echo >> begun\"\n"
               "configuration.off.log = \"off\"\n")
    bench.do().expect(1, "events are on")
    check(not bench.lines("begun"), "it was done all the same")
    bench.xen = "no-area"
    bench.plan("repetitions = 1\nworkload.w.run = \"echo >> begun\"\n"
               "configuration.on.log = \"all\"\n")
    bench.do().expect(1, "cannot record")
    check(not bench.lines("begun"), "it was done all the same")


# Results


def invented(seed, medians, runs=10, spread=0.01):
    """A database with figures of this distribution, as if they had been measured."""
    bench = Bench(PLAN % (runs, "true"))
    bench.do().expect(0)
    rng = random.Random(seed)
    for configuration, median in zip("ab", medians):
        for (ident,) in bench.sql("SELECT id FROM run WHERE configuration = ?",
                                  configuration):
            bench.sql("UPDATE run SET steal_ns = 0, wall_ns = ? WHERE id = ?",
                      int(1e9 * median * rng.lognormvariate(0, spread)), ident)
    return bench


def walls(bench, configuration):
    return [row[0] for row in bench.sql(
        "SELECT wall_ns FROM run WHERE configuration = ? AND state = 'done'",
        configuration)]


@test
def verdicts():
    """compare prints slower, faster or neither, according to the figures"""
    for medians, word in (((1, 1.05), "slower"), ((1.05, 1), "faster")):
        bench = invented(1, medians)
        code = 4 if word == "slower" else 0
        line = bench.runs("compare", "a", "b").expect(code).out.splitlines()[0]
        found = re.match(r"work, wall time: b is (\S+) % (\w+), 95 % interval "
                         r"(\S+) % to (\S+) %", line)
        check(found and found[2] == word, line)
        part = abs(statistics.median(walls(bench, "b")) /
                   statistics.median(walls(bench, "a")) - 1) * 100
        check(abs(float(found[1]) - part) < 0.051, line, part)
        check(float(found[3]) <= float(found[1]) <= float(found[4]), line)
    bench = invented(2, (1, 1))
    bench.runs("compare", "a", "b").expect(0, "not distinguishable with 10 runs")
    bench = invented(3, (1, 9), runs=4)
    result = bench.runs("compare", "a", "b").expect(0, "no verdict with 4 and 4")
    check("slower" not in result.out, result.out)
    bench.runs("stat").expect(0, "too few runs")
    bench.runs("compare", "a", "z").expect(1, "'z'")


@test
def experiments_compared():
    """compare of two experiments prints their differences; slower is an exit code"""
    bench = invented(1, (1, 1))
    bench.do().expect(0)
    bench.sql("UPDATE run SET wall_ns = 2 * (SELECT wall_ns FROM run AS o WHERE o.id = "
              "run.id - 20), steal_ns = 0 WHERE experiment = 2")
    bench.sql("INSERT INTO value SELECT id, 'rate', 2, iif(experiment = 1, 'GB/s', "
              "'MB/s') FROM run")
    out = bench.runs("compare", "1/a", "2/a").expect(4, "2/a is ", "% slower").out
    check("work, rate: 2/a is 99.9 % less" in out and "(1/a: 2.000 GB/s, 2/a: 0.002000 "
          "GB/s)" in out and "differ" not in out, out)
    bench.runs("compare", "2/a", "1/a").expect(0, "faster")
    bench.runs("compare", "a", "2/b").expect(0, "(a: ", "2/b: ")
    bench.runs("compare", "1/a", "a").expect(4)
    bench.sql("UPDATE experiment SET plan = plan || '#' WHERE id = 2")
    bench.sql("UPDATE session SET host = 'another' WHERE experiment = 2")
    bench.sql("UPDATE run SET state = 'failed', failure = 'x' WHERE id = 21")
    bench.runs("compare", "1/a", "2/a").expect(
        4, "! the experiments have plans that differ", "on hosts that differ",
        "! experiment 2: work, ")
    bench.runs("compare", "1/a", "3/a").expect(1, "no experiment 3")
    bench.runs("compare", "1/a", "x/a").expect(1, "not the number of an experiment")
    bench.runs("compare", "1/a", "2/z").expect(1, "'2/z'")


@test
def outliers_and_caveats():
    """stat reports outliers, losses, a clock that was set, steal time and different hosts"""
    bench = invented(4, (1, 1))
    bad = bench.sql("SELECT max(id) FROM run WHERE configuration = 'a'")[0][0]
    said = bench.runs("stat").expect(0).out
    check("!" not in said, said)
    bench.sql("UPDATE run SET wall_ns = 2000000000 WHERE id = ?", bad)
    check(re.search(r"a .* run %d$" % bad, bench.runs("stat").expect(0).out, re.M))
    for change, words in (
            ("lost_rows = 7, rows = 93", "rows were lost in 1 of 1"),
            ("clock_jump_ns = -50000000", "clock was set by -0.050 s"),
            ("steal_ns = 500000000", "in 1 of 10 runs, for up to 25.0 %")):
        bench.sql("UPDATE run SET %s WHERE id = ?" % change, bad)
        for action in (["stat"], ["compare", "a", "b"]):
            bench.runs(*action).expect(0, words)
    bench.sql("INSERT INTO domain VALUES(?, 'accounting domain 3', 1, 0, 0, 0, 0)", bad)
    bench.runs("stat").expect(0, "in 1 of 1 recordings a domain has a number")
    bench.sql("INSERT INTO session VALUES(99, 1, 0, 'another host')")
    bench.sql("UPDATE run SET session = 99 WHERE id = ?", bad)
    bench.runs("stat").expect(0, "2 hosts that differ")


@test
def exported():
    """export has each figure of each run, to the last bit, whatever its name"""
    name = "a,\"b|*`"
    bench = Bench("repetitions = 3\nconfiguration.c.log = \"dry\"\n"
                  "workload.w.run = \"echo 'value %s 0.1 x'\"\n" %
                  name.replace("\"", "\\\\\\\"").replace("`", "\\\\`"))
    bench.do().expect(0)
    bench.sql("UPDATE value SET name = ?, value = 0.1", name)
    out = bench.runs("export", "--csv").expect(0).out
    rows = list(csv.DictReader(io.StringIO(out)))
    check(len(rows) == 6 and {len(r) for r in rows} == {6}, out)
    values = [r for r in rows if r["figure"] == name]
    check(len(values) == 3 and all(float(v["value"]) == 0.1 and v["unit"] == "x"
                                   for v in values), out)
    for row in rows:
        if row["figure"] == "wall time":
            wall = bench.sql("SELECT wall_ns / 1e9 FROM run WHERE id = ?",
                             row["run"])[0][0]
            check(float(row["value"]) == wall, row, wall)
    lines = bench.runs("export", "--markdown").expect(0).out.splitlines()
    cells = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
    check(cells == {8} and len(lines) == 4, lines)


@test
def reported():
    """report writes valid XML with a dot per run, and no markup from names"""
    bench = invented(8, (1, 3))
    bench.sql("UPDATE run SET workload = '<b>&\"x'")
    bench.sql("UPDATE run SET configuration = '<script>' "
              "WHERE configuration = 'a'")
    bench.sql("UPDATE run SET lost_rows = 7, rows = 93 WHERE id = 1")
    page = path("report.html")
    bench.runs("report", page).expect(0)
    with open(page, encoding="utf-8") as file:
        text = file.read()
    tree = ElementTree.fromstring(
        re.sub("<meta ([^>]*)>", r"<meta \1/>", text).split("\n", 1)[1])
    figures = [e.text for e in tree.iter("h2")]
    check(any("wall time" in f for f in figures), figures)
    plots = list(tree.iter("svg"))
    check(len(plots) == len(figures) - 2, figures)
    dots = [len(list(plot.iter("circle"))) for plot in plots]
    runs = bench.sql("SELECT count(*) FROM run WHERE state = 'done' AND "
                     "repetition > 0")[0][0]
    check(dots[0] == runs, dots, runs)
    check("<script" not in text and "&lt;script&gt;" in text, text[:3000])
    check("rows were lost" in "".join(tree.itertext()))
    for place in plots[0].iter("circle"):
        check(180 <= float(place.get("cx")) <= 740, place.attrib)
    bench.runs("report", "/nowhere/x").expect(1, "/nowhere/x")
    bench.runs("report").expect(2, "report OUT")


@test
def shown():
    """show prints a run, and the path of its recording"""
    bench = Bench(PLAN % (1, "echo hello; echo value rate 3 /s"))
    bench.do().expect(0)
    bench.runs("show", "1").expect(0, "workload: work", "repetition: 1",
                                   "exit status: 0", "rate: 3.0 /s",
                                   "    hello", "kernel: ")
    bench.runs("show", "77").expect(1, "no run 77")
    bench.runs("show", "x").expect(1, "not the ID of a run")
    bench.runs("stat", "x").expect(1, "not the number of an experiment")


# Trials


def printed(bench, *words, code=0):
    """The JSON of an action."""
    return check_members("runs", json.loads(
        bench.runs(*words, "--json").expect(code).out))


@test
def lists_as_json():
    """runs list --json has each experiment, and each run, once"""
    bench = Bench(PLAN % (2, "true"))
    bench.do().expect(0)
    [only] = printed(bench, "list")["experiments"]
    check((only["id"], only["runs"], only["done"], only["failed"]) == (1, 4, 4, 0), only)
    check(only["workloads"] == ["work"] and sorted(only["configurations"]) ==
          ["a", "b"], only)
    check(re.match(r"20..-..-..T..:..:..Z$", only["begun"]), only)
    listed = printed(bench, "list", "1")["runs"]
    check([(r["id"], r["configuration"], r["repetition"], r["wall_ns"]) for r in listed] ==
          bench.sql("SELECT id, configuration, repetition, wall_ns FROM run"), listed)


@test
def stat_as_json():
    """runs stat --json: the medians and intervals of the text"""
    bench = invented(7, (1, 2))
    said = printed(bench, "stat")
    walls_b = [ns / 1e9 for ns in walls(bench, "b")]
    [b] = [f for f in said["figures"] if f["configuration"] == "b"]
    check(b["median"] == statistics.median(walls_b), b)
    check(sorted(r["value"] for r in b["runs"]) == sorted(walls_b), b)
    check(b["interval"][0] <= b["median"] <= b["interval"][1], b)
    text = bench.runs("stat").out
    check("%.3f s" % b["median"] in text, b, text)
    check(said["caveats"] ==
          [l[2:] for l in text.splitlines() if l.startswith("! ")], said)
    few = printed(invented(7, (1, 2), runs=4), "stat")["figures"]
    check(all(f["interval"] is None for f in few), few)


@test
def compare_as_json():
    """runs compare --json: verdict, change and exit status are those of the text"""
    bench = invented(7, (1, 1.2))
    said = printed(bench, "compare", "a", "b", code=4)
    [wall] = said["figures"]
    check(said["slower"] and wall["verdict"] == "slower", said)
    change = statistics.median(walls(bench, "b")) / statistics.median(
        walls(bench, "a")) - 1
    check(abs(wall["change"] - change) < 1e-9, wall, change)
    check("%.1f %% slower" % (100 * wall["change"]) in
          bench.runs("compare", "a", "b").out, wall)
    back = printed(bench, "compare", "b", "a")
    check(not back["slower"] and back["figures"][0]["verdict"] == "faster", back)
    few = printed(invented(7, (1, 2), runs=4), "compare", "a", "b")
    check(few["figures"][0]["verdict"] == "too_few" and
          few["figures"][0]["change"] is None, few)
    ended = bench.runs("compare", "a", "z", "--json").expect(1, "'z'")
    check(not ended.out, ended.out)


@test
def show_as_json():
    """runs show --json: the run's row, and U+FFFD in a name that is not UTF-8"""
    bench = Bench(PLAN % (1, "printf 'value caf\\351 1.5 s\\n'"))
    bench.do().expect(0)
    bench.sql("INSERT INTO domain VALUES(1, CAST(x'6469e96b' AS TEXT), 1, 2, 3, 4, 5)")
    said = printed(bench, "show", "1")
    check([(said[k]) for k in ("experiment", "workload", "state", "exit_status",
                               "failure", "wall_ns")] ==
          [1, "work", "done", 0, None] + list(bench.sql(
              "SELECT wall_ns FROM run WHERE id = 1")[0]), said)
    check(said["domains"] == [{"name": "di\ufffdk", "running_ns": 1, "waiting_ns": 2,
                               "asleep_ns": 3, "unknown_ns": 4, "moves": 5}], said)
    bench.runs("show", "77", "--json").expect(1, "no run 77")
    bench.runs("export", "--json").expect(2, "--json is for 'list'")


def trial_blocks(bench, placed, pairs=8, last=""):
    """Writes a trial in which placement multiplies the cost of web1's pages."""
    chance = random.Random(7)
    lines = [{"trial": 1, "started_s": 1700000000, "block_ms": 12000, "pairs": pairs,
              "seed": 3, "guests": []}]
    for pair in range(1, pairs + 1):
        for is_placed in (pair % 2 == 0, pair % 2 == 1):
            cost = 50000 * chance.gauss(1, 0.01) * (placed if is_placed else 1)
            lines.append({
                "pair": pair, "placed": is_placed, "begun_s": 1700000000 + 12 * pair,
                "work_ns": 1000 * cost, "guests": [
                    {"name": "web1", "unit": "page", "units": 1000, "cost_ns": cost,
                     "waiting_ns": 700.5, "at_target": 0.9 if is_placed else 0.25},
                    {"name": "idle", "unit": "ns", "units": 5, "waiting_ns": 0.1}]})
    with open(bench.folder + "/blocks", "w", encoding="utf-8") as f:
        f.write("\n".join(json.dumps(line) for line in lines) + last)


@test
def trial_imported():
    """the blocks of a trial become the runs of an experiment, and compare works on it"""
    bench = Bench()
    trial_blocks(bench, 0.8, last="\n{\"pair\": 9, \"placed\"")
    done = bench.runs("import", "blocks").expect(0, "experiment 1: 16 blocks",
                                                 "1 line of 'blocks' cannot be read")
    check("not_placed" in done.out, done.out)
    rows = bench.sql("SELECT configuration, repetition, state, begun_s, wall_ns FROM "
                     "run ORDER BY id")
    check(rows[0] == ("not_placed", 1, "done", 1700000012, None), rows[0])
    check(len(rows) == 16 and len({row[:2] for row in rows}) == 16, rows)
    bench.runs("compare", "not_placed", "placed").expect(
        0, "guests, web1 cost: placed is 19.6 % less, 95 % interval",
        "guests, web1 at target: placed is 260.0 % more",
        "guests, idle waiting: not distinguishable",
        "guests, pCPU time for the pair's work: placed is")
    bench.runs("stat").expect(0, "web1 at target")
    bench.runs("list", "1").expect(0, "not_placed")
    bench.runs("report", "page.html").expect(0)
    page = "\n".join(bench.lines("page.html"))
    check("web1 cost" in page and "trial of placement, begun 2023-11-14T22:13:20Z" in
          page and "seed 3" in page, page[-2000:])
    check("wall time" not in page, "a block has no wall time")


@test
def import_mistakes():
    """a file that is not a trial's makes no database; the default is the daemon's file"""
    bench = Bench()
    for name, text, *words in (
            ("empty", "", "does not have the blocks of a trial"),
            ("other", "{\"pair\": 1}\n", "does not have the blocks of a trial"),
            ("early", "{\"trial\": 1, \"guests\": []}\n", "first pair is not complete"),
            ("later", "{\"trial\": 2, \"guests\": []}\n", "does not have the blocks")):
        with open(bench.folder + "/" + name, "w", encoding="utf-8") as f:
            f.write(text)
        bench.runs("import", name).expect(1, name, *words)
    bench.runs("import", "none").expect(1, "cannot read 'none'", "xensched trial start")
    os.mkdir(bench.folder + "/folder")
    bench.runs("import", "folder").expect(1, "cannot read 'folder': Is a directory")
    check(not bench.has("db"), "a database was made")
    with open(bench.folder + "/odd", "w", encoding="utf-8") as f:
        f.write('{"trial": 1, "started_s": 1e300, "seed": -1e300, "guests": ["a\\u0001"' +
                100 * ', "guest"' + ', "last"]}\n'
                '{"pair": 1e300, "placed": true, "guests": []}\n'
                '{"pair": 1, "placed": 1, "guests": []}\n[' + 40 * "[" + "\n"
                '{"pair": 1, "placed": true, "begun_s": -1e300, "guests": [3, {"name": 4}]}\n')
    bench.runs("import", "odd").expect(0, "1 blocks", "3 lines of 'odd' cannot be read")
    plan = bench.sql("SELECT plan FROM experiment")[0][0]
    check('"last" ]' in plan, plan)


if __name__ == "__main__":
    raise SystemExit(main())
