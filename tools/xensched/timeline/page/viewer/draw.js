/* SPDX-License-Identifier: GPL-2.0-only */
/* draw.js - what is seen of it, and how it is drawn. */

/* What is seen: times from..to; a selection of times; what was clicked. */

const view = { from: 0, to: Math.max(meta.end, 1), select: null, picked: null,
    found: null, value: null, instant: null };

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
            : lane.kind === "region" || lane.kind === "ring" ? ofDomain(what, 50)
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

/* What runs on a pCPU, on what a vCPU or a thread runs, what a region or a ring is about. */
const RUNS = {
    cpu: (i) => meta.vcpus[i].name,
    vcpu: (i) => meta.lanes[i].name,
    thread: (i) => meta.places[i].name,
    region: (i) => meta.regions[i],
    ring: (i) => meta.operations[i],
};
const nameOf = (lane, what) => RUNS[lane.kind](what - RUN);
const isInner = (lane) => lane.kind === "thread" || lane.kind === "region" ||
    lane.kind === "ring";

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
        const label = nameOf(lane, what);
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
 * the other: how much of it ran, what ran most, how long it waited.
 */
const column = { px: -1, run: 0, wait: 0, lost: 0, most: 0, best: 0 };

/*
 * Columns are put into a picture of the lane, which is drawn as a whole: as rectangles,
 * one by one, a hundred thousand in a window take longer than a frame has time.
 */
const strip = { canvas: document.createElement("canvas"), used: false };
strip.c = strip.canvas.getContext("2d", { willReadFrequently: true });

function sizeStrip() {
    strip.canvas.width = width;
    strip.canvas.height = BAR;
    strip.image = strip.c.createImageData(width, BAR);
    strip.pixels = new Uint32Array(strip.image.data.buffer);
}

/* A colour as a picture has it. */
const pixels = new Map();
function pixel(style) {
    if (!pixels.has(style)) {
        strip.c.fillStyle = style;
        strip.c.fillRect(0, 0, 1, 1);
        const { data } = strip.c.getImageData(0, 0, 1, 1);
        pixels.set(style, new Uint32Array(data.buffer)[0]);
    }
    return pixels.get(style);
}

function addToStrip(px, from, to, style) {
    const value = pixel(style);
    for (let line = from; line < to; line++)
        strip.pixels[line * width + px] = value;
    strip.used = true;
}

function drawStrip(top) {
    if (!strip.used)
        return;
    strip.c.putImageData(strip.image, 0, 0);
    c.drawImage(strip.canvas, 0, top);
    strip.pixels.fill(0);
    strip.used = false;
}

function drawColumn(lane, top) {
    const { px, run, wait } = column;
    const ns = (view.to - view.from) / (width - LEFT);
    const part = (sum) => Math.min(1, Math.max(0.15, sum / ns));
    const inSight = px >= LEFT && px < width;
    if (inSight && column.lost)
        hatch(px, px + 1, top);
    if (inSight && wait > 0)
        addToStrip(px, 5, 5 + (Math.round((BAR - 10) * part(wait)) || 1),
            colour(lane, RUNNABLE));
    if (inSight && run > 0)
        addToStrip(px, BAR - Math.round(BAR * part(run)), BAR,
            colour(lane, column.most));
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
    drawStrip(top);
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

/* Draws only some of very many, since they hide each other; a text where it has room. */
function drawInstants() {
    const first = above(instants.t, view.from - 1, instants.n);
    const last = above(instants.t, view.to, instants.n);
    const step = Math.max(1, Math.ceil((last - first) / 3000));
    const free = new Map();
    for (let i = first; i < last; i += step) {
        const px = x(instants.t[i]), top = y(instants.lane[i]);
        c.fillStyle = instants.kind[i] === DECISION ? colours.text : colours.mark;
        c.beginPath();
        c.moveTo(px, top + 8);
        c.lineTo(px - 4, top);
        c.lineTo(px + 4, top);
        c.fill();
        if (instants.kind[i] < TEXT || step > 1 || px < (free.get(top) ?? 0))
            continue;
        const next = nextOfLane(i, last);
        const text = fit(meta.texts[instants.value[i]], Math.min(next - px - 12, 360));
        c.fillText(text, px + 5, top + 8);
        free.set(top, px + 5 + (text ? c.measureText(text).width : 0));
    }
}

/* The column of the next instant of the same lane, of the few that are looked at. */
function nextOfLane(i, last) {
    for (let k = i + 1; k < Math.min(last, i + 50); k++)
        if (instants.lane[k] === instants.lane[i])
            return x(instants.t[k]);
    return width;
}

/* The instant at a point, or -1. */
function instantAt(px, py) {
    const lane = Math.floor((py - TOP) / LANE);
    let best = -1, near = 6;
    for (let i = above(instants.t, timeAt(px - near), instants.n);
        i < instants.n && x(instants.t[i]) <= px + near; i++)
        if (instants.lane[i] === lane && Math.abs(x(instants.t[i]) - px) < near) {
            near = Math.abs(x(instants.t[i]) - px);
            best = i;
        }
    return best;
}

/* Below the lanes. */
function drawCounters() {
    counters.forEach((counter, i) => {
        if (!isSeen(lanes.length + i))
            return;
        const top = y(lanes.length + i) + 3;
        c.fillStyle = colours.faint;
        drawCounter(c, counter, { left: LEFT, right: width, top, high: BAR,
            from: view.from, to: view.to, x, lost: (x0, x1) => hatch(x0, x1, top) });
    });
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
    c.fillRect(0, seen.top, LEFT - 1, seen.bottom - seen.top);
    lanes.forEach((lane, i) => {
        if (!isSeen(i))
            return;
        const in_ = isInner(lane) ? 12 : 0;
        c.fillStyle = lane.kind === "cpu" || lane.kind === "foreign" ? colours.text
            : in_ ? lane.colour : colours.domain[lane.vcpu];
        c.fillText(fit(lane.name, LEFT - 12 - in_), 6 + in_, y(i) + LANE - 7);
    });
    counters.forEach((counter, i) => {
        if (!isSeen(lanes.length + i))
            return;
        c.fillStyle = colours.faint;
        c.fillText(fit(counter.name, LEFT - 12), 6,
            y(lanes.length + i) + LANE - 7);
    });
}

/* What of the canvas is in sight: the rest of it need not be drawn. */
const seen = { top: 0, bottom: 0 };
const isSeen = (i) => y(i) < seen.bottom && y(i + 1) > seen.top;

/* @whole: also what is out of sight, for a printer. */
function paint(whole) {
    wanted = false;
    frames++;
    const scale = devicePixelRatio || 1, high = y(lanes.length + counters.length) + 10;
    width = Math.max($("stage").clientWidth, LEFT + 100);
    canvas.style.width = width + "px";
    canvas.style.height = high + "px";
    if (canvas.width !== Math.round(width * scale) ||
        canvas.height !== Math.round(high * scale)) {
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(high * scale);
    }
    if (strip.canvas.width !== width)
        sizeStrip();
    c.imageSmoothingEnabled = false;
    seen.top = whole ? 0 : $("stage").scrollTop;
    seen.bottom = whole ? high : Math.min(high, seen.top + $("stage").clientHeight);
    c.setTransform(scale, 0, 0, scale, 0, 0);
    c.font = "12px system-ui, sans-serif";
    c.fillStyle = colours.back;
    c.fillRect(0, seen.top, width, seen.bottom - seen.top);
    drawAxis();
    lanes.forEach((lane, i) => isSeen(i) && drawLane(lane, i));
    drawCounters();
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
        requestAnimationFrame(() => paint(false));
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
