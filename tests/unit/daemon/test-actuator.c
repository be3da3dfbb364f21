/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that the actuator restores original affinities and Xen's parameter, that affinities of an
 * operator stay, and which state files it accepts.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "actuator-world.h"
#include "cmocka-tap.h"

const char state_path[] = "test-actuator.state";
const char journal_path[] = "test-actuator.journal";

static void a_move_is_on_disk_and_comes_back(void **state)
{
    (void)state;
    assert_int_equal(move(GUEST, FAKE_NODE_0), 0);
    assert_true(fake_has_soft(domain(GUEST), FAKE_NODE_0));
    assert_int_equal(claim(GUEST), CLAIM_OURS);
    assert_int_equal(access(state_path, F_OK), 0);
    restart();
    assert_int_equal(claim(GUEST), CLAIM_OURS);
    assert_int_equal(restore_all().restored, 1);
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
    assert_int_equal(access(state_path, F_OK), -1);
    assert_int_equal(claim(GUEST), CLAIM_NONE);
    assert_true(journal_has("\"what\":\"move\""));
    assert_true(journal_has("\"what\":\"restore\""));
    assert_true(journal_has("is restored: the test asks for it"));
}

/* The operator sets the affinity when the plan is already made. */
static void an_affinity_that_is_set_meanwhile_stays(void **state)
{
    struct domains domains;
    struct decision move = { .verb = MOVE, .hard = true };
    struct xensched_error err;

    (void)state;
    fake_domains(&host, &domains);
    domain(GUEST)->vcpus[1].hard = 0x8;
    domain(OTHER)->vcpus[0].soft = 0x8;
    cpumap_init(&move.soft, FAKE_CPUS);
    cpumap_set(&move.soft, 0);
    assert_int_equal(actuator_move(&actuator, domains_find(&domains, GUEST),
                                   &move, "because", &err), -EBUSY);
    assert_int_equal(domain(GUEST)->vcpus[0].hard, FAKE_ALL);
    assert_int_equal(domain(GUEST)->vcpus[1].hard, 0x8);
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
    move.hard = false;
    assert_int_equal(actuator_move(&actuator, domains_find(&domains, OTHER),
                                   &move, "because", &err), -EBUSY);
    assert_true(fake_has_soft(domain(OTHER), 0x8));
    assert_int_equal(access(state_path, F_OK), -1);
    cpumap_free(&move.soft);
    domains_free(&domains);
    /* The same for a move that repeats an affinity. */
    domain(OTHER)->vcpus[0].soft = FAKE_ALL;
    move_by(OTHER, FAKE_NODE_0, true);
    domain(OTHER)->vcpus[0].hard = 0x4;
    assert_int_equal(pull(OTHER, PULL_REMIND), -EBUSY);
    assert_int_equal(domain(OTHER)->vcpus[0].hard, 0x4);
}

/* The original affinities differ between vCPUs, and the guest moves several times. */
static void a_restore_sets_the_original(void **state)
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

/* The other vCPU does not keep the daemon's affinity. */
static void changing_one_vcpu_makes_the_domain_the_operators(void **state)
{
    (void)state;
    move(GUEST, FAKE_NODE_0);
    domain(GUEST)->vcpus[1].soft = 0x8;
    assert_int_equal(claim(GUEST), CLAIM_LOST);
    assert_int_equal(domain(GUEST)->vcpus[0].soft, FAKE_ALL);
    assert_int_equal(domain(GUEST)->vcpus[1].soft, 0x8);
    assert_int_equal(claim(GUEST), CLAIM_NONE);
    assert_int_equal(access(state_path, F_OK), -1);
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
    /* A move to another node sets soft affinity only. */
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

/* Xen looks for a better pCPU whenever an affinity is set. */
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

/* The operator's affinity stays, and the daemon restores its own. */
static void changing_hard_affinity_makes_the_domain_the_operators(void **state)
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
    assert_int_equal(access(state_path, F_OK), -1);
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
    assert_int_equal(access(state_path, F_OK), -1);
    /* A weight that another program set stays, and there is nothing to restore. */
    soft_weight_raise(&weight);
    host.world->weight = 10;
    soft_weight_restore(&weight);
    assert_int_equal(host.world->weight, 10);
    assert_int_equal(access(state_path, F_OK), -1);
}

static void without_a_soft_weight_nothing_is_written_down(void **state)
{
    struct soft_weight w = { .actuator = &actuator, .percent = 50 };

    (void)state;
    host.world->no_weight = true;
    soft_weight_raise(&w);
    assert_true(w.missing);
    assert_int_equal(access(state_path, F_OK), -1);
    w.missing = false;
    host.world->no_weight = false;
    host.world->fail_weight = true;
    soft_weight_raise(&w);
    assert_int_equal(host.world->weight, 0);
    assert_int_equal(access(state_path, F_OK), -1);
    /* An operator sets another weight. */
    host.world->fail_weight = false;
    w.percent = 0;
    soft_weight_raise(&w);
    assert_int_equal(host.world->weight, 0);
}

/* If the parameter had this value before, it stays. */
static void a_soft_weight_that_was_set_before_stays(void **state)
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
    assert_int_equal(access(state_path, F_OK), -1);
}

/* The guest reboots: the same domid, another UUID. */
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
    assert_int_equal(access(state_path, F_OK), -1);
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

