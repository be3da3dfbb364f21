/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The actuator: whatever happens, and whenever it happens, the affinities
 * which were there before come back, and an operator's stay.
 *
 * The daemon is killed here before and after each system call that writes and
 * each change of an affinity: a child process plays it, and dies at that
 * point.  The host is in shared memory and goes on.  Then the same with errors
 * in place of kills, such as a full disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "fake-host.h"
#include "step.h"

#include "daemon/act/actuator.h"
#include "daemon/act/soft-weight.h"

#define STATE   "test-actuator.state"
#define JOURNAL "test-actuator.journal"

#define GUEST 1U
#define OTHER 2U

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode)
    WRAP(open, (path, flags, mode))

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
    WRAP(close, (fd))

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
    WRAP(fsync, (fd))

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
    WRAP(rename, (from, to))

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path)
    WRAP(unlink, (path))

/* A disk that is full, or a power cut, in the middle of the text. */
ssize_t __real_write(int fd, const void *bytes, size_t length);
ssize_t __wrap_write(int fd, const void *bytes, size_t length);
ssize_t __wrap_write(int fd, const void *bytes, size_t length)
{
    ssize_t half;

    if (is_time())
        return -1;
    half = __real_write(fd, bytes, (length + 1) / 2);
    if (!step->error)
        is_time();

    return half;
}

static struct fake_host host;
static struct journal journal;
static struct actuator actuator;
static struct soft_weight weight = { .actuator = &actuator, .percent = 50 };

/* What an operator has given to Xen. */
#define WEIGHT 25U

static void before_set(void)
{
    if (step->error)
        return;
    is_time();
}

static void start(void)
{
    struct xensched_error err;

    assert_int_equal(journal_open(&journal, JOURNAL, 0, &err), 0);
    assert_int_equal(actuator_init(&actuator, &host.host, &journal, STATE,
                                   FAKE_CPUS, &err), 0);
}

static void stop(void)
{
    actuator_free(&actuator);
    journal_close(&journal);
}

