/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * area-nodes.h - the nodes in xenstore by which a scheduler requests a log area from a domain, and
 * the domain answers; docs/internals/linux-log.md has them.
 *
 * The domain is untrusted and may write at any time: an answer is read in one transaction into
 * private memory of limited size, and the caller has to check it before using it.
 */
#ifndef XENSCHED_AREA_NODES_H
#define XENSCHED_AREA_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include <xenstore.h>

/* The largest contents of a node of xenstore, and a terminating byte. */
#define NODE_TEXT 4097

struct nodes {
    uint32_t domid;
    struct xs_handle *xs;
};

/* The contents of a request, also of a former scheduler's. */
struct wanted {
    char sizes[NODE_TEXT]; /* as the node has them */
    uint32_t nr_acct;
    uint32_t nr_files;
};

/* The domain's answer. */
struct node_answer {
    bool any; /* there is a directory, so the other members are valid */
    uint32_t version, nr_cpus, nr_acct, events_built, events;
    uint64_t tsc_khz;
    char sizes[NODE_TEXT];
    char directory[NODE_TEXT];
    char error[200];
};

/* Parses up to @max numbers, separated by one blank each.  -1: it is no such list. */
int nodes_list(const char *text, uint64_t *numbers, int max);

/* Reads the existing request; false: there is none, or it is of another version. */
bool nodes_read_request(struct nodes *n, struct wanted *wanted);

/*
 * Each of these does everything or nothing.  They return 0 or a positive errno value; EAGAIN:
 * another program, perhaps the domain, keeps changing these nodes.
 *
 * nodes_request(): without @lease_ms no event is on; nodes_first_request(): the same, and removes
 * the earlier answer.
 */
int nodes_request(struct nodes *n, const struct wanted *wanted, uint32_t events,
                  uint32_t lease_ms);
int nodes_first_request(struct nodes *n, const struct wanted *wanted);
int nodes_remove_request(struct nodes *n);
int nodes_read_answer(struct nodes *n, struct node_answer *answer);

/* Does the domain advertise a directory of frames? */
bool nodes_answered(struct nodes *n);

/* Is there an answer or an error?  Costs two reads at most, a whole answer eleven. */
bool nodes_said_anything(struct nodes *n);

/* Does the domain still advertise this directory?  Costs one read. */
bool nodes_is_directory(struct nodes *n, const char *directory);

#endif /* XENSCHED_AREA_NODES_H */
