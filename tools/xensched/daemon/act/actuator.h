/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * actuator.h - changes affinities, and restores them.
 *
 * Guarantees: it changes the soft affinity, and the hard one only if the plan says so.  The
 * original is on the disk before the change.  It restores an affinity only if Xen still has
 * the one that the daemon set: an operator's later change stays.  A daemon that is killed at
 * any point leaves a state file from which its successor restores everything.
 */
#ifndef XENSCHED_DAEMON_ACTUATOR_H
#define XENSCHED_DAEMON_ACTUATOR_H

#include "host/host.h"
#include "journal.h"
#include "state.h"

struct actuator {
    const struct host *host;
    struct journal *journal;
    const char *path; /* of the state file; NULL: the host is not a real one */
    bool unsaved;     /* the file cannot be written: no moves; logged already */
    struct xensched_error why_unsaved;
    struct state state;
};

/* Reads the state file that a killed daemon has left, if there is one. */
int actuator_init(struct actuator *a, const struct host *host,
                  struct journal *journal, const char *path,
                  unsigned int nr_cpus, struct xensched_error *err);
void actuator_free(struct actuator *a);

/*
 * Keeps the number by which Xen recognises the daemon in the state file, for the next daemon.
 * 0: there is none.
 */
void actuator_set_cookie(struct actuator *a, uint64_t cookie);

/* Writes the state file; for callers that change a part of the state. */
int actuator_keep(const struct actuator *a, struct xensched_error *err);

/* Holds a domain, or releases it.  Fails without a change if the state file cannot be written. */
int actuator_hold(struct actuator *a, const struct domain *d, bool hold,
                  struct xensched_error *err);

/* The numbers of domains that were restored, and that could not be. */
struct actuator_result {
    unsigned int restored, failed;
};

/*
 * Restores the original affinities of all domains; the journal gives @why as the reason.  Forgets
 * domains that have ended; domains whose restoration failed stay in the state file.  It needs no
 * list of domains, and so no xenstored.
 */
struct actuator_result actuator_restore_all(struct actuator *a,
                                            const char *why);

/*
 * Forgets domains that have ended for certain.  A domain that is only missing in @domains, because
 * it could not be read, stays.
 */
void actuator_forget_gone(struct actuator *a, const struct domains *domains);

/* The actuator's relation to a domain. */
enum claim {
    CLAIM_NONE, /* never changed, or restored */
    CLAIM_OURS, /* it has the affinity that the actuator set */
    CLAIM_LOST, /* another program has changed the affinity since */
};

/*
 * Compares @d with the affinity that was set.
 *
 * Returns CLAIM_NONE if Xen itself has reset the affinities: because the domain is in another
 * cpupool (@reset), or because no pCPU of its hard affinity is online; in the second case the
 * actuator restores the soft one.
 *
 * Tries again what could not be restored before: if that works, @d has its original affinity and
 * the result is CLAIM_NONE, else CLAIM_OURS.
 *
 * With CLAIM_LOST, the actuator restores vCPUs that no other program has changed, writes to the
 * journal, and forgets the domain: the next call returns CLAIM_NONE.
 */
enum claim actuator_claim(struct actuator *a, struct domain *d, bool reset);

/* The affinity that was set, and the original one of the first vCPU; only after CLAIM_OURS. */
const struct cpumap *actuator_ours(const struct actuator *a,
                                   const struct domain *d);
const struct cpumap *actuator_original(const struct actuator *a,
                                       const struct domain *d);
bool actuator_is_hard(const struct actuator *a, const struct domain *d);

/*
 * Sets the soft affinity of @move for all vCPUs of @d.  If the move is hard, sets the same hard
 * affinity, else restores the original hard one.  Returns -EBUSY if another program has changed
 * the affinity since @d was read; that change stays.  On failure the actuator undoes its changes.
 * The journal reports success and failure, but a state file that cannot be written only once.
 */
int actuator_move(struct actuator *a, const struct domain *d, const struct decision *move,
                  const char *reason, struct xensched_error *err);

/*
 * Changes the affinity (hard, soft) that keeps a domain at its target, after CLAIM_OURS.  The
 * journal reports it, except for a reminder.
 */
int actuator_pull(struct actuator *a, const struct domain *d, enum pull pull,
                  const char *why, struct xensched_error *err);

/* Restores the original affinity of a domain, after CLAIM_OURS; @reason: as text. */
int actuator_give_back(struct actuator *a, const struct domain *d, const struct decision *decision,
                       const char *reason, struct xensched_error *err);

#endif /* XENSCHED_DAEMON_ACTUATOR_H */
