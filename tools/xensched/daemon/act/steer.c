/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides on which vCPUs of dom0 the threads that serve a guest's disks should run, and binds
 * them there.
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fnv.h"
#include "base/message.h"
#include "base/file.h"
#include "model/residency/presence.h"
#include "policy/location.h"
#include "steer.h"

/* Threads in /proc. */

#define PATH 300

/* Reads the first line; false: there is none. */
static bool read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    bool good = file && fgets(line, size, file);

    if (file)
        fclose(file);
    if (good)
        line[strcspn(line, "\n")] = '\0';

    return good;
}

/* Reads the name that xen-blkback has given it: "DOMID.DEVICE-RING". */
static bool thread_name(const char *proc, unsigned int pid,
                        char name[DOM0_IO_NAME])
{
    char path[PATH], line[64];

    snprintf(path, sizeof(path), "%s/%u/comm", proc, pid);

    return read_line(path, line, sizeof(line)) &&
           snprintf(name, DOM0_IO_NAME, "%s", line) < DOM0_IO_NAME;
}

/* A process with a command line does not belong to the kernel, whatever its name. */
static bool is_kernels(const char *proc, unsigned int pid)
{
    char path[PATH], line[8];

    snprintf(path, sizeof(path), "%s/%u/cmdline", proc, pid);

    return !read_line(path, line, sizeof(line));
}

static bool is_blkback(const char *name, uint32_t *domid)
{
    char device[DOM0_IO_NAME];
    unsigned int ring;
    int end = 0;

    return sscanf(name, "%" SCNu32 ".%31[a-z0-9]-%u%n", domid, device, &ring,
                  &end) == 3 && !name[end] && *domid;
}

struct found {
    unsigned int nr;
    struct dom0_io *list;
};

static struct dom0_io *add_io(struct found *f)
{
    f->list = need_more_memory(f->list, f->nr + 1, sizeof(*f->list));
    memset(&f->list[f->nr], 0, sizeof(*f->list));

    return &f->list[f->nr++];
}

static void find_threads(const char *proc, struct found *f)
{
    DIR *folder = opendir(proc);
    const struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        unsigned int pid = strtoul(entry->d_name, NULL, 10);
        char name[DOM0_IO_NAME];
        struct dom0_io *io;
        uint32_t domid;

        if (!pid || !thread_name(proc, pid, name) ||
            !is_blkback(name, &domid) || !is_kernels(proc, pid))
            continue;
        io = add_io(f);
        io->domid = domid;
        io->number = pid;
        memcpy(io->name, name, sizeof(io->name));
    }
    if (folder)
        closedir(folder);
}

unsigned int dom0_io_find(const char *proc, struct dom0_io **list)
{
    struct found f = { 0 };

    find_threads(proc, &f);
    *list = f.list;

    return f.nr;
}

bool dom0_io_is(const char *proc, const struct dom0_io *io)
{
    char name[DOM0_IO_NAME];

    return thread_name(proc, io->number, name) && !strcmp(name, io->name);
}

bool dom0_io_get(const struct dom0_io *io, cpu_set_t *vcpus)
{
    CPU_ZERO(vcpus);

    return !sched_getaffinity(io->number, sizeof(*vcpus), vcpus);
}

bool dom0_io_set(const struct dom0_io *io, const cpu_set_t *vcpus)
{
    return !sched_setaffinity(io->number, sizeof(*vcpus), vcpus);
}

/* Binds threads of xen-blkback near the guests that they serve. */

/* Interval of searches for processes while the guests stay the same. */
#define SEARCH_NS 10000000000ULL

/* A guest without affinity belongs to a place if it spends this part of its time there. */
#define LIVES 0.75

/* Enough for "0-3,8" with every second one of 1,024 vCPUs. */
#define VCPUS_TEXT 3000

static void vcpus_text(const cpu_set_t *vcpus, char text[VCPUS_TEXT])
{
    struct cpumap map;
    unsigned int i;

    cpumap_init(&map, CPU_SETSIZE);
    for (i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, vcpus))
            cpumap_set(&map, i);
    cpumap_format(&map, text, VCPUS_TEXT);
    cpumap_free(&map);
}

