/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched sample GUEST: runs a guest from one boundary to the next.
 *
 * Service cannot grow faster than the guest has vCPUs, so the command repeatedly sleeps for a time
 * in which the boundary cannot pass, and polls only for the last few microseconds.  The manifest
 * has the distance beyond the boundary.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <xensched/source.h>
#include <xensched/stop.h>

#include "command/ask/client.h"
#include "command/guest/checkpoint.h"
#include "base/file.h"
#include "sampled-guest.h"
#include "model/domain.h"
#include "base/json.h"
#include "runs/shell.h"
#include "sample.h"

#define NS_PER_MS 1000000ULL

#define ASK_MS 5000U

/* A wait ends this long before the boundary can pass, and after LONGEST_NS at most. */
#define MARGIN_NS 200000ULL
#define LONGEST_NS (10 * NS_PER_MS)

/* A larger number is a mistake. */
#define MOST_SAMPLES 9999U

enum unit { SERVICE_MS, CYCLES, EVENTS };

static const char *const units[] = {
    [SERVICE_MS] = "ms-of-service", [CYCLES] = "cycles", [EVENTS] = "events",
};

struct sampler {
    const struct arguments *args;
    const char *folder;
    enum unit unit;
    uint64_t every; /* in the chosen unit */
    struct target target;
    struct acct_names *names;
    json_object *host;
    const char *guest; /* its name */
    struct xensched_source *source;
    struct interval interval;
    json_object *did;   /* activity in the interval that has ended */
    uint64_t lost_rows; /* in the interval that has ended */
    uint64_t khz;
    uint64_t events;  /* number of rows so far */
    unsigned int nr;  /* number of complete samples */
    uint64_t boundary; /* counter at which the guest was stopped to be saved */
    uint64_t begin, end, goal; /* of the interval, which began when the guest had been saved */
    uint64_t begin_ns;
    double most_missed;
};

/* The requested length. */

static int parse_every(struct sampler *s, struct xensched_error *err)
{
    const char *text = s->args->every ? s->args->every : "";
    const char *unit;
    char *end;
    size_t i;

    s->every = strtoull(text, &end, 10);
    switch (*end) {
    case 'G': s->every *= 1000; /* fall through */
    case 'M': s->every *= 1000; /* fall through */
    case 'K': s->every *= 1000; end++;
    }
    unit = end + strspn(end, " ");
    if (!*unit && s->args->nr_words)
        unit = s->args->word[0];
    for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (!strcmp(units[i], unit))
            s->unit = i;
    if (!strcmp(unit, "instructions"))
        return xensched_fail(err, EOPNOTSUPP, "instructions cannot be counted "
                             "to the one; ms-of-service and cycles can");
    if (*text < '0' || *text > '9' || !s->every || strcmp(units[s->unit], unit))
        return xensched_fail(err, EINVAL, "--every takes a length and a unit: "
                             "'500 ms-of-service', '500M cycles', '10K events'");

    return 0;
}

static int look_at_arguments(struct sampler *s, struct xensched_error *err)
{
    int rc = parse_every(s, err);

    if (!rc && !s->args->checkpoint)
        rc = xensched_fail(err, EINVAL, "where to? --checkpoint DIR");
    s->folder = s->args->checkpoint;

    return rc;
}

/* Finding the guest and its rows. */

static json_object *find_guest(const struct sampler *s)
{
    json_object *domains = json_member(s->host, "domains", json_type_array);
    const char *wanted = s->args->action;
    size_t i;

    for (i = 0; domains && i < json_object_array_length(domains); i++) {
        json_object *d = json_object_array_get_idx(domains, i);
        const char *name = json_text(d, "name");

        if (domain_is_meant(wanted, json_number(d, "domid", UINT32_MAX),
                            name ? name : ""))
            return d;
    }

    return NULL;
}

static int look_up_guest(struct sampler *s, uint32_t *domid, struct xensched_error *err)
{
    int rc = client_ask(s->args->socket, "host", NULL, ASK_MS, &s->host, err);
    const char *text;
    json_object *d;
    double acct;

    if (rc)
        return rc;
    client_join(s->args->socket);
    text = json_object_to_json_string_ext(s->host, JSON_C_TO_STRING_PLAIN);
    acct_names_learn(s->names, text, strlen(text));
    d = find_guest(s);
    acct = json_number(d, "acct", XEN_SCHEDLOG_ACCT_REST);
    if (!d || acct < XEN_SCHEDLOG_ACCT_FIRST)
        return xensched_fail(err, ESRCH, "there is no domain '%s', or xenschedd cannot "
                             "distinguish it from others", s->args->action);
    *domid = json_number(d, "domid", 0);
    s->guest = json_text(d, "name");
    interval_begin(&s->interval, acct);

    return *domid ? 0 : xensched_fail(err, EINVAL, "dom0 cannot be saved");
}

