/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched sample: dispatches its actions, and contains two of them: choose and estimate, which
 * read the samples in a folder.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/file.h"
#include "cli/option.h"
#include "command/text/table.h"
#include "sampling/strata.h"
#include "sample-files.h"
#include "sample.h"

#define USUAL 10U

static json_object *json_of(const struct folder *f, const struct strata *s)
{
    json_object *json = json_object_new_object();
    json_object *of = json_object_new_array(), *chosen = json_object_new_array();
    size_t i;

    for (i = 0; i < s->nr; i++) {
        json_object_array_add(of, json_object_new_int(s->stratum[i]));
        if (s->chosen[i]) {
            json_object *one = json_object_new_object();

            json_add_int(one, "number", i + 1);
            json_add_int(one, "stratum", s->stratum[i]);
            json_add_exact(one, "weight", strata_weight(s, i));
            json_add_text(one, "checkpoint",
                          json_text(f->manifest[i], "checkpoint"));
            json_object_array_add(chosen, one);
        }
    }
    json_add_int(json, "version", 1);
    json_add_int(json, "intervals", s->nr);
    json_add_int(json, "strata", s->nr_strata);
    json_object_object_add(json, "stratum", of);
    json_object_object_add(json, "chosen", chosen);

    return json;
}

static int write_choice(const char *folder, json_object *json,
                        struct xensched_error *err)
{
    const char *text = json_object_to_json_string_ext(json,
                                                      JSON_C_TO_STRING_PRETTY);
    char path[PATH_MAX];

    snprintf(path, sizeof(path), "%s/chosen.json", folder);

    return replace_file(path, text, strlen(text), 0600, true, err);
}

static void print_choice(const struct folder *f, const struct strata *s)
{
    static const char *const headers[] = {
        ">NUMBER", ">STRATUM", ">WEIGHT", "CHECKPOINT", NULL,
    };
    struct table *table = table_new(headers);
    size_t i;

    for (i = 0; i < s->nr; i++) {
        if (!s->chosen[i])
            continue;
        table_add_format(table, "%zu", i + 1);
        table_add_format(table, "%u", s->stratum[i]);
        table_add_format(table, "%.2f", strata_weight(s, i));
        table_add(table, json_text(f->manifest[i], "checkpoint"));
    }
    table_print(table);
    printf("\n%zu intervals, %zu strata, %zu members of a vector\n", s->nr,
           s->nr_strata, f->dims);
}

static int choose_samples(const struct arguments *args, const char *folder)
{
    size_t wanted = args->top_given ? args->top : USUAL;
    struct xensched_error err;
    struct strata s = { .seed = args->seed };
    struct folder f;
    json_object *json;
    int rc = folder_read(&f, folder, &err);

    if (!rc) {
        s.nr = f.nr;
        s.dims = f.dims;
        s.x = f.x;
        strata_make(&s, wanted ? wanted : f.nr);
        json = json_of(&f, &s);
        rc = write_choice(folder, json, &err);
        if (!rc && args->json)
            puts(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN));
        else if (!rc)
            print_choice(&f, &s);
        json_object_put(json);
        strata_free(&s);
    }
    folder_free(&f);
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}

/* Estimates. */

static int read_choice(const char *folder, struct strata *s,
                       struct xensched_error *err)
{
    char path[PATH_MAX];
    json_object *json, *of, *chosen;
    size_t i;

    snprintf(path, sizeof(path), "%s/chosen.json", folder);
    json = json_object_from_file(path);
    of = json_member(json, "stratum", json_type_array);
    chosen = json_member(json, "chosen", json_type_array);
    s->nr = json_number(json, "intervals", 0);
    s->nr_strata = json_number(json, "strata", 0);
    if (json_number(json, "version", 0) != 1 || !of || !chosen || !s->nr ||
        json_object_array_length(of) != s->nr) {
        json_object_put(json);
        return xensched_fail(err, ENOENT, "'%s' is no choice of samples: "
                             "'xensched sample choose %s' makes one", path,
                             folder);
    }
    s->stratum = need_memory(s->nr, sizeof(*s->stratum));
    s->chosen = need_memory(s->nr, sizeof(*s->chosen));
    for (i = 0; i < s->nr; i++)
        s->stratum[i] = json_object_get_int(json_object_array_get_idx(of, i));
    for (i = 0; i < json_object_array_length(chosen); i++) {
        size_t number = json_number(json_object_array_get_idx(chosen, i),
                                    "number", 0);

        if (number - 1 < s->nr)
            s->chosen[number - 1] = true;
    }
    json_object_put(json);

