/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * xl_vm_place.c
 *
 * vm_affinity="auto": before a guest is built, and with it its memory
 * allocated, xenschedd is asked on which NUMA node it should be.  The answer
 * is set as libxl's own NUMA placement would set it: node affinity, and the
 * soft affinity of all vCPUs.
 *
 * A guest is never kept from being created by this: without daemon, without
 * an answer in time, and without enough memory on the node, all is as without
 * the option.
 */

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <libxl.h>
#include <libxl_utils.h>

#include "xl.h"
#include "xl_utils.h"
#include "xl_vm_affinity.h"

#define TIMEOUT_S 2

/* The setting that the configuration has in ~/platform, or NULL. */
static const char *platform(const libxl_domain_create_info *c_info,
                            const char *key)
{
    char **kvs = c_info->platformdata;
    int i;

    for (i = 0; kvs && kvs[i] && kvs[i + 1]; i += 2)
        if (!strcmp(kvs[i], key))
            return kvs[i + 1];

    return NULL;
}

static bool is_auto(const libxl_domain_config *d_config)
{
    const char *value = platform(&d_config->c_info, "vm-affinity");

    return value && !strcmp(value, "auto");
}

static void forget_soft(libxl_domain_build_info *b_info)
{
    int i;

    for (i = 0; i < b_info->num_vcpu_soft_affinity; i++)
        libxl_bitmap_dispose(&b_info->vcpu_soft_affinity[i]);
    free(b_info->vcpu_soft_affinity);
    b_info->vcpu_soft_affinity = NULL;
    b_info->num_vcpu_soft_affinity = 0;
}

void vm_place_forget(libxl_domain_config *d_config)
{
    if (!is_auto(d_config))
        return;
    libxl_bitmap_dispose(&d_config->b_info.nodemap);
    forget_soft(&d_config->b_info);
    libxl_defbool_unset(&d_config->b_info.numa_placement);
}

/* The configuration need not say; then libxl makes one. */
static int nr_vcpus(const libxl_domain_build_info *b_info)
{
    return b_info->max_vcpus ? b_info->max_vcpus : 1;
}

static void gen_member(yajl_gen gen, const char *name, const char *value)
{
    if (!value)
        return;
    vm_affinity_gen_text(gen, name);
    vm_affinity_gen_text(gen, value);
}

/* For each disk: a name, or a number, as libxl accepts them. */
static void gen_back_ends(yajl_gen gen, const libxl_domain_config *d_config)
{
    char number[16];
    int i;

    vm_affinity_gen_text(gen, "backends");
    yajl_gen_array_open(gen);
    for (i = 0; i < d_config->num_disks; i++) {
        const libxl_device_disk *disk = &d_config->disks[i];

        snprintf(number, sizeof(number), "%u", disk->backend_domid);
        vm_affinity_gen_text(gen, disk->backend_domname
                                  ? disk->backend_domname : number);
    }
    yajl_gen_array_close(gen);
}

static yajl_gen gen_request(const libxl_domain_config *d_config)
{
    const libxl_domain_create_info *c_info = &d_config->c_info;
    yajl_gen gen = yajl_gen_alloc(NULL);
    char uuid[LIBXL_UUID_FMTLEN + 1];

    if (!gen)
        return NULL;
    snprintf(uuid, sizeof(uuid), LIBXL_UUID_FMT,
             LIBXL_UUID_BYTES(c_info->uuid));
    yajl_gen_map_open(gen);
    gen_member(gen, "command", "place");
    gen_member(gen, "name", c_info->name);
    gen_member(gen, "uuid", uuid);
    gen_member(gen, "pool", c_info->pool_name);
    gen_member(gen, "group", platform(c_info, "vm-affinity-group"));
    vm_affinity_gen_text(gen, "vcpus");
    yajl_gen_integer(gen, nr_vcpus(&d_config->b_info));
    gen_back_ends(gen, d_config);
    vm_affinity_gen_text(gen, "dry_run");
    yajl_gen_bool(gen, dryrun_only);
    yajl_gen_map_close(gen);

    return gen;
}

static const char *string(yajl_val object, const char *name)
{
    yajl_val value = vm_affinity_field(object, name, yajl_t_string);

    return YAJL_IS_STRING(value) ? YAJL_GET_STRING(value) : "no reason given";
}

