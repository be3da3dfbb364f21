/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes and reads the file of a trial, and adds its blocks to another file. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/file.h"
#include "trial-file.h"

#define TRIAL_VERSION 2

#define NS_PER_MS 1000000ULL

/* To JSON. */

static void add_evidence(json_object *json, const char *key,
                         const struct evidence *e)
{
    json_object *object = json_object_new_object();

    json_add_int(object, "n", e->n);
    json_add_exact(object, "mean", e->mean);
    json_add_exact(object, "squares", e->squares);
    json_object_object_add(json, key, object);
}

static void add_residence(json_object *json, const char *key,
                          const struct residence_time *time)
{
    json_object *object = json_object_new_object();

    json_add_exact(object, "there", time->there);
    json_add_exact(object, "ran", time->ran);
    json_object_object_add(json, key, object);
}

static json_object *guest_to_json(const struct trial_guest *guest)
{
    json_object *json = json_object_new_object();

    json_add_text(json, "name", guest->name);
    json_add_int(json, "unit", guest->unit);
    add_evidence(json, "cost", &guest->cost);
    add_evidence(json, "waiting", &guest->waiting);
    json_add_bool(json, "moved", guest->moved);
    json_add_bool(json, "left_alone", guest->left_alone);
    json_add_text(json, "reason", guest->reason);
    add_residence(json, "placed", &guest->at[true]);
    add_residence(json, "not_placed", &guest->at[false]);

    return json;
}

static void add_settings(json_object *json, const struct trial_settings *s)
{
    json_object *names = json_object_new_array();
    unsigned int i;

    for (i = 0; i < s->nr_names; i++)
        json_object_array_add(names, json_new_text(s->names[i]));
    json_add_int(json, "block_ms", s->block_ns / NS_PER_MS);
    json_add_int(json, "pairs", s->pairs);
    json_add_int(json, "seed", s->seed);
    json_add_bool(json, "dry_run", s->dry_run);
    json_object_object_add(json, "names", names);
}

static json_object *trial_to_json(const struct trial *t)
{
    json_object *json = json_object_new_object();
    json_object *guests = json_object_new_array();
    unsigned int i;

    json_add_int(json, "version", TRIAL_VERSION);
    json_add_int(json, "state", t->state);
    add_settings(json, &t->settings);
    json_add_int(json, "done", t->done);
    json_add_int(json, "discarded", t->discarded);
    json_add_int(json, "started", t->started);
    json_add_int(json, "ended", t->ended);
    add_evidence(json, "cost", &t->cost);
    add_evidence(json, "waiting", &t->waiting);
    for (i = 0; i < t->nr; i++)
        json_object_array_add(guests, guest_to_json(&t->guests[i]));
    json_object_object_add(json, "guests", guests);

    return json;
}

int trial_save(const struct trial *t, const char *path,
               struct xensched_error *err)
{
    json_object *json = trial_to_json(t);
    const char *text = json_object_to_json_string_ext(json,
                                                      JSON_C_TO_STRING_PRETTY);
    int rc = replace_file(path, text, strlen(text), 0600, true, err);

    json_object_put(json);

    return rc;
}

/* From JSON. */

/* A whole number from 0 to @most. */
static bool get_whole(json_object *json, const char *key, double most,
                      uint64_t *number)
{
    double value = json_number(json, key, -1);

    if (!(value >= 0 && value <= most) || value != floor(value))
        return false;
    *number = value;

    return true;
}

static bool get_bool(json_object *json, const char *key, bool *value)
{
    json_object *member = json_member(json, key, json_type_boolean);

    *value = json_object_get_boolean(member);

    return member;
}

static bool get_text(json_object *json, const char *key, char *to, size_t size)
{
    const char *text = json_text(json, key);

    return text && (size_t)snprintf(to, size, "%s", text) < size;
}

static bool get_evidence(json_object *json, const char *key,
                         struct evidence *e)
{
    json_object *object = json_member(json, key, json_type_object);
    uint64_t n;

    if (!object || !get_whole(object, "n", TRIAL_PAIRS_MOST, &n))
        return false;
    e->n = n;
    e->mean = json_number(object, "mean", NAN);
    e->squares = json_number(object, "squares", NAN);

    return isfinite(e->mean) && isfinite(e->squares) && e->squares >= 0;
}

static bool get_residence(json_object *json, const char *key,
                          struct residence_time *time)
{
    json_object *object = json_member(json, key, json_type_object);

    time->there = json_number(object, "there", NAN);
    time->ran = json_number(object, "ran", NAN);

    return time->there >= 0 && time->there <= time->ran && isfinite(time->ran);
}

static bool guest_from_json(json_object *json, struct trial_guest *guest)
{
    uint64_t unit;

    if (!get_text(json, "name", guest->name, sizeof(guest->name)) ||
        !get_text(json, "reason", guest->reason, sizeof(guest->reason)) ||
        !get_whole(json, "unit", WORK_NONE, &unit))
        return false;
    guest->unit = unit;
    guest->share[0] = guest->share[1] = -1;

    return get_evidence(json, "cost", &guest->cost) &&
           get_evidence(json, "waiting", &guest->waiting) &&
           get_residence(json, "placed", &guest->at[true]) &&
           get_residence(json, "not_placed", &guest->at[false]) &&
           get_bool(json, "moved", &guest->moved) &&
           get_bool(json, "left_alone", &guest->left_alone);
}

