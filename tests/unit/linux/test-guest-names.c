/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the names of marks in a guest: a member of the group that may make marks cannot use up the
 * names that the guest's root needs.
 *
 * Includes the module's own file.
 */
#include "cmocka-tap.h"

#include "world.h"

#include "guest/typed.c"

unsigned int world_cpu;
static bool is_root;

bool capable(int capability)
{
    assert_int_equal(capability, CAP_SYS_ADMIN);

    return is_root;
}

int HYPERVISOR_sched_op(int op, void *argument)
{
    (void)op;
    (void)argument;

    return 0;
}

/* Returns the number of the name, or a negative errno value. */
static int name_number(const char *prefix, unsigned int n)
{
    struct xensched_mark_name name;
    int rc;

    memset(&name, 0, sizeof(name));
    snprintf(name.text, sizeof(name.text), "%s%u", prefix, n);
    rc = xensched_typed_name(&name);

    return rc ? rc : (int)name.id;
}

/* Requests more names than there are.  Returns how many the module gave. */
static unsigned int take_names(const char *prefix)
{
    unsigned int n, given = 0;

    for ( n = 0; n < 2 * XENSCHED_MARK_NAMES; n++ )
        given += name_number(prefix, n) >= 0;

    return given;
}

static int tear_down(void **state)
{
    (void)state;
    xensched_typed_exit();
    is_root = false;

    return 0;
}

static void test_group_leaves_names_to_root(void **state)
{
    (void)state;
    assert_int_equal(take_names("member"),
                     XENSCHED_MARK_NAMES - XENSCHED_MARK_NAMES_ROOT);
    assert_int_equal(name_number("another", 0), -ENOSPC);
    assert_int_equal(name_number("member", 5), 5);
    is_root = true;
    assert_int_equal(take_names("root"), XENSCHED_MARK_NAMES_ROOT);
    assert_int_equal(name_number("another", 0), -ENOSPC);
}

static void test_root_may_have_all(void **state)
{
    (void)state;
    is_root = true;
    assert_int_equal(take_names("root"), XENSCHED_MARK_NAMES);
    is_root = false;
    assert_int_equal(name_number("root", 7), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_group_leaves_names_to_root, tear_down),
        cmocka_unit_test_teardown(test_root_may_have_all, tear_down),
    };

    return run_tap_tests(tests);
}
