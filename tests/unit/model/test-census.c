/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks where memory is, by a sample: shares are those of the machine, however memory is laid out;
 * a count is bounded; nothing is reported that was not counted, or that is of another domain.
 */
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"

#include "model/memory/census.h"
#include "base/alloc.h"

#define SECOND 1000000000ULL
#define NODES 2U
#define GUESTS 8U
#define NOBODY 255U

static struct census c;
static struct domains domains;
static uint64_t now;

static int setup(void **state)
{
    (void)state;
    now = 1000 * SECOND;
    census_init(&c, NODES);

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    census_free(&c);
    domains_free(&domains);

    return 0;
}

static struct domain *here(uint32_t domid, uint64_t since_ns)
{
    struct domain *d = domains_add(&domains);

    d->domid = domid;
    d->since_ns = since_ns;

    return d;
}

static void add_many(uint32_t domid, unsigned int node, unsigned int nr)
{
    for (; nr; nr--)
        census_add(&c, domid, node);
}

static void counted_frames_are_reported(void **state)
{
    struct domain *d;

    (void)state;
    here(0, 0);
    here(7, 0);
    assert_int_equal(census_begin(&c, 1000, now), 0);
    assert_int_equal(c.part.step, 1);
    add_many(7, 0, 30);
    add_many(7, 1, 70);
    add_many(0, 1, CENSUS_LEAST - 1);
    add_many(7, NODES, 5);
    census_tell(&c, &domains);
    assert_false(domains.domain[1].pages.known);
    census_end(&c, true);
    census_tell(&c, &domains);
    assert_false(domains.domain[0].pages.known);
    d = &domains.domain[1];
    assert_int_equal(d->pages.on[0], 30);
    assert_int_equal(d->pages.on[1], 70);
    assert_int_equal(d->pages.at_ns, now);
}

static void a_domain_that_came_meanwhile_is_left_out(void **state)
{
    (void)state;
    census_begin(&c, 1000, now);
    add_many(7, 0, 100);
    census_end(&c, true);
    /* The memory may have belonged to a former domain with this number. */
    here(7, now + 1);
    census_tell(&c, &domains);
    assert_false(domains.domain[0].pages.known);
    domains.domain[0].since_ns = now;
    census_tell(&c, &domains);
    assert_true(domains.domain[0].pages.known);
}

static void a_count_that_ends_too_early_changes_nothing(void **state)
{
    (void)state;
    here(7, 0);
    census_begin(&c, 1000, now);
    add_many(7, 0, 100);
    census_end(&c, true);
    census_begin(&c, 1000, now + 300 * SECOND);
    add_many(7, 1, 100);
    census_tell(&c, &domains);
    assert_int_equal(domains.domain[0].pages.on[0], 100);
    census_end(&c, false);
    census_tell(&c, &domains);
    assert_int_equal(domains.domain[0].pages.on[0], 100);
}

static void it_is_made_again_and_sooner_for_new_domains(void **state)
{
    (void)state;
    assert_true(census_is_due(&c, &domains, now));
    census_begin(&c, 1000, now);
    assert_false(census_is_due(&c, &domains, now + 100 * SECOND));
    census_end(&c, true);
    here(7, now);
    assert_false(census_is_due(&c, &domains, now + 299 * SECOND));
    assert_true(census_is_due(&c, &domains, now + 300 * SECOND));
    here(8, now + SECOND);
    assert_false(census_is_due(&c, &domains, now + 9 * SECOND));
    assert_true(census_is_due(&c, &domains, now + 10 * SECOND));
}

/* The bound holds for 1 TiB and more. */
static void a_count_is_bounded(void **state)
{
    uint64_t frames;

    (void)state;
    for (frames = 1; frames < 1ULL << 36; frames = 2 * frames + 1) {
        uint64_t first = census_begin(&c, frames, now);

        assert_true(first < c.part.step);
        assert_true((frames - first) / c.part.step <= CENSUS_FRAMES);
        assert_true(c.part.step & 1);
        census_end(&c, false);
    }
}

/* Gives the machine's memory to guests in blocks of up to 4 MiB, in turn. */
static void give_away(uint8_t *owner, uint32_t frames, unsigned int pattern)
{
    uint32_t i = 0, turn = 0;

    while (i < frames) {
        uint32_t block = pattern ? 1U << (5 + pattern % 6)
                                 : 1U + rand() % 1024;
        uint8_t domid = pattern > 6 ? turn++ % GUESTS : rand() % GUESTS;

        if (!(rand() % 8))
            domid = NOBODY;
        for (; block && i < frames; block--)
            owner[i++] = domid;
    }
}

static void compare(const uint8_t *owner, uint32_t frames)
{
    uint32_t truth[GUESTS][NODES] = { { 0 } }, i;
    unsigned int g;

    for (i = 0; i < frames; i++)
        if (owner[i] != NOBODY)
            truth[owner[i]][i >= frames / 2]++;
    for (g = 0; g < GUESTS; g++) {
        double all = truth[g][0] + truth[g][1];
        const struct pages *p = &domains.domain[g].pages;

        assert_true(p->known);
        assert_float_equal(pages_share(p, 0), truth[g][0] / all, 0.05);
        assert_float_equal(pages_total(p) / all, 1, 0.1);
    }
}

static void a_sample_is_like_the_machine(void **state)
{
    const uint32_t frames = 1U << 21;
    uint8_t *owner = need_memory(frames, 1);
    unsigned int round, g;
    uint64_t i;

    (void)state;
    srand(15);
    for (g = 0; g < GUESTS; g++)
        here(g, 0);
    for (round = 0; round < 24; round++) {
        give_away(owner, frames, round % 12);
        for (i = census_begin(&c, frames, now); i < frames; i += c.part.step)
            if (owner[i] != NOBODY)
                census_add(&c, owner[i], i >= frames / 2);
        census_end(&c, true);
        census_tell(&c, &domains);
        compare(owner, frames);
    }
    free(owner);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counted_frames_are_reported),
        TEST(a_domain_that_came_meanwhile_is_left_out),
        TEST(a_count_that_ends_too_early_changes_nothing),
        TEST(it_is_made_again_and_sooner_for_new_domains),
        TEST(a_count_is_bounded),
        TEST(a_sample_is_like_the_machine),
    };

    return run_tap_tests(tests);
}
