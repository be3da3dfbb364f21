/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remembers for each guest with which others it communicated, across restarts of daemon
 * and host.
 *
 * The file: {"version": 1, "guests": [{"uuid", "need", "partners": [{"uuid", "name",
 * "notifications", "pages"}...]}...]}, the guest that ran last at the end.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/message.h"
#include "history.h"
#include "base/json.h"
#include "base/alloc.h"
#include "base/file.h"

#define HISTORY_VERSION 1

/* The limit of rates that are read; the daemon writes no larger ones. */
#define MAX_RATE 1e12

static struct history_guest *find_guest(const struct history *h, const char *uuid)
{
    unsigned int i;

    for (i = 0; i < h->nr; i++)
        if (!strcmp(h->guests[i].uuid, uuid))
            return &h->guests[i];

    return NULL;
}

static void drop_guest(struct history *h, struct history_guest *guest)
{
    h->nr--;
    memmove(guest, guest + 1, (&h->guests[h->nr] - guest) * sizeof(*guest));
}

void history_put(struct history *h, const struct history_guest *guest)
{
    struct history_guest *former = find_guest(h, guest->uuid);

    if (former)
        drop_guest(h, former);
    else if (h->nr == HISTORY_GUESTS)
        drop_guest(h, h->guests);
    h->guests = need_more_memory(h->guests, h->nr + 1, sizeof(*h->guests));
    h->guests[h->nr++] = *guest;
    h->unsaved = true;
}

const struct history_guest *history_find(const struct history *h,
                                         const char *uuid)
{
    return find_guest(h, uuid);
}

void history_free(struct history *h)
{
    free(h->guests);
}

/* To JSON. */

static json_object *partner_to_json(const struct history_partner *p)
{
    json_object *json = json_object_new_object();

    json_add_text(json, "uuid", p->uuid);
    json_add_text(json, "name", p->name);
    json_add_real(json, "notifications", p->notifications, 1);
    json_add_real(json, "pages", p->pages, 1);

    return json;
}

static json_object *guest_to_json(const struct history_guest *guest)
{
    json_object *json = json_object_new_object();
    json_object *partners = json_object_new_array();
    unsigned int i;

    json_add_text(json, "uuid", guest->uuid);
    json_add_real(json, "need", guest->need, 4);
    for (i = 0; i < guest->nr; i++)
        json_object_array_add(partners, partner_to_json(&guest->partners[i]));
    json_object_object_add(json, "partners", partners);

    return json;
}

static json_object *history_to_json(const struct history *h)
{
    json_object *json = json_object_new_object();
    json_object *guests = json_object_new_array();
    unsigned int i;

    json_add_int(json, "version", HISTORY_VERSION);
    for (i = 0; i < h->nr; i++)
        json_object_array_add(guests, guest_to_json(&h->guests[i]));
    json_object_object_add(json, "guests", guests);

    return json;
}

void history_save(struct history *h)
{
    struct xensched_error err;
    json_object *json;
    const char *text;

    if (!h->path || !h->unsaved)
        return;
    json = history_to_json(h);
    text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY);
    if (!replace_file(h->path, text, strlen(text), 0600, true, &err)) {
        h->unsaved = h->failed = false;
    } else if (!h->failed) {
        h->failed = true;
        say("%s: what guests did that have ended is known to this daemon "
            "only, until it can be written", err.text);
    }
    json_object_put(json);
}

/* From JSON. */

static bool rate_from_json(json_object *json, const char *key, double *rate)
{
    *rate = json_number(json, key, -1);

    return isfinite(*rate) && *rate >= 0 && *rate <= MAX_RATE;
}

static bool text_from_json(json_object *json, const char *key, char *to,
                           size_t size)
{
    const char *text = json_text(json, key);

    return text && (size_t)snprintf(to, size, "%s", text) < size;
}

static bool partner_from_json(struct history_partner *p, json_object *json)
{
    const char *name = json_text(json, "name");

    /* A name that is no UTF-8 is longer in JSON. */
    snprintf(p->name, sizeof(p->name), "%s", name ? name : "");

    return name && text_from_json(json, "uuid", p->uuid, sizeof(p->uuid)) &&
           rate_from_json(json, "notifications", &p->notifications) &&
           rate_from_json(json, "pages", &p->pages);
}

static bool guest_from_json(struct history_guest *guest, json_object *json)
{
    json_object *partners = json_member(json, "partners", json_type_array);
    size_t nr = partners ? json_object_array_length(partners) : 0;

    if (!partners || nr > HISTORY_PARTNERS ||
        !text_from_json(json, "uuid", guest->uuid, sizeof(guest->uuid)) ||
        !rate_from_json(json, "need", &guest->need))
        return false;
    for (guest->nr = 0; guest->nr < nr; guest->nr++)
        if (!partner_from_json(&guest->partners[guest->nr],
                               json_object_array_get_idx(partners,
                                                         guest->nr)))
            return false;

    return true;
}

static bool history_from_json(struct history *h, json_object *json)
{
    json_object *guests = json_member(json, "guests", json_type_array);
    size_t i;

    if (json_number(json, "version", 0) != HISTORY_VERSION || !guests)
        return false;
    for (i = 0; i < json_object_array_length(guests); i++) {
        struct history_guest guest = { 0 };

        if (!guest_from_json(&guest, json_object_array_get_idx(guests, i)))
            return false;
        history_put(h, &guest);
    }

    return true;
}

void history_open(struct history *h, const char *path)
{
    json_object *json;

    *h = (struct history){ .path = path };
    if (!path || (access(path, F_OK) && errno == ENOENT))
        return;
    json = json_object_from_file(path);
    if (!history_from_json(h, json)) {
        say("'%s' cannot be read, or is not what this version of xenschedd "
            "writes: what guests did when they last ran is not known; it is "
            "written again when one ends", path);
        h->nr = 0;
    }
    h->unsaved = false;
    json_object_put(json);
}
