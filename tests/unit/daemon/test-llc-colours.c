/* SPDX-License-Identifier: GPL-2.0-only */
/* Which domains share colours of the last-level cache, by Xen's command line. */
#include "cmocka-tap.h"
#include "harness.h"

#include "host/llc-colours.h"

static struct llc_colours dom0;

static void free_dom0(void)
{
    cpumap_free(&dom0.named);
}

static void colours_are_used_if_xen_is_told_so(void **state)
{
    static const char *const on[] = {
        "llc-coloring", "llc-coloring=on", "dom0_mem=1G llc-coloring=yes loglvl=all",
        "no-llc-coloring llc-coloring=1", "llc-size=1M llc-nr-ways=16",
    };
    static const char *const off[] = {
        "", "dom0_mem=1G", "llc-coloring=off", "llc-coloring=0", "no-llc-coloring",
        "llc-coloring=on no-llc-coloring", "xen-llc-colors=0", "llc-size=1M",
        "llc-coloring=no llc-size=1M llc-nr-ways=16",
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(on) / sizeof(on[0]); i++) {
        assert_true(llc_colours_of_dom0(on[i], &dom0));
        assert_true(dom0.all);
        free_dom0();
    }
    for (i = 0; i < sizeof(off) / sizeof(off[0]); i++)
        assert_false(llc_colours_of_dom0(off[i], &dom0));
}

static void dom0_has_the_colours_of_the_last_option(void **state)
{
    (void)state;
    assert_true(llc_colours_of_dom0("llc-coloring dom0-llc-colors=9 dom0-llc-colors=1-2,5-8",
                                    &dom0));
    assert_false(dom0.all);
    assert_string_equal(llc_colours_text(&dom0), "1-2,5-8");
    free_dom0();
    /* Xen refuses such a list: nothing is known, so nothing is called isolated. */
    assert_true(llc_colours_of_dom0("llc-coloring dom0-llc-colors=1-x", &dom0));
    assert_true(dom0.all);
    free_dom0();
}

static void domains_share_what_both_have(void **state)
{
    struct llc_colours guest = { .domid = 1 };

    (void)state;
    assert_true(llc_colours_of_dom0("llc-coloring dom0-llc-colors=2-6", &dom0));
    cpumap_init(&guest.named, LLC_COLOURS_MAX);
    cpumap_set(&guest.named, 7);
    cpumap_set(&guest.named, 1);
    assert_false(llc_colours_shared(&guest, &dom0));
    cpumap_set(&guest.named, 6);
    assert_true(llc_colours_shared(&guest, &dom0));
    assert_true(llc_colours_shared(&dom0, &guest));
    guest.named.words[0] = 0;
    assert_false(llc_colours_shared(&guest, &dom0));
    guest.all = true;
    assert_true(llc_colours_shared(&guest, &dom0));
    assert_string_equal(llc_colours_text(&guest), "all");
    cpumap_free(&guest.named);
    free_dom0();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_used_if_xen_is_told_so),
        cmocka_unit_test(dom0_has_the_colours_of_the_last_option),
        cmocka_unit_test(domains_share_what_both_have),
    };

    return run_tap_tests(tests);
}
