/* SPDX-License-Identifier: GPL-2.0-only */
/* top-guest.h - draws one guest alone, for xensched top. */
#ifndef XENSCHED_TOP_GUEST_H
#define XENSCHED_TOP_GUEST_H

#include <json-c/json.h>

/* Length of the shown past, in seconds. */
#define TOP_GUEST_SECONDS 60

/*
 * Draws from line @y on: @domain of the answer to "status", and the answer to "waits" about it
 * alone, or NULL.  Works in any size of the terminal.
 */
void top_guest_draw(const struct json_object *domain, const struct json_object *waits,
                    int y);

#endif /* XENSCHED_TOP_GUEST_H */
