/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks where a guest should be placed before it exists: by its history, by the domain that is to
 * serve its disks, and only where cores are free; and the stored history of guests that ended.
 *
 * DRIVER, which is bound to node 1, has the accounting domain 5.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "answer-world.h"
#include "harness.h"

#include "daemon/core/remember.h"

const char state_path[] = "test-place.state";
const char journal_path[] = "test-place.journal";
static const char history_path[] = "test-place.history";

#define DRIVER 3U
#define NOBODY "11111111-2222-3333-4444-555555555555"
#define OTHER  "11111111-2222-3333-4444-666666666666"

/* DISK communicates with dom0, on node 0, or with DRIVER. */
#define WITH_DOM0   TALK
#define WITH_DRIVER "pair=evtchn-send/3/5/1/1,pair=evtchn-send/5/3/1/1," SILENCE

static void add_driver(void)
{
    struct fake_domain *driver = fake_domain_new(&host, DRIVER, "driver", 1);

    driver->vcpus[0] = (struct fake_vcpu){ 2, FAKE_NODE_1, FAKE_ALL };
}

static void begin(void)
{
    unlink(history_path);
    settings.history_path = history_path;
    add_driver();
    start(MODE_ADVISE);
}

static void next_daemon(void)
{
    core_stop(&core);
    core_free(&core);
    start(MODE_ADVISE);
}

/* Returns the response; @more are members of the request. */
static json_object *place_of(const char *uuid, unsigned int vcpus,
                             const char *more)
{
    char line[600];

    snprintf(line, sizeof(line), "{\"command\":\"place\",\"name\":\"new\","
             "\"uuid\":\"%s\",\"vcpus\":%u%s}", uuid, vcpus, more);

    return ask(line);
}

/* Compares the member @path of the response with @wanted; NULL stands for null. */
static void is_placed(const char *uuid, unsigned int vcpus, const char *more,
                      const char *wanted, const char *reason)
{
    json_object *json = place_of(uuid, vcpus, more);
    const char *place = get(json, "/result/place");

    if (!wanted != !place || (place && strcmp(place, wanted)) ||
        !strstr(get(json, "/result/reason"), reason))
        fail_msg("wanted %s, %s; got %s", wanted ? wanted : "nothing", reason,
                 json_object_to_json_string(json));
    json_object_put(json);
}

static const char *uuid_of(uint32_t domid)
{
    static char uuid[DOMAIN_UUID_TEXT];

    snprintf(uuid, sizeof(uuid), "00000000-0000-0000-0000-%012u",
             domain(domid)->uuid);

    return uuid;
}

/* Placement by disks. */

static void a_guest_goes_to_the_domain_that_serves_its_disks(void **state)
{
    json_object *json;

    (void)state;
    begin();
    run(10, SILENCE);
    json = place_of(NOBODY, 1, ",\"backends\":[\"driver\"]");
    assert_string_equal(get(json, "/ok"), "true");
    assert_string_equal(get(json, "/result/place"), "node 1");
    assert_int_equal(number(json, "/result/node"), 1);
    assert_string_equal(get(json, "/result/pcpus"), "[ 2, 3 ]");
    assert_string_equal(get(json, "/result/by"), "back-ends");
    assert_string_equal(get(json, "/result/codes"), "[ \"back-ends\" ]");
    assert_string_equal(get(json, "/result/reason"), "1 of its 1 disk is "
                        "served by driver, whose vCPUs are on pCPUs 2-3 "
                        "(node 1)");
    json_object_put(json);
    is_placed(NOBODY, 1, ",\"backends\":[\"0\"]", "node 0", "Domain-0");
}

static void a_back_end_is_where_it_spends_its_time(void **state)
{
    (void)state;
    begin();
    domain(DRIVER)->vcpus[0].hard = FAKE_ALL;
    run(20, "pair=service-ns/5/1/1/100000");
    is_placed(NOBODY, 1, ",\"backends\":[\"driver\"]", "node 0",
              "which spends 100 % of its time on pCPUs 0-1");
}