static int open_all(struct sampler *s, struct xensched_error *err)
{
    uint32_t domid = 0;
    int rc;

    s->names = acct_names_new();
    rc = look_up_guest(s, &domid, err);
    if (!rc)
        rc = xensched_source_open("hypervisor", NULL, &s->source, err);
    if (rc)
        return rc;
    s->khz = xensched_source_tsc_khz(s->source);
    if (mkdir(s->folder, 0700) && errno != EEXIST)
        return xensched_fail(err, errno, "cannot make the folder '%s': %s",
                             s->folder, strerror(errno));

    return target_open(&s->target, domid, err);
}

static int read_rows(struct sampler *s, struct xensched_error *err)
{
    uint64_t before = s->interval.rows;
    struct xensched_batch batch;
    int rc;

    while ((rc = xensched_source_next(s->source, &batch, err)) ==
           XENSCHED_BATCH)
        interval_add(&s->interval, &batch);
    s->events += s->interval.rows - before;

    return rc < 0 ? rc : 0;
}

static int read_counter(struct sampler *s, uint64_t *value, struct xensched_error *err)
{
    uint64_t ns;
    int rc = target_service(&s->target, &ns, err);

    *value = s->unit == EVENTS ? s->events
             : s->unit == CYCLES ? (unsigned __int128)ns * s->khz / 1000000 : ns;

    return rc;
}

/* Returns the length in the unit of read_counter(). */
static uint64_t length_of(const struct sampler *s)
{
    return s->unit == SERVICE_MS ? s->every * NS_PER_MS : s->every;
}

/* Waiting for a boundary. */

static uint64_t safe_wait(const struct sampler *s, uint64_t left)
{
    uint64_t ns = left;

    if (s->unit == EVENTS)
        return NS_PER_MS / 10;
    if (s->unit == CYCLES)
        ns = (unsigned __int128)left * 1000000 / s->khz;
    ns /= s->target.vcpus;
    if (ns <= MARGIN_NS)
        return 0;
    ns -= MARGIN_NS;

    return ns < LONGEST_NS ? ns : LONGEST_NS;
}

static int reach_interval_end(struct sampler *s, struct xensched_error *err)
{
    uint64_t value = s->begin, wait;
    int rc = 0;

    while (!rc && !stop_count() && value < s->goal) {
        wait = safe_wait(s, s->goal - value);
        if (wait) {
            struct timespec pause = { .tv_nsec = wait };

            nanosleep(&pause, NULL);
            rc = read_rows(s, err);
        }
        if (!rc)
            rc = read_counter(s, &value, err);
    }

    return rc;
}

/* Formats a path of the present sample. */
static void name_of(const struct sampler *s, const char *what,
                    char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%04u.%s", s->folder, s->nr + 1, what);
}

