/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - selects rows for a recording: by event, and by domain.
 */
#ifndef XENSCHED_FILTER_H
#define XENSCHED_FILTER_H

#include <stdbool.h>

#include <json-c/json.h>

#include <xensched/reader.h>

struct filter {
    uint32_t events;   /* mask; 0: all */
    const char *name;  /* of a domain, or its number; NULL: all */
    int acct;          /* of that domain; negative: not known */
    long domid;        /* of that domain; negative: unknown */
    uint8_t *rows;     /* [row]: whether it is selected */
    size_t room;
};

/* Parses "EVENT,..."; returns false for an unknown event, and *filter is undefined then. */
bool filter_events(struct filter *filter, const char *list);

/* Sets the description of the host, from xenschedd, for later rows. */
void filter_host(struct filter *filter, struct json_object *host);

/* Returns whether any log of this domain is wanted. */
bool filter_takes_domain(const struct filter *filter, uint32_t domid);

/*
 * Leaves the selected rows in @batch; losses stay.  Returns false if nothing is left, or without
 * memory.
 */
bool filter_batch(struct filter *filter, struct xensched_batch *batch);

void filter_free(struct filter *filter);

#endif /* XENSCHED_FILTER_H */
