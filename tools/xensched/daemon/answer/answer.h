/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answer.h - the daemon's answers to requests, as JSON; docs/internals/control-socket.md describes
 * them.
 */
#ifndef XENSCHED_DAEMON_ANSWER_H
#define XENSCHED_DAEMON_ANSWER_H

#include <stdbool.h>

#include "daemon/core/core.h"
#include "daemon/sources/log-sources.h"
#include "daemon/react/react.h"
#include "base/json.h"

/* A request and what its answer needs. */
struct subject {
    struct core *core;
    const struct log_sources *sources;
    struct react *react;   /* NULL: the program is not the daemon */
    json_object *request;
    uint64_t now_ns; /* time of the request */
    int64_t domid;   /* of the domain in the request; -1: none */
    const char *domain; /* the same by name; NULL: none */
    bool stop;       /* set by the request "stop" */
};

/*
 * Returns the answer to one line from a client: {"ok": true, "result": {...}} or {"ok": false,
 * "error": "..."}.  Never NULL, whatever the line contains.
 */
json_object *answer(struct subject *s, const char *line, size_t length);

/* Results; each has a file. */
json_object *answer_status(struct subject *s, struct xensched_error *err);
json_object *answer_matrix(struct subject *s, struct xensched_error *err);
json_object *answer_processes(struct subject *s, struct xensched_error *err);
json_object *answer_plan(struct subject *s, struct xensched_error *err);
json_object *answer_explain(struct subject *s, struct xensched_error *err);
json_object *answer_waits(struct subject *s, struct xensched_error *err);
json_object *answer_host(struct subject *s, struct xensched_error *err);
json_object *answer_place(struct subject *s, struct xensched_error *err);
json_object *answer_trial(struct subject *s, struct xensched_error *err);

/* Reactions for clients; see docs/operate/reactions.md. */
json_object *answer_on(struct subject *s, struct xensched_error *err);
json_object *answer_reacted(struct subject *s, struct xensched_error *err);
json_object *answer_reactions(struct subject *s, struct xensched_error *err);
json_object *answer_note(struct subject *s, struct xensched_error *err);

/* The domain of the request, by domid or name; NULL, with *err, if there is none. */
const struct domain *answer_domain(const struct subject *s,
                                   struct xensched_error *err);

/* Adds "obstacles": the reasons, in words, for which no plan is carried out now; empty: it is. */
void answer_add_obstacles(json_object *json, const struct core *core);

/* The latest trial in short, for the status; null: there is none. */
json_object *answer_trial_summary(const struct core *core);

/* {"ok": false, "error": @text} */
json_object *answer_error(const char *text);

/*
 * Adds @place and the share of its time that a domain ran there to @array, unless the share is very
 * small.
 */
void answer_add_ran(json_object *array, const struct topology_place *place,
                    double share);

/* The same for the share of its memory that is on @node. */
void answer_add_memory(json_object *array, unsigned int node, double share);

/* Adds the domain of an accounting domain, and its group. */
void answer_add_acct(json_object *json, const struct core *core,
                     const char *key, const char *domid_key,
                     const char *group_key, uint16_t acct);

/* Adds the recent use of a domain; null: unknown. */
void answer_add_use(json_object *json, const struct core *core,
                    const struct domain *d, uint64_t now_ns);

/* Adds the reason of the latest plan's decision about @d, in words and as a code with numbers. */
void answer_add_reason(json_object *json, const struct core *core, const struct domain *d,
                       const struct decision *decision);

/* Adds the moves of the latest plan, and the domains that it keeps. */
void answer_add_plan(json_object *json, const struct core *core);

/* pCPU ids as an array. */
json_object *answer_cpus(const struct cpumap *cpus);

#endif /* XENSCHED_DAEMON_ANSWER_H */
