/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * area.h - makes, maps, controls and releases log areas.
 *
 * The hypervisor has an area, and so have the Linux of dom0 (for what its back ends do for each
 * guest) and driver domains.  An area has one region for all CPUs (routes and lease) and three
 * per CPU (registers; states; data), see <xen/schedlog.h>.  Only this part of the library calls
 * Xen, xenstore and /dev/xensched-log.  All functions are for one thread at a time.  After
 * fork(2) the child must not use an area of its parent.
 *
 * An area is set up once, by its owner, which maps registers and routes writable.  Any number of
 * other programs can attach to it, with everything mapped read-only:
 *
 *                   set up by                    attached to by
 *   hypervisor      xensched_area_setup()        xensched_area_attach()
 *   this Linux      xensched_area_setup_linux()  xensched_area_attach_linux()
 *   driver domain   xensched_area_request()      xensched_area_attach_domain()
 *                   xensched_area_poll()
 *
 * All open areas are used in the same way.
 *
 * The owner holds the log while it has a lease, which it has to renew.  If it does not renew the
 * lease within the time that it has chosen, the hypervisor turns all events off.  Until then no
 * other program can turn events on or off, release the area, or choose what performance counters
 * count (-EEXIST).
 */
#ifndef XENSCHED_AREA_H
#define XENSCHED_AREA_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/error.h>
#include <xensched/row.h>

struct xensched_area;

/*
 * Sizes of an area.  @nr_acct and @nr_files are powers of two; @sizes has
 * nr_files members, in bytes, powers of two.
 */
struct xensched_geometry {
    uint32_t nr_acct;
    uint32_t nr_files;
    const uint32_t *sizes;
};

/* Facts that the producer reports about itself and the area. */
struct xensched_area_info {
    uint32_t abi_version;
    uint32_t nr_cpus;        /* highest pCPU id with a log + 1; 0: no area */
    uint32_t nr_acct;
    uint32_t nr_files;
    uint32_t events_built;   /* mask of 1 << XEN_SCHEDLOG_EV_* */
    uint32_t events_enabled; /* likewise */
    uint32_t nr_sites;
    uint32_t nr_lost_sites;  /* in functions that live patches have replaced */
    uint64_t tsc_khz;
    uint64_t max_bytes;      /* limit of the hypervisor's schedlog_max= */
                             /* (Linux: max_mib=; 0: a domain's own) */
    uint64_t used_bytes;
    uint32_t lease_ms;       /* 0: no program holds the log */
    uint32_t lease_left_ms;  /* until the lease ends, unless it is renewed */
    uint32_t nr_pmcs;        /* usable performance counters */
    uint32_t doorbell;       /* hypervisor: its VIRQ; Linux: 1; 0: none */
};

/*
 * Makes and maps an area of @geometry.  If there is one of this geometry already, the function
 * takes it over and keeps its contents.  With @replace, it releases an area of another geometry
 * first.
 *
 * @cookie is a number by which the hypervisor recognises the owner, and a later process that
 * succeeds it; 0: no cookie, and so no lease.
 *
 * Returns 0 and sets *area, or a negative errno value:
 *   -ENOENT      there is no Xen below this system, or its device is missing
 *   -EPERM, -EACCES  the caller or its domain is not privileged
 *   -ENOSYS, -EOPNOTSUPP  this Xen has no schedlog
 *   -EPROTO      the hypervisor has another version of the ABI
 *   -EBUSY       there is an area of another geometry
 *   -EEXIST      the same, and another scheduler holds the log
 *   -E2BIG       over the hypervisor's schedlog_max= limit
 *   -ENOMEM, -EINVAL, and what mapping can return
 */
int xensched_area_setup(const struct xensched_geometry *geometry,
                        bool replace, uint64_t cookie,
                        struct xensched_area **area,
                        struct xensched_error *err);

/* Maps the existing area read-only.  Errors as above, and -ENODATA if there is none. */
int xensched_area_attach(struct xensched_area **area,
                         struct xensched_error *err);