static int setup(void **state)
{
    (void)state;
    step = mmap(NULL, sizeof(*step), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(step != MAP_FAILED);
    fake_host_init(&host);
    fake_domain_new(&host, GUEST, "guest", 2);
    fake_domain_new(&host, OTHER, "other", 1);
    __real_unlink(STATE);
    __real_unlink(STATE ".new");
    __real_unlink(JOURNAL);
    start();

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    step->at = 0;
    stop();
    fake_host_free(&host);
    munmap(step, sizeof(*step));
    __real_unlink(STATE);
    __real_unlink(STATE ".new");
    __real_unlink(JOURNAL);

    return 0;
}

static struct fake_domain *domain(uint32_t domid)
{
    return &host.world->domains[domid];
}

static int move_by(uint32_t domid, uint32_t soft, bool hard)
{
    struct decision why = { .verb = MOVE, .reason = "because" };
    struct xensched_error err;
    struct domains domains;
    struct cpumap map;
    unsigned int cpu;
    int rc;

    cpumap_init(&map, FAKE_CPUS);
    for (cpu = 0; cpu < FAKE_CPUS; cpu++)
        if (soft & (1U << cpu))
            cpumap_set(&map, cpu);
    fake_domains(&host, &domains);
    rc = actuator_move(&actuator, domains_find(&domains, domid), &map, hard,
                       &why, &err);
    domains_free(&domains);
    cpumap_free(&map);

    return rc;
}

static int move(uint32_t domid, uint32_t soft)
{
    return move_by(domid, soft, false);
}

static int pull(uint32_t domid, enum pull pull)
{
    struct xensched_error err;
    struct domains domains;
    int rc;

    fake_domains(&host, &domains);
    rc = actuator_pull(&actuator, domains_find(&domains, domid), pull,
                       "because", &err);
    domains_free(&domains);

    return rc;
}

static int give_back(uint32_t domid)
{
    struct xensched_error err;
    struct domains domains;
    int rc;

    fake_domains(&host, &domains);
    rc = actuator_give_back(&actuator, domains_find(&domains, domid),
                            "no reason any more", &err);
    domains_free(&domains);

    return rc;
}

static struct actuator_result restore_all(void)
{
    return actuator_restore_all(&actuator, "the test asks for it");
}

static enum claim claim(uint32_t domid)
{
    struct domains domains;
    enum claim c;

    fake_domains(&host, &domains);
    c = actuator_claim(&actuator, domains_find(&domains, domid));
    domains_free(&domains);

    return c;
}

/* The next daemon, after the former one was killed. */
static void restart(void)
{
    stop();
    start();
}

static bool journal_has(const char *words)
{
    static char text[65536];
    FILE *f = fopen(JOURNAL, "r");
    size_t got;

    assert_non_null(f);
    got = fread(text, 1, sizeof(text) - 1, f);
    text[got] = '\0';
    fclose(f);

    return strstr(text, words);
}

static void a_move_is_on_disk_and_comes_back(void **state)
{
    (void)state;
    assert_int_equal(move(GUEST, FAKE_NODE_0), 0);
    assert_true(fake_has_soft(domain(GUEST), FAKE_NODE_0));
    assert_int_equal(claim(GUEST), CLAIM_OURS);
    assert_int_equal(access(STATE, F_OK), 0);
    restart();
    assert_int_equal(claim(GUEST), CLAIM_OURS);
    assert_int_equal(restore_all().restored, 1);
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
    assert_int_equal(access(STATE, F_OK), -1);
    assert_int_equal(claim(GUEST), CLAIM_NONE);
    assert_true(journal_has("\"what\":\"move\""));
    assert_true(journal_has("\"what\":\"restore\""));
    assert_true(journal_has("is restored: the test asks for it"));
}

/* At a time when the plan has been made already. */
static void who_sets_one_meanwhile_wins(void **state)
{
    struct domains domains;
    struct decision why = { .verb = MOVE, .reason = "because" };
    struct xensched_error err;
    struct cpumap map;

    (void)state;
    fake_domains(&host, &domains);
    domain(GUEST)->vcpus[1].hard = 0x8;
    domain(OTHER)->vcpus[0].soft = 0x8;
    cpumap_init(&map, FAKE_CPUS);
    cpumap_set(&map, 0);
    assert_int_equal(actuator_move(&actuator, domains_find(&domains, GUEST),
                                   &map, true, &why, &err), -EBUSY);
    assert_int_equal(domain(GUEST)->vcpus[0].hard, FAKE_ALL);
    assert_int_equal(domain(GUEST)->vcpus[1].hard, 0x8);
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
    assert_int_equal(actuator_move(&actuator, domains_find(&domains, OTHER),
                                   &map, false, &why, &err), -EBUSY);
    assert_true(fake_has_soft(domain(OTHER), 0x8));
    assert_int_equal(access(STATE, F_OK), -1);
    cpumap_free(&map);
    domains_free(&domains);
    /* Of a reminder, too. */
    domain(OTHER)->vcpus[0].soft = FAKE_ALL;
    move_by(OTHER, FAKE_NODE_0, true);
    domain(OTHER)->vcpus[0].hard = 0x4;
    assert_int_equal(pull(OTHER, PULL_REMIND), -EBUSY);
    assert_int_equal(domain(OTHER)->vcpus[0].hard, 0x4);
}

/* Different for each vCPU, and kept over several moves. */
static void what_comes_back_is_the_original(void **state)
{
    (void)state;
    domain(GUEST)->vcpus[0].soft = 0x7;
    domain(GUEST)->vcpus[1].soft = 0xe;
    assert_int_equal(move(GUEST, FAKE_NODE_0), 0);
    assert_int_equal(move(GUEST, FAKE_NODE_1), 0);
    assert_int_equal(move(GUEST, FAKE_NODE_0), 0);
    restart();
    restore_all();
    assert_int_equal(domain(GUEST)->vcpus[0].soft, 0x7);
    assert_int_equal(domain(GUEST)->vcpus[1].soft, 0xe);
}

static void giving_back_concerns_one_domain(void **state)
{
    (void)state;
    move(GUEST, FAKE_NODE_0);
    move(OTHER, FAKE_NODE_0);
    assert_int_equal(give_back(GUEST), 0);
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
    assert_true(fake_has_soft(domain(OTHER), FAKE_NODE_0));
    restart();
    assert_int_equal(claim(GUEST), CLAIM_NONE);
    assert_int_equal(claim(OTHER), CLAIM_OURS);
}

static void an_operator_wins(void **state)
{
    (void)state;
    move(GUEST, FAKE_NODE_0);
    move(OTHER, FAKE_NODE_0);
    domain(GUEST)->vcpus[0].soft = 0x8;
    domain(GUEST)->vcpus[1].soft = 0x8;
    restart();
    restore_all();
    assert_true(fake_has_soft(domain(GUEST), 0x8));
    assert_true(fake_has_soft(domain(OTHER), FAKE_ALL));
    assert_true(journal_has("\"what\":\"operator\""));
}

/* The other vCPU isn't left where we put it. */
static void an_operator_who_changes_one_vcpu_gets_the_domain(void **state)
{
    (void)state;
    move(GUEST, FAKE_NODE_0);
    domain(GUEST)->vcpus[1].soft = 0x8;
    assert_int_equal(claim(GUEST), CLAIM_LOST);
    assert_int_equal(domain(GUEST)->vcpus[0].soft, FAKE_ALL);
    assert_int_equal(domain(GUEST)->vcpus[1].soft, 0x8);
    assert_int_equal(claim(GUEST), CLAIM_NONE);
    assert_int_equal(access(STATE, F_OK), -1);
}

static bool has_hard(uint32_t domid, uint32_t hard)
{
    unsigned int i;

    for (i = 0; i < domain(domid)->nr_vcpus; i++)
        if (domain(domid)->vcpus[i].hard != hard)
            return false;

    return true;
}

static void a_hard_affinity_comes_and_goes(void **state)
{
    (void)state;
    assert_int_equal(move_by(GUEST, FAKE_NODE_0, true), 0);
    assert_true(has_hard(GUEST, FAKE_NODE_0));
    assert_true(fake_has_soft(domain(GUEST), FAKE_NODE_0));
    assert_int_equal(claim(GUEST), CLAIM_OURS);
    assert_int_equal(pull(GUEST, PULL_SOFTEN), 0);
    assert_true(has_hard(GUEST, FAKE_ALL));
    assert_true(fake_has_soft(domain(GUEST), FAKE_NODE_0));
    assert_int_equal(claim(GUEST), CLAIM_OURS);
    assert_int_equal(pull(GUEST, PULL_HARDEN), 0);
    assert_true(has_hard(GUEST, FAKE_NODE_0));
    /* To another place, and soft there. */
    assert_int_equal(move(GUEST, FAKE_NODE_1), 0);
    assert_true(has_hard(GUEST, FAKE_ALL));
    assert_int_equal(claim(GUEST), CLAIM_OURS);
    assert_int_equal(pull(GUEST, PULL_HARDEN), 0);
    restart();
    assert_int_equal(restore_all().restored, 1);
    assert_true(has_hard(GUEST, FAKE_ALL));
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
    assert_true(journal_has("\"what\":\"harden\""));
    assert_true(journal_has("\"what\":\"soften\""));
}

/* Xen looks for a better pCPU each time an affinity is set. */
static void a_reminder_sets_the_same_again(void **state)
{
    unsigned int before;

    (void)state;
    move(GUEST, FAKE_NODE_0);
    before = host.world->nr_sets;
    assert_int_equal(pull(GUEST, PULL_REMIND), 0);
    assert_int_equal(host.world->nr_sets, before + 2);
    assert_true(has_hard(GUEST, FAKE_ALL));
    assert_true(fake_has_soft(domain(GUEST), FAKE_NODE_0));
}

/* Of the two affinities, too, the one that is his stays, and ours goes. */
static void an_operator_who_changes_the_hard_one_gets_the_domain(void **state)
{
    (void)state;
    move(GUEST, FAKE_NODE_0);
    domain(GUEST)->vcpus[0].hard = 0x8;
    assert_int_equal(claim(GUEST), CLAIM_LOST);
    assert_int_equal(domain(GUEST)->vcpus[0].hard, 0x8);
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));

    move_by(OTHER, FAKE_NODE_0, true);
    domain(OTHER)->vcpus[0].soft = 0x4;
    assert_int_equal(claim(OTHER), CLAIM_LOST);
    assert_true(fake_has_soft(domain(OTHER), 0x4));
    assert_true(has_hard(OTHER, FAKE_ALL));
    assert_int_equal(access(STATE, F_OK), -1);
}