static void a_back_end_that_is_spread_attracts_no_guest(void **state)
{
    (void)state;
    begin();
    run(10, SILENCE);
    domain(DRIVER)->vcpus[0].hard = FAKE_ALL;
    run(20, "cpus=4,batch=25,pair=service-ns/5/1/1/100000");
    is_placed(NOBODY, 1, ",\"backends\":[\"driver\"]", NULL,
              "driver is spread");
}

static void most_disks_count_and_a_tie_has_no_winner(void **state)
{
    (void)state;
    begin();
    run(10, SILENCE);
    is_placed(NOBODY, 1, ",\"backends\":[\"0\",\"driver\",\"driver\"]",
              "node 1", "2 of its 3 disks are served by driver");
    is_placed(OTHER, 1, ",\"backends\":[\"0\",\"driver\"]", NULL,
              "on different nodes");
    is_placed(OTHER, 1, "", NULL, "it has no disks");
    is_placed(OTHER, 1, ",\"backends\":[]", NULL, "it has no disks");
}

/* Capacity. */

static void a_place_without_room_gets_no_guest(void **state)
{
    (void)state;
    begin();
    run(10, SILENCE);
    is_placed(NOBODY, 2, ",\"backends\":[\"0\"]", NULL,
              "node 0 has no room: of its 2 cores");
    is_placed(NOBODY, 3, ",\"backends\":[\"driver\"]", NULL,
              "only 2 cores are in its cpupool, and it has 3 vCPUs");
}

static void only_pcpus_of_its_cpupool_count(void **state)
{
    (void)state;
    begin();
    domain(0)->pool_cpus = FAKE_NODE_0;
    run(10, SILENCE);
    is_placed(NOBODY, 1, ",\"backends\":[\"driver\"]", NULL,
              "of node 1 only 0 cores are in its cpupool");
}

static void a_rule_says_where_it_may_be(void **state)
{
    (void)state;
    rules_parse(&settings.policy_settings.rules, "name=ne*: nodes=0");
    begin();
    run(10, SILENCE);
    is_placed(NOBODY, 1, ",\"backends\":[\"driver\"]", NULL,
              "allowed by the rule name=ne*");
}

/* DRIVER uses one core of node 1. */
static void reserved_capacity_is_taken(void **state)
{
    (void)state;
    begin();
    run(10, SILENCE);
    is_placed(NOBODY, 1, ",\"backends\":[\"driver\"]", "node 1", "driver");
    is_placed(NOBODY, 1, ",\"backends\":[\"driver\"]", "node 1", "driver");
    is_placed(OTHER, 1, ",\"backends\":[\"driver\"]", NULL, "no room");
    run(61, SILENCE);
    is_placed(OTHER, 1, ",\"backends\":[\"driver\"]", "node 1", "driver");
}

/*
 * A node of two cores is too small for two cpupools and a driver domain, so here the pools share
 * pCPUs.  Each pool still has its own capacity.
 */
static void capacity_reserved_in_another_cpupool_is_free(void **state)
{
    struct fake_domain *guest;

    (void)state;
    begin();
    guest = fake_domain_new(&host, 4, "pooled", 1);
    guest->pool = 1;
    run(10, SILENCE);
    is_placed(NOBODY, 1, ",\"backends\":[\"driver\"],\"pool\":\"1\"",
              "node 1", "driver");
    is_placed(OTHER, 1, ",\"backends\":[\"driver\"]", "node 1", "driver");
}

static void a_dry_run_is_no_promise(void **state)
{
    (void)state;
    begin();
    run(10, SILENCE);
    is_placed(NOBODY, 1, ",\"backends\":[\"driver\"],\"dry_run\":true",
              "node 1", "driver");
    is_placed(OTHER, 1, ",\"backends\":[\"driver\"]", "node 1", "driver");
}

/* The guest exists, and xl has bound it there; no policy moves it. */
static void a_guest_takes_room_where_it_is(void **state)
{
    struct fake_domain *guest;

    (void)state;
    begin();
    run(10, SILENCE);
    guest = fake_domain_new(&host, 4, "busy", 1);
    guest->vcpus[0] = (struct fake_vcpu){ 3, FAKE_NODE_1, FAKE_ALL };
    run(20, "pair=service-ns/6/1/1/1800000");
    is_placed(OTHER, 1, ",\"backends\":[\"driver\"]", NULL, "no room");
}

