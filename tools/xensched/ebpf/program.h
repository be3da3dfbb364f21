/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * program.h - rings.bpf.c in the kernel: its maps, and its way in and out.  Without
 * libbpf and clang when this was built, program-none.c says so in its place.
 *
 * Everything here is gone from the kernel when the process ends, however it ends.
 */
#ifndef XENSCHED_EBPF_PROGRAM_H
#define XENSCHED_EBPF_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include <xensched/error.h>

#include "rings.h"

struct program;

/* File descriptors of the maps, see rings.h. */
struct program_maps {
    int global, cpus, own;
};

/*
 * Could it be loaded here?  -ENOENT: not on this system, or not now, and why.  Cheap; that
 * the kernel takes it only loading it shows.
 */
int program_possible(struct xensched_error *err);

/* CPU ids are below this, or a negative errno value. */
int program_nr_cpus(void);

/* A map of @nr entries of @bytes; @shared: to be mapped.  -1: errno says why. */
int program_map(const char *name, size_t bytes, uint32_t nr, bool shared);

/* Write an entry of a map that is not mapped.  0 or a negative errno value. */
int program_write(int map, uint32_t nr, const void *entry);

/*
 * Load it, and have it @attach'ed: from then on it runs.  Returns 0, or a negative
 * errno value with the kernel's or libbpf's words.
 */
int program_start(const struct program_maps *maps,
                  const struct rings_facts *facts, bool attach,
                  struct program **program, struct xensched_error *err);

/* Nothing of it is left in the kernel but its maps.  NULL is allowed. */
void program_stop(struct program *program);

#endif /* XENSCHED_EBPF_PROGRAM_H */
