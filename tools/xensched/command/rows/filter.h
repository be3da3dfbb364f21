/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - which rows of a recording are wanted: of these events, and about
 * this domain.
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
    long domid;        /* likewise */
    uint8_t *rows;     /* which are wanted */
    size_t room;
};

/* "EVENT,..."; false: one of these is no event, and *filter is undefined. */
bool filter_events(struct filter *filter, const char *list);

/* What the host is from now on, as xenschedd says it. */
void filter_host(struct filter *filter, struct json_object *host);

/* Is a log of this domain wanted at all? */
bool filter_takes_domain(const struct filter *filter, uint32_t domid);

/*
 * Leaves in @batch the rows that are wanted; losses stay.  False: nothing is
 * left, or there is no memory.
 */
bool filter_batch(struct filter *filter, struct xensched_batch *batch);

void filter_free(struct filter *filter);

#endif /* XENSCHED_FILTER_H */
