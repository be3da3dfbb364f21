/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dom0's threads and interrupts that serve a guest's disks go where the guest is, and
 * are put back: when it is nowhere, at the end, and after a crash.  Nothing else of
 * dom0 is touched, and nothing is changed that is not on the disk before.
 *
 * /proc is a folder; its threads are processes of this test, which has two CPUs, or
 * all is skipped; Xen says of a channel what the interrupt's file says.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "fake-host.h"

#include "daemon/act/steer.h"

#define PROC  "steer-proc"
#define STATE "steer-state/state.json"
#define KEPT  "steer-state/steered.json"
#define IRQS  3U

static struct fake_host host;
static struct steer steer;
static struct journal journal;
static struct topology topology;
static struct domains domains;
static struct matrix *matrix;
static uint64_t now;
static pid_t threads[3];
/* Whose interrupts 5, 6, 7 are; port 10 + i. */
static const uint32_t owners[IRQS] = { 1, 2, 1 };

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    if (!file)
        fail_msg("%s: %s", path, strerror(errno));
    fputs(text, file);
    fclose(file);
}

static const char *get(const char *path)
{
    static char text[64];
    FILE *file = fopen(path, "r");

    text[0] = '\0';
    if (file) {
        if (!fgets(text, sizeof(text), file))
            text[0] = '\0';
        fclose(file);
    }
    text[strcspn(text, "\n")] = '\0';

    return text;
}

static const char *irq_list(unsigned int i)
{
    char path[64];

    snprintf(path, sizeof(path), PROC "/irq/%u/smp_affinity_list", 5 + i);

    return get(path);
}

static uint64_t mask_of(unsigned int i)
{
    cpu_set_t set;

    assert_int_equal(sched_getaffinity(threads[i], sizeof(set), &set), 0);

    return CPU_ISSET(0, &set) | CPU_ISSET(1, &set) << 1;
}

static unsigned int channels(void *data, uint32_t domid,
                             struct host_channel *found, unsigned int nr)
{
    unsigned int i;

    (void)data;
    assert_int_equal(domid, 0);
    for (i = 0; i < IRQS && i < nr; i++)
        found[i] = (struct host_channel){
            10 + i, owners[i], 0, strtoul(irq_list(i), NULL, 10)
        };

    return i;
}

static void make_thread(unsigned int i, const char *name, const char *command)
{
    char path[100];

    threads[i] = fork();
    /* It ends with this test, however that ends. */
    if (!threads[i])
        for (prctl(PR_SET_PDEATHSIG, SIGKILL);;)
            pause();
    snprintf(path, sizeof(path), PROC "/%d", threads[i]);
    mkdir(path, 0755);
    snprintf(path, sizeof(path), PROC "/%d/comm", threads[i]);
    put(path, name);
    snprintf(path, sizeof(path), PROC "/%d/cmdline", threads[i]);
    put(path, command);
}

static void make_irq(unsigned int i, const char *list)
{
    char path[64];

    snprintf(path, sizeof(path), PROC "/irq/%u", 5 + i);
    mkdir(path, 0755);
    snprintf(path, sizeof(path), PROC "/irq/%u/blkif-backend", 5 + i);
    mkdir(path, 0755);
    snprintf(path, sizeof(path), PROC "/irq/%u/smp_affinity_list", 5 + i);
    put(path, list);
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
    unsigned int i;

    (void)state;
    if (system("rm -rf " PROC " steer-state; mkdir -p " PROC "/irq steer-state"))
        return -1;
    make_thread(0, "1.xvda-0\n", "");
    make_thread(1, "2.xvda-0\n", "");
    make_thread(2, "1.xvda-0\n", "a program of that name");
    for (i = 0; i < IRQS; i++)
        make_irq(i, "0-1");
    put(PROC "/interrupts", "     CPU0 CPU1\n  4:  0  0 xen-dyn timer\n"
        "  5:  9  0 xen-dyn blkif-backend\n  6:  0  7 xen-dyn blkif-backend\n"
        "  7:  1  1 xen-dyn blkif-backend\nNMI: 0 0\n");
    fake_host_init(&host);
    strcpy(host.host.boot, "boot");
    host.host.channels = channels;
    /* dom0 on both nodes, and a guest on each. */
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
    steer_init(&steer, &host.host, &journal, STATE, PROC);

    return 0;
}

