/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints what a timeline has besides vCPUs: marks of guests, decisions of the daemon, foreign
 * traces, and requests on rings.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json.h"
#include "command/text/table.h"
#include "timeline/latency.h"
#include "timeline-summary.h"
#include "shown.h"

/* Marks. */

/* The most labels in JSON, and regions in a table; a guest can make any number. */
#define MOST_LABELS  1000U
#define MOST_REGIONS 20U

static uint64_t *add_up(const struct regions *regions)
{
    uint64_t *ns = need_memory(regions->nr_kinds + 1, sizeof(*ns));
    size_t i;

    for (i = 0; i < regions->nr; i++)
        ns[regions->region[i].kind] += regions->region[i].end -
                                       regions->region[i].begin;

    return ns;
}

static uint64_t count_marks(const struct timeline *t, enum mark_kind kind)
{
    uint64_t nr = 0;
    size_t i;

    for (i = 0; i < t->marks.nr; i++)
        nr += t->marks.mark[i].kind == kind;

    return nr;
}

/* JSON. */

static json_object *regions_json(const struct timeline *t)
{
    json_object *array = json_object_new_array();
    uint64_t *ns = add_up(&t->regions);
    size_t i;

    for (i = 0; i < t->regions.nr_kinds; i++) {
        const struct region_kind *kind = &t->regions.kind[i];
        json_object *o = json_object_new_object();

        json_add_text(o, "domain", names_of(&t->rows.names, kind->acct));
        json_add_text(o, "name", kind->name);
        json_add_int(o, "regions", kind->nr);
        json_add_int(o, "total_ns", ns[i]);
        json_add_int(o, "unended", kind->unended);
        json_add_int(o, "unbegun", kind->unbegun);
        json_object_array_add(array, o);
    }
    free(ns);

    return array;
}

static json_object *counts_json(const struct timeline *t)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < t->counters.nr; i++) {
        const struct counter *c = &t->counters.counter[i];
        json_object *o;

        if (c->kind != COUNTER_MARK)
            continue;
        o = json_object_new_object();
        json_add_text(o, "domain", names_of(&t->rows.names, c->id));
        json_add_text(o, "name", c->name);
        json_add_int(o, "values", c->nr);
        json_add_int(o, "last", c->value[c->nr - 1].value);
        json_object_array_add(array, o);
    }

    return array;
}

static json_object *labels_json(const struct timeline *t)
{
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < t->marks.nr &&
                json_object_array_length(array) < MOST_LABELS; i++) {
        const struct mark *mark = &t->marks.mark[i];
        json_object *o;

        if (mark->kind != MARK_LABEL)
            continue;
        o = json_object_new_object();
        json_add_text(o, "domain", names_of(&t->rows.names, mark->acct));
        json_add_int(o, "at_ns", mark->ns);
        json_add_text(o, "text", marks_name(&t->marks, mark));
        if (mark->lane != STAY_NONE)
            json_add_text(o, "vcpu", timeline_vcpu_name(t, mark->lane));
        json_object_array_add(array, o);
    }

    return array;
}

json_object *marks_json(const struct timeline *t)
{
    json_object *o = json_object_new_object();
    unsigned int kind;

    for (kind = 0; kind < MARK_KINDS; kind++)
        json_add_int(o, mark_kind_name[kind], count_marks(t, kind));
    json_add_int(o, "broken", t->marks.broken);
    json_add_int(o, "left_out", t->regions.left_out);
    json_object_object_add(o, "regions", regions_json(t));
    json_object_object_add(o, "counts", counts_json(t));
    json_object_object_add(o, "labels", labels_json(t));

    return o;
}

/* Text. */

static void print_regions(const struct timeline *t)
{
    static const char *const headers[] = {
        "DOMAIN", "REGION", ">TIMES", ">TOTAL", ">NO END", ">NO BEGIN", NULL,
    };
    size_t nr = t->regions.nr_kinds < MOST_REGIONS ? t->regions.nr_kinds
                                                   : MOST_REGIONS, i;
    uint64_t *ns = add_up(&t->regions);
    struct table *table = table_new(headers);

    for (i = 0; i < nr; i++) {
        const struct region_kind *kind = &t->regions.kind[i];

        table_add(table, shown_name(names_of(&t->rows.names, kind->acct)));
        table_add(table, shown_name(kind->name));
        table_add_format(table, "%" PRIu64, kind->nr);
        table_add(table, shown_length(ns[i]));
        table_add_format(table, "%" PRIu64, kind->unended);
        table_add_format(table, "%" PRIu64, kind->unbegun);
    }
    table_print(table);
    free(ns);
    if (nr < t->regions.nr_kinds)
        printf("and %zu regions of other names (--json has all)\n",
               t->regions.nr_kinds - nr);
}

