/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that dom0's threads that serve a guest's disks follow the guest, and are restored if the
 * guest has no place, at the end, and after a crash.
 *
 * Nothing else of dom0 changes, interrupts included; each original is on the disk before a change;
 * affinities that another program has set since stay.  /proc is a folder, and the affinities of its
 * threads are a table.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "fake-host.h"

#include "daemon/act/steer.h"

#define PROC    "steer-proc"
#define STATE   "steer-state/state.json"
#define KEPT    "steer-state/steered.json"
#define THREADS 3
#define PID     101

static struct fake_host host;
static struct steer steer;
static struct journal journal;
static struct topology topology;
static struct domains domains;
static struct matrix *matrix;
static uint64_t now;
static cpu_set_t affinity[THREADS];
/* Number of changes with an original on the disk. */
static unsigned int kept_when_set;
static bool refusing; /* changes */

int __wrap_sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
    assert_int_equal(size, sizeof(*set));
    *set = affinity[pid - PID];

    return 0;
}

int __wrap_sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
    assert_int_equal(size, sizeof(*set));
    if (refusing)
        return -1;
    affinity[pid - PID] = *set;
    kept_when_set += !access(KEPT, F_OK);

    return 0;
}

static cpu_set_t vcpus(unsigned int first, unsigned int last)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    for (; first <= last; first++)
        CPU_SET(first, &set);

    return set;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    if (!file)
        fail_msg("%s: %s", path, strerror(errno));
    fputs(text, file);
    fclose(file);
}

static void make_thread(unsigned int i, const char *name, const char *command)
{
    char path[100];

    snprintf(path, sizeof(path), PROC "/%d", PID + i);
    mkdir(path, 0755);
    snprintf(path, sizeof(path), PROC "/%d/comm", PID + i);
    put(path, name);
    snprintf(path, sizeof(path), PROC "/%d/cmdline", PID + i);
    put(path, command);
    affinity[i] = vcpus(0, 1);
}

static void look_at_host(void)
{
    struct xensched_error err;

    domains_free(&domains);
    memset(&domains, 0, sizeof(domains));
    assert_int_equal(host.host.domains(host.host.data, &domains, &err), 0);
}

static void open_journal(void)
{
    struct xensched_error err;

    assert_int_equal(journal_open(&journal, NULL, 0, &err), 0);
}

static int setup(void **state)
{
    struct xensched_error err;

    (void)state;
    if (system("rm -rf " PROC " steer-state; "
               "mkdir -p " PROC "/irq/5/blkif-backend steer-state"))
        return -1;
    make_thread(0, "1.xvda-0\n", "");
    make_thread(1, "2.xvda-0\n", "");
    make_thread(2, "1.xvda-0\n", "a program of that name");
    put(PROC "/interrupts", "  5:  9  0 xen-dyn blkif-backend\n");
    put(PROC "/irq/5/smp_affinity_list", "0-1");
    chmod(PROC "/irq/5/smp_affinity_list", 0);
    fake_host_init(&host);
    strcpy(host.host.boot, "boot");
    /* dom0 has a vCPU on each node, and each node has a guest. */
    host.world->domains[0].clients = 1U << 1 | 1U << 2;
    host.world->domains[0].vcpus[0].hard = FAKE_NODE_0;
    host.world->domains[0].vcpus[1].hard = FAKE_NODE_1;
    fake_domain_new(&host, 1, "one", 1)->vcpus[0].soft = FAKE_NODE_0;
    fake_domain_new(&host, 2, "two", 1)->vcpus[0].hard = FAKE_NODE_1;
    assert_int_equal(host.host.topology(host.host.data, &topology, &err), 0);
    matrix = matrix_new(1000000000ULL);
    look_at_host();
    open_journal();
    now = 1000000000ULL;
    kept_when_set = 0;
    refusing = false;
    steer_init(&steer, &host.host, &journal, STATE, PROC);

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    steer_free(&steer);
    journal_close(&journal);
    domains_free(&domains);
    memset(&domains, 0, sizeof(domains));
    topology_free(&topology);
    matrix_free(matrix);
    fake_host_free(&host);

    return 0;
}

static void run(void)
{
    now += 1000000000ULL;
    look_at_host();
    steer_run(&steer, &topology, &domains, matrix, now);
}

static void thread_is_on(unsigned int i, unsigned int first, unsigned int last)
{
    cpu_set_t wanted = vcpus(first, last);

    assert_true(CPU_EQUAL(&affinity[i], &wanted));
}

static void nothing_is_steered(void)
{
    thread_is_on(0, 0, 1);
    thread_is_on(1, 0, 1);
    thread_is_on(2, 0, 1);
    assert_int_equal(access(KEPT, F_OK), -1);
}

static void threads_run_where_the_guest_is_that_they_serve(void **state)
{
    (void)state;
    run();
    thread_is_on(0, 0, 0);
    thread_is_on(1, 1, 1);
    thread_is_on(2, 0, 1);
    /* Each original was on the disk before its change. */
    assert_int_equal(kept_when_set, 2);
    steer_restore(&steer);
    nothing_is_steered();
}

/* A daemon that is killed while it searches has moved no thread. */
static void no_interrupt_is_touched(void **state)
{
    struct stat before, after;

    (void)state;
    assert_int_equal(stat(PROC "/irq/5/smp_affinity_list", &before), 0);
    run();
    steer_restore(&steer);
    assert_int_equal(stat(PROC "/irq/5/smp_affinity_list", &after), 0);
    assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
}

