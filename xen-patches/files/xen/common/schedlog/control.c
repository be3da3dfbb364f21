/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hypercalls of the log facility: set-up, what there is, which events are
 * on, and who is charged.
 *
 * Permissions were checked by xsm_sysctl() and xsm_domctl().  sysctls are
 * serialised by their lock, but those which stop all pCPUs finish in a tasklet
 * on CPU0, without it: "busy" makes others wait meanwhile.
 */

#include <xen/cpu.h>
#include <xen/domain.h>
#include <xen/guest_access.h>
#include <xen/lib.h>
#include <xen/schedlog.h>
#include <xen/schedlog-pmc.h>
#include <xen/time.h>
#include <xen/xmalloc.h>

#include "area.h"
#include "control.h"

struct jump_label __read_mostly schedlog_label[XEN_SCHEDLOG_NR_EVENTS];

static uint32_t events_on;

/* An operation is under way which pCPU 0 has to complete. */
static bool busy;
static struct xen_sysctl_schedlog_events request;

/* The exit events share a site. */
static uint32_t with_shared_sites(uint32_t events)
{
    if ( events & SCHEDLOG_STAY_EVENTS )
        events |= 1U << XEN_SCHEDLOG_EV_SERVICE_NS;

    return events;
}

static uint32_t pmc_events(unsigned int nr)
{
    return ((1U << nr) - 1) << XEN_SCHEDLOG_EV_PMC0;
}

static uint32_t events_built(unsigned int *nr_sites)
{
    uint32_t events = 0;
    unsigned int i;

    *nr_sites = 0;

    for ( i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++ )
    {
        unsigned int nr = jump_label_sites(&schedlog_label[i]);

        if ( nr )
            events |= 1U << i;
        *nr_sites += nr;
    }

    if ( events & (1U << XEN_SCHEDLOG_EV_SERVICE_NS) )
        events |= (1U << XEN_SCHEDLOG_EV_SERVICE_TSC) |
                  pmc_events(schedlog_nr_pmcs());

    return events;
}

static void get_info(struct xen_sysctl_schedlog_info *info)
{
    const struct schedlog_geometry *g = schedlog_geometry();
    unsigned int nr_sites;
    uint32_t built = events_built(&nr_sites);

    *info = (struct xen_sysctl_schedlog_info){
        .abi_version = XEN_SCHEDLOG_ABI_VERSION,
        .nr_cpus = schedlog_nr_cpus(),
        .nr_acct = g->nr_acct,
        .nr_files = g->nr_files,
        .data_size = g->data_size,
        .events_built = built,
        .events_enabled = events_on,
        .nr_sites = nr_sites,
        .tsc_khz = cpu_khz,
        .max_bytes = schedlog_max_bytes(),
        .used_bytes = schedlog_used_bytes(),
        .nr_pmcs = schedlog_nr_pmcs(),
    };
    schedlog_lease_info(&info->lease_ms, &info->lease_left_ms);
}

static bool power_of_2_between(uint32_t n, uint32_t min, uint32_t max)
{
    return n >= min && n <= max && !(n & (n - 1));
}

/* Log files follow each other, aligned to their size or to a page. */
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
        if ( end > schedlog_max_bytes() || end > UINT32_MAX - PAGE_SIZE )
            return -E2BIG;
    }

    g->data_size = PAGE_ALIGN(end);

    return 0;
}

static int set_up(const struct xen_sysctl_schedlog_setup *setup)
{
    struct schedlog_geometry g = {
        .nr_acct = setup->nr_acct,
        .nr_files = setup->nr_files,
    };
    int rc;

    if ( !power_of_2_between(g.nr_acct, 2, XEN_SCHEDLOG_MAX_ACCT) ||
         !power_of_2_between(g.nr_files, 1, XEN_SCHEDLOG_MAX_FILES) )
        return -EINVAL;

    g.files = xzalloc_array(struct xen_schedlog_file, g.nr_files);
    if ( !g.files )
        return -ENOMEM;

    rc = lay_out(&g, setup);
    if ( rc )
        goto out;

    rc = -EBUSY;
    if ( !get_cpu_maps() )
        goto out;
    rc = schedlog_create_area(&g);
    put_cpu_maps();

 out:
    xfree(g.files);

    return rc;
}

static int get_files(struct xen_sysctl_schedlog_files *op)
{
    const struct schedlog_geometry *g = schedlog_geometry();

    if ( !g->nr_acct )
        return -ENOENT;
    if ( op->first > g->nr_files )
        return -EINVAL;

    op->nr = min(op->nr, g->nr_files - op->first);

    return copy_to_guest(op->files, g->files + op->first, op->nr) ? -EFAULT
                                                                  : 0;
}

/* No preemption: few enough to take no time. */
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

    op->nr = min(op->nr, region->nr_pages - op->first);
    op->nr = min(op->nr, MAX_FRAMES_PER_CALL);

    for ( i = 0; i < op->nr; i++ )
    {
        uint64_t frame = virt_to_mfn(region->va +
                                     (op->first + i) * PAGE_SIZE);

        if ( copy_to_guest_offset(op->frames, i, &frame, 1) )
            return -EFAULT;
    }

    return 0;
}

