#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""How soon the timeline's page is there, and how smoothly it pans, in a Chromium
without a window and without a GPU: with a million rows, and with ten.

Usage: page.py XENSCHED OUTPUT.json [MILLION-ROWS...]

Debian's packages chromium, chromium-driver and python3-selenium are needed.  The
recordings are made up: 8 pCPUs, 16 domains, in each stay of some 10 us a wake-up and a
notification; so a row is a third of a slice, which is as dense as rows get.  Times
are this machine's: what can be compared is how they grow.
"""

import array
import json
import os
import platform
import random
import struct
import subprocess
import sys
import tempfile
import time
import zlib

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

PCPUS, DOMAINS = 8, 16
REGISTER = 1 | 2 | 4 | 8 | 1 << 4 | 3 << 5 | 1 << 7
SERVICE, RECV, WAKE = 0, 3, 9

PAN = """const done = arguments[0], t = window.timeline, all = t.meta.end;
t.show(all * 0.2, all * 0.2 + all * arguments_share);
let n = 0, first = 0, worst = 0, last = 0;
function next(now) {
    if (n++ === 5) first = now;
    if (n > 6) worst = Math.max(worst, now - last);
    last = now;
    const by = (t.view.to - t.view.from) / 200;
    t.show(t.view.from + by, t.view.to + by);
    if (n < 125) requestAnimationFrame(next);
    else done([119 * 1000 / (now - first), worst]);
}
requestAnimationFrame(next);"""


def chunk(kind, contents=b"", cpu=0, file=0, pos=0):
    head = struct.pack("<6I4QI", 0x6b6e6863, kind, len(contents), cpu, file,
                       REGISTER, pos, 0, 0, 0, 0)
    return head + struct.pack("<I", zlib.crc32(contents, zlib.crc32(head))) + \
        contents


def rows_of(pcpu, stays, rng):
    """Three rows per stay; each as four words of 64 bits."""
    rows, now, last = array.array("Q"), 1000, 2
    for _ in range(stays):
        who = 2 + rng.randrange(DOMAINS)
        now += 500
        rows.extend((RECV | who << 16 | last << 32, 1, now, 0))
        now += 300
        rows.extend((WAKE | who << 16 | 0xffff << 32, 300, now, 0))
        ran = 1000 + rng.randrange(20000)
        now += ran
        rows.extend((SERVICE | who << 16 | 1 << 32, ran, now, 0))
        last = who
    return rows.tobytes()


def write(path, rows):
    rng = random.Random(rows)
    host = {"topology": "1x%d" % PCPUS, "domains": [
        {"domid": i, "name": "guest%d" % i, "acct": i + 2, "vcpus": [{}] * PCPUS}
        for i in range(DOMAINS)]}
    head = struct.pack("<8s4IQQQ3I", b"xensched", 0x01020304, 1, 1, 0, 10 ** 6,
                       0, 0, 0, 0, 0)
    nr = 1
    with open(path, "wb") as file:
        file.write(head + struct.pack("<I", zlib.crc32(head)))
        file.write(chunk(2, json.dumps(host).encode()))
        for pcpu in range(PCPUS):
            data = rows_of(pcpu, rows // 3 // PCPUS, rng)
            for at in range(0, len(data), 320000 * 32):
                file.write(chunk(1, data[at:at + 320000 * 32], pcpu, 0, at))
                nr += 1
        file.write(chunk(0, pos=nr))


def start_browser():
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu",
                 "--window-size=1600,900", "--disable-dev-shm-usage"):
        options.add_argument(word)
    browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"),
                               options=options)
    browser.set_script_timeout(120)
    browser.set_page_load_timeout(300)
    return browser


def measure(xensched, folder, rows):
    recording, page = folder + "/rows", folder + "/page.html"
    write(recording, rows)
    begin = time.monotonic()
    subprocess.run([xensched, "timeline", recording, "--html", page], check=True,
                   stderr=subprocess.DEVNULL)
    made = time.monotonic() - begin
    browser = start_browser()
    try:
        browser.get("file://" + page)
        while not browser.execute_script(
                "return document.documentElement.dataset.ready"):
            time.sleep(0.1)
        found = {"rows": rows, "made_s": round(made, 2),
                 "page_bytes": os.path.getsize(page),
                 "opened_s": round(browser.execute_script(
                     "return timeline.opened") / 1000, 2)}
        for name, share in (("all", 0.5), ("hundredth", 0.01),
                            ("ten_thousandth", 0.0001)):
            rate, worst = browser.execute_async_script(
                PAN.replace("arguments_share", str(share)))
            found["frames_per_s_" + name] = round(rate, 1)
            found["worst_ms_" + name] = round(worst, 1)
    finally:
        browser.quit()
    os.unlink(recording)
    os.unlink(page)
    return found


def main():
    xensched, output = sys.argv[1:3]
    sizes = [float(n) for n in sys.argv[3:]] or [1, 10]
    with tempfile.TemporaryDirectory() as folder:
        found = [measure(xensched, folder, int(n * 10 ** 6)) for n in sizes]
    for one in found:
        print(json.dumps(one))
    with open(output, "w", encoding="ascii") as file:
        json.dump({"machine": "%d CPUs, %s" % (os.cpu_count(),
                                               platform.machine()),
                   "pages": found}, file, indent=1)
        file.write("\n")


main()
