/* SPDX-License-Identifier: GPL-2.0-only */
/* marks.h - what guests marked, in short, for "xensched timeline". */
#ifndef XENSCHED_ANALYSIS_MARKS_H
#define XENSCHED_ANALYSIS_MARKS_H

#include <json-c/json.h>

#include "timeline/timeline.h"

json_object *marks_json(const struct timeline *t);

/* Nothing, if there are none. */
void marks_print(const struct timeline *t);

#endif /* XENSCHED_ANALYSIS_MARKS_H */