/* The node, or -1; either way *why, to be freed, is the reason. */
static int read_answer(const char *line, char **why)
{
    yajl_val response = yajl_tree_parse(line, NULL, 0);
    yajl_val ok = vm_affinity_field(response, "ok", yajl_t_any);
    yajl_val result = vm_affinity_field(response, "result", yajl_t_object);
    yajl_val node = vm_affinity_field(result, "node", yajl_t_number);
    int number = -1;

    if (YAJL_IS_TRUE(ok) && YAJL_IS_INTEGER(node) &&
        YAJL_GET_INTEGER(node) >= 0 && YAJL_GET_INTEGER(node) < INT_MAX)
        number = YAJL_GET_INTEGER(node);
    if (YAJL_IS_TRUE(ok))
        xasprintf(why, "%s", string(result, "reason"));
    else if (YAJL_IS_FALSE(ok))
        xasprintf(why, "xenschedd: %s", string(response, "error"));
    else
        xasprintf(why, "the answer of xenschedd makes no sense");
    yajl_tree_free(response);

    return number;
}

static int ask(const libxl_domain_config *d_config, char **why)
{
    yajl_gen request = gen_request(d_config);
    int node = -1;
    char *line;

    if (!request) {
        xasprintf(why, "out of memory");
        return -1;
    }
    line = vm_affinity_ask(request, TIMEOUT_S, why);
    if (line)
        node = read_answer(line, why);
    free(line);
    yajl_gen_free(request);

    return node;
}

/* libxl fills in defaults when it is asked, which is not ours to do. */
static int needed_memory(const libxl_domain_config *d_config, uint64_t *memkb)
{
    libxl_domain_config copy;
    int rc;

    libxl_domain_config_init(&copy);
    libxl_domain_config_copy(ctx, &copy, d_config);
    rc = libxl_domain_need_memory(ctx, &copy, INVALID_DOMID, memkb);
    libxl_domain_config_dispose(&copy);

    return rc;
}

/* Else Xen takes the rest from other nodes. */
static bool has_memory(const libxl_domain_config *d_config, int node,
                       char **why)
{
    uint64_t free_kb = 0, need_kb;
    libxl_numainfo *info;
    int nr;

    if (needed_memory(d_config, &need_kb)) {
        xasprintf(why, "the memory that it needs is unknown");
        return false;
    }
    info = libxl_get_numainfo(ctx, &nr);
    if (info && node < nr && info[node].size != LIBXL_NUMAINFO_INVALID_ENTRY)
        free_kb = info[node].free / 1024;
    if (info)
        libxl_numainfo_list_free(info, nr);
    if (free_kb >= need_kb)
        return true;
    xasprintf(why, "it should be on node %d, which has %" PRIu64 " MiB of free "
              "memory, but it needs %" PRIu64 " MiB", node, free_kb / 1024,
              (need_kb + 1023) / 1024);

    return false;
}

/* As libxl__build_pre() does with what it has chosen. */
static int set_node(libxl_domain_build_info *b_info, int node)
{
    int i;

    if (libxl_node_bitmap_alloc(ctx, &b_info->nodemap, 0))
        return ERROR_FAIL;
    libxl_bitmap_set(&b_info->nodemap, node);
    b_info->vcpu_soft_affinity = xcalloc(nr_vcpus(b_info),
                                         sizeof(libxl_bitmap));
    for (i = 0; i < nr_vcpus(b_info); i++) {
        libxl_bitmap *soft = &b_info->vcpu_soft_affinity[i];

        libxl_bitmap_init(soft);
        b_info->num_vcpu_soft_affinity++;
        if (libxl_cpu_bitmap_alloc(ctx, soft, 0) ||
            libxl_nodemap_to_cpumap(ctx, &b_info->nodemap, soft))
            return ERROR_FAIL;
    }
    libxl_defbool_set(&b_info->numa_placement, false);

    return 0;
}

static int place(libxl_domain_config *d_config, char **why)
{
    char *lack = NULL;
    int node;

    if (d_config->b_info.num_vcpu_hard_affinity) {
        xasprintf(why, "its hard affinity limits where it can be (vm.cpumask "
                  "in xl.conf, or cpus= when it was saved)");
        return -1;
    }
    node = ask(d_config, why);
    if (node < 0)
        return -1;
    if (has_memory(d_config, node, &lack) &&
        !set_node(&d_config->b_info, node))
        return node;
    if (!lack)
        xasprintf(&lack, "libxl knows no node %d", node);
    free(*why);
    *why = lack;
    vm_place_forget(d_config);

    return -1;
}

void vm_place(libxl_domain_config *d_config)
{
    char *why = NULL;
    int node;

    if (!is_auto(d_config))
        return;
    /* A guest that was saved, or that reboots, still has its old node. */
    vm_place_forget(d_config);
    node = place(d_config, &why);
    if (node >= 0)
        fprintf(stderr, "vm_affinity=\"auto\": to node %d: ", node);
    else
        fprintf(stderr, "vm_affinity=\"auto\": not used: ");
    vm_affinity_print_text(stderr, 0, why);
    fputc('\n', stderr);
    free(why);
}

/*
 * Local variables:
 * mode: C
 * c-basic-offset: 4
 * indent-tabs-mode: nil
 * End:
 */
