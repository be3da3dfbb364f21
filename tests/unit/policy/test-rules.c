/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks rules of the configuration: which texts are rules, which domains a rule matches, and that
 * plans follow them: a guest that is held, or has no allowed node, is not moved; a rule's weights
 * decide about its own guests only.
 */
#include <stdio.h>
#include <string.h>

#include "cmocka-tap.h"
#include "policy-world.h"

#define PLACE_0 0x0fULL
#define PLACE_1 0xf0ULL

static struct rules rules;

static void what_is_a_rule(void **state)
{
    (void)state;
    assert_true(rules_parse(&rules, ""));
    assert_int_equal(rules.nr, 0);
    assert_true(rules_parse(&rules, " name=web-*:nodes=0-1, 3 ,talk=2.5 / "
                            "pool=batch : hold/group=db:memory=0,moving=1000"));
    assert_int_equal(rules.nr, 3);
    assert_int_equal(rules.rule[0].subject, RULE_NAME);
    assert_string_equal(rules.rule[0].pattern, "web-*");
    assert_string_equal(rules.rule[0].text, "name=web-*");
    assert_int_equal(rules.rule[0].nodes, 0xb);
    assert_float_equal(rules.rule[0].weight[RULE_TALK], 2.5, 1e-9);
    assert_float_equal(rules.rule[0].weight[RULE_MEMORY], 1, 1e-9);
    assert_false(rules.rule[0].hold);
    assert_true(rules.rule[1].hold);
    assert_int_equal(rules.rule[1].subject, RULE_POOL);
    assert_float_equal(rules.rule[2].weight[RULE_MEMORY], 0, 1e-9);
    assert_float_equal(rules.rule[2].weight[RULE_MOVING], 1000, 1e-9);
}

static void what_is_none(void **state)
{
    static const char *const wrong[] = {
        "hold", "name=a", "name=a:", "name=:hold", "color=red:hold", "name=a:stay",
        "name=a:nodes=", "name=a:nodes=64", "name=a:nodes=x", "name=a:talk=",
        "name=a:talk=-1", "name=a:talk=1001", "name=a:talk=1.2.3", "name=a:hold,",
        "name=a:hold/", "/name=a:hold", "name=a:waiting=2", "name=a:talk=nan",
        "name=a:hold,7",
    };
    char many[33 * 14 + 1] = "";
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (rules_parse(&rules, wrong[i]))
            fail_msg("'%s' was taken", wrong[i]);
    for (i = 0; i < 33; i++)
        strcat(many, i ? "/name=a:hold" : "name=a:hold");
    assert_false(rules_parse(&rules, many));
    memset(many, 'a', sizeof(many) - 1);
    memcpy(many, "name=", 5);
    memcpy(many + 300, ":hold", 6);
    assert_false(rules_parse(&rules, many));
}

static void the_first_rule_that_is_about_a_domain_holds(void **state)
{
    struct domains domains = { 0 };
    unsigned int i;

    (void)state;
    for (i = 0; i < 4; i++)
        domains_add(&domains);
    strcpy(domains.domain[0].name, "web-1");
    strcpy(domains.domain[0].group, "db");
    strcpy(domains.domain[1].group, "db");
    strcpy(domains.domain[2].pool_name, "batch");
    assert_true(rules_parse(&rules, "name=web-*: talk=2/group=db: hold/"
                            "pool=b?tch: nodes=1/name=*: hold"));
    rules_apply(&rules, &domains);
    assert_ptr_equal(domains.domain[0].rule, &rules.rule[0]);
    assert_false(domains.domain[0].stays);
    assert_ptr_equal(domains.domain[1].rule, &rules.rule[1]);
    assert_true(domains.domain[1].stays);
    assert_ptr_equal(domains.domain[2].rule, &rules.rule[2]);
    /* A domain without a name has no rule, not even one for "". */
    assert_null(domains.domain[3].rule);
    domains_free(&domains);
}

/* On a host. */

/* As xl lets guests be called; they differ in the last byte only. */
static void a_rule_tells_long_names_apart(void **state)
{
    static const char same[] = "0123456789012345678901234567890123456789012345678901"
                               "234567890123456789012345678901234567890123456789-";
    struct domains domains = { 0 };
    char text[200];
    unsigned int i;

    (void)state;
    for (i = 0; i < 2; i++)
        snprintf(domains_add(&domains)->name, DOMAIN_NAME_TEXT, "%s%u", same, i);
    snprintf(text, sizeof(text), "name=%s1: hold", same);
    assert_true(rules_parse(&rules, text));
    rules_apply(&rules, &domains);
    assert_null(domains.domain[0].rule);
    assert_ptr_equal(domains.domain[1].rule, &rules.rule[0]);
    snprintf(text, sizeof(text), "%s1", same);
    assert_ptr_equal(domains_find_meant(&domains, text), &domains.domain[1]);
    domains_free(&domains);
}

static void begin(const char *policy, const char *text)
{
    world_begin_nodes(policy, &policy_defaults, 2, 4);
    assert_true(rules_parse(&rules, text));
    world.rules = &rules;
}

static unsigned int talker(void)
{
    unsigned int domid = world_guest(1, 0.3);

    world.domains[domid].cpu = 5;
    world_talk(domid, 0, 1000);

    return domid;
}

static void a_guest_barred_from_a_node_is_not_sent_there(void **state)
{
    unsigned int kept, other;

    (void)state;
    begin("placement", "name=guest-1: nodes=1");
    kept = talker();
    other = talker();
    world_run(30);
    assert_int_equal(world.domains[kept].sent, 0);
    assert_int_equal(world.domains[other].sent, PLACE_0);
    world_end();
}

/* All of its memory is on node 1: 60 ms/s, and 20,000 notifications/s save 115. */
static void what_counts_more_decides(void **state)
{
    static const struct {
        const char *rules;
        bool goes;
    } cases[] = {
        { "", true }, { "name=guest-1: memory=3", false },
        { "name=guest-1: talk=0.3", false }, { "name=guest-2: talk=0", true },
        { "name=Domain-0: talk=0.3", false }, { "name=guest-1: moving=1000", true },
    };
    unsigned int i, domid;

    (void)state;
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin("placement", cases[i].rules);
        domid = talker();
        world_talk(domid, 0, 20000);
        world.domains[domid].use = 1;
        world.domains[domid].soft = PLACE_1;
        world.domains[domid].memory = 1000;
        world.domains[domid].on_1 = 100;
        world_warm_up();
        world_run(20);
        if (world.domains[domid].sent != (cases[i].goes ? PLACE_0 : 0))
            fail_msg("'%s': %s", cases[i].rules,
                     world.domains[domid].reason);
        world_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_a_rule),
        cmocka_unit_test(what_is_none),
        cmocka_unit_test(the_first_rule_that_is_about_a_domain_holds),
        cmocka_unit_test(a_rule_tells_long_names_apart),
        cmocka_unit_test(a_guest_barred_from_a_node_is_not_sent_there),
        cmocka_unit_test(what_counts_more_decides),
    };

    return run_tap_tests(tests);
}
