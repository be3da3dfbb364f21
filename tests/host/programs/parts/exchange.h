/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exchange.h - a rendezvous of two test programs in two domains: a xenstore node that both may read
 * and write (made with meeting() of tap.sh), which has a key for each value that one sends to the
 * other.
 *
 * All functions end the program with a message if they fail.
 */

#ifndef EXCHANGE_H
#define EXCHANGE_H

void exchange_open(const char *node);

/* Sends a value to the other side. */
void exchange_put(const char *key, const char *value);

/* Returns the other side's value; waits for it up to a minute.  The caller frees the result. */
char *exchange_wait(const char *key);

/* Returns whether the other side has sent the value. */
int exchange_has(const char *key);

/* Parses a number of the command line; @name is for the message. */
unsigned long number(const char *text, const char *name);

#endif /* EXCHANGE_H */
