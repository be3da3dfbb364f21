/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * state.h - what the next daemon has to know if this one is killed: the
 * affinities which domains had before they were changed, and the weight that
 * soft ones had in Xen, on disk before the change; the number by which Xen
 * knows the holder of the log; and which domains an operator holds.
 *
 * All but the holds belong to a boot of Xen: after a power loss nothing is as
 * it was changed, and what is on the disk is about domains that are gone.
 *
 * The file is replaced as a whole (written aside, synced, renamed, folder
 * synced), so at any time, whatever happens, it is the former one or the new
 * one.  When there is nothing to be known there is no file.
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
    struct cpumap ours; /* soft affinity which we set */
    bool hard;          /* and the hard one as well */
    /*
     * What we had set before.  Until the last vCPU has got the new one, both
     * may be found.  No map: there was none.
     */
    struct cpumap before;
    bool hard_before;
    /* Putting it back has failed half way, and is to be tried again. */
    bool leaving;
};

/* Xen's parameter credit2_soft_weight, while we have changed it. */
struct state_weight {
    bool changed;
    uint32_t original, ours;
};

struct state {
    unsigned int nr_cpus;
    char boot[HOST_BOOT_TEXT]; /* at present; "": not known */
    unsigned int nr;
    struct state_entry *entries;
    uint64_t cookie; /* of the log's holder; 0: none */
    struct held held;
    struct state_weight weight;
};

void state_init(struct state *s, unsigned int nr_cpus, const char *boot);
void state_free(struct state *s);

/* The entry of this very domain, or NULL. */
struct state_entry *state_find(const struct state *s, uint32_t domid,
                               const char *uuid);

/*
 * A new entry with the present affinities of @d as original ones.  Valid until
 * the next one is added or dropped.
 */
struct state_entry *state_add(struct state *s, const struct domain *d);
void state_drop(struct state *s, struct state_entry *entry);

/*
 * Read @path into @s, which is initialised and empty.  No file: nothing to
 * read, 0.  -EILSEQ: it is not what state_save() writes.  Entries which name
 * pCPUs that this host doesn't have are left out.  Of a file of another boot
 * only the holds are read, which is said; one that names no boot is of this one.
 */
int state_load(struct state *s, const char *path, struct xensched_error *err);

/* Replace @path, or remove it when there is nothing to be known. */
int state_save(const struct state *s, const char *path,
               struct xensched_error *err);

#endif /* XENSCHED_DAEMON_STATE_H */
