/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How two test programs in two domains find each other: a xenstore node which
 * both may read and write (the test makes it, with meeting() of test.sh), and in
 * it one key for each thing that one tells the other.
 *
 * Everything here ends the program with a message when it fails.
 */

#ifndef EXCHANGE_H
#define EXCHANGE_H

void exchange_open(const char *node);

/* Tell the other side. */
void exchange_put(const char *key, const char *value);

/* What the other side told; waits for it up to a minute.  To be freed. */
char *exchange_wait(const char *key);

/* Whether the other side told it already. */
int exchange_has(const char *key);

/* A number from the command line, with its name for the message. */
unsigned long number(const char *text, const char *name);

#endif /* EXCHANGE_H */
