/* SPDX-License-Identifier: GPL-2.0-only */
/* Joins windows of loss that touch, and finds them by time. */
#include <stdlib.h>
#include <string.h>

#include "order.h"
#include "base/alloc.h"
#include "windows.h"

void windows_add(struct windows *windows, uint64_t begin, uint64_t end)
{
    struct window *last = windows->nr ? &windows->window[windows->nr - 1]
                                      : NULL;

    if (!last || begin > last->end)
        *list_add(windows->window, windows->nr, windows->room) =
            (struct window){ begin, end };
    else if (end > last->end)
        last->end = end;
}

void windows_free(struct windows *windows)
{
    free(windows->window);
    memset(windows, 0, sizeof(*windows));
}

size_t windows_after(const struct windows *windows, uint64_t ns)
{
    return order_until(windows->window, windows->nr, sizeof(*windows->window),
                       offsetof(struct window, end), ns);
}

uint64_t windows_before(const struct windows *windows, uint64_t ns)
{
    size_t nr = windows_after(windows, ns);

    return nr ? windows->window[nr - 1].end : 0;
}

bool windows_overlap(const struct windows *windows, uint64_t begin, uint64_t end)
{
    size_t i = windows_after(windows, begin);

    return i < windows->nr && windows->window[i].begin < end;
}
