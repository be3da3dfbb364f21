/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds regions between marks, and the lanes in which they are drawn. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timeline/rows/row-order.h"
#include "regions.h"

/* Begins without an end so far; the last one is last. */
struct opens {
    const struct mark **mark;
    size_t nr, room;
};

/* An interval in which rows were lost. */
struct hole {
    uint64_t end, begin;
};

struct regions_making {
    struct regions *regions;
    const struct marks *marks;
    const struct regions_of *of;
    uint32_t *kind_of;    /* by text, or by accounting domain: index + 1 */
    struct opens *opens;  /* by kind */
    struct hole *hole;    /* sorted and disjoint */
    size_t nr_holes, holes_room;
};

/* Losses. */

static void find_holes(struct regions_making *m, const struct rows *rows)
{
    size_t i;

    for (i = 0; i < rows->nr_losses; i++) {
        const struct timeline_loss *loss = &rows->loss[i];
        struct hole *last = m->nr_holes ? &m->hole[m->nr_holes - 1] : NULL;

        if (!last || loss->begin_ns > last->end)
            *list_add(m->hole, m->nr_holes, m->holes_room) = (struct hole){
                .begin = loss->begin_ns, .end = loss->end_ns,
            };
        else if (loss->end_ns > last->end)
            last->end = loss->end_ns;
    }
}

static bool is_whole(const struct regions_making *m, uint64_t begin,
                     uint64_t end)
{
    size_t i = order_until(m->hole, m->nr_holes, sizeof(*m->hole),
                           offsetof(struct hole, end), begin);

    return i == m->nr_holes || m->hole[i].begin >= end;
}

/* Returns whether the mark has the name, or code, that begins or ends a region. */

static bool is_called(const struct regions_making *m, const struct mark *mark,
                      enum mark_kind kind, const char *what)
{
    return (mark->kind == kind || mark->kind == MARK_CODE) &&
           !strcmp(marks_name(m->marks, mark), what);
}

static bool is_begin(const struct regions_making *m, const struct mark *mark)
{
    return m->of->begin ? is_called(m, mark, MARK_BEGIN, m->of->begin)
                        : mark->kind == MARK_BEGIN;
}

static bool is_end(const struct regions_making *m, const struct mark *mark)
{
    return m->of->begin ? is_called(m, mark, MARK_END, m->of->end)
                        : mark->kind == MARK_END;
}

/* Returns STAY_NONE if there are too many kinds. */
static uint32_t kind_of(struct regions_making *m, const struct mark *mark)
{
    struct regions *r = m->regions;
    uint32_t *kind = &m->kind_of[m->of->begin ? mark->acct : mark->text];

    if (*kind)
        return *kind - 1;
    if (r->nr_kinds == REGIONS_MOST_KINDS) {
        r->left_out++;
        return STAY_NONE;
    }
    *list_add(r->kind, r->nr_kinds, r->kinds_room) = (struct region_kind){
        .acct = mark->acct,
        .name = m->of->begin ? m->of->begin
                             : m->marks->names.text[mark->text].text,
    };
    *kind = r->nr_kinds;

    return *kind - 1;
}

/* Pairs. */

static void begin_region(struct regions_making *m, const struct mark *mark,
                         uint32_t kind)
{
    struct opens *o = &m->opens[kind];

    if (o->nr == REGIONS_MOST_OPEN) {
        m->regions->kind[kind].unended++;
        memmove(o->mark, o->mark + 1, --o->nr * sizeof(*o->mark));
    }
    *list_add(o->mark, o->nr, o->room) = mark;
}

static bool is_same_vcpu(const struct mark *a, const struct mark *b)
{
    if (a->vcpu != MARK_NO_VCPU && b->vcpu != MARK_NO_VCPU)
        return a->vcpu == b->vcpu;

    return a->lane == b->lane;
}

static void add_region(struct regions_making *m, const struct mark *from,
                       const struct mark *to, uint32_t index)
{
    struct regions *r = m->regions;
    struct region_kind *kind = &r->kind[index];
    bool moved = !is_same_vcpu(from, to);
    struct region region = {
        .begin = from->ns,
        .end = to->ns,
        .kind = index,
        .lane = moved || from->lane != to->lane ? STAY_NONE : from->lane,
        .acct = from->acct,
        .moved = moved,
        .whole = is_whole(m, from->ns, to->ns),
    };

    *list_add(r->region, r->nr, r->room) = region;
    kind->nr++;
    kind->moved += region.moved;
    kind->broken += !region.whole;
}