static bool read_vcpus(const char *text, cpu_set_t *vcpus)
{
    struct cpumap map;
    unsigned int i;
    bool good;

    CPU_ZERO(vcpus);
    cpumap_init(&map, CPU_SETSIZE);
    good = cpumap_parse(&map, text) && !cpumap_empty(&map);
    for (i = 0; good && i < CPU_SETSIZE; i++)
        if (cpumap_test(&map, i))
            CPU_SET(i, vcpus);
    cpumap_free(&map);

    return good;
}

/* The file: {"boot": TEXT, "steered": [{"domid", "number", "name",
 * "original_vcpus", "before_vcpus", "our_vcpus"}...]}, vCPUs as texts such as "0-3,8". */

static json_object *as_json(const struct steered *one)
{
    json_object *json = json_object_new_object();
    char text[VCPUS_TEXT];

    json_add_int(json, "domid", one->io.domid);
    json_add_int(json, "number", one->io.number);
    json_add_text(json, "name", one->io.name);
    vcpus_text(&one->original, text);
    json_add_text(json, "original_vcpus", text);
    vcpus_text(&one->before, text);
    json_add_text(json, "before_vcpus", text);
    vcpus_text(&one->ours, text);
    json_add_text(json, "our_vcpus", text);

    return json;
}

/* Writes the file before anything changes. */
static int save_steered(const struct steer *s, struct xensched_error *err)
{
    json_object *all, *list;
    const char *text;
    unsigned int i;
    int rc;

    if (!s->nr)
        return remove_file(s->path, err);
    all = json_object_new_object();
    list = json_object_new_array();
    json_add_text(all, "boot", s->host->boot);
    for (i = 0; i < s->nr; i++)
        json_object_array_add(list, as_json(&s->steered[i]));
    json_object_object_add(all, "steered", list);
    text = json_object_to_json_string(all);
    rc = replace_file(s->path, text, strlen(text), 0600, true, err);
    json_object_put(all);

    return rc;
}

static void load_one(struct steer *s, const json_object *json)
{
    const char *name = json_text(json, "name");
    const char *original = json_text(json, "original_vcpus");
    const char *before = json_text(json, "before_vcpus");
    const char *ours = json_text(json, "our_vcpus");
    struct steered one = {
        .io = {
            .domid = json_number(json, "domid", 0),
            .number = json_number(json, "number", 0),
        },
    };

    if (!name || !original || !ours || !one.io.number ||
        !read_vcpus(original, &one.original) || !read_vcpus(ours, &one.ours))
        return;
    /* Earlier versions did not write it. */
    if (!before || !read_vcpus(before, &one.before))
        one.before = one.ours;
    snprintf(one.io.name, sizeof(one.io.name), "%s", name);
    s->steered = need_more_memory(s->steered, s->nr + 1, sizeof(*s->steered));
    s->steered[s->nr++] = one;
}

static void load_steered(struct steer *s)
{
    json_object *all, *list;
    const char *boot;
    size_t i;

    if (access(s->path, F_OK))
        return;
    all = json_object_from_file(s->path);
    list = all ? json_member(all, "steered", json_type_array) : NULL;
    boot = all ? json_text(all, "boot") : NULL;
    /* After another boot no change is left. */
    if (list && boot && !strcmp(boot, s->host->boot))
        for (i = 0; i < json_object_array_length(list); i++)
            load_one(s, json_object_array_get_idx(list, i));
    json_object_put(all);
}

/* Entries. */

static void drop_steered(struct steer *s, unsigned int i)
{
    s->steered[i] = s->steered[--s->nr];
}

/* Is it as the daemon set it?  If not, another program has changed it, and that stays. */
static bool is_ours(const struct steered *one)
{
    cpu_set_t now;

    return dom0_io_get(&one->io, &now) && (CPU_EQUAL(&now, &one->ours) ||
                                           CPU_EQUAL(&now, &one->before) ||
                                           CPU_EQUAL(&now, &one->original));
}

static void put_back(const struct steer *s, const struct steered *one)
{
    char text[VCPUS_TEXT];

    if (one->theirs || !dom0_io_is(s->proc, &one->io) || !is_ours(one) ||
        dom0_io_set(&one->io, &one->original))
        return;
    vcpus_text(&one->original, text);
    say("thread %u (%s) of dom0, which serves domain %" PRIu32 ", could not be "
        "put back to its vCPUs %s", one->io.number, one->io.name,
        one->io.domid, text);
}

