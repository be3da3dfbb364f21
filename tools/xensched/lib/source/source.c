/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The table of sources, and what they have in common: counting.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source-kinds.h"

static const struct xensched_source_ops *const sources[] = {
    &xensched_source_hypervisor,
    &xensched_source_linux,
    &xensched_source_domain,
    &xensched_source_recording,
    &xensched_source_synthetic,
};

struct xensched_source {
    const struct xensched_source_ops *ops;
    void *data;
    uint64_t tsc_khz;
    struct xensched_source_stats stats;
};

static const struct xensched_source_ops *find_ops(const char *spec, size_t length)
{
    size_t i;

    for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
        if (strlen(sources[i]->name) == length &&
            !memcmp(sources[i]->name, spec, length))
            return sources[i];

    return NULL;
}

/* Returns what follows the colon, or "". */
static const char *text_of(const char *spec)
{
    size_t length = strcspn(spec, ":");

    return spec[length] ? spec + length + 1 : "";
}

int xensched_source_attach(const char *spec, struct xensched_area **area,
                           struct xensched_error *err)
{
    const struct xensched_source_ops *ops = find_ops(spec, strcspn(spec, ":"));

    if (!ops || !ops->attach)
        return xensched_fail(err, EINVAL, "there is no live source '%s'",
                             spec);

    return ops->attach(text_of(spec), area, err);
}

int xensched_source_open(const char *spec, struct xensched_area *area,
                         struct xensched_source **source,
                         struct xensched_error *err)
{
    size_t length = strcspn(spec, ":");
    struct xensched_source *s;
    int rc;

    s = calloc(1, sizeof(*s));
    if (!s)
        return xensched_fail(err, ENOMEM, "out of memory");

    s->ops = find_ops(spec, length);
    if (!s->ops) {
        rc = xensched_fail(err, EINVAL, "there is no source '%.*s'",
                           (int)length, spec);
        goto fail;
    }
    rc = s->ops->open(text_of(spec), area, &s->data, &s->tsc_khz, err);
    if (rc)
        goto fail;
    *source = s;

    return 0;

fail:
    free(s);
    return rc;
}

int xensched_source_next(struct xensched_source *source,
                         struct xensched_batch *batch,
                         struct xensched_error *err)
{
    int rc = source->ops->next(source->data, batch, err);

    if (rc == XENSCHED_BATCH) {
        source->stats.batches++;
        source->stats.rows += xensched_batch_rows(batch);
        source->stats.bytes += batch->length;
        source->stats.lost_rows += batch->lost_rows;
        source->stats.lost_bytes += batch->lost_bytes;
    }

    return rc;
}

void xensched_source_stats(const struct xensched_source *source,
                           struct xensched_source_stats *stats)
{
    *stats = source->stats;
    if (source->ops->nonsense)
        stats->nonsense = source->ops->nonsense(source->data);
    if (source->ops->due)
        stats->due = source->ops->due(source->data);
}

void xensched_source_hurry(struct xensched_source *source, uint32_t files)
{
    if (source->ops->hurry)
        source->ops->hurry(source->data, files);
}

void xensched_source_leave(struct xensched_source *source, uint32_t files)
{
    if (source->ops->leave)
        source->ops->leave(source->data, files);
}

uint64_t xensched_source_host(const struct xensched_source *source,
                              const char **text, size_t *length)
{
    *text = NULL;
    *length = 0;

    return source->ops->host ? source->ops->host(source->data, text, length)
                             : 0;
}

const struct xensched_source_info *
xensched_source_whose(const struct xensched_source *source, uint32_t id)
{
    return source->ops->info ? source->ops->info(source->data, id) : NULL;
}

uint64_t xensched_source_tsc_khz(const struct xensched_source *source)
{
    return source->tsc_khz;
}

void xensched_source_close(struct xensched_source *source)
{
    if (!source)
        return;
    source->ops->close(source->data);
    free(source);
}
