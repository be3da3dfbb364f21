/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * area.h - a log area: made, mapped, controlled, given up.
 *
 * There is the hypervisor's, that of the Linux below us (what its back ends do
 * for each guest), and those of driver domains.  An area has one region for all CPUs
 * (routes and lease) and three per CPU (registers; states; data), see
 * <xen/schedlog.h>.  This is the only part of the library which talks to Xen,
 * xenstore and /dev/xensched-log.  All functions are for one thread at a time.
 * After fork(2) the child must not use an area of its parent.
 *
 * Names: an area is "made" once (one owner, registers and routes mapped
 * writable) and can be "looked at" by any number of others (everything mapped
 * read-only):
 *
 *                   made by                      looked at by
 *   hypervisor      xensched_area_setup()        xensched_area_attach()
 *   this Linux      xensched_area_setup_linux()  xensched_area_attach_linux()
 *   driver domain   xensched_area_request()      xensched_area_attach_domain()
 *                   xensched_area_poll()
 *
 * Once it is open all areas are used in the same way.
 *
 * The owner "holds" the log while it has a lease, which it has to renew: if it
 * does not do so within the time that it has chosen, the hypervisor turns all
 * events off.  Until then no other program can turn events on or off, give the area
 * up or choose what performance counters count (-EEXIST).
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

/* What the producer says about itself and the area. */
struct xensched_area_info {
    uint32_t abi_version;
    uint32_t nr_cpus;        /* highest pCPU id with a log + 1; 0: no area */
    uint32_t nr_acct;
    uint32_t nr_files;
    uint32_t events_built;   /* mask of 1 << XEN_SCHEDLOG_EV_* */
    uint32_t events_enabled; /* likewise */
    uint32_t nr_sites;
    uint32_t nr_lost_sites;  /* in functions which live patches have replaced */
    uint64_t tsc_khz;
    uint64_t max_bytes;      /* limit of the hypervisor's schedlog_max= */
                             /* (Linux: max_mib=; 0: a domain's own) */
    uint64_t used_bytes;
    uint32_t lease_ms;       /* 0: no program holds the log */
    uint32_t lease_left_ms;  /* until it ends, unless it is renewed */
    uint32_t nr_pmcs;        /* performance counters that can be used */
    uint32_t doorbell;       /* the hypervisor's: its VIRQ; Linux's: 1; */
                             /* 0: there is none */
    uint32_t llc_leaf;       /* EAX of the CPUID subleaf (4, or 0x8000001d) of the */
                             /* last-level cache; 0: not known */
};

/*
 * Make an area of @geometry (or take over the one which is there, if it has
 * this geometry; then its contents are kept), and map it.  With @replace an
 * area of another geometry is given up first.
 *
 * @cookie is a number by which the hypervisor knows the owner, and any later
 * process which is its successor; 0: none, then there can be no lease.
 *
 * Returns 0 and sets *area, or a negative errno value:
 *   -ENOENT      there is no Xen below this system, or its device is missing
 *   -EPERM, -EACCES  the caller or its domain isn't privileged
 *   -ENOSYS, -EOPNOTSUPP  this Xen has no schedlog
 *   -EPROTO      the hypervisor speaks another version of the ABI
 *   -EBUSY       there is an area of another geometry
 *   -EEXIST      the same, and another scheduler holds the log
 *   -E2BIG       over the hypervisor's schedlog_max= limit
 *   -ENOMEM, -EINVAL, and what mapping can return
 */
int xensched_area_setup(const struct xensched_geometry *geometry,
                        bool replace, uint64_t cookie,
                        struct xensched_area **area,
                        struct xensched_error *err);

/*
 * Map the area which is there, read-only.  Errors as above, and -ENODATA when
 * there is none.
 */
int xensched_area_attach(struct xensched_area **area,
                         struct xensched_error *err);

/*
 * The same for the Linux below us, by its module xensched_log; -ENOENT: it
 * isn't loaded.
 */
int xensched_area_setup_linux(const struct xensched_geometry *geometry,
                              bool replace, uint64_t cookie,
                              struct xensched_area **area,
                              struct xensched_error *err);
int xensched_area_attach_linux(struct xensched_area **area,
                               struct xensched_error *err);

/*
 * Ask domain @domid, by xenstore, for an area of @geometry.  That of a former
 * scheduler is taken over if it has this geometry, or given up first.  No event
 * is on then.  Does not wait: the domain may answer late or never.
 *
 * The area can be closed, polled, and asked for its information; everything
 * else has to wait until xensched_area_poll() has returned XENSCHED_MAPPED.
 */
int xensched_area_request(uint32_t domid,
                          const struct xensched_geometry *geometry,
                          struct xensched_area **area,
                          struct xensched_error *err);

/* What xensched_area_poll() returns besides negative errno values. */
enum xensched_poll {
    XENSCHED_NO_ANSWER, /* yet */
    XENSCHED_PART,      /* a part of it is mapped; ask again */
    XENSCHED_MAPPED,    /* it can be used */
};

/*
 * Is there an answer?  After a negative errno value the area can only be
 * closed:
 *   -EPROTO      another version of the ABI, or what the domain advertises is
 *                not what it was asked for
 *   -EBUSY, -EEXIST, ...  as the domain says, with its words
 *   -EINVAL, -EPERM, ...  frames that cannot be mapped
 * Nothing that the domain does can make this wait or run long.
 */
int xensched_area_poll(struct xensched_area *area, struct xensched_error *err);

/*
 * Take the request back: the domain may free its area.  This is the last step
 * of xensched_area_release(), for callers that closed the area, or never got
 * one.
 */
int xensched_area_withdraw(uint32_t domid, struct xensched_error *err);

