/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * hypercall.h - the operations of the hypervisor's log, through the installed toolstack: a
 * libxenctrl of the hypervisor's release suffices, even if it does not support the log.
 *
 * They do the same as the functions xc_schedlog_*() of a patched libxenctrl; xen/sysctl.h and
 * xen/domctl.h describe them.  Unless documented otherwise they return 0, or -1 with errno set.
 * ENOSYS: this hypervisor has no log; EOPNOTSUPP: its log does not have this operation; EPERM (with
 * FLASK: EACCES): not allowed.
 */
#ifndef XENSCHED_HYPERCALL_H
#define XENSCHED_HYPERCALL_H

#include <stdbool.h>
#include <stdint.h>

#include <xenctrl.h>

int hypercall_info(xc_interface *xch, struct xen_sysctl_schedlog_info *info);

/* E2BIG: *@need_bytes is the least sufficient value of schedlog_max=. */
int hypercall_setup(xc_interface *xch, uint32_t nr_acct, uint32_t nr_files,
                    const uint32_t *sizes, uint64_t *need_bytes);

/* Returns the number of entries that were filled in, at most @nr. */
int hypercall_files(xc_interface *xch, uint32_t first, uint32_t nr,
                    struct xen_schedlog_file *files);
int hypercall_frames(xc_interface *xch, uint32_t region, uint32_t cpu,
                     uint32_t first, uint32_t nr, uint64_t *frames);

int hypercall_events(xc_interface *xch, uint32_t events, uint32_t lease_ms,
                     uint64_t cookie);
int hypercall_release(xc_interface *xch, uint64_t cookie);
int hypercall_pmc(xc_interface *xch, uint64_t cookie, uint32_t nr,
                  const uint64_t *select);

/* EEXIST: a scheduler with another cookie holds the log. */
int hypercall_bind(xc_interface *xch, uint32_t domid, uint32_t vcpu,
                   uint16_t acct, uint64_t cookie);
int hypercall_mark(xc_interface *xch, uint32_t domid, bool allow,
                   uint64_t cookie);
int hypercall_stop(xc_interface *xch, uint32_t domid,
                   struct xen_domctl_schedlog_stop *op);

/* EINVAL: the domain has no such vCPU. */
int hypercall_clock(xc_interface *xch, uint32_t domid, uint32_t vcpu,
                    struct xen_domctl_schedlog_clock *clock);

#endif /* XENSCHED_HYPERCALL_H */
