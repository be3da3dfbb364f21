/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints how long requests on rings took. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "command/text/table.h"
#include "base/json.h"
#include "base/alloc.h"
#include "rings.h"
#include "shown.h"
#include "timeline/latency.h"

/* Of a ring; what a request took is known of those that were notified. */
struct sums {
    struct latency_values ns;
    uint64_t size, busy_ns;
};

static int compare(const void *a, const void *b)
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
    qsort(s->ns.ns, s->ns.nr, sizeof(*s->ns.ns), compare);
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
