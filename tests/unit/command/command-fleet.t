#!/usr/bin/env -S python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""xensched traffic and xensched fleet: what the kernel counts on a bridge, the guest of each
counter, and wrong or missing answers of a Prometheus.

The kernel is this machine's, in a network namespace whose interfaces have the names of guests'
interfaces; that needs root. tests/metrics/fleet.t has a real Prometheus.
"""

import contextlib
import http.server
import json
import os
import re
import signal
import subprocess
import threading
import time

from command_world import XENSCHED, check, check_members, main, path, run, test

ONE, TWO, THREE, FAR = ("00:16:3e:00:00:0%d" % n for n in (1, 2, 3, 9))
STORE = "".join("%s %s\n" % line for line in (
    ("/local/domain/0/name", "Domain-0"),
    ("/local/domain/1/name", 'o\\n"e'), ("/local/domain/1/vm", "/vm/uuid-of-one"),
    ("/local/domain/2/name", "two"), ("/local/domain/2/vm", "/vm/uuid-of-two"),
    ("/local/domain/0/backend/vif/1/0/mac", ONE.upper()),
    ("/local/domain/0/backend/vif/2/0/mac", TWO),
    ("/local/domain/0/backend/vif/2/1/mac", "no MAC"),
))
NAMED = """/local/domain/3/name three
/local/domain/3/vm /vm/uuid-of-three
/local/domain/0/backend/vif/3/0/mac %s
/local/domain/0/backend/vif/3/0/vifname lan.of-three
""" % THREE
SEND = """
import socket, sys
name, source, to, size, times = sys.argv[1:]
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind((name, 0))
mac = lambda text: bytes.fromhex(text.replace(":", ""))
for _ in range(int(times)):
    s.send((mac(to) + mac(source) + b"\\x88\\xb5").ljust(int(size), b"."))
"""


class Bridge:
    """A network namespace with a bridge: guests 1, 2 and 3, and a way out."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "-n", "sleep", "1000"])
        while (os.readlink("/proc/%d/ns/net" % self.holder.pid) ==
               os.readlink("/proc/self/ns/net")):
            time.sleep(0.01)
        self.do("ip", "link", "add", "xenbr0", "type", "bridge")
        for name in ("xenbr0", "vif1.0", "vif1.0-emu", "vif2.0", "lan.of-three",
                     "uplink"):
            if name != "xenbr0":
                self.do("ip", "link", "add", name, "type", "veth", "peer", "name",
                        "g-" + name)
                self.do("ip", "link", "set", name, "master", "xenbr0", "up")
                self.do("ip", "link", "set", "g-" + name, "up")
            self.do("ip", "link", "set", name, "up")

    def within(self, *command):
        return ["nsenter", "-n", "-t", str(self.holder.pid), *command]

    def do(self, *command):
        subprocess.run(self.within(*command), check=True,
                       stdout=subprocess.DEVNULL)

    def send(self, name, source, to, size, times):
        self.do("python3", "-c", SEND, "g-" + name, source, to, str(size),
                str(times))

    def end(self):
        self.holder.kill()
        self.holder.wait()


