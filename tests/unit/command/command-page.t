#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-only
"""The page that xensched timeline --html writes, in a real Chromium without a window: it pans,
zooms, searches, selects, shows losses and causes, and shows a hostile recording as harmless text.

It needs Debian's packages chromium, chromium-driver and python3-selenium. tests/setup.sh does not
install them, because they are large. Without them the test is skipped.
"""

import os
import random
import struct
import sys
import time

try:
    from selenium.webdriver import ActionChains, Keys
    from selenium.webdriver.common.by import By
except ImportError:
    pass

from browser import IS_THERE, start_browser
from command_world import alone, check, main, path, run
from recording_made import (
    CRUNCH, DISK, DOM0, FULL_ROW, GUEST, MS, NONE, XEN, Recording, marked,
    slow_request, slow_request_with_threads, through_all_layers, with_counters)

if not IS_THERE:
    print("1..0 # SKIP chromium, chromium-driver or python3-selenium is not "
          "installed")
    sys.exit()

browser = start_browser("1200,600")


def js(text):
    return browser.execute_script("return " + text)


def opened(recording, where="", code=0):
    """The page of a recording, open; it requested nothing."""
    file, page = recording, path("page") + ".html"
    if isinstance(recording, Recording):
        file = recording.write(path("recording"))
    run("timeline", file, "--html", page).expect(code)
    # A new address for each page; with the same one, the browser would only move within the page.
    browser.get("about:blank")
    browser.get("file://" + os.path.abspath(page) + where)
    for _ in range(200):
        if js("document.documentElement.dataset.ready"):
            break
        time.sleep(0.05)
    else:
        check(False, "the page did not become ready", details(),
              browser.get_log("browser"))
    said = browser.get_log("browser")
    check(not said, "the browser complains", said)
    check(js("performance.getEntriesByType('resource').length") == 0)
    return page


def details():
    return js("document.getElementById('details').textContent")


def view():
    return js("[timeline.view.from, timeline.view.to]")


def canvas():
    return browser.find_element(By.ID, "canvas")


def x_of(ns):
    """The column of a time, as the viewer computes it."""
    first, last = view()
    return 150 + (ns - first) / (last - first) * \
        (canvas().size["width"] - 150)


def at(x, y):
    """An action at a point of the canvas; offsets are from its middle."""
    size = canvas().size
    return ActionChains(browser).move_to_element_with_offset(
        canvas(), int(x - size["width"] / 2), int(y - size["height"] / 2))


def lane_y(name):
    names = js("timeline.lanes.map((l) => l.name)")
    return 24 + 22 * names.index(name) + 11


def wheel(x, y, by):
    js("document.getElementById('canvas').dispatchEvent(new WheelEvent('wheel', "
       "{ deltaY: %d, clientX: %d + document.getElementById('canvas')"
       ".getBoundingClientRect().left, clientY: %d + document.getElementById("
       "'canvas').getBoundingClientRect().top, cancelable: true }))" %
       (by, x, y))


def soon(ready, *what):
    for _ in range(100):
        if ready():
            return
        time.sleep(0.02)
    check(False, *what)


@alone
def shows_all():
    """the page opens with the whole recording and all lanes"""
    opened(slow_request())
    check(view() == [0, 50 * MS], view())
    check(js("timeline.lanes.map((l) => l.name)") ==
          ["pCPU 0", "pCPU 1", "pCPU 3", "Domain-0", "crunch", "disk"])
    check(js("timeline.arrows.n") == 2)


@alone
def pans():
    """dragging moves the times by the pointer's distance"""
    opened(slow_request(), "#t=10000000,20000000")
    at(600, 40).click_and_hold().move_by_offset(210, 0).release().perform()
    first, last = view()
    by = 210 / (canvas().size["width"] - 150) * 10 * MS
    check(abs(10 * MS - by - first) < 20000 and abs(last - first - 10 * MS) < 2,
          first, last)


@alone
def zooms():
    """the wheel zooms at the pointer: the time under it stays there"""
    opened(slow_request())
    before = x_of(20 * MS)
    wheel(before, 40, -200)
    first, last = view()
    check(last - first < 30 * MS, view())
    check(abs(x_of(20 * MS) - before) < 2, before, x_of(20 * MS))