static void a_guest_that_goes_is_followed(void **state)
{
    (void)state;
    run();
    host.world->domains[1].vcpus[0].soft = FAKE_NODE_1;
    run();
    thread_is_on(0, 1, 1);
    /* The guest has no place of its own. */
    host.world->domains[1].vcpus[0].soft = FAKE_ALL;
    run();
    thread_is_on(0, 0, 1);
    thread_is_on(1, 1, 1);
}

static void with_dom0_on_one_node_nothing_is_steered(void **state)
{
    (void)state;
    host.world->domains[0].vcpus[1].hard = FAKE_NODE_0;
    run();
    nothing_is_steered();
    host.world->domains[0].vcpus[0].hard = FAKE_ALL;
    host.world->domains[0].vcpus[1].hard = FAKE_ALL;
    run();
    nothing_is_steered();
}

static void all_vcpus_of_a_large_dom0_are_put_back(void **state)
{
    (void)state;
    affinity[0] = affinity[1] = vcpus(0, 127);
    run();
    thread_is_on(0, 0, 0);
    steer_restore(&steer);
    thread_is_on(0, 0, 127);
    thread_is_on(1, 0, 127);
}

static void the_next_daemon_puts_back(void **state)
{
    struct steer next;

    (void)state;
    affinity[0] = vcpus(0, 127);
    run();
    /* The daemon was killed: the next one finds what it left. */
    steer_init(&next, &host.host, &journal, STATE, PROC);
    assert_int_equal(next.nr, 0);
    steer_free(&next);
    thread_is_on(0, 0, 127);
    affinity[0] = vcpus(0, 1);
    nothing_is_steered();
}

/* The file names the next affinity already, and the thread still has the former one. */
static void a_daemon_killed_before_a_second_change_leaves_nothing(void **state)
{
    (void)state;
    run();
    thread_is_on(0, 0, 0);
    host.world->domains[1].vcpus[0].soft = FAKE_NODE_1;
    refusing = true;
    run();
    thread_is_on(0, 0, 0);
    refusing = false;
    steer_free(&steer);
    steer_init(&steer, &host.host, &journal, STATE, PROC);
    nothing_is_steered();
}

static void a_state_of_another_boot_is_not_restored(void **state)
{
    (void)state;
    run();
    strcpy(host.host.boot, "other");
    steer_free(&steer);
    steer_init(&steer, &host.host, &journal, STATE, PROC);
    assert_int_equal(steer.nr, 0);
    thread_is_on(0, 0, 0);
    thread_is_on(1, 1, 1);
}

static void an_affinity_that_cannot_be_saved_is_not_changed(void **state)
{
    (void)state;
    assert_int_equal(system("rm -rf steer-state"), 0);
    run();
    nothing_is_steered();
}

/* The daemon notices a change as by taskset, and leaves the thread alone from then on. */
static void what_another_program_sets_stays(void **state)
{
    (void)state;
    run();
    affinity[0] = vcpus(2, 3);
    run();
    run();
    thread_is_on(0, 2, 3);
    host.world->domains[1].vcpus[0].soft = FAKE_NODE_1;
    run();
    thread_is_on(0, 2, 3);
    steer_restore(&steer);
    thread_is_on(0, 2, 3);
    thread_is_on(1, 0, 1);
}

static void what_another_program_set_after_a_crash_stays(void **state)
{
    (void)state;
    run();
    affinity[0] = vcpus(2, 3);
    steer_free(&steer);
    steer_init(&steer, &host.host, &journal, STATE, PROC);
    thread_is_on(0, 2, 3);
    thread_is_on(1, 0, 1);
}

static void a_thread_that_ended_is_forgotten(void **state)
{
    char path[64];

    (void)state;
    run();
    snprintf(path, sizeof(path), PROC "/%d/comm", PID + 1);
    put(path, "somebody-else\n");
    host.world->domains[2].exists = false;
    host.world->domains[0].clients = 1U << 1;
    run();
    steer_restore(&steer);
    /* The thread's affinity is not the daemon's any more, so it stays. */
    thread_is_on(1, 1, 1);
    thread_is_on(0, 0, 1);
}

/* Reading a guest may fail while the guest exists. */
static void a_thread_that_is_only_not_listed_is_restored(void **state)
{
    (void)state;
    run();
    host.world->domains[1].unlisted = true;
    run();
    thread_is_on(0, 0, 0);
    steer_restore(&steer);
    nothing_is_steered();
}

#define steer_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        steer_test(threads_run_where_the_guest_is_that_they_serve),
        steer_test(no_interrupt_is_touched),
        steer_test(a_guest_that_goes_is_followed),
        steer_test(with_dom0_on_one_node_nothing_is_steered),
        steer_test(all_vcpus_of_a_large_dom0_are_put_back),
        steer_test(the_next_daemon_puts_back),
        steer_test(a_daemon_killed_before_a_second_change_leaves_nothing),
        steer_test(a_state_of_another_boot_is_not_restored),
        steer_test(an_affinity_that_cannot_be_saved_is_not_changed),
        steer_test(what_another_program_sets_stays),
        steer_test(what_another_program_set_after_a_crash_stays),
        steer_test(a_thread_that_ended_is_forgotten),
        steer_test(a_thread_that_is_only_not_listed_is_restored),
    };

    return run_tap_tests(tests);
}
