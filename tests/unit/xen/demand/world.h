/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stands in for Xen's headers in test-xen-demand, which defines the frames and domains.
 */
#ifndef DEMAND_WORLD_H
#define DEMAND_WORLD_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ACCESS_ONCE(x) (*(volatile __typeof__(x) *)&(x))
#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define smp_rmb() fake_between_reads()

#define PGC_allocated 1UL
#define PGC_xen_heap 2UL
#define PGC_extra 4UL
#define PGC_state 0x18UL
#define PGC_state_inuse 0UL
#define PGC_state_offlining 8UL
#define PGC_state_free 0x18UL

typedef uint16_t domid_t;
#define DOMID_FIRST_RESERVED 0x7ff0U

typedef struct {
    unsigned long m;
} mfn_t;

struct page_info {
    unsigned long count_info;
    union {
        struct {
            uint32_t _domain; /* index of a domain, + 1 */
        } inuse;
    } v;
};

struct vcpu_runstate_info {
    int state;
    uint64_t time[4];
};

struct vcpu {
    struct vcpu_runstate_info runstate;
};

struct domain {
    domid_t domain_id;
    unsigned int max_vcpus;
    struct vcpu *vcpu[128];
};

/* As in public/sysctl.h and public/domctl.h, with pointers for handles. */
struct xen_sysctl_schedlog_owners {
    uint64_t at;
    uint32_t step, nr;
    uint32_t *owners;
};
#define XEN_SCHEDLOG_OWNER_NODE_SHIFT 16

struct xen_domctl_schedlog_times {
    uint32_t first, nr;
    uint64_t *times;
};

extern unsigned long max_page;
extern struct page_info frame_table[];
extern unsigned int domlist_read_lock;

void fake_between_reads(void);
void *pdx_to_virt(unsigned long pdx);
#define schedlog_owner_word(pg) ACCESS_ONCE((pg)->v.inuse._domain)
#define schedlog_owner(word) pdx_to_virt(word)
bool mfn_valid(mfn_t mfn);
unsigned int mfn_to_nid(mfn_t mfn);
#define _mfn(frame) ((mfn_t){ frame })
#define mfn_to_pdx(mfn) ((mfn).m)
#define pdx_to_mfn(pdx) ((mfn_t){ pdx })
#define mfn_to_page(mfn) (&frame_table[(mfn).m])
#define rcu_read_lock(lock) ((*(lock))++)
#define rcu_read_unlock(lock) ((*(lock))--)

static inline const struct vcpu *domain_vcpu(const struct domain *d,
                                             unsigned int id)
{
    return id < d->max_vcpus ? d->vcpu[id] : NULL;
}

static inline void vcpu_runstate_get(const struct vcpu *v,
                                     struct vcpu_runstate_info *info)
{
    *info = v->runstate;
}

int fake_copy(void *to, const void *from, size_t bytes);
#define copy_to_guest_offset(handle, offset, from, nr) \
    fake_copy((handle) + (offset), from, sizeof(*(from)) * (nr))

#endif /* DEMAND_WORLD_H */
