/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * timeline-summary.h - marks, decisions, foreign traces, rings and costs of a timeline, as
 * text and as JSON, for "xensched timeline".  A print function prints nothing if the timeline has
 * none.
 */
#ifndef XENSCHED_COMMAND_TIMELINE_SUMMARY_H
#define XENSCHED_COMMAND_TIMELINE_SUMMARY_H

#include <json-c/json.h>

#include "timeline/timeline.h"

json_object *marks_json(const struct timeline *t);
void marks_print(const struct timeline *t);

json_object *decisions_json(const struct timeline *t);
json_object *foreign_json(const struct timeline *t);
void notes_print(const struct timeline *t);

json_object *costs_json(const struct timeline *t);
void costs_print(const struct timeline *t);

json_object *rings_json(const struct timeline *t);
void rings_print(const struct timeline *t);

#endif /* XENSCHED_COMMAND_TIMELINE_SUMMARY_H */
