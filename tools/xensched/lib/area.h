/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * lib/area.h - an area as area.c (make, map) and area-control.c (registers,
 * routes, events) see it.
 */
#ifndef XENSCHED_LIB_AREA_H
#define XENSCHED_LIB_AREA_H

#include <xenctrl.h>
#include <xenforeignmemory.h>

#include <xensched/area.h>

/* A mapped region; base is NULL when it isn't mapped. */
struct mapping {
    void *base;
    size_t pages;
};

struct area_cpu {
    struct mapping control, state, data;
};

struct xensched_area {
    xentoollog_logger *log;
    xc_interface *xch;
    xenforeignmemory_handle *fmem;
    bool writable;
    uint64_t cookie; /* 0: none */
    struct xensched_area_info info; /* when it was mapped */
    struct xen_schedlog_file *files;
    struct mapping global;
    struct area_cpu *cpus; /* [info.nr_cpus] */
    uint32_t *lcr;         /* [info.nr_files], as set last */
};

/* Turn the errno value @code of a hypercall into words. */
int xensched_xen_failed(struct xensched_error *err, int code,
                        const char *what);

/*
 * Make the hypercall again while it says EBUSY because pCPUs come or go, which
 * is soon over.  Returns 0 or a positive errno value.
 */
int xensched_while_busy(struct xensched_area *area,
                        int (*hypercall)(struct xensched_area *area,
                                         const void *arg), const void *arg);

/* Fail with EEXIST: somebody else holds the log, and for how long. */
int xensched_held(struct xensched_area *area, struct xensched_error *err);

#endif /* XENSCHED_LIB_AREA_H */
