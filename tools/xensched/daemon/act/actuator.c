/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Carries out a plan and undoes it.
 *
 * A change writes the original and the new affinity to the disk first, then sets one vCPU
 * after the other.  A restore sets one vCPU after the other, then removes the entry from
 * the disk.  So the state file contains each vCPU for as long as it is changed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "actuator.h"
#include "base/message.h"
#include "decision-json.h"

int actuator_init(struct actuator *a, const struct host *host,
                  struct journal *journal, const char *path,
                  unsigned int nr_cpus, struct xensched_error *err)
{
    memset(a, 0, sizeof(*a));
    a->host = host;
    a->journal = journal;
    a->path = path;
    state_init(&a->state, nr_cpus, host->boot);

    return path ? state_load(&a->state, path, err) : 0;
}

void actuator_free(struct actuator *a)
{
    state_free(&a->state);
}

int actuator_keep(const struct actuator *a, struct xensched_error *err)
{
    return a->path ? state_save(&a->state, a->path, err) : 0;
}

/* If the state file cannot be written, it has too many entries, which is safe. */
static void save_state(struct actuator *a)
{
    struct xensched_error err;

    if (actuator_keep(a, &err))
        say("%s", err.text);
}

/* If the cookie cannot be saved, the next daemon has to wait for the end of the lease. */
void actuator_set_cookie(struct actuator *a, uint64_t cookie)
{
    a->state.cookie = cookie;
    save_state(a);
}

static void set_held(struct held *held, const char *uuid, bool hold)
{
    if (hold)
        held_add(held, uuid);
    else
        held_remove(held, uuid);
}

int actuator_hold(struct actuator *a, const struct domain *d, bool hold,
                  struct xensched_error *err)
{
    bool held = held_has(&a->state.held, d->uuid);
    int rc;

    if (held == hold)
        return 0;
    set_held(&a->state.held, d->uuid, hold);
    rc = actuator_keep(a, err);
    if (rc) {
        set_held(&a->state.held, d->uuid, held);
        return rc;
    }
    journal_domain(a->journal, hold ? "hold" : "release", d,
                   "an operator asked for it");

    return 0;
}

/* Is this the affinity that the daemon has set, or was about to set? */

static bool soft_is_ours(const struct state_entry *e, const struct cpumap *soft)
{
    return cpumap_equal(soft, &e->ours) ||
           (e->before.words && cpumap_equal(soft, &e->before));
}

static bool hard_is_ours(const struct state_entry *e, const struct cpumap *hard)
{
    return ((e->hard || e->hard_before) && cpumap_equal(hard, &e->ours)) ||
           (e->hard_before && e->before.words &&
            cpumap_equal(hard, &e->before));
}

enum restored { WAS_ORIGINAL, RESTORED, NOT_OURS, FAILED, GONE };

/* Restores the parts of both affinities that are still the daemon's. */
static enum restored put_back(struct actuator *a, const struct state_entry *e,
                              unsigned int vcpu, const struct cpumap *hard,
                              const struct cpumap *soft,
                              struct xensched_error *err)
{
    const struct state_vcpu *original = &e->vcpus[vcpu];
    bool same_hard = cpumap_equal(hard, &original->hard);
    bool same_soft = cpumap_equal(soft, &original->soft);
    bool back_hard = !same_hard && hard_is_ours(e, hard);
    bool back_soft = !same_soft && soft_is_ours(e, soft);
    bool others = (!same_hard && !back_hard) || (!same_soft && !back_soft);
    int rc = 0;

    if (back_hard || back_soft)
        rc = a->host->set_affinity(a->host->data, e->domid, vcpu,
                                   back_hard ? &original->hard : NULL,
                                   back_soft ? &original->soft : NULL, err);
    if (rc)
        return rc == -ESRCH ? GONE : FAILED;
    if (others)
        return NOT_OURS;

    return back_hard || back_soft ? RESTORED : WAS_ORIGINAL;
}

