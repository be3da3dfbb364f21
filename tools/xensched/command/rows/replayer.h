/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replayer.h - xenschedd's core on a host that is not there: rows of a
 * recording go in, with what it says of its host, and plans come out, at the
 * times at which they would have been made.
 *
 * Plans are carried out in the replayer, so that the next one follows from
 * them, and nowhere else.  The same input gives the same plans.
 */
#ifndef XENSCHED_COMMAND_REPLAYER_H
#define XENSCHED_COMMAND_REPLAYER_H

#include <stdbool.h>

#include <json-c/json.h>

#include <xensched/error.h>
#include <xensched/reader.h>

struct replayer;

/*
 * Settings are those of xenschedd, as on its command line (from argv[1] on).
 * Returns NULL and *code, for the program to end with: they are wrong, which
 * was said, or help was asked for, and printed.
 */
struct replayer *replayer_new(int argc, char **argv, int *code);

/*
 * From @time_ns on the host is what @length bytes of text say, see
 * model/snapshot.h.  The first time is when the daemon would have been
 * started.
 */
int replayer_host(struct replayer *r, const char *text, size_t length,
                  uint64_t time_ns, struct xensched_error *err);

/* A plan, as in the answer to "plan"; @done: what was done then. */
struct replayer_plan {
    double seconds; /* since the beginning */
    json_object *plan, *done;
};

/*
 * Make the next plan which is due until @time_ns.  Returns true when there was
 * one: take it, put its objects, and call again.
 */
bool replayer_plan(struct replayer *r, uint64_t time_ns,
                   struct replayer_plan *plan);

/* Rows, which are from now on, when all plans before were made. */
void replayer_rows(struct replayer *r, const struct xensched_batch *batch);

struct replayer_numbers {
    double seconds;
    uint64_t plans, rows, moves, given_back;
};

/*
 * Where the domains that there are ran by the rows until now: an array of
 * { "domain", "domid", "ran": [{ "place", "share" }] }, without those whose
 * places are not known.  That is on the host as it was: where they would have run
 * after a move is not known.
 */
json_object *replayer_ran(const struct replayer *r);

void replayer_numbers(const struct replayer *r, struct replayer_numbers *n);

/* NULL is allowed. */
void replayer_free(struct replayer *r);

#endif /* XENSCHED_COMMAND_REPLAYER_H */