void marks_print(const struct timeline *t)
{
    if (t->regions.nr_kinds) {
        printf("\n");
        print_regions(t);
    }
    if (t->marks.nr)
        printf("marks: %" PRIu64 " begins, %" PRIu64 " ends, %" PRIu64
               " counts, %" PRIu64 " labels, %" PRIu64 " codes\n",
               count_marks(t, MARK_BEGIN), count_marks(t, MARK_END), count_marks(t, MARK_COUNT),
               count_marks(t, MARK_LABEL), count_marks(t, MARK_CODE));
    if (t->regions.left_out)
        printf("marks beyond the names that are distinguished: %" PRIu64 "\n",
               t->regions.left_out);
    if (t->marks.broken)
        printf("marks of which a part was lost: %" PRIu64 "\n",
               t->marks.broken);
}

/* Decisions, and foreign traces. */

/* The most decisions that are printed. */
#define MOST_DECISIONS 20U

static const char *name_note_domain(const struct timeline *t, const struct note *note)
{
    return note->acct < 0 ? "a domain that is not known"
                          : names_of(&t->rows.names, note->acct);
}

json_object *decisions_json(const struct timeline *t)
{
    const struct notes *notes = &t->rows.notes;
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < notes->nr; i++) {
        json_object *o = json_object_new_object();

        json_add_int(o, "at_ns", notes->note[i].ns);
        json_add_text(o, "domain", name_note_domain(t, &notes->note[i]));
        json_add_int(o, "domid", notes->note[i].domid);
        json_add_text(o, "text", notes->note[i].text);
        json_object_array_add(array, o);
    }

    return array;
}

static json_object *events_json(const struct foreign *foreign)
{
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < foreign->nr; i++) {
        json_object *o = json_object_new_object();

        json_add_int(o, "at_ns", foreign->event[i].ns);
        json_add_text(o, "lane", foreign->lane[foreign->event[i].lane]);
        json_add_text(o, "text", foreign->event[i].text);
        json_object_array_add(array, o);
    }

    return array;
}

json_object *foreign_json(const struct timeline *t)
{
    const struct foreign *foreign = &t->foreign;
    json_object *o = json_object_new_object();

    json_add_text(o, "clock", foreign->by);
    if (foreign->error_ns != FOREIGN_NO_BOUND)
        json_add_int(o, "clock_error_ns", foreign->error_ns);
    json_add_int(o, "outside", foreign->outside);
    json_add_int(o, "left_out", foreign->left_out);
    json_object_object_add(o, "events", events_json(foreign));

    return o;
}

static void print_foreign(const struct foreign *foreign)
{
    printf("events of the other trace: %zu, %" PRIu64 " outside of the "
           "recording; its clock is known %s", foreign->nr, foreign->outside,
           foreign->by);
    if (foreign->error_ns == FOREIGN_NO_BOUND)
        printf(", with an unknown error\n");
    else
        printf(", to %s\n", shown_length(foreign->error_ns));
    if (foreign->left_out)
        printf("and %" PRIu64 " events more than are shown\n",
               foreign->left_out);
}

void notes_print(const struct timeline *t)
{
    const struct notes *notes = &t->rows.notes;
    size_t i;

    if (notes->nr)
        printf("\nwhat xenschedd decided:\n");
    for (i = 0; i < notes->nr && i < MOST_DECISIONS; i++)
        printf("  %s s  %s: %s\n", shown_time(notes->note[i].ns),
               shown_name(name_note_domain(t, &notes->note[i])),
               shown_name(notes->note[i].text));
    if (i < notes->nr)
        printf("  and %zu more (--json has all)\n", notes->nr - i);
    if (t->foreign.by)
        print_foreign(&t->foreign);
}

/* Rings. */

/* The sums of a ring; durations are of requests with a notification. */
struct sums {
    struct latency_values ns;
    uint64_t size, busy_ns;
};