static int patch_sites(uint32_t events)
{
    unsigned int i;
    int rc;

    for ( i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++ )
        schedlog_label[i].request = with_shared_sites(events) & (1U << i);

    schedlog_stay_start(events);

    rc = jump_label_apply();
    if ( rc )
        for ( i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++ )
            schedlog_label[i].request = schedlog_label[i].on;

    return rc;
}

int schedlog_apply_events(uint32_t events)
{
    int rc;

    if ( events && !schedlog_geometry()->nr_acct )
        return -ENOENT;

    if ( !get_cpu_maps() )
        return -EBUSY;

    /* Rows have the time of the last tick, so there has to be one before. */
    if ( events )
        schedlog_set_ticking(true);

    rc = patch_sites(events);
    if ( rc )
        schedlog_stay_start(events_on);
    else
        events_on = events;

    if ( !events_on )
        schedlog_set_ticking(false);

    put_cpu_maps();

    return rc;
}

static long cf_check set_events_on_cpu0(void *unused)
{
    int rc = schedlog_apply_events(request.events);

    if ( !rc )
        schedlog_set_lease(request.cookie,
                           request.events ? request.lease_ms : 0);

    write_atomic(&busy, false);

    return rc;
}

/* With the sites stopped being taken, nobody uses the area any more. */
static long cf_check release_on_cpu0(void *unused)
{
    int rc = schedlog_apply_events(0);

    if ( !rc && get_cpu_maps() )
    {
        schedlog_set_lease(0, 0);
        schedlog_destroy_area();
        put_cpu_maps();
    }
    else if ( !rc )
        rc = -EBUSY;

    write_atomic(&busy, false);

    return rc;
}

static long finish_on_cpu0(long (*fn)(void *data))
{
    long rc;

    write_atomic(&busy, true);

    rc = continue_hypercall_on_cpu(0, fn, NULL);
    if ( rc )
        write_atomic(&busy, false);

    return rc;
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
    if ( op->events & ~events_built(&nr_sites) )
        return -EOPNOTSUPP;
    if ( pmcs & ~pmc_events(schedlog_selected_pmcs()) )
        return -EINVAL;
    if ( !schedlog_may_control(op->cookie) )
        return -EEXIST;

    request = *op;

    return finish_on_cpu0(set_events_on_cpu0);
}

static long release(const struct xen_sysctl_schedlog_release *op)
{
    if ( !schedlog_may_control(op->cookie) )
        return -EEXIST;

    return finish_on_cpu0(release_on_cpu0);
}

static int select_pmcs(const struct xen_sysctl_schedlog_pmc *op)
{
    int rc = -EBUSY;

    if ( op->pad || op->nr > XEN_SCHEDLOG_MAX_PMCS )
        return -EINVAL;
    if ( !schedlog_may_control(op->cookie) )
        return -EEXIST;

    if ( !(events_on & SCHEDLOG_PMC_EVENTS) && get_cpu_maps() )
    {
        rc = schedlog_select_pmcs(op);
        put_cpu_maps();
    }

    return rc;
}

long schedlog_sysctl(struct xen_sysctl_schedlog *op)
{
    if ( op->pad )
        return -EINVAL;

    if ( read_atomic(&busy) )
        return -ERESTART;

    switch ( op->cmd )
    {
    case XEN_SYSCTL_SCHEDLOG_info:
        get_info(&op->u.info);
        return 0;

    case XEN_SYSCTL_SCHEDLOG_setup:
        return set_up(&op->u.setup);

    case XEN_SYSCTL_SCHEDLOG_files:
        return get_files(&op->u.files);

    case XEN_SYSCTL_SCHEDLOG_frames:
        return get_frames(&op->u.frames);

    case XEN_SYSCTL_SCHEDLOG_events:
        return set_events(&op->u.events);

    case XEN_SYSCTL_SCHEDLOG_release:
        return release(&op->u.release);

    case XEN_SYSCTL_SCHEDLOG_pmc:
        return select_pmcs(&op->u.pmc);
    }

    return -EOPNOTSUPP;
}

static bool may_be_bound(uint16_t acct)
{
    const struct schedlog_geometry *g = schedlog_geometry();

    return acct != XEN_SCHEDLOG_ACCT_XEN &&
           acct < (g->nr_acct ?: XEN_SCHEDLOG_MAX_ACCT);
}

int schedlog_bind(struct domain *d, const struct xen_domctl_schedlog_bind *op)
{
    struct vcpu *v;

    if ( op->pad || !may_be_bound(op->acct) )
        return -EINVAL;

    if ( op->vcpu != XEN_DOMCTL_SCHEDLOG_ALL_VCPUS )
    {
        v = domain_vcpu(d, op->vcpu);
        if ( !v )
            return -EINVAL;
        v->schedlog_acct = op->acct;
        return 0;
    }

    d->schedlog_acct = op->acct;
    for_each_vcpu ( d, v )
        v->schedlog_acct = op->acct;

    return 0;
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
