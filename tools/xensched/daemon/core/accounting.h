/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * accounting.h - which accounting domain stands for which domains.
 *
 * A table, on purpose: domids and accounting domains are different numbers
 * with different limits.  A number that was given up is used again as late as
 * possible, since rows which name it may still be in a log.  A domain that reboots
 * returns soon, with another domid and the same UUID: its number is kept for it.
 */
#ifndef XENSCHED_DAEMON_ACCOUNTING_H
#define XENSCHED_DAEMON_ACCOUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "model/domain.h"
#include "model/domids.h"
#include "policy/plan.h"

/* A number, and the domain for which it stands. */
struct account {
    bool used;
    bool present;     /* the domain is there; else it may come back */
    uint16_t acct;
    uint32_t domid;   /* says nothing unless present */
    uint64_t gone_ns; /* when it left */
    char uuid[DOMAIN_UUID_TEXT];
    char name[DOMAIN_NAME_TEXT];
};

/* What is remembered of a domain from one look at the host to the next. */
struct member {
    struct account *account;
    bool seen;  /* in the present look at the host */
    bool bound; /* Xen has been told */
    bool group_refused; /* logged already */
    uint32_t domid;
    char uuid[DOMAIN_UUID_TEXT];
    uint64_t since_ns;
    /* The last decision which the journal has. */
    enum verb journaled;
    uint64_t journaled_soft; /* a hash of its affinity */
    /* To see that another program changes the affinity; 0: not looked at yet. */
    uint64_t fingerprint;
    bool operators;        /* another program has changed it */
    uint64_t operators_ns; /* when that was seen */
    uint64_t automatic;    /* fingerprint of what its toolstack chose; 0: nothing */
    bool pool_known;
    uint32_t pool;         /* in which it was */
    /* Does its configuration name an affinity?  Asked for once. */
    enum { NOT_ASKED, NAMES_NONE, NAMES_ONE } configured;
};

struct accounting {
    unsigned int nr;  /* numbers are below this */
    unsigned int top; /* those which were ever used, below this */
    unsigned int next; /* after the one that was given last */
    struct account *accounts; /* [nr] */
    unsigned int nr_members;
    struct member *members;   /* in no order */
    struct domids by_domid;   /* of members */
};

void accounting_init(struct accounting *a, unsigned int nr_acct);
void accounting_free(struct accounting *a);

/*
 * What is remembered of this very domain (a domid can come again), or NULL.
 * Valid until the next accounting_join() or accounting_leave().
 */
struct member *accounting_find(const struct accounting *a,
                               const struct domain *domain);

/*
 * The number for a domain which has none: that which it had if it was gone, or the
 * lowest that is free, or NULL when all are in use: memory of the hypervisor goes by
 * the highest.
 */
struct account *accounting_open(struct accounting *a,
                                const struct domain *domain);
/* No other domain with this domid is there any more: it has left before. */
struct member *accounting_join(struct accounting *a, struct account *account,
                               const struct domain *domain, uint64_t now_ns);
/* The domain is gone; its number is kept for a while. */
void accounting_leave(struct accounting *a, struct member *member,
                      uint64_t now_ns);
void accounting_close(struct account *account);

/* The one that has been unused for longest, or NULL. */
struct account *accounting_longest_gone(const struct accounting *a);

/* What the number stands for, or NULL. */
const struct account *accounting_of(const struct accounting *a,
                                    uint16_t acct);

#endif /* XENSCHED_DAEMON_ACCOUNTING_H */
