/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the machine model: where an access finds its line, which cache has the line afterwards,
 * and which descriptions of machines it accepts.
 *
 * Two sockets of four cores, two of which share a last-level cache: cores 0 and 1, 2 and 3, then 4
 * to 7 on the other socket.  An L1 has 2 lines, an L2 4, a last-level cache 8.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"

#include "../../machine/cache.c"
#include "../../machine/description.c"
#include "../../machine/index.c"
#include "../../machine/model.c"
#include "../../machine/queue.c"

static struct model model;

static void begin(void)
{
    /* One set each, which is smaller than a description may request. */
    static const struct { unsigned int lines; } sizes[] = { {2}, {4}, {8} };
    struct machine machine = {
        .sockets = 2, .cores = 4, .cores_per_llc = 2,
        .l1_kib = 1, .l1_ways = 16, .l2_kib = 1, .l2_ways = 16,
        .llc_kib = 1, .llc_ways = 16,
        .l2_ns = 1, .llc_ns = 2, .same_llc_ns = 4, .same_socket_ns = 8,
        .other_socket_ns = 16, .dram_local_ns = 32, .dram_remote_ns = 64,
        /* 4 and 2 lines in a microsecond */
        .dram_gbs = 0.256, .link_gbs = 0.128,
    };

    assert_true(model_init(&model, &machine, 4));
    for (unsigned int i = 0; i < 8; i++) {
        model.l1[i].ways = sizes[0].lines;
        model.l2[i].ways = sizes[1].lines;
        if (i < 4)
            model.llc[i].ways = sizes[2].lines;
    }
}

static void end(void)
{
    model_free(&model);
}

/* The lines of node 1 have numbers from NODE_1 on. */
#define NODE_1 1000000

static double reads(unsigned int pcpu, uint64_t line)
{
    return model_access(&model, pcpu, line, line >= NODE_1, false);
}

static double writes(unsigned int pcpu, uint64_t line)
{
    return model_access(&model, pcpu, line, line >= NODE_1, true);
}

/* Fails unless the access counts one more @name, and nothing else (but @also). */
#define ONE(access, pcpu, name, ...)                                         \
    do {                                                                     \
        struct counts before = model.counts[pcpu], wanted = before;          \
                                                                             \
        access;                                                              \
        before = wanted;                                                     \
        wanted.reads = model.counts[pcpu].reads;                             \
        wanted.writes = model.counts[pcpu].writes;                           \
        assert_int_equal(wanted.reads + wanted.writes,                       \
                         before.reads + before.writes + 1);                  \
        wanted.name++;                                                       \
        __VA_ARGS__;                                                         \
        assert_memory_equal(&model.counts[pcpu], &wanted, sizeof(wanted));   \
    } while (0)

static void a_line_is_found_where_it_was_left(void **state)
{
    (void)state;
    begin();
    ONE(reads(0, 1), 0, dram_local);
    ONE(reads(0, 1), 0, l1);
    ONE(reads(0, NODE_1), 0, dram_remote);
    ONE(reads(4, NODE_1 + 1), 4, dram_local);
    ONE(reads(4, 9), 4, dram_remote);
    end();
}

static void an_access_waits_for_its_line(void **state)
{
    (void)state;
    begin();
    assert_true(reads(0, 1) == 32);
    assert_true(reads(0, 1) == 0);
    assert_true(reads(0, NODE_1) == 64);
    assert_true(reads(1, 1) == 4);
    assert_true(reads(2, 1) == 32);     /* no cache owns it: from memory */
    assert_true(writes(0, 1) == 8);     /* taken from core 1, and from core 2 */
    assert_true(writes(0, 1) == 0);
    assert_true(reads(4, 1) == 16);
    assert_true(writes(2, 1) == 32);    /* the line, without an upgrade */
    end();
}

