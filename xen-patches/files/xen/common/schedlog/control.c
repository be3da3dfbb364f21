/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Implements the hypercalls of the log facility: checks the arguments, and lets
 * lifecycle.c make the changes.
 *
 * xsm_sysctl() and xsm_domctl() have checked permissions before.
 */

#include <xen/cpumask.h>
#include <xen/domain.h>
#include <xen/guest_access.h>
#include <xen/lib.h>
#include <xen/nospec.h>
#include <xen/pfn.h>
#include <xen/sched.h>
#include <xen/schedlog.h>
#include <xen/schedlog-pmc.h>
#include <xen/xvmalloc.h>

#include "area.h"
#include "events.h"
#include "lease.h"
#include "lifecycle.h"

static void get_info(struct xen_sysctl_schedlog_info *info)
{
    const struct schedlog_geometry *g = schedlog_geometry();
    unsigned int nr_sites;
    uint32_t built = schedlog_events_built(&nr_sites);

    *info = (struct xen_sysctl_schedlog_info){
        .abi_version = XEN_SCHEDLOG_ABI_VERSION,
        .nr_cpus = schedlog_nr_cpus(),
        .nr_acct = g->nr_acct,
        .nr_files = g->nr_files,
        .data_size = g->data_size,
        .events_built = built,
        .events_enabled = schedlog_events_on(),
        .nr_sites = nr_sites,
        .nr_lost_sites = jump_label_lost_sites(),
        .tsc_khz = cpu_khz,
        .max_bytes = schedlog_max_bytes(),
        .used_bytes = schedlog_used_bytes(),
        .nr_pmcs = schedlog_nr_pmcs(),
        .doorbell_virq = VIRQ_SCHEDLOG,
    };
    schedlog_lease_info(&info->lease_ms, &info->lease_left_ms);
}

static bool power_of_2_between(uint32_t n, uint32_t min, uint32_t max)
{
    return n >= min && n <= max && !(n & (n - 1));
}

/* Log buffers follow each other, aligned to their size or to a page. */
static int lay_out(struct schedlog_geometry *g,
                   const struct xen_sysctl_schedlog_setup *setup)
{
    uint64_t end = 0;
    unsigned int i;

    for ( i = 0; i < g->nr_files; i++ )
    {
        uint32_t size;

        if ( copy_from_guest_offset(&size, setup->sizes, i, 1) )
            return -EFAULT;
        if ( !power_of_2_between(size, XEN_SCHEDLOG_MIN_FILE_SIZE,
                                 XEN_SCHEDLOG_MAX_FILE_SIZE) )
            return -EINVAL;

        end = ROUNDUP(end, min_t(uint64_t, size, PAGE_SIZE));
        g->files[i].offset = end;
        g->files[i].size = size;
        end += size;
        if ( end > UINT32_MAX - PAGE_SIZE )
            return -EINVAL;
    }

    g->data_size = PAGE_ALIGN(end);

    return 0;
}

static int set_up(struct xen_sysctl_schedlog_setup *setup)
{
    struct schedlog_geometry g = {
        .nr_acct = setup->nr_acct,
        .nr_files = setup->nr_files,
    };
    int rc;

    if ( !power_of_2_between(g.nr_acct, 2, XEN_SCHEDLOG_MAX_ACCT) ||
         !power_of_2_between(g.nr_files, 1, XEN_SCHEDLOG_MAX_FILES) )
        return -EINVAL;

    /* Memory that can be freed must not count against the budget. */
    rc = schedlog_free_all_dying();
    if ( rc )
        return rc;

    g.files = xvzalloc_array(struct xen_schedlog_file, g.nr_files);
    if ( !g.files )
        return -ENOMEM;

    rc = lay_out(&g, setup);
    if ( !rc )
        rc = schedlog_set_up(&g, &setup->need_bytes);

    xvfree(g.files);

    return rc;
}

static int get_files(struct xen_sysctl_schedlog_files *op)
{
    const struct schedlog_geometry *g = schedlog_geometry();

    if ( !g->nr_acct )
        return -ENOENT;
    if ( op->first > g->nr_files )
        return -EINVAL;

    op->first = array_index_nospec(op->first, g->nr_files + 1);
    op->nr = min(op->nr, g->nr_files - op->first);

    return copy_to_guest(op->files, g->files + op->first, op->nr) ? -EFAULT
                                                                  : 0;
}

/* Few enough to need no preemption. */
#define MAX_FRAMES_PER_CALL 1024U

static int get_frames(struct xen_sysctl_schedlog_frames *op)
{
    const struct schedlog_region *region = schedlog_find_region(op->region,
                                                                op->cpu);
    unsigned int i;

    if ( !region )
        return -ENODEV;
    if ( op->first > region->nr_pages )
        return -EINVAL;

    op->first = array_index_nospec(op->first, region->nr_pages + 1);
    op->nr = min(op->nr, region->nr_pages - op->first);
    op->nr = min(op->nr, MAX_FRAMES_PER_CALL);

    for ( i = 0; i < op->nr; i++ )
    {
        uint64_t frame = schedlog_region_frame(region, op->first + i);

        if ( copy_to_guest_offset(op->frames, i, &frame, 1) )
            return -EFAULT;
    }

    return 0;
}

