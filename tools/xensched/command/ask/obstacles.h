/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * obstacles.h - prints why xenschedd moves nothing now, as its answers say.
 */
#ifndef XENSCHED_OBSTACLES_H
#define XENSCHED_OBSTACLES_H

#include <json-c/json.h>

/* A line for each member of "obstacles" in @result, which may have none. */
void obstacles_print(const json_object *result);

#endif /* XENSCHED_OBSTACLES_H */
