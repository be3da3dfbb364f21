/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The timeline's viewer.  It asks nobody for anything: all that it shows is in
 * the page.  Names come from a recording, that is from anybody, so they are
 * drawn or set as text, never as markup.
 */
"use strict";
(async () => {
const UNKNOWN = 0, LOST = 1, IDLE = 2, RUNNABLE = 3, DEVICE = 4, RUN = 5;
const LANE = 22, BAR = 16, LEFT = 150, TOP = 24, FAN = 16;
const $ = (id) => document.getElementById(id);
const fail = (text) => { $("details").textContent = text; };

/* What is in the page. */

const SIXES = new Uint8Array(128);
"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    .split("").forEach((c, i) => { SIXES[c.charCodeAt(0)] = i; });

function bytesOf(text) {
    const end = text.indexOf("="), n = end < 0 ? text.length : end;
    const out = new Uint8Array(Math.floor(n * 3 / 4));
    let at = 0;
    for (let i = 0; i < n; i += 4) {
        const v = SIXES[text.charCodeAt(i)] << 18 |
            SIXES[text.charCodeAt(i + 1)] << 12 |
            (i + 2 < n ? SIXES[text.charCodeAt(i + 2)] << 6 : 0) |
            (i + 3 < n ? SIXES[text.charCodeAt(i + 3)] : 0);
        out[at++] = v >> 16;
        out[at++] = v >> 8;
        out[at++] = v;
    }
    return out;
}

async function inflated(id) {
    const packed = new Blob([bytesOf($(id).textContent)]).stream();
    const stream = packed.pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

let meta, data;
try {
    meta = JSON.parse(new TextDecoder().decode(await inflated("meta")));
    data = await inflated("data");
} catch (e) {
    fail("This page is damaged: " + e);
    return;
}

let at = 0;
function number() {
    let value = 0, scale = 1, b;
    do {
        b = data[at++];
        value += (b & 127) * scale;
        scale *= 128;
    } while (b > 127);
    return value;
}

/*
 * A lane has slices, in order; each lasts until the next one.  Level k has for
 * each FAN ** k of them how much of their time each kind took.
 */
function readLane(info) {
    const n = info.slices, begin = new Float64Array(n + 1);
    const what = new Uint16Array(n);
    let t = 0;
    at = info.offset;
    for (let i = 0; i < n; i++) {
        t += number();
        begin[i] = t;
        what[i] = Math.min(number(), 65535);
    }
    begin[n] = Math.max(t, meta.end);
    const lane = { ...info, begin, what, levels: [] };
    let lower = null, count = n;
    while (count > FAN) {
        const m = Math.ceil(count / FAN), size = FAN ** (lane.levels.length + 1);
        const run = new Float32Array(m), wait = new Float32Array(m);
        const lost = new Uint8Array(m), most = new Uint16Array(m);
        for (let g = 0; g < m; g++) {
            let best = 0;
            for (let i = g * FAN; i < Math.min((g + 1) * FAN, count); i++) {
                const w = lower ? lower.most[i] : what[i];
                const d = lower ? lower.run[i]
                    : w >= RUN ? begin[i + 1] - begin[i] : 0;
                run[g] += d;
                wait[g] += lower ? lower.wait[i]
                    : w === RUNNABLE ? begin[i + 1] - begin[i] : 0;
                lost[g] |= lower ? lower.lost[i] : w === LOST;
                if (w >= RUN && d >= best) {
                    best = d;
                    most[g] = w;
                }
            }
        }
        lower = { run, wait, lost, most, size };
        lane.levels.push(lower);
        count = m;
    }
    return lane;
}

const lanes = meta.lanes.map(readLane);
const arrows = {
    n: meta.arrows.n,
    sent: new Float64Array(meta.arrows.n), woken: new Float64Array(meta.arrows.n),
    ran: new Float64Array(meta.arrows.n), from: new Uint16Array(meta.arrows.n),
    to: new Uint16Array(meta.arrows.n),
};
at = meta.arrows.offset;
for (let i = 0, t = 0; i < arrows.n; i++) {
    t += number();
    arrows.sent[i] = t;
    arrows.from[i] = number();
    arrows.to[i] = number();
    arrows.woken[i] = t + number();
    arrows.ran[i] = arrows.woken[i] + number();
}
const instants = [];
at = meta.instants.offset;
for (let i = 0, t = 0; i < meta.instants.n; i++) {
    t += number();
    instants.push({ t, lane: number(), kind: number(), value: number() });
}
/* Of a vCPU, by its index; of the vCPU that a thread ran on, or -1. */
const vcpuLane = new Map();
lanes.forEach((l, i) => {
    if (l.kind === "vcpu")
        vcpuLane.set(l.vcpu, i);
});
const placeLane = (place) => vcpuLane.get(meta.places[place].vcpu) ?? -1;

/* Times. */

function length(ns) {
    const a = Math.abs(ns);
    return a < 1e3 ? ns.toFixed(0) + " ns" : a < 1e6 ? (ns / 1e3).toFixed(2) + " µs"
        : a < 1e9 ? (ns / 1e6).toFixed(3) + " ms" : (ns / 1e9).toFixed(3) + " s";
}
const time = (ns) => (ns / 1e9).toFixed(6) + " s";

/* The first index of sorted @list whose value is above @t. */
function above(list, t, n) {
    let low = 0, high = n;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (list[middle] <= t) low = middle + 1; else high = middle;
    }
    return low;
}

/* What is seen: times from..to; a selection of times; what was clicked. */

const view = { from: 0, to: Math.max(meta.end, 1), select: null, picked: null,
    found: null };

function readHash() {
    const m = /^#t=([\d.]+),([\d.]+)(?:&s=([\d.]+),([\d.]+))?$/.exec(location.hash);
    if (m && +m[2] > +m[1]) {
        view.from = +m[1];
        view.to = +m[2];
        view.select = m[3] ? [+m[3], +m[4]] : null;
    }
}

let hashTimer = 0;
function writeHash() {
    clearTimeout(hashTimer);
    hashTimer = setTimeout(() => {
        let hash = "#t=" + view.from.toFixed(0) + "," + view.to.toFixed(0);
        if (view.select)
            hash += "&s=" + view.select.map((t) => t.toFixed(0)).join(",");
        history.replaceState(null, "", hash);
    }, 150);
}

/* Drawing. */

const canvas = $("canvas"), c = canvas.getContext("2d");
let width = 0, wanted = false, frames = 0;
const style = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();
let colours = {};

function dark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark"
        : matchMedia("(prefers-color-scheme: dark)").matches;
}

const ofDomain = (domain, much) => "hsl(" + (domain * 137.5 + 210) % 360 + " " +
    much + "% " + (dark() ? 55 : 48) + "%)";

function setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    colours = { back: style("--back"), text: style("--text"),
        faint: style("--faint"), line: style("--line"), mark: style("--mark"),
        select: style("--select"), domain: [] };
    meta.vcpus.forEach((v) => colours.domain.push(ofDomain(v.domain, 60)));
    lanes.forEach((l) => { l.colour = ofDomain(l.domain, 35); });
    draw();
}