static void an_order_that_cannot_be_written_down_is_not_given(void **state)
{
    (void)state;
    move(GUEST, FAKE_NODE_0);
    step->nr = 0;
    step->at = 1;
    step->error = ENOSPC;
    assert_int_not_equal(pull(GUEST, PULL_HARDEN), 0);
    step->at = 0;
    step->error = 0;
    assert_true(has_hard(GUEST, FAKE_ALL));
    assert_int_equal(claim(GUEST), CLAIM_OURS);
}

static void an_order_that_fails_half_way_is_undone(void **state)
{
    (void)state;
    move(GUEST, FAKE_NODE_0);
    host.world->fail_set = 2;
    host.world->fail_code = EINVAL;
    assert_int_equal(pull(GUEST, PULL_HARDEN), -EINVAL);
    assert_true(has_hard(GUEST, FAKE_ALL));
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
    assert_int_equal(claim(GUEST), CLAIM_NONE);
}

static void the_soft_weight_is_put_back(void **state)
{
    (void)state;
    host.world->weight = WEIGHT;
    soft_weight_raise(&weight);
    assert_int_equal(host.world->weight, 50);
    soft_weight_raise(&weight);
    restart();
    soft_weight_restore(&weight);
    assert_int_equal(host.world->weight, WEIGHT);
    assert_int_equal(access(STATE, F_OK), -1);
    /* Not by us: it stays, and there is nothing to be put back. */
    soft_weight_raise(&weight);
    host.world->weight = 10;
    soft_weight_restore(&weight);
    assert_int_equal(host.world->weight, 10);
    assert_int_equal(access(STATE, F_OK), -1);
}

