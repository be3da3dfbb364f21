/* SPDX-License-Identifier: GPL-2.0-only */
/* program-none.c - program.h where there was no libbpf, or no clang, to build with. */
#include <errno.h>

#include "program.h"

int program_possible(struct xensched_error *err)
{
    return xensched_fail(err, ENOENT, "built without eBPF: clang or libbpf-dev "
                         "was missing then");
}

int program_nr_cpus(void)
{
    return -ENOENT;
}

int program_map(const char *name, size_t bytes, uint32_t nr, bool shared)
{
    (void)name;
    (void)bytes;
    (void)nr;
    (void)shared;
    errno = ENOENT;

    return -1;
}

int program_write(int map, uint32_t nr, const void *entry)
{
    (void)map;
    (void)nr;
    (void)entry;

    return -ENOENT;
}

int program_start(const struct program_maps *maps,
                  const struct rings_facts *facts, bool attach,
                  struct program **program, struct xensched_error *err)
{
    (void)maps;
    (void)facts;
    (void)attach;
    (void)program;

    return program_possible(err);
}

void program_stop(struct program *program)
{
    (void)program;
}
