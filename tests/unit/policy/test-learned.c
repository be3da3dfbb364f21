/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks what moves teach: the price of distance comes near the truth of a synthetic host, is used
 * once it is known, ages, and survives a restart.
 *
 * Fails if a host where distance costs nothing moves guests for it for ever, or if a damaged file
 * is used.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "daemon/act/learned-file.h"
#include "harness.h"
#include "policy-world.h"

#define PATH "test-learned.prices"

static struct policy_settings settings;
static struct learned learned;
static struct xensched_error err;

/* Memory of each guest that comes, in 100 pages, all of it on dom0's node. */
static unsigned int memory;

static void begin_learning(void)
{
    learned = (struct learned){ 0 };
    world.real = true;
    world.learned = &learned;
    world.domains[0].use = 0.3;
}

static int setup(void **state)
{
    (void)state;
    unlink(PATH);
    settings = policy_defaults;
    settings.settle_ns = 0;
    world_begin("placement", &settings, 2, 4, 1);
    begin_learning();

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    world_end();
    unlink(PATH);

    return 0;
}

/* Guests come one after the other, far from dom0; each notification costs more there. */
static void guests_come(unsigned int nr, double far_costs)
{
    while (nr--) {
        unsigned int guest = world_guest(1, 0.2);

        world.domains[guest].cpu = 5;
        world.domains[guest].memory = memory;
        world.domains[guest].far_costs = far_costs;
        world.domains[guest].waits = world.domains[guest].waits_there = 0.001;
        world_talk(guest, 0, 2000);
        world.only_plans = true;
        world_run(25);
        world.only_plans = false;
        world_run(60);
        /* It ends, as far as the host goes. */
        world_talk(guest, 0, 0);
        world.domains[guest].use = world.domains[guest].far_costs = 0;
        world_run(75);
    }
}

static const struct learned_price *price(void)
{
    return &learned.of[BACK_END_EVENTS];
}

static void what_a_host_costs_is_learned_within_the_noise(void **state)
{
    static const double truths[] = { 0.00002, 0.00004 };
    unsigned int i;
    double low, high;

    for (i = 0; i < 2; i++) {
        teardown(state);
        setup(state);
        world.noise = 0.2;
        world.seed = 7 + i;
        guests_come(10, truths[i]);
        assert_in_range(price()->extra.n, 8, 10);
        assert_true(evidence_interval(&price()->extra, 0.05, &low, &high));
        assert_true(low <= 1e9 * truths[i] && 1e9 * truths[i] <= high);
        assert_true(high - low < 1e9 * truths[i]);
        assert_true(learned_replaces(price()));
        assert_float_equal(learned_extra(&learned, BACK_END_EVENTS),
                           price()->extra.mean, 1e-6);
    }
}

/* The first moves go by the price of distances, and show that there is nothing to gain. */
static void a_host_where_near_is_no_better_stops_moving(void **state)
{
    unsigned int moves;

    (void)state;
    world.noise = 0.05;
    guests_come(9, 0);
    assert_true(learned_replaces(price()));
    assert_true(learned_extra(&learned, BACK_END_EVENTS) < price()->priced_ns / 10);
    moves = world_moves();
    assert_in_range(moves, 5, 9);
    guests_come(3, 0);
    assert_int_equal(world_moves(), moves);
}

/*
 * In this world memory on another node costs nothing.  So the guests save no more with their
 * memory near, and subtracting what the term memory expected makes the price lower.
 */
static double price_with(unsigned int pages)
{
    world_end();
    world_begin_nodes("placement", &settings, 2, 4);
    begin_learning();
    memory = pages;
    guests_come(3, 0.00002);
    memory = 0;
    assert_int_equal(price()->extra.n, 3);

    return price()->extra.mean;
}

static void what_memory_was_expected_to_save_is_subtracted(void **state)
{
    (void)state;
    assert_true(price_with(10) < 0.95 * price_with(0));
}