/* DISK was sent there and needs half a pCPU.  It has lost its reason, but has not left yet. */
static void a_guest_without_reason_takes_room_once(void **state)
{
    (void)state;
    settings.history_path = NULL;
    add_driver();
    start(MODE_ACT);
    run(10, WITH_DRIVER);
    assert_true(core.plan.decisions[DISK].verb == KEEP);
    run(20, "pair=service-ns/3/1/1/500000");
    assert_int_equal(core.plan.decisions[DISK].reason.code, REASON_NOTHING_NOW);
    is_placed(NOBODY, 1, ",\"backends\":[\"driver\"]", "node 1", "driver");
    is_placed(OTHER, 1, ",\"backends\":[\"driver\"]", NULL, "no room");
}

static void the_host_is_looked_at_anew(void **state)
{
    (void)state;
    unlink(history_path);
    start(MODE_ADVISE);
    run(10, SILENCE);
    add_driver();
    now += SECOND;
    is_placed(NOBODY, 1, ",\"backends\":[\"driver\"]", "node 1", "driver");
}

static void has_confirmed(unsigned int count)
{
    const struct reason *reason = &core.plan.decisions[DISK].reason;

    assert_int_equal(reason->code, REASON_UNCONFIRMED);
    assert_int_equal(reason->count, count);
    assert_int_equal(reason->of, 3);
}

/* Otherwise frequent requests would decide how soon a guest is moved. */
static void a_request_confirms_no_move(void **state)
{
    static const char *const requests[] = {
        "{\"command\":\"place\",\"name\":\"new\",\"uuid\":\"" NOBODY "\","
            "\"vcpus\":1}",
        "{\"command\":\"restore\"}",
    };
    unsigned int i, tenth;

    (void)state;
    settings.policy_settings.confirm = 3;
    begin();
    run(10, SILENCE);
    run(1, TALK);
    has_confirmed(1);
    for (i = 0; i < 6; i++) {
        for (tenth = 0; tenth < 10; tenth++)
            hear(TALK);
        is_done(requests[i % 2]);
        has_confirmed(1);
    }
    run(1, TALK);
    has_confirmed(2);
    run(1, TALK);
    assert_int_equal(core.plan.decisions[DISK].verb, MOVE);
}

/* Otherwise a request at the wrong moment would delay the move of a guest. */
static void a_request_ends_no_row_of_plans(void **state)
{
    unsigned int tenth;

    (void)state;
    settings.policy_settings.confirm = 3;
    begin();
    run(10, SILENCE);
    run(1, TALK);
    run(1, TALK);
    has_confirmed(2);
    domain(DISK)->stays = true;
    for (tenth = 0; tenth < 10; tenth++)
        hear(TALK);
    is_done("{\"command\":\"restore\"}");
    assert_int_not_equal(core.plan.decisions[DISK].reason.code, REASON_UNCONFIRMED);
    domain(DISK)->stays = false;
    run(1, TALK);
    assert_int_equal(core.plan.decisions[DISK].verb, MOVE);
}

static void with_one_node_no_place_is_better(void **state)
{
    (void)state;
    begin();
    host.world->offline = FAKE_NODE_1;
    run(10, SILENCE);
    is_placed(NOBODY, 1, ",\"backends\":[\"0\"]", NULL, "one NUMA node");
}

static void without_plans_there_is_no_answer(void **state)
{
    json_object *json;

    (void)state;
    settings.history_path = NULL;
    start(MODE_OBSERVE);
    run(10, SILENCE);
    json = place_of(NOBODY, 1, ",\"backends\":[\"0\"]");
    assert_string_equal(get(json, "/ok"), "false");
    assert_non_null(strstr(get(json, "/error"), "xensched advise"));
    json_object_put(json);
}

/* Placement by history. */

/* DISK, with this UUID, communicates with dom0 for a minute and ends. */
static void talked_and_ended(char uuid[DOMAIN_UUID_TEXT])
{
    strcpy(uuid, uuid_of(DISK));
    run(60, WITH_DOM0);
    domain(DISK)->exists = false;
    run(5, SILENCE);
}

