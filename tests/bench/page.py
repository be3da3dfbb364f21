#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""Measures the load time of the timeline's page, and its frame rate while it pans, in a
Chromium without a window and without a GPU: with one million rows, and with ten.

Usage: page.py XENSCHED OUTPUT.json [MILLION-ROWS...]

Debian's packages chromium, chromium-driver and python3-selenium are needed.  The
recordings are synthetic: 8 pCPUs, 16 domains, and in each run interval of some 10 us a
wake-up and a notification.  So three rows make a slice, the highest density of rows.
Times depend on this machine: compare their growth.
"""

import array
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.dirname(os.path.abspath(__file__)) + "/../unit/command")
from browser import IS_THERE, start_browser  # noqa: E402
from recording_made import EVENTS, FULL_ROW, Recording  # noqa: E402

PCPUS, DOMAINS = 8, 16

PAN = """const [share, done] = arguments, t = window.timeline, all = t.meta.end;
t.show(all * 0.2, all * (0.2 + share));
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


def rows_of(stays, rng):
    """Three rows per run interval; each has four words of 64 bits, as FULL_ROW."""
    rows, now, last = array.array("Q"), 1000, 2

    def row(event, acct, other, counter):
        rows.extend((EVENTS[event] | acct << 16 | other << 32, counter, now, 0))

    for _ in range(stays):
        acct = 2 + rng.randrange(DOMAINS)
        now += 500
        row("evtchn-recv", acct, last, 1)
        now += 300
        row("wake-delay", acct, 0xffff, 300)
        ran = 1000 + rng.randrange(20000)
        now += ran
        row("service-ns", acct, 1, ran)
        last = acct
    return rows.tobytes()


def write(path, rows):
    """Too many to be added one by one."""
    rng = random.Random(rows)
    names = ["guest%d" % i for i in range(DOMAINS)]
    made = Recording(names, dict.fromkeys(names, PCPUS))
    made.host["topology"] = "1x%d" % PCPUS
    with open(path, "wb") as file:
        file.write(made.head())
        chunks = list(made.chunks())
        for pcpu in range(PCPUS):
            data = rows_of(rows // 3 // PCPUS, rng)
            step = 320000 * FULL_ROW.size
            chunks += [made.chunk(1, data[at:at + step], pcpu, 0, at)
                       for at in range(0, len(data), step)]
        file.writelines(chunks)
        file.write(made.chunk(0, pos=len(chunks)))


def measure(xensched, folder, rows):
    recording, page = folder + "/rows", folder + "/page.html"
    write(recording, rows)
    begin = time.monotonic()
    subprocess.run([xensched, "timeline", recording, "--html", page], check=True,
                   stderr=subprocess.DEVNULL)
    made = time.monotonic() - begin
    browser = start_browser("1600,900")
    browser.set_script_timeout(120)
    browser.set_page_load_timeout(300)
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
            rate, worst = browser.execute_async_script(PAN, share)
            found["frames_per_s_" + name] = round(rate, 1)
            found["worst_ms_" + name] = round(worst, 1)
    finally:
        browser.quit()
    os.unlink(recording)
    os.unlink(page)
    return found


def main():
    xensched, output = sys.argv[1:3]
    if not IS_THERE:
        sys.exit("page.py: error: chromium, chromium-driver and python3-selenium "
                 "are needed")
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
