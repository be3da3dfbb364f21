/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides which rows of a host go into a recording. */
#include <stdlib.h>
#include <string.h>

#include <xensched/event.h>

#include "filter.h"
#include "model/domain.h"
#include "base/json.h"

bool filter_events(struct filter *f, const char *list)
{
    char *copy = strdup(list), *rest = copy, *item;
    bool good = copy;
    int event;

    f->events = 0;
    while (good && (item = strsep(&rest, ","))) {
        event = xensched_event_number(item);
        good = event >= 0;
        if (good)
            f->events |= 1U << event;
    }
    free(copy);

    return good;
}

static bool is_meant(const struct filter *f, struct json_object *domain)
{
    const char *name = json_text(domain, "name");

    return domain_is_meant(f->name, json_number(domain, "domid", UINT32_MAX),
                           name ? name : "");
}

void filter_host(struct filter *f, struct json_object *host)
{
    struct json_object *domains, *domain, *number;
    size_t i;

    f->acct = -1;
    f->domid = -1;
    if (!f->name || !json_object_object_get_ex(host, "domains", &domains))
        return;
    for (i = 0; i < json_object_array_length(domains); i++) {
        domain = json_object_array_get_idx(domains, i);
        if (!is_meant(f, domain))
            continue;
        if (json_object_object_get_ex(domain, "acct", &number))
            f->acct = json_object_get_int(number);
        if (json_object_object_get_ex(domain, "domid", &number))
            f->domid = json_object_get_int64(number);
    }
}

bool filter_takes_domain(const struct filter *f, uint32_t domid)
{
    return !f->name || f->domid == (long)domid;
}

static bool is_wanted(const struct filter *f, const struct xensched_row *row)
{
    if (f->events && !(row->valid & XENSCHED_ROW_EVENT &&
                       row->event < XEN_SCHEDLOG_NR_EVENTS &&
                       f->events & 1U << row->event))
        return false;
    if (!f->name)
        return true;

    return (row->valid & XENSCHED_ROW_CURRENT && row->current == f->acct) ||
           (row->valid & XENSCHED_ROW_CORRESPONDENT &&
            row->correspondent == f->acct);
}

bool filter_batch(struct filter *f, struct xensched_batch *batch)
{
    size_t size = batch->layout.size, nr = xensched_batch_rows(batch), i;
    const uint8_t *from = batch->rows;
    uint8_t *rows;

    if (!f->events && !f->name)
        return true;
    if (batch->length > f->room) {
        rows = realloc(f->rows, batch->length);
        if (!rows)
            return false;
        f->rows = rows;
        f->room = batch->length;
    }
    batch->length = 0;
    for (i = 0; i < nr; i++) {
        struct xensched_row row;

        xensched_row_decode(&batch->layout, batch->cpu, from + i * size, &row);
        if (!is_wanted(f, &row))
            continue;
        memcpy(f->rows + batch->length, from + i * size, size);
        batch->length += size;
    }
    batch->rows = f->rows;

    return batch->length || batch->lost_rows || batch->lost_bytes;
}

void filter_free(struct filter *f)
{
    free(f->rows);
    f->rows = NULL;
}
