/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.h - what the next daemon has to know if this one is killed: the affinities of domains and
 * Xen's weight of soft affinities before they were changed, saved before the change; the number by
 * which Xen recognises the holder of the log; and the domains that an operator holds.
 *
 * Everything but the holds belongs to one boot of Xen: after a power loss all changes are gone, and
 * the entries are about domains that no longer exist.
 *
 * The file is replaced atomically (written to another name, synced, renamed, folder synced), so at
 * any moment it is the former file or the new one.  If there is nothing to save, there is no file.
 */
#ifndef XENSCHED_DAEMON_STATE_H
#define XENSCHED_DAEMON_STATE_H

#include <stdbool.h>

#include <xensched/error.h>

#include "host/host.h"
#include "model/domain.h"
#include "move-limits.h"

struct state_vcpu {
    struct cpumap hard, soft; /* original */
};

struct state_entry {
    uint32_t domid;
    char uuid[DOMAIN_UUID_TEXT];
    char name[DOMAIN_NAME_TEXT];
    unsigned int nr_vcpus;
    struct state_vcpu *vcpus;
    struct cpumap ours; /* the soft affinity that the daemon has set */
    bool hard;          /* the hard affinity is the same */
    /*
     * What the daemon had set before.  Until the last vCPU has the new affinity, vCPUs may have
     * either one.  No map: there was none.
     */
    struct cpumap before;
    bool hard_before;
    /* Restoring it has failed part of the way, and will be tried again. */
    bool leaving;
};

/* Xen's parameter credit2_soft_weight, while the daemon has changed it. */
struct state_weight {
    bool changed;
    uint32_t original, ours;
};

struct state {
    unsigned int nr_cpus;
    char boot[HOST_BOOT_TEXT]; /* the present boot; "": unknown */
    unsigned int nr;
    struct state_entry *entries;
    uint64_t cookie; /* the holder's number; 0: none */
    struct held held;
    struct state_weight weight;
};

void state_init(struct state *s, unsigned int nr_cpus, const char *boot);
void state_free(struct state *s);

/* The entry of exactly this domain, or NULL. */
struct state_entry *state_find(const struct state *s, uint32_t domid,
                               const char *uuid);

/*
 * Adds an entry with the present affinities of @d as its original ones.  Valid until the next one
 * is added or dropped.
 */
struct state_entry *state_add(struct state *s, const struct domain *d);
void state_drop(struct state *s, struct state_entry *entry);

/*
 * Reads @path into @s, which is empty.  Returns 0 also if there is no file.  -EILSEQ: state_save()
 * has not written it.  Leaves out entries with pCPUs that do not exist on this host.  From a file
 * of another boot it reads only the holds, and logs that; a file without a boot counts as of this
 * one.
 */
int state_load(struct state *s, const char *path, struct xensched_error *err);

/* Replaces @path, or removes it if there is nothing to save. */
int state_save(const struct state *s, const char *path,
               struct xensched_error *err);

#endif /* XENSCHED_DAEMON_STATE_H */
