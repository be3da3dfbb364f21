/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * guard-spot.h - where a guest can be: room at a place and in its caches, the next
 * place if there is none, and the words for it.  For guard.c alone.
 */
#ifndef XENSCHED_POLICY_GUARD_SPOT_H
#define XENSCHED_POLICY_GUARD_SPOT_H

#include "guard-run.h"

/* Those that it may use there. */
unsigned int spot_cores(const struct candidate *c, struct spot spot);

/* @part: of the cores that may be taken, ROOM_TO_GO or ROOM_TO_STAY. */
bool spot_can_be(const struct candidate *c, struct spot spot, double part);
bool spot_can_go(const struct candidate *c, struct spot spot);

/* Where a domain which was moved is; else UNKNOWN. */
struct spot spot_ours(const struct candidate *c);

/* To prefer all pCPUs is to prefer none. */
bool spot_is_everywhere(const struct candidate *c, struct spot spot);

/* Sets the cache of @spot, whose place is that of the opinion, if one is best. */
void spot_choose_cache(const struct candidate *c, struct spot *spot);

/* How far a line is from one place to another, in ns; and to the farthest. */
double spot_apart(const struct candidate *c, unsigned int a, unsigned int b);
double spot_farthest(const struct candidate *c, unsigned int place);

/* The nearest to @place that has room and is nearer than where it is; UNKNOWN: none. */
unsigned int spot_next_nearest(const struct candidate *c, unsigned int place);

/* What this policy says against it; what others said stays. */
void guard_object(const struct candidate *c, const char *policy,
                  const char *text);
/* Likewise: there are too few cores, or there is no room. */
void spot_object(const struct candidate *c, const char *policy,
                 struct spot spot);
/* Likewise: there is a place, and none of its caches will do. */
void spot_object_caches(const struct candidate *c, const char *policy);

/* "; of these pCPUs 4-7 (LLC 1), the cache of Domain-0" */
void spot_describe_cache(const struct candidate *c, struct spot spot,
                         char text[OPINION_TEXT]);
/* @next wants the place @place in place of its own, which is full. */
void spot_describe_next(const struct candidate *c, unsigned int place,
                        struct opinion *next);

#endif /* XENSCHED_POLICY_GUARD_SPOT_H */
