/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * domain.h - describes a domain: facts from Xen and xenstore, and results of the daemon.  Policies
 * see only these members of a domain.
 */
#ifndef XENSCHED_MODEL_DOMAIN_H
#define XENSCHED_MODEL_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpumap.h"
#include "model/memory/pages.h"

/* Size of "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" with its terminating byte. */
#define DOMAIN_UUID_TEXT 37
/*
 * libxl has no limit; but xl creates a log file whose name contains the guest's, and file names end
 * at 255 bytes.
 */
#define DOMAIN_NAME_TEXT 256
#define DOMAIN_GROUP_TEXT 64

/* How long a vCPU has run and waited for a pCPU since it was created, by Xen's runstate. */
struct vcpu_times {
    bool known;
    uint64_t ran_ns, waited_ns, offline_ns, all_ns; /* all_ns: since it was created */
};

/* Recent rates per second, of all vCPUs of a domain. */
struct domain_wakes {
    bool known;
    double wakes;      /* wake-ups */
    double delay;      /* mean time from a wake-up to the run in ns; 0 wakes: 0 */
    double migrations; /* moves to another pCPU; -1: unknown */
    double idled;      /* part of its waits while the pCPU idled, 0 ... 1; 0: unknown */
};

/* How a vCPU spent its time recently, as parts of the time, 0 ... 1. */
struct vcpu_use {
    bool known;
    double ran, waited;
};

struct domain_vcpu {
    bool online;
    uint32_t cpu; /* the pCPU on which it runs, or ran last */
    struct cpumap hard, soft;
    struct vcpu_times times; /* from the host */
    struct vcpu_use use;     /* from the daemon; see runnable.h */
};

/* A channel from @front_end to a driver domain, and the vCPU that it notifies. */
struct domain_server {
    uint32_t front_end;
    unsigned int vcpu;
};

/* The origin of the present affinity. */
enum domain_affinity {
    AFFINITY_DEFAULT,  /* Xen's default, or chosen automatically by the toolstack */
    AFFINITY_OURS,     /* set by the daemon */
    AFFINITY_OPERATOR, /* set by another program or a person */
};

struct rule; /* policy/rules.h */

struct domain {
    /* From the host. */
    uint32_t domid;
    char uuid[DOMAIN_UUID_TEXT];
    char name[DOMAIN_NAME_TEXT]; /* "": it has none */
    bool driver;                 /* dom0, or a domain with back ends for others */
    bool stays;                  /* its configuration forbids moves */
    bool soft_only;              /* its configuration forbids a hard affinity */
    bool pool_soft;              /* hard affinities are forbidden in its cpupool */
    bool logs;                   /* its configuration allows the daemon to read its log */
    bool wants_steal;            /* an operator wants the daemon to write its waiting times */
    bool is_stub;                /* it is the device model of domain @target */
    uint32_t target;
    bool paused;                 /* it cannot run, for any reason */
    bool stopped;                /* a reaction, a checkpoint or a sample has paused it */
    char group[DOMAIN_GROUP_TEXT]; /* the group in its configuration; "": none */
    unsigned int nr_serves;
    uint32_t *serves;            /* domids of the domains whose back end it is */
    uint32_t pool;
    char pool_name[DOMAIN_NAME_TEXT]; /* "": unknown */
    struct cpumap pool_cpus;
    unsigned int nr_vcpus;
    struct domain_vcpu *vcpus; /* including offline ones */
    unsigned int weight;       /* of credit or credit2; 0: unknown */
    unsigned int cap;          /* in percent of a pCPU; 0: none, or unknown */

    /* From the daemon. */
    uint16_t acct;
    const struct rule *rule;     /* of the configuration; NULL: none */
    uint64_t since_ns;           /* when the daemon first saw it */
    struct pages pages;          /* its memory on each node */
    struct domain_wakes wakes;
    unsigned int nr_servers;     /* 0: unknown; by front end, see servers.h */
    struct domain_server *servers;
    enum domain_affinity affinity;
    bool held;                   /* by an operator */
    const char *aside;           /* why a trial keeps its original affinity; NULL: it may be
                                    * placed */
    bool tried;                  /* a trial judges its moves */
    uint32_t *threshold;         /* [event], only in a snapshot; NULL, or 0: the event's own */
    struct cpumap ours;          /* soft affinity, with AFFINITY_OURS; else no map */
    bool ours_hard;              /* the hard affinity is the same */
};

/* Sorted by domid. */
struct domains {
    unsigned int nr;
    struct domain *domain;
};

/* Adds an empty entry at the end.  The result is valid until the next one is added. */
struct domain *domains_add(struct domains *domains);
void domains_drop_last(struct domains *domains);
void domains_free(struct domains *domains);

/* The domain with this domid, or NULL. */
struct domain *domains_find(const struct domains *domains, uint32_t domid);

/*
 * For each accounting domain below *@nr the number of its domain plus 1, or 0 if it has none.
 * The caller frees the result.
 */
unsigned int *domains_by_acct(const struct domains *domains, unsigned int *nr);

/* The first one with this name, or NULL. */
struct domain *domains_find_name(const struct domains *domains,
                                 const char *name);

/*
 * Interpret a text that names a domain, everywhere in xensched as in xl: digits only are a domid,
 * also if they are the name of a domain; any other text is a name, compared byte by byte.  A number
 * that no domain can have becomes UINT32_MAX.
 */
bool domain_is_number(const char *text, uint32_t *domid);
bool domain_is_meant(const char *text, uint32_t domid, const char *name);

/* The domain that @text names, or NULL. */
struct domain *domains_find_meant(const struct domains *domains,
                                  const char *text);

/* Records that @d is a back end of @front_end. */
void domain_add_serves(struct domain *d, uint32_t front_end);

void domain_make_vcpus(struct domain *d, unsigned int nr_vcpus,
                       unsigned int nr_cpus);

/* Do all vCPUs have the affinities that a domain gets by default? */
bool domain_has_default_affinity(const struct domain *d);

unsigned int domain_online_vcpus(const struct domain *d);

/* Is @name a valid name of a group: 1 to 63 letters, digits, '.', '_' and '-'? */
bool domain_is_group_name(const char *name);

/*
 * Do other domains have the accounting domain of @d as well?  Only recordings of former
 * releases have such groups.
 */
bool domains_share(const struct domains *domains, const struct domain *d);

#endif /* XENSCHED_MODEL_DOMAIN_H */
