/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shown.h - formats names, times and lengths for analyses of recordings.
 *
 * Texts are those of text_format(): valid until the 32nd call from then.
 */
#ifndef XENSCHED_SHOWN_H
#define XENSCHED_SHOWN_H

#include <stdint.h>

#include "timeline/latency.h"
#include "timeline/timeline.h"

struct json_object;

/* Returns a name from a recording, without control characters. */
const char *shown_name(const char *name);

/* Returns a length as "950 ns", "12.3 us", "40.0 ms", "1.50 s". */
const char *shown_length(uint64_t ns);

/* Returns a time as seconds since the first row, to the microsecond. */
const char *shown_time(uint64_t ns);

/* Returns the error of times, as "395 ns, but not across 2 pairs of pCPUs". */
const char *shown_error(const struct timeline *t);

/* Adds the member clock_error_ns to @o: null if the error is unknown across pCPUs. */
void shown_add_error(struct json_object *o, const struct timeline *t);

struct shown_quantile {
    const char *name; /* of its JSON member */
    double part;
};

/* Returns an object with a member for each of the @nr @quantiles; null without values. */
struct json_object *shown_quantiles(const struct latency_values *values,
                                    const struct shown_quantile *quantiles, size_t nr);

/*
 * Prints what a user has to know about @t before any result: that it is damaged, that rows are
 * missing.  Returns an exit code: damage is a failure, even though everything before it is shown.
 */
int shown_defects(const struct timeline *t);

struct arguments;

/* Opens the recording args->file and passes it to @show.  Returns an exit code. */
int shown_recording(const struct arguments *args,
                    int (*show)(const struct timeline *t,
                                const struct arguments *args));

#endif /* XENSCHED_SHOWN_H */