@alone
def keyboard():
    """arrows pan, + and - zoom, 0 shows all, d changes the theme"""
    opened(slow_request(), "#t=10000000,20000000")
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.ARROW_RIGHT)
    check(abs(view()[0] - 12 * MS) < 2, view())
    body.send_keys("+")
    check(abs(view()[1] - view()[0] - 5 * MS) < 2, view())
    theme = js("document.documentElement.dataset.theme")
    body.send_keys("d")
    check(js("document.documentElement.dataset.theme") != theme)
    body.send_keys("0")
    check(view()[1] - view()[0] >= 50 * MS, view())


@alone
def searches():
    """a search moves to the next slice with this name"""
    opened(slow_request(), "#t=1000000,2000000")
    field = browser.find_element(By.ID, "search")
    field.send_keys("domain-0", Keys.ENTER)
    check("0.040000 s" in js("document.getElementById('found').textContent"))
    first, last = view()
    check(first <= 40 * MS <= last, view())
    field.clear()
    field.send_keys("nobody", Keys.ENTER)
    check(js("document.getElementById('found').textContent") == "not found")


@alone
def explains():
    """a click on a late run shows the cause, and the domain that ran instead"""
    opened(slow_request())
    at(x_of(43 * MS), lane_y("disk")).click().perform()
    soon(lambda: "disk ran on pCPU 1" in details(), details())
    for words in ("notified by Domain-0", "waited 39.000 ms", "crunch 39.000 ms",
                  "notified by disk"):
        check(words in details(), words, details())


@alone
def selects():
    """Shift and drag selects a time; the page shows its sums, and the URL has it"""
    opened(slow_request())
    begin, end = x_of(10 * MS), x_of(20 * MS)
    ActionChains(browser).key_down(Keys.SHIFT).perform()
    at(begin, 60).click_and_hold().move_by_offset(int(end) - int(begin), 0) \
        .release().perform()
    ActionChains(browser).key_up(Keys.SHIFT).perform()
    soon(lambda: "selected: " in details(), details())
    line = [l for l in details().splitlines() if l.startswith("Domain-0")][0]
    check("runnable 10.0" in line or "runnable 9.9" in line, line)
    soon(lambda: "&s=" in js("location.hash"), js("location.hash"))


@alone
def range_in_url():
    """the page shows the range of the URL, and keeps the URL up to date"""
    opened(slow_request(), "#t=10000000,20000000&s=12000000,13000000")
    check(view() == [10 * MS, 20 * MS], view())
    check("selected: 0.012000 s to 0.013000 s" in details(), details())
    wheel(600, 40, 100)
    soon(lambda: not js("location.hash").startswith("#t=10000000,"),
         js("location.hash"))


@alone
def shows_loss():
    """the page shows where rows were lost, and draws no line through it"""
    r = slow_request()
    r.lose(0, "service-ns", 7)
    r.row(90 * MS, 0, "service-ns", CRUNCH, NONE, 1 * MS)
    opened(r)
    check("7 rows lost" in js("document.getElementById('note').textContent"))
    field = browser.find_element(By.ID, "search")
    field.send_keys("lost", Keys.ENTER)
    check("rows lost from 0.050000 s for 39.000 ms" in details(), details())
    check(js("""(() => { const l = timeline.lanes[0];
        return l.what.some((w, i) => w >= 5 && l.begin[i] < 89e6 &&
                                     l.begin[i + 1] > 50.1e6); })()""") is False)


@alone
def hostile_names():
    """names with markup are text: no script runs, no element appears"""
    names = ["</script><script>document.title='bad'</script>",
             "<img src=x onerror=\"document.title='bad'\">", "--><b>disk"]
    r = slow_request()
    for domain, name in zip(r.host["domains"], names):
        domain["name"] = name
    page = opened(r)
    at(x_of(43 * MS), lane_y(names[2])).click().perform()
    soon(lambda: names[0] in details(), details())
    check(js("document.title") == "xensched timeline")
    check(js("document.querySelectorAll('img, b').length") == 1)
    with open(page) as file:
        text = file.read()
    check("onerror" not in text and "bad'" not in text)


