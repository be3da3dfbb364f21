/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * area-parts.h - declares what the files of an area share.
 *
 * area.c makes and maps, area-control.c writes registers, routes and the lease, area-owner.c calls
 * the owner for both.  Only a struct area_ops depends on the kind of log: area-hypervisor.c,
 * area-linux.c and area-domain.c have one each.
 */
#ifndef XENSCHED_LIB_AREA_PARTS_H
#define XENSCHED_LIB_AREA_PARTS_H

#include <stddef.h>

#include <xensched/area.h>

/* The regions of an area, with the numbers that the hypervisor and Linux use. */
enum region { REGION_GLOBAL, REGION_CONTROL, REGION_STATE, REGION_DATA };

/* A mapped region; base is NULL if it is not mapped. */
struct mapping {
    void *base;
    size_t pages;
};

struct area_cpu {
    struct mapping control, state, data;
};

struct xensched_area;

/*
 * Unless documented otherwise, these return 0 or a positive errno value.
 */
struct area_ops {
    /* Closes the handles.  Everything is unmapped. */
    void (*close)(struct xensched_area *area);
    /* Sets the text of error @code, with the remedy.  Returns -code. */
    int (*failed)(struct xensched_error *err, int code, const char *what);
    /* See xensched_area_info(). */
    int (*info)(struct xensched_area *area, struct xensched_area_info *info,
                struct xensched_error *err);
    /* Does the mapped area still exist?  NULL: the producer cannot end. */
    int (*check)(struct xensched_area *area, struct xensched_error *err);
    /* NULL: making it takes several steps. */
    int (*setup)(struct xensched_area *area,
                 const struct xensched_geometry *geometry);
    /* Fills in all area->info.nr_files of @files. */
    int (*files)(struct xensched_area *area, struct xen_schedlog_file *files);
    /* ENODEV: this CPU id has no log, which is no error. */
    int (*map)(struct xensched_area *area, enum region region, uint32_t cpu,
               size_t bytes, int prot, struct mapping *m);
    void (*unmap)(struct xensched_area *area, struct mapping *m);
    int (*events)(struct xensched_area *area, uint32_t mask,
                  uint32_t lease_ms);
    /* Releases the area, which is unmapped. */
    int (*release)(struct xensched_area *area);
};

struct xensched_area {
    const struct area_ops *ops;
    void *place; /* private data of @ops */
    bool writable;
    uint64_t cookie; /* 0: none */
    uint64_t need_bytes; /* for a set-up that failed with E2BIG; 0: unknown */
    struct xensched_area_info info; /* at the time of mapping */
    struct xen_schedlog_file *files;
    struct mapping global;
    struct area_cpu *cpus; /* [info.nr_cpus] */
    uint32_t *lcr;         /* [info.nr_files], the latest values */
};

/* Returns an empty area; NULL: out of memory, as *err states. */
struct xensched_area *area_new(const struct area_ops *ops,
                               struct xensched_error *err);

/* Fails if this Linux has larger pages than Xen: on arm64 they can be 16 or 64 KiB. */
int area_check_pages(struct xensched_error *err);

/* The end of opening: hands the area to the caller, or closes it if @rc is an error. */
int area_hand_out(struct xensched_area *a, int rc,
                  struct xensched_area **area);

/* Maps the existing area; the handles are open. */
int area_attach(struct xensched_area *area, struct xensched_error *err);

/* Makes the area and maps it. */
int area_setup(struct xensched_area *area,
               const struct xensched_geometry *geometry, bool replace,
               struct xensched_error *err);

/*
 * Steps of mapping: the files and everything that is not per CPU, then CPUs from @first to below
 * @end.  area_map_cpus() returns the number of mapped CPUs.
 */
int area_map_global(struct xensched_area *area, struct xensched_error *err);
int area_map_cpus(struct xensched_area *area, uint32_t first, uint32_t end,
                  struct xensched_error *err);
void area_unmap(struct xensched_area *area);

/* Sizes of regions, in bytes, by area->info and area->files. */
size_t area_global_bytes(const struct xensched_area *area);
size_t area_control_bytes(const struct xensched_area *area);
size_t area_state_bytes(const struct xensched_area *area);
size_t area_data_bytes(const struct xensched_area *area);

/* The device of the log of the Linux on which the caller runs. */
#define AREA_LINUX_DEVICE "/dev/xensched-log"

/* Compares the version of the ABI of @whose log with the library's. */
int area_check_version(uint32_t version, const char *whose,
                       struct xensched_error *err);

/* The hypervisor returns EBUSY while pCPUs come or go: retries 50 times after 10 ms. */
#define AREA_BUSY_TRIES 50
#define AREA_BUSY_PAUSE_US 10000

/*
 * Repeats @call while it returns EBUSY because pCPUs come or go, which does not take long.  Returns
 * 0 or a positive errno value.
 */
int area_while_busy(struct xensched_area *area,
                    int (*call)(struct xensched_area *area, const void *arg),
                    const void *arg);

/* Fails with EEXIST: another program holds the log, and for how long. */
int area_held(struct xensched_area *area, struct xensched_error *err);

/* The last argument of xensched_show_cookie(); 0 before the first call. */
uint64_t area_shown_cookie(void);

#endif /* XENSCHED_LIB_AREA_PARTS_H */
