/* SPDX-License-Identifier: GPL-2.0-only */
/* Derives run intervals of accounting domains from rows. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timeline/rows/row-order.h"
#include "timeline/rows/cuts.h"
#include "stays.h"

/* The longest time from an event to its row. */
#define ROW_NS 5000U

/* A greater delay is no late stamp, but an unknown time. */
#define MAX_LATE_NS 10000000U

uint64_t stays_tolerance(const struct rows *rows)
{
    return 2 * rows->granule_ns + ROW_NS;
}

static bool has_each_stay(const struct rows *rows)
{
    return !(rows->names.sampled & 1U << XEN_SCHEDLOG_EV_SERVICE_NS);
}

/* pCPUs by id. */

static bool has_larger_id(const void *a, const void *b)
{
    return ((const struct stays_cpu *)a)->id >
           ((const struct stays_cpu *)b)->id;
}

uint32_t stays_cpu(const struct stays *stays, uint32_t id)
{
    unsigned int low = 0, high = stays->nr;

    while (low < high) {
        unsigned int middle = (low + high) / 2;

        if (stays->cpu[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }

    return low < stays->nr && stays->cpu[low].id == id ? low : STAY_NONE;
}

static void find_cpus(struct stays *stays, const struct rows *rows)
{
    size_t room = 0, nr = 0, i;

    for (i = 0; i < rows->nr; i++) {
        struct stays_cpu *cpu;

        if (stays_cpu(stays, rows->row[i].cpu) != STAY_NONE)
            continue;
        if (nr == STAYS_MAX_CPUS) {
            stays->strange++;
            continue;
        }
        cpu = list_add(stays->cpu, nr, room);
        *cpu = (struct stays_cpu){ .id = rows->row[i].cpu };
        order_sort(stays->cpu, nr, sizeof(*stays->cpu), has_larger_id);
        stays->nr = nr;
    }
}

/* Stays, from their rows. */

/* Finds, per pCPU, when its stays are not all known.  The caller frees it with free_lost(). */
static struct windows *find_lost(const struct stays *stays,
                                 const struct rows *rows)
{
    struct windows *lost = need_memory(stays->nr + 1, sizeof(*lost));
    size_t i;

    for (i = 0; i < rows->nr_losses; i++) {
        uint32_t cpu = stays_cpu(stays, rows->loss[i].cpu);

        if (cpu != STAY_NONE &&
            rows->loss[i].events & 1U << XEN_SCHEDLOG_EV_SERVICE_NS)
            windows_add(&lost[cpu], rows->loss[i].begin_ns,
                        rows->loss[i].end_ns);
    }

    return lost;
}

static void free_lost(const struct stays *stays, struct windows *lost)
{
    unsigned int i;

    for (i = 0; i < stays->nr; i++)
        windows_free(&lost[i]);
    free(lost);
}

/*
 * Returns whether the stay begins when @last ends.  A late stamp makes it look as if there was
 * something in between, but then the log says that there was not.
 */
static bool is_joined(const struct rows *rows, const struct windows *lost,
                      const struct stay *last, uint16_t next,
                      const struct timeline_row *row, uint64_t tolerance)
{
    uint64_t begin = row->counter < row->ns ? row->ns - row->counter : 0;

    /* Idle pCPUs have no rows. */
    if (begin > last->said && next == XEN_SCHEDLOG_ACCT_XEN &&
        row->current != XEN_SCHEDLOG_ACCT_XEN)
        return false;
    if (begin < last->said + tolerance)
        return true;

    return next == row->current && has_each_stay(rows) &&
           begin - last->said < MAX_LATE_NS &&
           !windows_overlap(lost, last->said, begin);
}

/* The first row since the last exit that Xen writes when a vCPU begins to run. */
struct opening {
    bool there;
    uint16_t acct;
    uint64_t ns;
};

static bool begins_a_run(const struct timeline_row *row)
{
    return (row->event == XEN_SCHEDLOG_EV_WAKE_DELAY ||
            row->event == XEN_SCHEDLOG_EV_MIGRATE) &&
           row->current != XEN_SCHEDLOG_ACCT_XEN;
}

/* A vCPU that did not sleep has no other row of its beginning than off-cpu. */
static void note_opening(struct opening *opening, const struct timeline_row *row)
{
    if (!opening->there && (begins_a_run(row) || row->event == XEN_SCHEDLOG_EV_OFF_CPU))
        *opening = (struct opening){ true, row->current, row->ns };
}

/*
 * After idle time of the pCPU no stay bounds a late stamp.  The row of the beginning does: the run
 * began before Xen wrote that row.
 */
static void bound_by_opening(struct stay *stay, const struct opening *opening,
                             uint64_t tolerance)
{
    uint64_t late = stay->begin > opening->ns ? stay->begin - opening->ns : 0;

    if (!opening->there || opening->acct != stay->acct || stay->joined ||
        late >= MAX_LATE_NS)
        return;
    stay->opened = opening->ns;
    if (late <= tolerance)
        return;
    stay->begin -= late;
    stay->end -= late;
}

/* Returns the begin of the run that a row of service-ns ends; unknown across a cut. */
static uint64_t run_begin(const struct rows *rows, const struct timeline_row *row)
{
    uint64_t begin = row->counter < row->ns ? row->ns - row->counter : 0;
    uint64_t cut = windows_before(&rows->cut, row->ns);

    return begin > cut ? begin : cut;
}

static void take_stays(struct stays *stays, const struct rows *rows,
                       const struct windows *lost)
{
    uint64_t tolerance = stays_tolerance(rows);
    uint16_t *next = need_memory(stays->nr + 1, sizeof(*next));
    struct opening *opening = need_memory(stays->nr + 1, sizeof(*opening));
    size_t i;

    for (i = 0; i < rows->nr; i++) {
        const struct timeline_row *row = &rows->row[i];
        uint32_t index = stays_cpu(stays, row->cpu);
        struct stays_cpu *cpu;
        struct stay *stay;

        if (index == STAY_NONE)
            continue;
        note_opening(&opening[index], row);
        if (row->event != XEN_SCHEDLOG_EV_SERVICE_NS)
            continue;
        cpu = &stays->cpu[index];
        stay = list_add(cpu->stay, cpu->nr, cpu->room);
        *stay = (struct stay){
            .begin = run_begin(rows, row),
            .end = row->ns,
            .said = row->ns,
            .opened = STAY_NEVER,
            .woken = STAY_NEVER,
            .off = STAY_NEVER,
            .from = STAY_NONE,
            .vcpu = STAY_NONE,
            .acct = row->current,
        };
        stay->joined = cpu->nr > 1 &&
                       is_joined(rows, &lost[index], stay - 1, next[index], row,
                                 tolerance);
        bound_by_opening(stay, &opening[index], tolerance);
        opening[index].there = false;
        /* A part of a stay: the same domain continues. */
        next[index] = row->correspondent == XEN_SCHEDLOG_ACCT_NONE
                      ? row->current : row->correspondent;
        stay->next = next[index];
        stays->rows++;
    }
    free(next);
    free(opening);
}

/* The most by which the clocks of Xen and the TSC differ after @ns. */
static uint64_t max_drift(uint64_t ns)
{
    return ns / 8192 + 1;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/*
 * If stays are joined, each ends after the previous one's end plus its own counter at most, and
 * before the next one's counter began at most.
 */
static void shift_ends(struct stays_cpu *cpu)
{
    uint64_t *length = need_memory(cpu->nr + 1, sizeof(*length));
    size_t i;

    for (i = 0; i < cpu->nr; i++)
        length[i] = cpu->stay[i].end - cpu->stay[i].begin;
    for (i = 1; i < cpu->nr; i++)
        if (cpu->stay[i].joined)
            cpu->stay[i].end = least_of(cpu->stay[i].end, cpu->stay[i - 1].end +
                                        length[i] + max_drift(length[i]));
    for (i = cpu->nr; i-- > 1; )
        if (cpu->stay[i].joined) {
            uint64_t end = cpu->stay[i].end, most = length[i] -
                           least_of(length[i], max_drift(length[i]));

            cpu->stay[i - 1].end = least_of(cpu->stay[i - 1].end,
                                            end - least_of(end, most));
        }
    for (i = 0; i < cpu->nr; i++)
        cpu->stay[i].begin = cpu->stay[i].end -
                             least_of(cpu->stay[i].end, length[i]);
    free(length);
}

static void note_late(struct stays *stays, uint64_t late, uint64_t tolerance)
{
    stays->late += late > tolerance;
    if (late > stays->late_ns)
        stays->late_ns = late;
}

/* Returns whether only the idle vCPU had the pCPU between the two. */
static bool was_idle(const struct rows *rows, const struct windows *lost,
                     const struct stay *last, const struct stay *stay)
{
    return last->next == XEN_SCHEDLOG_ACCT_XEN && last->end < stay->begin &&
           has_each_stay(rows) &&
           !windows_overlap(lost, last->end, stay->begin);
}

static void add_stay(const struct rows *rows, const struct windows *lost,
                     struct stays_cpu *to, const struct stay *stay)
{
    struct stay *last = to->nr ? &to->stay[to->nr - 1] : NULL;
    struct stay idle;

    if (last && was_idle(rows, lost, last, stay)) {
        idle = (struct stay){
            .begin = last->end,
            .end = stay->begin,
            .said = stay->begin,
            .opened = STAY_NEVER,
            .woken = STAY_NEVER,
            .off = STAY_NEVER,
            .from = STAY_NONE,
            .vcpu = STAY_NONE,
            .acct = XEN_SCHEDLOG_ACCT_XEN,
            .next = stay->acct,
            .joined = true,
        };
        *list_add(to->stay, to->nr, to->room) = idle;
    }
    *list_add(to->stay, to->nr, to->room) = *stay;
}

/*
 * Returns whether @stay continues @last.  Not if the pCPU was idle between them, for a moment that
 * is too short to be seen.
 */
static bool goes_on(const struct stay *last, const struct stay *stay)
{
    return stay->joined && stay->acct == last->acct && last->next == last->acct;
}

/* Joins the parts of a stay. */
static void put_together(struct stays *stays, struct stays_cpu *cpu,
                         const struct rows *rows, const struct windows *lost)
{
    struct stays_cpu to = { .id = cpu->id };
    size_t i;

    for (i = 0; i < cpu->nr; i++) {
        struct stay stay = cpu->stay[i];
        struct stay *last = to.nr ? &to.stay[to.nr - 1] : NULL;

        note_late(stays, stay.said - stay.end, stays_tolerance(rows));
        if (last && (stay.joined || stay.begin < last->end)) {
            stays->overlaps += !stay.joined;
            stay.begin = last->end;
        }
        if (stay.end < stay.begin)
            stay.end = stay.begin;
        if (last && goes_on(last, &stay)) {
            last->end = stay.end;
            last->said = stay.said;
            last->next = stay.next;
        } else {
            add_stay(rows, lost, &to, &stay);
        }
    }
    free(cpu->stay);
    *cpu = to;
}

/* Rows about the beginning of a stay. */

static uint64_t distance_between(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/*
 * Its rows were written between its beginning and the row of the stay before, or with the first
 * row.
 */
static bool begins_about(const struct stays_cpu *cpu, size_t i, uint64_t ns,
                         uint64_t tolerance)
{
    const struct stay *stay = &cpu->stay[i];
    uint64_t said = i && stay->joined ? stay[-1].said : stay->begin;

    if (stay->opened != STAY_NEVER && distance_between(stay->opened, ns) <= tolerance)
        return true;

    return stay->begin <= ns + tolerance && said + tolerance >= ns;
}

/* A point within a stay at which another vCPU of the same domain began to run. */
struct split {
    size_t stay;
    uint64_t ns, woken, off;
    uint32_t from;
};

/* The rows about beginnings on a pCPU. */
struct beginnings {
    struct stays_cpu *cpu;
    size_t next; /* the first stay that has not ended, by its last row */
    struct split *split;
    size_t nr, room;
};

/* Returns the stay of @acct at @ns. */
static struct stay *present_stay(struct beginnings *b, uint16_t acct, uint64_t ns,
                                 uint64_t tolerance)
{
    struct stays_cpu *cpu = b->cpu;
    size_t i;

    while (b->next < cpu->nr && cpu->stay[b->next].said + tolerance < ns)
        b->next++;
    /* Prefers a stay that begins now to one that ends. */
    for (i = b->next; i < cpu->nr && cpu->stay[i].begin <= ns + tolerance; i++)
        if (cpu->stay[i].acct == acct && begins_about(cpu, i, ns, tolerance))
            return &cpu->stay[i];
    for (i = b->next; i < cpu->nr && cpu->stay[i].begin <= ns; i++)
        if (cpu->stay[i].acct == acct && cpu->stay[i].end > ns)
            return &cpu->stay[i];

    return NULL;
}

/* A stay that begins at @ns has not ended: it has a row when it ends. */
static bool after_all(const struct stays_cpu *cpu, uint64_t ns,
                      uint64_t tolerance)
{
    return !cpu->nr || cpu->stay[cpu->nr - 1].end <= ns + tolerance;
}

static struct split *split_at(struct beginnings *b, const struct stay *stay,
                              uint64_t ns, uint64_t tolerance)
{
    struct split *last = b->nr ? &b->split[b->nr - 1] : NULL;
    size_t i = stay - b->cpu->stay;

    if (last && last->stay == i && last->ns + tolerance >= ns)
        return last;
    last = list_add(b->split, b->nr, b->room);
    *last = (struct split){ i, ns, STAY_NEVER, STAY_NEVER, STAY_NONE };

    return last;
}

/* The counter ends at the time stamp, and the run began no later. */
static uint64_t woken_at(const struct timeline_row *row, uint64_t begin)
{
    uint64_t ns = row->counter < row->ns ? row->ns - row->counter : 0;

    return ns < begin ? ns : begin;
}

/*
 * A row of wake-delay contradicts the stays.  It probably belongs to the next run, for whose
 * vCPU the time of the wake-up is then unknown.
 */
static void note_contradiction(struct beginnings *b, const struct timeline_row *row)
{
    size_t i;

    for (i = b->next; i < b->cpu->nr; i++)
        if (b->cpu->stay[i].acct == row->current &&
            b->cpu->stay[i].begin > row->ns) {
            b->cpu->stay[i].woken_lost = true;
            return;
        }
}

/* Such rows only explain why the vCPU had not run; the run itself is known. */
static void take_off_cpu(struct beginnings *b, const struct timeline_row *row,
                         uint64_t tolerance)
{
    struct stay *stay = present_stay(b, row->current, row->ns, tolerance);
    struct split *last = b->nr ? &b->split[b->nr - 1] : NULL;

    if (!stay)
        return;
    if (begins_about(b->cpu, stay - b->cpu->stay, row->ns, tolerance))
        stay->off = row->counter;
    else if (last && last->stay == (size_t)(stay - b->cpu->stay) &&
             last->ns + tolerance >= row->ns)
        last->off = row->counter;
}

/* Uses a row which shows that a vCPU of @row->current began to run. */
static void take_beginning(struct stays *stays, struct beginnings *b,
                           const struct timeline_row *row, uint64_t tolerance)
{
    bool wake = row->event == XEN_SCHEDLOG_EV_WAKE_DELAY;
    struct stay *stay = present_stay(b, row->current, row->ns, tolerance);
    uint64_t begin, *woken;
    uint32_t *from;

    if (!stay) {
        stays->unplaced += !after_all(b->cpu, row->ns, tolerance);
        if (wake)
            note_contradiction(b, row);
        return;
    }
    /* After idle time of the pCPU a stay begins with a wake-up. */
    if (begins_about(b->cpu, stay - b->cpu->stay, row->ns, tolerance) ||
        (!stay->joined && wake && stay->woken == STAY_NEVER)) {
        begin = stay->begin;
        woken = &stay->woken;
        from = &stay->from;
    } else {
        struct split *split = split_at(b, stay, row->ns, tolerance);

        begin = split->ns;
        woken = &split->woken;
        from = &split->from;
    }
    if (wake)
        *woken = woken_at(row, begin);
    else
        *from = stays_cpu(stays, row->counter >> 16 & 0xffff);
}

/* Cuts stays at the splits. */
static void cut_stays(struct beginnings *b)
{
    struct stays_cpu to = { .id = b->cpu->id };
    size_t i, j = 0;

    if (!b->nr)
        return;
    for (i = 0; i < b->cpu->nr; i++) {
        struct stay rest = b->cpu->stay[i];

        for (; j < b->nr && b->split[j].stay == i; j++) {
            struct stay first = rest;

            first.end = first.said = b->split[j].ns;
            rest.opened = STAY_NEVER;
            first.next = rest.acct;
            *list_add(to.stay, to.nr, to.room) = first;
            rest.begin = b->split[j].ns;
            rest.woken = b->split[j].woken;
            rest.off = b->split[j].off;
            rest.from = b->split[j].from;
            rest.joined = rest.split = true;
        }
        *list_add(to.stay, to.nr, to.room) = rest;
    }
    free(b->cpu->stay);
    *b->cpu = to;
}

static bool is_later_split(const void *a, const void *b)
{
    const struct split *x = a, *y = b;

    return x->stay != y->stay ? x->stay > y->stay : x->ns > y->ns;
}

static void take_beginnings(struct stays *stays, const struct rows *rows)
{
    struct beginnings *of = need_memory(stays->nr + 1, sizeof(*of));
    size_t i;

    for (i = 0; i < stays->nr; i++)
        of[i].cpu = &stays->cpu[i];
    for (i = 0; i < rows->nr; i++) {
        const struct timeline_row *row = &rows->row[i];
        uint32_t cpu = stays_cpu(stays, row->cpu);

        if (cpu == STAY_NONE)
            continue;
        if (begins_a_run(row))
            take_beginning(stays, &of[cpu], row, stays_tolerance(rows));
        else if (row->event == XEN_SCHEDLOG_EV_OFF_CPU)
            take_off_cpu(&of[cpu], row, stays_tolerance(rows));
    }
    for (i = 0; i < stays->nr; i++) {
        order_sort(of[i].split, of[i].nr, sizeof(*of[i].split),
                   is_later_split);
        cut_stays(&of[i]);
        free(of[i].split);
    }
    free(of);
}

static void take_loss(struct stays *stays, const struct timeline_loss *loss,
                      uint64_t tolerance)
{
    uint32_t index = stays_cpu(stays, loss->cpu);
    struct stays_cpu *cpu;
    const struct stay *first;
    size_t i;

    if (index == STAY_NONE || !(loss->events & 1U << XEN_SCHEDLOG_EV_WAKE_DELAY))
        return;
    cpu = &stays->cpu[index];
    first = stays_at(cpu, loss->begin_ns > tolerance
                          ? loss->begin_ns - tolerance : 0);
    for (i = first ? first - cpu->stay : 0;
         i < cpu->nr && cpu->stay[i].begin <= loss->end_ns + tolerance; i++)
        cpu->stay[i].woken_lost = true;
}

const struct stay *stays_at(const struct stays_cpu *cpu, uint64_t ns)
{
    size_t nr = order_until(cpu->stay, cpu->nr, sizeof(*cpu->stay),
                            offsetof(struct stay, begin), ns);

    return nr ? &cpu->stay[nr - 1] : NULL;
}

void stays_make(struct stays *stays, const struct rows *rows)
{
    struct windows *lost;
    size_t i;

    memset(stays, 0, sizeof(*stays));
    stays->wakes = rows->events & 1U << XEN_SCHEDLOG_EV_WAKE_DELAY;
    stays->migrates = rows->events & 1U << XEN_SCHEDLOG_EV_MIGRATE;
    find_cpus(stays, rows);
    lost = find_lost(stays, rows);
    take_stays(stays, rows, lost);
    for (i = 0; i < stays->nr; i++) {
        shift_ends(&stays->cpu[i]);
        put_together(stays, &stays->cpu[i], rows, &lost[i]);
    }
    free_lost(stays, lost);
    take_beginnings(stays, rows);
    for (i = 0; i < rows->nr_losses; i++)
        take_loss(stays, &rows->loss[i], stays_tolerance(rows));
}

void stays_free(struct stays *stays)
{
    unsigned int i;

    for (i = 0; i < stays->nr; i++)
        free(stays->cpu[i].stay);
    free(stays->cpu);
    memset(stays, 0, sizeof(*stays));
}
