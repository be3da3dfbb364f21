/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks a trial in the core: in one block of a pair guests have the plan's affinities, in the
 * other one their original ones, on the host and not only in the status.
 *
 * Fails if a trial leaves a guest placed in the wrong block, moves a held one, runs in mode
 * observe, does not survive a restart, or leaves the host placed after harm.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "core-world.h"

#include "daemon/core/run-trial.h"

const char state_path[] = "test-core-trial.state";
const char journal_path[] = "test-core-trial.journal";

#define TRIAL_PATH  "test-core-trial.json"
#define BLOCKS_PATH "test-core-trial.blocks"
#define BLOCK 30U /* seconds */

static int begin_test(void **state)
{
    unlink(TRIAL_PATH);
    unlink(BLOCKS_PATH);
    setup(state);
    settings.trial_path = TRIAL_PATH;
    settings.trial_blocks_path = BLOCKS_PATH;
    settings.max_moves = 1;

    return 0;
}

static int end_test(void **state)
{
    int rc = teardown(state);

    unlink(TRIAL_PATH);
    unlink(BLOCKS_PATH);

    return rc;
}

static int try_it(unsigned int pairs, bool dry_run)
{
    const struct trial_settings trial = {
        .block_ns = BLOCK * SECOND, .pairs = pairs, .seed = 3,
        .dry_run = dry_run,
    };
    struct xensched_error err;

    return run_trial_start(&core, &trial, &err);
}

static bool is_placed(void)
{
    return fake_has_soft(domain(DISK), FAKE_NODE_0);
}

/* Compares them in the last third of each block, when the daemon had time for its moves. */
static void affinities_follow_the_blocks(void **state)
{
    unsigned int blocks[2] = { 0 }, i;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    assert_true(is_placed());
    assert_int_equal(try_it(10, false), 0);
    for (i = 0; i < 6 * BLOCK; i++) {
        run(1, TALK);
        if (trial_block_left(&core.trial, now) > 10 * SECOND ||
            trial_block_left(&core.trial, now) < SECOND)
            continue;
        blocks[core.trial.placed]++;
        assert_int_equal(is_placed(), core.trial.placed);
        if (!core.trial.placed)
            assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    }
    assert_true(blocks[0] > 10);
    assert_true(blocks[1] > 10);
}

static void a_dry_run_leaves_guests_where_they_are(void **state)
{
    unsigned int i;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    assert_int_equal(try_it(10, true), 0);
    for (i = 0; i < 4 * BLOCK; i++) {
        run(1, TALK);
        assert_true(is_placed());
    }
    assert_true(core.trial.done);
}

/* max_moves is 1 a minute, and two guests have a gain. */
static void a_dry_run_keeps_the_limit_of_moves(void **state)
{
    (void)state;
    start(MODE_ACT);
    assert_int_equal(try_it(10, true), 0);
    run(40, TALK ",pair=evtchn-send/4/2/1/1,pair=evtchn-send/2/4/1/1");
    assert_int_equal(core.moves, 1);
}

static void a_held_guest_stays_where_it_was_moved(void **state)
{
    struct xensched_error err;
    unsigned int i;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    assert_int_equal(actuator_hold(&core.actuator,
                                   domains_find(&core.domains, DISK), true,
                                   &err), 0);
    assert_int_equal(try_it(10, false), 0);
    for (i = 0; i < 2 * BLOCK; i++) {
        run(1, TALK);
        assert_true(is_placed());
    }
}

static void only_a_daemon_that_acts_tries(void **state)
{
    (void)state;
    start(MODE_OBSERVE);
    run(2, TALK);
    assert_int_equal(try_it(10, false), -EPERM);
    assert_int_equal(try_it(10, true), -EPERM);
    core_set_mode(&core, MODE_ADVISE);
    assert_int_equal(try_it(10, false), -EPERM);
    assert_int_equal(try_it(10, true), 0);
    assert_int_equal(try_it(10, true), -EBUSY);
}

/* Mode advise moves nothing. */
static void it_pauses_while_the_mode_is_advise(void **state)
{
    unsigned int sets;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    assert_int_equal(try_it(10, false), 0);
    run(BLOCK / 2, TALK);
    core_set_mode(&core, MODE_ADVISE);
    sets = host.world->nr_sets;
    run(3 * BLOCK, TALK);
    assert_int_equal(host.world->nr_sets, sets);
    assert_true(core.trial.paused);
    assert_int_equal(core.trial.discarded, 1);
}