function colour(lane, what) {
    if (what >= RUN)
        return lane.kind === "thread" ? lane.colour
            : colours.domain[lane.kind === "cpu" ? what - RUN : lane.vcpu];
    return what === RUNNABLE ? "#e8a200" : what === DEVICE ? "#9a6fc4"
        : what === LOST ? colours.mark : null;
}

const x = (t) => LEFT + (t - view.from) / (view.to - view.from) * (width - LEFT);
const timeAt = (px) => view.from +
    (px - LEFT) / (width - LEFT) * (view.to - view.from);
const y = (i) => TOP + i * LANE;

function hatch(x0, x1, top) {
    c.save();
    c.beginPath();
    c.rect(x0, top, Math.max(x1 - x0, 2), BAR);
    c.clip();
    c.strokeStyle = colours.mark;
    c.lineWidth = 1;
    c.beginPath();
    for (let i = Math.floor(x0 / 6) * 6 - BAR; i < x1; i += 6) {
        c.moveTo(i, top + BAR);
        c.lineTo(i + BAR, top);
    }
    c.stroke();
    c.restore();
}

/* Who runs on a pCPU, or on what a vCPU or a thread does. */
function who(lane, what) {
    return lane.kind === "cpu" ? meta.vcpus[what - RUN].name
        : lane.kind === "vcpu" ? meta.lanes[what - RUN].name
        : meta.places[what - RUN].name;
}