/*
 * The same for the area of the Linux on which the caller runs, by its module xensched_log.
 * Returns -ENOENT if the module is not loaded.
 */
int xensched_area_setup_linux(const struct xensched_geometry *geometry,
                              bool replace, uint64_t cookie,
                              struct xensched_area **area,
                              struct xensched_error *err);
int xensched_area_attach_linux(struct xensched_area **area,
                               struct xensched_error *err);

/*
 * Requests an area of @geometry from domain @domid, through xenstore.  The domain keeps the area
 * of a former scheduler if it has this geometry, or releases it first.  No event is on then.
 * Does not wait: the domain may answer late or never.
 *
 * Until xensched_area_poll() has returned XENSCHED_MAPPED, only xensched_area_close(),
 * xensched_area_poll() and xensched_area_info() accept the area.
 */
int xensched_area_request(uint32_t domid,
                          const struct xensched_geometry *geometry,
                          struct xensched_area **area,
                          struct xensched_error *err);

/* What xensched_area_poll() returns besides negative errno values. */
enum xensched_poll {
    XENSCHED_NO_ANSWER, /* the domain has not answered yet */
    XENSCHED_PART,      /* a part of the area is mapped; poll again */
    XENSCHED_MAPPED,    /* the area can be used */
};

/*
 * Checks for the domain's answer.  After a negative errno value the area can only be closed:
 *   -EPROTO      another version of the ABI, or the domain advertises another area than the
 *                requested one
 *   -EBUSY, -EEXIST, ...  the domain's own error, with its text
 *   -EINVAL, -EPERM, ...  frames that cannot be mapped
 * No action of the domain can make this call wait or run long.
 */
int xensched_area_poll(struct xensched_area *area, struct xensched_error *err);

/*
 * Withdraws the request, so that the domain may free its area.  This is the last step of
 * xensched_area_release(), for callers that have closed the area or never received one.
 */
int xensched_area_withdraw(uint32_t domid, struct xensched_error *err);

/* Maps the area that was requested from domain @domid, read-only.  -ENODATA: there is none. */
int xensched_area_attach_domain(uint32_t domid, struct xensched_area **area,
                                struct xensched_error *err);

/* Unmaps the area.  The area and its events stay as they are.  NULL is allowed. */
void xensched_area_close(struct xensched_area *area);

/*
 * Turns all events off, ends the lease, returns the memory to the producer, and closes the area.
 * @area is invalid afterwards in any case.  -EEXIST: another program holds the log now, and
 * continues to use it.
 */
int xensched_area_release(struct xensched_area *area,
                          struct xensched_error *err);

/*
 * Maps the logs of new pCPUs and sets their registers as those of the other pCPUs.  Existing
 * mappings stay.  Events of new sites can be turned on afterwards.  Returns the number of new
 * pCPUs, or a negative errno value.
 */
int xensched_area_refresh(struct xensched_area *area,
                          struct xensched_error *err);

/*
 * Queries the producer.  nr_cpus is 0 if there is no area, or if a domain has another area than
 * the mapped one.  xensched_area_ask() queries the hypervisor.
 */
int xensched_area_info(struct xensched_area *area,
                       struct xensched_area_info *info,
                       struct xensched_error *err);
int xensched_area_ask(struct xensched_area_info *info,
                      struct xensched_error *err);

/*
 * Makes xensched_allow_marks() and the functions of xensched/stop.h pass @cookie to the
 * hypervisor.  While a scheduler holds the hypervisor's log, these fail with -EEXIST unless they
 * pass the scheduler's cookie.
 */
void xensched_show_cookie(uint64_t cookie);

/*
 * Allows @domid to log marks, or forbids it.  By default a domain may not.  Needs no area.
 * -ESRCH: there is no such domain.
 */
int xensched_allow_marks(uint32_t domid, bool allow,
                         struct xensched_error *err);

