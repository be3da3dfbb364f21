/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of the log facility: private to common/schedlog/.
 *
 * A region is single pages which are mapped contiguously, from one node.  It
 * can begin with less than there is room for, and grow.  What is wanted of it
 * is charged to schedlog_max= until it was given up and nobody maps it any
 * more.
 *
 * Everything which takes long does so in steps.
 */
#ifndef SCHEDLOG_REGION_H
#define SCHEDLOG_REGION_H

#include <xen/list.h>
#include <xen/rcupdate.h>
#include <xen/types.h>

/* Who may map a region. */
enum schedlog_access {
    SCHEDLOG_PRIVATE,  /* Nobody. */
    SCHEDLOG_READABLE, /* Privileged domains, to read. */
    SCHEDLOG_WRITABLE, /* Privileged domains. */
};

struct schedlog_region {
    void *va;
    unsigned int nr_pages;  /* There is room for so many; */
    unsigned int nr_wanted; /* so many shall be there, */
    unsigned int nr_ready;  /* and are, from the first one on. */
    enum schedlog_access access;

    /* After it was given up. */
    struct list_head former;
    enum {
        REGION_SHARED,   /* Our own references are being dropped. */
        REGION_MAPPED,   /* Until nobody maps a page any more. */
        REGION_WAITING,  /* For a grace period. */
        REGION_UNUSED,   /* Pages are being freed. */
    } stage;
    unsigned int step;   /* Pages which are through with the stage. */
    struct rcu_head rcu;
};

/* The budget. */
uint64_t schedlog_max_bytes(void);
uint64_t schedlog_used_bytes(void);

/* Of @size at most, and without memory.  NULL: -ENOMEM. */
struct schedlog_region *schedlog_region_new(size_t size,
                                            enum schedlog_access access);

/* From now on @size of it is wanted, unless it is more already.  -E2BIG. */
int schedlog_region_want(struct schedlog_region *region, size_t size);

/*
 * Allocate, clear, map and share what is missing of it.  -ENOMEM.  -ERESTART:
 * call again; only if @preempt.
 */
int schedlog_region_fill(struct schedlog_region *region, unsigned int memflags,
                         bool preempt);

uint64_t schedlog_region_frame(const struct schedlog_region *region,
                               unsigned int page);

/* It takes part in nothing any more.  NULL is fine. */
void schedlog_region_give_up(struct schedlog_region *region);

/*
 * Free regions which were given up, or a part of it.  For one caller at a
 * time.  Returns whether more can be done now.
 */
bool schedlog_reap(void);

/* Are there regions which were given up and not freed? */
bool schedlog_has_former(void);

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