static int compare_rings(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void sum_up(const struct ring *ring, struct sums *s)
{
    size_t i;

    *s = (struct sums){ .ns.ns = need_memory(ring->nr + 1, sizeof(*s->ns.ns)) };
    for (i = 0; i < ring->nr; i++) {
        const struct ring_request *r = &ring->request[i];

        s->size += r->size;
        s->busy_ns += r->end - r->begin;
        if (r->notified)
            s->ns.ns[s->ns.nr++] = r->end - r->begin;
    }
    qsort(s->ns.ns, s->ns.nr, sizeof(*s->ns.ns), compare_rings);
}

json_object *rings_json(const struct timeline *t)
{
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < t->rings.nr; i++) {
        const struct ring *ring = &t->rings.ring[i];
        json_object *o = json_object_new_object();
        struct sums s;

        sum_up(ring, &s);
        json_add_text(o, "front", names_of(&t->rows.names, ring->front));
        json_add_text(o, "back", names_of(&t->rows.names, ring->back));
        json_add_int(o, "requests", ring->nr);
        json_add_int(o, "notified", s.ns.nr);
        json_add_int(o, t->rings.sectors ? "sectors" : "pages", s.size);
        json_add_int(o, "busy_ns", s.busy_ns);
        json_add_int(o, "p50_ns", latency_quantile(&s.ns, 0.5));
        json_add_int(o, "p99_ns", latency_quantile(&s.ns, 0.99));
        json_add_int(o, "max_ns", latency_quantile(&s.ns, 1));
        json_object_array_add(array, o);
        free(s.ns.ns);
    }

    return array;
}

void rings_print(const struct timeline *t)
{
    const char *headers[] = {
        "RING OF", "ASKS", ">REQUESTS", t->rings.sectors ? ">SECTORS" : ">PAGES",
        ">BUSY", ">P50", ">P99", ">MAX", NULL,
    };
    struct table *table;
    size_t i;

    if (!t->rings.nr)
        return;
    printf("\n");
    table = table_new(headers);
    for (i = 0; i < t->rings.nr; i++) {
        const struct ring *ring = &t->rings.ring[i];
        struct sums s;

        sum_up(ring, &s);
        table_add(table, shown_name(names_of(&t->rows.names, ring->front)));
        table_add(table, shown_name(names_of(&t->rows.names, ring->back)));
        table_add_format(table, "%zu", ring->nr);
        table_add_format(table, "%" PRIu64, s.size);
        table_add(table, shown_length(s.busy_ns));
        table_add(table, shown_length(latency_quantile(&s.ns, 0.5)));
        table_add(table, shown_length(latency_quantile(&s.ns, 0.99)));
        table_add(table, shown_length(latency_quantile(&s.ns, 1)));
        free(s.ns.ns);
    }
    table_print(table);
    if (t->rings.left_out)
        printf("responses beyond the rings that are distinguished: %" PRIu64 "\n",
               t->rings.left_out);
}

/* Costs. */

json_object *costs_json(const struct timeline *t)
{
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < t->works.nr; i++) {
        const struct work *work = &t->works.guest[i].work;
        json_object *o = json_object_new_object();

        json_add_text(o, "domain", names_of(&t->rows.names, t->works.guest[i].acct));
        json_add_int(o, "acct", t->works.guest[i].acct);
        json_add_int(o, "units", work->units);
        json_add_real(o, "cost_us", work_cost(work) / 1e3, 2);
        json_add_text(o, "cost_per", work_unit_name(work->unit));
        json_add_real(o, "back_ends_us", work->served_ns / work->units / 1e3, 2);
        json_add_text(o, "shared_by", work->by_pages ? "page" : "notification");
        json_object_array_add(array, o);
    }

    return array;
}

void costs_print(const struct timeline *t)
{
    static const char *const headers[] = {
        "GUEST", ">UNITS", ">COST/UNIT", ">BACK ENDS", NULL,
    };
    struct table *table;
    size_t i;

    if (!t->works.nr)
        return;
    table = table_new(headers);
    for (i = 0; i < t->works.nr; i++) {
        const struct work *work = &t->works.guest[i].work;

        table_add(table, shown_name(names_of(&t->rows.names, t->works.guest[i].acct)));
        table_add_format(table, "%.0f", work->units);
        table_add_format(table, "%.2f us/%s", work_cost(work) / 1e3,
                         work_unit_name(work->unit));
        table_add_format(table, "%.2f us", work->served_ns / work->units / 1e3);
    }
    printf("\n");
    table_print(table);
}
