/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the hypervisor's own schedlog-cache.c for arm64 on synthetic device trees.
 *
 * Fails if pCPUs share a cache that is not the last one of both, if a broken chain of caches names
 * one or is followed for ever, or if a cpu node counts for another pCPU.
 */
#include <string.h>

#include "cmocka-tap.h"

#include "world.h"

#include "arch/arm/arm64/schedlog-cache.c"

unsigned int nr_cpu_ids;
uint64_t fake_mpidr[NR_CPUS];

#define NR_CACHES 16

/* Caches have phandles from 10 on, pCPUs from 50 on. */
static struct {
    bool no_cpus; /* The host booted with ACPI. */
    int addr_cells;
    struct dt_device_node cpus, cpu[NR_CPUS], cache[NR_CACHES];
} tree;

struct dt_device_node *dt_find_node_by_path(const char *path)
{
    assert_string_equal(path, "/cpus");

    return tree.no_cpus ? NULL : &tree.cpus;
}

const void *dt_get_property(const struct dt_device_node *np, const char *name, uint32_t *size)
{
    for (unsigned int i = 0; i < 2; i++)
        if (np->properties[i].name && !strcmp(np->properties[i].name, name)) {
            if (size)
                *size = np->properties[i].size;
            return np->properties[i].cells;
        }

    return NULL;
}

struct dt_device_node *dt_parse_phandle(const struct dt_device_node *np, const char *name,
                                        int index)
{
    uint32_t size, i;
    const __be32 *cells = dt_get_property(np, name, &size);

    assert_int_equal(index, 0);
    for (i = 0; cells && size && i < NR_CACHES; i++)
        if (tree.cache[i].phandle == ntohl(*cells))
            return &tree.cache[i];

    return NULL;
}

bool dt_device_is_available(const struct dt_device_node *np)
{
    return !np->disabled;
}

bool dt_device_type_is_equal(const struct dt_device_node *np, const char *type)
{
    return np->type && !strcmp(np->type, type);
}

int dt_n_addr_cells(const struct dt_device_node *np)
{
    (void)np;

    return tree.addr_cells;
}

static void set_reg(struct dt_device_node *cpu, uint64_t mpidr)
{
    struct fake_property *reg = &cpu->properties[0];

    reg->name = "reg";
    reg->size = dt_cells_to_size(tree.addr_cells);
    reg->cells[tree.addr_cells - 1] = htonl(mpidr);
    if (tree.addr_cells > 1)
        reg->cells[0] = htonl(mpidr >> 32);
}

static void set_next(struct dt_device_node *node, uint32_t phandle)
{
    node->properties[1] =
        (struct fake_property){ "next-level-cache", { htonl(phandle) }, sizeof(__be32) };
}

static uint32_t phandle_of(unsigned int cache)
{
    return 10 + cache;
}

/* Six pCPUs of three clusters, without caches; cpu nodes in the order of the pCPUs. */
static int setup(void **state)
{
    (void)state;
    memset(&tree, 0, sizeof(tree));
    memset(caches, 0, sizeof(caches));
    tree.addr_cells = 1;
    nr_cpu_ids = 6;
    for (unsigned int i = 0; i < NR_CACHES; i++)
        tree.cache[i].phandle = phandle_of(i);
    for (unsigned int i = 0; i < NR_CPUS; i++) {
        fake_mpidr[i] = i < nr_cpu_ids ? (i / 2) << 8 | i % 2 : NO_MPIDR;
        tree.cpu[i] = (struct dt_device_node){ .type = "cpu", .phandle = 50 + i };
        tree.cpu[i].sibling = i + 1 < nr_cpu_ids ? &tree.cpu[i + 1] : NULL;
        if (i < nr_cpu_ids)
            set_reg(&tree.cpu[i], fake_mpidr[i]);
    }
    tree.cpus.child = &tree.cpu[0];

    return 0;
}

/* Each pCPU has a second level, cache 0 to 5; the third level of each cluster is cache 6 to 8. */
static void add_caches(void)
{
    for (unsigned int i = 0; i < nr_cpu_ids; i++) {
        set_next(&tree.cpu[i], phandle_of(i));
        set_next(&tree.cache[i], phandle_of(6 + i / 2));
    }
}

