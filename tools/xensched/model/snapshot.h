/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * snapshot.h - a host at one time, as JSON: its pCPUs, its domains, and what a
 * row stands for.
 *
 * Rows name accounting domains and pCPUs by number; only together with this
 * can a plan be made from them.  The daemon tells it, a recording keeps it, and
 * for made-up rows it can be written by hand.  docs/internals/recording-format.md has
 * the shape.
 */
#ifndef XENSCHED_MODEL_SNAPSHOT_H
#define XENSCHED_MODEL_SNAPSHOT_H

#include <json-c/json.h>

#include <xensched/abi.h>
#include <xensched/error.h>

#include "domain.h"
#include "model/topology/topology.h"

struct snapshot {
    struct topology topology;
    struct domains domains;
    /* Every Nth event makes a row; never 0. */
    uint32_t threshold[XEN_SCHEDLOG_NR_EVENTS];
};

/* To be given to json_object_put(). */
json_object *snapshot_to_json(const struct topology *topology,
                              const struct domains *domains,
                              const uint32_t *threshold);

/*
 * The other way round, of @length bytes of text.  -EINVAL: the text says what
 * is wrong, and there is nothing to free.
 */
int snapshot_from_text(struct snapshot *s, const char *text, size_t length,
                       struct xensched_error *err);
void snapshot_free(struct snapshot *s);

#endif /* XENSCHED_MODEL_SNAPSHOT_H */
