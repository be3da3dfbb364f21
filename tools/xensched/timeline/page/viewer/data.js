/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The timeline's viewer.  It makes no request: the page contains all that it shows.  Names
 * come from a recording and are untrusted, so the viewer draws them or sets them as text,
 * never as markup.
 *
 * These files are one function: page-file.c puts them behind each other, in the
 * order counters.js, data.js, draw.js, details.js, input.js.
 *
 * data.js - what is in the page: lanes, arrows and instants, as page.c wrote
 * them.
 */
const UNKNOWN = 0, LOST = 1, IDLE = 2, RUNNABLE = 3, DEVICE = 4, RUN = 5;
/* Instants from here on have a text; of these, what the daemon decided. */
const TEXT = 64, DECISION = 65;
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
const instants = {
    n: meta.instants.n, t: new Float64Array(meta.instants.n),
    lane: new Uint16Array(meta.instants.n), kind: new Uint8Array(meta.instants.n),
    value: new Float64Array(meta.instants.n),
};
at = meta.instants.offset;
for (let i = 0, t = 0; i < instants.n; i++) {
    t += number();
    instants.t[i] = t;
    instants.lane[i] = number();
    instants.kind[i] = number();
    instants.value[i] = number();
}
const counters = meta.counters.map((info) => {
    at = info.offset;
    return readCounter(info, number, meta.end);
});
/* For a vCPU, by its index; for the vCPU that a thread ran on, or -1. */
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
