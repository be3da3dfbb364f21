/* SPDX-License-Identifier: GPL-2.0-only */
/* program.c - see program.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "program.h"

#define TYPES "/sys/kernel/btf/"

/* rings.bpf.o, as clang made it (-Wa,-I says where). */
asm(".pushsection .rodata\n"
    ".balign 8\n"
    "rings_object:\n"
    ".incbin \"rings.bpf.o\"\n"
    "rings_object_end:\n"
    ".popsection\n");

extern const char rings_object[], rings_object_end[];

struct program {
    struct bpf_object *object;
    struct bpf_link *link;
};

/* The first complaint of libbpf since it was emptied. */
static char complaint[200];

static int keep_complaint(enum libbpf_print_level level, const char *format,
                          va_list arguments)
{
    if (level == LIBBPF_WARN && !*complaint) {
        vsnprintf(complaint, sizeof(complaint), format, arguments);
        complaint[strcspn(complaint, "\n")] = '\0';
    }

    return 0;
}

int program_possible(struct xensched_error *err)
{
    if (access(TYPES "vmlinux", R_OK))
        return xensched_fail(err, ENOENT, "there is no " TYPES "vmlinux: eBPF "
                             "needs a kernel with CONFIG_DEBUG_INFO_BTF");
    if (access(TYPES "xen_blkback", R_OK))
        return xensched_fail(err, ENOENT, "there is no " TYPES "xen_blkback: "
                             "the module is not loaded, or was built without "
                             "CONFIG_DEBUG_INFO_BTF_MODULES");

    return 0;
}

int program_nr_cpus(void)
{
    return libbpf_num_possible_cpus();
}

int program_map(const char *name, size_t bytes, uint32_t nr, bool shared)
{
    LIBBPF_OPTS(bpf_map_create_opts, options,
                .map_flags = shared ? BPF_F_MMAPABLE : 0);

    return bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(uint32_t), bytes,
                          nr, &options);
}

int program_write(int map, uint32_t nr, const void *entry)
{
    return bpf_map_update_elem(map, &nr, entry, BPF_ANY) ? -errno : 0;
}

static int use_map(struct bpf_object *object, const char *name, int fd)
{
    struct bpf_map *map = bpf_object__find_map_by_name(object, name);

    return map ? bpf_map__reuse_fd(map, fd) : -ENOENT;
}

static int set_facts(struct bpf_object *object, const struct rings_facts *facts)
{
    struct bpf_map *map;

    bpf_object__for_each_map(map, object)
        if (strstr(bpf_map__name(map), ".rodata"))
            return bpf_map__set_initial_value(map, facts, sizeof(*facts));

    return -ENOENT;
}

static int load(struct program *p, const struct program_maps *maps,
                const struct rings_facts *facts)
{
    int rc = use_map(p->object, "global", maps->global);

    if (!rc)
        rc = use_map(p->object, "cpus", maps->cpus);
    if (!rc)
        rc = use_map(p->object, "own", maps->own);
    if (!rc)
        rc = set_facts(p->object, facts);

    return rc ? rc : bpf_object__load(p->object);
}

static int attach_it(struct program *p)
{
    p->link = bpf_program__attach(bpf_object__next_program(p->object, NULL));

    return p->link ? 0 : -errno;
}

static int fail(struct xensched_error *err, int rc, const char *what)
{
    const char *words = *complaint ? complaint : strerror(-rc);

    return xensched_fail(err, -rc, "%s the eBPF program: %s", what, words);
}

int program_start(const struct program_maps *maps,
                  const struct rings_facts *facts, bool attach,
                  struct program **program, struct xensched_error *err)
{
    struct program *p = calloc(1, sizeof(*p));
    const char *what = "loading";
    int rc;

    if (!p)
        return xensched_fail(err, ENOMEM, "out of memory");
    *complaint = '\0';
    libbpf_set_print(keep_complaint);
    p->object = bpf_object__open_mem(rings_object,
                                     rings_object_end - rings_object, NULL);
    rc = p->object ? load(p, maps, facts) : -errno;
    if (!rc && attach) {
        what = "attaching";
        rc = attach_it(p);
    }
    if (rc) {
        rc = fail(err, rc, what);
        program_stop(p);
        return rc;
    }
    *program = p;

    return 0;
}

void program_stop(struct program *program)
{
    if (!program)
        return;
    bpf_link__destroy(program->link);
    bpf_object__close(program->object);
    free(program);
}