/* Reads the present affinity again immediately before the change. */
static enum restored restore_vcpu(struct actuator *a,
                                  const struct state_entry *e,
                                  unsigned int vcpu,
                                  struct xensched_error *err)
{
    const struct host *host = a->host;
    struct cpumap hard, soft;
    enum restored result;
    int rc;

    cpumap_init(&hard, a->state.nr_cpus);
    cpumap_init(&soft, a->state.nr_cpus);
    rc = host->get_affinity(host->data, e->domid, vcpu, &hard, &soft, err);
    if (rc)
        result = rc == -ESRCH ? GONE : FAILED;
    else
        result = put_back(a, e, vcpu, &hard, &soft, err);
    cpumap_free(&hard);
    cpumap_free(&soft);

    return result;
}

/* The domain of an entry, for the journal. */
static struct domain find_owner(const struct state_entry *e)
{
    struct domain d = { .domid = e->domid };

    memcpy(d.uuid, e->uuid, sizeof(d.uuid));
    memcpy(d.name, e->name, sizeof(d.name));

    return d;
}

static void journal_restored(struct actuator *a, const struct state_entry *e,
                             const unsigned int nr[GONE + 1],
                             const struct decision *decision, const char *why)
{
    const struct domain d = find_owner(e);
    json_object *details;
    char text[REASON_TEXT];

    if (nr[NOT_OURS]) {
        journal_domain(a->journal, "operator", &d, "%u of %u vCPUs have an "
                       "affinity which another program set since; those are "
                       "left as they are", nr[NOT_OURS], e->nr_vcpus);
        say("%s (domain %u): another program has changed the affinity, it is "
            "left alone from now on", d.name, d.domid);
    }
    if (!nr[RESTORED])
        return;
    snprintf(text, sizeof(text), "the original affinity of %u of %u vCPUs is restored: %s",
             nr[RESTORED], e->nr_vcpus, why);
    details = journal_details(&d, text);
    if (decision)
        json_add_decision(details, decision);
    journal_write(a->journal, "restore", details);
}

/* Each run tries again, but only the first failure is reported. */
static int fail_change(struct actuator *a, struct state_entry *e, unsigned int nr,
                       const struct xensched_error *err)
{
    const struct domain d = find_owner(e);

    if (!e->leaving) {
        journal_domain(a->journal, "failed", &d, "cannot restore the affinity "
                       "of %u of %u vCPUs, which is tried again: %s", nr,
                       e->nr_vcpus, err->text);
        say("%s (domain %u): %s", d.name, d.domid, err->text);
    }
    e->leaving = true;

    return err->code;
}

/* Returns 0 if the entry can be removed.  @decision: NULL if no plan decided that. */
static int restore_entry(struct actuator *a, struct state_entry *e, const struct decision *decision,
                         const char *why, struct xensched_error *err)
{
    unsigned int i, nr[GONE + 1] = { 0 };

    for (i = 0; i < e->nr_vcpus; i++) {
        struct xensched_error one;
        enum restored result = restore_vcpu(a, e, i, &one);

        if (result == FAILED)
            *err = one;
        nr[result]++;
    }
    journal_restored(a, e, nr, decision, why);

    return nr[FAILED] ? fail_change(a, e, nr[FAILED], err) : 0;
}

static bool is_gone(const struct actuator *a, const struct state_entry *e)
{
    return a->host->is_gone(a->host->data, e->domid, e->uuid);
}

struct actuator_result actuator_restore_all(struct actuator *a,
                                            const char *why)
{
    struct actuator_result result = { 0 };
    struct xensched_error err = { 0 };
    unsigned int i = 0;

    if (!a->state.nr)
        return result;
    while (i < a->state.nr) {
        struct state_entry *e = &a->state.entries[i];
        bool there = !is_gone(a, e);

        if (there && restore_entry(a, e, NULL, why, &err)) {
            result.failed++;
            i++;
        } else {
            result.restored += there;
            state_drop(&a->state, e);
        }
    }
    save_state(a);

    return result;
}

