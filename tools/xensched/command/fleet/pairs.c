/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks a Prometheus for the metrics of many hosts, and computes pairs of guests from them.
 *
 * Prometheus evaluates rules (prometheus/xensched-rules.yml) that join sender and receiver, and the
 * host of each.
 *
 * curl transfers the data: libcurl would add 30 libraries to xensched, which is in each dom0, for a
 * command that is rarely needed.  The URL may contain a password, so curl reads it from a place
 * that no other user can read.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/program.h"
#include "pairs.h"

/* The HTTP API of Prometheus. */

/* Asks for @end, a Unix time, or (unless @step is 0) for every @step seconds from @start on. */
struct prometheus_when {
    int64_t start, end, step;
};

#define MOST ((size_t)64 << 20)

/* Timeouts in seconds: for the connection, for the whole answer. */
#define CONNECT_SECONDS "10"
#define SECONDS "60"

/* Exit codes of curl. */
enum { CURL_WRONG_URL = 3, CURL_NO_SUCH_PROTOCOL = 1 };

/* Writes name = "text" in the syntax of curl's configuration. */
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

/* Returns curl's configuration; NULL: out of memory. */
static char *make_request(const char *url, const char *expression,
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

/* curl printed the HTTP code among its errors. */
static int no_prometheus(const char *url, const struct program_end *end,
                         struct xensched_error *err)
{
    return xensched_fail(err, EPROTO, "what answers at %s (with HTTP %s) does "
                         "not speak as Prometheus does", url, end->says);
}

/* Parses { "status": "success", "data": { "result": [ ... ] } }, or explains the failure. */
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

/*
 * Evaluates @expression.  *series is an array of { "metric": { LABEL: TEXT },
 * "values": [[TIME, NUMBER as TEXT], ...] }; at a single time it has "value": [TIME,
 * ...] instead.  The caller puts *series.
 */
static int ask_prometheus(const char *url, const char *expression,
                          const struct prometheus_when *when,
                          json_object **series, struct xensched_error *err)
{
    static const char *const argv[] = {
        "curl", "--disable", "--silent", "--show-error", "--globoff", "--get",
        "--write-out", "%{stderr}%{http_code}", "--proto", "=http,https",
        "--connect-timeout", CONNECT_SECONDS, "--max-time", SECONDS,
        "--config", "-", NULL
    };
    char *input = make_request(url, expression, when);
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

/* Reads a number of a series: [TIME, NUMBER as TEXT]. */
static int read_sample(json_object *sample, int64_t *time, double *number)
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

/* Pairs. */

#define ACROSS "xensched:pair_bytes_across_hosts:rate5m"
#define SENT   "xensched:sent_bytes:rate5m"

static int wrong_series(const char *name, struct xensched_error *err)
{
    return xensched_fail(err, EPROTO, "what Prometheus has as %s is not what "
                         "xensched's rules make; are they of the same version?",
                         name);
}

static struct pair *pair_of(struct pairs *pairs, const char *const uuid[2])
{
    struct pair *pair;
    size_t i;

    for (i = 0; i < pairs->nr; i++)
        if (!strcmp(pairs->pair[i].end[0].uuid, uuid[0]) &&
            !strcmp(pairs->pair[i].end[1].uuid, uuid[1]))
            return &pairs->pair[i];
    pair = &pairs->pair[pairs->nr++];
    memset(pair, 0, sizeof(*pair));
    for (i = 0; i < 2; i++)
        pair->end[i] = (struct pair_end){ .uuid = uuid[i], .all = -1 };

    return pair;
}

/* A guest that has moved has several series; the one with a present value has its host. */
static void take_present(struct pair *pair, int from, double rate,
                         const char *const name[2], const char *const host[2])
{
    int i;

    for (i = 0; i < 2; i++) {
        pair->end[i].name = name[i];
        pair->end[i].host = host[i];
    }
    pair->end[from].sends += rate;
    pair->bytes_per_s += rate;
}

/* @from: the end of the pair that comes first in the series. */
static int take_values(struct pairs *pairs, struct pair *pair, int from,
                       json_object *labels, json_object *values)
{
    const char *name[2], *host[2];
    size_t i;

    name[from] = json_text(labels, "domain");
    host[from] = json_text(labels, "host");
    name[!from] = json_text(labels, "peer");
    host[!from] = json_text(labels, "peer_host");
    if (!name[0] || !name[1] || !host[0] || !host[1])
        return -EPROTO;
    for (i = 0; i < json_object_array_length(values); i++) {
        int64_t time, step;
        double rate;

        if (read_sample(json_object_array_get_idx(values, i), &time,
                        &rate))
            return -EPROTO;
        step = PAIRS_STEPS - (pairs->now - time) / PAIRS_STEP_S;
        if (step < 0 || step > PAIRS_STEPS)
            return -EPROTO;
        pair->at[step] += rate;
        if (step == PAIRS_STEPS)
            take_present(pair, from, rate, name, host);
    }

    return 0;
}

static int take_series(struct pairs *pairs, json_object *one)
{
    json_object *labels = json_member(one, "metric", json_type_object);
    json_object *values = json_member(one, "values", json_type_array);
    const char *uuid[2] = { json_text(labels, "uuid"),
                            json_text(labels, "peer_uuid") };
    int from;

    if (!uuid[0] || !uuid[1] || !values)
        return -EPROTO;
    from = strcmp(uuid[0], uuid[1]) > 0;
    if (from) {
        const char *first = uuid[0];

        uuid[0] = uuid[1];
        uuid[1] = first;
    }

    return take_values(pairs, pair_of(pairs, uuid), from, labels, values);
}

static int take_all_series(struct pairs *pairs, struct xensched_error *err)
{
    size_t i, nr = json_object_array_length(pairs->series);

    pairs->pair = calloc(nr + 1, sizeof(*pairs->pair));
    if (!pairs->pair)
        return xensched_fail(err, ENOMEM, "out of memory");
    for (i = 0; i < nr; i++)
        if (take_series(pairs, json_object_array_get_idx(pairs->series, i)))
            return wrong_series(ACROSS, err);

    return 0;
}

static int most_first(const void *a, const void *b)
{
    const struct pair *one = a, *other = b;

    if (one->bytes_per_s != other->bytes_per_s)
        return one->bytes_per_s > other->bytes_per_s ? -1 : 1;

    return strcmp(one->end[0].uuid, other->end[0].uuid);
}

/* Drops pairs with less. */
static void choose_pairs(struct pairs *pairs, double least)
{
    size_t i, nr = 0;

    for (i = 0; i < pairs->nr; i++) {
        struct pair *pair = &pairs->pair[i];
        int step = PAIRS_STEPS;

        if (pair->bytes_per_s < least || !pair->end[0].host)
            continue;
        while (step && pair->at[step - 1] >= least)
            step--;
        pair->since = pairs->now -
                      (int64_t)(PAIRS_STEPS - step) * PAIRS_STEP_S;
        pairs->pair[nr++] = *pair;
    }
    pairs->nr = nr;
    qsort(pairs->pair, nr, sizeof(*pairs->pair), most_first);
}

static int take_total(struct pairs *pairs, json_object *one)
{
    json_object *labels = json_member(one, "metric", json_type_object);
    const char *uuid = json_text(labels, "uuid");
    int64_t time;
    double rate;
    size_t i;

    if (!uuid || read_sample(json_member(one, "value", json_type_array),
                             &time, &rate))
        return -EPROTO;
    for (i = 0; i < 2 * pairs->nr; i++)
        if (!strcmp(pairs->pair[i / 2].end[i % 2].uuid, uuid))
            pairs->pair[i / 2].end[i % 2].all = rate;

    return 0;
}

static int take_totals(const char *url, struct pairs *pairs,
                       struct xensched_error *err)
{
    struct prometheus_when when = { .end = pairs->now };
    int rc = ask_prometheus(url, SENT, &when, &pairs->totals, err);
    size_t i;

    if (rc)
        return rc;
    for (i = 0; i < json_object_array_length(pairs->totals); i++)
        if (take_total(pairs, json_object_array_get_idx(pairs->totals, i)))
            return wrong_series(SENT, err);

    return 0;
}

/* Returns whether there is a series of this name now; below 0: unknown. */
static int is_there(const char *url, const char *name, int64_t now,
                    struct xensched_error *err)
{
    struct prometheus_when when = { .end = now };
    json_object *series;
    char expression[80];
    int rc;

    snprintf(expression, sizeof(expression), "count(%s)", name);
    rc = ask_prometheus(url, expression, &when, &series, err);
    if (rc)
        return rc;
    rc = json_object_array_length(series) > 0;
    json_object_put(series);

    return rc;
}

/* Explains that there is no pair: guests do not communicate, or there are no metrics. */
static int explain_none(const char *url, int64_t now,
                        struct xensched_error *err)
{
    int told = is_there(url, "xensched_traffic_guest", now, err), ruled;

    if (told < 0)
        return told;
    if (!told)
        return xensched_fail(err, ENOENT, "Prometheus at %s has no metric "
                             "xensched_traffic_guest: run 'xensched traffic' on"
                             " each host, and have Prometheus scrape what it "
                             "writes", url);
    ruled = is_there(url, SENT, now, err);
    if (ruled < 0)
        return ruled;
    if (!ruled)
        return xensched_fail(err, ENOENT, "Prometheus at %s has no %s: add "
                             "/usr/share/xensched/xensched-rules.yml to its "
                             "rule_files; if it has them already, guests have "
                             "sent nothing yet", url, SENT);

    return 0;
}

int pairs_find(const char *url, double least, struct pairs *pairs,
               struct xensched_error *err)
{
    struct prometheus_when when = { .step = PAIRS_STEP_S };
    int rc;

    *pairs = (struct pairs){ .now = time(NULL) };
    when.end = pairs->now;
    when.start = when.end - PAIRS_STEPS * PAIRS_STEP_S;
    rc = ask_prometheus(url, ACROSS, &when, &pairs->series, err);
    if (!rc && !json_object_array_length(pairs->series))
        rc = explain_none(url, pairs->now, err);
    if (!rc)
        rc = take_all_series(pairs, err);
    if (!rc) {
        choose_pairs(pairs, least);
        rc = take_totals(url, pairs, err);
    }
    if (rc)
        pairs_free(pairs);

    return rc;
}

void pairs_free(struct pairs *pairs)
{
    free(pairs->pair);
    json_object_put(pairs->series);
    json_object_put(pairs->totals);
    *pairs = (struct pairs){ 0 };
}
