/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds up the waits of the present second in tables, by accounting domain; when the second is over,
 * writes sums other than 0 to a ring of words (waits-history.h), which waits-report.c reads.
 */
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "base/alloc.h"
#include "waits-history.h"

/* Number of rows decoded at a time: 32 bytes each, to stay in the first-level cache. */
#define BLOCK_ROWS 64

#define EVENT(NAME) (1U << XEN_SCHEDLOG_EV_##NAME)

struct waits *waits_new(const struct matrix *m, size_t bytes)
{
    struct waits *w = need_memory(1, sizeof(*w));

    w->matrix = m;
    w->identity = need_memory(NR_IDENTITIES, sizeof(*w->identity));
    w->next_identity = FIRST_IDENTITY;
    w->identity[NO_DOMAIN] = (struct identity){ XEN_SCHEDLOG_ACCT_NONE, -1, NULL };
    w->identity[XEN] = (struct identity){ XEN_SCHEDLOG_ACCT_XEN, -1, need_string("(xen)") };
    w->identity[REST] = (struct identity){ XEN_SCHEDLOG_ACCT_REST, -1,
                                           need_string("(not bound)") };
    w->nr_words = bytes / sizeof(*w->word);
    w->word = need_memory(w->nr_words, sizeof(*w->word));

    return w;
}

static void free_waiter(struct waiter *waiter)
{
    if (waiter)
        free(waiter->culprit);
    free(waiter);
}

void waits_free(struct waits *w)
{
    unsigned int i;

    if (!w)
        return;
    for (i = 0; i < w->nr_accts; i++)
        free_waiter(w->waiter[i]);
    for (i = 0; i < NR_IDENTITIES; i++)
        free(w->identity[i].name);
    free(w->identity);
    free(w->identity_of);
    free(w->waiter);
    free(w->active);
    free(w->word);
    free(w);
}

bool waits_takes(uint32_t events)
{
    return events & (EVENT(WAKE_DELAY) | EVENT(PREEMPT_DELAY) | EVENT(WAIT_PART) |
                     EVENT(MIGRATE));
}

/* Identities. */

static void need_acct(struct waits *w, uint16_t acct)
{
    unsigned int nr = w->nr_accts, more = acct + 1U - nr;

    if (acct < nr)
        return;
    w->identity_of = need_more_memory(w->identity_of, acct + 1U, sizeof(*w->identity_of));
    w->waiter = need_more_memory(w->waiter, acct + 1U, sizeof(struct waiter *));
    memset(w->identity_of + nr, 0, more * sizeof(*w->identity_of));
    memset(w->waiter + nr, 0, more * sizeof(struct waiter *));
    w->nr_accts = acct + 1U;
}

static bool is_used(const struct waits *w, unsigned int identity)
{
    uint16_t acct = w->identity[identity].acct;

    return acct < w->nr_accts && w->identity_of[acct] == identity;
}

static uint16_t new_identity(struct waits *w, uint16_t acct)
{
    unsigned int identity;

    do {
        identity = w->next_identity;
        if (++w->next_identity == NR_IDENTITIES)
            w->next_identity = FIRST_IDENTITY;
    } while (is_used(w, identity));
    free(w->identity[identity].name);
    w->identity[identity] = (struct identity){ acct, -1, NULL };

    return identity;
}

static uint16_t identity_of(struct waits *w, uint16_t acct)
{
    if (acct == XEN_SCHEDLOG_ACCT_NONE)
        return NO_DOMAIN;
    if (acct == XEN_SCHEDLOG_ACCT_XEN)
        return XEN;
    if (acct == XEN_SCHEDLOG_ACCT_REST)
        return REST;
    need_acct(w, acct);
    if (!w->identity_of[acct])
        w->identity_of[acct] = new_identity(w, acct);

    return w->identity_of[acct];
}

void waits_name(struct waits *w, uint16_t acct, uint32_t domid, const char *name)
{
    struct identity *i = &w->identity[identity_of(w, acct)];

    i->domid = domid;
    if (i->name && !strcmp(i->name, name))
        return;
    free(i->name);
    i->name = need_string(name);
}

/* A forgotten domain ended some seconds ago, so the present second has no row of it. */
void waits_forget(struct waits *w, uint16_t acct)
{
    if (acct < w->nr_accts)
        w->identity_of[acct] = NO_DOMAIN;
}

/* The present second. */

static struct waiter *waiter_of(struct waits *w, uint16_t acct)
{
    struct waiter *waiter;

