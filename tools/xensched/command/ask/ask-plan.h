/* SPDX-License-Identifier: GPL-2.0-only */
/* ask-plan.h - prints parts of the daemon's answers that several commands show. */
#ifndef XENSCHED_COMMAND_ASK_PLAN_H
#define XENSCHED_COMMAND_ASK_PLAN_H

#include <json-c/json.h>

/* Prints the moves of @plan, and the domains that stay, each with its reason. */
void plan_print(const struct json_object *plan);

/* Prints a line for each member of "obstacles" in @result, which may have none. */
void obstacles_print(const json_object *result);

#endif /* XENSCHED_COMMAND_ASK_PLAN_H */
