/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws when work is due, and keeps how long it took. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "open-loop.h"

int64_t clock_ns(clockid_t clock)
{
    struct timespec time;

    if (clock_gettime(clock, &time))
        err(1, "cannot read clock %d", clock);

    return time.tv_sec * 1000 * MS_NS + time.tv_nsec;
}

uint64_t arrivals_draw(struct arrivals *arrivals)
{
    arrivals->random ^= arrivals->random << 13;
    arrivals->random ^= arrivals->random >> 7;
    arrivals->random ^= arrivals->random << 17;

    return arrivals->random;
}

void arrivals_init(struct arrivals *arrivals, long rate, uint64_t seed)
{
    *arrivals = (struct arrivals){
        .random = 88172645463325252ULL + seed,
        .gap = rate ? 1000 * MS_NS / rate : 0,
    };
    /* The first numbers of similar seeds are similar. */
    for (int i = 0; i < 16; i++)
        arrivals_draw(arrivals);
}

void arrivals_sleep_until(struct arrivals *arrivals, long seconds)
{
    struct timespec start = {
        .tv_sec = seconds,
        .tv_nsec = arrivals_draw(arrivals) % MS_NS,
    };

    if (!seconds)
        return;
    if (clock_ns(CLOCK_REALTIME) >= seconds * 1000 * MS_NS)
        errx(1, "START is over");
    errno = clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &start, NULL);
    if (errno)
        err(1, "clock_nanosleep");
}

int64_t arrivals_take(struct arrivals *arrivals, int64_t now)
{
    int64_t due = arrivals->gap ? arrivals->next : now;

    if (arrivals->gap)
        arrivals->next += arrivals_draw(arrivals) % (2 * arrivals->gap);

    return due;
}

void times_add(struct times *times, int64_t ns)
{
    if (times->nr == times->room) {
        times->room = times->room ? 2 * times->room : 4096;
        times->ns = realloc(times->ns, times->room * sizeof(*times->ns));
        if (!times->ns)
            errx(1, "no memory for %zu times", times->room);
    }
    times->ns[times->nr++] = ns;
}

static int by_value(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

void times_print(struct times *times)
{
    int64_t sum = 0;

    if (!times->nr)
        errx(1, "no work was completed");
    for (size_t i = 0; i < times->nr; i++)
        sum += times->ns[i];
    qsort(times->ns, times->nr, sizeof(*times->ns), by_value);
    printf("%zu %lld %lld %lld\n", times->nr, (long long)(sum / (int64_t)times->nr),
           (long long)times->ns[times->nr / 2],
           (long long)times->ns[(times->nr * 99 + 99) / 100 - 1]);
}