    need_acct(w, acct);
    waiter = w->waiter[acct];
    if (!waiter) {
        waiter = w->waiter[acct] = need_memory(1, sizeof(*waiter));
        waiter->acct = acct;
        waiter->weight = 1;
    }
    if (waiter->active)
        return waiter;
    waiter->active = true;
    if (w->nr_active == w->active_room) {
        w->active_room = w->active_room ? 2 * w->active_room : 64;
        w->active = need_more_memory(w->active, w->active_room, sizeof(*w->active));
    }
    w->active[w->nr_active++] = acct;

    return waiter;
}

static void add_culprit(struct waiter *waiter, uint16_t acct, uint64_t ns)
{
    uint32_t key = acct | (uint32_t)waiter->cause << 16;
    unsigned int i;

    for (i = 0; i < waiter->nr; i++)
        if (waiter->culprit[i].key == key)
            break;
    if (i == waiter->nr) {
        if (waiter->nr == waiter->room) {
            waiter->room = waiter->room ? 2 * waiter->room : 4;
            waiter->culprit = need_more_memory(waiter->culprit, waiter->room,
                                               sizeof(*waiter->culprit));
        }
        waiter->culprit[waiter->nr++] = (struct culprit){ .key = key };
    }
    waiter->culprit[i].ns += waiter->weight * ns;
    waiter->culprit[i].nr += waiter->weight;
}

static unsigned int bucket_of(uint64_t ns)
{
    unsigned int bucket = ns ? 63 - __builtin_clzll(ns) : 0;

    return bucket < WAITS_BUCKETS ? bucket : WAITS_BUCKETS - 1;
}

static void add_wait(struct waits *w, struct waiter *waiter, const struct xensched_row *row)
{
    uint64_t ns;

    waiter->weight = matrix_threshold(w->matrix, row->event, row->current);
    waiter->cause = waits_cause_of(row);
    ns = waiter->weight * row->counter;
    waiter->ns += ns;
    if (waiter->cause != WAITS_WOKEN)
        waiter->by_ns[waiter->cause] += ns;
    if (waiter->cause >= WAITS_PREEMPTED)
        return;
    if (row->reason & XEN_SCHEDLOG_REASON_CUT)
        waiter->cut_ns += ns;
    else
        waiter->bucket[bucket_of(row->counter)] += waiter->weight;
}

static bool is_wait(const struct xensched_row *row)
{
    return row->event == XEN_SCHEDLOG_EV_WAKE_DELAY ||
           row->event == XEN_SCHEDLOG_EV_PREEMPT_DELAY;
}

static void add_row(struct waits *w, const struct xensched_row *row)
{
    const uint16_t needed = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                            XENSCHED_ROW_COUNTER;
    struct waiter *waiter;

    if ((row->valid & needed) != needed || row->event >= XEN_SCHEDLOG_NR_EVENTS ||
        !waits_takes(1U << row->event))
        return;
    waiter = waiter_of(w, row->current);
    if (row->event == XEN_SCHEDLOG_EV_MIGRATE) {
        waiter->moves += matrix_threshold(w->matrix, row->event, row->current);
        return;
    }
    if (is_wait(row))
        add_wait(w, waiter, row);
    /* The row names the culprit of a wait, or of a part of a wait. */
    if (row->valid & XENSCHED_ROW_CORRESPONDENT &&
        row->correspondent != XEN_SCHEDLOG_ACCT_NONE)
        add_culprit(waiter, row->correspondent, row->counter);
}

/* The end of a second. */

static uint64_t time_word(uint64_t ns)
{
    uint64_t units = ns / NS_UNIT;

    return units < UINT32_MAX ? units : UINT32_MAX;
}

/* Rounds, so that errors of many short waits cancel out. */
static uint64_t for_time(uint64_t ns)
{
    uint64_t units = (ns + FOR_UNIT / 2) / FOR_UNIT;

    return units < FOR_MAX ? units : FOR_MAX;
}

static void append_word(struct waits *w, uint64_t word)
{
    w->word[w->pos++ % w->nr_words] = word;
}

static int is_shorter(const void *a, const void *b)
{
    const struct culprit *x = a, *y = b;

    return (x->ns < y->ns) - (x->ns > y->ns);
}

