/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints chains of causes as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "chain-text.h"
#include "shown.h"
#include "timeline/budgets.h"
#include "timeline/cause.h"

/* Maximum number of run intervals on the pCPU that are printed one by one. */
#define MOST_STAYS 12U

/* Parts of Xen's work that are printed, and the part of the time from which on it is. */
#define MOST_WORK 3U
#define LEAST_WORK 0.02

/* Maximum number of ends of periods that are printed one by one. */
#define MOST_PERIODS 4U

/* A shorter piece of Xen's work delays no timer noticeably. */
#define LEAST_PIECE_NS 100000U

static const char *name_of(const struct timeline *t, uint32_t vcpu)
{
    return shown_name(timeline_vcpu_name(t, vcpu));
}

static const char *work_name(const struct xen_work_part *part)
{
    return part->reason ? text_format("%s", part->reason)
                        : text_format("%s %u", xensched_event_name(part->event), part->number);
}

/* Prints what Xen worked for in @ns, if that is worth a line. */
static void print_work(const struct xen_work_sum *sum, uint64_t ns, const char *indent)
{
    unsigned int i;

    if (sum->ns <= LEAST_WORK * ns)
        return;
    printf("%sof that, Xen worked for %s:", indent, shown_length(sum->ns));
    for (i = 0; i < sum->nr && i < MOST_WORK && sum->part[i].ns; i++) {
        /* A share of a sum can contain less than one piece of work. */
        double times = sum->part[i].times > 1 ? sum->part[i].times : 1;

        printf("%s %s %s %s (%.0f time%s)", i ? "," : "",
               xensched_event_name(sum->part[i].event), work_name(&sum->part[i]),
               shown_length(sum->part[i].ns), times, times < 1.5 ? "" : "s");
    }
    printf("\n");
}

static void print_holders(const struct timeline *t,
                          const struct chain_link *link)
{
    struct chain_holder h = { 0 };
    struct xen_work_sum work;
    unsigned int nr = 0;

    while (chain_next_holder(t, link, &h)) {
        if (nr++ >= MOST_STAYS)
            continue;
        printf("    %s s  %s ran there for %s\n", shown_time(h.begin),
               h.stay->vcpu == STAY_NONE
               ? shown_name(names_of(&t->rows.names, h.stay->acct))
               : name_of(t, h.stay->vcpu), shown_length(h.ns));
        cause_work_of_holder(t, link, &h, &work);
        print_work(&work, h.ns, "      ");
    }
    if (nr > MOST_STAYS)
        printf("    and %u stays more\n", nr - MOST_STAYS);
    if (!nr)
        printf("    the recording does not show which domain had it\n");
}

static void print_wait(const struct timeline *t, const struct chain_link *link)
{
    if (link->ran == link->ready) {
        printf("  it did not wait for a pCPU\n");
        return;
    }
    printf("  it waited %s for pCPU %u:\n",
           shown_length(link->ran - link->ready), t->stays.cpu[link->cpu].id);
    print_holders(t, link);
}

static void print_left(const struct timeline *t, const struct chain_link *link)
{
    struct xensched_off_cpu off;

    if (chain_off_cpu(t, link, &off) && off.left && strcmp(off.left, "preempted"))
        printf("  it did not sleep before: it was off its pCPU as %s\n", off.left);
    else
        printf("  it did not sleep before: it had been preempted\n");
}

static void print_other_waker(const struct timeline *t, const struct chain_link *link)
{
    struct xensched_off_cpu off;

    if (chain_off_cpu(t, link, &off) && off.woke)
        printf("  no notification in the recording woke it; according to Xen: %s\n",
               off.woke);
    else
        printf("  no notification in the recording woke it: a timer, an "
               "interrupt, or one within\n"
               "  its domain did\n");
}

/* The longest piece of Xen's work before the wake-up, if that is worth a line. */
static void print_before_wake(const struct timeline *t, const struct chain_link *link)
{
    struct xen_work_piece piece;

    cause_work_before_wake(t, link, &piece);
    if (piece.part.ns < LEAST_PIECE_NS)
        return;
    printf("  before that, Xen worked at least %s without a pause for timers, as %s had pCPU %u:\n"
           "    %s %s\n", shown_length(piece.part.ns),
           shown_name(names_of(&t->rows.names, piece.acct)), t->stays.cpu[link->cpu].id,
           xensched_event_name(piece.part.event), work_name(&piece.part));
}

