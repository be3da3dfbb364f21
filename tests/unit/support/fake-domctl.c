/* SPDX-License-Identifier: GPL-2.0-only */
/* Fakes the facts that libxenctrl has about a domain, and the loggers of libxentoollog. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <xenctrl.h>

#include "fake-domctl.h"

struct fake_domctl fake_domctl;
unsigned int fake_loggers;

struct xentoollog_logger_tostream {
    int nothing;
};

xentoollog_logger_stdiostream *
xtl_createlogger_stdiostream(FILE *f, xentoollog_level level, unsigned flags)
{
    (void)f;
    (void)level;
    (void)flags;
    fake_loggers++;

    return calloc(1, 1);
}

void xtl_logger_destroy(struct xentoollog_logger *logger)
{
    fake_loggers -= !!logger;
    free(logger);
}

void *xc__hypercall_buffer_alloc(xc_interface *xch, xc_hypercall_buffer_t *b,
                                 size_t size)
{
    (void)xch;
    b->hbuf = malloc(size);

    return b->hbuf;
}

void xc__hypercall_buffer_free(xc_interface *xch, xc_hypercall_buffer_t *b)
{
    (void)xch;
    free(b->hbuf);
}

static int tell_domain(struct xen_domctl *domctl)
{
    domctl->u.getdomaininfo = (struct xen_domctl_getdomaininfo){
        .domain = domctl->domain,
        .max_vcpu_id = fake_domctl.nr_vcpus - 1,
        .flags = fake_domctl.dying ? XEN_DOMINF_dying : 0,
    };

    return 0;
}

int xc_domctl(xc_interface *xch, struct xen_domctl *domctl)
{
    struct xen_domctl_getpageframeinfo3 *op = &domctl->u.getpageframeinfo3;
    xen_pfn_t *entry = op->array.p;
    uint64_t i;

    (void)xch;
    if (domctl->cmd == XEN_DOMCTL_getdomaininfo)
        return tell_domain(domctl);
    if (domctl->cmd != XEN_DOMCTL_getpageframeinfo3 || op->num > 1024) {
        errno = ENOSYS;
        return -1;
    }
    for (i = 0; i < op->num; i++)
        entry[i] = entry[i] < fake_domctl.nr_frames &&
                   entry[i] != fake_domctl.device ? XEN_DOMCTL_PFINFO_NOTAB
                                                  : XEN_DOMCTL_PFINFO_XTAB;

    return 0;
}
