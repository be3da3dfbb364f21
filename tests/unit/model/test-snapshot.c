/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks descriptions of a host: a reader gets back what was written, and defaults as documented
 * for the rest.  Any other text is rejected or makes sense.
 *
 * Descriptions come from recordings, which may come from anywhere.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "fake-host.h"

#include "model/residency/servers.h"
#include "model/snapshot.h"

#define SERVES 3U

static const char *text_of(json_object *json)
{
    return json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN);
}

/* Makes a host with every member. */
static json_object *make(void)
{
    static const uint64_t on[] = { 1000, 1ULL << 40 };
    uint32_t threshold[XEN_SCHEDLOG_NR_EVENTS];
    struct domains domains = { 0 };
    struct xensched_error err;
    struct topology topology;
    struct fake_host host;
    json_object *json;
    unsigned int i;

    fake_host_init(&host);
    host.world->threads = true;
    fake_domain_new(&host, 1, "a \"name\"\xc3\xa4", 2);
    fake_domain_new(&host, SERVES, "", 1);
    host.world->domains[SERVES].clients = 1U << 1;
    assert_int_equal(host.host.topology(host.host.data, &topology, &err), 0);
    assert_int_equal(host.host.domains(host.host.data, &domains, &err), 0);
    domains.domain[1].acct = 7;
    strcpy(domains.domain[1].group, "web.1");
    domains.domain[1].since_ns = 1234567890123456789;
    domains.domain[1].affinity = AFFINITY_OPERATOR;
    domains.domain[1].held = true;
    domains.domain[2].is_stub = true;
    domains.domain[2].target = 1;
    domains.domain[1].vcpus[1].online = false;
    domains.domain[1].pool = 5;
    domains.domain[1].threshold = calloc(XEN_SCHEDLOG_NR_EVENTS,
                                         sizeof(uint32_t));
    domains.domain[1].threshold[2] = 64;
    pages_set(&domains.domain[1].pages, on, 2, 1234567);
    servers_add(&domains.domain[0], 1, 1);
    topology.cpus[3].online = false;
    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        threshold[i] = i + 1;
    json = snapshot_to_json(&topology, &domains, threshold);
    domains_free(&domains);
    topology_free(&topology);
    fake_host_free(&host);

    return json;
}

static void read_text(struct snapshot *s, const char *text)
{
    struct xensched_error err = { 0 };

    if (snapshot_from_text(s, text, strlen(text), &err))
        fail_msg("%s", err.text);
}

static void a_description_is_read_back(void **state)
{
    json_object *json = make(), *again;
    const struct domain *d;
    struct snapshot s;

    (void)state;
    read_text(&s, text_of(json));
    again = snapshot_to_json(&s.topology, &s.domains, s.threshold);
    assert_string_equal(text_of(again), text_of(json));
    json_object_put(again);
    json_object_put(json);

    assert_int_equal(s.topology.nr_places, 2);
    assert_false(s.topology.cpus[3].online);
    assert_int_equal(s.domains.nr, 3);
    d = domains_find(&s.domains, 1);
    assert_string_equal(d->name, "a \"name\"\xc3\xa4");
    assert_int_equal(d->acct, 7);
    assert_string_equal(d->group, "web.1");
    assert_true(d->since_ns == 1234567890123456789);
    assert_true(d->held && d->affinity == AFFINITY_OPERATOR);
    assert_true(d->vcpus[0].online && !d->vcpus[1].online);
    assert_int_equal(d->threshold[2], 64);
    assert_int_equal(d->threshold[3], 0);
    assert_true(d->pages.known && d->pages.at_ns == 1234567);
    assert_true(d->pages.on[0] == 1000 && d->pages.on[1] == 1ULL << 40);
    d = domains_find(&s.domains, 0);
    assert_int_equal(d->nr_servers, 1);
    assert_true(d->servers[0].front_end == 1 && d->servers[0].vcpu == 1);
    d = domains_find(&s.domains, SERVES);
    assert_true(d->driver && d->nr_serves == 1 && d->serves[0] == 1);
    assert_true(d->is_stub && d->target == 1);
    assert_false(domains_find(&s.domains, 1)->is_stub);
    snapshot_free(&s);
}