static char *text_of_hook(const struct sampler *s)
{
    static char text[200];
    char path[PATH_MAX];
    FILE *f;

    name_of(s, "save.disk", path);
    f = fopen(path, "re");
    text[0] = '\0';
    if (f && fgets(text, sizeof(text), f))
        text[strcspn(text, "\n")] = '\0';
    if (f)
        fclose(f);

    return text;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static json_object *manifest_json(struct sampler *s)
{
    json_object *json = json_object_new_object();
    char path[PATH_MAX];
    struct stat saved = { 0 };

    name_of(s, "save", path);
    stat(path, &saved);
    json_add_int(json, "version", 1);
    json_add_int(json, "number", s->nr + 1);
    json_add_text(json, "guest", s->guest);
    json_add_int(json, "domid", s->target.domid);
    json_add_text(json, "unit", units[s->unit]);
    json_add_int(json, "every", length_of(s));
    json_add_int(json, "begin", s->begin);
    json_add_int(json, "end", s->end);
    json_add_int(json, "skid", s->end - s->goal);
    json_add_real(json, "skid_percent",
                  100.0 * (s->end - s->goal) / length_of(s), 4);
    json_add_int(json, "saving", s->begin - s->boundary);
    json_add_int(json, "wall_ns", now_ns() - s->begin_ns);
    json_add_int(json, "lost_rows", s->lost_rows);
    json_object_object_add(json, "did", json_object_get(s->did));
    json_add_text(json, "checkpoint", strrchr(path, '/') + 1);
    json_add_int(json, "bytes", saved.st_size);
    if (s->args->hook)
        json_add_text(json, "disk", text_of_hook(s));
    json_object_object_add(json, "host", json_object_get(s->host));

    return json;
}

/* When the manifest exists, so does the checkpoint, and its interval has ended. */
static int write_manifest(struct sampler *s, struct xensched_error *err)
{
    json_object *json = manifest_json(s);
    const char *text = json_object_to_json_string_ext(json,
                                                      JSON_C_TO_STRING_PRETTY);
    char path[PATH_MAX];
    int rc;

    name_of(s, "json", path);
    rc = replace_file(path, text, strlen(text), 0600, true, err);
    json_object_put(json);

    return rc;
}

/* Removes a checkpoint whose interval did not end. */
static void forget_checkpoint(const struct sampler *s)
{
    char path[PATH_MAX];

    name_of(s, "save", path);
    unlink(path);
    name_of(s, "save.disk", path);
    unlink(path);
}

/* Stops the guest: its rows then have all that it did. */
static int stop_there(struct sampler *s, struct xensched_error *err)
{
    int rc = xensched_stop_pause(s->target.domid, err);

    if (!rc)
        rc = read_rows(s, err);

    return rc ? rc : read_counter(s, &s->end, err);
}

/*
 * Saves the stopped guest, which continues then, see checkpoint.h.  Its activity until it has been
 * saved belongs to no interval.
 */
static int save_sample(struct sampler *s, struct xensched_error *err)
{
    char path[PATH_MAX];
    const struct checkpoint checkpoint = {
        .domid = s->target.domid, .path = path, .hook = s->args->hook,
    };
    int rc;

    s->boundary = s->end;
    name_of(s, "save", path);
    rc = checkpoint_save(&checkpoint, err);
    if (!rc)
        rc = read_rows(s, err);
    if (!rc)
        rc = read_counter(s, &s->begin, err);
    interval_begin(&s->interval, s->interval.acct);
    s->begin_ns = now_ns();
    s->goal = s->begin + length_of(s);

    return rc;
}

/* Called when the interval has ended and the guest is stopped. */
static int complete_sample(struct sampler *s, struct xensched_error *err)
{
    double missed = 100.0 * (s->end - s->goal) / length_of(s);
    int rc;

    json_object_put(s->did);
    s->did = interval_json(&s->interval, s->names);
    s->lost_rows = s->interval.lost_rows;
    rc = write_manifest(s, err);
    if (rc)
        return rc;
    s->nr++;
    s->most_missed = missed > s->most_missed ? missed : s->most_missed;
    fprintf(stderr, "sample %u: %.4f %% beyond its boundary\n", s->nr, missed);

    return 0;
}

/* Makes one sample, from one stop to the next. */
static int one_sample(struct sampler *s, struct xensched_error *err)
{
    unsigned int nr = s->nr;
    int rc = save_sample(s, err);

    if (!rc)
        rc = reach_interval_end(s, err);
    if (!rc && !stop_count())
        rc = stop_there(s, err);
    if (!rc && !stop_count())
        rc = complete_sample(s, err);
    if (s->nr == nr)
        forget_checkpoint(s);

    return rc;
}

static bool is_over(const struct sampler *s)
{
    return stop_count() || s->nr == MOST_SAMPLES ||
           (s->args->times_given && s->args->times && s->nr >= s->args->times);
}

/* Existing samples are not overwritten. */
static int check_folder(struct sampler *s, struct xensched_error *err)
{
    char path[PATH_MAX];

    name_of(s, "save", path);
    if (access(path, F_OK))
        return 0;

    return xensched_fail(err, EEXIST, "'%s' has samples: remove them, or take "
                         "another folder", s->folder);
}

static int take_samples(struct sampler *s, struct xensched_error *err)
{
    int rc = check_folder(s, err);

    if (!rc)
        rc = stop_there(s, err);
    while (!rc && !is_over(s))
        rc = one_sample(s, err);
    /* Whatever the result was. */
    xensched_stop_resume(s->target.domid, NULL);
    /* A guest that ends is the usual end. */
    if (rc == -ESRCH && s->nr)
        rc = 0;

    return rc;
}

static void close_all(struct sampler *s)
{
    target_close(&s->target);
    xensched_source_close(s->source);
    interval_free(&s->interval);
    acct_names_free(s->names);
    json_object_put(s->did);
    json_object_put(s->host);
}

int sample_guest(const struct arguments *args)
{
    struct sampler s = { .args = args };
    struct xensched_error err;
    int rc;

    if (look_at_arguments(&s, &err)) {
        complain("sample: %s", err.text);
        fputs("Try 'xensched sample --help'.\n", stderr);
        return EXIT_WRONG_USE;
    }
    stop_catch_signals();
    rc = open_all(&s, &err);
    if (!rc)
        rc = take_samples(&s, &err);
    close_all(&s);
    if (rc)
        complain("%s", err.text);
    if (!rc || s.nr)
        fprintf(stderr, "%u samples, at most %.4f %% beyond the boundary\n",
                s.nr, s.most_missed);
    if (rc == -ECONNREFUSED || rc == -EACCES || rc == -ETIMEDOUT)
        return EXIT_NO_DAEMON;

    return rc ? EXIT_FAILED : EXIT_OK;
}