static void a_failed_restore_is_tried_again_later(void **state)
{
    struct actuator_result result;

    (void)state;
    move(GUEST, FAKE_NODE_0);
    host.world->fail_set = 1;
    host.world->fail_code = EINVAL;
    result = restore_all();
    assert_int_equal(result.failed, 1);
    assert_int_equal(access(state_path, F_OK), 0);
    restart();
    result = restore_all();
    assert_int_equal(result.restored, 1);
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
}

/* After a boot no affinity of the state file exists any more, but a held domain stays held. */
static void only_holds_survive_another_boot(void **state)
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

    /* After the boot a guest has the same number, UUID and affinity. */
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
    /* New entries are of this boot. */
    move(OTHER, FAKE_NODE_0);
    restart();
    assert_int_equal(actuator.state.nr, 1);
    /* An older daemon wrote no boot id. */
    strcpy(host.host.boot, "");
    restart();
    assert_int_equal(actuator.state.nr, 1);
}

static void a_domain_that_is_not_listed_is_not_gone(void **state)
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
    assert_int_equal(access(state_path, F_OK), -1);
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
    assert_int_equal(access(state_path, F_OK), -1);
    assert_false(journal_has("\"what\":\"operator\""));
    /* An operator may set an affinity in between; it stays. */
    move(GUEST, FAKE_NODE_0);
    host.world->fail_set = 1;
    assert_int_equal(give_back(GUEST), -EIO);
    domain(GUEST)->vcpus[0].hard = 0x8;
    assert_int_equal(claim(GUEST), CLAIM_LOST);
    assert_int_equal(domain(GUEST)->vcpus[0].hard, 0x8);
    assert_true(fake_has_soft(domain(GUEST), FAKE_ALL));
}

static void the_cookie_is_kept_and_forgotten(void **state)
{
    struct xensched_error err;
    struct state s;

    (void)state;
    state_init(&s, FAKE_CPUS, "");
    s.cookie = 0xfedcba9876543210ULL;
    assert_int_equal(state_save(&s, state_path, &err), 0);
    state_free(&s);
    assert_int_equal(state_load(&s, state_path, &err), 0);
    assert_true(s.cookie == 0xfedcba9876543210ULL);
    s.cookie = 0;
    assert_int_equal(state_save(&s, state_path, &err), 0);
    assert_int_equal(access(state_path, F_OK), -1);
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
        f = fopen(state_path, "w");
        fputs(damaged[i], f);
        fclose(f);
        state_init(&s, FAKE_CPUS, "");
        assert_int_equal(state_load(&s, state_path, &err), -EILSEQ);
        assert_non_null(strstr(err.text, "xl vcpu-pin"));
        assert_int_equal(s.nr, 0);
    }
}

/* The file is from before the host got other pCPUs; its domains are gone. */
/* JSON is UTF-8: each of these bytes becomes three. */
static void a_name_that_is_no_utf8_is_no_damage(void **state)
{
    struct domain d = { .domid = 5, .uuid = "00000000-0000-0000-0000-000000000005" };
    struct xensched_error err;
    struct state s;

    (void)state;
    memset(d.name, 0xe4, sizeof(d.name) - 1);
    state_init(&s, FAKE_CPUS, "");
    cpumap_set(&state_add(&s, &d)->ours, 0);
    assert_int_equal(state_save(&s, state_path, &err), 0);
    state_free(&s);
    state_init(&s, FAKE_CPUS, "");
    assert_int_equal(state_load(&s, state_path, &err), 0);
    assert_non_null(state_find(&s, d.domid, d.uuid));
    state_free(&s);
}

static void entries_for_other_pcpus_are_left_out(void **state)
{
    struct xensched_error err;
    struct state s;

    (void)state;
    move(GUEST, FAKE_NODE_1);
    move(OTHER, FAKE_NODE_0);
    state_init(&s, 2, "");
    assert_int_equal(state_load(&s, state_path, &err), 0);
    assert_int_equal(s.nr, 0);
    state_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        actuator_test(a_move_is_on_disk_and_comes_back),
        actuator_test(an_affinity_that_is_set_meanwhile_stays),
        actuator_test(only_holds_survive_another_boot),
        actuator_test(a_domain_that_is_not_listed_is_not_gone),
        actuator_test(a_give_back_that_failed_is_tried_again),
        actuator_test(a_restore_sets_the_original),
        actuator_test(giving_back_concerns_one_domain),
        actuator_test(an_operator_wins),
        actuator_test(changing_one_vcpu_makes_the_domain_the_operators),
        actuator_test(a_hard_affinity_comes_and_goes),
        actuator_test(a_reminder_sets_the_same_again),
        actuator_test(changing_hard_affinity_makes_the_domain_the_operators),
        actuator_test(an_order_that_cannot_be_written_down_is_not_given),
        actuator_test(an_order_that_fails_half_way_is_undone),
        actuator_test(the_soft_weight_is_put_back),
        actuator_test(without_a_soft_weight_nothing_is_written_down),
        actuator_test(a_soft_weight_that_was_set_before_stays),
        actuator_test(a_domain_which_is_gone_is_forgotten),
        actuator_test(another_domain_with_its_number_is_not_touched),
        actuator_test(a_move_that_fails_half_way_is_undone),
        actuator_test(
            a_domain_that_dies_while_it_is_moved_is_no_error_for_others),
        actuator_test(a_failed_restore_is_tried_again_later),
        actuator_test(the_cookie_is_kept_and_forgotten),
        actuator_test(a_damaged_state_file_is_an_error_with_a_remedy),
        actuator_test(a_name_that_is_no_utf8_is_no_damage),
        actuator_test(entries_for_other_pcpus_are_left_out),
    };

    return run_tap_tests(tests);
}
