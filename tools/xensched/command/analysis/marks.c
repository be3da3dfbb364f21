/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints a summary of guests' marks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "command/text/table.h"
#include "marks.h"
#include "base/json.h"
#include "base/alloc.h"
#include "shown.h"

/* Labels in JSON, and regions in a table; a guest can make any number. */
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

static uint64_t count(const struct timeline *t, enum mark_kind kind)
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
        json_add_int(o, mark_kind_name[kind], count(t, kind));
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
               count(t, MARK_BEGIN), count(t, MARK_END), count(t, MARK_COUNT),
               count(t, MARK_LABEL), count(t, MARK_CODE));
    if (t->regions.left_out)
        printf("marks beyond the names that are distinguished: %" PRIu64 "\n",
               t->regions.left_out);
    if (t->marks.broken)
        printf("marks of which a part was lost: %" PRIu64 "\n",
               t->marks.broken);
}
