/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decision-json.h - writes the code of a decision and the numbers behind it, for programs that
 * read an answer or the journal; docs/internals/control-socket.md describes the members.
 */
#ifndef XENSCHED_DAEMON_DECISION_JSON_H
#define XENSCHED_DAEMON_DECISION_JSON_H

#include <json-c/json.h>

#include "policy/plan.h"

void json_add_decision(json_object *json, const struct decision *decision);

#endif /* XENSCHED_DAEMON_DECISION_JSON_H */
