/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * accounting.h - assigns accounting domains to domains.
 *
 * It is a table because domids and accounting domains are different numbers with different limits.
 * A freed number is used again as late as possible, since rows with it may still be in a log.  A
 * domain that reboots returns soon, with another domid and the same UUID, so its number is kept for
 * it.
 */
#ifndef XENSCHED_DAEMON_ACCOUNTING_H
#define XENSCHED_DAEMON_ACCOUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "model/domain.h"
#include "model/domids.h"
#include "policy/plan.h"

/* An accounting domain, and its domain. */
struct account {
    bool used;
    bool present;     /* the domain exists; else it may return */
    uint16_t acct;
    uint32_t domid;   /* not valid unless present */
    uint64_t gone_ns; /* when the domain ended */
    char uuid[DOMAIN_UUID_TEXT];
    char name[DOMAIN_NAME_TEXT];
};

/* State of a domain that is kept from one reading of the host to the next. */
struct member {
    struct account *account;
    bool seen;  /* in the present reading of the host */
    bool bound; /* in Xen */
    bool group_refused; /* logged already */
    uint32_t domid;
    char uuid[DOMAIN_UUID_TEXT];
    uint64_t since_ns;
    /* The last decision in the journal. */
    enum verb journaled;
    uint64_t journaled_soft; /* a hash of its affinity */
    /* Detects that another program changes the affinity; 0: not read yet. */
    uint64_t fingerprint;
    bool operators;        /* another program has changed the affinity */
    uint64_t operators_ns; /* when the daemon noticed that */
    uint64_t automatic;    /* fingerprint of the toolstack's choice; 0: none */
    bool pool_known;
    uint32_t pool;         /* its cpupool at the last reading */
    /* Does its configuration name an affinity?  Read once. */
    enum { NOT_ASKED, NAMES_NONE, NAMES_ONE } configured;
};

struct accounting {
    unsigned int nr;   /* numbers are below this */
    unsigned int top;  /* numbers that were ever used are below this */
    unsigned int next; /* the number after the last one that was assigned */
    struct account *accounts; /* [nr] */
    unsigned int nr_members;
    struct member *members;   /* in no order */
    struct domids by_domid;   /* of members */
};

void accounting_init(struct accounting *a, unsigned int nr_acct);
void accounting_free(struct accounting *a);

/*
 * The kept state of this very domain (another domain may have its domid later), or NULL.  Valid
 * until the next accounting_join() or accounting_leave().
 */
struct member *accounting_find(const struct accounting *a,
                               const struct domain *domain);

/*
 * Chooses a number for a domain without one: the one that it had before it ended, or the lowest
 * free one, because the highest determines the hypervisor's memory.  Returns NULL if all are in
 * use.
 */
struct account *accounting_open(struct accounting *a,
                                const struct domain *domain);
/* Adds the domain to the account.  A former domain with this domid has left before. */
struct member *accounting_join(struct accounting *a, struct account *account,
                               const struct domain *domain, uint64_t now_ns);
/* Removes a domain that has ended; its number is kept for a while. */
void accounting_leave(struct accounting *a, struct member *member,
                      uint64_t now_ns);
void accounting_close(struct account *account);

/* The account whose domain has been gone for longest, or NULL. */
struct account *accounting_longest_gone(const struct accounting *a);

/* The account of the number, or NULL. */
const struct account *accounting_of(const struct accounting *a,
                                    uint16_t acct);

#endif /* XENSCHED_DAEMON_ACCOUNTING_H */