static bool get_guests(json_object *json, struct trial *t)
{
    json_object *guests = json_member(json, "guests", json_type_array);
    size_t nr = guests ? json_object_array_length(guests) : 0;

    t->guests = need_memory(nr, sizeof(*t->guests));
    for (t->nr = 0; t->nr < nr; t->nr++) {
        struct trial_guest *guest = &t->guests[t->nr];

        if (!guest_from_json(json_object_array_get_idx(guests, t->nr), guest) ||
            (t->nr && strcmp(guest[-1].name, guest->name) >= 0))
            return false;
    }

    return guests;
}

static bool get_names(json_object *json, struct trial_settings *s)
{
    json_object *names = json_member(json, "names", json_type_array);
    size_t nr = names ? json_object_array_length(names) : 0;

    s->names = need_memory(nr, sizeof(*s->names));
    for (s->nr_names = 0; s->nr_names < nr; s->nr_names++) {
        json_object *name = json_object_array_get_idx(names, s->nr_names);

        if (!json_object_is_type(name, json_type_string) ||
            (size_t)snprintf(s->names[s->nr_names], sizeof(*s->names), "%s",
                             json_object_get_string(name)) >=
            sizeof(*s->names))
            return false;
    }

    return names;
}

static bool get_settings(json_object *json, struct trial_settings *s)
{
    uint64_t block, pairs;

    if (!get_whole(json, "block_ms", TRIAL_BLOCK_MOST_NS / NS_PER_MS, &block) ||
        !get_whole(json, "pairs", TRIAL_PAIRS_MOST, &pairs) ||
        !get_whole(json, "seed", INT64_MAX, &s->seed) || !block)
        return false;
    s->block_ns = block * NS_PER_MS;
    s->pairs = pairs;

    return get_bool(json, "dry_run", &s->dry_run) && get_names(json, s);
}

static bool trial_from_json(json_object *json, struct trial *t)
{
    uint64_t state, done, discarded, started, ended;

    if (json_number(json, "version", 0) != TRIAL_VERSION ||
        !get_whole(json, "state", TRIAL_HARMFUL, &state) ||
        !get_whole(json, "done", TRIAL_PAIRS_MOST, &done) ||
        !get_whole(json, "discarded", UINT32_MAX, &discarded) ||
        !get_whole(json, "started", INT64_MAX, &started) ||
        !get_whole(json, "ended", INT64_MAX, &ended))
        return false;
    t->state = state;
    t->done = done;
    t->discarded = discarded;
    t->started = started;
    t->ended = ended;

    return get_settings(json, &t->settings) &&
           get_evidence(json, "cost", &t->cost) &&
           get_evidence(json, "waiting", &t->waiting) && get_guests(json, t);
}

int trial_load(struct trial *t, const char *path, struct xensched_error *err)
{
    json_object *json;

    if (access(path, F_OK) && errno == ENOENT)
        return 0;
    json = json_object_from_file(path);
    if (trial_from_json(json, t)) {
        json_object_put(json);
        trial_resume(t);
        return 0;
    }
    json_object_put(json);
    trial_free(t);

    return xensched_fail(err, EINVAL, "'%s' is damaged, or of another version of "
                         "xenschedd: the trial in it is not known", path);
}

/* Blocks. */

#define NS_PER_SECOND 1000000000ULL

static json_object *header_json(const struct trial *t)
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

static json_object *guest_json(const struct trial_guest *g, bool placed)
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

static json_object *block_json(const struct trial *t, bool placed)
{
    const struct trial_block *b = &t->block[placed];
    json_object *json = json_object_new_object();
    json_object *guests = json_object_new_array();
    unsigned int i;

    for (i = 0; i < t->nr; i++)
        if (t->guests[i].with.valid && t->guests[i].without.valid)
            json_object_array_add(guests, guest_json(&t->guests[i], placed));
    json_add_int(json, "pair", t->done);
    json_add_bool(json, "placed", placed);
    json_add_int(json, "begun_s", b->ended - b->measured_ns / NS_PER_SECOND);
    if (b->cost_ns > 0)
        json_add_exact(json, "work_ns", b->cost_ns);
    json_object_object_add(json, "guests", guests);

    return json;
}

/* The line break comes first, in case the line before is incomplete. */
static bool write_block(int fd, const struct trial *t, bool placed)
{
    json_object *json = block_json(t, placed);
    int length = dprintf(fd, "\n%s", json_object_to_json_string_ext(
                             json, JSON_C_TO_STRING_PLAIN));

    json_object_put(json);

    return length > 0;
}

int trial_blocks_begin(const struct trial *t, const char *path,
                       struct xensched_error *err)
{
    json_object *json = header_json(t);
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