/* Map, read-only, what domain @domid was asked for.  -ENODATA: nothing. */
int xensched_area_attach_domain(uint32_t domid, struct xensched_area **area,
                                struct xensched_error *err);

/*
 * Unmap.  The area and its events stay as they are.  NULL is allowed.
 */
void xensched_area_close(struct xensched_area *area);

/*
 * Turn all events off, give the lease up and the memory back to the producer
 * and close.  @area is gone in any case.  -EEXIST: another program holds the log
 * now, and continues to use it.
 */
int xensched_area_release(struct xensched_area *area,
                          struct xensched_error *err);

/*
 * Map the logs of pCPUs which have come since, and give them the registers
 * which were set.  What is mapped already stays as it is.  Sites that have come
 * can be turned on from then on.  Returns how many pCPUs have come, or a negative
 * errno value.
 */
int xensched_area_refresh(struct xensched_area *area,
                          struct xensched_error *err);

/*
 * Ask the producer.  nr_cpus is 0 when there is no area, or, of a domain, not
 * the one that was mapped.  xensched_area_ask(): the hypervisor.
 */
int xensched_area_info(struct xensched_area *area,
                       struct xensched_area_info *info,
                       struct xensched_error *err);
int xensched_area_ask(struct xensched_area_info *info,
                      struct xensched_error *err);

/*
 * Show @cookie to the hypervisor with xensched_allow_marks() and the functions of
 * xensched/stop.h.  While a scheduler holds the hypervisor's log, these fail with
 * -EEXIST unless they show the scheduler's cookie.
 */
void xensched_show_cookie(uint64_t cookie);

/*
 * May @domid log marks?  Not unless it was allowed to.  Needs no area.
 * -ESRCH: there is no such domain.
 */
int xensched_allow_marks(uint32_t domid, bool allow,
                         struct xensched_error *err);

/* pCPU ids are below this; some of them may have no log. */
uint32_t xensched_area_cpus(const struct xensched_area *area);
bool xensched_area_has_cpu(const struct xensched_area *area, uint32_t cpu);
uint32_t xensched_area_files(const struct xensched_area *area);
uint64_t xensched_area_tsc_khz(const struct xensched_area *area);

/* As struct xensched_area_info has it, from when the area was mapped. */
uint32_t xensched_area_doorbell(const struct xensched_area *area);

/*
 * The shared memory of one log file, valid until the area is closed.  NULL
 * when the pCPU has no log or @file is out of range.
 */
const struct xen_schedlog_state *
xensched_area_state(const struct xensched_area *area,
                    uint32_t cpu, uint32_t file);
const void *xensched_area_data(const struct xensched_area *area,
                               uint32_t cpu, uint32_t file, uint32_t *size);

/*
 * The rest needs an area from xensched_area_setup().
 *
 * Set the log control register of @file on all pCPUs, also those to come.
 * Takes effect with the next event.  -EINVAL: no such file.
 */
int xensched_area_set_lcr(struct xensched_area *area, uint32_t file,
                          uint32_t lcr);

/*
 * Have the producer ring (see doorbell.h) when so many bytes have been written
 * to this log file since its beginning.  Without a doorbell, it has no effect.
 * Sources of the owner's area do this themselves: a log file that has been read
 * rings when it is half full of new rows.
 */
void xensched_area_set_mark(struct xensched_area *area, uint32_t cpu,
                            uint32_t file, uint64_t pos);

/*
 * Is it still there?  Costs less than xensched_area_info(), which asks a domain's producer for
 * all that it advertises.  Returns 0, -ESRCH: the domain is gone, or -ENODATA: it was given up.
 */
int xensched_area_check(struct xensched_area *area, struct xensched_error *err);

/*
 * Route @event of accounting domain @acct to @file, each @threshold-th of
 * them (0 and 1: all), or nowhere.  -EINVAL: out of range.
 */
int xensched_area_set_route(struct xensched_area *area, uint16_t acct,
                            unsigned int event, uint32_t file,
                            uint32_t threshold);
int xensched_area_clear_route(struct xensched_area *area, uint16_t acct,
                              unsigned int event);

/*
 * Give a sign of life: a store, no hypercall.  Only for the holder of a lease.
 * One that has ended already is not brought back; xensched_area_info() tells.
 */
void xensched_area_renew_lease(struct xensched_area *area);

/*
 * Make @mask (of 1 << XEN_SCHEDLOG_EV_*) the events which are on.  With
 * @lease_ms (100 ms to an hour) and at least one event the log is held from now
 * on, for so long at a time; with 0 it is not.  All pCPUs are stopped for a
 * moment.
 *
 *   -EOPNOTSUPP  the text says which of them have no sites
 *   -EEXIST      another scheduler holds the log; the text says for how long
 *   -ENOENT      the area was given up by another program
 *   -EINVAL      a lease which is out of range, an area without a cookie, or
 *                performance counters which xensched_area_pmc() didn't choose
 */
int xensched_area_events(struct xensched_area *area, uint32_t mask,
                         uint32_t lease_ms, struct xensched_error *err);

/*
 * Choose what the events XEN_SCHEDLOG_EV_PMC0 and following count: @select are
 * @nr event selects of the processor, as <xen/sysctl.h> has them.
 *
 *   -ENODEV      this machine has no performance counters that Xen can use
 *   -EBUSY       they are in use: by these events, a vPMU or a watchdog
 *   -EINVAL      more than there are, or not an event select
 *   -EEXIST      as above
 */
int xensched_area_pmc(struct xensched_area *area, unsigned int nr,
                      const uint64_t *select, struct xensched_error *err);

/* Charge all vCPUs of @domid, also later ones, to @acct. */
int xensched_area_bind(struct xensched_area *area, uint32_t domid,
                       uint16_t acct, struct xensched_error *err);

#endif /* XENSCHED_AREA_H */
