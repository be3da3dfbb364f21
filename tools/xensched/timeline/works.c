/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes the cost of each guest's work from the rows of a recording. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "works.h"

/* Sums have no half-life, so any time and any half-life will do. */
#define ANY_NS 1000000000ULL

#define EVENT(name) (1U << XEN_SCHEDLOG_EV_##name)
#define NEEDED (EVENT(SERVICE_NS) | EVENT(EVTCHN_SEND) | EVENT(GRANT_MAP) | \
                EVENT(GRANT_COPY) | EVENT(RING_PAGES))

static void add_row(struct matrix *m, uint16_t event, uint32_t cpu, uint16_t current,
                    uint16_t correspondent, uint64_t counter)
{
    const struct xensched_row row = {
        .event = event, .cpu = cpu, .current = current, .correspondent = correspondent,
        .counter = counter,
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT | XENSCHED_ROW_CORRESPONDENT |
                 XENSCHED_ROW_COUNTER,
    };

    if (event < XEN_SCHEDLOG_NR_EVENTS && NEEDED & 1U << event)
        matrix_add(m, &row, ANY_NS);
}

/* A back end writes the rows about its rings, and each of them names the front end. */
static void add_rows(struct matrix *m, const struct rows *rows)
{
    const struct linux_rows *rings = &rows->linux_rows;
    size_t i;

    for (i = 0; i < rows->nr; i++)
        add_row(m, rows->row[i].event, rows->row[i].cpu, rows->row[i].current,
                rows->row[i].correspondent, rows->row[i].counter);
    for (i = 0; i < rings->nr; i++) {
        int back = names_of_domid(&rows->names, rings->source[rings->row[i].source].info.domid);

        if (rings->row[i].event == XEN_SCHEDLOG_EV_RING_PAGES && back >= 0)
            add_row(m, XEN_SCHEDLOG_EV_RING_PAGES, 0, back, rings->row[i].other,
                    rings->row[i].counter);
    }
}

static int by_domid(const void *a, const void *b)
{
    const struct domain *x = a, *y = b;

    return (x->domid > y->domid) - (x->domid < y->domid);
}

static void find_domains(const struct rows *rows, struct domains *domains)
{
    unsigned int acct;

    for (acct = XEN_SCHEDLOG_ACCT_FIRST; acct < XEN_SCHEDLOG_ACCT_NONE; acct++) {
        const struct names_entry *e = &rows->names.entry[acct];
        struct domain *d;

        if (!e->text)
            continue;
        d = domains_add(domains);
        d->domid = e->domid;
        d->acct = acct;
        d->driver = e->driver;
    }
    if (domains->nr)
        qsort(domains->domain, domains->nr, sizeof(*domains->domain), by_domid);
}

void works_make(struct works *works, const struct rows *rows)
{
    struct matrix *m = matrix_new(ANY_NS);
    struct domains domains = { 0 };
    struct work_sums *before, *after;
    struct work *work;
    unsigned int i;

    memset(works, 0, sizeof(*works));
    if (rows->events & EVENT(SERVICE_NS) && !(rows->names.sampled & NEEDED))
        find_domains(rows, &domains);
    before = work_sums_take(m, &domains, ANY_NS);
    add_rows(m, rows);
    after = work_sums_take(m, &domains, ANY_NS);
    work = work_between(before, after);
    works->guest = need_memory(domains.nr, sizeof(*works->guest));
    for (i = 0; i < domains.nr; i++)
        if (work[i].unit < WORK_TIME)
            works->guest[works->nr++] = (struct guest_work){ domains.domain[i].acct, work[i] };
    free(work);
    work_sums_free(after);
    work_sums_free(before);
    domains_free(&domains);
    matrix_free(m);
}

void works_free(struct works *works)
{
    free(works->guest);
}
