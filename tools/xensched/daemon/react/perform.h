/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perform.h - do the actions of a reaction of the configuration.
 */
#ifndef XENSCHED_DAEMON_PERFORM_H
#define XENSCHED_DAEMON_PERFORM_H

#include "entry.h"

/* Begins; e->ended() is called at the end, with why it failed, or NULL. */
void perform(struct react *react, struct entry *e);

#endif /* XENSCHED_DAEMON_PERFORM_H */
