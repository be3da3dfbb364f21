/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that a hypervisor older than Debian's is found.  A wrong comparison of versions, or the
 * file of another release of Xen, would hide it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmocka-tap.h"

#include "host/hypervisor-versions.h"

#define ROOT "test-hypervisor-versions.root"
#define OLD "4.17.5+72-g01140da4e8-1"
#define NEW "4.17.7+13-g2445b30a44-0+deb12u1"

static void put(const char *path, const char *text)
{
    char name[256];
    FILE *file;

    snprintf(name, sizeof(name), "mkdir -p $(dirname " ROOT "%s)", path);
    assert_int_equal(system(name), 0);
    snprintf(name, sizeof(name), ROOT "%s", path);
    file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int no_root(void **state)
{
    (void)state;

    return system("rm -rf " ROOT);
}

static void put_host(const char *debian)
{
    put("/sys/hypervisor/properties/changeset", "xensched " OLD "\n");
    put("/sys/hypervisor/version/major", "4\n");
    put("/sys/hypervisor/version/minor", "17\n");
    put("/boot/schedlog-xen-4.17-amd64.version", NEW "\n");
    put("/var/lib/xensched-hypervisor/debian-4.17", debian);
}

static void all_three_are_read(void **state)
{
    struct hypervisor_versions v;

    (void)state;
    put_host(NEW "\n");
    hypervisor_versions_read(&v, ROOT);
    assert_string_equal(v.release, "4.17");
    assert_string_equal(v.running, OLD);
    assert_string_equal(v.installed, NEW);
    assert_string_equal(v.debian, NEW);
}

static void other_hypervisors_are_not_xenscheds(void **state)
{
    struct hypervisor_versions v;

    (void)state;
    put_host("");
    put("/sys/hypervisor/properties/changeset", "Thu Jan 1 git:0123abc\n");
    hypervisor_versions_read(&v, ROOT);
    assert_string_equal(v.running, "");
    assert_string_equal(v.installed, NEW);
}

static void without_xen_the_installed_one_counts(void **state)
{
    struct hypervisor_versions v;

    (void)state;
    put("/boot/schedlog-xen-4.20-amd64.version", "tree xen\n");
    put("/var/lib/xensched-hypervisor/debian-4.20", "4.20.4-1\n");
    hypervisor_versions_read(&v, ROOT);
    assert_string_equal(v.release, "4.20");
    assert_string_equal(v.running, "");
    assert_string_equal(v.installed, "tree xen");
    assert_string_equal(v.debian, "4.20.4-1");
    assert_true(hypervisor_version_is_behind(v.installed, v.debian));
}

static void nothing_is_no_version(void **state)
{
    struct hypervisor_versions v;

    (void)state;
    hypervisor_versions_read(&v, ROOT);
    assert_string_equal(v.release, "");
    assert_string_equal(v.running, "");
    assert_string_equal(v.installed, "");
    assert_string_equal(v.debian, "");
}

/* Each is newer than the one before it; the order is that of dpkg. */
static const char *const ascending[] = {
    "4.17.5~rc1-1", "4.17.5-1", "4.17.5-1+b1", "4.17.5-1.1", "4.17.5-2", "4.17.5-10",
    "4.17.5+9-g0-1", OLD, "4.17.5+72-g01140da4e8-1+deb12u1", "4.17.5+72-g01140da4e9-1",
    "4.17.5+100-g0-1", "4.17.6-1", "4.17.7+13-g2445b30a44", NEW,
    "4.17.7+13-g2445b30a44-0+deb12u2", "4.17.10-1", "4.20.3+127-gc42374a105-0+deb13u1",
};

static void versions_are_ordered_as_dpkg_does(void **state)
{
    const unsigned int nr = sizeof(ascending) / sizeof(ascending[0]);
    unsigned int a, b;

    (void)state;
    for (a = 0; a < nr; a++)
        for (b = 0; b < nr; b++)
            if (hypervisor_version_is_behind(ascending[a], ascending[b]) != (a < b))
                fail_msg("%s, %s", ascending[a], ascending[b]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(all_three_are_read, no_root),
        cmocka_unit_test_teardown(other_hypervisors_are_not_xenscheds, no_root),
        cmocka_unit_test_teardown(without_xen_the_installed_one_counts, no_root),
        cmocka_unit_test_teardown(nothing_is_no_version, no_root),
        cmocka_unit_test(versions_are_ordered_as_dpkg_does),
    };

    return run_tap_tests(tests);
}
