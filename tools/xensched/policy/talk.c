/* SPDX-License-Identifier: GPL-2.0-only */
/* talk.c - see talk.h. */
#include <stdlib.h>

#include <xensched/abi.h>

#include "../model/cells.h"
#include "../model/memory.h"
#include "talk.h"

#define NOBODY (~0U)

struct summing {
    const struct domains *domains;
    unsigned int *index; /* [accounting domain]: number in domains */
    struct talk *talk;
    struct cells pairs;  /* (number of domain, number of driver): rate */
};

static bool counts(unsigned int event)
{
    switch (event) {
    case XEN_SCHEDLOG_EV_EVTCHN_SEND:
    case XEN_SCHEDLOG_EV_GRANT_MAP:
    case XEN_SCHEDLOG_EV_GRANT_COPY:
    case XEN_SCHEDLOG_EV_RING_PAGES:
        return true;
    default:
        return false;
    }
}

static void add_direction(struct summing *s, uint16_t acct, uint16_t partner,
                          double rate)
{
    unsigned int domain = s->index[acct], other = s->index[partner];

    if (domain == NOBODY)
        return;
    s->talk[domain].total += rate;
    if (other != NOBODY && s->domains->domain[other].driver)
        cells_get(&s->pairs, (uint64_t)domain << 32 | other)->sum += rate;
}

static void add_entry(const struct matrix_entry *entry, void *arg)
{
    if (!counts(entry->event) ||
        entry->current == XEN_SCHEDLOG_ACCT_XEN ||
        entry->correspondent == XEN_SCHEDLOG_ACCT_XEN ||
        entry->correspondent == XEN_SCHEDLOG_ACCT_NONE)
        return;
    add_direction(arg, entry->current, entry->correspondent, entry->rate);
    add_direction(arg, entry->correspondent, entry->current, entry->rate);
}

static unsigned int *index_domains(const struct domains *domains)
{
    unsigned int *index = need_memory(UINT16_MAX + 1, sizeof(*index));
    unsigned int i;

    for (i = 0; i <= UINT16_MAX; i++)
        index[i] = NOBODY;
    for (i = 0; i < domains->nr; i++)
        if (domains->domain[i].acct >= XEN_SCHEDLOG_ACCT_FIRST)
            index[domains->domain[i].acct] = i;

    return index;
}

static void pick_drivers(struct summing *s)
{
    const struct cell *cell;
    size_t i = 0;

    while ((cell = cells_next(&s->pairs, &i))) {
        struct talk *talk = &s->talk[cell->key >> 32];
        const struct domain *driver =
            &s->domains->domain[cell->key & UINT32_MAX];

        /* The same choice whatever the order: the lower domid of equals. */
        if (cell->sum > talk->rate ||
            (cell->sum == talk->rate && talk->driver &&
             driver->domid < talk->driver->domid)) {
            talk->rate = cell->sum;
            talk->driver = driver;
        }
    }
}

struct talk *talk_with_drivers(const struct policy_input *input)
{
    struct summing s = { .domains = input->domains };

    s.talk = need_memory(input->domains->nr, sizeof(*s.talk));
    s.index = index_domains(input->domains);
    cells_init(&s.pairs);
    matrix_visit(input->matrix, input->now_ns, add_entry, &s);
    pick_drivers(&s);
    cells_free(&s.pairs);
    free(s.index);

    return s.talk;
}