static void missing_members_are_as_documented(void **state)
{
    const struct domain *d;
    struct snapshot s;

    (void)state;
    read_text(&s, "{\"topology\":\"2x3x2\",\"unknown\":[1],"
                  "\"domains\":[{\"domid\":5,\"vcpus\":[{}]}]}");
    assert_int_equal(s.topology.nr_cpus, 12);
    assert_int_equal(s.topology.nr_places, 2);
    assert_int_equal(s.topology.cpus[11].core, 2);
    assert_int_equal(s.topology.cpus[11].socket, 1);
    assert_int_equal(s.threshold[0], 1);
    d = domains_find(&s.domains, 5);
    assert_int_equal(d->acct, XEN_SCHEDLOG_ACCT_REST);
    assert_string_equal(d->uuid, "00000000-0000-0000-0000-000000000005");
    assert_true(domain_has_default_affinity(d));
    assert_int_equal(cpumap_count(&d->pool_cpus), 12);
    assert_int_equal(domain_online_vcpus(d), 1);
    assert_false(d->driver || d->held);
    assert_string_equal(d->group, "");
    assert_false(d->pages.known);
    snapshot_free(&s);
}

/* Descriptions without "llc" have one cache per socket. */
static void pcpus_that_share_an_llc_are_read_back(void **state)
{
    json_object *json;
    struct snapshot s;

    (void)state;
    read_text(&s, "{\"topology\":[{\"socket\":0,\"core\":0,\"llc\":0},"
                  "{\"socket\":0,\"core\":1,\"llc\":0},"
                  "{\"socket\":0,\"core\":2,\"llc\":1},{\"online\":false},"
                  "{\"socket\":1,\"core\":0}],\"domains\":[]}");
    assert_int_equal(s.topology.nr_places, 2);
    assert_int_equal(s.topology.nr_caches, 3);
    assert_int_equal(s.topology.cpus[2].cache, 1);
    json = snapshot_to_json(&s.topology, &s.domains, s.threshold);
    snapshot_free(&s);
    assert_non_null(strstr(text_of(json), "\"llc\""));
    read_text(&s, text_of(json));
    json_object_put(json);
    assert_int_equal(s.topology.cpus[1].llc, 0);
    assert_int_equal(s.topology.cpus[2].llc, 1);
    assert_int_equal(s.topology.cpus[4].llc, TOPOLOGY_UNKNOWN);
    assert_int_equal(s.topology.nr_caches, 3);
    snapshot_free(&s);

    read_text(&s, "{\"topology\":\"2x3x2\",\"domains\":[]}");
    assert_int_equal(s.topology.nr_caches, 2);
    assert_string_equal(s.topology.caches[0].kind, "node");
    json = snapshot_to_json(&s.topology, &s.domains, s.threshold);
    assert_null(strstr(text_of(json), "\"llc\""));
    json_object_put(json);
    snapshot_free(&s);
}

