/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers that change with time, as steps: each value lasts until the next one.
 * Where rows are lost there is none.
 */
/* @info of the page; @number reads the next number, of those at info.offset. */
function readCounter(info, number, end) {
    const begin = new Float64Array(info.n + 1), value = new Float64Array(info.n);
    let t = 0, most = 1;
    for (let i = 0; i < info.n; i++) {
        t += number();
        begin[i] = t;
        value[i] = number() - 1;
        most = Math.max(most, value[i]);
    }
    begin[info.n] = Math.max(t, end);
    return { ...info, begin, value, most };
}

function counterText(counter, value) {
    return value < 0 ? "rows lost" : counter.unit !== "bytes" ? value + " " +
        counter.unit : (value / 2 ** 20).toFixed(value % 2 ** 20 ? 2 : 0) + " MiB";
}

/* The index of the value at @t; -1: it is before the first. */
function counterAt(counter, t) {
    let low = 0, high = counter.n;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (counter.begin[middle] <= t) low = middle + 1; else high = middle;
    }
    return low - 1;
}

/*
 * From @left to @right, below @top, @high; x(t) is a column; lost(x0, x1) draws
 * where nothing is known.  Of what shares a column the highest is drawn.
 */
function drawCounter(c, counter, { left, right, top, high, from, to, x, lost }) {
    let column = -1, peak = 0;
    for (let i = Math.max(counterAt(counter, from), 0);
        i < counter.n && counter.begin[i] <= to; i++) {
        const x0 = Math.max(x(counter.begin[i]), left);
        const x1 = Math.min(x(counter.begin[i + 1]), right);
        if (x1 < left)
            continue;
        if (counter.value[i] < 0) {
            lost(x0, x1);
            continue;
        }
        const share = counter.value[i] / counter.most;
        const px = Math.floor(x0);
        peak = px === column ? Math.max(peak, share) : share;
        column = px;
        if (peak > 0)
            c.fillRect(px, top + high - high * peak, 1, high * peak);
        if (x1 > px + 1 && share > 0)
            c.fillRect(px + 1, top + high - high * share, x1 - px - 1,
                high * share);
    }
}

