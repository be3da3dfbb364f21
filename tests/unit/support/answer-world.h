/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * answer-world.h - a core (core-world.h) that answers questions; common parts of several tests.
 */
#ifndef TESTS_UNIT_ANSWER_WORLD_H
#define TESTS_UNIT_ANSWER_WORLD_H

#include "core-world.h"

#include "daemon/answer/answer.h"

/* Between begin_log_sources() and end_log_sources(): the core's sources, and a synthetic one. */
extern struct log_sources sources;

void begin_log_sources(void);
void end_log_sources(void);

/* Returns the whole response to a request.  The caller frees it with json_object_put(). */
json_object *ask(const char *line);

/* Returns the text of the member of a response at @path; NULL stands for null. */
const char *get(json_object *json, const char *path);
double number(json_object *json, const char *path);

/* Sends an order, which the daemon carries out, or refuses with an error that has @words. */
void is_done(const char *line);
void is_refused(const char *line, const char *words);

/*
 * DISK ran on pCPUs 0, 1, 2 and 0 in turn, so three quarters of its time on node 0; so did dom0.
 */
#define SPREAD "cpus=3,batch=25," TALK ",pair=service-ns/3/1/2/50000," \
               "pair=service-ns/2/1/2/50000"
/* All domains run on pCPU 0. */
#define THERE TALK ",pair=service-ns/3/1/2/50000,pair=service-ns/2/1/2/50000"

/* DISK and SPIN are in the group "web", and communicate with dom0. */
void start_with_a_group(void);

#endif /* TESTS_UNIT_ANSWER_WORLD_H */