static void without_a_soft_weight_nothing_is_written_down(void **state)
{
    struct soft_weight w = { .actuator = &actuator, .percent = 50 };

    (void)state;
    host.world->no_weight = true;
    soft_weight_raise(&w);
    assert_true(w.missing);
    assert_int_equal(access(STATE, F_OK), -1);
    w.missing = false;
    host.world->no_weight = false;
    host.world->fail_weight = true;
    soft_weight_raise(&w);
    assert_int_equal(host.world->weight, 0);
    assert_int_equal(access(STATE, F_OK), -1);
    /* An operator who wants none of it. */
    host.world->fail_weight = false;
    w.percent = 0;
    soft_weight_raise(&w);
    assert_int_equal(host.world->weight, 0);
}

/* One who has it set to the same himself keeps it. */
static void a_soft_weight_of_somebody_else_is_not_ours(void **state)
{
    (void)state;
    host.world->weight = 50;
    soft_weight_raise(&weight);
    soft_weight_restore(&weight);
    assert_int_equal(host.world->weight, 50);
}

static void a_domain_which_is_gone_is_forgotten(void **state)
{
    (void)state;
    move(GUEST, FAKE_NODE_0);
    domain(GUEST)->exists = false;
    restart();
    restore_all();
    assert_int_equal(access(STATE, F_OK), -1);
}

