/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * shown.h - what analyses of recordings print: names, times and lengths.
 *
 * Texts are those of text_format(): valid until the 32nd call from then.
 */
#ifndef XENSCHED_SHOWN_H
#define XENSCHED_SHOWN_H

#include <stdint.h>

#include "timeline/latency.h"
#include "timeline/timeline.h"

struct json_object;

/* A name from a recording, without control characters. */
const char *shown_name(const char *name);

/* A length as "950 ns", "12.3 us", "40.0 ms", "1.50 s". */
const char *shown_length(uint64_t ns);

/* A time as seconds since the first row, to the microsecond. */
const char *shown_time(uint64_t ns);

/* How well times are known, as "395 ns, but not across 2 pairs of pCPUs". */
const char *shown_error(const struct timeline *t);

/* The same as member clock_error_ns of @o: null if that is not known across pCPUs. */
void shown_add_error(struct json_object *o, const struct timeline *t);

struct shown_quantile {
    const char *name; /* of its member */
    double part;
};

/* An object with a member for each of the @nr @quantiles; null if there are no values. */
struct json_object *shown_quantiles(const struct latency_values *values,
                                    const struct shown_quantile *quantiles, size_t nr);

/*
 * What has to be said of @t before anything is made of it: that it is damaged,
 * that rows are missing.  Returns an exit code: a damaged one is a failure, even
 * though all before the damage is shown.
 */
int shown_defects(const struct timeline *t);

struct arguments;

/* What @show makes of the recording args->file.  Returns an exit code. */
int shown_recording(const struct arguments *args,
                    int (*show)(const struct timeline *t,
                                const struct arguments *args));

#endif /* XENSCHED_SHOWN_H */