/* Without a price that it knows, another kind of back end keeps that of distances. */
static void one_kind_says_nothing_of_another(void **state)
{
    struct learned_move move = { 30000, 100, 12000 };
    unsigned int i;

    (void)state;
    for (i = 0; i < 20; i++) {
        move.extra_ns = 100 + i;
        learned_add(&learned, BACK_END_COPIES, &move);
    }
    assert_true(learned_extra(&learned, BACK_END_COPIES) >= 0);
    assert_true(learned_extra(&learned, BACK_END_MAPS) < 0);
    assert_true(learned_extra(&learned, BACK_END_EVENTS) < 0);
    guests_come(1, 0.00002);
    assert_int_equal(world_moves(), 1);
}

static void teach(unsigned int moves, double extra_ns, double spread_ns)
{
    uint64_t seed = 3;

    while (moves--)
        learned_add(&learned, BACK_END_EVENTS, &(struct learned_move){
            .near_ns = 30000, .priced_ns = 5700,
            .extra_ns = extra_ns + spread_ns * (harness_random_below(&seed, 2001) /
                                                1000.0 - 1),
        });
}

static void few_moves_or_wide_ones_replace_nothing(void **state)
{
    (void)state;
    teach(4, 13000, 0);
    assert_true(learned_extra(&learned, BACK_END_EVENTS) < 0);
    teach(1, 13000, 0);
    assert_float_equal(learned_extra(&learned, BACK_END_EVENTS), 13000, 1);
    learned = (struct learned){ 0 };
    teach(20, 7000, 20000);
    assert_true(learned_extra(&learned, BACK_END_EVENTS) < 0);
}

/* A loss from being near is no reason to go away, but to stay wherever it is. */
static void a_negative_price_is_none(void **state)
{
    (void)state;
    teach(20, -5000, 100);
    assert_float_equal(learned_extra(&learned, BACK_END_EVENTS), 0, 0);
}

static void what_is_no_number_teaches_nothing(void **state)
{
    static const struct learned_move moves[] = {
        { NAN, 1, 1 }, { 1, NAN, 1 }, { 1, INFINITY, 1 }, { 1, 1, 0 }, { -1, 1, 1 },
        { 1, -2e9, 1 }, { 2e9, 1, 1 }, { 1, 1, NAN },
    };
    unsigned int i;

    (void)state;
    for (i = 0; i < sizeof(moves) / sizeof(*moves); i++)
        learned_add(&learned, BACK_END_MAPS, &moves[i]);
    assert_int_equal(learned.of[BACK_END_MAPS].extra.n, 0);
    assert_false(learned.unsaved);
}

static void old_moves_count_less_and_are_forgotten(void **state)
{
    const int64_t begin = 1700000000;
    double mean;

    (void)state;
    learned_age(&learned, begin);
    teach(20, 13000, 1000);
    mean = price()->extra.mean;
    learned_age(&learned, begin + LEARNED_HALF_LIFE_S - 1);
    assert_int_equal(price()->extra.n, 20);
    learned_age(&learned, begin + LEARNED_HALF_LIFE_S);
    assert_int_equal(price()->extra.n, 10);
    assert_float_equal(price()->extra.mean, mean, 1e-6);
    assert_true(learned_replaces(price()));
    /* A clock that goes back changes nothing. */
    learned_age(&learned, begin);
    assert_int_equal(price()->extra.n, 10);
    learned_age(&learned, begin + 3 * (int64_t)LEARNED_HALF_LIFE_S);
    assert_false(learned_replaces(price()));
    learned_age(&learned, begin + 100 * (int64_t)LEARNED_HALF_LIFE_S);
    assert_int_equal(price()->extra.n, 0);
}

/* After LEARNED_MOST moves a host that has become another one is followed. */
static void a_host_that_changes_is_learned_again(void **state)
{
    (void)state;
    teach(1000, 13000, 1000);
    assert_in_range(price()->extra.n, 1, LEARNED_MOST);
    teach(200, 2000, 1000);
    assert_float_equal(price()->extra.mean, 2000, 1500);
}