/* What kept it from running after it woke, or while it slept. */
static void print_kept_off(const struct timeline *t, const struct chain_link *link)
{
    struct xensched_off_cpu off;

    if (!chain_off_cpu(t, link, &off))
        return;
    if (off.capped)
        printf("  its budget was used up before it ran\n");
    if (off.paused)
        printf("  it was paused before it ran\n");
}

static void print_cause(const struct timeline *t,
                        const struct chain_link *link)
{
    const struct wake *wake = link->wake;
    uint64_t late;

    if (link->lost) {
        printf("  what it did before is not known: rows are missing\n");
        return;
    }
    if (link->slept == STAY_NEVER) {
        print_left(t, link);
        print_kept_off(t, link);
        return;
    }
    printf("  it slept from %s s to %s s\n", shown_time(link->slept),
           shown_time(link->ready));
    print_kept_off(t, link);
    if (!wake) {
        print_other_waker(t, link);
        print_before_wake(t, link);
        return;
    }
    late = link->ready > wake->sent ? link->ready - wake->sent : 0;
    printf("  %s notified it at %s s from pCPU %u; it was runnable %s later\n",
           wake->from == STAY_NONE
           ? shown_name(names_of(&t->rows.names, wake->sender))
           : name_of(t, wake->from), shown_time(wake->sent),
           t->stays.cpu[wake->cpu].id, shown_length(late));
}

/* The budgets that it got after it was ready, and deadlines. */
static void print_budgets(const struct timeline *t, const struct chain_link *link)
{
    const struct timeline_row *row = NULL;
    uint16_t acct = t->vcpus.vcpu[link->vcpu].acct;
    unsigned int nr = 0;

    while ((row = budgets_next(t, acct, link->ready, link->end, row)) != NULL) {
        struct xensched_replenish replenish;

        xensched_replenish(row->counter, &replenish);
        if (nr++ >= MOST_PERIODS)
            continue;
        if (replenish.missed)
            printf("  it missed its deadline at %s s, with %s of its budget left\n",
                   shown_time(row->ns), shown_length(replenish.left_ns));
        else
            printf("  it got its next budget at %s s\n", shown_time(row->ns));
    }
    if (nr > MOST_PERIODS)
        printf("  and %u budgets more\n", nr - MOST_PERIODS);
}

/* Prints what the run did for which the previous link waited; not for the first link. */
static void print_deed(const struct chain *chain, unsigned int i)
{
    const struct chain_link *link = &chain->link[i];
    const struct chain_link *before = i ? link - 1 : NULL;
    uint64_t later = link->did > link->ran ? link->did - link->ran : 0;

    if (!before)
        printf(" to %s s\n", shown_time(link->end));
    else if (before->vcpu_ran != STAY_NEVER)
        printf("\n");
    else if (before->thread == THREAD_NONE)
        printf(" and sent the notification %s later\n", shown_length(later));
    else if (link->thread == THREAD_NONE)
        printf(" and took the interrupt %s later\n", shown_length(later));
    else
        printf(" and woke it %s later\n", shown_length(later));
}

static void print_vcpu(const struct timeline *t, const struct chain *chain,
                       unsigned int i)
{
    const struct chain_link *link = &chain->link[i];
    struct xen_work_sum work;

    printf("%s ran on pCPU %u from %s s", name_of(t, link->vcpu),
           t->stays.cpu[link->cpu].id, shown_time(link->ran));
    print_deed(chain, i);
    cause_work_in_run(t, link, &work);
    print_work(&work, (i ? link->did : link->end) - link->ran, "  ");
    print_wait(t, link);
    print_cause(t, link);
    print_budgets(t, link);
}

/* Threads. */

static const char *thread_of(const struct timeline *t, uint32_t thread)
{
    return shown_name(threads_name(&t->threads.thread[thread]));
}

static const char *place_of(const struct timeline *t, uint32_t place)
{
    return shown_name(timeline_place_name(t, place));
}

uint64_t chain_held_ns(const struct timeline *t, const struct chain_link *link,
                       size_t i)
{
    const struct thread *thread = &t->threads.thread[i];
    uint64_t ns = 0;
    size_t j;

    for (j = 0; j < thread->nr && thread->span[j].begin < link->ran; j++) {
        uint64_t begin = thread->span[j].begin;
        uint64_t end = threads_end(&t->threads, thread, j);

        begin = begin > link->ready ? begin : link->ready;
        end = end < link->ran ? end : link->ran;
        if (thread->span[j].place == link->place && end > begin)
            ns += end - begin;
    }

    return ns;
}

