/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Computes the cost of a guest's work.  Shares of a driver domain have to come from the time
 * between two moments, so a moment keeps the counters of all pairs of a driver domain and a guest,
 * and the differences determine the shares.
 */
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "model/matrix/cells.h"
#include "base/alloc.h"
#include "work.h"

/* Counters of a pair of a driver domain and a guest. */
enum kind { KIND_RING, KIND_MAP, KIND_COPY, KIND_NOTIFY, NR_KINDS };

struct sums_of {
    uint32_t domid;
    uint64_t since_ns;
    uint16_t acct;
    bool driver;
    double own_ns, waited_ns;
};

struct work_sums {
    uint64_t at_ns;
    unsigned int nr;
    struct sums_of *of; /* sorted by domid */
    struct cells pairs; /* pair_key(): sum */
    bool *is_driver;    /* [accounting domain] */
    unsigned int nr_acct;
};

const char *work_unit_name(enum work_unit unit)
{
    static const char *const names[] = {
        [WORK_PAGES] = "page",
        [WORK_NOTIFICATIONS] = "notification",
        [WORK_TIME] = "ns of its own time",
        [WORK_NONE] = "unit",
    };

    return names[unit];
}

double work_cost(const struct work *work)
{
    return work->units > 0 ? (work->own_ns + work->served_ns) / work->units : 0;
}

static uint64_t pair_key(enum kind kind, uint16_t driver, uint16_t client)
{
    return (uint64_t)kind << 32 | (uint32_t)driver << 16 | client;
}

static int kind_of(unsigned int event)
{
    switch (event) {
    case XEN_SCHEDLOG_EV_RING_PAGES:
        return KIND_RING;
    case XEN_SCHEDLOG_EV_GRANT_MAP:
        return KIND_MAP;
    case XEN_SCHEDLOG_EV_GRANT_COPY:
        return KIND_COPY;
    case XEN_SCHEDLOG_EV_EVTCHN_SEND:
        return KIND_NOTIFY;
    default:
        return NR_KINDS;
    }
}

static bool is_driver(const struct work_sums *s, uint16_t acct)
{
    return acct < s->nr_acct && s->is_driver[acct];
}

static void add_entry(const struct matrix_entry *entry, void *arg)
{
    struct work_sums *s = arg;
    uint16_t a = entry->current, b = entry->correspondent;
    int kind = kind_of(entry->event);

    if (kind == NR_KINDS || is_driver(s, a) == is_driver(s, b))
        return;
    cells_get(&s->pairs, is_driver(s, a) ? pair_key(kind, a, b)
                                         : pair_key(kind, b, a))->sum +=
        entry->total;
}

static double waited_of(const struct matrix *m, const struct domain *d)
{
    double waited = 0;
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++) {
        if (!d->vcpus[i].times.known)
            return matrix_total(m, XEN_SCHEDLOG_EV_WAKE_DELAY, d->acct);
        waited += d->vcpus[i].times.waited_ns;
    }

    return waited;
}

static void find_drivers(struct work_sums *s, const struct domains *domains)
{
    unsigned int i;

    for (i = 0; i < domains->nr; i++)
        if (domains->domain[i].acct >= s->nr_acct)
            s->nr_acct = domains->domain[i].acct + 1U;
    s->is_driver = need_memory(s->nr_acct, sizeof(*s->is_driver));
    for (i = 0; i < domains->nr; i++)
        if (domains->domain[i].acct >= XEN_SCHEDLOG_ACCT_FIRST)
            s->is_driver[domains->domain[i].acct] |= domains->domain[i].driver;
}

struct work_sums *work_sums_take(const struct matrix *m,
                                 const struct domains *domains,
                                 uint64_t now_ns)
{
    struct work_sums *s = need_memory(1, sizeof(*s));
    unsigned int i;

    s->at_ns = now_ns;
    s->nr = domains->nr;
    s->of = need_memory(s->nr, sizeof(*s->of));
    cells_init(&s->pairs);
    find_drivers(s, domains);
    for (i = 0; i < s->nr; i++) {
        const struct domain *d = &domains->domain[i];

        s->of[i] = (struct sums_of){
            .domid = d->domid, .since_ns = d->since_ns, .acct = d->acct,
            .driver = d->driver,
            .own_ns = matrix_total(m, XEN_SCHEDLOG_EV_SERVICE_NS, d->acct),
            .waited_ns = waited_of(m, d),
        };
    }
    matrix_visit(m, now_ns, add_entry, s);

    return s;
}

void work_sums_free(struct work_sums *s)
{
    if (!s)
        return;
    cells_free(&s->pairs);
    free(s->is_driver);
    free(s->of);
    free(s);
}

uint64_t work_sums_time(const struct work_sums *s)
{
    return s->at_ns;
}

/* Differences. */

static int by_domid(const void *x, const void *y)
{
    const struct sums_of *a = x, *b = y;

    return a->domid < b->domid ? -1 : a->domid > b->domid;
}