void actuator_forget_gone(struct actuator *a, const struct domains *domains)
{
    unsigned int i = 0, before = a->state.nr;

    while (i < a->state.nr) {
        struct state_entry *e = &a->state.entries[i];
        const struct domain *d = domains_find(domains, e->domid);

        if ((d && !strcmp(d->uuid, e->uuid)) || !is_gone(a, e))
            i++;
        else
            state_drop(&a->state, e);
    }
    if (a->state.nr != before)
        save_state(a);
}

static const struct cpumap *hard_of(const struct state_entry *e,
                                    unsigned int vcpu)
{
    return e->hard ? &e->ours : &e->vcpus[vcpu].hard;
}

static bool all_ours(const struct state_entry *e, const struct domain *d)
{
    unsigned int i;

    if (d->nr_vcpus != e->nr_vcpus)
        return false;
    for (i = 0; i < d->nr_vcpus; i++)
        if (!cpumap_equal(&d->vcpus[i].soft, &e->ours) ||
            !cpumap_equal(&d->vcpus[i].hard, hard_of(e, i)))
            return false;

    return true;
}

static bool is_as_it_was(const struct state_entry *e, const struct domain *d)
{
    unsigned int i;

    for (i = 0; i < d->nr_vcpus && i < e->nr_vcpus; i++)
        if (!cpumap_equal(&d->vcpus[i].soft, &e->vcpus[i].soft) ||
            !cpumap_equal(&d->vcpus[i].hard, &e->vcpus[i].hard))
            return false;

    return true;
}

/* Is the affinity the daemon's, the one before it, or a mix of both? */
static bool is_known(const struct state_entry *e, unsigned int vcpu,
                     const struct cpumap *hard, const struct cpumap *soft)
{
    const struct state_vcpu *original = &e->vcpus[vcpu];

    return (hard_is_ours(e, hard) || cpumap_equal(hard, &original->hard)) &&
           (soft_is_ours(e, soft) || cpumap_equal(soft, &original->soft));
}

static bool all_known(const struct state_entry *e, const struct domain *d)
{
    unsigned int i;

    if (d->nr_vcpus != e->nr_vcpus)
        return false;
    for (i = 0; i < d->nr_vcpus; i++)
        if (!is_known(e, i, &d->vcpus[i].hard, &d->vcpus[i].soft))
            return false;

    return true;
}

/* Everything is restored: @d has its original affinity. */
static enum claim end_claim(struct actuator *a, struct state_entry *e,
                            struct domain *d, const char *why)
{
    struct xensched_error err = { 0 };
    unsigned int i;

    if (restore_entry(a, e, NULL, why, &err))
        return CLAIM_OURS;
    for (i = 0; i < e->nr_vcpus && i < d->nr_vcpus; i++) {
        cpumap_copy(&d->vcpus[i].hard, &e->vcpus[i].hard);
        cpumap_copy(&d->vcpus[i].soft, &e->vcpus[i].soft);
    }
    state_drop(&a->state, e);
    save_state(a);

    return CLAIM_NONE;
}

/* No change of xensched is left. */
static enum claim forget_claim(struct actuator *a, struct state_entry *e,
                               const struct domain *d)
{
    journal_domain(a->journal, "reset", d, "Xen has reset its affinity, since it "
                   "is in another cpupool");
    state_drop(&a->state, e);
    save_state(a);

    return CLAIM_NONE;
}

/* No pCPU of its hard affinity is online any more, so Xen has reset it. */
static bool was_let_go(const struct state_entry *e, const struct domain *d)
{
    struct cpumap left;
    unsigned int i;
    bool none;

    cpumap_init_copy(&left, &e->ours);
    cpumap_and(&left, &d->pool_cpus);
    none = e->hard && cpumap_empty(&left);
    cpumap_free(&left);
    for (i = 0; none && i < d->nr_vcpus; i++)
        none = cpumap_subset(&d->pool_cpus, &d->vcpus[i].hard);

    return none;
}

enum claim actuator_claim(struct actuator *a, struct domain *d, bool reset)
{
    struct state_entry *e = state_find(&a->state, d->domid, d->uuid);
    struct xensched_error err = { 0 };

