/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * By whom xenschedd knows what dom0's disks do: our module, or else an eBPF program while
 * there is a disk, or else statistics.  Fails if two of them are counted, if none is, or
 * if the program is there while it is not needed.  The program is made up here, on the
 * handler that the true one has; the true one is in the host test disks-ebpf.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "feeds-world.h"

#define rings_inline inline
#define RINGS_NOW_NS() 0

#include "ebpf/program.h"
#include "ebpf/record.h"

#define NR_CPUS 2

/* What is in the kernel. */
static bool possible, refused, loaded;
static unsigned int starts;
static struct program_maps maps;
static struct rings_facts facts;
static size_t cpu_bytes, own_bytes, global_bytes;

int program_possible(struct xensched_error *err)
{
    return possible ? 0 : xensched_fail(err, ENOENT, "no types");
}

int program_nr_cpus(void)
{
    return NR_CPUS;
}

int program_map(const char *name, size_t bytes, uint32_t nr, bool shared)
{
    int fd = memfd_create(name, MFD_CLOEXEC);

    (void)shared;
    *(!strcmp(name, "cpus") ? &cpu_bytes :
      !strcmp(name, "own") ? &own_bytes : &global_bytes) = bytes;
    assert_return_code(ftruncate(fd, bytes * nr), errno);

    return fd;
}

int program_write(int map, uint32_t nr, const void *entry)
{
    assert_int_equal(pwrite(map, entry, own_bytes, nr * own_bytes), own_bytes);

    return 0;
}

int program_start(const struct program_maps *its_maps,
                  const struct rings_facts *its_facts, bool attach,
                  struct program **program, struct xensched_error *err)
{
    assert_true(attach);
    assert_false(loaded);
    starts++;
    if (refused)
        return xensched_fail(err, EINVAL, "it is not liked");
    maps = *its_maps;
    facts = *its_facts;
    loaded = true;
    *program = (struct program *)&loaded;

    return 0;
}

void program_stop(struct program *program)
{
    if (program)
        loaded = false;
}

static void *map_all(int fd, size_t bytes)
{
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    assert_true(base != MAP_FAILED);

    return base;
}

/* A request is complete on CPU 1; without the program nobody sees it. */
static void serve(uint32_t domid, uint64_t pages)
{
    uint8_t *global, *cpus, *own;
    const uint16_t *numbers;
    uint64_t route;

    if (!loaded)
        return;
    global = map_all(maps.global, global_bytes);
    cpus = map_all(maps.cpus, NR_CPUS * cpu_bytes);
    own = map_all(maps.own, NR_CPUS * own_bytes);
    numbers = (void *)(global + facts.numbers_at);
    route = ((uint64_t *)(global + XEN_SCHEDLOG_ROUTES_OFFSET))
        [numbers[facts.own_domid] * XEN_SCHEDLOG_NR_EVENTS + PAGES];
    rings_record(&facts, (void *)(own + own_bytes), cpus + cpu_bytes, route,
                 PAGES | (uint32_t)numbers[facts.own_domid] << 16 |
                 (uint64_t)numbers[domid] << 32, pages);
    munmap(global, global_bytes);
    munmap(cpus, NR_CPUS * cpu_bytes);
    munmap(own, NR_CPUS * own_bytes);
}

/* What Linux shows of its disks. */

static char folder[40];

static void write_number(const char *way, const char *name, uint64_t number)
{
    char path[100];
    FILE *file;

    snprintf(path, sizeof(path), "%s/vbd-4-51712/statistics/%s_%s", folder, way,
             name);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%llu\n", (unsigned long long)number);
    fclose(file);
}

/* A request for each page. */
static void moved(const char *way, uint64_t pages)
{
    write_number(way, "sect", 8 * pages);
    write_number(way, "req", pages);
}

static void make_disk(void)
{
    char path[100];

    snprintf(path, sizeof(path), "%s/vbd-4-51712", folder);
    mkdir(path, 0700);
    strcat(path, "/statistics");
    mkdir(path, 0700);
    moved("rd", 0);
    moved("wr", 0);
}

static void remove_disk(void)
{
    char command[100];

    snprintf(command, sizeof(command), "rm -rf %s/vbd-4-51712", folder);
    assert_int_equal(system(command), 0);
}

static int begin(void **state)
{
    possible = true;
    refused = loaded = false;
    starts = 0;
    strcpy(folder, "/tmp/test-requests.XXXXXX");
    assert_non_null(mkdtemp(folder));
    if (setup(state))
        return -1;
    feeds.disks.vbds.folder = folder;

    return 0;
}

