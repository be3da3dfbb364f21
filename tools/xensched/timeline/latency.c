/* SPDX-License-Identifier: GPL-2.0-only */
/* Measures the time from notifications to runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "latency.h"
#include "base/alloc.h"
#include "timeline/rows/row-order.h"

#define NR_BUCKETS 4096U

struct latency_making {
    struct latency *latency;
    const struct timeline *t;
    size_t bucket[NR_BUCKETS]; /* index of a pair + 1 */
    size_t *next;              /* [pair]: index + 1 of the next pair in the bucket */
    size_t next_room;
};

static struct latency_pair *pair_of(struct latency_making *m, uint16_t sender,
                                    uint16_t receiver)
{
    struct latency *l = m->latency;
    size_t *head = &m->bucket[(sender * 257U + receiver) % NR_BUCKETS], i;
    struct latency_pair *pair;

    for (i = *head; i; i = m->next[i - 1])
        if (l->pair[i - 1].sender == sender &&
            l->pair[i - 1].receiver == receiver)
            return &l->pair[i - 1];
    m->next = list_room(m->next, l->nr, &m->next_room, sizeof(*m->next));
    m->next[l->nr] = *head;
    pair = list_add(l->pair, l->nr, l->room);
    *pair = (struct latency_pair){ .sender = sender, .receiver = receiver };
    *head = l->nr;

    return pair;
}

static void add_value(struct latency_values *values, uint64_t ns)
{
    *list_add(values->ns, values->nr, values->room) = ns;
}

static void add_holder(struct latency_pair *pair, uint16_t acct, uint64_t ns)
{
    size_t i;

    for (i = 0; i < pair->nr_holders; i++)
        if (pair->holder[i].acct == acct) {
            pair->holder[i].ns += ns;
            return;
        }
    *list_add(pair->holder, pair->nr_holders, pair->holders_room) =
        (struct latency_holder){ acct, ns };
}

/* Adds the domains that had @cpu from @begin to @end. */
static void add_holders(struct latency_pair *pair, const struct stays_cpu *cpu,
                        uint64_t begin, uint64_t end)
{
    const struct stay *stay = stays_at(cpu, begin);

    if (!stay)
        stay = cpu->stay;
    for (; begin < end; stay++) {
        bool there = stay < cpu->stay + cpu->nr && stay->begin < end;
        uint64_t until = there ? stay->begin : end;

        if (until > begin) {
            add_holder(pair, XEN_SCHEDLOG_ACCT_NONE, until - begin);
            begin = until;
        }
        if (!there)
            return;
        until = stay->end < end ? stay->end : end;
        if (until > begin) {
            add_holder(pair, stay->acct, until - begin);
            begin = until;
        }
    }
}

static const struct span *run_at(const struct vcpu *v, uint64_t ns)
{
    const struct span *run = vcpus_at(v, ns);

    /* A run of no length is followed by another span at the same time. */
    while (run && run > v->span && run->begin == ns &&
           run->state != VCPU_RUNNING)
        run--;

    return run;
}

static uint64_t most_of(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void take_run(struct latency_making *m, struct latency_pair *pair,
                     const struct wake *wake)
{
    const struct vcpu *v = &m->t->vcpus.vcpu[wake->to];
    uint64_t woken = wake->woken > wake->sent ? wake->woken : wake->sent;
    uint64_t ran = wake->ran > woken ? wake->ran : woken;
    const struct span *run = run_at(v, wake->ran);
    uint64_t total = ran - wake->sent;
    uint64_t error = run ? skew_error(&m->t->skew, wake->cpu, run->cpu) : 0;

    if (error == SKEW_UNKNOWN)
        error = 0;
    pair->below_error += total < error;
    add_value(&pair->total, most_of(total, error));
    add_value(&pair->delivery, most_of(woken - wake->sent, error));
    add_value(&pair->wait, most_of(ran - woken, error));
    if (pair->total.nr == 1 || total > pair->slowest_total_ns) {
        pair->slowest_total_ns = total;
        pair->slowest_ns = wake->sent;
        pair->slowest_vcpu = wake->to;
    }
    if (ran > woken && run && run->cpu != STAY_NONE)
        add_holders(pair, &m->t->stays.cpu[run->cpu], woken, ran);
}

static bool is_more(const void *a, const void *b)
{
    return *(const uint64_t *)a > *(const uint64_t *)b;
}

static bool is_shorter(const void *a, const void *b)
{
    return ((const struct latency_holder *)a)->ns <
           ((const struct latency_holder *)b)->ns;
}

uint64_t latency_notifications(const struct latency_pair *pair)
{
    uint64_t sum = 0;
    unsigned int i;

    for (i = 0; i < WAKE_KINDS; i++)
        sum += pair->kinds[i];

    return sum;
}

static bool is_rarer(const void *a, const void *b)
{
    return latency_notifications(a) < latency_notifications(b);
}

static void put_in_order(struct latency *latency)
{
    size_t i;

    for (i = 0; i < latency->nr; i++) {
        struct latency_pair *p = &latency->pair[i];

        order_sort(p->total.ns, p->total.nr, sizeof(uint64_t), is_more);
        order_sort(p->delivery.ns, p->delivery.nr, sizeof(uint64_t), is_more);
        order_sort(p->wait.ns, p->wait.nr, sizeof(uint64_t), is_more);
        order_sort(p->holder, p->nr_holders, sizeof(*p->holder), is_shorter);
    }
    order_sort(latency->pair, latency->nr, sizeof(*latency->pair), is_rarer);
}

void latency_make(struct latency *latency, const struct timeline *t,
                  int receiver)
{
    struct latency_making m = { .latency = latency, .t = t };
    size_t i;

    memset(latency, 0, sizeof(*latency));
    for (i = 0; i < t->wakes.nr; i++) {
        const struct wake *wake = &t->wakes.wake[i];
        struct latency_pair *pair;

        if (receiver >= 0 && wake->receiver != receiver)
            continue;
        pair = pair_of(&m, wake->sender, wake->receiver);
        pair->kinds[wake->kind]++;
        if (wake->ran != STAY_NEVER)
            take_run(&m, pair, wake);
    }
    free(m.next);
    put_in_order(latency);
}

void latency_free(struct latency *latency)
{
    size_t i;

    for (i = 0; i < latency->nr; i++) {
        free(latency->pair[i].total.ns);
        free(latency->pair[i].delivery.ns);
        free(latency->pair[i].wait.ns);
        free(latency->pair[i].holder);
    }
    free(latency->pair);
    memset(latency, 0, sizeof(*latency));
}

uint64_t latency_quantile(const struct latency_values *values, double part)
{
    size_t rank = ceil(part * values->nr);

    if (!values->nr)
        return 0;

    return values->ns[rank ? rank - 1 : 0];
}
