/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * policy.h - a policy turns what is known into an opinion about each domain:
 * where it should be, and why.
 *
 * A policy sees numbers and names, nothing else: no Xen, no clock, no files.
 * The same input after the same past gives the same opinions.  What has to
 * hold whatever a policy thinks - an operator's affinity, cpupools, cores,
 * hysteresis - is not its business but that of guard.h, which makes decisions
 * of opinions.  planner.h asks several policies, one after the other.
 *
 * A new policy is one file with a struct policy and a row in policies.c; see
 * docs/operate/placement.md.
 */
#ifndef XENSCHED_POLICY_H
#define XENSCHED_POLICY_H

#include "model/distance.h"
#include "model/domain.h"
#include "model/home.h"
#include "model/waiting.h"
#include "model/matrix.h"
#include "model/topology.h"
#include "learned.h"
#include "room.h"
#include "rules.h"

/* By which affinity domains are kept where they were moved; see lever.h. */
enum affinity_lever {
    LEVER_AUTO, /* soft; hard as well where that has no effect */
    LEVER_SOFT,
    LEVER_HARD,
};

/* What an operator can set; see docs/operate/placement.md. */
struct policy_settings {
    enum affinity_lever lever;
    double share;         /* of all interactions that is "mostly", 0 ... 1 */
    double min_rate;      /* interactions per second below which: leave */
    unsigned int confirm; /* so many runs in a row have to agree */
    uint64_t settle_ns;   /* a domain is left alone when it is this new */
    uint64_t stay_ns;     /* between two moves of a domain */
    uint64_t quiet_ns;    /* without reason for so long: give back */
    double least_gain_ns; /* of a move, per second */
    double misses;        /* where no counter counts them, per ns of running */
    struct rules rules;
};

extern const struct policy_settings policy_defaults;

/* Of the thresholds for a move, this much is enough to stay. */
#define POLICY_STAY_FRACTION 0.5

/* A move gains so much of what a domain costs where it is, at least. */
#define POLICY_MARGIN 0.1

/* What is known of a domain beside its facts; see guard.h. */
struct standing {
    bool open;          /* to be decided about, and no policy has done so */
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
    const struct waiting *waiting;
    const struct topology *topology;
    const struct domains *domains;
    const struct distances *distances; /* NULL: all is equally far */
    uint64_t now_ns;
    /* A request caused this plan, between two periodic ones: it confirms nothing. */
    bool requested;
    struct learned *learned; /* prices of this host; moves add to it; NULL: none */
    /* Plans are carried out on this host: what comes of them can be seen. */
    bool real;
    /* Filled in by guard_begin(). */
    uint64_t window_ns; /* over which it is looked what came of a move */
    const struct standing *standing; /* of each domain */
    unsigned int nr_cpupools;        /* those that domains are in */
    const struct demand *taken;      /* [cpupool][place]: sent there */
    const struct homes *homes;       /* where they spend their time */
};

enum want {
    WANT_NOTHING, /* no opinion, for a reason */
    WANT_STAY,    /* enough reason to stay at the place, not to go there */
    WANT_GO,      /* it should be at the place */
};

#define OPINION_TEXT 600

/*
 * What a policy thinks of one domain.  The texts make sentences: "FACT" and
 * "FACT, WHERE", or with WANT_NOTHING and WANT_STAY "LACKS".
 */
struct opinion {
    enum want want;
    unsigned int place;
    /* Of a place with several caches: that one; NULL: any of them. */
    const struct topology_place *cache;
    /* The one of input.domains that has the best cache; NULL: none. */
    const struct domain *beside;
    char fact[OPINION_TEXT];
    char where[OPINION_TEXT];
    char lacks[OPINION_TEXT];
    /* Evidence; partner is NULL when there is none. */
    const struct domain *partner; /* the one of input.domains it talks to most */
    double rate;                  /* interactions per second with it */
    double share;                 /* of all interactions, 0 ... 1 */
    double worth; /* ns/s, that it is where it is; 0: no policy has a price */
    /* Notifications/s that will cross places after a move. */
    bool predicts;
    double crossings;
    double others_ns; /* ns/s that the terms which know no partner save then */
};

struct policy {
    const char *name;
    uint32_t events; /* mask; it is off unless all of them are logged */
    void *(*create)(const struct policy_settings *settings);
    /*
     * One opinion for each of input->domains, all WANT_NOTHING at first; those of
     * domains which aren't open are not looked at.
     */
    void (*run)(void *memory, const struct policy_input *input,
                struct opinion *opinions);
    void (*destroy)(void *memory);
};

extern const struct policy policy_placement;
extern const struct policy policy_driver_affinity;
extern const struct policy policy_working_set;
extern const struct policy policy_balance;
extern const struct policy policy_cache;

#define POLICIES_MAX 8

/* Those which an operator has chosen, the most important first. */
struct policies {
    unsigned int nr;
    const struct policy *policy[POLICIES_MAX];
};

/* "NAME,NAME...", each once.  False: it isn't that; *policies is undefined. */
bool policies_parse(struct policies *policies, const char *text);

/* All events that some of them need. */
uint32_t policies_events(const struct policies *policies);

/* "NAME, NAME" */
#define POLICIES_TEXT 160
void policies_format(const struct policies *policies,
                     char text[POLICIES_TEXT]);

/* How a domain is called in a reason... */
const char *policy_name_of(const struct domain *d,
                           char text[DOMAIN_NAME_TEXT]);
/* ... and as a partner: by its group, if it is in one. */
const char *policy_partner_name(const struct domain *d,
                                char text[DOMAIN_NAME_TEXT]);
/* Whose talk that of a domain is: "its", or "its group NAME's". */
const char *policy_whose(const struct domain *d, char text[DOMAIN_NAME_TEXT]);

/* As printf(3), into an array. */
#define policy_say(text, ...) snprintf(text, sizeof(text), __VA_ARGS__)

#endif /* XENSCHED_POLICY_H */
