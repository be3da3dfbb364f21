/* SPDX-License-Identifier: GPL-2.0-only */
/* details.js - the text below the picture: what ran, for how long, and why so late. */

/* Adds up for how long of from..to a lane was what; name(what) may be null. */
function addUp(sums, lane, from, to, name) {
    for (let i = Math.max(0, above(lane.begin, from, lane.what.length) - 1);
        i < lane.what.length && lane.begin[i] < to; i++) {
        const d = Math.min(lane.begin[i + 1], to) - Math.max(lane.begin[i], from);
        const words = name(lane.what[i]);
        if (words && d > 0)
            sums.set(words, (sums.get(words) || 0) + d);
    }
}

/* Names of what had a pCPU, or of what a thread runs on, the longest first. */
function holders(kind, number, from, to) {
    const sums = new Map();
    if (kind === "vcpu")
        addUp(sums, lanes[number], from, to, (w) => w >= RUN
            ? meta.vcpus[w - RUN].name : w === IDLE ? "idle"
            : w === LOST ? "rows lost" : "not known");
    else
        lanes.filter((l) => l.kind === "thread").forEach((l) =>
            addUp(sums, l, from, to, (w) => w === RUN + number ? l.name : null));
    return [...sums].sort((a, b) => b[1] - a[1]).map(([name, ns]) => name + " " +
        length(ns)).join(", ");
}

const KINDS = ["not known", "rows lost", "blocked", "runnable",
    "blocked, usually for a device"];

function describe(lane, i) {
    const l = lanes[lane], w = l.what[i], d = l.begin[i + 1] - l.begin[i];
    if (l.kind === "foreign")
        return l.name;
    const what = w >= RUN ? (l.kind === "vcpu" || l.kind === "thread" ? "ran on " : "") +
        nameOf(l, w) : l.kind === "cpu" && w === IDLE ? "idle" : KINDS[w];
    return (l.of ? l.of + ", " : "") + l.name + ": " + what + " from " + time(l.begin[i]) + " for " + length(d);
}

/* The arrow that made lane @to ready at @ready, or -1. */
function causeOf(to, ready) {
    for (let a = above(arrows.sent, ready + 5000, arrows.n) - 1;
        a >= 0 && arrows.sent[a] > ready - 1.1e6; a--)
        if (arrows.to[a] === to + 1 && Math.abs(arrows.woken[a] - ready) < 1)
            return a;
    return -1;
}

/* The slice in which lane @at ran at @t, or -1. */
function runAt(at, t) {
    const l = lanes[at], i = above(l.begin, t, l.what.length) - 1;
    return i >= 0 && l.what[i] >= RUN ? i : -1;
}

/* The thread that had vCPU lane @at at @t, or that lane if none is known. */
function threadOn(at, t) {
    const on = (l, k) => l.kind === "thread" && runAt(k, t) >= 0 &&
        placeLane(l.what[runAt(k, t)] - RUN) === at;
    const thread = lanes.findIndex(on);
    return thread < 0 ? at : thread;
}

/*
 * Why did the run that this slice is, or waits for, come so late?  As chain.c has
 * it: by way of what woke it, or of its vCPU if that was late.
 */
function chain(at, i) {
    const out = [];
    let did = 0;
    for (let depth = 0; depth < 16 && at >= 0 && (lanes[at].kind === "vcpu" ||
        lanes[at].kind === "thread"); depth++) {
        const l = lanes[at], thread = l.kind === "thread";
        while (i < l.what.length && l.what[i] < RUN)
            i++;
        if (i < 0 || i >= l.what.length)
            break;
        const ran = l.begin[i], on = l.what[i] - RUN;
        let ready = ran;
        out.push(l.name + " ran on " + nameOf(l, l.what[i]) + " at " + time(ran));
        if (i && l.what[i - 1] === RUNNABLE) {
            ready = l.begin[i - 1];
            out.push("  after it waited " + length(ran - ready) +
                ", while there ran: " + holders(l.kind, on, ready, ran));
        }
        did = depth ? did : ran;
        const vcpu = thread ? placeLane(on) : -1;
        const late = vcpu >= 0 ? runAt(vcpu, did) : -1;
        if (late >= 0 && lanes[vcpu].begin[late] > ready) {
            out.push("  but " + lanes[vcpu].name + " had a pCPU from " +
                time(lanes[vcpu].begin[late]) + " only");
            at = vcpu;
            i = late;
            continue;
        }
        const cause = causeOf(at, ready);
        const word = thread ? "woken" : "notified";
        if (cause < 0)
            break;
        did = arrows.sent[cause];
        out.push("  " + word + (arrows.from[cause] ? " by " +
            lanes[arrows.from[cause] - 1].name : thread ? " by an interrupt" : "") +
            " at " + time(did));
        /* Which its vCPU took: why did that run? */
        at = arrows.from[cause] ? arrows.from[cause] - 1 : vcpu;
        if (at >= 0 && !thread)
            at = threadOn(at, did);
        i = at < 0 ? -1 : runAt(at, did);
        if (i < 0)
            break;
    }
    return out.join("\n");
}