static void the_least_recently_used_one_leaves(void **state)
{
    (void)state;
    begin();
    for (unsigned int line = 1; line <= 4; line++)
        reads(0, line);
    ONE(reads(0, 1), 0, l2);
    ONE(reads(0, 4), 0, l1);
    ONE(reads(0, 5), 0, dram_local);    /* line 2 leaves the L2 ... */
    ONE(reads(0, 2), 0, llc);           /* ... for the last-level cache */
    ONE(reads(0, 1), 0, l2);
    end();
}

static void a_line_that_leaves_the_l2_leaves_the_l1(void **state)
{
    (void)state;
    begin();
    reads(0, 1);
    for (unsigned int line = 2; line <= 4; line++) {
        reads(0, line);
        ONE(reads(0, 1), 0, l1);       /* the L2 does not see this use */
    }
    reads(0, 5);
    ONE(reads(0, 1), 0, llc);
    end();
}

static void a_changed_line_goes_back_to_memory_in_the_end(void **state)
{
    (void)state;
    begin();
    writes(0, 1);
    for (unsigned int line = 2; line <= 1 + 4 + 8 - 1; line++)
        reads(0, line);
    assert_int_equal(model.counts[0].writebacks, 0);
    ONE(reads(0, 100), 0, dram_local, wanted.writebacks++);
    ONE(reads(0, 1), 0, dram_local);
    end();
}

static void an_owned_line_comes_from_its_owner(void **state)
{
    (void)state;
    begin();
    reads(0, 1);                       /* owned, not changed */
    ONE(reads(1, 1), 1, same_llc);
    writes(0, 2);
    ONE(reads(2, 2), 2, same_socket, wanted.writebacks++);
    writes(0, 3);
    ONE(reads(4, 3), 4, other_socket, wanted.writebacks++);
    end();
}

static void a_shared_line_comes_from_ones_own_cache_or_from_memory(void **state)
{
    (void)state;
    begin();
    reads(0, 1);
    reads(1, 1);                       /* has no owner from now on */
    ONE(reads(2, 1), 2, dram_local);
    ONE(reads(4, 1), 4, dram_remote);
    ONE(reads(3, 1), 3, same_llc);
    end();
}

static void a_writer_takes_it_from_the_others(void **state)
{
    (void)state;
    begin();
    reads(0, 1);
    reads(1, 1);
    ONE(writes(0, 1), 0, l1, wanted.upgrade_same_llc++);
    ONE(reads(1, 1), 1, same_llc, wanted.writebacks++);
    reads(2, 1);
    ONE(writes(0, 1), 0, l1, wanted.upgrade_same_socket++);
    reads(4, 1);
    ONE(writes(0, 1), 0, l1, wanted.upgrade_other_socket++);
    ONE(writes(0, 1), 0, l1);
    ONE(writes(4, 1), 4, other_socket, wanted.writebacks++);
    ONE(writes(0, 1), 0, other_socket, wanted.writebacks++);
    end();
}

static void a_line_only_one_has_needs_no_upgrade(void **state)
{
    (void)state;
    begin();
    reads(0, 1);
    ONE(writes(0, 1), 0, l1);
    for (unsigned int line = 2; line <= 6; line++)
        reads(0, line);
    ONE(writes(0, 1), 0, llc);         /* out of its own cache */
    ONE(reads(4, 1), 4, other_socket, wanted.writebacks++);
    end();
}

static void a_line_that_left_a_core_is_in_its_last_level_cache(void **state)
{
    (void)state;
    begin();
    writes(0, 1);
    for (unsigned int line = 2; line <= 6; line++)
        reads(0, line);
    ONE(reads(2, 1), 2, same_socket, wanted.writebacks++);
    ONE(reads(1, 1), 1, llc);
    end();
}

static double clock_ns;

static double now(void)
{
    return clock_ns;
}

static void begin_at(double ns)
{
    begin();
    model.now = now;
    clock_ns = ns;
}