/* Compares the last-level caches with @expected; '-': unknown. */
static void found(const char *expected)
{
    char text[NR_CPUS + 1] = { 0 };

    assert_int_equal(fake_start(), 0);
    for (unsigned int i = 0; i < nr_cpu_ids; i++) {
        uint32_t cache = schedlog_cache_of(i);

        text[i] = cache == XEN_SCHEDLOG_NO_CACHE ? '-' : 'a' + cache - 10;
    }
    assert_string_equal(text, expected);
}

static void the_last_of_a_chain_is_shared(void **state)
{
    (void)state;
    add_caches();
    found("gghhii");
}

static void a_chain_may_have_one_cache(void **state)
{
    (void)state;
    for (unsigned int i = 0; i < nr_cpu_ids; i++)
        set_next(&tree.cpu[i], phandle_of(i / 3));
    found("aaabbb");
}

/* A cpu node has a phandle, for cpu-map. */
static void without_a_chain_there_is_nothing(void **state)
{
    (void)state;
    found("------");
    add_caches();
    tree.cpu[3].properties[1].name = NULL;
    found("ggh-ii");
}

static void without_a_device_tree_there_is_nothing(void **state)
{
    (void)state;
    add_caches();
    tree.no_cpus = true;
    found("------");
}

static void a_phandle_to_nowhere_is_unknown(void **state)
{
    (void)state;
    add_caches();
    set_next(&tree.cpu[1], 999);
    set_next(&tree.cache[2], 999);
    tree.cpu[5].properties[1].size = 0;
    found("g--hi-");
}

static void a_loop_is_left(void **state)
{
    (void)state;
    add_caches();
    set_next(&tree.cache[6], phandle_of(6));
    set_next(&tree.cache[7], phandle_of(2));
    found("----ii");
}

static void a_chain_has_a_limit(void **state)
{
    (void)state;
    for (unsigned int i = 0; i < nr_cpu_ids; i++)
        set_next(&tree.cpu[i], phandle_of(i));
    for (unsigned int i = 0; i < 7; i++)
        set_next(&tree.cache[i], phandle_of(i + 1));
    found("-hhhhh");
}

/* The chain of a pCPU ends before a cache that is off. */
static void a_disabled_cache_does_not_count(void **state)
{
    (void)state;
    add_caches();
    tree.cache[6].disabled = true;
    tree.cache[3].disabled = true;
    found("abh-ii");
}

/* The pCPU that Xen boots on is pCPU 0, wherever its node is. */
static void nodes_are_found_by_mpidr(void **state)
{
    (void)state;
    add_caches();
    fake_mpidr[0] = 0x200;
    fake_mpidr[4] = 0x000;
    found("ighhgi");
}

/* pCPUs differ in Aff3 alone. */
static void a_reg_may_have_64_bits(void **state)
{
    (void)state;
    tree.addr_cells = 2;
    for (unsigned int i = 0; i < nr_cpu_ids; i++) {
        fake_mpidr[i] = (uint64_t)i << 32;
        set_reg(&tree.cpu[i], fake_mpidr[i]);
    }
    add_caches();
    found("gghhii");
}

static void a_node_without_a_pcpu_is_skipped(void **state)
{
    (void)state;
    add_caches();
    /* maxcpus=4: the last two nodes are those of no pCPU. */
    nr_cpu_ids = 4;
    /* One that could not be started is not possible. */
    fake_mpidr[2] = NO_MPIDR;
    /* A node has no reg, or a short one; and one is no pCPU's. */
    tree.cpu[0].properties[0].name = NULL;
    tree.cpu[1].properties[0].size = 3;
    tree.cpu[3].type = NULL;
    found("----");
}

#define test(f) cmocka_unit_test_setup(f, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(the_last_of_a_chain_is_shared),
        test(a_chain_may_have_one_cache),
        test(without_a_chain_there_is_nothing),
        test(without_a_device_tree_there_is_nothing),
        test(a_phandle_to_nowhere_is_unknown),
        test(a_loop_is_left),
        test(a_chain_has_a_limit),
        test(a_disabled_cache_does_not_count),
        test(nodes_are_found_by_mpidr),
        test(a_reg_may_have_64_bits),
        test(a_node_without_a_pcpu_is_skipped),
    };

    return run_tap_tests(tests);
}
