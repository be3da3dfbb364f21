/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched fleet: lists guests of different hosts that communicate and should share one, from
 * the metrics in a Prometheus.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "command/ask/field.h"
#include "command/command.h"
#include "pairs.h"

/* A smaller rate is hardly worth moving a guest. */
#define LEAST (1U << 20)

static json_object *end_json(const struct pair_end *end)
{
    json_object *object = json_object_new_object();

    json_add_text(object, "name", end->name);
    json_add_text(object, "uuid", end->uuid);
    json_add_text(object, "host", end->host);
    json_add_real(object, "sends_bytes_per_s", end->sends, 0);
    if (end->all > 0)
        json_add_real(object, "share_of_sent",
                      end->sends < end->all ? end->sends / end->all : 1, 4);

    return object;
}

static json_object *pair_json(const struct pair *pair)
{
    json_object *object = json_object_new_object();
    json_object *vms = json_object_new_array();
    int i;

    json_add_real(object, "bytes_per_s", pair->bytes_per_s, 0);
    json_add_time(object, "since", pair->since);
    for (i = 0; i < 2; i++)
        json_object_array_add(vms, end_json(&pair->end[i]));
    json_object_object_add(object, "vms", vms);

    return object;
}

static json_object *pairs_json(const struct pairs *pairs, uint64_t least)
{
    json_object *object = json_object_new_object();
    json_object *list = json_object_new_array();
    size_t i;

    json_add_time(object, "time", pairs->now);
    json_add_int(object, "least_bytes_per_s", least);
    for (i = 0; i < pairs->nr; i++)
        json_object_array_add(list, pair_json(&pairs->pair[i]));
    json_object_object_add(object, "pairs", list);

    return object;
}

static void print_end(const json_object *vm)
{
    printf("    %s on %s sends %s MB/s of it, %s of all that it sends (%s)\n",
           field_text(vm, "name"), field_text(vm, "host"),
           field_number(vm, "sends_bytes_per_s", 1e-6, 2),
           field_percent(vm, "share_of_sent"), field_text(vm, "uuid"));
}

static void print_pair(const json_object *pair)
{
    const json_object *vms = field_array(pair, "vms");
    const json_object *one = json_object_array_get_idx(vms, 0);
    const json_object *other = json_object_array_get_idx(vms, 1);

    printf("%s and %s should share a host: %s MB/s since %s\n",
           field_text(one, "name"), field_text(other, "name"),
           field_number(pair, "bytes_per_s", 1e-6, 2),
           field_text(pair, "since"));
    print_end(one);
    print_end(other);
}

static void print_pairs(const json_object *result)
{
    const json_object *list = field_array(result, "pairs");
    size_t i, nr = json_object_array_length(list);

    for (i = 0; i < nr; i++)
        print_pair(json_object_array_get_idx(list, i));
    if (!nr)
        printf("no guests of different hosts exchange %s MB/s or more\n",
               field_number(result, "least_bytes_per_s", 1e-6, 2));
}

static int run_fleet(const struct arguments *args)
{
    uint64_t least = args->least ? args->least : LEAST;
    struct xensched_error err;
    struct pairs pairs;
    json_object *result;

    if (!args->prometheus)
        return arguments_wrong(&command_fleet, "fleet: no --prometheus URL "
                               "given, such as http://localhost:9090");
    if (pairs_find(args->prometheus, least, &pairs, &err)) {
        complain("%s", err.text);
        return EXIT_FAILED;
    }
    result = pairs_json(&pairs, least);
    if (args->json)
        puts(json_object_to_json_string_ext(result, JSON_C_TO_STRING_PRETTY |
                                            JSON_C_TO_STRING_NOSLASHESCAPE));
    else
        print_pairs(result);
    json_object_put(result);
    pairs_free(&pairs);

    return EXIT_OK;
}

const struct command command_fleet = {
    .name = "fleet",
    .summary = SUMMARY_FLEET,
    .help =
        "Ask a Prometheus which guests of different hosts communicate, according to\n"
        "'xensched traffic' on these hosts, and print the pairs that should share a\n"
        "host, with reasons, the busiest first. Move nothing.",
    .takes = ARGUMENT_PROMETHEUS | ARGUMENT_LEAST | ARGUMENT_JSON,
    .needs = ARGUMENT_PROMETHEUS,
    .run = run_fleet,
};
