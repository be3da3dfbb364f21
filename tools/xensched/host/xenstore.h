/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xenstore.h - reads from xenstore the names of domains and which domain's back ends serve
 * which guest; and writes accounting domains there, which producers of logs read.
 *
 * It polls nothing.  It watches each domain from the first question about it on, and after
 * events it reads again what changed.  An incomplete read, as from a xenstored that ends or
 * has just started, changes nothing and is repeated.  The nodes about back ends are those
 * that the toolstack writes, and no guest can.
 */
#ifndef XENSCHED_HOST_XENSTORE_H
#define XENSCHED_HOST_XENSTORE_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/error.h>

#include "host.h"

/* The node of xensched-disks (disks/sums.h), below a driver domain's path. */
#define XENSTORE_DISKS "data/xensched-disks"

/* The node of a guest's waiting times and their causes, below its path; for that guest only. */
#define XENSTORE_STEAL "schedlog/steal"

struct xenstore;

struct xenstore_domain {
    const char *name; /* any bytes; "": none, or too long */
    unsigned int nr_back_ends;
    const uint32_t *back_ends; /* domids of its back ends */
    bool stays;       /* vm_affinity="hold" in its configuration */
    bool soft_only;   /* vm_affinity="soft" in its configuration */
    bool logs;        /* vm_affinity_log=1 in its configuration */
    bool wants_steal; /* the daemon writes its waiting times to XENSTORE_STEAL */
    bool is_stub;     /* it is the device model of the domain @target */
    uint32_t target;
    const char *group; /* its vm_affinity_group; "": none */
};

/* Connects, and watches for domains that start and end. */
int xenstore_open(struct xenstore **xs, struct xensched_error *err);
void xenstore_close(struct xenstore *xs);

/*
 * Checks the connection to xenstored, and connects to the present xenstored if the connection has
 * ended.  Without a xenstored the last known facts stay.
 */
enum {
    XENSTORE_THERE = 0,
    XENSTORE_ANEW = 1, /* connected again, with another descriptor */
};
int xenstore_check(struct xenstore *xs, struct xensched_error *err);

/* A file descriptor that is readable after a change. */
int xenstore_fd(const struct xenstore *xs);

/*
 * Reads changes.  If there are very many, the rest is left for the next call, and the descriptor
 * stays readable.  Returns true if domains may have started or ended, or if facts about a domain
 * have changed.
 */
bool xenstore_changed(struct xenstore *xs);

/* The known facts about a domain; valid until the next call of any function. */
struct xenstore_domain xenstore_domain(struct xenstore *xs, uint32_t domid);

/* As tool_ports() of host.h.  If a port cannot be read, the last known one. */
void xenstore_tool_ports(struct xenstore *xs, uint32_t domid,
                         uint32_t ports[HOST_TOOL_PORTS]);

/* Fills in the pool's name; "": it has none.  If it cannot be read, the last known name. */
void xenstore_pool_name(struct xenstore *xs, uint32_t pool,
                        char name[DOMAIN_NAME_TEXT]);

/* Is there a cpupool of this name? */
bool xenstore_has_pool(struct xenstore *xs, const char *name);

/* Is @pool in the list @names, "NAME,NAME..."? */
bool xenstore_pool_is_one_of(struct xenstore *xs, uint32_t pool,
                             const char *names);

/* Forgets all domains that were not queried since the last call of this function. */
void xenstore_forget_others(struct xenstore *xs);

/*
 * Has a domain changed what it advertises of its log since the last call?  Only for domains that
 * are queried.
 */
bool xenstore_area_changed(struct xenstore *xs, uint32_t domid);

/*
 * Are events of a domain's log on, according to the domain?  If the daemon did not request
 * the log, another program did.
 */
bool xenstore_is_logging(struct xenstore *xs, uint32_t domid);

/*
 * The sums that xensched-disks in a driver domain reports, words "DOMID:PAGES"; untrusted.  The
 * caller frees the result.  NULL: there are none.
 */
char *xenstore_disks(struct xenstore *xs, uint32_t domid);

/*
 * Write, for the domain @producer, which logs rows, that @domid has accounting domain @acct, or
 * remove this number, or all numbers.  Returns false if xenstore refuses, for example because the
 * producer has ended.
 */
bool xenstore_write_acct(struct xenstore *xs, uint32_t producer,
                         uint32_t domid, uint16_t acct);
void xenstore_remove_acct(struct xenstore *xs, uint32_t producer,
                          uint32_t domid);
void xenstore_remove_accts(struct xenstore *xs, uint32_t producer);

/*
 * Writes @text about its steal time for @domid, which alone can read it; NULL removes it.  Returns
 * false if xenstore refuses, or if the domain has ended; in that case nothing is left in xenstore.
 */
bool xenstore_write_steal(struct xenstore *xs, uint32_t domid, const char *text);

#endif /* XENSCHED_HOST_XENSTORE_H */