/* NULL: it did not exist, or another domain had its domid or number. */
static const struct sums_of *find_sums(const struct work_sums *s,
                                       const struct sums_of *wanted)
{
    const struct sums_of *of = s->nr ? bsearch(wanted, s->of, s->nr,
                                               sizeof(*of), by_domid) : NULL;

    return of && of->since_ns == wanted->since_ns &&
           of->acct == wanted->acct ? of : NULL;
}

static double work_growth(const struct work_sums *before,
                          const struct work_sums *after, enum kind kind,
                          uint16_t driver, uint16_t client)
{
    const struct cell *now = cells_find(&after->pairs,
                                        pair_key(kind, driver, client));
    const struct cell *then = cells_find(&before->pairs,
                                         pair_key(kind, driver, client));
    double sum = now ? now->sum - (then ? then->sum : 0) : 0;

    return sum > 0 ? sum : 0;
}

struct exchanged {
    double pages, copied, notifications; /* copied: of the pages */
};

static struct exchanged count_exchanged(const struct work_sums *before,
                                        const struct work_sums *after,
                                        const struct sums_of *driver,
                                        const struct sums_of *client)
{
    uint16_t d = driver->acct, c = client->acct;
    double ring = work_growth(before, after, KIND_RING, d, c);
    double map = work_growth(before, after, KIND_MAP, d, c);
    double copied = work_growth(before, after, KIND_COPY, d, c);

    return (struct exchanged){
        .pages = (ring > map ? ring : map) + copied,
        .copied = copied,
        .notifications = work_growth(before, after, KIND_NOTIFY, d, c),
    };
}

/* Sums of a domain in @after and in @before; .then NULL: there is nothing to compare with. */
struct interval {
    const struct sums_of *now, *then;
};

static bool is_client(const struct interval *i)
{
    return i->then && !i->now->driver &&
           i->now->acct >= XEN_SCHEDLOG_ACCT_FIRST;
}

/* Divides the time of @driver among its guests. */
static void share_driver(const struct work_sums *before,
                         const struct work_sums *after,
                         const struct interval *driver,
                         const struct interval *all, struct work *work,
                         struct exchanged *total)
{
    struct exchanged *with = need_memory(after->nr, sizeof(*with));
    struct exchanged sum = { 0 };
    double ran = driver->now->own_ns - driver->then->own_ns;
    unsigned int i;

    for (i = 0; i < after->nr; i++) {
        if (!is_client(&all[i]))
            continue;
        with[i] = count_exchanged(before, after, driver->now, all[i].now);
        sum.pages += with[i].pages;
        sum.notifications += with[i].notifications;
        total[i].pages += with[i].pages;
        total[i].copied += with[i].copied;
        total[i].notifications += with[i].notifications;
    }
    for (i = 0; i < after->nr && ran > 0; i++) {
        double share = sum.pages >= WORK_LEAST ? with[i].pages / sum.pages
                     : sum.notifications > 0
                       ? with[i].notifications / sum.notifications : 0;

        work[i].served_ns += share * ran;
        work[i].by_pages &= sum.pages >= WORK_LEAST || !share;
    }
    free(with);
}

static void choose_unit(struct work *work, const struct exchanged *total)
{
    work->notifications = total->notifications;
    if (total->pages >= WORK_LEAST) {
        work->unit = WORK_PAGES;
        work->copied = total->copied > total->pages / 2;
        work->units = total->pages;
    } else if (total->notifications >= WORK_LEAST) {
        work->unit = WORK_NOTIFICATIONS;
        work->units = total->notifications;
    } else if (work->own_ns > 0) {
        work->unit = WORK_TIME;
        work->units = work->own_ns;
    }
}

static struct work *work_of_all(const struct work_sums *before,
                                const struct work_sums *after,
                                const struct interval *all)
{
    struct work *work = need_memory(after->nr, sizeof(*work));
    struct exchanged *total = need_memory(after->nr, sizeof(*total));
    unsigned int i;

    for (i = 0; i < after->nr; i++)
        work[i] = (struct work){
            .unit = WORK_NONE, .by_pages = true, .wakes = -1, .migrations = -1,
        };
    for (i = 0; i < after->nr; i++)
        if (all[i].then && all[i].now->driver)
            share_driver(before, after, &all[i], all, work, total);
    for (i = 0; i < after->nr; i++) {
        if (!is_client(&all[i]))
            continue;
        work[i].own_ns = all[i].now->own_ns - all[i].then->own_ns;
        work[i].waited_ns = all[i].now->waited_ns - all[i].then->waited_ns;
        if (work[i].own_ns >= 0 && work[i].waited_ns >= 0)
            choose_unit(&work[i], &total[i]);
    }
    free(total);

    return work;
}

struct work *work_between(const struct work_sums *before,
                          const struct work_sums *after)
{
    struct interval *all = need_memory(after->nr, sizeof(*all));
    struct work *work;
    unsigned int i;

    for (i = 0; i < after->nr; i++) {
        all[i].now = &after->of[i];
        all[i].then = find_sums(before, &after->of[i]);
    }
    work = work_of_all(before, after, all);
    free(all);

    return work;
}
