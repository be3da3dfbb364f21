/* SPDX-License-Identifier: GPL-2.0-only */
/* rings.h - requests on the rings of back ends, for "xensched timeline". */
#ifndef XENSCHED_ANALYSIS_RINGS_H
#define XENSCHED_ANALYSIS_RINGS_H

#include <json-c/json.h>

#include "timeline/timeline.h"

json_object *rings_json(const struct timeline *t);

/* Nothing, if there are none. */
void rings_print(const struct timeline *t);

#endif /* XENSCHED_ANALYSIS_RINGS_H */
