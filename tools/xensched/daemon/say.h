/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * say.h - one line for the operator, to standard error (which systemd and
 * others keep).  What was decided and why goes to the journal, not here.
 */
#ifndef XENSCHED_DAEMON_SAY_H
#define XENSCHED_DAEMON_SAY_H

/* As printf(3); without a newline at the end. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif /* XENSCHED_DAEMON_SAY_H */
