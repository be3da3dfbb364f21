/* SPDX-License-Identifier: GPL-2.0-only */
/* accounting.c - see accounting.h. */
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "../model/memory.h"
#include "accounting.h"

void accounting_init(struct accounting *a, unsigned int nr_acct)
{
    a->nr = nr_acct;
    a->next = a->top = XEN_SCHEDLOG_ACCT_FIRST;
    a->accounts = need_memory(nr_acct, sizeof(*a->accounts));
}

void accounting_free(struct accounting *a)
{
    free(a->accounts);
    memset(a, 0, sizeof(*a));
}

struct account *accounting_find(const struct accounting *a,
                                const struct domain *domain)
{
    unsigned int i;

    for (i = XEN_SCHEDLOG_ACCT_FIRST; i < a->top; i++) {
        struct account *account = &a->accounts[i];

        if (account->used && !account->gone &&
            account->domid == domain->domid &&
            !strcmp(account->uuid, domain->uuid))
            return account;
    }

    return NULL;
}

static struct account *begin(struct account *account, uint16_t acct,
                             const struct domain *domain, uint64_t now_ns)
{
    memset(account, 0, sizeof(*account));
    account->used = true;
    account->acct = acct;
    account->domid = domain->domid;
    memcpy(account->uuid, domain->uuid, sizeof(account->uuid));
    account->since_ns = now_ns;

    return account;
}

static struct account *find_gone(const struct accounting *a, const char *uuid)
{
    unsigned int i;

    for (i = XEN_SCHEDLOG_ACCT_FIRST; i < a->top; i++)
        if (a->accounts[i].used && a->accounts[i].gone &&
            !strcmp(a->accounts[i].uuid, uuid))
            return &a->accounts[i];

    return NULL;
}

struct account *accounting_open(struct accounting *a,
                                const struct domain *domain, uint64_t now_ns)
{
    struct account *gone = find_gone(a, domain->uuid);
    unsigned int tries;

    if (gone)
        return begin(gone, gone->acct, domain, now_ns);
    for (tries = XEN_SCHEDLOG_ACCT_FIRST; tries < a->nr; tries++) {
        struct account *account = &a->accounts[a->next];
        uint16_t acct = a->next;

        if (++a->next == a->nr)
            a->next = XEN_SCHEDLOG_ACCT_FIRST;
        if (account->used)
            continue;
        if (acct >= a->top)
            a->top = acct + 1U;
        return begin(account, acct, domain, now_ns);
    }

    return NULL;
}

void accounting_leave(struct account *account, uint64_t now_ns)
{
    account->gone = true;
    account->gone_ns = now_ns;
}

struct account *accounting_longest_gone(const struct accounting *a)
{
    struct account *longest = NULL;
    unsigned int tries, acct = a->next;

    /* Of several, the one whose number would be the next. */
    for (tries = XEN_SCHEDLOG_ACCT_FIRST; tries < a->nr; tries++) {
        struct account *account = &a->accounts[acct];

        if (++acct == a->nr)
            acct = XEN_SCHEDLOG_ACCT_FIRST;
        if (account->used && account->gone &&
            (!longest || account->gone_ns < longest->gone_ns))
            longest = account;
    }

    return longest;
}

void accounting_close(struct account *account)
{
    account->used = false;
}

const struct account *accounting_of(const struct accounting *a, uint16_t acct)
{
    return acct < a->nr && a->accounts[acct].used ? &a->accounts[acct] : NULL;
}