/* The same domid after a reboot of the guest, with another UUID. */
static void another_domain_with_its_number_is_not_touched(void **state)
{
    (void)state;
    move(GUEST, FAKE_NODE_0);
    fake_domain_new(&host, GUEST, "successor", 2);
    domain(GUEST)->vcpus[0].soft = domain(GUEST)->vcpus[1].soft = FAKE_NODE_0;
    restart();
    restore_all();
    assert_true(fake_has_soft(domain(GUEST), FAKE_NODE_0));
}

static void a_move_that_fails_half_way_is_undone(void **state)
{
    (void)state;
    host.world->fail_set = 2;
    host.world->fail_code = EINVAL;
    assert_int_equal(move(GUEST, FAKE_NODE_0), -EINVAL);
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
    assert_int_equal(claim(GUEST), CLAIM_NONE);
    assert_int_equal(access(STATE, F_OK), -1);
    assert_true(journal_has("\"what\":\"failed\""));
}

static void a_domain_that_dies_while_it_is_moved_is_no_error_for_others(
    void **state)
{
    (void)state;
    host.world->fail_set = 1;
    host.world->fail_code = ESRCH;
    assert_int_equal(move(GUEST, FAKE_NODE_0), -ESRCH);
    assert_int_equal(move(OTHER, FAKE_NODE_0), 0);
}

static void what_cannot_be_restored_is_tried_again_later(void **state)
{
    struct actuator_result result;

    (void)state;
    move(GUEST, FAKE_NODE_0);
    host.world->fail_set = 1;
    host.world->fail_code = EINVAL;
    result = restore_all();
    assert_int_equal(result.failed, 1);
    assert_int_equal(access(STATE, F_OK), 0);
    restart();
    result = restore_all();
    assert_int_equal(result.restored, 1);
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
}

/* Nothing is as it was changed then, but who is held is held. */
static void of_another_boot_only_holds_are_left(void **state)
{
    struct xensched_error err;
    struct domains domains;

    (void)state;
    strcpy(host.host.boot, "first");
    restart();
    move(GUEST, FAKE_NODE_0);
    soft_weight_raise(&weight);
    actuator_set_cookie(&actuator, 7);
    fake_domains(&host, &domains);
    assert_int_equal(actuator_hold(&actuator, domains_find(&domains, OTHER),
                                   true, &err), 0);
    restart();
    assert_int_equal(actuator.state.nr, 1);
    assert_true(actuator.state.cookie == 7);

    /* A guest that came up with the same number, UUID and affinity. */
    strcpy(host.host.boot, "second");
    restart();
    assert_int_equal(actuator.state.nr, 0);
    assert_true(!actuator.state.cookie && !actuator.state.weight.changed);
    restore_all();
    soft_weight_restore(&weight);
    assert_true(fake_has_soft(domain(GUEST), FAKE_NODE_0));
    assert_int_equal(host.world->weight, 50);
    assert_true(held_is(&actuator.state.held, domains_find(&domains, OTHER)));
    domains_free(&domains);
    /* What is written from now on is of this one. */
    move(OTHER, FAKE_NODE_0);
    restart();
    assert_int_equal(actuator.state.nr, 1);
    /* A daemon before this one named none. */
    strcpy(host.host.boot, "");
    restart();
    assert_int_equal(actuator.state.nr, 1);
}

static void what_is_not_listed_is_not_gone(void **state)
{
    struct domains none = { 0 };

    (void)state;
    move(GUEST, FAKE_NODE_0);
    actuator_forget_gone(&actuator, &none);
    assert_int_equal(claim(GUEST), CLAIM_OURS);
    domain(GUEST)->unlisted = true;
    assert_int_equal(restore_all().restored, 1);
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
    move(OTHER, FAKE_NODE_0);
    domain(OTHER)->exists = false;
    actuator_forget_gone(&actuator, &none);
    assert_int_equal(access(STATE, F_OK), -1);
}