static int get_caches(struct xen_sysctl_schedlog_caches *op)
{
    unsigned int i;

    if ( op->first > nr_cpu_ids )
        return -EINVAL;

    op->first = array_index_nospec(op->first, nr_cpu_ids + 1);
    op->nr = min(op->nr, nr_cpu_ids - op->first);

    for ( i = 0; i < op->nr; i++ )
    {
        unsigned int cpu = op->first + i;
        uint32_t cache = cpu_online(cpu) ? schedlog_cache_of(cpu)
                                         : XEN_SCHEDLOG_NO_CACHE;

        if ( copy_to_guest_offset(op->caches, i, &cache, 1) )
            return -EFAULT;
    }

    return 0;
}

static bool valid_lease(const struct xen_sysctl_schedlog_events *op)
{
    return !op->lease_ms ||
           (op->cookie && op->lease_ms >= XEN_SCHEDLOG_MIN_LEASE_MS &&
            op->lease_ms <= XEN_SCHEDLOG_MAX_LEASE_MS);
}

static long set_events(const struct xen_sysctl_schedlog_events *op)
{
    uint32_t pmcs = op->events & SCHEDLOG_PMC_EVENTS;
    unsigned int nr_sites;

    if ( !valid_lease(op) )
        return -EINVAL;
    if ( op->events & ~schedlog_events_built(&nr_sites) )
        return -EOPNOTSUPP;
    if ( pmcs & ~schedlog_pmc_events(schedlog_selected_pmcs()) )
        return -EINVAL;
    if ( !schedlog_may_control(op->cookie) )
        return -EEXIST;

    return schedlog_set_events(op);
}

static int select_pmcs(const struct xen_sysctl_schedlog_pmc *op)
{
    if ( op->pad || op->nr > XEN_SCHEDLOG_MAX_PMCS )
        return -EINVAL;
    if ( !schedlog_may_control(op->cookie) )
        return -EEXIST;

    return schedlog_choose_pmcs(op);
}

static long cf_check do_sysctl_op(void *arg)
{
    struct xen_sysctl_schedlog *op = arg;
    long rc;

    switch ( op->cmd )
    {
    case XEN_SYSCTL_SCHEDLOG_events:
        return set_events(&op->u.events);

    case XEN_SYSCTL_SCHEDLOG_release:
        return schedlog_may_control(op->u.release.cookie) ? schedlog_release()
                                                          : -EEXIST;

    case XEN_SYSCTL_SCHEDLOG_info:
        if ( schedlog_free_all_dying() )
            return -ERESTART;
        get_info(&op->u.info);
        return 0;

    case XEN_SYSCTL_SCHEDLOG_setup:
        rc = set_up(&op->u.setup);
        if ( rc && rc != -ERESTART )
            schedlog_abandon_set_up();
        return rc;

    case XEN_SYSCTL_SCHEDLOG_files:
        return get_files(&op->u.files);

    case XEN_SYSCTL_SCHEDLOG_frames:
        return get_frames(&op->u.frames);

    case XEN_SYSCTL_SCHEDLOG_pmc:
        return select_pmcs(&op->u.pmc);

    case XEN_SYSCTL_SCHEDLOG_owners:
        return schedlog_owners(&op->u.owners);

    case XEN_SYSCTL_SCHEDLOG_caches:
        return get_caches(&op->u.caches);

    default:
        return -EOPNOTSUPP;
    }
}

long schedlog_sysctl(struct xen_sysctl_schedlog *op)
{
    return op->pad ? -EINVAL : schedlog_call_locked(do_sysctl_op, op);
}

struct bind_args {
    struct domain *d;
    const struct xen_domctl_schedlog_bind *op;
};

/* The counters of an accounting domain exist before a domain is bound to it. */
static long cf_check do_bind(void *arg)
{
    const struct bind_args *args = arg;
    const struct xen_domctl_schedlog_bind *op = args->op;
    struct domain *d = args->d;
    struct vcpu *v;
    int rc;

    if ( !schedlog_may_control(op->cookie) )
        return -EEXIST;
    if ( op->pad || op->acct == XEN_SCHEDLOG_ACCT_XEN ||
         op->acct >= (schedlog_geometry()->nr_acct ?: XEN_SCHEDLOG_MAX_ACCT) )
        return -EINVAL;

    rc = schedlog_add_counters(op->acct);
    if ( rc )
        return rc == -E2BIG ? -ENOMEM : rc;

    if ( op->vcpu != XEN_DOMCTL_SCHEDLOG_ALL_VCPUS )
    {
        v = domain_vcpu(d, op->vcpu);
        if ( !v )
            return -EINVAL;
        write_atomic(&v->schedlog_acct, op->acct);
        return 0;
    }

    write_atomic(&d->schedlog_acct, op->acct);
    for_each_vcpu ( d, v )
        write_atomic(&v->schedlog_acct, op->acct);

    return 0;
}

/*
 * control_lock is held so that neither a lease nor an area begins between the
 * checks and the binding.
 */
int schedlog_bind(struct domain *d, const struct xen_domctl_schedlog_bind *op)
{
    struct bind_args args = { d, op };

    return schedlog_call_locked(do_bind, &args);
}

int schedlog_binding(const struct domain *d,
                     struct xen_domctl_schedlog_bind *op)
{
    const struct vcpu *v;

    if ( op->pad )
        return -EINVAL;

    if ( op->vcpu == XEN_DOMCTL_SCHEDLOG_ALL_VCPUS )
    {
        op->acct = d->schedlog_acct;
        return 0;
    }

    v = domain_vcpu(d, op->vcpu);
    if ( !v )
        return -EINVAL;
    op->acct = v->schedlog_acct;

    return 0;
}

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