static void it_goes_where_it_had_most_to_do(void **state)
{
    char uuid[DOMAIN_UUID_TEXT];

    (void)state;
    begin();
    talked_and_ended(uuid);
    is_placed(uuid, 1, ",\"backends\":[\"driver\"]", "node 0",
              "notifications/s and 0 pages/s with Domain-0, whose vCPUs are on "
              "pCPUs 0-1 (node 0)");
    /* A node has one cache here, so a near line comes from it: 5.3 us saved per notification. */
    is_placed(uuid, 1, "", "node 0", "that saves 3.");
    /* No other guest gets this. */
    is_placed(NOBODY, 1, ",\"backends\":[\"driver\"]", "node 1", "driver");
}

static void a_guest_will_need_what_it_needed(void **state)
{
    char uuid[DOMAIN_UUID_TEXT];

    (void)state;
    begin();
    talked_and_ended(uuid);
    /* Another guest may use both cores. */
    is_placed(NOBODY, 2, ",\"backends\":[\"0\"]", NULL, "needs 2.0 itself");
    is_placed(uuid, 2, ",\"backends\":[\"0\"]", "node 0", "Domain-0");
}

/* The guest is destroyed and built again before the daemon reads the host. */
static void a_guest_that_boots_again_at_once_has_its_history(void **state)
{
    (void)state;
    begin();
    run(60, WITH_DOM0);
    is_placed(uuid_of(DISK), 1, ",\"backends\":[\"driver\"]", "node 0",
              "when it last ran");
}

static void last_words_count_little(void **state)
{
    char uuid[DOMAIN_UUID_TEXT];

    (void)state;
    begin();
    strcpy(uuid, uuid_of(DISK));
    run(60, WITH_DOM0);
    run(5, WITH_DRIVER);
    domain(DISK)->exists = false;
    run(5, SILENCE);
    is_placed(uuid, 1, "", "node 0", "with Domain-0");
}

static void a_short_life_leaves_the_history(void **state)
{
    char uuid[DOMAIN_UUID_TEXT];
    unsigned int digits = domain(DISK)->uuid;

    (void)state;
    begin();
    talked_and_ended(uuid);
    fake_domain_new(&host, DISK, "disk", 1)->uuid = digits;
    run(12, WITH_DRIVER);
    domain(DISK)->exists = false;
    run(5, SILENCE);
    is_placed(uuid, 1, "", "node 0", "with Domain-0");
}

static void a_partner_is_known_by_its_name_too(void **state)
{
    char uuid[DOMAIN_UUID_TEXT];

    (void)state;
    begin();
    strcpy(uuid, uuid_of(DISK));
    run(60, WITH_DRIVER);
    domain(DISK)->exists = domain(DRIVER)->exists = false;
    run(5, SILENCE);
    is_placed(uuid, 1, ",\"backends\":[\"0\"]", "node 0", "served by");
    add_driver();
    run(5, SILENCE);
    is_placed(uuid, 1, ",\"backends\":[\"0\"]", "node 1", "with driver");
}

static void a_guest_that_did_too_little_goes_by_its_disks(void **state)
{
    char uuid[DOMAIN_UUID_TEXT];

    (void)state;
    settings.policy_settings.least_gain_ns = 1e9;
    begin();
    talked_and_ended(uuid);
    is_placed(uuid, 1, ",\"backends\":[\"driver\"]", "node 1", "driver");
    is_placed(uuid, 1, "", NULL, "the least gain, but by ");
}

/* Stored history. */

static void the_next_daemon_knows_the_history(void **state)
{
    char uuid[DOMAIN_UUID_TEXT];

    (void)state;
    begin();
    talked_and_ended(uuid);
    /* The history is written when the guest ends, whatever happens then. */
    assert_int_equal(access(history_path, F_OK), 0);
    core.history.path = NULL;
    next_daemon();
    run(10, SILENCE);
    is_placed(uuid, 1, ",\"backends\":[\"driver\"]", "node 0",
              "with Domain-0");
    unlink(history_path);
}

static void a_guest_that_runs_when_the_daemon_ends_is_remembered(void **state)
{
    char uuid[DOMAIN_UUID_TEXT];

    (void)state;
    begin();
    strcpy(uuid, uuid_of(DISK));
    run(60, WITH_DOM0);
    next_daemon();
    domain(DISK)->exists = false;
    run(10, SILENCE);
    is_placed(uuid, 1, "", "node 0", "with Domain-0");
    unlink(history_path);
}