function statistics(from, to) {
    const out = ["selected: " + time(from) + " to " + time(to) + " (" +
        length(to - from) + ")"];
    for (const l of lanes) {
        if (l.kind === "region" || l.kind === "foreign")
            continue;
        const sums = [0, 0, 0, 0, 0, 0];
        let runs = 0;
        for (let i = Math.max(0, above(l.begin, from, l.what.length) - 1);
            i < l.what.length && l.begin[i] < to; i++) {
            const d = Math.min(l.begin[i + 1], to) - Math.max(l.begin[i], from);
            sums[Math.min(l.what[i], RUN)] += Math.max(d, 0);
            runs += l.what[i] >= RUN;
        }
        if (l.kind === "ring") {
            out.push((l.of + " " + l.name).padEnd(20) + " " + runs + " requests, " +
                length(sums[RUN]));
            continue;
        }
        out.push(l.name.padEnd(20) + " ran " + length(sums[RUN]) + " in " + runs +
            " runs" + (l.kind !== "cpu" ? ", runnable " + length(sums[RUNNABLE]) +
            ", blocked " + length(sums[IDLE] + sums[DEVICE])
            : ", idle " + length(sums[IDLE])) +
            (sums[LOST] ? ", rows lost " + length(sums[LOST]) : "") +
            (sums[UNKNOWN] ? ", not known " + length(sums[UNKNOWN]) : ""));
    }
    let n = 0;
    for (let i = above(arrows.sent, from, arrows.n); i < above(arrows.sent, to, arrows.n); i++)
        n += lanes[arrows.to[i] - 1].kind !== "ring";
    out.push(n + " wake-ups");
    counters.forEach((counter) => out.push(sayCounter(counter, from, to)));
    return out.join("\n");
}

/* What a counter was, of the values from @t to @to. */
function sayCounter(counter, t, to) {
    const i = counterAt(counter, t);
    if (to === undefined)
        return counter.name + ": " + (i < 0 ? "not known yet"
            : counterText(counter, counter.value[i])) + " at " + time(t);
    const some = [...counter.value.slice(Math.max(i, 0),
        counterAt(counter, to) + 1)].filter((v) => v >= 0);
    return counter.name.padEnd(20) + " " + (some.length
        ? counterText(counter, some.reduce((a, b) => Math.min(a, b))) + " to " +
        counterText(counter, some.reduce((a, b) => Math.max(a, b))) : "not known");
}

/* What the daemon did, what a guest marked, what a foreign trace has. */
function sayInstant(i) {
    const kind = instants.kind[i], value = instants.value[i];
    return time(instants.t[i]) + " " + lanes[instants.lane[i]].name + ": " +
        (kind === DECISION ? "xenschedd: " : "") +
        (kind >= TEXT ? meta.texts[value] : kind === 10 ? "migrates from pCPU " +
        Math.floor(value / 65536) + " to " + value % 65536 : "mark " + value);
}

function tell() {
    const parts = [];
    if (view.value)
        parts.push(sayCounter(...view.value));
    if (view.instant !== null)
        parts.push(sayInstant(view.instant));
    if (view.picked)
        parts.push(describe(view.picked.lane, view.picked.i),
            chain(view.picked.lane, view.picked.i));
    if (view.select)
        parts.push(statistics(...view.select));
    fail(parts.filter((p) => p).join("\n") || meta.text);
}

function pick(px, py) {
    const lane = Math.floor((py - TOP) / LANE), t = timeAt(px);
    const counter = counters[lane - lanes.length];
    view.picked = null;
    view.value = counter && px >= LEFT ? [counter, t] : null;
    const instant = px >= LEFT ? instantAt(px, py) : -1;
    view.instant = instant < 0 ? null : instant;
    if (lane >= 0 && lane < lanes.length && px >= LEFT) {
        const i = above(lanes[lane].begin, t, lanes[lane].what.length) - 1;
        if (i >= 0)
            view.picked = { lane, i };
    }
    tell();
    draw();
}

/* The next instant behind @now whose text has these words, or before it; -1. */
function searchTexts(words, now, back) {
    const step = back ? -1 : 1;
    for (let i = back ? above(instants.t, now - 1, instants.n) - 1
        : above(instants.t, now, instants.n); i >= 0 && i < instants.n; i += step)
        if (instants.kind[i] >= TEXT &&
            meta.texts[instants.value[i]].toLowerCase().includes(words))
            return i;
    return -1;
}

/* The next slice, after what is picked, of a lane or a domain of that name; or text. */
function search(back) {
    const words = $("search").value.toLowerCase();
    if (!words)
        return;
    const now = view.instant !== null ? instants.t[view.instant]
        : view.picked ? lanes[view.picked.lane].begin[view.picked.i]
        : back ? Infinity : -1;
    let best = null;
    const named = new Set();
    meta.vcpus.forEach((v, i) => {
        if (v.name.toLowerCase().includes(words))
            named.add(i);
    });
    lanes.forEach((l, lane) => {
        const own = l.name.toLowerCase().includes(words) || words === "lost";
        const n = l.what.length, step = back ? -1 : 1;
        for (let i = back ? above(l.begin, now - 1, n) - 1 : above(l.begin, now, n);
            i >= 0 && i < n; i += step) {
            const w = l.what[i];
            const hit = words === "lost" ? w === LOST : w >= RUN &&
                (own || (l.kind === "cpu" && named.has(w - RUN)) ||
                (l.kind === "region" &&
                    meta.regions[w - RUN].toLowerCase().includes(words)));
            if (!hit)
                continue;
            if (!best || (back ? l.begin[i] > best.t : l.begin[i] < best.t))
                best = { lane, i, t: l.begin[i] };
            break;
        }
    });
    const i = searchTexts(words, now, back);
    if (i >= 0 && (!best || (back ? instants.t[i] > best.t : instants.t[i] < best.t)))
        best = { lane: instants.lane[i], instant: i, t: instants.t[i] };
    $("found").textContent = best ? lanes[best.lane].name + ", " + time(best.t)
        : "not found";
    if (best) {
        view.instant = best.instant ?? null;
        view.picked = best.instant === undefined ? best : null;
        const half = (view.to - view.from) / 2;
        if (best.t < view.from || best.t > view.to)
            show(best.t - half, best.t + half);
        tell();
        draw();
    }
}
