/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the blocks of a trial.  A crash can leave a line incomplete, which the reader
 * skips; the daemon writes trial.json first, so a pair is in the file once at most.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/replace-file.h"
#include "trial-blocks.h"

#define NS_PER_MS     1000000ULL
#define NS_PER_SECOND 1000000000ULL

static json_object *header(const struct trial *t)
{
    json_object *json = json_object_new_object();
    json_object *names = json_object_new_array();
    unsigned int i;

    for (i = 0; i < t->settings.nr_names; i++)
        json_object_array_add(names, json_new_text(t->settings.names[i]));
    json_add_int(json, "trial", 1);
    json_add_int(json, "started_s", t->started);
    json_add_int(json, "block_ms", t->settings.block_ns / NS_PER_MS);
    json_add_int(json, "pairs", t->settings.pairs);
    json_add_int(json, "seed", t->settings.seed);
    json_object_object_add(json, "guests", names);

    return json;
}

static void add_share(json_object *json, double share)
{
    if (share >= 0)
        json_add_real(json, "at_target", share, 4);
}

static json_object *guest(const struct trial_guest *g, bool placed)
{
    const struct work *work = placed ? &g->with.work : &g->without.work;
    json_object *json = json_object_new_object();

    json_add_text(json, "name", g->name);
    json_add_text(json, "unit",
                  work->unit == WORK_TIME ? "ns" : work_unit_name(work->unit));
    json_add_exact(json, "units", work->units);
    if (work->unit != WORK_TIME)
        json_add_exact(json, "cost_ns", work_cost(work));
    json_add_exact(json, "waiting_ns", work->waited_ns / work->units);
    add_share(json, g->share[placed]);

    return json;
}

static json_object *block(const struct trial *t, bool placed)
{
    const struct trial_block *b = &t->block[placed];
    json_object *json = json_object_new_object();
    json_object *guests = json_object_new_array();
    unsigned int i;

    for (i = 0; i < t->nr; i++)
        if (t->guests[i].with.valid && t->guests[i].without.valid)
            json_object_array_add(guests, guest(&t->guests[i], placed));
    json_add_int(json, "pair", t->done);
    json_add_bool(json, "placed", placed);
    json_add_int(json, "begun_s", b->ended - b->measured_ns / NS_PER_SECOND);
    if (b->cost_ns > 0)
        json_add_exact(json, "work_ns", b->cost_ns);
    json_object_object_add(json, "guests", guests);

    return json;
}

/* The line break comes first, in case that the line before is incomplete. */
static bool write_block(int fd, const struct trial *t, bool placed)
{
    json_object *json = block(t, placed);
    int length = dprintf(fd, "\n%s", json_object_to_json_string_ext(
                             json, JSON_C_TO_STRING_PLAIN));

    json_object_put(json);

    return length > 0;
}

int trial_blocks_begin(const struct trial *t, const char *path,
                       struct xensched_error *err)
{
    json_object *json = header(t);
    const char *text = json_object_to_json_string_ext(json,
                                                      JSON_C_TO_STRING_PLAIN);
    int rc = replace_file(path, text, strlen(text), 0600, false, err);

    json_object_put(json);

    return rc;
}

int trial_blocks_add(const struct trial *t, const char *path,
                     struct xensched_error *err)
{
    bool placed_first = t->block[true].ended < t->block[false].ended;
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), rc = 0;

    if (fd < 0 || !write_block(fd, t, placed_first) ||
        !write_block(fd, t, !placed_first))
        rc = xensched_fail(err, errno ? errno : EIO, "cannot write to '%s': %s",
                           path, strerror(errno));
    if (fd >= 0)
        close(fd);

    return rc;
}
