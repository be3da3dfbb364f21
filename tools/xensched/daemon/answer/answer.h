/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answer.h - what the daemon says when it is asked, as JSON; the shapes are
 * documented in docs/internals/control-socket.md.
 */
#ifndef XENSCHED_DAEMON_ANSWER_H
#define XENSCHED_DAEMON_ANSWER_H

#include <stdbool.h>

#include "daemon/core/core.h"
#include "daemon/sources/log-sources.h"
#include "daemon/react/react.h"
#include "base/json.h"

/* What answers are about. */
struct subject {
    struct core *core;
    const struct log_sources *sources;
    struct react *react;   /* NULL: this is no daemon */
    json_object *request;
    uint64_t now_ns; /* when it was asked */
    int64_t domid;   /* which the request names; -1: none */
    const char *domain; /* the same by its name; NULL: none */
    bool stop;       /* set by the request "stop" */
};

/*
 * The response to one line from a client: {"ok": true, "result": {...}} or
 * {"ok": false, "error": "..."}.  Never NULL, whatever the line is.
 */
json_object *answer(struct subject *s, const char *line, size_t length);

/* Results, each in its own file. */
json_object *answer_status(struct subject *s, struct xensched_error *err);
json_object *answer_matrix(struct subject *s, struct xensched_error *err);
json_object *answer_processes(struct subject *s, struct xensched_error *err);
json_object *answer_plan(struct subject *s, struct xensched_error *err);
json_object *answer_explain(struct subject *s, struct xensched_error *err);
json_object *answer_waits(struct subject *s, struct xensched_error *err);
json_object *answer_host(struct subject *s, struct xensched_error *err);
json_object *answer_place(struct subject *s, struct xensched_error *err);
json_object *answer_trial(struct subject *s, struct xensched_error *err);

/* Reactions, for clients; see docs/operate/reactions.md. */
json_object *answer_on(struct subject *s, struct xensched_error *err);
json_object *answer_reacted(struct subject *s, struct xensched_error *err);
json_object *answer_reactions(struct subject *s, struct xensched_error *err);
json_object *answer_note(struct subject *s, struct xensched_error *err);

/* The domain that the request names, by domid or by name, or NULL and *err. */
const struct domain *answer_domain(const struct subject *s,
                                   struct xensched_error *err);

/* "obstacles": why no plan is carried out now, in words; empty: it is. */
void answer_add_obstacles(json_object *json, const struct core *core);

/* The latest trial in short, for the status; null: there was none. */
json_object *answer_trial_summary(const struct core *core);

/* {"ok": false, "error": @text} */
json_object *answer_error(const char *text);

/*
 * Add @place and the share of its time that a domain ran there to @array,
 * unless that is too little to be worth naming.
 */
void answer_add_ran(json_object *array, const struct topology_place *place,
                    double share);

/* The same of the part of its memory that is on @node. */
void answer_add_memory(json_object *array, unsigned int node, double share);

/* Add the domain that an accounting domain stands for, and its group. */
void answer_add_acct(json_object *json, const struct core *core,
                     const char *key, const char *domid_key,
                     const char *group_key, uint16_t acct);

/* Add the time that a domain used recently; null: unknown. */
void answer_add_use(json_object *json, const struct core *core,
                    const struct domain *d, uint64_t now_ns);

/* Add why the latest plan leaves, moves or keeps @d: in words, and as a code with numbers. */
void answer_add_reason(json_object *json, const struct core *core, const struct domain *d,
                       const struct decision *decision);

/* Add the moves of the latest plan, and what it keeps. */
void answer_add_plan(json_object *json, const struct core *core);

/* pCPU ids as an array. */
json_object *answer_cpus(const struct cpumap *cpus);

#endif /* XENSCHED_DAEMON_ANSWER_H */
