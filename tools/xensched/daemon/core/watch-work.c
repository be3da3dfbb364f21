/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps two former states of the counters, so that the cost of work can be given for the
 * last half minute to minute at any time.
 */
#include "watch-work.h"

/* Less says nothing. */
#define LEAST_NS 5000000000ULL

void watch_work(struct core *core, uint64_t now_ns)
{
    if (core->work_newer &&
        now_ns - work_sums_time(core->work_newer) < WATCH_WORK_NS)
        return;
    work_sums_free(core->work_older);
    core->work_older = core->work_newer;
    core->work_newer = work_sums_take(core->matrix, &core->domains, now_ns);
}

void watch_work_end(struct core *core)
{
    work_sums_free(core->work_older);
    work_sums_free(core->work_newer);
}

struct work *watch_work_recent(const struct core *core, uint64_t now_ns,
                               uint64_t *for_ns)
{
    const struct work_sums *then = core->work_older ? core->work_older
                                                    : core->work_newer;
    struct work_sums *now;
    struct work *work;

    if (!then || now_ns < work_sums_time(then) + LEAST_NS)
        return NULL;
    now = work_sums_take(core->matrix, &core->domains, now_ns);
    *for_ns = now_ns - work_sums_time(then);
    work = work_between(then, now);
    work_sums_free(now);

    return work;
}
