/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched replay: prints the plans that xenschedd would have made from the rows of a
 * recording, or from synthetic rows.  It reads and changes nothing of this host.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/source.h>

#include "command/command.h"
#include "command/ask/field.h"
#include "base/json.h"
#include "command/ask/ask-plan.h"
#include "replayer.h"
#include "command/text/table.h"

/* For a description of a host, written by hand or from "host" of the control socket. */
#define MAX_HOST_SIZE (16U << 20)

struct replay {
    struct replayer *replayer;
    struct xensched_source *source;
    bool json;
    bool host_given;        /* so the recording's description is not used */
    uint64_t nr_hosts;      /* number of descriptions in the source */
    bool known;             /* the meaning of numbers */
    uint64_t unknown_rows;  /* number of rows before that */
    json_object *plan;      /* the latest one */
    double seconds;         /* its time */
    uint64_t limit_ns;      /* end after this time; 0: no limit */
    uint64_t end_ns;        /* that end; 0: unknown yet */
};

/* Output. */

static void print_json(json_object *json)
{
    puts(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN |
                                        JSON_C_TO_STRING_NOSLASHESCAPE));
}

static void add_seconds(json_object *json, const char *key, double seconds)
{
    char text[32];

    snprintf(text, sizeof(text), "%.3f", seconds);
    json_object_object_add(json, key, json_object_new_double_s(seconds, text));
}

static void print_plan_json(const struct replayer_plan *plan)
{
    json_object *line = json_object_new_object();

    add_seconds(line, "time_s", plan->seconds);
    json_object_object_foreach(plan->plan, key, value)
        json_object_object_add(line, key, json_object_get(value));
    json_object_object_add(line, "done", json_object_get(plan->done));
    print_json(line);
    json_object_put(line);
}

/* Prints what was done, as it happens; the rest of a plan hardly changes. */
static void print_done(const struct replayer_plan *plan)
{
    size_t i;

    for (i = 0; i < json_object_array_length(plan->done); i++) {
        struct json_object *entry = json_object_array_get_idx(plan->done, i);

        printf("%10.3f s  %s %s", plan->seconds, field_text(entry, "what"),
               field_text(entry, "name"));
        if (json_text(entry, "soft_affinity"))
            printf(" to pCPUs %s", field_text(entry, "soft_affinity"));
        printf(": %s\n", field_text(entry, "reason"));
    }
}

static void take_plan(struct replay *r, const struct replayer_plan *plan)
{
    if (r->json)
        print_plan_json(plan);
    else
        print_done(plan);
    json_object_put(plan->done);
    json_object_put(r->plan);
    r->plan = plan->plan;
    r->seconds = plan->seconds;
}

static void print_end_json(const struct replayer_numbers *n, uint64_t lost,
                           json_object *ran)
{
    json_object *line = json_object_new_object();

    add_seconds(line, "seconds", n->seconds);
    json_add_int(line, "plans", n->plans);
    json_add_int(line, "rows", n->rows);
    json_add_int(line, "lost_rows", lost);
    json_add_int(line, "moves", n->moves);
    json_add_int(line, "given_back", n->given_back);
    json_object_object_add(line, "ran", json_object_get(ran));
    print_json(line);
    json_object_put(line);
}

/* Without service-ns it is unknown where domains ran. */
static void print_ran(json_object *ran)
{
    static const char *const headers[] = { "DOMAIN", ">ID", "RAN", NULL };
    struct table *table;
    size_t i;

    if (!json_object_array_length(ran))
        return;
    table = table_new(headers);
    for (i = 0; i < json_object_array_length(ran); i++) {
        struct json_object *domain = json_object_array_get_idx(ran, i);

        table_add(table, field_text(domain, "domain"));
        table_add(table, field_text(domain, "domid"));
        table_add(table, field_shares(domain, "ran"));
    }
    printf("\nwhere domains ran, by these rows:\n");
    table_print(table);
}