def possible():
    """None, or the reason why this machine cannot make such a bridge."""
    done = subprocess.run(
        ["unshare", "-n", "sh", "-c", "ip link add xenbr0 type bridge && nft list ruleset"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    return done.returncode and done.stderr.decode().strip()


def environment(**more):
    where = path("xenstore")
    with open(where, "w", encoding="utf-8") as f:
        f.write(STORE)
    return dict(os.environ, FAKE_XENSTORE=where, **more)


@contextlib.contextmanager
def begun(*command, **options):
    """A bridge that is removed at the end, whatever happens before."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@contextlib.contextmanager
def bridge():
    one = Bridge()
    try:
        yield one
    finally:
        one.end()


def samples(text, name):
    """{ labels as a dictionary's items: value }"""
    found = {}
    for labels, value in re.findall(r'^%s\{(.*)\} (\d+)$' % name, text, re.M):
        found[tuple(sorted(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels)))] = (
            int(value))
    return found


def until(what, seconds=20):
    end = time.monotonic() + seconds
    while not what():
        check(time.monotonic() < end, "it did not come")
        time.sleep(0.05)


def read(where):
    with open(where, encoding="utf-8") as f:
        return f.read()


@test
def counts():
    """traffic counts what each guest's card sends by MAC, whatever sender a frame claims"""
    if (why := possible()):
        return why
    where = path("traffic.prom")
    with bridge() as b, begun(*b.within(XENSCHED, "traffic", "--metrics", where),
                              env=environment()) as process:
        until(lambda: os.path.exists(where))
        b.send("vif1.0", ONE, FAR, 1014, 10)      # 1000 bytes each behind the header
        b.send("vif1.0", TWO, FAR, 114, 1)        # with a forged sender
        b.send("vif1.0-emu", ONE, FAR, 1014, 1)   # the same card, emulated
        b.send("vif1.0", ONE, TWO, 1014, 3)
        b.send("vif2.0", TWO, ONE, 64, 2)
        b.send("vif1.0", ONE, "ff:ff:ff:ff:ff:ff", 1014, 5)   # to all: no pair
        b.send("uplink", FAR, ONE, 1014, 7)          # counted where it comes from
        until(lambda: 'peer_mac="%s"' % ONE in read(where))
        text = read(where)
        table = subprocess.run(b.within("nft", "list", "table", "bridge", "xensched"),
                               check=True, stdout=subprocess.PIPE).stdout
        check(b'"vif1.0"' in table and b'"uplink"' not in table, table.decode())
        process.send_signal(signal.SIGTERM)
        errors = process.stderr.read().decode()
        check(process.wait() == 0 and not errors, process.returncode, errors)
        left = subprocess.run(b.within("nft", "list", "tables"), check=True,
                              stdout=subprocess.PIPE).stdout
    got = {(labels["mac"], labels["peer_mac"]): value for labels, value in (
        (dict(key), value) for key, value in
        samples(text, "xensched_traffic_bytes_total").items())}
    check(got == {(ONE, FAR): 11100, (ONE, TWO): 3000, (TWO, ONE): 100}, got, text)
    check(not os.path.exists(where) and b"xensched" not in left, left)
    guests = samples(text, "xensched_traffic_guest")
    check(len(guests) == 2 and all(value == 1 for value in guests.values()), text)
    whose = {dict(key)["mac"]: dict(key)["uuid"] for key in guests}
    check(whose == {ONE: "uuid-of-one", TWO: "uuid-of-two"}, whose)
    check(r'domain="o\\n\"e"' in text, text)
    return None


def bytes_sent(where):
    """{ (MAC, to MAC): bytes }, or nothing while there is no file."""
    if not os.path.exists(where):
        return {}
    found = samples(read(where), "xensched_traffic_bytes_total").items()
    return {(labels["mac"], labels["peer_mac"]): value
            for labels, value in ((dict(key), value) for key, value in found)}


@test
def named_interfaces():
    """traffic counts a card with vifname=, and one that appears later"""
    if (why := possible()):
        return why
    where, env = path("named.prom"), environment()
    with bridge() as b, begun(*b.within(XENSCHED, "traffic", "--metrics", where),
                              env=env) as process:
        until(lambda: os.path.exists(where))
        with open(env["FAKE_XENSTORE"], "a", encoding="utf-8") as f:
            f.write(NAMED)
        until(lambda: THREE in read(where))
        # The kernel learns of the card at the end of the next poll.
        until(lambda: (b.send("lan.of-three", THREE, FAR, 1014, 1),
                       (THREE, FAR) in bytes_sent(where))[1])
        b.send("vif1.0", ONE, FAR, 1014, 1)
        until(lambda: (ONE, FAR) in bytes_sent(where))
        process.send_signal(signal.SIGTERM)
        errors = process.stderr.read().decode()
        check(process.wait() == 0 and not errors, process.returncode, errors)
    return None


@test
def table_deleted():
    """if another program deletes or empties the table, traffic counts again and reports it"""
    if (why := possible()):
        return why
    where = path("deleted.prom")
    with bridge() as b, begun(*b.within(XENSCHED, "traffic", "--metrics", where),
                              env=environment()) as process:
        until(lambda: os.path.exists(where))
        b.send("vif1.0", ONE, FAR, 1014, 5)
        until(lambda: bytes_sent(where).get((ONE, FAR)) == 5000)
        for nr, what in enumerate((("flush", "ruleset"),
                                   ("flush", "table", "bridge", "xensched")), 1):
            b.do("nft", *what)
            until(lambda: (ONE, FAR) not in bytes_sent(where))
            b.send("vif1.0", ONE, FAR, 1014, nr)
            until(lambda: bytes_sent(where).get((ONE, FAR)) == 1000 * nr)
        process.send_signal(signal.SIGTERM)
        errors = process.stderr.read().decode()
        check(process.wait() == 0 and errors.count("counting again") == 2, errors)
    return None


@test
def second_instance():
    """a second traffic is refused, and the first continues"""
    if (why := possible()):
        return why
    where = path("first.prom")
    with bridge() as b, begun(*b.within(XENSCHED, "traffic", "--metrics", where),
                              env=environment()) as process:
        until(lambda: os.path.exists(where))
        b.send("vif1.0", ONE, FAR, 1014, 5)
        with begun(*b.within(XENSCHED, "traffic", "--metrics", path("second.prom"),
                             "--seconds", "1"), env=environment()) as second:
            said = second.stderr.read().decode()
            check(second.wait() == 1 and "another 'xensched traffic'" in said, said)
        check(not os.path.exists(path("second.prom")))
        b.send("vif1.0", ONE, FAR, 1014, 1)
        until(lambda: bytes_sent(where).get((ONE, FAR)) == 6000)
        process.kill()
        process.wait()
        # A process that was killed leaves no lock behind.
        with begun(*b.within(XENSCHED, "traffic", "--metrics", where,
                             "--seconds", "0.1"), env=environment()) as third:
            check(third.wait() == 0, third.stderr.read().decode())
    return None


def fake_nft(script):
    folder = path("bin")
    os.mkdir(folder)
    with open(folder + "/nft", "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\n" + script)
    os.chmod(folder + "/nft", 0o755)
    return folder + ":" + os.environ["PATH"]


# Other programs on this machine may use these tables, too.
ALONE = ["/usr/bin/unshare", "-n"] if os.geteuid() == 0 else []


def traffic(**env):
    done = subprocess.run(
        [*ALONE, XENSCHED, "traffic", "--seconds", "0.1", "--metrics", path("t.prom")],
        env=environment(**env), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        timeout=60, check=False)
    check(b"Sanitizer" not in done.stderr, done.stderr.decode())
    return done.returncode, done.stderr.decode()


@test
def no_nft():
    """without nft, or if it fails or prints nonsense, traffic reports it and ends with 1"""
    code, said = traffic(PATH="/nowhere")
    check(code == 1 and "package nftables" in said, code, said)
    code, said = traffic(PATH=fake_nft("echo Operation not permitted >&2; exit 1"))
    check(code == 1 and "not permitted" in said and "root" in said, code, said)
    for nonsense in ("{", "[]", '{"nftables": {}}', "yes " * 1000):
        code, said = traffic(PATH=fake_nft("echo '%s'" % nonsense))
        check(code == 1 and "cannot parse what nft" in said, nonsense, code, said)
    code, said = traffic(PATH=fake_nft("exec cat /dev/zero"))
    check(code == 1 and "prints more than 16 MiB" in said, code, said)
    run("traffic").expect(2, "--metrics")


@test
def left_out():
    """traffic writes only the pairs with the most bytes, and how many it left out"""
    elements = [{"elem": {"val": {"concat": ["vif1.0", "02:00:00:00:%02x:%02x"
                                             % (n >> 8, n & 255)]},
                          "counter": {"packets": 1, "bytes": n}}}
                for n in range(1, 1101)]
    elements += [{"elem": {"val": {"concat": ["vif9.0", TWO]},
                           "counter": {"packets": 1, "bytes": 5000}}}, 7, {}]
    answer = path("answer")
    with open(answer, "w", encoding="utf-8") as f:
        json.dump({"nftables": [{"set": {"name": "sent", "elem": elements}},
                                {"set": {"name": "named"}}, {"rule": {}},
                                {"rule": {}}]}, f)
    where = path("t.prom")
    with begun(*ALONE, XENSCHED, "traffic", "--metrics", where,
               env=environment(PATH=fake_nft("cat " + answer))):
        until(lambda: os.path.exists(where))
        text = read(where)
    values = samples(text, "xensched_traffic_bytes_total").values()
    # The guest that is no longer in xenstore has the most, and is not among them.
    check(len(values) == 1000 and min(values) == 101, len(values), min(values))
    check("\nxensched_traffic_left_out 100\n" in text, text[-200:])


@contextlib.contextmanager
def server(answer):
    """answer(path, query) returns a code and a text, or the bytes to send."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            said = answer(self.path)
            if isinstance(said, bytes):
                said = (200, said)
            with contextlib.suppress(OSError):
                self.send_response(said[0])
                self.end_headers()
                for part in [said[1]] * (said[2] if len(said) > 2 else 1):
                    self.wfile.write(part)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as it:
        thread = threading.Thread(target=it.serve_forever)
        thread.start()
        try:
            yield "http://127.0.0.1:%d" % it.server_address[1]
        finally:
            it.shutdown()
            thread.join()


def fleet(answer, *options):
    with server(answer) as url:
        return run("fleet", "--prometheus", url, *options)


def success(*series):
    return json.dumps({"status": "success", "data": {"result": series}}).encode()


def one(now, rates, **labels):
    """A series whose last value is of now, and the one before of 5 minutes ago."""
    return {"metric": dict(
        {"uuid": "u1", "domain": "a1", "host": "A", "peer_uuid": "u2",
         "peer": "b1", "peer_host": "B"}, **labels),
        "values": [[now - 300 * n, str(rate)]
                   for n, rate in reversed(list(enumerate(reversed(rates))))]}


def back(now, rates):
    return one(now, rates, uuid="u2", domain="b1", host="B", peer_uuid="u1",
               peer="a1", peer_host="A")


def end_of(request):
    return int(re.search(r"[?&]end=(\d+)", request).group(1))


def talking(*make):
    """A Prometheus with these series, each a function of the current time."""
    def answer(request):
        if "query_range" in request:
            return success(*(m(end_of(request)) for m in make))
        return success({"metric": {"uuid": "u1"}, "value": [1, "4000000"]})
    return answer


@test
def pairs():
    """fleet prints both directions as one pair, and since when its rate has been as high"""
    done = fleet(talking(lambda now: one(now, [3e6, 9e5, 2e6, 2e6, 2e6]),
                         lambda now: back(now, [5e5, 5e4, 5e5, 5e5, 5e5]),
                         lambda now: one(now, [1e5], uuid="u7", peer_uuid="u8")),
                 "--json").expect(0)
    said = check_members("fleet", json.loads(done.out))
    check(len(said["pairs"]) == 1, said)
    pair = said["pairs"][0]
    check(pair["bytes_per_s"] == 2500000, pair)
    now = time.mktime(time.strptime(said["time"], "%Y-%m-%dT%H:%M:%SZ"))
    since = time.mktime(time.strptime(pair["since"], "%Y-%m-%dT%H:%M:%SZ"))
    check(now - since == 600, said)
    check([(vm["name"], vm["host"], vm["uuid"], vm["sends_bytes_per_s"],
            vm.get("share_of_sent")) for vm in pair["vms"]] ==
          [("a1", "A", "u1", 2000000, 0.5), ("b1", "B", "u2", 500000, None)], pair)
    text = fleet(talking(lambda now: one(now, [2e6]))).expect(
        0, "a1 and b1 should share a host: 2.00 MB/s since 2").out
    check("a1 on A sends 2.00 MB/s of it, 50 % of all that it sends (u1)" in text,
          text)
    fleet(talking(lambda now: one(now, [2e6])), "--least", "2M").expect(
        0, "no guests of different hosts exchange 2.10 MB/s or more")
    # Pairs that exchanged enough earlier, and do not any more.
    fleet(talking(lambda now: one(now - 300, [2e6]))).expect(0, "no guests")


@test
def moved():
    """a guest that has moved is listed on its current host"""
    done = fleet(talking(lambda now: one(now - 300, [3e6, 3e6], host="C"),
                         lambda now: one(now, [3e6])), "--json").expect(0)
    pair = json.loads(done.out)["pairs"][0]
    check([vm["host"] for vm in pair["vms"]] == ["A", "B"], pair)
    check(pair["bytes_per_s"] == 3000000, pair)


@test
def nothing_there():
    """fleet names metrics that a Prometheus lacks, with the remedy"""
    fleet(lambda request: success()).expect(1, "run 'xensched traffic' on each host")
    fleet(lambda request: success({}) if "traffic_guest" in request else
          success()).expect(1, "xensched-rules.yml to its rule_files")
    fleet(lambda request: success() if "query_range" in request else
          success({"metric": {"uuid": "u"}, "value": [1, "1"]})).expect(
              0, "no guests of different hosts exchange 1.05 MB/s or more")


@test
def lies():
    """a server with a wrong, partial or endless answer, or none, makes fleet fail with a reason"""
    strange = "does not speak as Prometheus does"
    for said in (b"", b"<html>", b"{", b"[]", b"{}", b'{"status": "success"}',
                 b'{"status": "success", "data": {"result": {}}}',
                 b'{"status": "success", "data": {"result": [',
                 b'{"status": "error"}', b"\xff\x00\xff", b"[" * 10000):
        fleet(lambda request, said=said: said).expect(1, strange)
    fleet(lambda request: (401, b"who are you?")).expect(1, strange, "HTTP 401")
    fleet(lambda request: (400, b'{"status": "error", "error": "bad \\u001b[2J"}')
          ).expect(1, "Prometheus at http", "bad ?[2J")
    wrong = "is not what xensched's rules make"
    for series in (7, {}, {"metric": {}, "values": []},
                   {"metric": {"uuid": 1, "peer_uuid": 2}, "values": []}):
        fleet(lambda request, series=series: success(series)).expect(1, wrong)
    for values in ([7], [[1]], [[1, 2]], [[1, "2"]], [["x", "2"]], [[1e300, "2"]],
                   [[-9e18, "2"]]):
        fleet(talking(lambda now, values=values: dict(one(now, []), values=values))
              ).expect(1, wrong)
    for number in ("NaN", "+Inf", "", "2x"):
        fleet(talking(lambda now, number=number: one(now, [number]))).expect(1, wrong)
    fleet(lambda request: (200, b" " * (1 << 20), 70)).expect(
        1, "prints more than 64 MiB")


@test
def no_orders():
    """a URL cannot give curl other options"""
    where = path("written")
    with server(lambda request: success()) as url:
        run("fleet", "--prometheus", '%s"\noutput = "%s"\n#' % (url, where)).expect(1)
    check(not os.path.exists(where))


@test
def unreachable():
    """fleet reports a missing Prometheus and a wrong URL differently"""
    run("fleet", "--prometheus", "http://127.0.0.1:1").expect(
        1, "Prometheus cannot be reached at http://127.0.0.1:1: Failed to connect")
    run("fleet", "--prometheus", "file:///etc/passwd").expect(1, "is not the URL")
    run("fleet").expect(2, "no --prometheus URL")
    run("fleet", "--prometheus", "http://127.0.0.1:1", "--least", "much").expect(2)


main()
