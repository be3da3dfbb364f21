/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats names, times and lengths, and prints the defects of a recording. */
#include <inttypes.h>
#include <stdio.h>

#include <json-c/json.h>

#include "command/command.h"
#include "base/text.h"
#include "base/json.h"
#include "shown.h"

/* The most cuts that are printed one by one. */
#define MOST_CUTS 10U

const char *shown_name(const char *name)
{
    char *text = text_format("%s", name);

    printable(text);

    return text;
}

const char *shown_length(uint64_t ns)
{
    if (ns < 1000)
        return text_format("%" PRIu64 " ns", ns);
    if (ns < 1000000)
        return text_format("%.1f us", ns / 1e3);
    if (ns < 1000000000)
        return text_format("%.1f ms", ns / 1e6);

    return text_format("%.2f s", ns / 1e9);
}

const char *shown_time(uint64_t ns)
{
    return text_format("%" PRIu64 ".%06" PRIu64, ns / 1000000000,
                       ns / 1000 % 1000000);
}

const char *shown_error(const struct timeline *t)
{
    char *text = text_format("%s", shown_length(timeline_error_ns(t)));

    if (t->skew.unknown)
        text_append(text, ", but not across %" PRIu64 " pair%s of pCPUs",
                    t->skew.unknown, t->skew.unknown == 1 ? "" : "s");

    return text;
}

json_object *shown_quantiles(const struct latency_values *values,
                             const struct shown_quantile *quantiles, size_t nr)
{
    json_object *o = json_object_new_object();
    size_t i;

    for (i = 0; i < nr; i++)
        if (values->nr)
            json_add_int(o, quantiles[i].name,
                         latency_quantile(values, quantiles[i].part));
        else
            json_object_object_add(o, quantiles[i].name, NULL);

    return o;
}

void shown_add_error(json_object *o, const struct timeline *t)
{
    if (t->skew.unknown)
        json_object_object_add(o, "clock_error_ns", NULL);
    else
        json_add_int(o, "clock_error_ns", timeline_error_ns(t));
}

int shown_defects(const struct timeline *t)
{
    size_t i;

    if (t->rows.lost_rows)
        complain("note: %" PRIu64 " rows were lost while it was recorded; their contents are "
                 "unknown", t->rows.lost_rows);
    if (t->rows.untimed)
        complain("note: %" PRIu64 " rows have no TSC time stamp and are left "
                 "out", t->rows.untimed);
    if (t->rows.linux_rows.lost_rows)
        complain("note: %" PRIu64 " rows of Linux were lost while it was "
                 "recorded", t->rows.linux_rows.lost_rows);
    if (t->rows.linux_rows.left_out)
        complain("note: %" PRIu64 " rows of Linux are left out: they are not "
                 "about threads or rings", t->rows.linux_rows.left_out);
    if (!t->rows.tsc_khz)
        complain("note: the frequency of the TSC is not known; times are its "
                 "cycles, not ns");
    for (i = 0; i < t->rows.cut.nr && i < MOST_CUTS; i++)
        complain("note: the host's clock went back after %s s, as if the host was suspended; "
                 "times continue at %s s, and no sum spans this moment",
                 shown_time(t->rows.cut.window[i].begin),
                 shown_time(t->rows.cut.window[i].end));
    if (t->skew.most_ns)
        complain("note: the clocks of two pCPUs differed by %s, by the "
                 "notifications between them; times are corrected, to %s",
                 shown_length(t->skew.most_ns),
                 shown_length(timeline_error_ns(t)));
    if (t->skew.unknown)
        complain("note: how far the clocks of pCPUs differ cannot be known for "
                 "%" PRIu64 " pair%s of them: Xen does not vouch for their "
                 "TSCs, and notifications do not bound it from both sides; "
                 "times on two such pCPUs are compared as if the clocks agreed",
                 t->skew.unknown, t->skew.unknown == 1 ? "" : "s");
    if (!t->rows.names.told)
        complain("note: the recording has no names of domains and no numbers "
                 "of their vCPUs (xenschedd did not answer): domains are "
                 "accounting domains, and which vCPU ran is a guess");
    if (!*t->rows.defect)
        return EXIT_OK;
    complain("%s; all before that is used", t->rows.defect);

    return EXIT_FAILED;
}

int shown_recording(const struct arguments *args,
                    int (*show)(const struct timeline *t,
                                const struct arguments *args))
{
    struct timeline t;
    struct xensched_error err;
    int defects, code;

    if (timeline_open(&t, args->file, &err)) {
        complain("%s", err.text);
        return EXIT_FAILED;
    }
    defects = shown_defects(&t);
    code = show(&t, args);
    timeline_close(&t);

    return code ? code : defects;
}