static int end(void **state)
{
    int rc = teardown(state);

    remove_disk();

    return rc || rmdir(folder) || loaded;
}

/* As the core knows them after its first plan, for statistics. */
static void let_it_know_domains(void)
{
    struct xensched_error err;

    assert_int_equal(core_bind_new(&core, &core.domains, now, &err), 0);
}

static const struct feed *program(void)
{
    return feed("ebpf");
}

static uint64_t pages(void)
{
    return total_of(PAGES, DOM0_ACCT, CLIENT_ACCT);
}

static void there_is_a_program_while_there_is_a_disk(void **state)
{
    (void)state;
    wait_for(3);
    assert_int_equal(program()->state, FEED_ABSENT);
    assert_int_equal(starts, 0);
    make_disk();
    wait_for(1);
    assert_int_equal(program()->state, FEED_READING);
    assert_true(loaded);
    wait_for(5);
    assert_int_equal(starts, 1);
    remove_disk();
    wait_for(1);
    assert_int_equal(program()->state, FEED_ABSENT);
    assert_false(loaded);
}

static void each_request_counts_once(void **state)
{
    (void)state;
    let_it_know_domains();
    make_disk();
    wait_for(1);
    serve(CLIENT, 33);
    serve(CLIENT, 1);
    moved("rd", 34);
    wait_for(2);
    assert_int_equal(pages(), 34);
    assert_int_equal(program()->refused, 0);
}

/* Its domid may have been another's before. */
static void of_whom_nobody_knows_nothing_is_logged(void **state)
{
    (void)state;
    make_disk();
    wait_for(1);
    serve(99, 5);
    wait_for(1);
    assert_int_equal(total_of(PAGES, DOM0_ACCT, 0), 0);
    assert_int_equal(pages(), 0);
}

static void our_module_comes_first(void **state)
{
    (void)state;
    make_disk();
    wait_for(1);
    assert_true(loaded);
    device.there = true;
    device.built = 1U << PAGES;
    wait_for(6);
    assert_int_equal(feed("linux")->state, FEED_READING);
    assert_int_equal(program()->state, FEED_ABSENT);
    assert_false(loaded);
    emit_dom0(CLIENT_ACCT, 7);
    moved("wr", 7);
    wait_for(1);
    assert_int_equal(pages(), 7);
}

/* It may be loaded for threads alone. */
static void a_module_without_rings_is_no_reason(void **state)
{
    (void)state;
    device.there = true;
    make_disk();
    wait_for(6);
    assert_int_equal(feed("linux")->state, FEED_READING);
    assert_true(loaded);
    serve(CLIENT, 3);
    wait_for(1);
    assert_int_equal(pages(), 3);
}

static void where_it_cannot_be_there_are_statistics(void **state)
{
    (void)state;
    possible = false;
    let_it_know_domains();
    make_disk();
    wait_for(1);
    assert_int_equal(program()->state, FEED_ABSENT);
    assert_string_equal(program()->reason, "no types");
    moved("wr", 5);
    wait_for(1);
    assert_int_equal(pages(), 5);
}

static void and_where_the_kernel_refuses_it(void **state)
{
    (void)state;
    refused = true;
    let_it_know_domains();
    make_disk();
    wait_for(1);
    assert_int_equal(program()->state, FEED_FAILED);
    assert_string_equal(program()->reason, "it is not liked");
    moved("wr", 5);
    wait_for(1);
    assert_int_equal(pages(), 5);
    wait_for(60);
    assert_in_range(starts, 2, 8);
    refused = false;
    wait_for(60);
    assert_true(loaded);
}

static void what_is_not_to_be_logged_needs_none(void **state)
{
    (void)state;
    feeds_free(&feeds);
    start_feeds("evtchn-send,ring-sectors");
    feeds.disks.vbds.folder = folder;
    make_disk();
    wait_for(3);
    assert_int_equal(starts, 0);
}

static void nothing_of_it_stays(void **state)
{
    (void)state;
    make_disk();
    wait_for(1);
    assert_true(loaded);
    feeds_free(&feeds);
    assert_false(loaded);
    start_feeds("none");
}

#define requests_test(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        requests_test(there_is_a_program_while_there_is_a_disk),
        requests_test(each_request_counts_once),
        requests_test(of_whom_nobody_knows_nothing_is_logged),
        requests_test(our_module_comes_first),
        requests_test(a_module_without_rings_is_no_reason),
        requests_test(where_it_cannot_be_there_are_statistics),
        requests_test(and_where_the_kernel_refuses_it),
        requests_test(what_is_not_to_be_logged_needs_none),
        requests_test(nothing_of_it_stays),
    };

    return run_tap_tests(tests);
}