static void print_other_threads(const struct timeline *t,
                                const struct chain_link *link)
{
    unsigned int nr = 0;
    size_t i;

    for (i = 0; i < t->threads.nr; i++) {
        uint64_t ns = chain_held_ns(t, link, i);

        if (ns && nr++ < MOST_STAYS)
            printf("    %s had it for %s\n", thread_of(t, i),
                   shown_length(ns));
    }
}

static void print_waker(const struct timeline *t, const struct chain_link *link)
{
    const struct thread_wake *wake = link->thread_wake;

    if (link->lost)
        printf("  what it did before is not known\n");
    else if (link->slept == STAY_NEVER)
        printf("  it did not sleep before: it had been preempted\n");
    else if (link->why == 'D')
        printf("  it slept, usually for a device, from %s s to %s s\n",
               shown_time(link->slept), shown_time(link->ready));
    else
        printf("  it slept from %s s to %s s\n", shown_time(link->slept),
               shown_time(link->ready));
    if (!wake)
        return;
    if (wake->from == THREAD_NONE)
        printf("  an interrupt on %s woke it\n", place_of(t, wake->place));
    else
        printf("  %s woke it\n", thread_of(t, wake->from));
}

static void print_thread(const struct timeline *t, const struct chain *chain,
                         unsigned int i)
{
    const struct chain_link *link = &chain->link[i];
    const struct thread *thread = &t->threads.thread[link->thread];

    printf("%s of %s had %s from %s s", thread_of(t, link->thread),
           shown_name(timeline_source_name(t, thread->source)),
           place_of(t, link->place), shown_time(link->ran));
    print_deed(chain, i);
    if (link->ran > link->ready) {
        printf("  it waited %s for %s\n", shown_length(link->ran - link->ready),
               place_of(t, link->place));
        print_other_threads(t, link);
    }
    print_waker(t, link);
    if (link->vcpu_ran != STAY_NEVER)
        printf("  but %s had a pCPU from %s s only\n",
               place_of(t, link->place), shown_time(link->vcpu_ran));
}

static void print_moved(const struct timeline *t, const struct cause *cause)
{
    uint32_t id;

    if (cause->from == STAY_NONE) {
        printf("cause: it had to leave its pCPU (%s)\n", shown_length(cause->ns));
        return;
    }
    id = t->stays.cpu[cause->from].id;
    printf("cause: it had to leave pCPU %u%s (%s)\n", id,
           cpumap_test(&t->rows.names.offline, id)
           ? ", which was offline for a part of the recording" : "", shown_length(cause->ns));
}

void chain_print_cause(const struct timeline *t, const struct chain_link *link)
{
    struct cause cause;

    cause_find(&cause, t, link);
    switch (cause.kind) {
    case CAUSE_BUDGET:
        printf("cause: its budget was used up (%s)\n", shown_length(cause.ns));
        break;
    case CAUSE_MOVED:
        print_moved(t, &cause);
        break;
    case CAUSE_INTERRUPTS:
        printf("cause: interrupts on pCPU %u, mostly %s (%s)\n", t->stays.cpu[link->cpu].id,
               work_name(&cause.most), shown_length(cause.ns));
        break;
    case CAUSE_HYPERCALLS:
        printf("cause: hypercalls of %s, mostly %s (%s)\n",
               shown_name(names_of(&t->rows.names, cause.acct)), work_name(&cause.most),
               shown_length(cause.ns));
        break;
    case CAUSE_DOMAIN:
        printf("cause: %s had pCPU %u (%s)\n",
               shown_name(names_of(&t->rows.names, cause.acct)), t->stays.cpu[link->cpu].id,
               shown_length(cause.ns));
        break;
    case CAUSE_IDLE:
        printf("cause: pCPU %u was idle (%s)\n", t->stays.cpu[link->cpu].id,
               shown_length(cause.ns));
        break;
    case CAUSE_NONE:
        break;
    }
}

void chain_print(const struct timeline *t, const struct chain *chain)
{
    unsigned int i;

    for (i = 0; i < chain->nr; i++)
        if (chain->link[i].thread == THREAD_NONE)
            print_vcpu(t, chain, i);
        else
            print_thread(t, chain, i);
}
