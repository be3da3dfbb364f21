/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * policy.h - declares the input and the settings of the policy placement.
 *
 * The policy sees numbers and names, nothing else: no Xen, no clock, no files.
 * The same input after the same past gives the same opinions.  Constraints - an
 * operator's affinity, cpupools, cores, hysteresis - are applied afterwards by guard.h,
 * which makes decisions of opinions.
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
    LEVER_AUTO, /* soft; hard as well where that has no effect */
    LEVER_SOFT,
    LEVER_HARD,
};

/* What an operator can set; see docs/operate/placement.md. */
struct policy_settings {
    enum affinity_lever lever;
    unsigned int confirm; /* number of runs in a row that have to agree */
    uint64_t settle_ns;   /* a domain is left alone when it is this new */
    uint64_t stay_ns;     /* between two moves of a domain */
    uint64_t quiet_ns;    /* time without a reason, after which the affinity is restored */
    double least_gain_ns; /* of a move, per second */
    double misses;        /* where no counter counts them, per ns of running */
    bool counts_misses;   /* the event pmc0 counts cache misses */
    struct rules rules;
};

/* The least gain of a move, as a part of what the domain costs where it is. */
#define POLICY_MARGIN 0.1

/* The guard's view of a domain; see guard.h. */
struct standing {
    bool open;          /* to be decided about, and not decided yet */
    unsigned int place; /* where it is bound or sent to; TOPOLOGY_UNKNOWN */
    unsigned int cache; /* likewise, of its place; TOPOLOGY_UNKNOWN: any */
    bool absent;        /* it was sent there, had time, and runs elsewhere */
    struct demand demand;
    unsigned int cpupool;            /* its number, below nr_cpupools */
    /*
     * A device model goes where its guest goes, and with it or not at all.  It is not
     * open, and has the number of the guest here, plus 1.  Others: 0.
     */
    unsigned int goes_with;
    const unsigned int *cores;       /* [place]: of its cpupool */
    const unsigned int *cache_cores; /* [cache]: likewise */
};

struct policy_input {
    const struct matrix *matrix;
    const struct topology *topology;
    const struct domains *domains;
    const struct distances *distances; /* NULL: all is equally far */
    uint64_t now_ns;
    /* A request caused this plan, between two periodic ones: it confirms nothing. */
    bool requested;
    struct learned *learned; /* prices of this host; moves add to it; NULL: none */
    /* Plans are carried out on this host, so their results can be observed. */
    bool real;
    /* Filled in by guard_begin(). */
    uint64_t window_ns; /* over which the cost of a guest is averaged, before and after a move */
    const struct standing *standing; /* of each domain */
    unsigned int nr_cpupools;        /* those that domains are in */
    const struct homes *homes;       /* where they spend their time */
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

/* "NAME,NAME...", each once.  False: it isn't that; *policies is undefined. */
bool policies_parse(struct policies *policies, const char *text);

/* Does this term have a price? */
bool policies_has_term(const struct policies *policies, unsigned int term);

/* Does a pair have a price for being apart?  @back_end: one of both is a driver domain. */
bool policies_has_partner(const struct policies *policies, bool back_end);

/* All events that some of them need. */
uint32_t policies_events(const struct policies *policies);

/* "NAME, NAME" */
#define POLICIES_TEXT 160
void policies_format(const struct policies *policies,
                     char text[POLICIES_TEXT]);

/* Likewise, of names of former policies only.  False: there are none. */
bool policies_former(const struct policies *policies, char names[POLICIES_TEXT]);

struct opinion; /* see reason.h */

/* One opinion for each of input->domains; WANT_NOTHING for those that are not open. */
void place_opinions(const struct policies *policies, const struct policy_settings *settings,
                    const struct policy_input *input, struct opinion *opinions);

#endif /* XENSCHED_POLICY_H */
