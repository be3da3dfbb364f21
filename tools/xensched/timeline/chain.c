/* SPDX-License-Identifier: GPL-2.0-only */
/* chain.c - see chain.h. */
#include "chain.h"

#define NO_RUN SIZE_MAX

/* The run at @ns, or the next one. */
static size_t run_at(const struct vcpu *v, uint64_t ns)
{
    const struct span *s = vcpus_at(v, ns);
    size_t i = s ? s - v->span : 0;

    while (i < v->nr && v->span[i].state != VCPU_RUNNING)
        i++;

    return i < v->nr ? i : NO_RUN;
}

/*
 * Whoever waits at that time is meant rather than who runs, and that rather
 * than who sleeps.
 */
static unsigned int rank(const struct vcpu *v, uint64_t ns)
{
    const struct span *s = vcpus_at(v, ns);

    if (run_at(v, ns) == NO_RUN)
        return 0;
    switch (s ? s->state : VCPU_UNKNOWN) {
    case VCPU_RUNNABLE:
        return 4;
    case VCPU_RUNNING:
        return 3;
    case VCPU_BLOCKED:
        return 2;
    default:
        return 1;
    }
}

static void add_link(struct chain *chain, const struct timeline *t,
                     uint32_t vcpu, size_t run)
{
    const struct vcpu *v = &t->vcpus.vcpu[vcpu];
    struct chain_link *link = &chain->link[chain->nr++];
    const struct span *s = &v->span[run];

    *link = (struct chain_link){
        .vcpu = vcpu,
        .cpu = s->cpu,
        .ran = s->begin,
        .end = vcpus_end(&t->vcpus, v, run),
        .ready = s->begin,
        .slept = STAY_NEVER,
    };
    if (run && s[-1].state == VCPU_RUNNABLE) {
        s--;
        link->ready = s->begin;
    }
    if (s == v->span)
        return;
    s--;
    link->lost = s->state == VCPU_LOST || s->state == VCPU_UNKNOWN;
    if (s->state != VCPU_BLOCKED)
        return;
    link->slept = s->begin;
    link->wake = wakes_of(&t->wakes, vcpu, link->ready);
}

/* The run in which the notification was sent. */
static bool add_sender(struct chain *chain, const struct timeline *t)
{
    const struct chain_link *last = &chain->link[chain->nr - 1];
    const struct vcpu *v;
    const struct span *s;

    if (!last->wake || last->wake->from == STAY_NONE)
        return false;
    v = &t->vcpus.vcpu[last->wake->from];
    s = vcpus_at(v, last->wake->sent);
    if (!s || s->state != VCPU_RUNNING || s->begin > last->ran)
        return false;
    add_link(chain, t, last->wake->from, s - v->span);

    return true;
}

bool chain_make(struct chain *chain, const struct timeline *t, uint16_t acct,
                uint64_t ns)
{
    unsigned int i, best = 0;
    uint32_t vcpu = STAY_NONE;

    chain->nr = 0;
    for (i = t->vcpus.first[acct]; i < t->vcpus.first[acct + 1]; i++)
        if (rank(&t->vcpus.vcpu[i], ns) > best) {
            best = rank(&t->vcpus.vcpu[i], ns);
            vcpu = i;
        }
    if (vcpu == STAY_NONE)
        return false;
    add_link(chain, t, vcpu, run_at(&t->vcpus.vcpu[vcpu], ns));
    while (chain->nr < CHAIN_LINKS && add_sender(chain, t))
        continue;

    return true;
}