static void print_end_text(const struct replay *r,
                           const struct replayer_numbers *n, uint64_t lost,
                           json_object *ran)
{
    printf("%.1f s, %" PRIu64 " plans from %" PRIu64 " rows, %" PRIu64
           " lost: moves %" PRIu64 ", restored %" PRIu64 "\n", n->seconds,
           n->plans, n->rows, lost, n->moves, n->given_back);
    print_ran(ran);
    if (!r->plan)
        return;
    printf("\nthe last plan, at %.3f s:\n", r->seconds);
    plan_print(r->plan);
}

static void print_end(const struct replay *r)
{
    struct xensched_source_stats stats;
    struct replayer_numbers n;
    json_object *ran = replayer_ran(r->replayer);

    replayer_numbers(r->replayer, &n);
    xensched_source_stats(r->source, &stats);
    if (r->json)
        print_end_json(&n, stats.lost_rows, ran);
    else
        print_end_text(r, &n, stats.lost_rows, ran);
    json_object_put(ran);
}

/* Input. */

static int read_file(const char *path, char **text, size_t *length,
                     struct xensched_error *err)
{
    FILE *file = fopen(path, "re");
    int rc = 0;

    if (!file)
        return xensched_fail(err, errno, "cannot open '%s': %s", path,
                             strerror(errno));
    *text = malloc(MAX_HOST_SIZE);
    if (!*text)
        rc = xensched_fail(err, ENOMEM, "out of memory");
    else
        *length = fread(*text, 1, MAX_HOST_SIZE, file);
    if (!rc && ferror(file))
        rc = xensched_fail(err, EIO, "cannot read '%s'", path);
    if (!rc && *length == MAX_HOST_SIZE)
        rc = xensched_fail(err, EFBIG, "'%s' is too large for the description of a host",
                           path);
    fclose(file);

    return rc;
}

static int take_given_host(struct replay *r, const char *path,
                           uint64_t time_ns, struct xensched_error *err)
{
    struct xensched_error why;
    char *text = NULL;
    size_t length = 0;
    int rc;

    rc = read_file(path, &text, &length, err);
    if (!rc && replayer_host(r->replayer, text, length, time_ns, &why))
        rc = xensched_fail(err, EINVAL, "'%s': %s", path, why.text);
    free(text);
    r->known = !rc;

    return rc;
}

/* Passes on the source's description of the host, if it has changed. */
static int take_told_host(struct replay *r, uint64_t time_ns,
                          struct xensched_error *err)
{
    const char *text;
    size_t length;
    uint64_t nr = xensched_source_host(r->source, &text, &length);

    if (r->host_given || nr == r->nr_hosts)
        return 0;
    r->nr_hosts = nr;
    r->known = true;

    return replayer_host(r->replayer, text, length, time_ns, err);
}

/* The daemon reads no log of a guest that is not a driver domain. */
static bool is_a_guests(const struct replay *r,
                        const struct xensched_batch *batch)
{
    const struct xensched_source_info *info =
        xensched_source_whose(r->source, batch->source);

    return info && info->kind == XENSCHED_KIND_GUEST;
}

static int take_batch(struct replay *r, const struct arguments *args,
                      const struct xensched_batch *batch,
                      struct xensched_error *err)
{
    struct replayer_plan plan;
    int rc = 0;

    if (r->host_given && !r->known)
        rc = take_given_host(r, args->host, batch->time_ns, err);
    while (!rc && r->known &&
           replayer_plan(r->replayer, batch->time_ns, &plan))
        take_plan(r, &plan);
    if (!rc)
        rc = take_told_host(r, batch->time_ns, err);
    if (is_a_guests(r, batch))
        return rc;
    if (!rc && r->known)
        replayer_rows(r->replayer, batch);
    else if (!rc)
        r->unknown_rows += xensched_batch_rows(batch);

    return rc;
}