/* pCPU ids are below this; some of them may have no log. */
uint32_t xensched_area_cpus(const struct xensched_area *area);
bool xensched_area_has_cpu(const struct xensched_area *area, uint32_t cpu);
uint32_t xensched_area_files(const struct xensched_area *area);
uint64_t xensched_area_tsc_khz(const struct xensched_area *area);

/* The doorbell of struct xensched_area_info at the time when the area was mapped. */
uint32_t xensched_area_doorbell(const struct xensched_area *area);

/*
 * The shared memory of log buffer @file, valid until the area is closed.  NULL if the pCPU has no
 * log or @file is out of range.
 */
const struct xen_schedlog_state *
xensched_area_state(const struct xensched_area *area,
                    uint32_t cpu, uint32_t file);
const void *xensched_area_data(const struct xensched_area *area,
                               uint32_t cpu, uint32_t file, uint32_t *size);

/*
 * The rest needs an area from xensched_area_setup().
 *
 * Sets the log control register of log buffer @file on all pCPUs, including later ones.  Takes
 * effect with the next event.  -EINVAL: there is no such log buffer.
 */
int xensched_area_set_lcr(struct xensched_area *area, uint32_t file,
                          uint32_t lcr);

/*
 * Sets a watermark: the producer rings (doorbell.h) once @pos bytes have been written to this log
 * buffer since its beginning.  Without a doorbell it has no effect.  Sources of the owner's area
 * set watermarks themselves: a log buffer rings when it is half full of new rows.
 */
void xensched_area_set_mark(struct xensched_area *area, uint32_t cpu,
                            uint32_t file, uint64_t pos);

/*
 * Checks that the area still exists.  Costs less than xensched_area_info(), which reads all that a
 * domain's producer advertises.  Returns 0, -ESRCH if the domain has ended, or -ENODATA if the
 * area was released.
 */
int xensched_area_check(struct xensched_area *area, struct xensched_error *err);

/*
 * Routes every @threshold-th @event of accounting domain @acct (0 and 1: all of them) to log buffer
 * @file, or to none.  -EINVAL: out of range.
 */
int xensched_area_set_route(struct xensched_area *area, uint16_t acct,
                            unsigned int event, uint32_t file,
                            uint32_t threshold);
int xensched_area_clear_route(struct xensched_area *area, uint16_t acct,
                              unsigned int event);

/*
 * Renews the lease by a store, without a hypercall.  Only for the holder of a lease.  A lease that
 * has ended stays ended; xensched_area_info() reports it.
 */
void xensched_area_renew_lease(struct xensched_area *area);

/*
 * Turns the events of @mask (1 << XEN_SCHEDLOG_EV_*) on and all others off.  With @lease_ms
 * (100 ms to an hour) and at least one event, the caller holds the log from now on, for this time
 * after each renewal; with 0 it does not.  All pCPUs are stopped for a moment.
 *
 *   -EOPNOTSUPP  events without sites; the text names them
 *   -EEXIST      another scheduler holds the log; the text states for how long
 *   -ENOENT      another program has released the area
 *   -EINVAL      a lease that is out of range, an area without a cookie, or performance counters
 *                that xensched_area_pmc() did not choose
 */
int xensched_area_events(struct xensched_area *area, uint32_t mask,
                         uint32_t lease_ms, struct xensched_error *err);

/*
 * Chooses what the events XEN_SCHEDLOG_EV_PMC0 and following count: @select has @nr event selects
 * of the processor, in the form of <xen/sysctl.h>.
 *
 *   -ENODEV      this machine has no performance counters that Xen can use
 *   -EBUSY       they are in use: by these events, a vPMU or a watchdog
 *   -EINVAL      more than there are, or not an event select
 *   -EEXIST      as above
 */
int xensched_area_pmc(struct xensched_area *area, unsigned int nr,
                      const uint64_t *select, struct xensched_error *err);

/* Charges all vCPUs of @domid, including later ones, to @acct. */
int xensched_area_bind(struct xensched_area *area, uint32_t domid,
                       uint16_t acct, struct xensched_error *err);

#endif /* XENSCHED_AREA_H */