    if (!e)
        return CLAIM_NONE;
    if (e->leaving && all_known(e, d))
        return end_claim(a, e, d, "tried again, after it had failed");
    if (all_ours(e, d))
        return CLAIM_OURS;
    if (reset)
        return forget_claim(a, e, d);
    if (was_let_go(e, d))
        return end_claim(a, e, d, "Xen has reset the rest, since the pCPUs of "
                         "its place are offline");

    if (is_as_it_was(e, d))
        journal_domain(a->journal, "operator", d, "another program has put the "
                       "original affinity back; the domain is left alone");
    if (!restore_entry(a, e, NULL, "an operator took the domain over", &err)) {
        state_drop(&a->state, e);
        save_state(a);
    }

    return CLAIM_LOST;
}

const struct cpumap *actuator_ours(const struct actuator *a,
                                   const struct domain *d)
{
    return &state_find(&a->state, d->domid, d->uuid)->ours;
}

const struct cpumap *actuator_original(const struct actuator *a,
                                       const struct domain *d)
{
    return &state_find(&a->state, d->domid, d->uuid)->vcpus[0].soft;
}

bool actuator_is_hard(const struct actuator *a, const struct domain *d)
{
    return state_find(&a->state, d->domid, d->uuid)->hard;
}

/* Writes the new affinity to the disk. */
static int announce_entry(struct actuator *a, struct state_entry *e, bool is_new,
                          const struct cpumap *soft, bool hard,
                          struct xensched_error *err)
{
    int rc;

    if (!is_new) {
        cpumap_free(&e->before);
        cpumap_init_copy(&e->before, &e->ours);
    }
    e->hard_before = e->hard;
    e->hard = hard;
    e->leaving = false;
    cpumap_copy(&e->ours, soft);
    rc = actuator_keep(a, err);
    if (rc && is_new) {
        state_drop(&a->state, e);
    } else if (rc) {
        cpumap_copy(&e->ours, &e->before);
        e->hard = e->hard_before;
    }

    return rc;
}

/* The change is complete, so the former affinity is no longer needed. */
static void settle_entry(struct state_entry *e)
{
    cpumap_free(&e->before);
    e->hard_before = false;
}

/* While the plan was made, another program may have set the affinity. */
static int still_known(struct actuator *a, const struct state_entry *e,
                       unsigned int vcpu, struct xensched_error *err)
{
    const struct host *host = a->host;
    struct cpumap hard, soft;
    int rc;

    cpumap_init(&hard, a->state.nr_cpus);
    cpumap_init(&soft, a->state.nr_cpus);
    rc = host->get_affinity(host->data, e->domid, vcpu, &hard, &soft, err);
    if (!rc && !is_known(e, vcpu, &hard, &soft))
        rc = xensched_fail(err, EBUSY, "another program has just set the "
                           "affinity of domain %u", e->domid);
    cpumap_free(&hard);
    cpumap_free(&soft);

    return rc;
}

static int set_all(struct actuator *a, const struct state_entry *e,
                   struct xensched_error *err)
{
    unsigned int i;
    int rc = 0;

    for (i = 0; !rc && i < e->nr_vcpus; i++) {
        rc = still_known(a, e, i, err);
        if (!rc)
            rc = a->host->set_affinity(a->host->data, e->domid, i,
                                       e->hard || e->hard_before
                                       ? hard_of(e, i) : NULL, &e->ours, err);
    }

    return rc;
}

static void journal_move(struct actuator *a, const struct domain *d,
                         const struct decision *move, const char *reason)
{
    const struct opinion *o = &move->opinion;
    json_object *details = journal_details(d, reason);
    char text[CPUMAP_TEXT];

    cpumap_format(&move->soft, text, sizeof(text));
    json_add_text(details, "soft_affinity", text);
    json_add_text(details, "lever", move->hard ? "hard" : "soft");
    json_add_decision(details, move);
    if (move->policy)
        json_add_text(details, "policy", move->policy);
    if (o->partner)
        json_add_int(details, "partner", o->partner->domid);
    json_object_object_add(details, "rate", json_object_new_double(o->rate));
    json_object_object_add(details, "share", json_object_new_double(o->share));
    journal_write(a->journal, "move", details);
}