function drawSlice(lane, i, top) {
    const what = lane.what[i];
    if (what === UNKNOWN || what === IDLE)
        return;
    const x0 = Math.max(x(lane.begin[i]), LEFT);
    const x1 = Math.min(x(lane.begin[i + 1]), width);
    if (x1 < LEFT || x0 > width)
        return;
    if (what === LOST) {
        hatch(x0, x1, top);
        return;
    }
    const d = lane.begin[i + 1] - lane.begin[i];
    if (x1 - x0 < 1 && what !== LOST) {
        addToColumn(lane, x0, what >= RUN ? d : 0, what === RUNNABLE ? d : 0, 0,
            what, top);
        return;
    }
    c.fillStyle = colour(lane, what);
    const thin = what === RUNNABLE ? 5 : what === DEVICE ? 7 : 0;
    c.fillRect(x0, top + thin, Math.max(x1 - x0, 0.6), BAR - 2 * thin);
    if (what >= RUN && x1 - x0 > 40) {
        const label = who(lane, what);
        c.fillStyle = "#fff";
        c.fillText(fit(label, x1 - x0 - 6), x0 + 3, top + BAR - 4);
    }
}

function fit(text, room) {
    if (c.measureText(text).width <= room)
        return text;
    const n = Math.floor(text.length * room / c.measureText(text).width) - 1;
    return n > 0 ? text.slice(0, n) + "…" : "";
}

/*
 * What is too small to be seen as such is added up, one column of pixels after
 * the other: how much of it ran, who most, how long it waited.
 */
const column = { px: -1, run: 0, wait: 0, lost: 0, most: 0, best: 0 };

function drawColumn(lane, top) {
    const { px, run, wait } = column;
    const ns = (view.to - view.from) / (width - LEFT);
    const part = (sum) => Math.min(1, Math.max(0.15, sum / ns));
    if (px >= LEFT && column.lost)
        hatch(px, px + 1, top);
    if (px >= LEFT && wait > 0) {
        c.fillStyle = colour(lane, RUNNABLE);
        const high = (BAR - 10) * part(wait);
        c.fillRect(px, top + 5, 1, high);
    }
    if (px >= LEFT && run > 0) {
        c.fillStyle = colour(lane, column.most);
        const high = BAR * part(run);
        c.fillRect(px, top + BAR - high, 1, high);
    }
    column.px = -1;
    column.run = column.wait = column.lost = column.best = 0;
}

function addToColumn(lane, x0, run, wait, lost, most, top) {
    const px = Math.floor(x0);
    if (px !== column.px) {
        drawColumn(lane, top);
        column.px = px;
    }
    column.run += run;
    column.wait += wait;
    column.lost |= lost;
    if (run > column.best) {
        column.best = run;
        column.most = most;
    }
}

/* From the coarsest level down, as far as there is something to be seen. */
function drawPart(lane, level, g, top) {
    const n = lane.what.length;
    if (level < 0) {
        if (g < n)
            drawSlice(lane, g, top);
        return;
    }
    const size = lane.levels[level].size, first = g * size;
    const x0 = x(lane.begin[first]), x1 = x(lane.begin[Math.min(first + size, n)]);
    if (x1 < LEFT || x0 > width)
        return;
    if (x1 - x0 < 1) {
        const l = lane.levels[level];
        addToColumn(lane, x0, l.run[g], l.wait[g], l.lost[g], l.most[g], top);
        return;
    }
    const count = level ? lane.levels[level - 1].most.length : n;
    for (let i = g * FAN; i < Math.min((g + 1) * FAN, count); i++)
        drawPart(lane, level - 1, i, top);
}

function drawLane(lane, i) {
    const top = y(i) + 3, level = lane.levels.length - 1;
    const count = level < 0 ? lane.what.length : lane.levels[level].most.length;
    for (let g = 0; g < count; g++)
        drawPart(lane, level, g, top);
    drawColumn(lane, top);
}

