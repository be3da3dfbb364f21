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
    free(a->members);
    memset(a, 0, sizeof(*a));
}

struct member *accounting_find(const struct accounting *a,
                               const struct domain *domain)
{
    unsigned int i;

    for (i = 0; i < a->nr_members; i++) {
        struct member *member = &a->members[i];

        if (member->domid == domain->domid &&
            !strcmp(member->uuid, domain->uuid))
            return member;
    }

    return NULL;
}

static struct account *find_gone(const struct accounting *a, const char *uuid)
{
    unsigned int i;

    for (i = XEN_SCHEDLOG_ACCT_FIRST; i < a->top; i++)
        if (a->accounts[i].used && !a->accounts[i].members &&
            !strcmp(a->accounts[i].uuid, uuid))
            return &a->accounts[i];

    return NULL;
}

static struct account *begin(struct account *account, uint16_t acct,
                             const struct domain *domain)
{
    memset(account, 0, sizeof(*account));
    account->used = true;
    account->acct = acct;
    memcpy(account->uuid, domain->uuid, sizeof(account->uuid));

    return account;
}

struct account *accounting_open(struct accounting *a,
                                const struct domain *domain)
{
    struct account *gone = find_gone(a, domain->uuid);
    unsigned int tries;

    if (gone)
        return gone;
    for (tries = XEN_SCHEDLOG_ACCT_FIRST; tries < a->nr; tries++) {
        struct account *account = &a->accounts[a->next];
        uint16_t acct = a->next;

        if (++a->next == a->nr)
            a->next = XEN_SCHEDLOG_ACCT_FIRST;
        if (account->used)
            continue;
        if (acct >= a->top)
            a->top = acct + 1U;
        return begin(account, acct, domain);
    }

    return NULL;
}

struct member *accounting_join(struct accounting *a, struct account *account,
                               const struct domain *domain, uint64_t now_ns)
{
    struct member *member;

    a->members = need_more_memory(a->members, a->nr_members + 1,
                                  sizeof(*a->members));
    member = &a->members[a->nr_members++];
    *member = (struct member){
        .account = account, .domid = domain->domid, .since_ns = now_ns,
    };
    memcpy(member->uuid, domain->uuid, sizeof(member->uuid));
    account->members++;
    account->domid = domain->domid;

    return member;
}

void accounting_leave(struct accounting *a, struct member *member,
                      uint64_t now_ns)
{
    struct account *account = member->account;

    if (!--account->members)
        account->gone_ns = now_ns;
    *member = a->members[--a->nr_members];
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
        if (account->used && !account->members &&
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
