/* SPDX-License-Identifier: GPL-2.0-only */
/* Follows causes backwards from a run. */
#include <stddef.h>

#include "chain.h"
#include "timeline/rows/row-order.h"

#define NO_RUN SIZE_MAX

/* Returns the run at @ns, or the next one. */
static size_t run_at(const struct vcpu *v, uint64_t ns)
{
    const struct span *s = vcpus_at(v, ns);
    size_t i = s ? s - v->span : 0;

    while (i < v->nr && v->span[i].state != VCPU_RUNNING)
        i++;

    return i < v->nr ? i : NO_RUN;
}

/*
 * Ranks the vCPUs of a domain at that time: one that waits is meant rather than one that runs,
 * and that rather than one that sleeps.
 */
static unsigned int rank_state(const struct vcpu *v, uint64_t ns)
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

void chain_link_run(struct chain_link *link, const struct timeline *t, uint32_t vcpu,
                    size_t run, uint64_t did)
{
    const struct vcpu *v = &t->vcpus.vcpu[vcpu];
    const struct span *s = &v->span[run];

    *link = (struct chain_link){
        .thread = THREAD_NONE,
        .place = THREAD_NONE,
        .vcpu = vcpu,
        .cpu = s->cpu,
        .ran = s->begin,
        .end = vcpus_end(&t->vcpus, v, run),
        .ready = s->begin,
        .slept = STAY_NEVER,
        .did = did,
        .vcpu_ran = STAY_NEVER,
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

static void add_vcpu(struct chain *chain, const struct timeline *t,
                     uint32_t vcpu, size_t run, uint64_t did)
{
    chain_link_run(&chain->link[chain->nr++], t, vcpu, run, did);
}

/* Returns the run that @vcpu had at @ns, or NULL. */
static const struct span *vcpu_run(const struct timeline *t, uint32_t vcpu,
                                   uint64_t ns)
{
    const struct span *s = vcpu == STAY_NONE
                           ? NULL : vcpus_at(&t->vcpus.vcpu[vcpu], ns);

    return s && s->state == VCPU_RUNNING ? s : NULL;
}

static bool go_to_vcpu(struct chain *chain, const struct timeline *t,
                       uint32_t vcpu, uint64_t did)
{
    const struct span *s = vcpu_run(t, vcpu, did);

    if (!s)
        return false;
    add_vcpu(chain, t, vcpu, s - t->vcpus.vcpu[vcpu].span, did);

    return true;
}

/* Threads. */

/* Returns the span of @thread at @ns; there is always one. */
static size_t span_at(const struct thread *thread, uint64_t ns)
{
    size_t begun = order_until(thread->span, thread->nr, sizeof(*thread->span),
                               offsetof(struct thread_span, begin), ns);

    return begun ? begun - 1 : 0;
}

static const struct thread_wake *thread_wake_of(const struct threads *t,
                                                uint32_t thread, uint64_t ns)
{
    size_t i = order_until(t->wake, t->nr_wakes, sizeof(*t->wake),
                           offsetof(struct thread_wake, ns), ns);

    for (; i-- > 0 && t->wake[i].ns == ns;)
        if (t->wake[i].to == thread)
            return &t->wake[i];

    return NULL;
}

static void add_thread(struct chain *chain, const struct timeline *t,
                       uint32_t index, size_t run, uint64_t did)
{
    const struct thread *thread = &t->threads.thread[index];
    const struct thread_span *s = &thread->span[run];
    struct chain_link *link = &chain->link[chain->nr++];
    const struct span *vcpu;

    *link = (struct chain_link){
        .thread = index,
        .place = s->place,
        .vcpu = t->threads.place[s->place].vcpu,
        .ran = s->begin,
        .end = threads_end(&t->threads, thread, run),
        .ready = s->begin,
        .slept = STAY_NEVER,
        .did = did,
        .vcpu_ran = STAY_NEVER,
    };
    if (run && s[-1].state == VCPU_RUNNABLE) {
        s--;
        link->ready = s->begin;
    }
    link->thread_wake = thread_wake_of(&t->threads, index, link->ready);
    if (s != thread->span) {
        s--;
        link->lost = s->state == VCPU_LOST || s->state == VCPU_UNKNOWN;
        if (s->state == VCPU_BLOCKED) {
            link->slept = s->begin;
            link->why = s->why;
        }
    }
    vcpu = vcpu_run(t, link->vcpu, did);
    if (vcpu && vcpu->begin > link->ready)
        link->vcpu_ran = vcpu->begin;
}

/* Continues with the thread that had a vCPU at @ns; returns false if none is known. */
static bool go_to_thread_on(struct chain *chain, const struct timeline *t,
                            uint32_t vcpu, uint64_t ns)
{
    const struct threads *threads = &t->threads;
    size_t i, run;

    for (i = 0; i < threads->nr; i++) {
        const struct thread_span *s;

        run = span_at(&threads->thread[i], ns);
        s = &threads->thread[i].span[run];
        if (s->state != VCPU_RUNNING ||
            threads->place[s->place].vcpu != vcpu || s->begin > ns)
            continue;
        add_thread(chain, t, i, run, ns);
        return true;
    }

    return false;
}

/* A thread is late because its vCPU was late, or because the thread that woke it was. */
static bool go_on_from_thread(struct chain *chain, const struct timeline *t)
{
    const struct chain_link *last = &chain->link[chain->nr - 1];
    const struct thread_wake *wake = last->thread_wake;
    size_t run;

    if (last->vcpu_ran != STAY_NEVER)
        return go_to_vcpu(chain, t, last->vcpu, last->did);
    if (!wake)
        return false;
    if (wake->from == THREAD_NONE)
        return wake->place != THREAD_NONE &&
               go_to_vcpu(chain, t, t->threads.place[wake->place].vcpu,
                          wake->ns);
    run = span_at(&t->threads.thread[wake->from], wake->ns);
    if (t->threads.thread[wake->from].span[run].state != VCPU_RUNNING)
        return false;
    add_thread(chain, t, wake->from, run, wake->ns);

    return true;
}

/* Continues with the sender of the notification: the thread, if it is known, else the vCPU. */
static bool go_on_from_vcpu(struct chain *chain, const struct timeline *t)
{
    const struct wake *wake = chain->link[chain->nr - 1].wake;

    if (!wake || wake->from == STAY_NONE)
        return false;

    return go_to_thread_on(chain, t, wake->from, wake->sent) ||
           go_to_vcpu(chain, t, wake->from, wake->sent);
}

/* Each cause precedes its effect; if the clocks' error reverses them, the chain ends. */
static void go_back(struct chain *chain, const struct timeline *t)
{
    const struct chain_link *last;

    do {
        last = &chain->link[chain->nr - 1];
        if (!(last->thread == THREAD_NONE ? go_on_from_vcpu(chain, t)
                                          : go_on_from_thread(chain, t)))
            return;
        if (last[1].did > last->did) {
            chain->nr--;
            return;
        }
    } while (chain->nr < CHAIN_LINKS);
}

bool chain_make(struct chain *chain, const struct timeline *t, uint16_t acct,
                uint32_t number, uint64_t ns)
{
    unsigned int i, best = 0;
    uint32_t vcpu = STAY_NONE;
    size_t run;

    chain->nr = 0;
    for (i = t->vcpus.first[acct]; i < t->vcpus.first[acct + 1]; i++)
        if ((number == CHAIN_ANY_VCPU || number == t->vcpus.vcpu[i].number) &&
            rank_state(&t->vcpus.vcpu[i], ns) > best) {
            best = rank_state(&t->vcpus.vcpu[i], ns);
            vcpu = i;
        }
    if (vcpu == STAY_NONE)
        return false;
    run = run_at(&t->vcpus.vcpu[vcpu], ns);
    add_vcpu(chain, t, vcpu, run, t->vcpus.vcpu[vcpu].span[run].begin);
    go_back(chain, t);

    return true;
}

bool chain_make_of_thread(struct chain *chain, const struct timeline *t,
                          uint32_t index, uint64_t ns)
{
    const struct thread *thread = &t->threads.thread[index];
    size_t run = span_at(thread, ns);

    while (run < thread->nr && thread->span[run].state != VCPU_RUNNING)
        run++;
    if (run == thread->nr)
        return false;
    chain->nr = 0;
    add_thread(chain, t, index, run, thread->span[run].begin);
    go_back(chain, t);

    return true;
}

bool chain_next_holder(const struct timeline *t, const struct chain_link *link,
                       struct chain_holder *h)
{
    const struct stays_cpu *cpu = &t->stays.cpu[link->cpu];

    if (h->stay)
        h->stay++;
    else
        h->stay = stays_at(cpu, link->ready) ?: cpu->stay;
    for (; h->stay < cpu->stay + cpu->nr && h->stay->begin < link->ran; h->stay++) {
        uint64_t end = h->stay->end < link->ran ? h->stay->end : link->ran;

        h->begin = h->stay->begin > link->ready ? h->stay->begin : link->ready;
        if (end > h->begin) {
            h->ns = end - h->begin;
            return true;
        }
    }

    return false;
}

bool chain_off_cpu(const struct timeline *t, const struct chain_link *link,
                   struct xensched_off_cpu *off)
{
    const struct stay *stay = stays_at(&t->stays.cpu[link->cpu], link->ran);

    if (!stay || stay->off == STAY_NEVER)
        return false;
    xensched_off_cpu(stay->off, off);

    return true;
}
