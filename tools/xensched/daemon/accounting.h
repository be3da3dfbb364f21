/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * accounting.h - which accounting domain stands for which domain.
 *
 * A table, on purpose: domids and accounting domains are different numbers
 * with different limits, and later several domains may share one.  A number
 * that was given up is used again as late as possible, since rows which name
 * it may still be in a log.  A domain that is booted anew comes back soon, with
 * another domid and the same UUID: its number is kept for it.
 */
#ifndef XENSCHED_DAEMON_ACCOUNTING_H
#define XENSCHED_DAEMON_ACCOUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "../model/domain.h"
#include "../policy/plan.h"

/* What is remembered of a domain from one look at the host to the next. */
struct account {
    bool used;
    bool seen;  /* in the present look at the host */
    bool gone;  /* and may come back; then domid says nothing */
    uint64_t gone_ns;
    bool bound; /* Xen has been told */
    uint16_t acct;
    uint32_t domid;
    char uuid[DOMAIN_UUID_TEXT];
    char name[DOMAIN_NAME_TEXT];
    uint64_t since_ns;
    /* The last decision which the journal has. */
    enum verb journaled;
    char journaled_soft[CPUMAP_TEXT];
    /* To see that somebody else changes the affinity; 0: not looked at yet. */
    uint64_t fingerprint;
    bool operators; /* somebody else has changed it */
    /* Does its configuration name an affinity?  Asked for once. */
    enum { NOT_ASKED, NAMES_NONE, NAMES_ONE } configured;
};

struct accounting {
    unsigned int nr;  /* numbers are below this */
    unsigned int top; /* those which were ever used, below this */
    unsigned int next;
    struct account *accounts; /* [nr] */
};

void accounting_init(struct accounting *a, unsigned int nr_acct);
void accounting_free(struct accounting *a);

/* The account of this very domain (a domid can come again), or NULL. */
struct account *accounting_find(const struct accounting *a,
                                const struct domain *domain);

/*
 * A new account, with the number which it had if the domain was gone, or NULL
 * when all numbers are in use.
 */
struct account *accounting_open(struct accounting *a,
                                const struct domain *domain, uint64_t now_ns);
/* The domain is gone; the number is kept for a while. */
void accounting_leave(struct account *account, uint64_t now_ns);
void accounting_close(struct account *account);

/* Of those which are gone the one that is it for longest, or NULL. */
struct account *accounting_longest_gone(const struct accounting *a);

/* Whom the number stands for, or NULL. */
const struct account *accounting_of(const struct accounting *a,
                                    uint16_t acct);

#endif /* XENSCHED_DAEMON_ACCOUNTING_H */