static void a_give_back_that_failed_is_tried_again(void **state)
{
    (void)state;
    move(GUEST, FAKE_NODE_0);
    host.world->fail_set = 2;
    host.world->fail_code = EIO;
    assert_int_equal(give_back(GUEST), -EIO);
    assert_int_equal(domain(GUEST)->vcpus[0].soft, FAKE_ALL);
    host.world->fail_set = 1;
    assert_int_equal(claim(GUEST), CLAIM_OURS);
    assert_int_equal(claim(GUEST), CLAIM_NONE);
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
    assert_int_equal(access(STATE, F_OK), -1);
    assert_false(journal_has("\"what\":\"operator\""));
    /* An operator may come in between, and wins. */
    move(GUEST, FAKE_NODE_0);
    host.world->fail_set = 1;
    assert_int_equal(give_back(GUEST), -EIO);
    domain(GUEST)->vcpus[0].hard = 0x8;
    assert_int_equal(claim(GUEST), CLAIM_LOST);
    assert_int_equal(domain(GUEST)->vcpus[0].hard, 0x8);
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
}

/* All that a daemon does with affinities in its life. */
static void life(void)
{
    soft_weight_raise(&weight);
    move(GUEST, FAKE_NODE_0);
    move_by(OTHER, FAKE_NODE_1, true);
    move(GUEST, FAKE_NODE_1);
    pull(GUEST, PULL_HARDEN);
    give_back(OTHER);
    move(OTHER, FAKE_NODE_0);
    pull(GUEST, PULL_SOFTEN);
    pull(GUEST, PULL_HARDEN);
    move(GUEST, FAKE_NODE_0);
    restore_all();
    soft_weight_restore(&weight);
}

static void set_originals(void)
{
    domain(GUEST)->vcpus[0].soft = 0x7;
    domain(GUEST)->vcpus[1].soft = 0xe;
    domain(OTHER)->vcpus[0].soft = FAKE_ALL;
    host.world->weight = WEIGHT;
}

static void assert_originals(void)
{
    assert_int_equal(domain(GUEST)->vcpus[0].soft, 0x7);
    assert_int_equal(domain(GUEST)->vcpus[1].soft, 0xe);
    assert_int_equal(domain(OTHER)->vcpus[0].soft, FAKE_ALL);
    assert_true(has_hard(GUEST, FAKE_ALL));
    assert_true(has_hard(OTHER, FAKE_ALL));
    assert_int_equal(host.world->weight, WEIGHT);
}

