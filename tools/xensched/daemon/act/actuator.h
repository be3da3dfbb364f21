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

/* Read the state file which a killed daemon left, if there is one. */
int actuator_init(struct actuator *a, const struct host *host,
                  struct journal *journal, const char *path,
                  unsigned int nr_cpus, struct xensched_error *err);
void actuator_free(struct actuator *a);

/*
 * The number by which Xen knows the daemon is kept in the same file, for the
 * next one.  0: there is none.
 */
void actuator_set_cookie(struct actuator *a, uint64_t cookie);

/* Write the state down; for callers that change a part of it. */
int actuator_keep(const struct actuator *a, struct xensched_error *err);

/*
 * Hold a domain, or don't any more.  Fails, and changes nothing, if that cannot
 * be written down.
 */
int actuator_hold(struct actuator *a, const struct domain *d, bool hold,
                  struct xensched_error *err);

/* How many domains were restored, and how many could not be. */
struct actuator_result {
    unsigned int restored, failed;
};

/*
 * Put the original affinities of all domains back, for the reason @why, which
 * the journal tells.  Domains which are gone are forgotten, those which failed
 * stay in the state file.  It takes no list of domains, and so no xenstored.
 */
struct actuator_result actuator_restore_all(struct actuator *a,
                                            const char *why);

/*
 * Forget domains which are gone, for certain: not those that are missing in
 * @domains, because they could not be looked at.
 */
void actuator_forget_gone(struct actuator *a, const struct domains *domains);

/* What an actuator has to do with a domain. */
enum claim {
    CLAIM_NONE, /* never changed, or given back */
    CLAIM_OURS, /* it has what we set */
    CLAIM_LOST, /* another program has changed it since: it isn't ours now */
};

/*
 * Compare @d with what was set.  @reset: Xen itself has reset its affinities, since it
 * is in another cpupool.  So it does with a hard affinity none of whose pCPUs is
 * online; the soft one is restored then.  Neither is an operator's doing, and
 * CLAIM_NONE is returned.  What could not be put back is tried again: if
 * that works, @d has its original affinity and CLAIM_NONE is returned, else
 * CLAIM_OURS.  With CLAIM_LOST, vCPUs that no other program has
 * touched get their original affinity back, the journal says so, and the
 * domain is forgotten: the next call returns CLAIM_NONE.
 */
enum claim actuator_claim(struct actuator *a, struct domain *d, bool reset);

/* What we set, and what its first vCPU had; only after CLAIM_OURS. */
const struct cpumap *actuator_ours(const struct actuator *a,
                                   const struct domain *d);
const struct cpumap *actuator_original(const struct actuator *a,
                                       const struct domain *d);
bool actuator_is_hard(const struct actuator *a, const struct domain *d);

/*
 * Give all vCPUs of @d the soft affinity of @move, and if that is hard the same hard one,
 * else the hard one that they had at first.  -EBUSY: another program has set
 * another one since @d was looked at, which stays.  On failure, what was done is
 * undone; the journal says what happened in either case, but of a state file
 * that cannot be written only once until it can be.
 */
int actuator_move(struct actuator *a, const struct domain *d, const struct decision *move,
                  const char *reason, struct xensched_error *err);

/*
 * Change by which affinity a domain is kept where it was moved, after
 * CLAIM_OURS.  The journal says so, but for a reminder.
 */
int actuator_pull(struct actuator *a, const struct domain *d, enum pull pull,
                  const char *why, struct xensched_error *err);

/* Put the original affinity of a domain back, after CLAIM_OURS. */
int actuator_give_back(struct actuator *a, const struct domain *d,
                       const char *why, struct xensched_error *err);

#endif /* XENSCHED_DAEMON_ACTUATOR_H */
