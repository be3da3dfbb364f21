/* SPDX-License-Identifier: GPL-2.0-only */
/* acct-names.h - what an accounting domain is called, by what the host was. */
#ifndef XENSCHED_ACCT_NAMES_H
#define XENSCHED_ACCT_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct acct_names; /* all that is known; nothing at first */

struct acct_names *acct_names_new(void);

/*
 * From now on those of a host as docs/internals/recording-format.md has it; of a text that
 * is none nothing is learned.
 */
void acct_names_learn(struct acct_names *names, const char *text, size_t length);

/* The same of the daemon at @socket.  Returns 0 or a negative errno value. */
int acct_names_ask(struct acct_names *names, const char *socket);

/*
 * "disk", or "(group web)", without control characters; the names of what is
 * fixed: "rest", "xen", "none"; or the number.  Valid until the 32nd call
 * of text_format(), and until something is learned.
 */
const char *acct_names_of(const struct acct_names *names, uint16_t acct);

/* The same of a domain, by its domid: as numbers in rows of guests are. */
const char *acct_names_of_domain(const struct acct_names *names, uint16_t domid);

void acct_names_free(struct acct_names *names);

#endif /* XENSCHED_ACCT_NAMES_H */
