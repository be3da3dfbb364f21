/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * held.h - domains which an operator wants to stay where they are, whatever a
 * policy finds.
 *
 * Some say so in their configuration (vm_affinity in xl.cfg).  Others an operator
 * holds at run time.  They are known by their UUIDs, so a domain is still held after
 * it was booted again.  The set is part of the state file: a daemon that is started
 * again has it.  Plans are made with it: a held domain takes no place from others.
 */
#ifndef XENSCHED_DAEMON_HELD_H
#define XENSCHED_DAEMON_HELD_H

#include <stdbool.h>

#include "policy/plan.h"

struct held {
    unsigned int nr;
    char (*uuid)[DOMAIN_UUID_TEXT];
};

void held_free(struct held *held);

bool held_has(const struct held *held, const char *uuid);

/* Whether it was there before, or not, makes no difference. */
void held_add(struct held *held, const char *uuid);
void held_remove(struct held *held, const char *uuid);

/* By an operator, or by its configuration. */
bool held_is(const struct held *held, const struct domain *d);

/* The plan that is there has all held domains stay; the next one is made so. */
void held_apply(const struct held *held, const struct domains *domains,
                struct plan *plan);

#endif /* XENSCHED_DAEMON_HELD_H */
