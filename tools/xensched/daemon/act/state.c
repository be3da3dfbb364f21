/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the entries of the state file, and writes and reads them as JSON. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/message.h"
#include "base/json.h"
#include "base/alloc.h"
#include "base/file.h"
#include "state.h"

/* 1: without hard affinities and soft weight; can still be read. */
#define STATE_VERSION 2

/* More than a host with thousands of domains needs. */
#define MAX_FILE (64 << 20)

void state_init(struct state *s, unsigned int nr_cpus, const char *boot)
{
    memset(s, 0, sizeof(*s));
    s->nr_cpus = nr_cpus;
    snprintf(s->boot, sizeof(s->boot), "%s", boot);
}

static void free_entry(struct state_entry *e)
{
    unsigned int i;

    for (i = 0; i < e->nr_vcpus; i++) {
        cpumap_free(&e->vcpus[i].hard);
        cpumap_free(&e->vcpus[i].soft);
    }
    free(e->vcpus);
    cpumap_free(&e->ours);
    cpumap_free(&e->before);
}

/* Removes everything that belongs to a boot. */
static void forget_boot(struct state *s)
{
    unsigned int i;

    for (i = 0; i < s->nr; i++)
        free_entry(&s->entries[i]);
    free(s->entries);
    s->entries = NULL;
    s->nr = 0;
    s->cookie = 0;
    s->weight = (struct state_weight){ 0 };
}

void state_free(struct state *s)
{
    forget_boot(s);
    held_free(&s->held);
}

struct state_entry *state_find(const struct state *s, uint32_t domid,
                               const char *uuid)
{
    unsigned int i;

    for (i = 0; i < s->nr; i++)
        if (s->entries[i].domid == domid &&
            !strcmp(s->entries[i].uuid, uuid))
            return &s->entries[i];

    return NULL;
}

static struct state_entry *new_entry(struct state *s, unsigned int nr_vcpus)
{
    struct state_entry *e;
    unsigned int i;

    s->entries = need_more_memory(s->entries, s->nr + 1, sizeof(*e));
    e = &s->entries[s->nr++];
    memset(e, 0, sizeof(*e));
    e->nr_vcpus = nr_vcpus;
    e->vcpus = need_memory(nr_vcpus, sizeof(*e->vcpus));
    for (i = 0; i < nr_vcpus; i++) {
        cpumap_init(&e->vcpus[i].hard, s->nr_cpus);
        cpumap_init(&e->vcpus[i].soft, s->nr_cpus);
    }
    cpumap_init(&e->ours, s->nr_cpus);

    return e;
}

struct state_entry *state_add(struct state *s, const struct domain *d)
{
    struct state_entry *e = new_entry(s, d->nr_vcpus);
    unsigned int i;

    e->domid = d->domid;
    memcpy(e->uuid, d->uuid, sizeof(e->uuid));
    memcpy(e->name, d->name, sizeof(e->name));
    for (i = 0; i < d->nr_vcpus; i++) {
        cpumap_copy(&e->vcpus[i].hard, &d->vcpus[i].hard);
        cpumap_copy(&e->vcpus[i].soft, &d->vcpus[i].soft);
    }

    return e;
}

void state_drop(struct state *s, struct state_entry *entry)
{
    free_entry(entry);
    memmove(entry, entry + 1, (&s->entries[s->nr] - (entry + 1)) *
                              sizeof(*entry));
    s->nr--;
}

/* JSON. */

static json_object *map_to_json(const struct cpumap *map)
{
    /* Enough even for separate pCPUs, each with "12345,". */
    size_t size = 6 * (size_t)map->nr_cpus + 1;
    char *text = need_memory(size, 1);
    json_object *json;

    cpumap_format(map, text, size);
    json = json_object_new_string(text);
    free(text);

    return json;
}

static json_object *entry_to_json(const struct state_entry *e)
{
    json_object *json = json_object_new_object();
    json_object *vcpus = json_object_new_array();
    unsigned int i;

    json_add_int(json, "domid", e->domid);
    json_add_text(json, "uuid", e->uuid);
    json_add_text(json, "name", e->name);
    json_object_object_add(json, "ours", map_to_json(&e->ours));
    json_add_bool(json, "hard", e->hard);
    if (e->before.words)
        json_object_object_add(json, "before", map_to_json(&e->before));
    if (e->hard_before)
        json_add_bool(json, "hard_before", true);
    for (i = 0; i < e->nr_vcpus; i++) {
        json_object *vcpu = json_object_new_object();

        json_object_object_add(vcpu, "hard", map_to_json(&e->vcpus[i].hard));
        json_object_object_add(vcpu, "soft", map_to_json(&e->vcpus[i].soft));
        json_object_array_add(vcpus, vcpu);
    }
    json_object_object_add(json, "vcpus", vcpus);

    return json;
}