static void memory_has_a_bandwidth(void **state)
{
    (void)state;
    begin_at(5300);
    for (unsigned int line = 1; line <= 4; line++)
        assert_true(reads(line % 4, line) == 32);
    ONE(assert_true(reads(0, 5) == 32 + 700), 0, dram_local, wanted.queued++);
    assert_true(reads(4, NODE_1) == 32);        /* another socket's */
    clock_ns = 4900;                            /* a pCPU that is behind */
    assert_true(reads(1, 6) == 32);
    clock_ns = 6000;
    for (unsigned int line = 7; line <= 9; line++)
        assert_true(reads(line % 4, line) == 32);
    assert_true(reads(2, 10) == 32 + 1000);     /* line 5 has a place of these four */
    end();
}

static void the_link_between_sockets_has_one(void **state)
{
    (void)state;
    begin_at(5300);
    reads(4, 1);                                /* node 0's link: from memory */
    assert_true(reads(5, 1) == 4);              /* needs no link */
    reads(0, 2);
    assert_true(reads(4, 2) == 16);             /* the second line, from a core */
    assert_true(reads(4, 3) == 64 + 700);
    assert_true(reads(0, NODE_1) == 64);        /* the other way */
    end();
}

static void a_line_that_goes_back_to_memory_takes_a_place(void **state)
{
    (void)state;
    begin_at(0);
    for (unsigned int line = 1; line <= 3; line++)
        writes(0, line);
    clock_ns = 9000;
    for (unsigned int line = 1; line <= 3; line++)
        assert_true(reads(1, line) == 4);
    assert_int_equal(model.counts[1].writebacks, 3);
    assert_true(reads(0, 5) == 32);
    assert_true(reads(0, 6) == 32 + 1000);

    for (unsigned int line = 0; line < 3; line++)
        writes(4, NODE_1 + line);
    clock_ns = 20000;
    for (unsigned int line = 0; line < 3; line++)
        reads(5, NODE_1 + line);
    assert_true(reads(4, NODE_1 + 3) == 32);
    assert_true(reads(4, NODE_1 + 4) == 32 + 1000);
    end();
}

static void bandwidth_holds_over_a_long_time(void **state)
{
    struct queue queue;
    double wait = 0;

    (void)state;
    queue_init(&queue, 0.1);                    /* 1.5625 lines in a microsecond */
    for (unsigned int i = 0; i < 100; i++)
        wait = queue_wait(&queue, 0);
    assert_true(wait > 62000 && wait <= 64000);
    for (unsigned int i = 0; i < 1000; i++)
        assert_true(queue_wait(&queue, 0) <= 128000);
}

static void nobody_sees_a_line_before_it_was_written(void **state)
{
    (void)state;
    begin_at(5000);
    writes(0, 1);                               /* at 5032 */
    clock_ns = 4500;
    assert_true(reads(1, 1) == 4 + 532);
    assert_true(reads(1, 1) == 0);
    clock_ns = 5500;
    assert_true(writes(1, 1) == 4);             /* an upgrade, done at 5504 */
    clock_ns = 5400;
    assert_true(writes(0, 1) == 4 + 104);
    clock_ns = 6000;
    assert_true(reads(4, 1) == 16);
    end();
}

static void each_access_is_in_one_place(void **state)
{
    uint64_t random = 1, places = 0, accesses = 0;

    (void)state;
    begin();
    for (unsigned int i = 0; i < 200000; i++) {
        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        model_access(&model, random >> 61, (random >> 32) % 40,
                     (random >> 40) & 1, (random >> 45) % 3 == 0);
    }
    for (unsigned int i = 0; i < 8; i++) {
        const struct counts *c = &model.counts[i];

        accesses += c->reads + c->writes;
        places += c->l1 + c->l2 + c->llc + c->same_llc + c->same_socket +
                  c->other_socket + c->dram_local + c->dram_remote;
        assert_true(c->upgrade_same_llc && c->upgrade_same_socket &&
                    c->upgrade_other_socket && c->writebacks);
    }
    assert_int_equal(accesses, 200000);
    assert_int_equal(places, accesses);
    end();
}

