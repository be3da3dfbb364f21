/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes an experiment of a trial's blocks: each block that the daemon wrote to
 * trial-blocks.jsonl becomes a run, so that stat, compare, export and report read trials
 * as they read other experiments.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runs-actions.h"
#include "base/json.h"
#include "base/alloc.h"
#include "runs/values.h"

#define WORKLOAD "guests"

struct trial_blocks {
    char *plan;
    uint32_t seed;
    struct store_done *run;
    size_t nr;
    unsigned int damaged; /* number of damaged lines */
};

/* Values. */

static void add_value(struct run_outcome *o, const char *guest, const char *what,
                      const char *unit, double value)
{
    struct run_value *v;

    if (!isfinite(value))
        return;
    o->value = need_more_memory(o->value, o->nr_values + 1, sizeof(*o->value));
    v = &o->value[o->nr_values++];
    if (asprintf(&v->name, "%s%s%s", guest, *guest ? " " : "", what) < 0)
        v->name = need_string(what);
    v->unit = need_string(unit);
    v->value = value;
}

static void add_guest(struct run_outcome *o, const json_object *guest)
{
    const char *name = json_text(guest, "name"), *unit = json_text(guest, "unit");
    char per[80];

    if (!name || !*name || !unit)
        return;
    snprintf(per, sizeof(per), "ns/%s", unit);
    add_value(o, name, "cost", per, json_number(guest, "cost_ns", NAN));
    add_value(o, name, "waiting", per, json_number(guest, "waiting_ns", NAN));
    add_value(o, name, "at target", "%",
              100 * json_number(guest, "at_target", NAN));
}

/* Lines. */

/* Returns a whole number from 0 to @most; 0 for anything else. */
static int64_t whole_number(const json_object *line, const char *key, uint32_t most)
{
    int64_t number = json_object_get_int64(json_member(line, key, json_type_int));

    return number >= 0 && number <= most ? number : 0;
}

static bool take_block(struct trial_blocks *b, const json_object *line)
{
    const json_object *placed = json_member(line, "placed", json_type_boolean);
    json_object *guests = json_member(line, "guests", json_type_array);
    int64_t pair = whole_number(line, "pair", INT32_MAX);
    struct store_done *run;
    size_t i;

    if (!placed || !guests || !pair)
        return false;
    b->run = need_more_memory(b->run, b->nr + 1, sizeof(*b->run));
    run = &b->run[b->nr++];
    *run = (struct store_done){
        .workload = WORKLOAD,
        .configuration = json_object_get_boolean(placed) ? "placed" : "not_placed",
        .repetition = pair,
        .begun_s = whole_number(line, "begun_s", UINT32_MAX),
    };
    add_value(&run->outcome, "", "pCPU time for the pair's work", "s",
              json_number(line, "work_ns", NAN) / 1e9);
    for (i = 0; i < json_object_array_length(guests); i++)
        add_guest(&run->outcome, json_object_array_get_idx(guests, i));

    return true;
}

static bool take_header(struct trial_blocks *b, const json_object *line)
{
    time_t started = whole_number(line, "started_s", UINT32_MAX);
    json_object *names = json_member(line, "guests", json_type_array);
    char when[40] = "";
    struct tm tm;

    if (json_number(line, "trial", 0) != 1 || !names)
        return false;
    if (gmtime_r(&started, &tm))
        strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
    b->seed = whole_number(line, "seed", UINT32_MAX);

    return asprintf(&b->plan, "trial of placement, begun %s\n"
                    "blocks of %.0f s, %.0f pairs, seed %" PRIu32 "\nguests: %s\n",
                    when, json_number(line, "block_ms", 0) / 1000,
                    json_number(line, "pairs", 0), b->seed,
                    json_object_array_length(names) ? json_object_to_json_string(names)
                                                    : "all") >= 0;
}

static int not_read(const char *path, struct xensched_error *err)
{
    int code = errno;

    return xensched_fail(err, code, "cannot read '%s': %s; 'xensched trial start' makes "
                         "it", path, strerror(code));
}

static int read_lines(struct trial_blocks *b, FILE *file, const char *path,
                      struct xensched_error *err)
{
    bool header = false;
    char *line = NULL;
    size_t room = 0;

    while (getline(&line, &room, file) > 0) {
        json_object *json = json_tokener_parse(line);
        bool taken = header ? take_block(b, json) : take_header(b, json);

        json_object_put(json);
        if (!header && !taken)
            break;
        header = true;
        b->damaged += !taken;
    }
    free(line);
    if (ferror(file))
        return not_read(path, err);
    if (!header)
        return xensched_fail(err, EINVAL, "'%s' does not have the blocks of a trial; "
                             "xenschedd writes them to trial-blocks.jsonl beside its "
                             "state", path);
    if (!b->nr)
        return xensched_fail(err, ENOENT, "'%s' has no block yet: the trial's first "
                             "pair is not complete", path);

    return 0;
}

static int read_blocks(struct trial_blocks *b, const char *path,
                       struct xensched_error *err)
{
    FILE *file = fopen(path, "re");
    int rc;

    if (!file)
        return not_read(path, err);
    rc = read_lines(b, file, path, err);
    fclose(file);

    return rc;
}

static void free_blocks(struct trial_blocks *b)
{
    size_t i;

    for (i = 0; i < b->nr; i++)
        values_free(&b->run[i].outcome);
    free(b->run);
    free(b->plan);
}

static int store_blocks(const struct trial_blocks *b, const char *database,
                        int64_t *experiment, struct xensched_error *err)
{
    struct store store;
    int rc;

    runs_make_folder_of(database);
    rc = store_open(&store, database, true, err);
    if (rc)
        return rc;
    rc = store_import(&store, b->plan, b->seed, "the host of the trial", b->run,
                      b->nr, experiment, err);
    store_close(&store);

    return rc;
}

int runs_import(const struct arguments *args, const char *database)
{
    const char *path = args->nr_words ? args->word[0] : TRIAL_BLOCKS;
    struct trial_blocks blocks = { 0 };
    struct xensched_error err;
    int64_t experiment;
    int rc = read_blocks(&blocks, path, &err);

    if (!rc)
        rc = store_blocks(&blocks, database, &experiment, &err);
    if (rc)
        complain("%s", err.text);
    else
        printf("experiment %" PRId64 ": %zu blocks of a trial, 'placed' and "
               "'not_placed'\n", experiment, blocks.nr);
    if (!rc && blocks.damaged)
        complain("note: %u line%s of '%s' cannot be read", blocks.damaged,
                 blocks.damaged == 1 ? "" : "s", path);
    free_blocks(&blocks);

    return rc ? EXIT_FAILED : EXIT_OK;
}
