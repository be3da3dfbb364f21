/* SPDX-License-Identifier: GPL-2.0-only */
/* input.js - handles keys and the mouse, and starts the viewer. */

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
    Escape: () => { view.select = view.picked = view.value = view.instant = null; writeHash(); tell(); draw(); },
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
$("stage").addEventListener("scroll", draw);
addEventListener("hashchange", () => { readHash(); tell(); draw(); });
let before = null;
addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme;
    setTheme("light");
    paint(true);
});
addEventListener("afterprint", () => setTheme(before));

$("note").textContent = meta.note;
readHash();
setTheme(dark() ? "dark" : "light");
tell();
paint(false);
/* For programs that look at the page. */
window.timeline = { view, lanes, counters, meta, arrows, instants, show,
    paint: () => paint(true),
    frames: () => frames, opened: performance.now() };
document.documentElement.dataset.ready = "yes";
