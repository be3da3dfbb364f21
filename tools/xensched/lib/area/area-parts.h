/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * area-parts.h - what the parts of an area share.
 *
 * area.c makes and maps, area-control.c writes registers, routes and the lease, area-owner.c
 * calls the owner for both.  Only a struct area_ops depends on the kind of log:
 * area-hypervisor.c, area-linux.c and area-domain.c have one each.
 */
#ifndef XENSCHED_LIB_AREA_PARTS_H
#define XENSCHED_LIB_AREA_PARTS_H

#include <stddef.h>

#include <xensched/area.h>

/* The regions of an area, as the hypervisor and Linux number them. */
enum region { REGION_GLOBAL, REGION_CONTROL, REGION_STATE, REGION_DATA };

/* A mapped region; base is NULL when it isn't mapped. */
struct mapping {
    void *base;
    size_t pages;
};

struct area_cpu {
    struct mapping control, state, data;
};

struct xensched_area;

/*
 * Unless it says something else, what these return is 0 or a positive errno
 * value.
 */
struct area_ops {
    /* Close what opening it opened.  Everything is unmapped. */
    void (*close)(struct xensched_area *area);
    /* Turn @code into words, with the remedy.  Returns -code. */
    int (*failed)(struct xensched_error *err, int code, const char *what);
    /* As xensched_area_info(). */
    int (*info)(struct xensched_area *area, struct xensched_area_info *info,
                struct xensched_error *err);
    /* Is it still the one that was mapped?  NULL: the producer cannot go. */
    int (*check)(struct xensched_area *area, struct xensched_error *err);
    /* NULL: it isn't made in one go. */
    int (*setup)(struct xensched_area *area,
                 const struct xensched_geometry *geometry);
    /* Fill in all area->info.nr_files of @files. */
    int (*files)(struct xensched_area *area, struct xen_schedlog_file *files);
    /* ENODEV: this CPU id has no log, which is fine. */
    int (*map)(struct xensched_area *area, enum region region, uint32_t cpu,
               size_t bytes, int prot, struct mapping *m);
    void (*unmap)(struct xensched_area *area, struct mapping *m);
    int (*events)(struct xensched_area *area, uint32_t mask,
                  uint32_t lease_ms);
    /* Nothing is mapped by us any more. */
    int (*release)(struct xensched_area *area);
};

struct xensched_area {
    const struct area_ops *ops;
    void *place; /* the ops' own */
    bool writable;
    uint64_t cookie; /* 0: none */
    uint64_t need_bytes; /* of a set-up that failed with E2BIG; 0: not known */
    struct xensched_area_info info; /* when it was mapped */
    struct xen_schedlog_file *files;
    struct mapping global;
    struct area_cpu *cpus; /* [info.nr_cpus] */
    uint32_t *lcr;         /* [info.nr_files], as set last */
};

/* A new area without anything; NULL: out of memory, and *err says so. */
struct xensched_area *area_new(const struct area_ops *ops,
                               struct xensched_error *err);

/* Fails if this Linux has larger pages than Xen: on arm64 they can be 16 or 64 KiB. */
int area_check_pages(struct xensched_error *err);

/* The rest of opening one: it is the caller's, or closed if @rc says so. */
int area_hand_out(struct xensched_area *a, int rc,
                  struct xensched_area **area);

/* Map the area which is there; the handles are open. */
int area_attach(struct xensched_area *area, struct xensched_error *err);

/* Make and map it. */
int area_setup(struct xensched_area *area,
               const struct xensched_geometry *geometry, bool replace,
               struct xensched_error *err);

/*
 * The parts of mapping: files and what there is once, then CPUs @first and
 * following below @end.  The latter returns how many there were.
 */
int area_map_global(struct xensched_area *area, struct xensched_error *err);
int area_map_cpus(struct xensched_area *area, uint32_t first, uint32_t end,
                  struct xensched_error *err);
void area_unmap(struct xensched_area *area);

/* Bytes of the regions which follow from area->info and area->files. */
size_t area_global_bytes(const struct xensched_area *area);
size_t area_control_bytes(const struct xensched_area *area);
size_t area_state_bytes(const struct xensched_area *area);
size_t area_data_bytes(const struct xensched_area *area);

/* Where the log of the Linux below us is. */
#define AREA_LINUX_DEVICE "/dev/xensched-log"

/* The version of the ABI that @whose log has, against ours. */
int area_check_version(uint32_t version, const char *whose,
                       struct xensched_error *err);

/* The hypervisor says EBUSY while pCPUs come or go: 50 times 10 ms. */
#define AREA_BUSY_TRIES 50
#define AREA_BUSY_PAUSE_US 10000

/*
 * Do it again while it says EBUSY because pCPUs come or go, which is soon
 * over.  Returns 0 or a positive errno value.
 */
int area_while_busy(struct xensched_area *area,
                    int (*call)(struct xensched_area *area, const void *arg),
                    const void *arg);

/* Fail with EEXIST: another program holds the log, and for how long. */
int area_held(struct xensched_area *area, struct xensched_error *err);

/* The last argument of xensched_show_cookie(); 0 before the first call. */
uint64_t area_shown_cookie(void);

#endif /* XENSCHED_LIB_AREA_PARTS_H */
