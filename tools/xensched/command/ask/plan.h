/* SPDX-License-Identifier: GPL-2.0-only */
/* plan.h - prints a plan as text. */
#ifndef XENSCHED_COMMAND_PLAN_H
#define XENSCHED_COMMAND_PLAN_H

#include <json-c/json.h>

/* The moves of @plan, and what is kept, each with its reason. */
void plan_print(const struct json_object *plan);

#endif /* XENSCHED_COMMAND_PLAN_H */