static struct steered *find_steered(const struct steer *s, const struct dom0_io *io)
{
    unsigned int i;

    for (i = 0; i < s->nr; i++)
        if (s->steered[i].io.number == io->number &&
            s->steered[i].io.domid == io->domid &&
            !strcmp(s->steered[i].io.name, io->name))
            return &s->steered[i];

    return NULL;
}

static void journal_steer(const struct steer *s, const char *what,
                          const struct steered *one, const cpu_set_t *to)
{
    json_object *details = json_object_new_object();
    char text[VCPUS_TEXT];

    json_add_int(details, "domid", one->io.domid);
    json_add_text(details, "of", "thread");
    json_add_int(details, "number", one->io.number);
    vcpus_text(&one->ours, text);
    json_add_text(details, "from_vcpus", text);
    vcpus_text(to, text);
    json_add_text(details, "to_vcpus", text);
    journal_write(s->journal, what, details);
}

static struct steered *add_steered(struct steer *s, const struct dom0_io *io)
{
    struct steered one = { .io = *io };

    if (!dom0_io_get(io, &one.original))
        return NULL;
    one.ours = one.before = one.original;
    s->steered = need_more_memory(s->steered, s->nr + 1, sizeof(*s->steered));
    s->steered[s->nr++] = one;

    return &s->steered[s->nr - 1];
}

static void say_refused(struct steer *s, const struct dom0_io *io)
{
    if (!s->refused)
        say("dom0's Linux does not let thread %u (%s) be steered; under systemd "
            "the unit has to allow it, see steer in xensched.conf(5)",
            io->number, io->name);
    s->refused = true;
}

static void say_unsaved(struct steer *s, const struct xensched_error *err)
{
    if (!s->refused)
        say("%s: nothing of dom0 is steered", err->text);
    s->refused = true;
}

/* Writes the former and the new affinity to the disk before the change. */
static void change_affinity(struct steer *s, struct steered *one, const cpu_set_t *vcpus,
                            bool is_new)
{
    struct xensched_error err;

    one->before = one->ours;
    one->ours = *vcpus;
    if (save_steered(s, &err)) {
        say_unsaved(s, &err);
    } else if (!dom0_io_set(&one->io, vcpus)) {
        say_refused(s, &one->io);
    } else {
        one->ours = one->before;
        journal_steer(s, "steer", one, vcpus);
        one->ours = one->before = *vcpus;
        return;
    }
    one->ours = one->before;
    if (is_new)
        drop_steered(s, one - s->steered);
}

static void let_go(struct steer *s, struct steered *one)
{
    struct xensched_error err;

    put_back(s, one);
    journal_steer(s, "steer", one, &one->original);
    drop_steered(s, one - s->steered);
    if (save_steered(s, &err))
        say("%s", err.text);
}

/* No @vcpus: restores the original affinity. */
static void steer_io(struct steer *s, const struct dom0_io *io,
                     const cpu_set_t *vcpus)
{
    struct steered *one = find_steered(s, io);
    bool is_new = !one;
    cpu_set_t now;

    if (one && !one->theirs && !is_ours(one) && dom0_io_get(io, &now)) {
        one->theirs = true;
        journal_steer(s, "steer-theirs", one, &now);
    }
    if (one && one->theirs)
        return;
    if (!one && CPU_COUNT(vcpus))
        one = add_steered(s, io);
    if (!one)
        return;
    if (!CPU_COUNT(vcpus))
        let_go(s, one);
    else if (!CPU_EQUAL(&one->ours, vcpus))
        change_affinity(s, one, vcpus, is_new);
    else if (is_new)
        drop_steered(s, one - s->steered);
}

/* The choice of vCPUs for threads. */

/* The vCPUs of dom0 that are bound to this place; empty: none, or all of them. */
static cpu_set_t vcpus_at(const struct topology *t, const struct domain *dom0,
                          unsigned int place)
{
    cpu_set_t there, all;
    unsigned int i;

    CPU_ZERO(&there);
    CPU_ZERO(&all);
    for (i = 0; i < dom0->nr_vcpus && i < CPU_SETSIZE; i++) {
        struct cpumap cpus;

        if (!dom0->vcpus[i].online)
            continue;
        CPU_SET(i, &all);
        cpumap_init_copy(&cpus, &dom0->vcpus[i].hard);
        cpumap_and(&cpus, &dom0->pool_cpus);
        if (topology_place_of_all(t, &cpus) == place)
            CPU_SET(i, &there);
        cpumap_free(&cpus);
    }
    if (CPU_EQUAL(&there, &all))
        CPU_ZERO(&there);

    return there;
}