@alone
def shows_threads():
    """threads have lanes below their vCPU, arrows, and statistics"""
    opened(slow_request_with_threads())
    check(js("timeline.lanes.map((l) => l.name)") ==
          ["pCPU 0", "pCPU 1", "pCPU 3", "Domain-0", "2.xvda-0 77", "crunch",
           "disk", "writer<b>& 301", "cp 300"])
    lane = "timeline.lanes[7]"
    check(js("[...%s.what]" % lane) == [0, 3, 5, 4, 3, 5, 3, 5],
          js("[...%s.what]" % lane))
    check(js("[...%s.begin].slice(1, 4)" % lane) ==
          [MS // 4, MS // 2, MS + 500])
    # cp wakes the writer, which later wakes cp: each from its own lane.
    arrows = js("[...timeline.arrows.sent].map((s, i) => "
                "[s, timeline.arrows.from[i], timeline.arrows.to[i]])")
    for arrow in ([MS // 4, 9, 8], [41 * MS, 8, 9], [40 * MS + 1000, 0, 5]):
        check(arrow in arrows, arrow, arrows)
    check([a[0] for a in arrows] == sorted(a[0] for a in arrows), arrows)


@alone
def shows_marks():
    """regions have lanes below their vCPU; counts and labels; a click or a search shows them"""
    opened(marked())
    check(js("timeline.lanes.map((l) => l.name)") ==
          ["pCPU 0", "pCPU 1", "pCPU 3", "Domain-0", "crunch", "disk",
           "regions", "regions"])
    check(js("[...timeline.lanes[6].begin].slice(1, 3)") == [MS // 2, 42 * MS])
    at(x_of(20 * MS), lane_y("regions")).click().perform()
    soon(lambda: "disk, regions: request from 0.000500 s for 41.500 ms" in
         details(), details())
    browser.find_element(By.ID, "search").send_keys("use", Keys.ENTER)
    soon(lambda: "disk, regions: use from 0.041000 s for 2.000 ms" in details(),
         details())
    below = js("timeline.lanes.length + timeline.counters.map((c) => c.name)"
               ".indexOf('disk: jobs')")
    at(x_of(42 * MS), 24 + 22 * below + 11).click().perform()
    soon(lambda: "disk: jobs: %d counted at" % (2 ** 40 + 5) in details(),
         details())


@alone
def explains_threads():
    """a click on a thread's run leads through its vCPU to the domain that delayed it"""
    opened(slow_request_with_threads())
    at(x_of(41 * MS), lane_y("writer<b>& 301")).click().perform()
    soon(lambda: "writer<b>& 301 ran on disk" in details(), details())
    for words in ("disk, writer<b>& 301: ran on disk from 0.040700 s",
                  "woken by an interrupt at 0.040600 s",
                  "disk ran on pCPU 1 at 0.040600 s", "notified by Domain-0",
                  "2.xvda-0 77 ran on Domain-0 at 0.040002 s",
                  "Domain-0 ran on pCPU 0 at 0.040000 s", "crunch 39.000 ms"):
        check(words in details(), words, details())
    at(x_of(43 * MS), lane_y("cp 300")).click().perform()
    soon(lambda: "cp 300 ran on disk" in details(), details())
    for words in ("waited 1.000 ms, while there ran: writer<b>& 301 1.000 ms",
                  "woken by writer<b>& 301 at 0.041000 s"):
        check(words in details(), words, details())


def painted(points):
    """For each (counter, ns, height), 0 at the bottom: whether the page draws there."""
    names = js("timeline.counters.map((c) => c.name)")
    top = 24 + 22 * js("timeline.lanes.length") + 3
    places = [[x_of(ns), top + 22 * names.index(name) + 15 - round(high * 14),
               top + 22 * names.index(name) - 2] for name, ns, high in points]
    return js("""((places) => { timeline.paint();
        const c = document.getElementById('canvas'), s = c.width / c.clientWidth;
        const all = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        const at = (x, y) => [0, 1, 2].map((i) => all[i +
            4 * (Math.floor(y * s) * c.width + Math.floor(x * s))]).join();
        return places.map(([x, y, nothing]) => at(x, y) !== at(x, nothing));
        })(%s)""" % places)


@alone
def shows_counters():
    """run queues, memory and rates are steps; a click or a selection gives their values"""
    opened(with_counters(), "#t=0,50000000&s=12000000,28000000")
    found = js("timeline.counters.map((c) => [c.name, [...c.begin], "
               "[...c.value]])")
    check(found == [
        ["run queue 0", [0, 20 * MS, 30 * MS, 50 * MS], [3, 1, 2]],
        ["memory of disk", [5 * MS, 25 * MS, 50 * MS], [1 << 20, 2 << 20]],
        ["Domain-0 notifies disk", [0, 40 * MS, 50 * MS], [0, 100]],
        ["disk notifies Domain-0", [0, 10 * MS, 50 * MS], [100, 0]]], found)
    check("disk notifies Domain-0 0 per second to 0 per second" in details(),
          details())
    check("run queue 0          1 runnable to 3 runnable" in details() and
          "memory of disk       1 MiB to 2 MiB" in details(), details())
    browser.find_element(By.TAG_NAME, "body").send_keys(Keys.ESCAPE)
    drawn = painted([("run queue 0", 10 * MS, 1), ("run queue 0", 22 * MS, 1),
                     ("run queue 0", 22 * MS, 0), ("run queue 0", 40 * MS, 0.5),
                     ("run queue 0", 40 * MS, 0.9),
                     ("memory of disk", 3 * MS, 0),
                     ("memory of disk", 15 * MS, 0.3),
                     ("memory of disk", 15 * MS, 0.7),
                     ("memory of disk", 40 * MS, 0.9)])
    check(drawn == [True, False, True, True, False, False, True, False, True],
          drawn)
    at(x_of(22 * MS), lane_y("disk") + 22).click().perform()
    soon(lambda: "run queue 0: 1 runnable at 0.02" in details(), details())


@alone
def shows_lost_counters():
    """after lost rows a counter has no value, until its next row"""
    opened(with_counters(True))
    # Rows of the run queue were lost; lost rows of memory may be of any domain.
    found = js("timeline.counters.map((c) => [c.name, [...c.begin], "
               "[...c.value]])")
    check(found == [
        ["run queue 0", [0, 20 * MS, 30 * MS, 30 * MS, 45 * MS, 50 * MS],
         [3, 1, 2, -1, 3]],
        ["memory of Domain-0", [45 * MS, 50 * MS], [409600]],
        ["memory of disk", [5 * MS, 5 * MS, 25 * MS, 50 * MS],
         [1 << 20, -1, 2 << 20]],
        ["Domain-0 notifies disk", [0, 40 * MS, 50 * MS], [0, 100]],
        ["disk notifies Domain-0", [0, 10 * MS, 50 * MS], [100, 0]]], found)
    at(x_of(40 * MS), lane_y("disk") + 22).click().perform()
    soon(lambda: "run queue 0: rows lost at 0.0" in details(), details())


@alone
def many_threads():
    """the page shows only the busiest of thousands of threads, and says so"""
    r = Recording(["Domain-0", "guest"])
    r.row(0, 0, "runq", XEN)
    guest = r.source(GUEST, 1)
    r.name(0, guest, 0, 2999, "</script><img src=x onerror=alert(1)>", 2999)
    now = 0
    for pid in range(1, 3001):
        r.switch(now, guest, 0, pid - 1, pid)
        now += pid
    r.row(now, 0, "runq", XEN)
    opened(r)
    check(js("timeline.lanes.filter((l) => l.kind === 'thread').length") == 400)
    check("2600 threads" in js("document.getElementById('note').textContent"))
    check(js("timeline.lanes.some((l) => l.name === '</script><img s 2999')"))
    check(js("document.querySelectorAll('img').length") == 0)


@alone
def policy_holds():
    """the page runs only the viewer's script, and fetches nothing"""
    opened(slow_request())
    check(js("""(() => { const s = document.createElement('script');
        s.textContent = "window.ran = 1"; document.body.append(s);
        return window.ran === undefined; })()""") is True)
    failed = browser.execute_async_script(
        "const done = arguments[0];"
        "fetch('http://127.0.0.1:9/').then(() => done('fetched'),"
        " () => done('failed'))")
    check(failed == "failed", failed)
    check("Content Security Policy" in str(browser.get_log("browser")))


@alone
def hostile_numbers():
    """a page with 2^32 lost rows, and times and counters of any size, works"""
    r = Recording(["Domain-0", "crunch"])
    r.stay(0, 5 * MS, 0, DOM0, CRUNCH)
    r.lose(0, "service-ns", 2 ** 32)
    for ns in (2 ** 40, 2 ** 50, 2 ** 62):
        r.row(ns, 0, "service-ns", CRUNCH, DOM0, 2 ** 63)
        r.row(ns + 1, 2, "mark", DISK, DOM0, 2 ** 64 - 1)
    opened(r)
    check("4294967296 rows lost" in
          js("document.getElementById('note').textContent"))
    browser.find_element(By.TAG_NAME, "body").send_keys("+", "-", "0")
    check(len(view()) == 2)


@alone
def cut_anywhere():
    """the page of a recording that is cut off shows the rows before, and says so"""
    whole = slow_request().bytes()
    for size in (64, len(whole) // 3, len(whole) // 2, len(whole) - 1):
        file = path("recording")
        with open(file, "wb") as f:
            f.write(whole[:size])
        opened(file, code=1)
        check("cut off" in js("document.getElementById('note').textContent"))


@alone
def nonsense():
    """a page of random rows, of Xen and of guests, cut anywhere, works"""
    rng = random.Random(16)
    for _ in range(4):
        r = slow_request_with_threads()
        for source in (0, 1, 2):
            for cpu in (0, 1, 77):
                r.files.setdefault((cpu, 9, source), []).extend(
                    rng.randbytes(FULL_ROW.size) for _ in range(200))
        whole = r.bytes()
        file = path("recording")
        with open(file, "wb") as f:
            f.write(whole[:rng.randrange(len(whole) // 2, len(whole))])
        opened(file, code=1)
        body = browser.find_element(By.TAG_NAME, "body")
        body.send_keys("+", "+", Keys.ARROW_RIGHT, "-", "0")
        browser.find_element(By.ID, "search").send_keys("lost", Keys.ENTER)
        check(not browser.get_log("browser"), "the browser complains")


@alone
def shows_layers():
    """rings have lanes with arrows from the front end; a click on a decision shows its reason"""
    opened(through_all_layers())
    names = js("timeline.lanes.map((l) => l.name)")
    ring = names.index("asks Domain-0")
    check(names[ring - 3:ring] == ["disk", "writer<b>& 301", "cp 300"], names)
    check(js("[...timeline.lanes[%d].begin].slice(1, 4)" % ring) ==
          [1 * MS, 40 * MS + 400000, 40 * MS + 450000])
    arrows = js("[...timeline.arrows.sent].map((s, i) => [s, timeline.arrows"
                ".from[i], timeline.arrows.to[i], timeline.arrows.ran[i]])")
    check([1 * MS, names.index("disk") + 1, ring + 1, 40 * MS + 400000] in
          arrows, arrows)
    at(x_of(20 * MS), lane_y("asks Domain-0")).click().perform()
    soon(lambda: "disk, asks Domain-0: read from 0.001000 s for 39.400 ms" in
         details(), details())
    decision = js("timeline.instants.t[[...timeline.instants.kind].indexOf(65)]")
    at(x_of(decision), lane_y("disk") - 8).click().perform()
    soon(lambda: "disk: xenschedd: move to pCPUs 2-3: 98 % of its "
         "<b>interactions" in details(), details())
    check(js("document.querySelectorAll('b').length") == 1)
    browser.find_element(By.ID, "search").send_keys("it is better", Keys.ENTER)
    soon(lambda: "Domain-0: xenschedd: outcome: it is better" in details(),
         details())


@alone
def shows_foreign_traces():
    """events of another program's trace have a lane, and show their contents"""
    r = marked()
    r.system_times = [(0, 0)]
    file, page = r.write(path("recording")), path("page") + ".html"
    trace = foreign_trace([(20 * MS, b"<img src=x onerror=alert(1)>")])
    run("timeline", file, "--html", page, "--with", trace).expect(0)
    browser.get("file://" + os.path.abspath(page))
    soon(lambda: js("document.documentElement.dataset.ready"))
    lane = js("timeline.lanes[timeline.lanes.length - 1]")
    check(lane["kind"] == "foreign", lane)
    at(x_of(20 * MS), lane_y(lane["name"]) - 8).click().perform()
    soon(lambda: "said: what = <img src=x onerror=alert(1)>" in details(),
         details())
    check(js("document.querySelectorAll('img').length") == 0)


def foreign_trace(events):
    """The smallest trace in CTF: (ns, text)."""
    folder = path("foreign")
    os.mkdir(folder)
    with open(folder + "/metadata", "w", encoding="ascii") as file:
        file.write("""/* CTF 1.8 */
            typealias integer { size = 64; align = 8; signed = false; } := u64;
            trace { major = 1; minor = 8; byte_order = le; };
            stream { event.header := struct { u64 timestamp; }; };
            event { name = said; fields := struct { string what; }; };""")
    with open(folder + "/stream", "wb") as file:
        for ns, text in events:
            file.write(struct.pack("<Q", ns) + text + b"\0")
    return folder


@alone
def size():
    """the viewer is small: a page without rows has less than 300 KB"""
    check(os.stat(opened(slow_request())).st_size < 300000)


try:
    main()
finally:
    browser.quit()
