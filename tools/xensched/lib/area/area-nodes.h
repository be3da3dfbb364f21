/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * area-nodes.h - the nodes in xenstore by which a scheduler asks a domain for a
 * log area and the domain answers; docs/internals/linux-log.md has them.
 *
 * The domain may write what it likes, at any time: an answer is read in one
 * transaction into memory of ours, bounded, and means nothing before the caller
 * has checked it.
 */
#ifndef XENSCHED_AREA_NODES_H
#define XENSCHED_AREA_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include <xenstore.h>

/* What fits into a node of xenstore, and its end. */
#define NODE_TEXT 4097

struct nodes {
    uint32_t domid;
    struct xs_handle *xs;
};

/* What a request asks for; also that of a former scheduler. */
struct wanted {
    char sizes[NODE_TEXT]; /* as in the node */
    uint32_t nr_acct;
    uint32_t nr_files;
};

/* What the domain says. */
struct node_answer {
    bool any; /* there is a directory, so the rest of it counts */
    uint32_t version, nr_cpus, nr_acct, events_built, events;
    uint64_t tsc_khz;
    char sizes[NODE_TEXT];
    char directory[NODE_TEXT];
    char error[200];
};

/* Up to @max numbers, separated by one blank each.  -1: it is no such list. */
int nodes_list(const char *text, uint64_t *numbers, int max);

/* The request that is there; false: none, or of another version. */
bool nodes_read_request(struct nodes *n, struct wanted *wanted);

/*
 * Each of these does all or nothing.  They return 0 or a positive errno value;
 * EAGAIN: another program (the domain?) changes these nodes all the time.
 *
 * nodes_request(): without @lease_ms no event is on; nodes_first_request():
 * likewise, and what was answered before is gone.
 */
int nodes_request(struct nodes *n, const struct wanted *wanted, uint32_t events,
                  uint32_t lease_ms);
int nodes_first_request(struct nodes *n, const struct wanted *wanted);
int nodes_remove_request(struct nodes *n);
int nodes_read_answer(struct nodes *n, struct node_answer *answer);

/* Is there a directory of frames? */
bool nodes_answered(struct nodes *n);

/* Is there an answer, or an error?  A question or two, where the answer is eleven. */
bool nodes_said_anything(struct nodes *n);

/* Is the directory that the domain advertises still this one?  One question. */
bool nodes_is_directory(struct nodes *n, const char *directory);

#endif /* XENSCHED_AREA_NODES_H */
