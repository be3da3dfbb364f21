/* SPDX-License-Identifier: GPL-2.0-only */
/* acct-names.h - the names of accounting domains, from descriptions of the host. */
#ifndef XENSCHED_ACCT_NAMES_H
#define XENSCHED_ACCT_NAMES_H

#include <stddef.h>
#include <stdint.h>

struct acct_names; /* empty at first */

struct acct_names *acct_names_new(void);

/*
 * Replaces the names by those of a host (docs/internals/recording-format.md); ignores an invalid
 * text.
 */
void acct_names_learn(struct acct_names *names, const char *text, size_t length);

/* Does the same with the daemon at @socket.  Returns 0 or a negative errno value. */
int acct_names_ask(struct acct_names *names, const char *socket);

/*
 * Returns "disk", or "(group web)", without control characters; "rest", "xen" or "none" for fixed
 * numbers; or the number.  Valid until the 32nd call of text_format(), and until names are learned.
 */
const char *acct_names_of(const struct acct_names *names, uint16_t acct);

/* Returns the same for a domain, by its domid, which rows of guests have. */
const char *acct_names_of_domain(const struct acct_names *names, uint16_t domid);

void acct_names_free(struct acct_names *names);

#endif /* XENSCHED_ACCT_NAMES_H */