/* In hexadecimal, because some programs cannot read 64-bit numbers in JSON. */
static json_object *cookie_to_json(uint64_t cookie)
{
    char text[17];

    snprintf(text, sizeof(text), "%016" PRIx64, cookie);

    return json_object_new_string(text);
}

static json_object *held_to_json(const struct held *held)
{
    json_object *json = json_object_new_array();
    unsigned int i;

    for (i = 0; i < held->nr; i++)
        json_object_array_add(json, json_object_new_string(held->uuid[i]));

    return json;
}

static json_object *weight_to_json(const struct state_weight *w)
{
    json_object *json = json_object_new_object();

    json_add_int(json, "original", w->original);
    json_add_int(json, "ours", w->ours);

    return json;
}

static json_object *state_to_json(const struct state *s)
{
    json_object *json = json_object_new_object();
    json_object *domains = json_object_new_array();
    unsigned int i;

    json_add_int(json, "version", STATE_VERSION);
    if (s->boot[0])
        json_add_text(json, "boot", s->boot);
    if (s->cookie)
        json_object_object_add(json, "cookie", cookie_to_json(s->cookie));
    for (i = 0; i < s->nr; i++)
        json_object_array_add(domains, entry_to_json(&s->entries[i]));
    json_object_object_add(json, "domains", domains);
    if (s->held.nr)
        json_object_object_add(json, "held", held_to_json(&s->held));
    if (s->weight.changed)
        json_object_object_add(json, "soft_weight",
                               weight_to_json(&s->weight));

    return json;
}

static bool map_from_json(struct cpumap *map, json_object *json,
                          const char *key)
{
    const char *text = json_text(json, key);

    return text && cpumap_parse(map, text);
}

/* A missing flag is false. */
static bool flag_from_json(json_object *json, const char *key)
{
    return json_object_get_boolean(json_member(json, key, json_type_boolean));
}

static bool vcpus_from_json(struct state_entry *e, json_object *vcpus)
{
    unsigned int i;

    for (i = 0; i < e->nr_vcpus; i++) {
        json_object *vcpu = json_object_array_get_idx(vcpus, i);

        if (!json_object_is_type(vcpu, json_type_object) ||
            !map_from_json(&e->vcpus[i].hard, vcpu, "hard") ||
            !map_from_json(&e->vcpus[i].soft, vcpu, "soft"))
            return false;
    }

    return true;
}

static bool copy_text(char *to, size_t size, const char *text)
{
    return text && (size_t)snprintf(to, size, "%s", text) < size;
}

/*
 * Returns false if it is no valid entry.  Leaves out a valid entry whose pCPUs do not exist on this
 * host.
 */
static bool entry_from_json(struct state *s, json_object *json)
{
    json_object *vcpus = json_member(json, "vcpus", json_type_array);
    json_object *domid = json_member(json, "domid", json_type_int);
    struct state_entry *e;
    bool fits;

    if (!domid || !vcpus)
        return false;

    e = new_entry(s, json_object_array_length(vcpus));
    e->domid = json_object_get_int64(domid);
    e->hard = flag_from_json(json, "hard");
    e->hard_before = flag_from_json(json, "hard_before");
    if (!copy_text(e->uuid, sizeof(e->uuid), json_text(json, "uuid")) ||
        !json_text(json, "name"))
        return false;
    /* A name that is no UTF-8 is longer in JSON. */
    snprintf(e->name, sizeof(e->name), "%s", json_text(json, "name"));
    fits = map_from_json(&e->ours, json, "ours") && vcpus_from_json(e, vcpus);
    if (fits && json_text(json, "before")) {
        cpumap_init(&e->before, s->nr_cpus);
        fits = map_from_json(&e->before, json, "before");
    }
    if (!fits)
        state_drop(s, e);

    return true;
}

static bool cookie_from_json(uint64_t *cookie, json_object *json)
{
    const char *text = json_text(json, "cookie");

    if (!text)
        return true;
    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return false;
    *cookie = strtoull(text, NULL, 16);

    return true;
}

