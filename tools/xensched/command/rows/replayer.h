/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * replayer.h - xenschedd's core on a host in memory: its input is the rows of a recording, with the
 * description of its host; its output is the plans, at the times at which they would have been
 * made.
 *
 * The replayer carries plans out in memory, so that the next plan follows from them.  The same
 * input gives the same plans.
 */
#ifndef XENSCHED_COMMAND_REPLAYER_H
#define XENSCHED_COMMAND_REPLAYER_H

#include <stdbool.h>

#include <json-c/json.h>

#include <xensched/error.h>
#include <xensched/reader.h>

struct replayer;

/*
 * Settings are xenschedd's, as on its command line (from argv[1] on).  Returns NULL, and the exit
 * code in *code, after a message about wrong settings or after help.
 */
struct replayer *replayer_new(int argc, char **argv, int *code);

/*
 * Sets the description of the host from @time_ns on, see model/snapshot.h.  The first description
 * starts the daemon.
 */
int replayer_host(struct replayer *r, const char *text, size_t length,
                  uint64_t time_ns, struct xensched_error *err);

/* A plan, as in the answer to "plan"; @done: what was done. */
struct replayer_plan {
    double seconds; /* since the beginning */
    json_object *plan, *done;
};

/*
 * Makes the next plan that is due until @time_ns.  Returns true if there was one: put its objects,
 * and call again.
 */
bool replayer_plan(struct replayer *r, uint64_t time_ns,
                   struct replayer_plan *plan);

/* Adds rows of the present time, after all plans before it. */
void replayer_rows(struct replayer *r, const struct xensched_batch *batch);

struct replayer_numbers {
    double seconds;
    uint64_t plans, rows, moves, given_back;
};

/*
 * Returns where the present domains ran, according to the rows: an array of { "domain", "domid",
 * "ran": [{ "place", "share" }] }, without those whose places are unknown.  That is on the host as
 * it was; where they would have run after a move is unknown.
 */
json_object *replayer_ran(const struct replayer *r);

void replayer_numbers(const struct replayer *r, struct replayer_numbers *n);

/* @r may be NULL. */
void replayer_free(struct replayer *r);

#endif /* XENSCHED_COMMAND_REPLAYER_H */