/* Long arrows fade; where there would be too many, none. */
function drawArrows() {
    const first = above(arrows.sent, view.from - 5e7, arrows.n);
    const last = above(arrows.sent, view.to, arrows.n);
    if (last - first > 3000)
        return;
    for (let i = first; i < last; i++) {
        if (!arrows.from[i] || !arrows.to[i] || arrows.ran[i] < view.from)
            continue;
        const x0 = x(arrows.sent[i]), x1 = x(arrows.woken[i]), x2 = x(arrows.ran[i]);
        const y0 = y(arrows.from[i] - 1) + LANE / 2;
        const y1 = y(arrows.to[i] - 1) + LANE / 2;
        c.globalAlpha = Math.max(0.08, Math.min(0.9, 120 / (x2 - x0 + 1)));
        c.strokeStyle = c.fillStyle = colours.text;
        c.beginPath();
        c.moveTo(x0, y0);
        c.lineTo(x1, y1);
        c.lineTo(x2, y1);
        c.stroke();
        if (Math.abs(x2 - x0) < width) {
            c.beginPath();
            c.moveTo(x2, y1);
            c.lineTo(x2 - 5, y1 - 3);
            c.lineTo(x2 - 5, y1 + 3);
            c.fill();
        }
    }
    c.globalAlpha = 1;
}

function drawInstants() {
    const times = instants.length;
    let shown = 0;
    for (let i = 0; i < times && shown < 3000; i++) {
        const e = instants[i];
        if (e.t < view.from || e.t > view.to)
            continue;
        shown++;
        c.fillStyle = colours.mark;
        c.beginPath();
        c.moveTo(x(e.t), y(e.lane) + 8);
        c.lineTo(x(e.t) - 4, y(e.lane));
        c.lineTo(x(e.t) + 4, y(e.lane));
        c.fill();
    }
}

function drawAxis() {
    const span = view.to - view.from, ideal = span / Math.max(2, (width - LEFT) / 120);
    const power = 10 ** Math.floor(Math.log10(ideal));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= ideal);
    c.fillStyle = colours.faint;
    c.strokeStyle = colours.line;
    c.beginPath();
    for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
        c.moveTo(x(t), TOP - 6);
        c.lineTo(x(t), canvas.clientHeight);
        const digits = Math.min(9, Math.max(0, Math.ceil(9 - Math.log10(step))));
        c.fillText((t / 1e9).toFixed(digits) + " s", x(t) + 3, 13);
    }
    c.stroke();
}

function drawNames() {
    c.fillStyle = colours.back;
    c.fillRect(0, 0, LEFT - 1, canvas.clientHeight);
    lanes.forEach((lane, i) => {
        const in_ = lane.kind === "thread" ? 12 : 0;
        c.fillStyle = lane.kind === "cpu" ? colours.text
            : in_ ? lane.colour : colours.domain[lane.vcpu];
        c.fillText(fit(lane.name, LEFT - 12 - in_), 6 + in_, y(i) + LANE - 7);
    });
}

function paint() {
    wanted = false;
    frames++;
    const scale = devicePixelRatio || 1, high = y(lanes.length) + 10;
    width = Math.max($("stage").clientWidth, LEFT + 100);
    canvas.style.width = width + "px";
    canvas.style.height = high + "px";
    if (canvas.width !== Math.round(width * scale) ||
        canvas.height !== Math.round(high * scale)) {
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(high * scale);
    }
    c.setTransform(scale, 0, 0, scale, 0, 0);
    c.font = "12px system-ui, sans-serif";
    c.fillStyle = colours.back;
    c.fillRect(0, 0, width, high);
    drawAxis();
    lanes.forEach(drawLane);
    drawArrows();
    drawInstants();
    if (view.select) {
        c.fillStyle = colours.select;
        c.fillRect(x(view.select[0]), 0, x(view.select[1]) - x(view.select[0]), high);
    }
    if (view.picked) {
        const { lane, i } = view.picked, l = lanes[lane];
        c.strokeStyle = colours.text;
        c.lineWidth = 2;
        c.strokeRect(x(l.begin[i]), y(lane) + 2,
            Math.max(x(l.begin[i + 1]) - x(l.begin[i]), 2), BAR + 2);
        c.lineWidth = 1;
    }
    drawNames();
    $("range").textContent = time(view.from) + " to " + time(view.to) + " (" +
        length(view.to - view.from) + ")";
}

function draw() {
    if (!wanted) {
        wanted = true;
        requestAnimationFrame(paint);
    }
}

function show(from, to) {
    const least = 100, all = Math.max(meta.end, 1);
    let span = Math.min(Math.max(to - from, least), all * 1.1);
    if (to - from !== span)
        from = (from + to) / 2 - span / 2;
    from = Math.min(Math.max(from, -span * 0.05), Math.max(all - span * 0.95, 0));
    view.from = from;
    view.to = from + span;
    writeHash();
    draw();
}

