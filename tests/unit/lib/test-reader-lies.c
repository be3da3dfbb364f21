/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the reader of an untrusted producer: the reader notices impossible states, and no state
 * makes it read outside its memory.  See reader-world.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "cmocka-tap.h"
#include "reader-world.h"

static void a_position_that_goes_back_is_noticed_and_survived(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    produce(h, 20);
    drain(&r, 1024, &c);
    h->state[0].pos -= 5 * h->state[0].row_size;
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), -EPROTO);
    assert_int_equal(b.length, 0);
    assert_int_equal(r.stats.nonsense, 1);
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), 0);
    teardown(h);
}

static void a_row_size_which_does_not_fit_the_register_is_refused(void **state)
{
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    produce(h, 4);
    h->state[0].row_size *= 2;
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), -EPROTO);
    assert_int_equal(b.length, 0);
    teardown(h);
}

static void a_register_that_changed_without_notice_is_refused(void **state)
{
    struct checker c = { 0 };
    struct xensched_reader r;
    struct xensched_batch b;
    struct harness *h;

    (void)state;
    setup_reader(&h, &r, 1024);
    harness_route_all(h, 0, PLAIN);
    produce(h, 4);
    drain(&r, 1024, &c);
    produce(h, 4);
    h->state[0].lcr ^= XEN_SCHEDLOG_LCR_CURRENT;
    assert_int_equal(xensched_reader_read(&r, buffer, 1024, &b), -EPROTO);
    assert_int_equal(b.length, 0);
    teardown(h);
}

/* Makes a possible state, so that the reader continues to the rows. */
static void make_plausible(struct xen_schedlog_state *s, uint64_t *seed)
{
    struct xensched_layout layout;

    s->lcr = registers[harness_random_below(seed, NR_REGISTERS)];
    xensched_layout(s->lcr, &layout);
    s->row_size = layout.size;
    s->layout_gap = 0;
    s->layout_seq &= ~1U;
    s->pos &= 0xfffc0;
    s->layout_pos = s->pos;
    s->pos += harness_random_below(seed, 20) * layout.size;
}

static void randomise(void *arg)
{
    struct interference *in = arg;
    struct xen_schedlog_state *s = in->h->state;
    static const uint64_t masks[] = { ~0ULL, 0xfff, 0xff0, 0x7f, ~0ULL << 60 };
    uint64_t mask = masks[harness_random_below(&in->seed, 5)];

    switch (harness_random_below(&in->seed, 11)) {
    case 0: s->pos = harness_random(&in->seed) & mask; break;
    case 1: s->layout_pos = harness_random(&in->seed) & mask; break;
    case 2: s->lcr = registers[harness_random_below(&in->seed, 5)]; break;
    case 3: s->lcr = harness_random(&in->seed); break;
    case 4: s->row_size = 1U << harness_random_below(&in->seed, 8); break;
    case 5: s->layout_seq += harness_random_below(&in->seed, 5); break;
    case 6: s->layout_gap = harness_random(&in->seed) & mask; break;
    case 7: s->pos += harness_random(&in->seed) & mask; break;
    case 8: s->layout_pos = s->pos; break;
    case 9: make_plausible(s, &in->seed); break;
    }
}

static void randomise_at_times(void *arg)
{
    struct interference *in = arg;

    if (!harness_random_below(&in->seed, in->chance))
        randomise(arg);
}

/* The address sanitizer finds errors here. */
static void no_state_makes_the_reader_leave_its_memory(void **state)
{
    struct interference in = { .seed = 4, .chance = 100 };
    struct xensched_reader r;
    struct xensched_batch b;
    unsigned int i, refused = 0, delivered = 0;

    (void)state;
    setup_reader(&in.h, &r, 512);
    meanwhile = randomise_at_times;
    meanwhile_arg = &in;
    for (i = 0; i < 200000; i++) {
        size_t room = 64 + harness_random_below(&in.seed, 449);
        int rc;

        randomise(&in);
        rc = xensched_reader_read(&r, buffer, room, &b);
        assert_true(rc == 0 || rc == 1 || rc == -EAGAIN || rc == -EPROTO);
        refused += rc < 0;
        delivered += b.length > 0;
        assert_true(b.length <= room);
        assert_true((const uint8_t *)b.rows >= buffer);
        assert_true((const uint8_t *)b.rows + b.length <= buffer + room);
        if (i % 1000 == 0)
            xensched_reader_init(&r, in.h->state, in.h->data[0], 512, i & 1);
    }
    assert_true(refused > 1000 && delivered > 1000);
    teardown(in.h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_position_that_goes_back_is_noticed_and_survived),
        cmocka_unit_test(
            a_row_size_which_does_not_fit_the_register_is_refused),
        cmocka_unit_test(a_register_that_changed_without_notice_is_refused),
        cmocka_unit_test(no_state_makes_the_reader_leave_its_memory),
    };

    return run_tap_tests(tests);
}