/* The directory has the same owner of each line as the caches. */
static void the_directory_agrees_with_the_caches(void **state)
{
    uint64_t random = 7;

    (void)state;
    begin();
    for (unsigned int i = 0; i < 20000; i++) {
        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        model_access(&model, random >> 61, (random >> 32) % 40,
                     0, (random >> 45) % 3 == 0);
        for (uint64_t nr = 0; nr < 40; nr++) {
            const struct line *line = find_line(&model, nr);

            for (unsigned int cpu = 0; cpu < 8; cpu++) {
                struct cache *l2 = &model.l2[cpu], *l1 = &model.l1[cpu];
                bool has = find(l2, l2->lines, nr) < l2->ways;

                assert_int_equal(has, line->cores >> cpu & 1);
                assert_true(has || find(l1, l1->lines, nr) == l1->ways);
            }
            for (unsigned int llc = 0; llc < 4; llc++) {
                struct cache *cache = &model.llc[llc];

                assert_int_equal(find(cache, cache->lines, nr) < cache->ways,
                                 line->llcs >> llc & 1);
            }
            assert_true(!line->dirty || line->owner != NOBODY);
        }
    }
    end();
}

static void being_emptied_forgets_all(void **state)
{
    (void)state;
    begin();
    writes(0, 1);
    model_empty(&model);
    ONE(reads(1, 1), 1, dram_local);
    end();
}

/* Descriptions of machines. */

static char why[256];

static int read_text(struct machine *machine, const char *text)
{
    char path[] = "/tmp/machine-XXXXXX";
    int fd = mkstemp(path), rc;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    rc = machine_read(machine, path, why, sizeof(why));
    unlink(path);

    return rc;
}

#define COSTS "ghz 2\ncpi 0.5\nl2_ns 5\nllc_ns 20\nsame_llc_ns 40\n"    \
              "same_socket_ns 90\nother_socket_ns 150\ndram_local_ns 100\n" \
              "pause_ns 40\npio_ns 1000\nmmio_ns 250\nipi_near_ns 500\n"     \
              "ipi_far_ns 1500\ndram_gbs 100\nlink_gbs 30\n"
#define SIZES "sockets 2\ncores 4\nl1_kib 32\nl1_ways 8\nl2_kib 256\n" \
              "l2_ways 8\nllc_kib 2048\nllc_ways 16\n"

static void a_description_is_read(void **state)
{
    struct machine machine;

    (void)state;
    assert_int_equal(read_text(&machine, "# one\n\n" SIZES COSTS
                               "cores_per_llc 2 # two\n"
                               "dram_remote_ns 180.5\n"), 0);
    assert_int_equal(machine.sockets, 2);
    assert_int_equal(machine.llc_ways, 16);
    assert_true(machine.dram_remote_ns == 180.5);
}

static void refused(const char *text, const char *wanted)
{
    struct machine machine;

    assert_int_equal(read_text(&machine, text), -1);
    if (!strstr(why, wanted))
        fail_msg("\"%s\" does not say \"%s\"", why, wanted);
}

static void the_mistake_of_a_description_is_named(void **state)
{
    (void)state;
    refused(SIZES COSTS "cores_per_llc 2\n", "dram_remote_ns is missing");
    refused("sockets 2\nsockets 2\n", ":2: sockets is there twice");
    refused("socket 2\n", ":1: socket is no key");
    refused("ghz fast\n", "ghz needs a number above 0");
    refused("ghz -1\n", "ghz needs a number above 0");
    refused("ghz\n", "ghz needs one value");
    refused("ghz 1 2\n", "ghz needs one value");
    refused("cores 2.5\n", "cores needs a whole number");
    refused("cores 1000\n", "cores needs a whole number");
    refused(SIZES COSTS "dram_remote_ns 1\ncores_per_llc 3\n",
            "cores_per_llc does not divide cores");
}