function zoom(factor, px) {
    const t = timeAt(px);
    show(t - (t - view.from) * factor, t + (view.to - t) * factor);
}

/* Texts. */

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

/* Names of who had a pCPU, or what a thread runs on, the longest first. */
function holders(kind, number, from, to) {
    const sums = new Map();
    if (kind === "vcpu")
        addUp(sums, lanes[number], from, to, (w) => w >= RUN
            ? meta.vcpus[w - RUN].name : w === IDLE ? "idle"
            : w === LOST ? "rows lost" : "not known");
    else
        lanes.filter((l) => l.kind === "thread").forEach((l) =>
            addUp(sums, l, from, to, (w) => w === RUN + number ? l.name : null));
    return [...sums].sort((a, b) => b[1] - a[1]).map(([who, ns]) => who + " " +
        length(ns)).join(", ");
}

const KINDS = ["not known", "rows lost", "blocked", "runnable",
    "blocked, for a device as a rule"];

function describe(lane, i) {
    const l = lanes[lane], w = l.what[i], d = l.begin[i + 1] - l.begin[i];
    const what = w >= RUN ? (l.kind === "cpu" ? "" : "ran on ") + who(l, w)
        : l.kind === "cpu" && w === IDLE ? "idle" : KINDS[w];
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

/* Why did the run that this slice is, or waits for, come so late? */
function chain(at, i) {
    const out = [];
    for (let depth = 0; depth < 12 && lanes[at].kind !== "cpu"; depth++) {
        const l = lanes[at], thread = l.kind === "thread";
        while (i < l.what.length && l.what[i] < RUN)
            i++;
        if (i >= l.what.length)
            break;
        const ran = l.begin[i], on = l.what[i] - RUN;
        let ready = ran;
        out.push(l.name + " ran on " + who(l, l.what[i]) + " at " + time(ran));
        if (i && l.what[i - 1] === RUNNABLE) {
            ready = l.begin[i - 1];
            out.push("  after it waited " + length(ran - ready) +
                ", while there ran: " + holders(l.kind, on, ready, ran));
        }
        const cause = causeOf(at, ready);
        const word = thread ? "woken" : "notified";
        if (cause < 0)
            break;
        if (arrows.from[cause]) {
            at = arrows.from[cause] - 1;
            out.push("  " + word + " by " + lanes[at].name + " at " +
                time(arrows.sent[cause]));
        } else {
            out.push("  " + word + (thread ? " by an interrupt" : "") + " at " +
                time(arrows.sent[cause]));
            /* Which its vCPU took: why did that run? */
            at = thread ? placeLane(on) : -1;
            if (at < 0)
                break;
        }
        const from = lanes[at];
        i = above(from.begin, arrows.sent[cause], from.what.length) - 1;
        if (i < 0 || from.what[i] < RUN)
            break;
    }
    return out.join("\n");
}

function statistics(from, to) {
    const out = ["selected: " + time(from) + " to " + time(to) + " (" +
        length(to - from) + ")"];
    for (const l of lanes) {
        const sums = [0, 0, 0, 0, 0, 0];
        let runs = 0;
        for (let i = Math.max(0, above(l.begin, from, l.what.length) - 1);
            i < l.what.length && l.begin[i] < to; i++) {
            const d = Math.min(l.begin[i + 1], to) - Math.max(l.begin[i], from);
            sums[Math.min(l.what[i], RUN)] += Math.max(d, 0);
            runs += l.what[i] >= RUN;
        }
        out.push(l.name.padEnd(20) + " ran " + length(sums[RUN]) + " in " + runs +
            " runs" + (l.kind !== "cpu" ? ", runnable " + length(sums[RUNNABLE]) +
            ", blocked " + length(sums[IDLE] + sums[DEVICE])
            : ", idle " + length(sums[IDLE])) +
            (sums[LOST] ? ", rows lost " + length(sums[LOST]) : "") +
            (sums[UNKNOWN] ? ", not known " + length(sums[UNKNOWN]) : ""));
    }
    const n = above(arrows.sent, to, arrows.n) - above(arrows.sent, from, arrows.n);
    out.push(n + " wake-ups");
    return out.join("\n");
}

function tell() {
    const parts = [];
    if (view.picked)
        parts.push(describe(view.picked.lane, view.picked.i),
            chain(view.picked.lane, view.picked.i));
    if (view.select)
        parts.push(statistics(...view.select));
    fail(parts.filter((p) => p).join("\n") || meta.text);
}

function pick(px, py) {
    const lane = Math.floor((py - TOP) / LANE), t = timeAt(px);
    view.picked = null;
    if (lane >= 0 && lane < lanes.length && px >= LEFT) {
        const i = above(lanes[lane].begin, t, lanes[lane].what.length) - 1;
        if (i >= 0)
            view.picked = { lane, i };
    }
    tell();
    draw();
}

/* The next slice, after what is picked, of a lane or a domain of that name. */
function search(back) {
    const words = $("search").value.toLowerCase();
    if (!words)
        return;
    const now = view.picked ? lanes[view.picked.lane].begin[view.picked.i]
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
                (own || (l.kind === "cpu" && named.has(w - RUN)));
            if (!hit)
                continue;
            if (!best || (back ? l.begin[i] > best.t : l.begin[i] < best.t))
                best = { lane, i, t: l.begin[i] };
            break;
        }
    });
    $("found").textContent = best ? lanes[best.lane].name + ", " + time(best.t)
        : "not found";
    if (best) {
        view.picked = best;
        const half = (view.to - view.from) / 2;
        if (best.t < view.from || best.t > view.to)
            show(best.t - half, best.t + half);
        tell();
        draw();
    }
}