static void end_region(struct regions_making *m, const struct mark *mark,
                       uint32_t kind)
{
    struct opens *o = &m->opens[kind];
    size_t i;

    if (!o->nr) {
        m->regions->kind[kind].unbegun++;
        return;
    }
    for (i = o->nr; i-- > 0;)
        if (is_same_vcpu(o->mark[i], mark))
            break;
    if (i == SIZE_MAX)
        i = o->nr - 1;
    add_region(m, o->mark[i], mark, kind);
    memmove(o->mark + i, o->mark + i + 1, (--o->nr - i) * sizeof(*o->mark));
}

static void accept_mark(struct regions_making *m, const struct mark *mark)
{
    bool ends = is_end(m, mark), begins = is_begin(m, mark);
    uint32_t kind;

    if ((!ends && !begins) || (m->of->acct >= 0 && mark->acct != m->of->acct))
        return;
    kind = kind_of(m, mark);
    if (kind == STAY_NONE)
        return;
    if (ends)
        end_region(m, mark, kind);
    if (begins)
        begin_region(m, mark, kind);
}

static bool begins_later(const void *a, const void *b)
{
    return ((const struct region *)a)->begin > ((const struct region *)b)->begin;
}

void regions_make(struct regions *regions, const struct rows *rows,
                  const struct marks *marks, const struct regions_of *of)
{
    struct regions_making m = { .regions = regions, .marks = marks, .of = of };
    size_t i;

    memset(regions, 0, sizeof(*regions));
    m.kind_of = need_memory(marks->names.nr + NAMES_ACCTS,
                            sizeof(*m.kind_of));
    m.opens = need_memory(REGIONS_MOST_KINDS, sizeof(*m.opens));
    find_holes(&m, rows);
    for (i = 0; i < marks->nr; i++)
        accept_mark(&m, &marks->mark[i]);
    for (i = 0; i < regions->nr_kinds; i++) {
        regions->kind[i].unended += m.opens[i].nr;
        free(m.opens[i].mark);
    }
    order_sort(regions->region, regions->nr, sizeof(*regions->region),
               begins_later);
    free(m.hole);
    free(m.opens);
    free(m.kind_of);
}

void regions_free(struct regions *regions)
{
    free(regions->region);
    free(regions->kind);
    memset(regions, 0, sizeof(*regions));
}

/* Lanes. */

static void put_lane(struct region_lanes *lanes, struct region_lane *all,
                     const struct region *region, uint32_t vcpu)
{
    unsigned int i;

    for (i = 0; i < REGION_LANES; i++) {
        struct region_lane *lane = &all[vcpu * REGION_LANES + i];

        if (lane->nr && lane->region[lane->nr - 1]->end > region->begin)
            continue;
        *list_add(lane->region, lane->nr, lane->room) = region;
        return;
    }
    lanes->left_out++;
}

void region_lanes_make(struct region_lanes *lanes,
                       const struct regions *regions,
                       const struct vcpus *vcpus)
{
    size_t nr = vcpus->nr * REGION_LANES, i;
    struct region_lane *all = need_memory(nr + 1, sizeof(*all));

    memset(lanes, 0, sizeof(*lanes));
    for (i = 0; i < regions->nr; i++) {
        const struct region *region = &regions->region[i];
        const unsigned int *first = &vcpus->first[region->acct];

        if (region->lane != STAY_NONE)
            put_lane(lanes, all, region, region->lane);
        else if (first[0] < first[1])
            put_lane(lanes, all, region, first[0]);
        else
            lanes->left_out++;
    }
    for (i = 0; i < nr; i++) {
        all[i].vcpu = i / REGION_LANES;
        all[i].number = i % REGION_LANES;
        if (all[i].nr)
            all[lanes->nr++] = all[i];
    }
    lanes->lane = all;
}

void region_lanes_free(struct region_lanes *lanes)
{
    unsigned int i;

    for (i = 0; i < lanes->nr; i++)
        free(lanes->lane[i].region);
    free(lanes->lane);
    memset(lanes, 0, sizeof(*lanes));
}
