/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * notes.h - what the daemon decided meanwhile, and what a foreign trace has, for
 * "xensched timeline".
 */
#ifndef XENSCHED_ANALYSIS_NOTES_H
#define XENSCHED_ANALYSIS_NOTES_H

#include <json-c/json.h>

#include "timeline/timeline.h"

json_object *decisions_json(const struct timeline *t);
json_object *foreign_json(const struct timeline *t);

/* Nothing, if there are none. */
void notes_print(const struct timeline *t);

#endif /* XENSCHED_ANALYSIS_NOTES_H */