/* After a failure in the middle: restores the vCPUs that were set, if possible. */
static void undo_entry(struct actuator *a, struct state_entry *e)
{
    struct xensched_error err;

    if (restore_entry(a, e, NULL, "setting the new one failed", &err))
        return;
    state_drop(&a->state, e);
    save_state(a);
}

/* Each plan repeats the move, so this is logged only once. */
static void say_unsaved(struct actuator *a, const struct domain *d,
                        const struct xensched_error *err)
{
    a->why_unsaved = *err;
    if (a->unsaved)
        return;
    a->unsaved = true;
    say("%s; nothing is moved until it can be written", err->text);
    journal_domain(a->journal, "failed", d, "not changed, since the original "
                   "affinity cannot be saved: %s", err->text);
}

static void say_saved(struct actuator *a)
{
    if (a->unsaved)
        say("'%s' can be written again", a->path);
    a->unsaved = false;
}

/*
 * Writes the change to the disk, then to the vCPUs; @failure is the journal's text on failure.
 *
 * An entry names one former affinity.  If a restore has failed, vCPUs may still have it, so they
 * are restored first.
 */
static int change_domain(struct actuator *a, struct state_entry *e, bool is_new,
                         const struct domain *d, const struct cpumap *soft, bool hard,
                         const char *failure, struct xensched_error *err)
{
    int rc = e->leaving ? restore_entry(a, e, NULL, "tried again, after it had failed", err) : 0;

    if (rc)
        return rc;
    rc = announce_entry(a, e, is_new, soft, hard, err);
    if (rc) {
        say_unsaved(a, d, err);
        return rc;
    }
    say_saved(a);
    rc = set_all(a, e, err);
    if (rc) {
        journal_domain(a->journal, "failed", d, "%s: %s", failure, err->text);
        undo_entry(a, e);
        return rc;
    }
    settle_entry(e);

    return 0;
}

int actuator_move(struct actuator *a, const struct domain *d, const struct decision *move,
                  const char *reason, struct xensched_error *err)
{
    struct state_entry *e = state_find(&a->state, d->domid, d->uuid);
    bool is_new = !e;
    int rc;

    if (is_new)
        e = state_add(&a->state, d);
    rc = change_domain(a, e, is_new, d, &move->soft, move->hard, "cannot be moved", err);
    if (!rc)
        journal_move(a, d, move, reason);

    return rc;
}

/* Changes the affinity (hard, soft) that keeps the domain there. */
static int change_lever(struct actuator *a, struct state_entry *e,
                        const struct domain *d, bool hard,
                        struct xensched_error *err)
{
    struct cpumap same;
    int rc;

    cpumap_init_copy(&same, &e->ours);
    rc = change_domain(a, e, false, d, &same, hard, "its affinity cannot be changed",
                       err);
    cpumap_free(&same);

    return rc;
}

int actuator_pull(struct actuator *a, const struct domain *d, enum pull pull,
                  const char *why, struct xensched_error *err)
{
    struct state_entry *e = state_find(&a->state, d->domid, d->uuid);
    int rc;

    if (!e || pull == PULL_NOTHING)
        return 0;
    if (pull == PULL_REMIND)
        return set_all(a, e, err);
    rc = change_lever(a, e, d, pull == PULL_HARDEN, err);
    if (!rc)
        journal_domain(a->journal, pull_name(pull), d, "%s", why);

    return rc;
}

int actuator_give_back(struct actuator *a, const struct domain *d, const struct decision *decision,
                       const char *reason, struct xensched_error *err)
{
    struct state_entry *e = state_find(&a->state, d->domid, d->uuid);
    int rc;

    if (!e)
        return 0;
    rc = restore_entry(a, e, decision, reason, err);
    if (!rc) {
        state_drop(&a->state, e);
        save_state(a);
    }

    return rc;
}
