/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * snapshot.h - the state of a host at one time as JSON: its pCPUs, its domains, and how many events
 * a row represents.
 *
 * Rows name accounting domains and pCPUs by number, so a plan needs this state as well.  The daemon
 * reports it, a recording keeps it, and for synthetic rows it can be written by hand.
 * docs/internals/recording-format.md has the form.
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

/* The caller frees the result with json_object_put(). */
json_object *snapshot_to_json(const struct topology *topology,
                              const struct domains *domains,
                              const uint32_t *threshold);

/*
 * Parses @length bytes of text.  -EINVAL: the text is invalid, and there is nothing to free.
 */
int snapshot_from_text(struct snapshot *s, const char *text, size_t length,
                       struct xensched_error *err);
void snapshot_free(struct snapshot *s);

#endif /* XENSCHED_MODEL_SNAPSHOT_H */
