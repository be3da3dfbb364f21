/* SPDX-License-Identifier: GPL-2.0-only */
/* Divides the sums of Xen's work among the times in which it happened. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/event.h>

#include "base/alloc.h"
#include "timeline/rows/row-order.h"
#include "xen-work.h"

/* The rows of one tick follow each other within this time. */
#define TICK_ROWS_NS 2000000U

/* No tick is later than this after the one before, on an idle pCPU. */
#define LONGEST_TICK_NS 1000000000U

static unsigned int reason_of(uint64_t counter)
{
    return counter >> XEN_SCHEDLOG_WORK_REASON_SHIFT;
}

static bool is_like(const struct xen_work_row *a, const struct timeline_row *b)
{
    return a->event == b->event && a->acct == b->current &&
           reason_of(a->counter) == reason_of(b->counter);
}

/* Does @row belong to the tick of the rows from @first on? */
static bool is_of_tick(const struct xen_work_cpu *cpu, size_t first,
                       const struct timeline_row *row)
{
    size_t i;

    if (first == cpu->nr || row->ns - cpu->row[cpu->nr - 1].ns > TICK_ROWS_NS)
        return false;
    for (i = first; i < cpu->nr; i++)
        if (is_like(&cpu->row[i], row))
            return false;

    return true;
}

/* For how long @acct had the pCPU from @begin to @end. */
static uint64_t had_ns(const struct stays_cpu *cpu, uint16_t acct, uint64_t begin, uint64_t end)
{
    const struct stay *stay = stays_at(cpu, begin) ?: cpu->stay;
    uint64_t ns = 0;

    for (; stay < cpu->stay + cpu->nr && stay->begin < end; stay++) {
        uint64_t from = stay->begin > begin ? stay->begin : begin;
        uint64_t to = stay->end < end ? stay->end : end;

        if (stay->acct == acct && to > from)
            ns += to - from;
    }

    return ns;
}

void xen_work_make(struct xen_work *work, const struct rows *rows, const struct stays *stays)
{
    size_t *first = need_memory(stays->nr + 1, sizeof(*first)), i;

    work->nr = stays->nr;
    work->cpu = need_memory(stays->nr + 1, sizeof(*work->cpu));
    for (i = 0; i < rows->nr; i++) {
        const struct timeline_row *row = &rows->row[i];
        uint32_t index = stays_cpu(stays, row->cpu);
        struct xen_work_cpu *cpu;
        uint64_t since = row->ns; /* the first tick's work is of an unknown time */

        if (index == STAY_NONE || !xensched_is_work(row->event))
            continue;
        cpu = &work->cpu[index];
        if (!is_of_tick(cpu, first[index], row))
            first[index] = cpu->nr;
        if (first[index])
            since = cpu->row[first[index] - 1].ns;
        *list_add(cpu->row, cpu->nr, cpu->room) = (struct xen_work_row){
            since, row->ns, had_ns(&stays->cpu[index], row->current, since, row->ns),
            row->counter, row->event, row->current,
        };
    }
    free(first);
}

void xen_work_free(struct xen_work *work)
{
    unsigned int i;

    for (i = 0; i < work->nr; i++)
        free(work->cpu[i].row);
    free(work->cpu);
    memset(work, 0, sizeof(*work));
}

/* The part of the work of @row that was from @begin to @end, by the time of its domain. */
static double share_of(const struct stays_cpu *cpu, const struct xen_work_row *row,
                       uint64_t begin, uint64_t end)
{
    uint64_t from = row->since > begin ? row->since : begin;
    uint64_t to = row->ns < end ? row->ns : end;
    uint64_t part = had_ns(cpu, row->acct, from, to);

    return part ? (double)part / row->had_ns : 0;
}

static struct xen_work_part *part_of(struct xen_work_sum *sum, uint16_t event,
                                     const struct xensched_work *work)
{
    unsigned int i;

    for (i = 0; i < sum->nr; i++)
        if (sum->part[i].event == event && sum->part[i].number == work->number)
            return &sum->part[i];
    if (sum->nr == XEN_WORK_PARTS)
        return NULL;
    sum->part[sum->nr] = (struct xen_work_part){ event, work->reason, work->number, 0, 0 };

    return &sum->part[sum->nr++];
}

static bool is_interrupt(uint16_t event)
{
    return event == XEN_SCHEDLOG_EV_IRQ_TIME || event == XEN_SCHEDLOG_EV_FLUSH_WAIT;
}

bool xen_work_is_interrupt(const struct xen_work_part *part)
{
    return is_interrupt(part->event);
}

static void add_row(struct xen_work_sum *sum, const struct xen_work_row *row, double share)
{
    struct xensched_work work;
    struct xen_work_part *part;

    xensched_work(row->event, row->counter, &work);
    sum->ns += share * work.ns;
    if (is_interrupt(row->event))
        sum->interrupts_ns += share * work.ns;
    part = part_of(sum, row->event, &work);
    if (!part)
        return;
    part->ns += share * work.ns;
    part->times += share * work.times;
}

static int by_ns(const void *a, const void *b)
{
    const struct xen_work_part *x = a, *y = b;

    return (x->ns < y->ns) - (x->ns > y->ns);
}

void xen_work_between(const struct xen_work *work, const struct stays *stays, uint32_t cpu,
                      uint16_t acct, uint64_t begin, uint64_t end, struct xen_work_sum *sum)
{
    const struct xen_work_cpu *of = &work->cpu[cpu];
    size_t i = order_until(of->row, of->nr, sizeof(*of->row),
                           offsetof(struct xen_work_row, ns), begin);

    memset(sum, 0, sizeof(*sum));
    for (; i < of->nr && of->row[i].since < end &&
           of->row[i].ns < end + LONGEST_TICK_NS; i++) {
        const struct xen_work_row *row = &of->row[i];
        double share = row->acct == acct ? share_of(&stays->cpu[cpu], row, begin, end) : 0;

        if (share > 0)
            add_row(sum, row, share);
    }
    if (sum->nr)
        qsort(sum->part, sum->nr, sizeof(*sum->part), by_ns);
}

void xen_work_longest_before(const struct xen_work *work, const struct stays *stays,
                             uint32_t cpu, uint64_t begin, uint64_t end,
                             struct xen_work_piece *piece)
{
    const struct xen_work_cpu *of = &work->cpu[cpu];
    size_t i = order_until(of->row, of->nr, sizeof(*of->row), offsetof(struct xen_work_row, ns),
                           end > TICK_ROWS_NS ? end - TICK_ROWS_NS : 0);

    memset(piece, 0, sizeof(*piece));
    for (; i < of->nr && of->row[i].since < end &&
           of->row[i].ns < end + LONGEST_TICK_NS; i++) {
        const struct xen_work_row *row = &of->row[i];
        struct xensched_work sum;
        double share = share_of(&stays->cpu[cpu], row, begin, end), times;
        uint64_t ns;

        xensched_work(row->event, row->counter, &sum);
        times = share * sum.times > 1 ? share * sum.times : 1;
        ns = share * sum.ns / times;
        if (ns > piece->part.ns)
            *piece = (struct xen_work_piece){
                { row->event, sum.reason, sum.number, ns, 1 }, row->acct,
            };
    }
}
