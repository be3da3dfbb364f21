/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that the cost of a plan grows with the number of moved guests, not with its
 * square.
 *
 * The cost is counted in cells of the matrix that the plan reads, so it is the same on
 * each machine.  The daemon neither reads logs nor renews its lease during a plan.
 */
#include "cmocka-tap.h"
#include "model/matrix/cells.h"
#include "policy-world.h"

#define GUESTS 12U

static unsigned long nr_read;

struct cell *__real_cells_find(const struct cells *cells, uint64_t key);
struct cell *__wrap_cells_find(const struct cells *cells, uint64_t key);
struct cell *__real_cells_next(const struct cells *cells, size_t *i);
struct cell *__wrap_cells_next(const struct cells *cells, size_t *i);

struct cell *__wrap_cells_find(const struct cells *cells, uint64_t key)
{
    nr_read++;

    return __real_cells_find(cells, key);
}

struct cell *__wrap_cells_next(const struct cells *cells, size_t *i)
{
    nr_read++;

    return __real_cells_next(cells, i);
}

/* Returns the cells that one plan reads when it keeps @guests where they were moved. */
static unsigned long cost_of_plan(unsigned int guests)
{
    struct policy_settings settings = policy_defaults;
    unsigned long before;
    unsigned int i;

    settings.settle_ns = 0;
    world_begin("placement", &settings, 2, 32, 1);
    world.domains[0].use = 0.2;
    for (i = 0; i < guests; i++)
        world_talk(world_guest(1, 0.1), 0, 5000);
    world_warm_up();
    world_run(30);
    assert_int_equal(world_moves(), guests);
    before = nr_read;
    world_run(1);
    for (i = 1; i <= guests; i++)
        assert_int_equal(world.domains[i].decision.verb, KEEP);
    world_end();

    return nr_read - before;
}

static void twice_as_many_moved_guests_cost_twice_as_much(void **state)
{
    unsigned long few = cost_of_plan(GUESTS), many = cost_of_plan(2 * GUESTS);

    (void)state;
    if (many >= 2.5 * few)
        fail_msg("%lu cells for %u guests, %lu for twice as many", few, GUESTS, many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice_as_many_moved_guests_cost_twice_as_much),
    };

    return run_tap_tests(tests);
}
