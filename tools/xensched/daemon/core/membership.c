/* SPDX-License-Identifier: GPL-2.0-only */
/* Assigns accounting domains as domains come and go. */
#include <errno.h>
#include <string.h>

#include "base/message.h"
#include "core-parts.h"

/* A domain that returns within this time keeps its history. */
#define GONE_NS 60000000000ULL

/* The counters of its communication stay, in case it returns. */
static void leave_account(struct core *core, struct member *member, uint64_t now_ns)
{
    uint16_t acct = member->account->acct;

    core->host->unbind(core->host->data, member->domid);
    accounting_leave(&core->accounting, member, now_ns);
    core->host->retire(core->host->data, acct);
}

static void forget_account(struct core *core, struct account *account)
{
    matrix_forget(core->matrix, account->acct);
    governor_forget(&core->governor, account->acct);
    waits_forget(core->waits, account->acct);
    mark_times_forget(core->mark_times, account->acct);
    accounting_close(account);
}

/* If no number is free, takes that of a domain that might have returned. */
static struct account *open_account(struct core *core, const struct domain *d)
{
    struct account *account = accounting_open(&core->accounting, d);
    struct account *gone;

    if (account)
        return account;
    gone = accounting_longest_gone(&core->accounting);
    if (!gone)
        return NULL;
    forget_account(core, gone);

    return accounting_open(&core->accounting, d);
}

static struct account *find_account(struct core *core, const struct domain *d)
{
    struct account *account = open_account(core, d);

    if (!account && !core->full) {
        core->full = true;
        say("more than %u domains: the others are not distinguished",
            core->accounting.nr - XEN_SCHEDLOG_ACCT_FIRST);
    }

    return account;
}

static struct member *make_member(struct core *core, const struct domain *d,
                                  uint64_t now_ns)
{
    struct account *account = find_account(core, d);

    return account ? accounting_join(&core->accounting, account, d, now_ns)
                   : NULL;
}

/* Binding uses the chosen thresholds; the matrix uses the governor's. */
static void apply_thresholds(struct core *core, uint16_t acct)
{
    uint32_t events = choice_events(&core->settings.choice, HYPERVISOR);
    unsigned int event;

    for (event = 0; event < XEN_SCHEDLOG_NR_EVENTS; event++) {
        uint32_t threshold = governor_threshold(&core->governor, event, acct);

        if (events & 1U << event &&
            threshold != core->settings.choice.threshold[event])
            core->host->set_threshold(core->host->data, acct, event,
                                      threshold);
    }
}

/* Tried again in each run until it succeeds; a domain may be partly built. */
static void bind_member(struct core *core, struct member *member)
{
    uint16_t acct = member->account->acct;
    struct xensched_error err;

    if (member->bound)
        return;
    member->bound = !core->host->bind(core->host->data, member->domid, acct,
                                      &err);
    if (member->bound)
        apply_thresholds(core, acct);
    else if (err.code != -ESRCH)
        say("%s", err.text);
}

/* A driver domain belongs to no group: a group is moved as one, and a driver domain never is. */
static bool leave_driver_alone(struct domain *d)
{
    bool refused = d->driver && d->group[0];

    if (refused)
        d->group[0] = '\0';

    return refused;
}

static void say_refused(struct member *member, bool refused)
{
    if (refused && !member->group_refused)
        say("domain %u is a driver domain: its vm_affinity_group is ignored",
            member->domid);
    member->group_refused = refused;
}

static void use_account(struct core *core, struct domain *d, uint64_t now_ns)
{
    bool refused = leave_driver_alone(d);
    struct member *member = accounting_find(&core->accounting, d);

    d->acct = XEN_SCHEDLOG_ACCT_REST;
    if (!d->since_ns)
        d->since_ns = now_ns;
    if (!member)
        member = make_member(core, d, now_ns);
    if (!member)
        return;
    say_refused(member, refused);
    memcpy(member->account->name, d->name, sizeof(d->name));
    waits_name(core->waits, member->account->acct, d->domid, d->name);
    bind_member(core, member);
    d->acct = member->account->acct;
    d->since_ns = member->since_ns;
}

/* A domain that is missing in the list may only have been unreadable. */
static bool is_gone(struct core *core, const struct member *member)
{
    return core->host->is_gone(core->host->data, member->domid, member->uuid);
}

static void look_for_absent(struct core *core, const struct domains *domains,
                            uint64_t now_ns)
{
    struct accounting *a = &core->accounting;
    unsigned int i;

    for (i = 0; i < a->nr_members; i++)
        a->members[i].seen = false;
    for (i = 0; i < domains->nr; i++) {
        struct member *member = accounting_find(a, &domains->domain[i]);

        if (member)
            member->seen = true;
    }
    i = 0;
    while (i < a->nr_members)
        if (a->members[i].seen || !is_gone(core, &a->members[i]))
            i++;
        else
            leave_account(core, &a->members[i], now_ns);
}

static void forget_long_gone(struct core *core, uint64_t now_ns)
{
    struct accounting *a = &core->accounting;
    unsigned int i;

    for (i = XEN_SCHEDLOG_ACCT_FIRST; i < a->top; i++) {
        struct account *account = &a->accounts[i];

        if (account->used && !account->present &&
            now_ns - account->gone_ns >= GONE_NS)
            forget_account(core, account);
    }
}

/* Handles domains that have ended first: a new one may be the same domain. */
void membership_update(struct core *core, struct domains *domains,
                       uint64_t now_ns)
{
    unsigned int i;

    look_for_absent(core, domains, now_ns);
    forget_long_gone(core, now_ns);
    for (i = 0; i < domains->nr; i++)
        use_account(core, &domains->domain[i], now_ns);
}

void membership_end(struct core *core)
{
    while (core->accounting.nr_members)
        leave_account(core, core->accounting.members, 0);
}