/* Lives in a child.  Returns false when it got to its natural end. */
static bool live_and_die(unsigned int at)
{
    pid_t child;
    int status;

    step->nr = 0;
    step->at = at;
    step->error = 0;
    child = fork();
    assert_true(child >= 0);
    if (!child) {
        life();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    step->at = 0;

    return WEXITSTATUS(status) == 99;
}

static void killed_at_any_step_its_successor_restores_all(void **state)
{
    unsigned int at;

    (void)state;
    host.world->before_set = before_set;
    for (at = 1; ; at++) {
        struct actuator_result result;
        bool died;

        __real_unlink(STATE);
        restart();
        set_originals();
        died = live_and_die(at);
        restart();
        result = restore_all();
        soft_weight_restore(&weight);
        assert_int_equal(result.failed, 0);
        assert_originals();
        assert_int_equal(access(STATE, F_OK), -1);
        if (!died)
            break;
    }
    print_message("# killed at %u different steps\n", at - 1);
    assert_true(at > 60);
}

/* The successor can be killed as well, while it restores. */
static void killed_while_restoring_the_next_one_restores(void **state)
{
    unsigned int at;

    (void)state;
    host.world->before_set = before_set;
    for (at = 1; ; at++) {
        pid_t child;
        int status;

        __real_unlink(STATE);
        restart();
        set_originals();
        move_by(GUEST, FAKE_NODE_0, true);
        move(OTHER, FAKE_NODE_0);
        soft_weight_raise(&weight);
        restart();
        step->nr = 0;
        step->at = at;
        child = fork();
        if (!child) {
            restore_all();
            soft_weight_restore(&weight);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        step->at = 0;
        restart();
        restore_all();
        soft_weight_restore(&weight);
        assert_originals();
        if (WEXITSTATUS(status) != 99)
            break;
    }
    assert_true(at > 5);
}

/* An affinity that isn't on the disk may not be changed. */
static void a_disk_that_fails_at_any_step_leaves_nothing_changed(void **state)
{
    unsigned int at, nr;

    (void)state;
    for (at = 1; ; at++) {
        __real_unlink(STATE);
        restart();
        set_originals();
        step->nr = 0;
        step->at = at;
        step->error = ENOSPC;
        life();
        nr = step->nr;
        step->at = 0;
        step->error = 0;
        /* What could not be taken off the disk is restored once more. */
        restart();
        restore_all();
        soft_weight_restore(&weight);
        assert_originals();
        if (nr < at)
            break;
    }
    assert_true(at > 20);
}

/* Each that there is, once; the looks at the host after it mend it. */
static void a_call_that_fails_leaves_nothing_changed(void **state)
{
    unsigned int at;

    (void)state;
    host.world->fail_code = EIO;
    for (at = 1; ; at++) {
        bool failed;

        __real_unlink(STATE);
        restart();
        set_originals();
        host.world->fail_call = at;
        life();
        failed = !host.world->fail_call;
        host.world->fail_call = 0;
        claim(GUEST);
        claim(OTHER);
        soft_weight_restore(&weight);
        assert_originals();
        assert_int_equal(access(STATE, F_OK), -1);
        if (!failed)
            break;
        weight.missing = weight.failed = false;
    }
    print_message("# failed at %u different calls\n", at - 1);
    assert_true(at > 30);
    assert_false(journal_has("\"what\":\"operator\""));
}

static void no_move_without_the_original_on_disk(void **state)
{
    unsigned int at;

    (void)state;
    set_originals();
    step->error = EIO;
    for (at = 1; ; at++) {
        unsigned int before = host.world->nr_sets;

        step->nr = 0;
        step->at = at;
        if (!move(GUEST, FAKE_NODE_0))
            break;
        assert_int_equal(host.world->nr_sets, before);
        assert_originals();
    }
    assert_true(at > 4);
}

static unsigned int journal_count(const char *words)
{
    char line[4096];
    unsigned int nr = 0;
    FILE *f = fopen(JOURNAL, "r");

    while (fgets(line, sizeof(line), f))
        nr += !!strstr(line, words);
    fclose(f);

    return nr;
}

/* A plan is made each second, and a disk can be full for a weekend. */
static void a_full_disk_is_said_once_and_again_after_it_was_not(void **state)
{
    unsigned int i;

    (void)state;
    for (i = 0; i < 5; i++) {
        step->nr = 0;
        step->at = 1;
        step->error = ENOSPC;
        assert_int_not_equal(move(GUEST, FAKE_NODE_0), 0);
    }
    assert_int_equal(journal_count("cannot be saved"), 1);
    step->at = 0;
    step->error = 0;
    assert_int_equal(move(GUEST, FAKE_NODE_0), 0);
    step->nr = 0;
    step->at = 1;
    step->error = ENOSPC;
    assert_int_not_equal(move(GUEST, FAKE_NODE_1), 0);
    assert_int_equal(journal_count("cannot be saved"), 2);
}

static void the_cookie_is_kept_and_forgotten(void **state)
{
    struct xensched_error err;
    struct state s;

    (void)state;
    state_init(&s, FAKE_CPUS, "");
    s.cookie = 0xfedcba9876543210ULL;
    assert_int_equal(state_save(&s, STATE, &err), 0);
    state_free(&s);
    assert_int_equal(state_load(&s, STATE, &err), 0);
    assert_true(s.cookie == 0xfedcba9876543210ULL);
    s.cookie = 0;
    assert_int_equal(state_save(&s, STATE, &err), 0);
    assert_int_equal(access(STATE, F_OK), -1);
}

static void a_damaged_state_file_is_an_error_with_a_remedy(void **state)
{
    static const char *const damaged[] = {
        "", "{", "[]", "null", "{\"version\":3,\"domains\":[]}",
        "{\"version\":1}", "{\"version\":1,\"domains\":[1]}",
        "{\"version\":1,\"domains\":[{\"domid\":1}]}",
        "{\"version\":1,\"domains\":[{\"domid\":\"1\",\"vcpus\":[]}]}",
        "{\"version\":1,\"domains\":[{\"domid\":1,\"vcpus\":[]}]}",
        "{\"version\":1,\"cookie\":\"12\",\"domains\":[]}",
        "{\"version\":2,\"soft_weight\":50,\"domains\":[]}",
        "{\"version\":2,\"soft_weight\":{\"ours\":-1},\"domains\":[]}",
        "{\"version\":1,\"cookie\":\"0123456789abcdeg\",\"domains\":[]}",
    };
    struct xensched_error err;
    struct state s;
    size_t i;
    FILE *f;

    (void)state;
    for (i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
        f = fopen(STATE, "w");
        fputs(damaged[i], f);
        fclose(f);
        state_init(&s, FAKE_CPUS, "");
        assert_int_equal(state_load(&s, STATE, &err), -EILSEQ);
        assert_non_null(strstr(err.text, "xl vcpu-pin"));
        assert_int_equal(s.nr, 0);
    }
}

/* A file from before the host got other pCPUs; its domains are long gone. */
static void entries_for_other_pcpus_are_left_out(void **state)
{
    struct xensched_error err;
    struct state s;

    (void)state;
    move(GUEST, FAKE_NODE_1);
    move(OTHER, FAKE_NODE_0);
    state_init(&s, 2, "");
    assert_int_equal(state_load(&s, STATE, &err), 0);
    assert_int_equal(s.nr, 0);
    state_free(&s);
}

#define actuator_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        actuator_test(a_move_is_on_disk_and_comes_back),
        actuator_test(who_sets_one_meanwhile_wins),
        actuator_test(of_another_boot_only_holds_are_left),
        actuator_test(what_is_not_listed_is_not_gone),
        actuator_test(a_give_back_that_failed_is_tried_again),
        actuator_test(a_call_that_fails_leaves_nothing_changed),
        actuator_test(what_comes_back_is_the_original),
        actuator_test(giving_back_concerns_one_domain),
        actuator_test(an_operator_wins),
        actuator_test(an_operator_who_changes_one_vcpu_gets_the_domain),
        actuator_test(a_hard_affinity_comes_and_goes),
        actuator_test(a_reminder_sets_the_same_again),
        actuator_test(an_operator_who_changes_the_hard_one_gets_the_domain),
        actuator_test(an_order_that_cannot_be_written_down_is_not_given),
        actuator_test(an_order_that_fails_half_way_is_undone),
        actuator_test(the_soft_weight_is_put_back),
        actuator_test(without_a_soft_weight_nothing_is_written_down),
        actuator_test(a_soft_weight_of_somebody_else_is_not_ours),
        actuator_test(a_domain_which_is_gone_is_forgotten),
        actuator_test(another_domain_with_its_number_is_not_touched),
        actuator_test(a_move_that_fails_half_way_is_undone),
        actuator_test(
            a_domain_that_dies_while_it_is_moved_is_no_error_for_others),
        actuator_test(what_cannot_be_restored_is_tried_again_later),
        actuator_test(killed_at_any_step_its_successor_restores_all),
        actuator_test(killed_while_restoring_the_next_one_restores),
        actuator_test(a_disk_that_fails_at_any_step_leaves_nothing_changed),
        actuator_test(no_move_without_the_original_on_disk),
        actuator_test(a_full_disk_is_said_once_and_again_after_it_was_not),
        actuator_test(the_cookie_is_kept_and_forgotten),
        actuator_test(a_damaged_state_file_is_an_error_with_a_remedy),
        actuator_test(entries_for_other_pcpus_are_left_out),
    };

    return run_tap_tests(tests);
}
