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

/* Below a driver domain's path: where xensched-disks writes (disks/sums.h). */
#define XENSTORE_DISKS "data/xensched-disks"

/* Below a guest's path: how long it waited for what, for that guest alone. */
#define XENSTORE_STEAL "schedlog/steal"

struct xenstore;

struct xenstore_domain {
    const char *name; /* any bytes; "": it has none, or one of too many bytes */
    unsigned int nr_back_ends;
    const uint32_t *back_ends; /* domids of those which serve it */
    bool stays; /* its configuration says: vm_affinity="hold" */
    bool soft_only; /* its configuration says: vm_affinity="soft" */
    bool logs; /* its configuration says: vm_affinity_log=1 */
    bool wants_steal; /* it is told what it waits for */
    bool is_stub; /* it is the device model of the domain @target */
    uint32_t target;
    const char *group; /* its vm_affinity_group; "" when in none */
};

/* Connect, and watch domains come and go. */
int xenstore_open(struct xenstore **xs, struct xensched_error *err);
void xenstore_close(struct xenstore *xs);

/*
 * Ask whether xenstored is still there, and connect to the one which there is
 * now if the connection has ended.  While there is none, what was known stays
 * known.
 */
enum {
    XENSTORE_THERE = 0,
    XENSTORE_ANEW = 1, /* with another descriptor */
};
int xenstore_check(struct xenstore *xs, struct xensched_error *err);

/* Readable when something has changed. */
int xenstore_fd(const struct xenstore *xs);

/*
 * Take in changes; when there are very many, the rest is left for the next
 * call, and the descriptor stays readable.  Returns true when domains may have
 * come or gone, or what is known of one is not what it was.
 */
bool xenstore_changed(struct xenstore *xs);

/* What is known of a domain; valid until the next call of any function. */
struct xenstore_domain xenstore_domain(struct xenstore *xs, uint32_t domid);

/* As host.h's tool_ports(): what was known, of what cannot be read. */
void xenstore_tool_ports(struct xenstore *xs, uint32_t domid,
                         uint32_t ports[HOST_TOOL_PORTS]);

/* "": it has none.  What was known, if it cannot be read. */
void xenstore_pool_name(struct xenstore *xs, uint32_t pool,
                        char name[DOMAIN_NAME_TEXT]);

/* Is there a cpupool of this name? */
bool xenstore_has_pool(struct xenstore *xs, const char *name);

/* Is @pool one of those named: "NAME,NAME..."? */
bool xenstore_pool_is_one_of(struct xenstore *xs, uint32_t pool,
                             const char *names);

/* Forget all domains which were not asked about since the last call of this. */
void xenstore_forget_others(struct xenstore *xs);

/*
 * Has a domain written what it advertises of its log, since this was asked
 * last?  Only of domains which are asked about.
 */
bool xenstore_area_changed(struct xenstore *xs, uint32_t domid);

/*
 * Are events of a domain's log on, according to the domain?  If the daemon did not request
 * the log, another program did.
 */
bool xenstore_is_logging(struct xenstore *xs, uint32_t domid);

/*
 * What xensched-disks in a driver domain says of its disks: words "DOMID:PAGES", to be
 * freed; it is the domain's own word.  NULL: it says nothing.
 */
char *xenstore_disks(struct xenstore *xs, uint32_t domid);

/*
 * Tell @producer, which makes rows, that @domid has number @acct; or that none
 * has a number any more.  False: xenstore wouldn't, for example because the
 * domain is gone.
 */
bool xenstore_write_acct(struct xenstore *xs, uint32_t producer,
                         uint32_t domid, uint16_t acct);
void xenstore_remove_acct(struct xenstore *xs, uint32_t producer,
                          uint32_t domid);
void xenstore_remove_accts(struct xenstore *xs, uint32_t producer);

/*
 * What @domid alone can read of its steal time; NULL: nothing any more.  False: xenstore
 * wouldn't, or the domain is gone, of which nothing is left behind.
 */
bool xenstore_write_steal(struct xenstore *xs, uint32_t domid, const char *text);

#endif /* XENSCHED_HOST_XENSTORE_H */