static unsigned int write_buckets(struct waits *w, const struct waiter *waiter)
{
    unsigned int i, nr = 0;
    uint64_t half, word = 0;

    for (i = 0; i < WAITS_BUCKETS; i++) {
        if (!waiter->bucket[i])
            continue;
        half = waiter->bucket[i] < BUCKET_MAX ? waiter->bucket[i] : BUCKET_MAX;
        half |= (uint64_t)i << BUCKET_SHIFT;
        word |= nr++ % 2 ? half << 32 : half;
        if (nr % 2)
            continue;
        append_word(w, word);
        word = 0;
    }
    if (nr % 2)
        append_word(w, word);

    return nr;
}

/* Returns the number of words, which is 0 if the sums are 0. */
static unsigned int write_sum(struct waits *w, uint64_t what, uint64_t number)
{
    if (number)
        append_word(w, what << DOMAIN_SHIFT | number);

    return !!number;
}

static void write_waiter(struct waits *w, struct waiter *waiter)
{
    uint64_t head = w->pos++, nr, i;
    unsigned int nr_for = waiter->nr < NR_FOR_MAX ? waiter->nr : NR_FOR_MAX;

    if (waiter->nr)
        qsort(waiter->culprit, waiter->nr, sizeof(*waiter->culprit), is_shorter);
    for (i = 0; i < nr_for; i++) {
        const struct culprit *c = &waiter->culprit[i];

        nr = c->nr < NR_MAX ? c->nr : NR_MAX;
        append_word(w, (uint64_t)identity_of(w, (uint16_t)c->key) << DOMAIN_SHIFT | nr << NR_SHIFT |
                       (uint64_t)(c->key >> 16) << CAUSE_SHIFT | for_time(c->ns));
    }
    nr_for += write_sum(w, COUNTED, time_word(waiter->counted_ns));
    nr_for += write_sum(w, OFFLINE, time_word(waiter->offline_ns));
    nr_for += write_sum(w, CUT, time_word(waiter->cut_ns));
    for (i = WAITS_WOKEN + 1; i < WAITS_CAUSES; i++)
        if (waiter->by_ns[i])
            nr_for += write_sum(w, CAUSED, i << NR_SHIFT | time_word(waiter->by_ns[i]));
    nr_for += write_sum(w, MOVED, waiter->moves < UINT32_MAX ? waiter->moves : UINT32_MAX);
    nr = write_buckets(w, waiter);
    w->word[head % w->nr_words] = (uint64_t)identity_of(w, waiter->acct) << DOMAIN_SHIFT |
                                  (uint64_t)nr_for << NR_FOR_SHIFT |
                                  nr << NR_BUCKETS_SHIFT | time_word(waiter->ns);
    waiter->active = false;
    waiter->ns = waiter->counted_ns = waiter->offline_ns = waiter->cut_ns = waiter->moves = 0;
    memset(waiter->by_ns, 0, sizeof(waiter->by_ns));
    waiter->nr = 0;
    memset(waiter->bucket, 0, sizeof(waiter->bucket));
}

static void write_second(struct waits *w)
{
    struct second *s = &w->second[w->now_s % WAITS_SECONDS];
    unsigned int i;

    s->number = w->now_s;
    s->begin = w->pos;
    for (i = 0; i < w->nr_active; i++)
        write_waiter(w, w->waiter[w->active[i]]);
    w->nr_active = 0;
    s->end = w->pos;
}

void waits_pass(struct waits *w, uint64_t now_ns)
{
    uint64_t now_s = now_ns / NS_PER_S;

    if (now_s <= w->now_s)
        return;
    if (w->now_s)
        write_second(w);
    /* Seconds that were skipped have no waits. */
    while (w->now_s && ++w->now_s < now_s && w->now_s + WAITS_SECONDS > now_s)
        write_second(w);
    w->now_s = now_s;
}

void waits_add_batch(struct waits *w, const struct xensched_batch *batch, uint64_t now_ns)
{
    struct xensched_row rows[BLOCK_ROWS];
    size_t i, nr, first = 0;

    waits_pass(w, now_ns);
    while ((nr = xensched_batch_decode(batch, first, rows, BLOCK_ROWS))) {
        for (i = 0; i < nr; i++)
            add_row(w, &rows[i]);
        first += nr;
    }
}

void waits_count(struct waits *w, uint16_t acct, uint64_t ns, uint64_t offline_ns,
                 uint64_t now_ns)
{
    struct waiter *waiter;

    waits_pass(w, now_ns);
    if (acct < XEN_SCHEDLOG_ACCT_FIRST || !(ns || offline_ns))
        return;
    waiter = waiter_of(w, acct);
    waiter->counted_ns += ns;
    waiter->offline_ns += offline_ns;
}