/* Each text has one mistake, which the error names. */
static void nonsense_is_named(void **state)
{
    static const char *const wrong[][2] = {
        { "", "JSON" },
        { "5", "JSON" },
        { "{}", "topology" },
        { "{\"topology\":\"0x4\"}", "SOCKETSxCORES" },
        { "{\"topology\":\"2x4 \"}", "SOCKETSxCORES" },
        { "{\"topology\":\"4096x2\"}", "SOCKETSxCORES" },
        { "{\"topology\":[]}", "pCPUs" },
        { "{\"topology\":[{\"socket\":-1}]}", "socket" },
        { "{\"topology\":[{\"socket\":\"x\"}]}", "socket" },
        { "{\"topology\":[{\"llc\":4097}]}", "llc" },
        { "{\"topology\":\"1x1\"}", "domains" },
        { "{\"topology\":\"1x1\",\"domains\":[{\"domid\":32752}]}", "domid" },
        { "{\"topology\":\"1x1\",\"domains\":[{\"domid\":1},{\"domid\":1}]}",
          "sorted" },
        { "{\"topology\":\"1x1\",\"domains\":[{\"domid\":1,\"vcpus\":"
          "[{\"soft\":\"1\"}]}]}", "domain 1: 'soft'" },
        { "{\"topology\":\"1x1\",\"domains\":[{\"domid\":1,\"group\":"
          "\"a b\"}]}", "domain 1: 'group'" },
        { "{\"topology\":\"1x1\",\"domains\":[{\"domid\":1,\"group\":"
          "\"\"}]}", "domain 1: 'group'" },
        { "{\"topology\":\"1x1\",\"domains\":[{\"domid\":1,\"servers\":"
          "[{\"front_end\":2,\"vcpu\":0}]}]}", "domain 1: 'servers'" },
        { "{\"topology\":\"1x1\",\"domains\":[{\"domid\":1,\"vcpus\":[{}],"
          "\"servers\":[{\"front_end\":2,\"vcpu\":1}]}]}", "domain 1: 'vcpu'" },
        { "{\"topology\":\"1x1\",\"domains\":[{\"domid\":1,\"vcpus\":[{}],"
          "\"servers\":[{\"vcpu\":0}]}]}", "domain 1: one of 'servers'" },
        { "{\"topology\":\"1x1\",\"domains\":[{\"domid\":1,\"pages\":[]}]}",
          "domain 1: 'pages'" },
        { "{\"topology\":\"1x1\",\"domains\":[{\"domid\":1,\"pages\":"
          "[1,-1]}]}", "domain 1: 'pages'" },
        { "{\"topology\":\"1x1\",\"domains\":[{\"domid\":1,\"pages\":"
          "[9007199254740993]}]}", "domain 1: 'pages'" },
        { "{\"topology\":\"1x1\",\"domains\":[{\"domid\":1,\"pages\":"
          "[\"1\"]}]}", "domain 1: 'pages'" },
    };
    struct xensched_error err;
    struct snapshot s;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(snapshot_from_text(&s, wrong[i][0],
                                            strlen(wrong[i][0]), &err),
                         -EINVAL);
        if (!strstr(err.text, wrong[i][1]))
            fail_msg("%s: %s", wrong[i][0], err.text);
    }
}

static void few_bytes_cannot_take_much_memory(void **state)
{
    size_t nr = 70000, i, length;
    char *text = malloc(3 * nr + 200);
    struct xensched_error err;
    struct snapshot s;

    (void)state;
    length = sprintf(text, "{\"topology\":\"1x4096\",\"domains\":[{\"domid\":"
                     "1,\"vcpus\":[");
    for (i = 0; i < nr; i++)
        length += sprintf(text + length, "{},");
    length += sprintf(text + length - 1, "]}]}") - 1;
    assert_int_equal(snapshot_from_text(&s, text, length, &err), -EINVAL);
    assert_non_null(strstr(err.text, "vCPUs"));
    free(text);
}

/* The sanitizers find errors here. */
static void any_text_is_refused_or_makes_sense(void **state)
{
    json_object *json = make();
    char *text = strdup(text_of(json));
    size_t length = strlen(text), i, k;
    struct snapshot s;

    (void)state;
    json_object_put(json);
    for (i = 0; i < length; i++) {
        assert_int_equal(snapshot_from_text(&s, text, i, NULL), -EINVAL);
        for (k = 0; k < 3; k++) {
            char was = text[i];

            text[i] = "9\"["[k];
            if (!snapshot_from_text(&s, text, length, NULL))
                snapshot_free(&s);
            text[i] = was;
        }
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_is_read_back),
        cmocka_unit_test(missing_members_are_as_documented),
        cmocka_unit_test(pcpus_that_share_an_llc_are_read_back),
        cmocka_unit_test(nonsense_is_named),
        cmocka_unit_test(few_bytes_cannot_take_much_memory),
        cmocka_unit_test(any_text_is_refused_or_makes_sense),
    };

    return run_tap_tests(tests);
}