static void write_history(const char *text)
{
    FILE *f = fopen(history_path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

#define GUEST "{\"uuid\":\"" NOBODY "\",\"need\":0.5,\"partners\":[" \
              "{\"uuid\":\"" OTHER "\",\"name\":\"driver\"," \
              "\"notifications\":9000,\"pages\":0}]}"

static void a_history_that_is_none_is_done_without(void **state)
{
    static const char *const texts[] = {
        "", "{", "[]", "null", "{\"version\":1}",
        "{\"version\":2,\"guests\":[" GUEST "]}",
        "{\"version\":1,\"guests\":[" GUEST ",{}]}",
        "{\"version\":1,\"guests\":[" GUEST "]",
        "{\"version\":1,\"guests\":[{\"uuid\":\"" NOBODY NOBODY
            "\",\"need\":0,\"partners\":[]}]}",
        "{\"version\":1,\"guests\":[{\"uuid\":\"" NOBODY
            "\",\"need\":-1,\"partners\":[]}]}",
        "{\"version\":1,\"guests\":[{\"uuid\":\"" NOBODY
            "\",\"need\":1e99,\"partners\":[]}]}",
        "{\"version\":1,\"guests\":[{\"uuid\":\"" NOBODY
            "\",\"need\":0,\"partners\":[1,2,3,4,5]}]}",
    };
    struct history h;
    unsigned int i;

    (void)state;
    begin();
    write_history("{\"version\":1,\"guests\":[" GUEST "]}");
    history_open(&h, history_path);
    assert_non_null(history_find(&h, NOBODY));
    history_free(&h);
    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        write_history(texts[i]);
        history_open(&h, history_path);
        if (h.nr)
            fail_msg("%s is read", texts[i]);
        history_free(&h);
    }
    unlink(history_path);
}

/* JSON is UTF-8: each of these bytes becomes three. */
static void a_name_that_is_no_utf8_leaves_the_history_readable(void **state)
{
    struct history_guest guest = { .uuid = NOBODY, .nr = 1 };
    struct history h = { .path = history_path };

    (void)state;
    begin();
    memset(guest.partners[0].name, 0xe4, sizeof(guest.partners[0].name) - 1);
    history_put(&h, &guest);
    history_save(&h);
    history_free(&h);
    history_open(&h, history_path);
    assert_non_null(history_find(&h, NOBODY));
    history_free(&h);
    unlink(history_path);
}

static void a_history_that_cannot_be_written_is_tried_again(void **state)
{
    char uuid[DOMAIN_UUID_TEXT];
    struct history h;

    (void)state;
    settings.history_path = "test-place.none/history";
    add_driver();
    start(MODE_ADVISE);
    talked_and_ended(uuid);
    assert_true(core.history.failed);
    is_placed(uuid, 1, ",\"backends\":[\"driver\"]", "node 0",
              "with Domain-0");
    assert_int_equal(mkdir("test-place.none", 0700), 0);
    run(2, SILENCE);
    history_open(&h, settings.history_path);
    assert_non_null(history_find(&h, uuid));
    history_free(&h);
    unlink(settings.history_path);
    rmdir("test-place.none");
    core.history.path = NULL;
}

static void the_latest_guests_are_kept_and_no_more_than_fit(void **state)
{
    struct history_guest guest = { .need = 1 };
    struct history h;
    unsigned int i;

    (void)state;
    settings.history_path = NULL;
    start(MODE_ADVISE);
    history_open(&h, NULL);
    for (i = 0; i < HISTORY_GUESTS + 10; i++) {
        snprintf(guest.uuid, sizeof(guest.uuid), "%u", i);
        history_put(&h, &guest);
        strcpy(guest.uuid, "again");
        history_put(&h, &guest);
    }
    assert_int_equal(h.nr, HISTORY_GUESTS);
    assert_non_null(history_find(&h, "again"));
    assert_non_null(history_find(&h, "1033"));
    assert_non_null(history_find(&h, "11"));
    assert_null(history_find(&h, "10"));
    history_free(&h);
}

/* Requests. */

#define ASK "{\"command\":\"place\",\"name\":\"new\",\"uuid\":\"" NOBODY "\""
#define LONG "0123456789012345678901234567890123456789"

static void a_bad_request_is_told_what_is_wrong(void **state)
{
    (void)state;
    begin();
    run(10, SILENCE);
    is_refused("{\"command\":\"place\"}", "\"name\"");
    is_refused("{\"command\":\"place\",\"name\":\"" LONG LONG LONG LONG LONG LONG LONG "\"}",
               "\"name\"");
    is_refused("{\"command\":\"place\",\"name\":\"a\"}", "\"uuid\"");
    is_refused("{\"command\":\"place\",\"name\":\"a\",\"uuid\":\"" LONG "\"}",
               "\"uuid\"");
    is_refused("{\"command\":\"place\",\"name\":\"a\",\"uuid\":"
               "\"11111111-2222-3333-4444-55555555555x\"}", "\"uuid\"");
    is_refused(ASK "}", "\"vcpus\"");
    is_refused(ASK ",\"vcpus\":0}", "\"vcpus\"");
    is_refused(ASK ",\"vcpus\":-1}", "\"vcpus\"");
    is_refused(ASK ",\"vcpus\":1.5}", "\"vcpus\"");
    is_refused(ASK ",\"vcpus\":1e300}", "\"vcpus\"");
    is_refused(ASK ",\"vcpus\":1,\"group\":\"a b\"}", "\"group\"");
    is_refused(ASK ",\"vcpus\":1,\"pool\":\"none\"}", "cpupool 'none'");
    is_refused(ASK ",\"vcpus\":1,\"pool\":\"7\"}", "cpupool '7'");
    is_refused(ASK ",\"vcpus\":1,\"backends\":[1]}", "\"backends\"");
    is_refused(ASK ",\"vcpus\":1,\"backends\":[\"no such\\u0007\"]}",
               "there is no domain 'no such");
    is_refused(ASK ",\"vcpus\":1,\"backends\":[\"99999999999999\"]}",
               "there is no domain");
    is_refused(ASK ",\"vcpus\":1,\"backends\":[\"" LONG LONG LONG LONG "\"]}",
               "there is no domain");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(a_guest_goes_to_the_domain_that_serves_its_disks),
        core_test(a_back_end_is_where_it_spends_its_time),
        core_test(a_back_end_that_is_spread_attracts_no_guest),
        core_test(most_disks_count_and_a_tie_has_no_winner),
        core_test(a_place_without_room_gets_no_guest),
        core_test(only_pcpus_of_its_cpupool_count),
        core_test(a_rule_says_where_it_may_be),
        core_test(reserved_capacity_is_taken),
        core_test(capacity_reserved_in_another_cpupool_is_free),
        core_test(a_dry_run_is_no_promise),
        core_test(a_guest_takes_room_where_it_is),
        core_test(a_guest_without_reason_takes_room_once),
        core_test(the_host_is_looked_at_anew),
        core_test(a_request_confirms_no_move),
        core_test(a_request_ends_no_row_of_plans),
        core_test(with_one_node_no_place_is_better),
        core_test(without_plans_there_is_no_answer),
        core_test(it_goes_where_it_had_most_to_do),
        core_test(a_guest_will_need_what_it_needed),
        core_test(a_guest_that_boots_again_at_once_has_its_history),
        core_test(last_words_count_little),
        core_test(a_short_life_leaves_the_history),
        core_test(a_partner_is_known_by_its_name_too),
        core_test(a_guest_that_did_too_little_goes_by_its_disks),
        core_test(the_next_daemon_knows_the_history),
        core_test(a_guest_that_runs_when_the_daemon_ends_is_remembered),
        core_test(a_history_that_is_none_is_done_without),
        core_test(a_name_that_is_no_utf8_leaves_the_history_readable),
        core_test(a_history_that_cannot_be_written_is_tried_again),
        core_test(the_latest_guests_are_kept_and_no_more_than_fit),
        core_test(a_bad_request_is_told_what_is_wrong),
    };

    return run_tap_tests(tests);
}