static bool held_from_json(struct held *held, json_object *json)
{
    json_object *array;
    size_t i;

    if (!json_object_object_get_ex(json, "held", &array))
        return true;
    if (!json_object_is_type(array, json_type_array))
        return false;
    for (i = 0; i < json_object_array_length(array); i++) {
        json_object *uuid = json_object_array_get_idx(array, i);

        if (!json_object_is_type(uuid, json_type_string) ||
            json_object_get_string_len(uuid) != DOMAIN_UUID_TEXT - 1)
            return false;
        held_add(held, json_object_get_string(uuid));
    }

    return true;
}

static bool number_from_json(json_object *json, const char *key,
                             uint32_t *number)
{
    json_object *value = json_member(json, key, json_type_int);
    int64_t wide;

    if (!value)
        return false;
    wide = json_object_get_int64(value);
    *number = wide;

    return wide >= 0 && wide <= UINT32_MAX;
}

static bool weight_from_json(struct state_weight *w, json_object *json)
{
    json_object *weight;

    if (!json_object_object_get_ex(json, "soft_weight", &weight))
        return true;
    w->changed = true;

    return number_from_json(weight, "original", &w->original) &&
           number_from_json(weight, "ours", &w->ours);
}

static bool known_version(json_object *json)
{
    uint32_t version;

    return number_from_json(json, "version", &version) && version >= 1 &&
           version <= STATE_VERSION;
}

static bool state_from_json(struct state *s, json_object *json)
{
    json_object *domains = json_member(json, "domains", json_type_array);
    size_t i;

    if (!known_version(json) || !domains ||
        !cookie_from_json(&s->cookie, json) ||
        !held_from_json(&s->held, json) ||
        !weight_from_json(&s->weight, json))
        return false;
    for (i = 0; i < json_object_array_length(domains); i++)
        if (!entry_from_json(s, json_object_array_get_idx(domains, i)))
            return false;

    return true;
}

static bool is_of_another_boot(const struct state *s, json_object *json)
{
    const char *boot = json_text(json, "boot");

    return boot && s->boot[0] && strcmp(boot, s->boot);
}

/* Files. */

static int fail_step(struct xensched_error *err, const char *what,
                     const char *path)
{
    return xensched_fail(err, errno ? errno : EIO, "cannot %s '%s': %s", what,
                         path, strerror(errno));
}

static int read_file(const char *path, char **text, struct xensched_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    ssize_t got = -1;
    int rc;

    if (fd < 0 || fstat(fd, &st)) {
        rc = fail_step(err, "read", path);
        if (fd >= 0)
            close(fd);
        return rc;
    }
    if (st.st_size > MAX_FILE) {
        close(fd);
        return xensched_fail(err, EFBIG, "'%s' is too large", path);
    }
    *text = need_memory(st.st_size + 1, 1);
    got = read(fd, *text, st.st_size);
    rc = got == st.st_size ? 0 : fail_step(err, "read", path);
    close(fd);
    if (rc)
        free(*text);

    return rc;
}

int state_load(struct state *s, const char *path, struct xensched_error *err)
{
    json_object *json;
    char *text = NULL;
    bool good;
    int rc;

    rc = read_file(path, &text, err);
    if (rc == -ENOENT)
        return 0;
    if (rc)
        return rc;
    json = json_tokener_parse(text);
    free(text);
    good = json_object_is_type(json, json_type_object) &&
           state_from_json(s, json);
    if (good && is_of_another_boot(s, json)) {
        say("'%s' is of another boot: only its holds (%u) count", path, s->held.nr);
        forget_boot(s);
    }
    json_object_put(json);
    if (good)
        return 0;

    state_free(s);

    return xensched_fail(err, EILSEQ, "the state file '%s' is damaged: it should list the "
                         "affinities to restore; read it, correct the affinities with xl "
                         "vcpu-pin, and remove it", path);
}

int state_save(const struct state *s, const char *path,
               struct xensched_error *err)
{
    json_object *json;
    const char *text;
    int rc;

    if (!s->nr && !s->cookie && !s->held.nr && !s->weight.changed)
        return remove_file(path, err);
    json = state_to_json(s);
    text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY);
    rc = replace_file(path, text, strlen(text), 0600, true, err);
    json_object_put(json);

    return rc;
}