static void a_restart_forgets_nothing(void **state)
{
    struct learned again = { 0 };

    (void)state;
    assert_int_equal(learned_load(&again, PATH, &err), 0);
    learned_age(&learned, 1700000000);
    teach(17, 13000, 3000);
    assert_true(learned.unsaved);
    assert_int_equal(learned_save(&learned, PATH, &err), 0);
    assert_false(learned.unsaved);
    assert_int_equal(learned_load(&again, PATH, &err), 0);
    assert_memory_equal(&again, &learned, sizeof(again));
}

static void write_text(const char *text, size_t length)
{
    FILE *file = fopen(PATH, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    fclose(file);
}

static void is_refused(const char *text, size_t length)
{
    struct learned read = { .of[0].near_ns = 5 };

    write_text(text, length);
    assert_int_equal(learned_load(&read, PATH, &err), -EINVAL);
    assert_non_null(strstr(err.text, PATH));
    assert_float_equal(read.of[0].near_ns, 5, 0);
}

static void a_damaged_file_is_refused_as_a_whole(void **state)
{
    static const char *const wrong[][2] = {
        { "\"version\":1", "\"version\":2" }, { "\"moves\":17", "\"moves\":65" },
        { "\"moves\":17", "\"moves\":-1" }, { "\"moves\":17", "\"moves\":1.5" },
        { "\"moves\":17", "\"moves\":\"17\"" }, { "\"squares\":", "\"squares\":-" },
        { "\"priced_ns\":", "\"priced_ns\":9e99,\"x\":" }, { "\"notify\"", "\"other\"" },
        { "\"near_ns\":", "\"near_ns\":null,\"x\":" },
    };
    static char text[4096], other[4096];
    size_t length, i;
    FILE *file;
    char *at, *next;

    (void)state;
    teach(17, 13000, 3000);
    assert_int_equal(learned_save(&learned, PATH, &err), 0);
    file = fopen(PATH, "r");
    assert_non_null(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    for (i = 0; i < length; i++)
        is_refused(text, i);
    for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        /* The last one is of the kind that has moves. */
        for (at = NULL, next = text; (next = strstr(next, wrong[i][0])); next++)
            at = next;
        if (!at)
            fail_msg("no %s in %s", wrong[i][0], text);
        length = snprintf(other, sizeof(other), "%.*s%s%s", (int)(at - text), text,
                          wrong[i][1], at + strlen(wrong[i][0]));
        is_refused(other, length);
    }
}

static void it_is_explained_in_words(void **state)
{
    char text[LEARNED_TEXT];

    (void)state;
    teach(14, 13000, 0);
    learned_describe(&learned, BACK_END_EVENTS, text);
    assert_string_equal(text, "learned from 14 moves: a notification costs 30.0 us near "
                              "its back end, 43.0 us from another place (13.0 us more, "
                              "95 % interval 13.0 to 13.0; 5.7 by distances); this is "
                              "the price now");
    learned = (struct learned){ 0 };
    teach(1, 13000, 0);
    learned_describe(&learned, BACK_END_EVENTS, text);
    assert_non_null(strstr(text, "learned from 1 move: "));
    assert_non_null(strstr(text, "more moves are needed"));
}

#define learned_test(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        learned_test(what_a_host_costs_is_learned_within_the_noise),
        learned_test(a_host_where_near_is_no_better_stops_moving),
        learned_test(what_memory_was_expected_to_save_is_subtracted),
        learned_test(one_kind_says_nothing_of_another),
        learned_test(few_moves_or_wide_ones_replace_nothing),
        learned_test(a_negative_price_is_none),
        learned_test(what_is_no_number_teaches_nothing),
        learned_test(old_moves_count_less_and_are_forgotten),
        learned_test(a_host_that_changes_is_learned_again),
        learned_test(a_restart_forgets_nothing),
        learned_test(a_damaged_file_is_refused_as_a_whole),
        learned_test(it_is_explained_in_words),
    };

    return run_tap_tests(tests);
}