    return 0;
}

static void print_estimate(const struct arguments *args, const struct strata *s,
                           const struct strata_estimate *e)
{
    json_object *json;

    if (!args->json) {
        printf("an interval: %.6g", e->mean);
        if (e->has_interval)
            printf(", in 95 of 100 cases %.6g to %.6g", e->low, e->high);
        else
            printf("; its uncertainty is unknown: a stratum has one chosen interval only");
        printf("\nall %zu: %.6g", s->nr, e->mean * s->nr);
        if (e->has_interval)
            printf(", %.6g to %.6g", e->low * s->nr, e->high * s->nr);
        puts("");
        return;
    }
    json = json_object_new_object();
    json_add_int(json, "intervals", s->nr);
    json_add_exact(json, "mean", e->mean);
    if (e->has_interval) {
        json_add_exact(json, "low", e->low);
        json_add_exact(json, "high", e->high);
    }
    puts(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN));
    json_object_put(json);
}

static int estimate_mean(const struct arguments *args, const char *folder)
{
    struct strata_estimate e;
    struct xensched_error err;
    struct strata s = { 0 };
    struct sizes sizes = { 0 };
    double *y = NULL;
    int rc = read_choice(folder, &s, &err);

    if (!rc) {
        y = need_memory(s.nr, sizeof(*y));
        rc = values_read(folder, "measured", s.nr, 1, s.chosen, y, &err);
    }
    if (!rc)
        rc = sizes_read(folder, s.nr, &sizes, &err);
    if (!rc && !strata_estimate(&s, y, sizes.size, &e))
        rc = xensched_fail(&err, ENODATA, "of a stratum none was chosen");
    if (!rc)
        print_estimate(args, &s, &e);
    free(y);
    sizes_free(&sizes);
    strata_free(&s);
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}

static int run_sample(const struct arguments *args)
{
    bool choose = !strcmp(args->action, "choose");
    bool estimate = !strcmp(args->action, "estimate");

    if (choose || estimate) {
        if (args->nr_words != 1)
            return arguments_wrong(&command_sample, "sample: it is 'sample %s "
                                   "DIR'", args->action);
        return choose ? choose_samples(args, args->word[0])
                      : estimate_mean(args, args->word[0]);
    }

    return sample_guest(args);
}

static const struct option_row own[] = {
    { "every", "LENGTH", .takes = "a length such as '100 ms-of-service'",
        .help = "length of an interval: a number, which may end with K, M or G for "
                "powers of 1000, and ms-of-service, cycles or events" },
    { "times", "N", .takes = "0 to 1000000000",
        .help = "end after this many samples (default: when the guest ends)" },
    { "top", "N", .takes = "a number", .standard = "10",
        .help = "with choose, this many samples; 0: all" },
    { 0 }
};

const struct command command_sample = {
    .name = "sample",
    .summary = SUMMARY_SAMPLE,
    .help =
        "Save a guest to a file, let it run for an interval of its service, note what it\n"
        "did, and save it again; until Ctrl-C, or until the guest ends.\n"
        "\n"
        "  GUEST --every 'N UNIT' --checkpoint DIR\n"
        "                     UNIT: ms-of-service, cycles (of the TSC, while it has a\n"
        "                     pCPU) or events (rows of its work); N may end with K, M\n"
        "                     or G\n"
        "  choose DIR         choose intervals by what the guest did, at random among\n"
        "                     similar ones\n"
        "  estimate DIR       estimate the whole run from measurements of the chosen\n"
        "                     intervals in DIR/measured: lines 'NUMBER VALUE'",
    .takes = ARGUMENT_SOCKET | ARGUMENT_SAMPLE | ARGUMENT_SAMPLED |
             ARGUMENT_JSON,
    .own = own,
    .run = run_sample,
};