static int teardown(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < 3; i++) {
        kill(threads[i], SIGKILL);
        waitpid(threads[i], NULL, 0);
    }
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

static void is(uint64_t one, uint64_t two, const char *irqs)
{
    char found[100];

    snprintf(found, sizeof(found), "%s", irq_list(0));
    strcat(strcat(found, " "), irq_list(1));
    strcat(strcat(found, " "), irq_list(2));
    assert_string_equal(found, irqs);
    assert_int_equal(mask_of(0), one);
    assert_int_equal(mask_of(1), two);
    assert_int_equal(mask_of(2), 3);
}

static void who_serves_a_guest_is_where_it_is(void **state)
{
    (void)state;
    run();
    is(1, 2, "0 1 0");
    assert_int_equal(access(KEPT, F_OK), 0);
    steer_restore(&steer);
    is(3, 3, "0-1 0-1 0-1");
    assert_int_equal(access(KEPT, F_OK), -1);
}

static void a_guest_that_goes_is_followed(void **state)
{
    (void)state;
    run();
    host.world->domains[1].vcpus[0].soft = FAKE_NODE_1;
    run();
    is(2, 2, "1 1 1");
    /* It is nowhere in particular. */
    host.world->domains[1].vcpus[0].soft = FAKE_ALL;
    run();
    is(3, 2, "0-1 1 0-1");
}

static void with_dom0_on_one_node_nothing_is_steered(void **state)
{
    (void)state;
    host.world->domains[0].vcpus[1].hard = FAKE_NODE_0;
    run();
    is(3, 3, "0-1 0-1 0-1");
    host.world->domains[0].vcpus[0].hard = FAKE_ALL;
    host.world->domains[0].vcpus[1].hard = FAKE_ALL;
    run();
    is(3, 3, "0-1 0-1 0-1");
    assert_int_equal(access(KEPT, F_OK), -1);
}

static void the_next_daemon_puts_back(void **state)
{
    struct steer next;

    (void)state;
    run();
    /* Killed: nothing is told to it.  The next one finds what it has left. */
    steer_init(&next, &host.host, &journal, STATE, PROC);
    assert_int_equal(next.nr, 0);
    steer_free(&next);
    is(3, 3, "0-1 0-1 0-1");
    assert_int_equal(access(KEPT, F_OK), -1);
}

static void of_another_boot_nothing_is_put_back(void **state)
{
    (void)state;
    run();
    strcpy(host.host.boot, "other");
    steer_free(&steer);
    steer_init(&steer, &host.host, &journal, STATE, PROC);
    assert_int_equal(steer.nr, 0);
    is(1, 2, "0 1 0");
}

static void what_cannot_be_kept_is_not_changed(void **state)
{
    (void)state;
    assert_int_equal(system("rm -rf steer-state"), 0);
    run();
    is(3, 3, "0-1 0-1 0-1");
}

static void who_is_gone_is_forgotten(void **state)
{
    char path[64];

    (void)state;
    run();
    snprintf(path, sizeof(path), PROC "/%d/comm", threads[1]);
    put(path, "somebody-else\n");
    host.world->domains[2].exists = false;
    host.world->domains[0].clients = 1U << 1;
    run();
    steer_restore(&steer);
    /* Not its own any more: it stays as it is. */
    assert_int_equal(mask_of(1), 2);
    assert_int_equal(mask_of(0), 3);
}

#define steer_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        steer_test(who_serves_a_guest_is_where_it_is),
        steer_test(a_guest_that_goes_is_followed),
        steer_test(with_dom0_on_one_node_nothing_is_steered),
        steer_test(the_next_daemon_puts_back),
        steer_test(of_another_boot_nothing_is_put_back),
        steer_test(what_cannot_be_kept_is_not_changed),
        steer_test(who_is_gone_is_forgotten),
    };

    if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
        printf("1..0 # SKIP it takes two CPUs\n");
        return 0;
    }

    return run_tap_tests(tests);
}