/* Hands. */

let drag = null;
canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    drag = { x: e.offsetX, from: view.from, to: view.to, moved: false,
        select: e.shiftKey };
});
canvas.addEventListener("pointermove", (e) => {
    if (!drag)
        return;
    drag.moved = drag.moved || Math.abs(e.offsetX - drag.x) > 3;
    if (drag.select) {
        const ends = [timeAt(drag.x), timeAt(e.offsetX)].sort((a, b) => a - b);
        view.select = ends.map((t) => Math.min(Math.max(t, 0), meta.end));
        draw();
    } else if (drag.moved) {
        const by = (e.offsetX - drag.x) / (width - LEFT) * (drag.to - drag.from);
        show(drag.from - by, drag.to - by);
    }
});
canvas.addEventListener("pointerup", (e) => {
    if (drag && !drag.moved)
        pick(e.offsetX, e.offsetY);
    else if (drag && drag.select) {
        writeHash();
        tell();
    }
    drag = null;
});
canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    if (e.shiftKey)
        show(view.from + e.deltaY * (view.to - view.from) / 1000,
            view.to + e.deltaY * (view.to - view.from) / 1000);
    else
        zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY / 300))), e.offsetX);
}, { passive: false });

const keys = {
    ArrowLeft: () => show(view.from - span() / 5, view.to - span() / 5),
    ArrowRight: () => show(view.from + span() / 5, view.to + span() / 5),
    "+": () => zoom(0.5, (LEFT + width) / 2),
    "-": () => zoom(2, (LEFT + width) / 2),
    "0": () => show(0, meta.end),
    n: () => search(false),
    N: () => search(true),
    d: () => setTheme(dark() ? "light" : "dark"),
    Escape: () => { view.select = view.picked = null; writeHash(); tell(); draw(); },
};
const span = () => view.to - view.from;
document.addEventListener("keydown", (e) => {
    if (e.target === $("search")) {
        if (e.key === "Enter")
            search(e.shiftKey);
        else if (e.key === "Escape")
            canvas.focus();
        return;
    }
    if (e.key === "/") {
        e.preventDefault();
        $("search").focus();
    } else if (keys[e.key] && !e.ctrlKey && !e.metaKey) {
        e.preventDefault();
        keys[e.key]();
    }
});
$("theme").addEventListener("click", keys.d);
$("all").addEventListener("click", keys["0"]);
addEventListener("resize", draw);
addEventListener("hashchange", () => { readHash(); tell(); draw(); });
let before = null;
addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme;
    setTheme("light");
    paint();
});
addEventListener("afterprint", () => setTheme(before));

$("note").textContent = meta.note;
readHash();
setTheme(dark() ? "dark" : "light");
tell();
paint();
/* For who looks at the page with a program. */
window.timeline = { view, lanes, meta, arrows, paint, frames: () => frames };
document.documentElement.dataset.ready = "yes";
})();
