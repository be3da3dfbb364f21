/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * policy.h - declares the input and the settings of the policy placement.
 *
 * The policy has only numbers and names as input: no Xen, no clock, no files.  The same inputs
 * in the same order give the same opinions.  Afterwards guard.h applies the constraints (an
 * operator's affinity, cpupools, cores, hysteresis) and makes decisions of opinions.
 */
#ifndef XENSCHED_POLICY_H
#define XENSCHED_POLICY_H

#include "model/topology/distance.h"
#include "model/domain.h"
#include "model/residency/home.h"
#include "model/matrix/matrix.h"
#include "model/topology/topology.h"
#include "learned.h"
#include "queueing.h"
#include "room.h"
#include "rules.h"

/* The affinity that keeps a moved domain at its place; see lever.h. */
enum affinity_lever {
    LEVER_AUTO, /* soft; hard as well if soft has no effect */
    LEVER_SOFT,
    LEVER_HARD,
};

/* An operator's settings; see docs/operate/placement.md. */
struct policy_settings {
    enum affinity_lever lever;
    unsigned int confirm; /* number of runs in a row that have to agree */
    uint64_t settle_ns;   /* a domain younger than this is not moved */
    uint64_t stay_ns;     /* between two moves of a domain */
    uint64_t quiet_ns;    /* time without a reason, after which the affinity is restored */
    double least_gain_ns; /* of a move, per second */
    double misses;        /* if no counter counts them: per ns of running */
    bool counts_misses;   /* the event pmc0 counts cache misses */
    struct rules rules;
};

/* The least gain of a move, as a part of what the domain costs where it is. */
#define POLICY_MARGIN 0.1

/* The guard's view of a domain; see guard.h. */
struct guarded {
    bool open;       /* may be decided about, and is not decided yet */
    struct spot at;  /* where it is bound or sent to; the place may be UNKNOWN */
    bool hardens;    /* its affinity may be hard */
    double waits_alone; /* vCPUs that queue while no guest and back end share its core */
    bool shuns_core; /* it left the core of a back end not long ago */
    bool shuns_all;  /* a move did not help not long ago */
    unsigned int shuns; /* the place where its work cost more not long ago, plus 1; 0: none */
    bool absent;     /* it was sent there, had time to arrive, and runs elsewhere */
    struct tenant tenant; /* its number of a cpupool is below nr_cpupools */
    /*
     * A device model moves only with its guest.  It is not open, and has the number of
     * the guest plus 1 here.  Other domains: 0.
     */
    unsigned int goes_with;
};

/* Returns whether it is not moved to @place now. */
static inline bool guarded_shuns(const struct guarded *guarded, unsigned int place)
{
    return guarded->shuns_all || guarded->shuns == place + 1;
}

struct policy_input {
    const struct matrix *matrix;
    const struct topology *topology;
    const struct domains *domains;
    const struct distances *distances; /* NULL: all places are equally far */
    uint64_t now_ns;
    /* A request caused this plan, between two periodic ones: it confirms nothing. */
    bool requested;
    struct learned *learned; /* prices of this host; moves add to it; NULL: none */
    /* Plans are carried out on this host, so their results can be observed. */
    bool real;
    /* Filled in by guard_begin(). */
    uint64_t since_ns;  /* the previous periodic plan was made this long ago */
    uint64_t window_ns; /* over which the cost of a guest is averaged, before and after a move */
    const struct guarded *guarded; /* of each domain */
    unsigned int nr_cpupools;        /* those that domains are in */
    const struct room *room;         /* used by domains that are not open */
    const struct homes *homes;       /* where domains spend their time */
    struct queueing *queueing;       /* plans add to it */
    const struct domain_exchange *exchanges; /* of each domain; NULL unless real */
};

/* The pairs of domains that have a price for being apart. */
enum partners {
    PARTNERS_NONE,
    PARTNERS_BACK_ENDS, /* pairs of which one domain is a driver domain */
    PARTNERS_ALL,
};

/* A name for placement, or for the part of it that a former policy had; see presets.c. */
struct preset {
    const char *name;
    uint32_t terms; /* mask by enum term_id: these have a price */
    enum partners partners;
    uint32_t events; /* mask: logged in addition */
};

#define POLICIES_MAX 8

/* The presets that an operator has chosen; they add up. */
struct policies {
    unsigned int nr;
    const struct preset *preset[POLICIES_MAX];
};

/* Parses "NAME,NAME...", each once.  If it returns false, *policies is undefined. */
bool policies_parse(struct policies *policies, const char *text);

/* Returns whether this term has a price. */
bool policies_has_term(const struct policies *policies, unsigned int term);

/* Returns whether a pair pays for distance.  @back_end: one of both is a driver domain. */
bool policies_has_partner(const struct policies *policies, bool back_end);

/* Returns the events that at least one of the presets needs. */
uint32_t policies_events(const struct policies *policies);

/* "NAME, NAME" */
#define POLICIES_TEXT 160
void policies_format(const struct policies *policies,
                     char text[POLICIES_TEXT]);

/* Writes only names of former policies.  Returns false if there are none. */
bool policies_former(const struct policies *policies, char names[POLICIES_TEXT]);

struct opinion;    /* see reason.h */
struct place_host; /* see place.h */

/*
 * One opinion for each of input->domains; WANT_NOTHING for those that are not open.  Returns the
 * state of the search, which the caller frees with place_close().
 */
struct place_host *place_opinions(const struct policies *policies,
                                  const struct policy_settings *settings,
                                  const struct policy_input *input, struct opinion *opinions);
void place_close(struct place_host *h);

/*
 * @moves, [domain]: it can move now as its opinion says.  Clears those that would have no room, or
 * would gain nothing, because others cannot move now.  Call this once.
 */
void place_joint(struct place_host *h, bool *moves);

#endif /* XENSCHED_POLICY_H */