static void the_descriptions_of_this_tree_are_read(void **state)
{
    static const char *const names[] = { "xeon2", "epyc2", "small2" };
    struct machine machine;
    char path[512];

    (void)state;
    for (unsigned int i = 0; i < 3; i++) {
        snprintf(path, sizeof(path), "%s/%s", getenv("MACHINES"), names[i]);
        if (machine_read(&machine, path, why, sizeof(why)))
            fail_msg("%s", why);
        assert_int_equal(machine.sockets, 2);
    }
}

/*
 * Two vCPUs execute a block of their own, and one of Xen's, in turn.  @folded: QEMU has put the
 * index of the vCPU that translated the block into the block.
 */
static enum index_verdict verdict_of(bool folded)
{
    struct index_check check = { .first = INDEX_NOBODY };
    enum index_verdict verdict = INDEX_UNKNOWN;
    int of_its_own[2] = { INDEX_NOBODY, INDEX_NOBODY }, xens = INDEX_NOBODY;

    for (unsigned int i = 0; !verdict && i < 3 * INDEX_BLOCKS; i++) {
        int vcpu = i & 1;

        verdict = index_executed(&check, &of_its_own[vcpu], vcpu);
        if (!verdict)
            verdict = index_executed(&check, &xens, folded ? 0 : vcpu);
    }

    return verdict;
}

static void a_block_of_two_vcpus_shows_that_indices_are_right(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(false), INDEX_RIGHT);
}

static void blocks_of_one_vcpu_each_show_that_indices_are_wrong(void **state)
{
    (void)state;
    assert_int_equal(verdict_of(true), INDEX_WRONG);
}

static void while_one_vcpu_runs_nothing_is_known(void **state)
{
    struct index_check check = { .first = INDEX_NOBODY };
    int owner = INDEX_NOBODY;

    (void)state;
    for (unsigned int i = 0; i < 2 * INDEX_BLOCKS; i++)
        if (index_executed(&check, &owner, 0) != INDEX_UNKNOWN)
            fail_msg("a verdict after %u blocks", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_of_two_vcpus_shows_that_indices_are_right),
        cmocka_unit_test(blocks_of_one_vcpu_each_show_that_indices_are_wrong),
        cmocka_unit_test(while_one_vcpu_runs_nothing_is_known),
        cmocka_unit_test(a_line_is_found_where_it_was_left),
        cmocka_unit_test(an_access_waits_for_its_line),
        cmocka_unit_test(the_least_recently_used_one_leaves),
        cmocka_unit_test(a_line_that_leaves_the_l2_leaves_the_l1),
        cmocka_unit_test(a_changed_line_goes_back_to_memory_in_the_end),
        cmocka_unit_test(an_owned_line_comes_from_its_owner),
        cmocka_unit_test(a_shared_line_comes_from_ones_own_cache_or_from_memory),
        cmocka_unit_test(a_writer_takes_it_from_the_others),
        cmocka_unit_test(a_line_only_one_has_needs_no_upgrade),
        cmocka_unit_test(a_line_that_left_a_core_is_in_its_last_level_cache),
        cmocka_unit_test(memory_has_a_bandwidth),
        cmocka_unit_test(the_link_between_sockets_has_one),
        cmocka_unit_test(a_line_that_goes_back_to_memory_takes_a_place),
        cmocka_unit_test(bandwidth_holds_over_a_long_time),
        cmocka_unit_test(nobody_sees_a_line_before_it_was_written),
        cmocka_unit_test(each_access_is_in_one_place),
        cmocka_unit_test(the_directory_agrees_with_the_caches),
        cmocka_unit_test(being_emptied_forgets_all),
        cmocka_unit_test(a_description_is_read),
        cmocka_unit_test(the_mistake_of_a_description_is_named),
        cmocka_unit_test(the_descriptions_of_this_tree_are_read),
    };

    return run_tap_tests(tests);
}
