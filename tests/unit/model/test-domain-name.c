/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks names of domains, which are any bytes.  Fails if one text means different domains in two
 * commands, if a name that is not ASCII is not found, or if a name makes JSON or OpenMetrics that a
 * reader rejects.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"

#include "base/openmetrics.h"
#include "model/domain.h"
#include "base/json.h"
#include "base/text.h"
#include "policy/rules.h"

static struct domains domains;

static void add(uint32_t domid, const char *name)
{
    struct domain *d = domains_add(&domains);

    d->domid = domid;
    snprintf(d->name, sizeof(d->name), "%s", name);
}

static int setup(void **state)
{
    (void)state;
    add(0, "Domain-0");
    add(3, "7");
    add(7, "Web Server 1");
    add(8, "B\xc3\xbcro");
    add(9, "B\xfcro"); /* Latin-1: no UTF-8 */
    add(10, "");

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    domains_free(&domains);

    return 0;
}

/* Returns the domid that a text means; 0 if it means none, as no case here means Domain-0. */
static uint32_t meant(const char *text)
{
    const struct domain *d = domains_find_meant(&domains, text);

    if (d)
        assert_true(domain_is_meant(text, d->domid, d->name));

    return d ? d->domid : 0;
}

static void digits_are_a_domid_and_all_else_a_name(void **state)
{
    (void)state;
    assert_int_equal(meant("7"), 7);
    assert_int_equal(meant("007"), 7);
    assert_int_equal(meant("3"), 3);
    assert_int_equal(meant("Web Server 1"), 7);
    assert_int_equal(meant("B\xc3\xbcro"), 8);
    assert_int_equal(meant("B\xfcro"), 9);
    assert_int_equal(meant("B?ro"), 0);
    assert_int_equal(meant("4294967303"), 0);
    assert_int_equal(meant("99999999999999999999999"), 0);
    assert_int_equal(meant("-7"), 0);
    assert_int_equal(meant(""), 0);
}

static void rules_match_bytes(void **state)
{
    struct rules rules;

    (void)state;
    assert_true(rules_parse(&rules, "name=B\xc3\xbcro: hold/"
                                    "name=Web Server ?: hold"));
    rules_apply(&rules, &domains);
    assert_true(domains.domain[3].stays);
    assert_true(domains.domain[2].stays);
    assert_false(domains.domain[4].stays);
}

static void utf8_stays(void **state)
{
    static const char *const good[] = {
        "", "web1", "B\xc3\xbcro", "\xe2\x82\xac", "\xf0\x9f\x90\xa7",
        "\xed\x9f\xbf", "\xee\x80\x80", "\xf4\x8f\xbf\xbf",
    };
    unsigned int i;
    char *copy;

    (void)state;
    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_true(utf8_is_valid(good[i]));
        copy = utf8_made_valid(good[i]);
        assert_string_equal(copy, good[i]);
        free(copy);
    }
}

/* A stray byte, a cut, overlong and surrogate sequence, one beyond Unicode, an impossible byte. */
static void other_bytes_become_utf8(void **state)
{
    static const char *const bad[] = {
        "\xfc", "\x80", "a\xc3", "\xe2\x82", "\xf0\x9f\x90", "\xc0\xaf",
        "\xe0\x80\xaf", "\xf0\x80\x80\x80", "\xed\xa0\x80",
        "\xf4\x90\x80\x80", "\xff\xfe", "\xc3(",
    };
    unsigned int i;
    char *copy;

    (void)state;
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(utf8_is_valid(bad[i]));
        copy = utf8_made_valid(bad[i]);
        assert_true(utf8_is_valid(copy));
        assert_non_null(strstr(copy, "\xef\xbf\xbd"));
        free(copy);
    }
    copy = utf8_made_valid("B\xfcro");
    assert_string_equal(copy, "B\xef\xbf\xbdro");
    free(copy);
}

static void json_and_metrics_are_utf8(void **state)
{
    json_object *json = json_object_new_object();
    char *label = NULL;
    size_t length;
    FILE *out;

    (void)state;
    json_add_domain(json, "name", "domid", 9, "B\xfcro");
    assert_true(utf8_is_valid(json_object_to_json_string(json)));
    json_add_domain(json, "name", "domid", 8, "B\xc3\xbcro");
    assert_string_equal(json_text(json, "name"), "B\xc3\xbcro");
    json_object_put(json);

    out = open_memstream(&label, &length);
    openmetrics_label(out, "domain", "B\xfcro \"1\"");
    fclose(out);
    assert_string_equal(label, "domain=\"B\xef\xbf\xbdro \\\"1\\\"\"");
    free(label);
}

#define name_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        name_test(digits_are_a_domid_and_all_else_a_name),
        name_test(rules_match_bytes),
        cmocka_unit_test(utf8_stays),
        cmocka_unit_test(other_bytes_become_utf8),
        cmocka_unit_test(json_and_metrics_are_utf8),
    };

    return run_tap_tests(tests);
}
