/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of the log facility: private to common/schedlog/.
 *
 * A region is single pages which are mapped contiguously, from one node.  It
 * can begin with a part of its pages, and grow.  Wanted pages are charged to
 * schedlog_max= until the region was given up and no domain maps it any more.
 *
 * Operations that take long are divided into steps.
 */
#ifndef SCHEDLOG_REGION_H
#define SCHEDLOG_REGION_H

#include <xen/list.h>
#include <xen/rcupdate.h>
#include <xen/types.h>

/* Pages that are handled between two checks for preemption. */
#define SCHEDLOG_PAGES_PER_STEP 64U

/* The domains that may map a region. */
enum schedlog_access {
    SCHEDLOG_PRIVATE,  /* None. */
    SCHEDLOG_READABLE, /* Privileged domains, to read. */
    SCHEDLOG_WRITABLE, /* Privileged domains. */
};

/* The stages of a dying region. */
enum schedlog_stage {
    REGION_SHARED,  /* The references that sharing took are being dropped. */
    REGION_MAPPED,  /* Domains may still map pages. */
    REGION_WAITING, /* A grace period has to pass. */
    REGION_UNUSED,  /* Pages are being freed. */
};

struct schedlog_region {
    void *va;
    unsigned int nr_pages;  /* The most that it can have. */
    unsigned int nr_wanted; /* Pages that are charged and shall be allocated, */
    unsigned int nr_ready;  /* and that are, from the first one on. */
    enum schedlog_access access;

    /* Used once the region is dying, which is after it was given up. */
    struct list_head dying;
    enum schedlog_stage stage;
    unsigned int step;   /* Pages that have completed the stage. */
    struct rcu_head rcu;
};

/* The budget. */
uint64_t schedlog_max_bytes(void);
uint64_t schedlog_used_bytes(void);

/* No domain maps the region any more. */
void schedlog_region_uncharge(const struct schedlog_region *region);

/* Returns a region for @size bytes, without pages; NULL without memory. */
struct schedlog_region *schedlog_region_new(size_t size,
                                            enum schedlog_access access);

/*
 * From now on @size bytes are wanted, unless more are already.  Returns 0, or
 * -E2BIG if that exceeds schedlog_max=.
 */
int schedlog_region_want(struct schedlog_region *region, size_t size);

/*
 * Allocate, clear, map and share the wanted pages that are missing.  Returns 0,
 * -ENOMEM, or -ERESTART, only if @preempt, if the caller has to call again.
 */
int schedlog_region_fill(struct schedlog_region *region, unsigned int memflags,
                         bool preempt);

void *schedlog_region_va(const struct schedlog_region *region,
                         unsigned int page);
uint64_t schedlog_region_frame(const struct schedlog_region *region,
                               unsigned int page);

/* region-free.c: the region is dying from now on.  NULL is allowed. */
void schedlog_region_give_up(struct schedlog_region *region);

/*
 * Free pages of dying regions, a limited number per call.  The caller holds
 * control_lock.  Returns whether another call can free more now.
 */
bool schedlog_free_dying(void);

/*
 * Free all of them that can be freed now.  Returns 0, or -ERESTART if the
 * caller has to call again.
 */
int schedlog_free_all_dying(void);

/* Are there regions which were given up and are not freed? */
bool schedlog_has_dying(void);

#endif /* SCHEDLOG_REGION_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