static int check_known(const struct replay *r, const char *name,
                       struct xensched_error *err)
{
    if (!r->known)
        return xensched_fail(err, ENODATA, "'%s' does not describe its pCPUs and domains: "
                             "xenschedd did not answer during the recording, or the recording "
                             "is synthetic; describe them with --host HOST, see "
                             "xensched-replay_rows(8)", name);
    if (r->unknown_rows)
        complain("note: %" PRIu64 " rows before it was known what their "
                 "numbers stand for were left out", r->unknown_rows);

    return 0;
}

static bool is_over(struct replay *r, const struct xensched_batch *batch)
{
    if (!r->end_ns)
        r->end_ns = batch->time_ns + r->limit_ns;

    return r->limit_ns && batch->time_ns > r->end_ns;
}

/* Counts what came before an error. */
static int replay_rows(struct replay *r, const struct arguments *args,
                       const char *name, struct xensched_error *err)
{
    struct xensched_error why;
    struct xensched_batch batch;
    int rc, known;

    while ((rc = xensched_source_next(r->source, &batch, err)) ==
           XENSCHED_BATCH && !is_over(r, &batch)) {
        rc = take_batch(r, args, &batch, err);
        if (rc || ferror(stdout))
            break;
    }
    known = check_known(r, name, &why);
    if (!known)
        print_end(r);
    if (rc < 0)
        return rc;
    if (known)
        *err = why;

    return known;
}

static int open_source(struct replay *r, const struct arguments *args,
                       struct xensched_error *err)
{
    char *spec;
    int rc;

    if (args->source)
        return xensched_source_open(args->source, NULL, &r->source, err);
    if (asprintf(&spec, "recording:%s", args->file) < 0)
        return xensched_fail(err, ENOMEM, "out of memory");
    rc = xensched_source_open(spec, NULL, &r->source, err);
    free(spec);

    return rc;
}

static bool is_live(const char *source)
{
    return strncmp(source, "recording:", 10) &&
           strncmp(source, "synthetic:", 10);
}

static int run_replay(const struct arguments *args)
{
    struct replay r = {
        .json = args->json,
        .host_given = args->host,
        .limit_ns = args->seconds * 1e9,
    };
    struct xensched_error err;
    int rc, code;

    if (!args->file == !args->source)
        return arguments_wrong(&command_replay, "replay: either a FILE or "
                               "--source SOURCE");
    if (args->source && is_live(args->source))
        return arguments_wrong(&command_replay, "replay: --source takes "
                               "recording:FILE or synthetic:OPTIONS; live "
                               "rows are for xenschedd");
    args->settings[0] = "xenschedd"; /* for messages about settings */
    r.replayer = replayer_new(args->nr_settings, args->settings, &code);
    if (!r.replayer)
        return code;
    rc = open_source(&r, args, &err);
    if (!rc)
        rc = replay_rows(&r, args, args->file ? args->file : args->source, &err);
    if (rc)
        complain("%s", err.text);
    json_object_put(r.plan);
    xensched_source_close(r.source);
    replayer_free(r.replayer);

    return rc ? EXIT_FAILED : EXIT_OK;
}

const struct command command_replay = {
    .name = "replay",
    .summary = "print what xenschedd would have planned",
    .help =
        "Print the plans that xenschedd would have made from the rows of the recording\n"
        "FILE, at their times, and carry them out on a host that exists in memory only.\n"
        "--source synthetic:OPTIONS generates rows, for which --host describes the pCPUs\n"
        "and domains. SETTINGS are options of xenschedd, such as --confirm 4. Print all\n"
        "moves, where the domains ran according to the rows, and the last plan; with\n"
        "--json, each plan is an object on its own line.",
    .takes = ARGUMENT_JSON | ARGUMENT_SECONDS | ARGUMENT_SOURCE | ARGUMENT_HOST |
             ARGUMENT_OPTIONAL_FILE | ARGUMENT_SETTINGS,
    .run = run_replay,
};
