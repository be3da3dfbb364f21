/* SPDX-License-Identifier: GPL-2.0-only */
/* Maps accounting domains to domids. */
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "base/alloc.h"
#include "accounting.h"

void accounting_init(struct accounting *a, unsigned int nr_acct)
{
    memset(a, 0, sizeof(*a));
    a->nr = nr_acct;
    a->next = a->top = XEN_SCHEDLOG_ACCT_FIRST;
    a->accounts = need_memory(nr_acct, sizeof(*a->accounts));
}

void accounting_free(struct accounting *a)
{
    free(a->accounts);
    free(a->members);
    domids_free(&a->by_domid);
    memset(a, 0, sizeof(*a));
}

struct member *accounting_find(const struct accounting *a,
                               const struct domain *domain)
{
    uint32_t i = domids_find(&a->by_domid, domain->domid);

    return i != DOMIDS_NONE && !strcmp(a->members[i].uuid, domain->uuid)
           ? &a->members[i] : NULL;
}

/* Two existing domains can have the same UUID if nothing gave them one. */
static bool is_for(const struct account *account, const struct domain *domain)
{
    return account->used && !account->present && !strcmp(account->uuid, domain->uuid);
}

static struct account *find_kept(const struct accounting *a,
                                 const struct domain *domain)
{
    unsigned int i;

    for (i = XEN_SCHEDLOG_ACCT_FIRST; i < a->top; i++)
        if (is_for(&a->accounts[i], domain))
            return &a->accounts[i];

    return NULL;
}

static struct account *begin_account(struct account *account, uint16_t acct,
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
    struct account *kept = find_kept(a, domain);
    unsigned int acct;

    if (kept)
        return kept;
    for (acct = XEN_SCHEDLOG_ACCT_FIRST; acct < a->nr; acct++)
        if (!a->accounts[acct].used)
            break;
    if (acct == a->nr)
        return NULL;
    if (acct >= a->top)
        a->top = acct + 1;
    a->next = acct + 1 < a->nr ? acct + 1 : XEN_SCHEDLOG_ACCT_FIRST;

    return begin_account(&a->accounts[acct], acct, domain);
}

struct member *accounting_join(struct accounting *a, struct account *account,
                               const struct domain *domain, uint64_t now_ns)
{
    struct member *member;

    a->members = need_more_memory(a->members, a->nr_members + 1,
                                  sizeof(*a->members));
    domids_put(&a->by_domid, domain->domid, a->nr_members);
    member = &a->members[a->nr_members++];
    *member = (struct member){
        .account = account, .domid = domain->domid, .since_ns = now_ns,
    };
    memcpy(member->uuid, domain->uuid, sizeof(member->uuid));
    account->present = true;
    account->domid = domain->domid;

    return member;
}

void accounting_leave(struct accounting *a, struct member *member,
                      uint64_t now_ns)
{
    const struct member *last = &a->members[--a->nr_members];

    member->account->present = false;
    member->account->gone_ns = now_ns;
    domids_remove(&a->by_domid, member->domid);
    if (member == last)
        return;
    *member = *last;
    domids_put(&a->by_domid, member->domid, member - a->members);
}

struct account *accounting_longest_gone(const struct accounting *a)
{
    struct account *longest = NULL;
    unsigned int tries, acct = a->next;

    /* Chooses the number that was unused for longest. */
    for (tries = XEN_SCHEDLOG_ACCT_FIRST; tries < a->nr; tries++) {
        struct account *account = &a->accounts[acct];

        if (++acct == a->nr)
            acct = XEN_SCHEDLOG_ACCT_FIRST;
        if (account->used && !account->present &&
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
