/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched fleet: guests of different hosts that communicate, and should share one, from the
 * metrics in a Prometheus.
 *
 * curl transfers the data: libcurl has 30 libraries, and xensched is in each dom0, where it is
 * rarely needed.  The URL may contain a password, so curl reads it where no other user can.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/program.h"
#include "command/ask/field.h"
#include "command/command.h"
#include "pairs.h"

/* Prometheus. */

#define MOST ((size_t)64 << 20)

/* In seconds: until it is connected, until all is there. */
#define CONNECT_SECONDS "10"
#define SECONDS "60"

/* What curl ends with. */
enum { CURL_WRONG_URL = 3, CURL_NO_SUCH_PROTOCOL = 1 };

/* name = "text", as curl's configuration has it. */
static void put_option(FILE *out, const char *name, const char *text)
{
    fprintf(out, "%s = \"", name);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        putc(*text == '\n' ? ' ' : *text, out);
    }
    fputs("\"\n", out);
}

static void put_field(FILE *out, const char *name, int64_t value)
{
    fprintf(out, "data-urlencode = \"%s=%" PRId64 "\"\n", name, value);
}

/* What curl is told; NULL: out of memory. */
static char *request(const char *url, const char *expression,
                     const struct prometheus_when *when)
{
    size_t size, length = strlen(url);
    char *text = NULL, *field = NULL, *whole = NULL;
    FILE *out = open_memstream(&text, &size);

    while (length && url[length - 1] == '/')
        length--;
    if (!out || asprintf(&whole, "%.*s/api/v1/query%s", (int)length, url,
                         when->step ? "_range" : "") < 0 ||
        asprintf(&field, "query=%s", expression) < 0)
        abort();
    put_option(out, "url", whole);
    put_option(out, "data-urlencode", field);
    if (when->step) {
        put_field(out, "start", when->start);
        put_field(out, "end", when->end);
        put_field(out, "step", when->step);
    } else {
        put_field(out, "time", when->end);
    }
    free(whole);
    free(field);

    return fclose(out) ? NULL : text;
}

static int not_reached(const char *url, const struct program_end *end,
                       struct xensched_error *err)
{
    const char *says = strchr(end->says, ')');

    if (end->code == CURL_WRONG_URL || end->code == CURL_NO_SUCH_PROTOCOL)
        return xensched_fail(err, EINVAL, "'%s' is not the URL of a Prometheus,"
                             " such as http://localhost:9090", url);

    return xensched_fail(err, ECONNREFUSED, "Prometheus cannot be reached at "
                         "%s:%s", url, says ? says + 1 : " curl failed");
}

/* curl has told the code of its HTTP answer where errors are told. */
static int no_prometheus(const char *url, const struct program_end *end,
                         struct xensched_error *err)
{
    return xensched_fail(err, EPROTO, "what answers at %s (with HTTP %s) does "
                         "not speak as Prometheus does", url, end->says);
}

/* { "status": "success", "data": { "result": [ ... ] } } or what was wrong. */
static int parse_answer(const char *url, const struct program_end *end,
                        json_object **series, struct xensched_error *err)
{
    json_object *answer = json_tokener_parse(end->out);
    const char *status = json_text(answer, "status");
    const char *error = json_text(answer, "error");
    json_object *data = json_member(answer, "data", json_type_object);
    json_object *result = json_member(data, "result", json_type_array);
    int rc = 0;

    if (status && !strcmp(status, "success") && result)
        *series = json_object_get(result);
    else if (status && !strcmp(status, "error") && error)
        rc = xensched_fail(err, EREMOTEIO, "Prometheus at %s: %s", url, error);
    else
        rc = no_prometheus(url, end, err);
    json_object_put(answer);

    return rc;
}

int prometheus_ask(const char *url, const char *expression,
                   const struct prometheus_when *when,
                   json_object **series, struct xensched_error *err)
{
    static const char *const argv[] = {
        "curl", "--disable", "--silent", "--show-error", "--globoff", "--get",
        "--write-out", "%{stderr}%{http_code}", "--proto", "=http,https",
        "--connect-timeout", CONNECT_SECONDS, "--max-time", SECONDS,
        "--config", "-", NULL
    };
    char *input = request(url, expression, when);
    struct program program = { .argv = argv, .input = input, .most = MOST };
    struct program_end end;
    int rc;

    if (!input)
        return xensched_fail(err, ENOMEM, "out of memory");
    rc = program_run(&program, &end, err);
    free(input);
    if (rc == -ENOENT)
        return xensched_fail(err, ENOENT, "there is no program 'curl', by which"
                             " Prometheus is asked: install the package curl");
    if (rc)
        return rc;
    rc = end.code ? not_reached(url, &end, err)
                  : parse_answer(url, &end, series, err);
    free(end.out);

    return rc;
}

int prometheus_sample(json_object *sample, int64_t *time, double *number)
{
    json_object *value;
    const char *text;
    char *rest;

    if (!json_object_is_type(sample, json_type_array) ||
        json_object_array_length(sample) != 2)
        return -EPROTO;
    value = json_object_array_get_idx(sample, 1);
    if (!json_object_is_type(value, json_type_string))
        return -EPROTO;
    text = json_object_get_string(value);
    *time = json_object_get_int64(json_object_array_get_idx(sample, 0));
    *number = strtod(text, &rest);

    return *text && !*rest && isfinite(*number) && *time >= 0 ? 0 : -EPROTO;
}

/* Below it, it is hardly worth moving a guest. */
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
