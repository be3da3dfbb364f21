/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * domain.h - what is known of a domain: facts from Xen and xenstore, and what
 * the daemon adds to them.  Policies see this and nothing else of a domain.
 */
#ifndef XENSCHED_MODEL_DOMAIN_H
#define XENSCHED_MODEL_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpumap.h"
#include "pages.h"

/* "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" and its end. */
#define DOMAIN_UUID_TEXT 37
/*
 * libxl has no limit of its own; but xl creates a log file whose name has the
 * guest's in it, and file names end at 255 bytes.
 */
#define DOMAIN_NAME_TEXT 256
#define DOMAIN_GROUP_TEXT 64

/* How long a vCPU ran, and waited for a pCPU, since it was made that long ago. */
struct vcpu_times {
    bool known;
    uint64_t ran_ns, waited_ns, offline_ns, all_ns; /* by Xen's runstate */
};

/* Of all vCPUs of a domain, per second recently. */
struct domain_wakes {
    bool known; /* of a group: its part */
    double wakes;      /* wake-ups */
    double migrations; /* moves to another pCPU; -1: not known */
};

/* The same recently: parts of the time, 0 ... 1. */
struct vcpu_use {
    bool known;
    double ran, waited;
};

struct domain_vcpu {
    bool online;
    uint32_t cpu; /* the pCPU it runs on, or did last */
    struct cpumap hard, soft;
    struct vcpu_times times; /* from the host */
    struct vcpu_use use;     /* from the daemon; see runnable.h */
};

/* A channel of @front_end's to a driver domain, and which vCPU that notifies. */
struct domain_server {
    uint32_t front_end;
    unsigned int vcpu;
};

/* Whose doing the present affinity is. */
enum domain_affinity {
    AFFINITY_DEFAULT,  /* Xen's own, or the toolstack's guess */
    AFFINITY_OURS,     /* what the daemon set */
    AFFINITY_OPERATOR, /* set by another program or a person */
};

struct rule; /* policy/rules.h */

struct domain {
    /* From the host. */
    uint32_t domid;
    char uuid[DOMAIN_UUID_TEXT];
    char name[DOMAIN_NAME_TEXT]; /* "" when it has none */
    bool driver;                 /* dom0, or serves backends to others */
    bool stays;                  /* its configuration wants it to */
    bool soft_only;              /* so its configuration: no hard affinity */
    bool pool_soft;              /* nor any domain of its cpupool */
    bool logs;                   /* so its configuration: its log may be read */
    bool wants_steal;            /* so an operator: it is told what it waits for */
    bool is_stub;                /* it is the device model of domain @target */
    uint32_t target;
    bool paused;                 /* it runs nowhere, whatever paused it */
    bool stopped;                /* and that is a reaction, checkpoint or sample */
    /* The group which its configuration names, or "". */
    char group[DOMAIN_GROUP_TEXT];
    unsigned int nr_serves;
    uint32_t *serves;            /* domids of those whose back end it is */
    uint32_t pool;
    char pool_name[DOMAIN_NAME_TEXT]; /* "" when it is not known */
    struct cpumap pool_cpus;
    unsigned int nr_vcpus;
    struct domain_vcpu *vcpus; /* also those which are offline */
    unsigned int weight;       /* of credit or credit2; 0: not known */
    unsigned int cap;          /* in percent of a pCPU; 0: none, or not known */

    /* From the daemon. */
    uint16_t acct;
    const struct rule *rule;     /* of the configuration; NULL: none */
    uint64_t since_ns;           /* when it was seen first */
    struct pages pages;          /* where its memory is */
    struct domain_wakes wakes;
    unsigned int nr_servers;     /* 0: not known; by front end, see servers.h */
    struct domain_server *servers;
    enum domain_affinity affinity;
    bool held;                   /* by an operator */
    const char *aside;           /* why a trial has it in its original affinity; NULL:
                                  * it may be placed */
    bool tried;                  /* a trial judges its moves */
    uint32_t *threshold;         /* [event], 0: as of all; NULL: likewise; in a
                                  * snapshot only */
    struct cpumap ours;          /* soft, with AFFINITY_OURS; else no map */
    bool ours_hard;              /* and hard as well */
};

/* Sorted by domid. */
struct domains {
    unsigned int nr;
    struct domain *domain;
};

/* A new, empty entry at the end; valid until the next one is added. */
struct domain *domains_add(struct domains *domains);
void domains_drop_last(struct domains *domains);
void domains_free(struct domains *domains);

/* The domain with this domid, or NULL. */
struct domain *domains_find(const struct domains *domains, uint32_t domid);

/* The first one with this name, or NULL. */
struct domain *domains_find_name(const struct domains *domains,
                                 const char *name);

/*
 * How an operator names a domain, everywhere in xensched as in xl: digits only are a
 * domid, also if a domain has them as its name; any other text is a name, byte by
 * byte.  A number that no domain can have becomes UINT32_MAX.
 */
bool domain_is_number(const char *text, uint32_t *domid);
bool domain_is_meant(const char *text, uint32_t domid, const char *name);

/* The domain that @text means, or NULL. */
struct domain *domains_find_meant(const struct domains *domains,
                                  const char *text);

/* @d is a back end of @front_end. */
void domain_add_serves(struct domain *d, uint32_t front_end);

void domain_make_vcpus(struct domain *d, unsigned int nr_vcpus,
                       unsigned int nr_cpus);

/* Are the affinities of all vCPUs those which a domain gets by default? */
bool domain_has_default_affinity(const struct domain *d);

unsigned int domain_online_vcpus(const struct domain *d);

/* Can it name a group: 1 to 63 letters, digits, '.', '_' and '-'? */
bool domain_is_group_name(const char *name);

/*
 * Do other domains have the accounting domain of @d as well?  Only recordings of former
 * releases have such groups.
 */
bool domains_share(const struct domains *domains, const struct domain *d);

#endif /* XENSCHED_MODEL_DOMAIN_H */
