/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that the actuator restores the original affinities, whatever happens at any step.
 *
 * A child process plays the daemon, and dies before or after each system call that writes and each
 * change of an affinity.  The host is in shared memory and outlives the child.  The same tests run
 * with errors, such as a full disk, in place of deaths.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actuator-world.h"
#include "cmocka-tap.h"

const char state_path[] = "test-actuator-steps.state";
const char journal_path[] = "test-actuator-steps.journal";

/* Does all that a daemon does with affinities. */
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

/* Runs life() in a child that dies at step @at.  Returns false if the child ended before. */
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

        remove_state();
        restart();
        set_originals();
        died = live_and_die(at);
        restart();
        result = restore_all();
        soft_weight_restore(&weight);
        assert_int_equal(result.failed, 0);
        assert_originals();
        assert_int_equal(access(state_path, F_OK), -1);
        if (!died)
            break;
    }
    print_message("# killed at %u different steps\n", at - 1);
    assert_true(at > 60);
}

/* The second daemon dies as well, while it restores. */
static void killed_while_restoring_the_next_one_restores(void **state)
{
    unsigned int at;

    (void)state;
    host.world->before_set = before_set;
    for (at = 1; ; at++) {
        pid_t child;
        int status;

        remove_state();
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

/* The daemon writes an affinity to the disk before it changes it. */
static void a_disk_that_fails_at_any_step_leaves_nothing_changed(void **state)
{
    unsigned int at, nr;

    (void)state;
    for (at = 1; ; at++) {
        remove_state();
        restart();
        set_originals();
        step->nr = 0;
        step->at = at;
        step->error = ENOSPC;
        life();
        nr = step->nr;
        step->at = 0;
        step->error = 0;
        /* An entry that stayed on the disk is restored once more. */
        restart();
        restore_all();
        soft_weight_restore(&weight);
        assert_originals();
        if (nr < at)
            break;
    }
    assert_true(at > 20);
}

/* Each call fails once; the next polls of the host repair the rest. */
static void a_call_that_fails_leaves_nothing_changed(void **state)
{
    unsigned int at;

    (void)state;
    host.world->fail_code = EIO;
    for (at = 1; ; at++) {
        bool failed;

        remove_state();
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
        assert_int_equal(access(state_path, F_OK), -1);
        if (!failed)
            break;
        weight.missing = weight.failed = false;
    }
    print_message("# failed at %u different calls\n", at - 1);
    assert_true(at > 30);
    assert_false(journal_has("\"what\":\"operator\""));
}

static bool busy; /* Xen refuses to change the second vCPU. */
static int (*set_affinity)(void *data, uint32_t domid, unsigned int vcpu,
                           const struct cpumap *hard, const struct cpumap *soft,
                           struct xensched_error *err);

static int set_unless_busy(void *data, uint32_t domid, unsigned int vcpu,
                           const struct cpumap *hard, const struct cpumap *soft,
                           struct xensched_error *err)
{
    if (busy && vcpu == 1)
        return xensched_fail(err, EBUSY, "busy");

    return set_affinity(data, domid, vcpu, hard, soft, err);
}

/* The vCPU still has the affinity of the first move when the third one begins. */
static void a_vcpu_that_is_busy_for_long_is_restored(void **state)
{
    (void)state;
    set_originals();
    set_affinity = host.host.set_affinity;
    host.host.set_affinity = set_unless_busy;
    assert_int_equal(move(GUEST, FAKE_NODE_0), 0);
    busy = true;
    assert_int_equal(move(GUEST, FAKE_NODE_1), -EBUSY);
    assert_int_equal(claim(GUEST), CLAIM_OURS);
    assert_int_equal(move(GUEST, 0x1), -EBUSY);
    busy = false;
    claim(GUEST);
    assert_originals();
    assert_int_equal(access(state_path, F_OK), -1);
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

/* A plan is made every second, and a disk can be full for a weekend. */
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
    assert_int_equal(lines_with(journal_path, "cannot be saved"), 1);
    step->at = 0;
    step->error = 0;
    assert_int_equal(move(GUEST, FAKE_NODE_0), 0);
    step->nr = 0;
    step->at = 1;
    step->error = ENOSPC;
    assert_int_not_equal(move(GUEST, FAKE_NODE_1), 0);
    assert_int_equal(lines_with(journal_path, "cannot be saved"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        actuator_test(a_call_that_fails_leaves_nothing_changed),
        actuator_test(killed_at_any_step_its_successor_restores_all),
        actuator_test(killed_while_restoring_the_next_one_restores),
        actuator_test(a_disk_that_fails_at_any_step_leaves_nothing_changed),
        actuator_test(a_vcpu_that_is_busy_for_long_is_restored),
        actuator_test(no_move_without_the_original_on_disk),
        actuator_test(a_full_disk_is_said_once_and_again_after_it_was_not),
    };

    return run_tap_tests(tests);
}