static void a_restart_goes_on_with_what_was_found(void **state)
{
    unsigned int done;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    assert_int_equal(try_it(10, false), 0);
    run(5 * BLOCK, TALK);
    done = core.trial.done;
    assert_true(done);
    core_stop(&core);
    core_free(&core);
    start(MODE_ACT);
    assert_int_equal(core.trial.state, TRIAL_RUNNING);
    assert_int_equal(core.trial.done, done);
    assert_int_equal(core.trial.nr, 2);
    run(3 * BLOCK, TALK);
    assert_int_equal(core.trial.done, done + 1);
}

/* Counts lines of the file of blocks with this text.  Each line must be a complete object. */
static unsigned int blocks_with(const char *text)
{
    FILE *file = fopen(BLOCKS_PATH, "r");
    unsigned int nr = 0;
    char *line = NULL;
    size_t room = 0;

    while (file && getline(&line, &room, file) > 0) {
        json_object *json = json_tokener_parse(line);

        assert_non_null(json);
        json_object_put(json);
        nr += strstr(line, text) != NULL;
    }
    free(line);
    if (file)
        fclose(file);

    return nr;
}

static void each_complete_pair_is_written_as_two_blocks(void **state)
{
    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    assert_int_equal(try_it(10, false), 0);
    run(5 * BLOCK, TALK);
    core_stop(&core);
    core_free(&core);
    start(MODE_ACT);
    run(3 * BLOCK, TALK);
    assert_true(core.trial.done >= 3);
    assert_int_equal(blocks_with("\"started_s\":"), 1);
    assert_int_equal(blocks_with("\"placed\":true"), core.trial.done);
    assert_int_equal(blocks_with("\"placed\":false"), core.trial.done);
    assert_int_equal(blocks_with("\"pair\":1,"), 2);
    assert_int_equal(blocks_with("\"name\":\"disk\""), 2 * core.trial.done);
    /* A dry run has nothing to compare; the next trial starts a new file. */
    assert_int_equal(run_trial_stop(&core, NULL), 0);
    assert_int_equal(try_it(10, true), 0);
    run(3 * BLOCK, TALK);
    assert_int_equal(blocks_with("\"pair\":1,"), 2);
    assert_int_equal(run_trial_stop(&core, NULL), 0);
    assert_int_equal(try_it(10, false), 0);
    assert_int_equal(blocks_with(""), 1);
}

static void a_damaged_file_is_reported_and_no_trial(void **state)
{
    FILE *f = fopen(TRIAL_PATH, "w");

    (void)state;
    fputs("{\"version\": 2, \"state\": 1, \"done\": -3}", f);
    fclose(f);
    start(MODE_ACT);
    assert_int_equal(core.trial.state, TRIAL_NONE);
    run(10, TALK);
    assert_true(is_placed());
    assert_int_equal(try_it(10, false), 0);
}

/* Each page costs more if DISK is placed. */
static void after_harm_affinities_are_restored(void **state)
{
    unsigned int i;

    (void)state;
    start(MODE_ACT);
    run(10, TALK);
    assert_int_equal(try_it(50, false), 0);
    for (i = 0; i < 40 * BLOCK && core.trial.state == TRIAL_RUNNING; i++)
        run(1, is_placed() ? TALK ",pair=service-ns/3/1/1/900000"
                           : TALK ",pair=service-ns/3/1/1/100000");
    assert_int_equal(core.trial.state, TRIAL_HARMFUL);
    assert_int_equal(core.mode, MODE_ADVISE);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    run(BLOCK, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    assert_int_equal(count_in_journal("\"trial-end\""), 1);
    assert_int_equal(count_in_journal("placement costs"), 1);
    assert_int_equal(count_in_journal("placement does harm"), 1);
}

#define trial_test(f) cmocka_unit_test_setup_teardown(f, begin_test, end_test)

int main(void)
{
    const struct CMUnitTest tests[] = {
        trial_test(affinities_follow_the_blocks),
        trial_test(a_dry_run_leaves_guests_where_they_are),
        trial_test(a_dry_run_keeps_the_limit_of_moves),
        trial_test(a_held_guest_stays_where_it_was_moved),
        trial_test(only_a_daemon_that_acts_tries),
        trial_test(it_pauses_while_the_mode_is_advise),
        trial_test(a_restart_goes_on_with_what_was_found),
        trial_test(each_complete_pair_is_written_as_two_blocks),
        trial_test(a_damaged_file_is_reported_and_no_trial),
        trial_test(after_harm_affinities_are_restored),
    };

    return run_tap_tests(tests);
}