/*
 * Returns the place to which a guest is bound, or where it spends its time; UNKNOWN: nowhere.  A
 * soft affinity counts only if the log has no rows of the guest.
 */
static unsigned int place_of(const struct topology *t, const struct matrix *m,
                             const struct domain *d, uint64_t now_ns)
{
    unsigned int place = location_bound(t, d).place, i;
    bool known = false;

    if (place != TOPOLOGY_UNKNOWN)
        return place;
    for (i = 0; i < t->nr_places; i++) {
        double share = presence_share(m, d, &t->places[i].cpus, now_ns);

        if (share >= LIVES)
            return i;
        known = known || share >= 0;
    }

    return known ? TOPOLOGY_UNKNOWN : location_asked(t, d).place;
}

static uint64_t hash_of_served(const struct domain *dom0)
{
    return fnv(FNV_BEGIN, dom0->serves,
               dom0->nr_serves * sizeof(*dom0->serves));
}

static void search_processes(struct steer *s, const struct domain *dom0,
                             uint64_t now_ns)
{
    uint64_t served = hash_of_served(dom0);

    if (s->searched_ns && served == s->served &&
        now_ns - s->searched_ns < SEARCH_NS)
        return;
    free(s->found);
    s->nr_found = dom0_io_find(s->proc, &s->found);
    s->searched_ns = now_ns;
    s->served = served;
}

/*
 * Forgets threads that have ended, which happens with their guest.  A guest that is only missing in
 * the list still has its threads.
 */
static void forget_gone(struct steer *s)
{
    unsigned int before = s->nr, i = 0;
    struct xensched_error err;

    while (i < s->nr)
        if (dom0_io_is(s->proc, &s->steered[i].io))
            i++;
        else
            drop_steered(s, i);
    if (s->nr != before && save_steered(s, &err))
        say("%s", err.text);
}

void steer_run(struct steer *s, const struct topology *t,
               const struct domains *domains, const struct matrix *matrix,
               uint64_t now_ns)
{
    const struct domain *dom0 = domains_find(domains, 0);
    unsigned int i;

    if (!s->path || !dom0)
        return;
    search_processes(s, dom0, now_ns);
    forget_gone(s);
    for (i = 0; i < s->nr_found; i++) {
        const struct domain *d = domains_find(domains, s->found[i].domid);
        unsigned int place = d ? place_of(t, matrix, d, now_ns)
                               : TOPOLOGY_UNKNOWN;
        cpu_set_t vcpus;

        CPU_ZERO(&vcpus);
        if (place != TOPOLOGY_UNKNOWN)
            vcpus = vcpus_at(t, dom0, place);
        if (d && dom0_io_is(s->proc, &s->found[i]))
            steer_io(s, &s->found[i], &vcpus);
    }
}

/* Start and end. */

void steer_restore(struct steer *s)
{
    struct xensched_error err;
    unsigned int i;

    if (!s->nr)
        return;
    for (i = 0; i < s->nr; i++)
        put_back(s, &s->steered[i]);
    s->nr = 0;
    s->searched_ns = 0;
    journal_write(s->journal, "steer-restore", NULL);
    if (save_steered(s, &err))
        say("%s", err.text);
}

void steer_init(struct steer *s, const struct host *host,
                struct journal *journal, const char *state, const char *proc)
{
    const char *slash = state ? strrchr(state, '/') : NULL;

    *s = (struct steer){ .host = host, .journal = journal, .proc = proc };
    if (!state)
        return;
    if (asprintf(&s->path, "%.*ssteered.json",
                 slash ? (int)(slash - state) + 1 : 0, state) < 0)
        s->path = NULL;
    if (s->path)
        load_steered(s);
    steer_restore(s);
}

void steer_free(struct steer *s)
{
    free(s->path);
    free(s->steered);
    free(s->found);
}
