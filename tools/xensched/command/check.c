/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched check: finds out whether this host is ready, and if not, what to do.
 *
 * The library takes a number of steps to an area, and its error names the step at which
 * it failed.  So one attempt answers all questions: the steps before it succeeded, those
 * after it are unknown.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include <xensched/area.h>
#include <xensched/event.h>

#include "base/program.h"
#include "base/file.h"
#include "daemon/fits.h"
#include "host/host-xen.h"
#include "host/hypervisor-versions.h"
#include "host/toolstack.h"
#include "host/xenstore.h"
#include "daemon/log/logs.h"
#include "daemon/options.h"
#include "lib/area/xenstore-open.h"
#include "base/json.h"
#include "base/alloc.h"
#include "base/text.h"
#include "command.h"

/* Steps in the order of xensched_area_attach(). */
enum step {
    STEP_XEN,
    STEP_PRIVILEGES,
    STEP_SCHEDLOG,
    STEP_ABI,
    STEP_AREA,
    NR_STEPS,
};

static const char *const step_names[NR_STEPS] = {
    [STEP_XEN] = "Xen",
    [STEP_PRIVILEGES] = "privileges",
    [STEP_SCHEDLOG] = "schedlog",
    [STEP_ABI] = "ABI version",
    [STEP_AREA] = "log area",
};

/* Returns the step at which attaching ended. */
static enum step failed_step(int rc)
{
    switch (rc) {
    case 0:
        return NR_STEPS;
    case -ENOENT:
        return STEP_XEN;
    case -EPERM:
    case -EACCES:
        return STEP_PRIVILEGES;
    case -ENOSYS:
    case -EOPNOTSUPP:
        return STEP_SCHEDLOG;
    case -EPROTO:
        return STEP_ABI;
    default:
        return STEP_AREA;
    }
}

enum result { OK, NOTE, WARN, FAIL };

static const struct {
    const char *text, *json;
} results[] = {
    [OK] = { "ok", "ok" }, [NOTE] = { "-", "note" },
    [WARN] = { "warn", "warning" }, [FAIL] = { "FAIL", "failed" },
};

static json_object *lines; /* of the JSON answer; NULL: lines are printed */

static __attribute__((format(printf, 3, 4))) void
report(enum result result, const char *name, const char *format, ...)
{
    json_object *line;
    char *text;
    va_list args;

    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        abort();
    va_end(args);
    if (lines) {
        line = json_object_new_object();
        json_add_text(line, "check", name);
        json_add_text(line, "result", results[result].json);
        json_add_text(line, "text", text);
        json_object_array_add(lines, line);
    } else {
        printf("%-4s  %s%s%s\n", results[result].text, name,
               *text ? ": " : "", text);
    }
    free(text);
}

/* Returns the exit code of all checks. */
static int finish_checks(bool good)
{
    json_object *answer;

    if (lines) {
        answer = json_object_new_object();
        json_add_bool(answer, "ready", good);
        json_object_object_add(answer, "checks", lines);
        json_print(answer);
    }

    return good ? EXIT_OK : EXIT_FAILED;
}

static void write_events(FILE *out, uint32_t events)
{
    unsigned int i;

    if (!events)
        fputs(" none", out);
    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        if (events & 1U << i)
            fprintf(out, " %s", xensched_event_name(i) ?: "?");
}

static void describe_schedlog(FILE *out, const struct xensched_area_info *info)
{
    fprintf(out, "%u sites", info->nr_sites);
    if (info->nr_lost_sites)
        fprintf(out, " (%u of them lost to live patches, which log nothing "
                "there)", info->nr_lost_sites);
    fputs("; performance counters: ", out);
    if (info->nr_pmcs)
        fprintf(out, "%u", info->nr_pmcs);
    else
        fputs("none usable on this machine", out);
    fputs("; events:", out);
    write_events(out, info->events_built);
}

static void describe_area(FILE *out, const struct xensched_area_info *info)
{
    fprintf(out, "%" PRIu64 " KiB of at most %" PRIu64 " KiB; held ",
            info->used_bytes / 1024, info->max_bytes / 1024);
    if (info->lease_ms)
        fprintf(out, "by a scheduler, ends in %u ms unless renewed",
                info->lease_left_ms);
    else
        fputs("by no program", out);
    fputs("; events on:", out);
    write_events(out, info->events_enabled);
}

static void describe_step(enum step step, const struct xensched_area_info *info,
                          char *text, size_t size)
{
    FILE *out = fmemopen(text, size - 1, "w"); /* @text is all zero */

    if (!out)
        return;
    if (step == STEP_ABI)
        fprintf(out, "%u, as in this program", info->abi_version);
    else if (step == STEP_AREA)
        describe_area(out, info);
    else if (step == STEP_SCHEDLOG)
        describe_schedlog(out, info);
    fclose(out);
}

/* @info is NULL if there was no area to ask. */
static void print_steps(enum step failed, const char *why,
                        const struct xensched_area_info *info)
{
    enum step step;

    for (step = 0; step < NR_STEPS; step++) {
        char text[500] = "";

        if (info)
            describe_step(step, info, text, sizeof(text));
        if (step < failed)
            report(OK, step_names[step], "%s", text);
        else if (step == failed)
            report(FAIL, step_names[step], "%s", why);
        else
            report(NOTE, step_names[step], "not known, because of the above");
    }
}

static uint32_t first_cpu(const struct xensched_area *area)
{
    uint32_t cpu = 0;

    while (cpu < xensched_area_cpus(area) && !xensched_area_has_cpu(area, cpu))
        cpu++;

    return cpu;
}

static void describe_difference(FILE *out, const struct logs *logs,
                                const struct xensched_area *area)
{
    uint32_t nr = xensched_area_files(area), file, size = 0;

    if (nr != logs->geometry.nr_files) {
        fprintf(out, " there %s %u log buffer%s, configured are %u;",
                nr == 1 ? "is" : "are", nr, nr == 1 ? "" : "s",
                logs->geometry.nr_files);
        return;
    }
    for (file = 0; file < logs->nr; file++) {
        xensched_area_data(area, first_cpu(area), file, &size);
        if (size == logs->sizes[file])
            continue;
        fprintf(out, " that of");
        write_events(out, logs->events[file]);
        fprintf(out, " has %u bytes, configured are %u;", size,
                logs->sizes[file]);
    }
}

/*
 * Compares the log buffers of @area with the configuration.  A difference is no failure: the
 * command line of xenschedd overrides the configuration.
 */
static void compare_events(const struct xensched_area *area, const char *what,
                           const struct choice *choice, enum producer producer)
{
    char text[1000] = "", name[40];
    FILE *out = fmemopen(text, sizeof(text) - 1, "w");
    struct logs logs;

    if (!out)
        return;
    /* The number of accounting domains does not matter here. */
    logs_init(&logs, choice, producer, 2);
    describe_difference(out, &logs, area);
    fclose(out);
    snprintf(name, sizeof(name), "sizes of the %s", what);
    if (*text)
        report(NOTE, name, "%s restart xenschedd, unless it was started with "
               "other options", text + 1);
    else
        report(OK, name, "as configured");
}

static void print_misfit(void *arg, const char *text)
{
    *(bool *)arg = true;
    report(WARN, "settings", "%s", text);
}

static int compare_with_host(struct host_xen *host, const struct options *o,
                             struct xensched_error *err)
{
    const struct host *h = host_xen_host(host);
    struct domains domains = { 0 };
    struct topology topology;
    bool odd = false;
    struct fits fits = {
        .options = o, .host = host, .topology = &topology,
        .domains = &domains, .tell = print_misfit, .arg = &odd,
    };
    int rc = h->topology(h->data, &topology, err);

    if (rc)
        return rc;
    rc = h->domains(h->data, &domains, err);
    if (!rc)
        fits_check(&fits);
    domains_free(&domains);
    topology_free(&topology);
    if (!rc && !odd)
        report(OK, "settings", "as this host is");

    return rc;
}

/*
 * Checks settings about pCPUs, cpupools and domains.  Returns false if xenschedd would not start.
 */
static bool check_settings(const struct options *o)
{
    struct xensched_error err;
    struct host_xen *host;
    int rc;

    if (!o->llc && !o->soft_pools && !o->core.policy_settings.rules.nr)
        return true;
    rc = host_xen_open(&host, &o->core.choice, &o->pmc, o->llc, o->soft_pools,
                       &err);
    if (!rc) {
        rc = host_xen_connect(host, &err);
        if (!rc)
            rc = compare_with_host(host, o, &err);
        host_xen_close(host);
    }
    if (rc)
        report(FAIL, "settings", "%s", err.text);

    return !rc;
}

/* xenschedd starts "xensched on" for reactions of the configuration. */
static void check_reactions(const struct options *o)
{
    char path[PATH_MAX];

    if (o->reactions && sibling_path(path, "xensched-lab") != path)
        report(WARN, "reactions", "they need the package xensched-lab, which is not "
               "installed; apt install xensched-lab");
}

static void print_toolstack(void)
{
    if (xapi_is_here())
        report(NOTE, "toolstack", XAPI_MEANS);
}

#define NAME_TEXT 61

static const char *name_of(const struct llc_colours *colours, char name[NAME_TEXT])
{
    if (colours->name)
        snprintf(name, NAME_TEXT, "%s", colours->name);
    else if (colours->domid)
        snprintf(name, NAME_TEXT, "domain %u", colours->domid);
    else
        strcpy(name, "Domain-0");

    return name;
}

/* Appends to @text the other domains that share colours with number @i of @list. */
static void add_sharers(char *text, const struct llc_colours *list, size_t nr, size_t i)
{
    char name[NAME_TEXT];
    bool shared = false;
    size_t k;

    for (k = 0; k < nr; k++)
        if (k != i && llc_colours_shared(&list[i], &list[k])) {
            text_append(text, "%s%s", shared ? ", " : "; shared with ", name_of(&list[k], name));
            shared = true;
        }
    if (!shared)
        text_append(text, "; shared with no domain");
}

/* Xen reports no colours, so each line names the setting that it repeats. */
static void print_llc_colours(void)
{
    struct llc_colours *list;
    size_t nr = toolstack_llc_colours(&list), i;

    for (i = 0; i < nr; i++) {
        const char *from = list[i].domid ? "its configuration" : "Xen's command line";
        char *text = text_format("%s according to %s", llc_colours_text(&list[i]), from);
        char name[NAME_TEXT], line[80];

        snprintf(line, sizeof(line), "LLC colours of %s", name_of(&list[i], name));
        add_sharers(text, list, nr, i);
        report(NOTE, line, "%s; Xen reports no colours", text);
    }
    toolstack_free_llc_colours(list, nr);
}

/* The daemon moves no guest whose affinity it could not restore. */
static bool check_state(const char *path)
{
    char *name = need_memory(strlen(path) + 7, 1);
    struct xensched_error err;
    int rc;

    sprintf(name, "%s.check", path);
    rc = replace_file(name, "{}\n", 3, 0600, true, &err);
    unlink(name);
    free(name);
    if (rc && rc != -ENOENT)
        report(FAIL, "state", "%s; xenschedd moves nothing until it can write "
               "there", err.text);
    else
        report(OK, "state", "%s", rc ? "xenschedd makes its folder" : "");

    return !rc || rc == -ENOENT;
}

/* Returns false, after a message, if it cannot be read. */
static bool read_configuration(struct options *options, const char *file)
{
    char *argv[] = { "xensched", "--config", (char *)file, NULL };

    return options_parse(options, OPTIONS_CONFIG, file ? 3 : 1, argv) < 0;
}

/* Prints the source of dom0's disk I/O per guest; @rc is the result of attaching. */
static void print_disks(int rc, struct xensched_area *area)
{
    struct xensched_area_info info;
    struct xensched_error err;

    if (!rc && !xensched_area_info(area, &info, &err) &&
        info.events_built & 1U << XEN_SCHEDLOG_EV_RING_PAGES)
        report(OK, "disks", "each request, which xen-blkback logs");
    else if (!rc || rc == -ENOENT)
        report(OK, "disks", "rates, from Linux's statistics");
    else if (rc == -ENODATA)
        report(NOTE, "disks", "not known until xenschedd sets the Linux log up");
    else
        report(NOTE, "disks", "not known, because of the Linux log");
}

/* Prints driver domains that report their disks. */
static void print_told(void)
{
    struct xensched_error err;
    struct xs_handle *xs = xensched_xenstore_open(&err);
    unsigned int nr = 0, length, i;
    char **names = xs ? xs_directory(xs, XBT_NULL, "/local/domain", &nr) : NULL;

    for (i = 0; names && i < nr; i++) {
        char path[64], name[32];
        void *text;

        snprintf(path, sizeof(path), "/local/domain/%.8s/" XENSTORE_DISKS, names[i]);
        text = xs_read(xs, XBT_NULL, path, &length);
        snprintf(name, sizeof(name), "disks of domain %.8s", names[i]);
        if (text)
            report(OK, name, "rates, as xensched-disks there reports");
        free(text);
    }
    free(names);
    if (xs)
        xs_close(xs);
}

/*
 * Checks the log of dom0's Linux, which is optional.  Returns false if it exists and is useless.
 */
static bool check_linux(const struct choice *choice)
{
    struct xensched_error err;
    struct xensched_area *area;
    int rc = xensched_area_attach_linux(&area, &err);

    if (!rc || rc == -ENODATA)
        report(OK, "Linux log", "%s", rc ? "no program has set it up" : "");
    else if (rc == -ENOENT)
        report(NOTE, "Linux log", "the module xensched_log is not loaded "
               "(modprobe xensched_log)");
    else
        report(FAIL, "Linux log", "%s", err.text);
    print_disks(rc, area);
    print_told();
    if (!rc) {
        compare_events(area, "Linux log", choice, LINUX);
        xensched_area_close(area);
    }

    return !rc || rc == -ENODATA || rc == -ENOENT;
}

/* Root of the host's files and programs; a test has a folder for them. */
#ifndef CHECK_ROOT
#define CHECK_ROOT ""
#endif

/* Finds the version of Debian's package that apt would install; "" if apt offers none. */
static void ask_apt(char *candidate, const char *release)
{
    char line[256];
    FILE *apt;

    *candidate = '\0';
    snprintf(line, sizeof(line), CHECK_ROOT "/usr/bin/apt-cache policy "
             "xen-hypervisor-%s-" DEBIAN_ARCH " 2>/dev/null", release);
    apt = popen(line, "r");
    if (!apt)
        return;
    while (fgets(line, sizeof(line), apt))
        sscanf(line, " Candidate: %63[^( \n]", candidate);
    pclose(apt);
}

/*
 * Removes a rebuild's suffix: if Debian has rebuilt the package, its source has the version before
 * "+b".
 */
static void cut_rebuild(char *version)
{
    char *rebuild = strrchr(version, '+');
    int length = 0;

    if (rebuild && sscanf(rebuild, "+b%*u%n", &length) == 0 && length &&
        !rebuild[length])
        *rebuild = '\0';
}

static const char *remedy_for(const struct hypervisor_versions *v,
                              const char *newest)
{
    if (*newest && *v->installed &&
        hypervisor_version_is_behind(v->installed, newest))
        return "; run xensched-build-hypervisor (package "
               "xensched-hypervisor-source), then reboot";
    if (*newest && *v->running && !*v->installed &&
        hypervisor_version_is_behind(v->running, newest))
        return "; build it from Debian's";
    if (*v->running && *v->installed && strcmp(v->running, v->installed))
        return "; reboot";

    return NULL;
}

/*
 * Prints from which source of Debian's Xen the hypervisor was built.  A newer version of Debian's
 * is no failure here, because this host can log.
 */
static void print_versions(void)
{
    struct hypervisor_versions v;
    char newest[VERSION_SIZE];
    const char *what_to_do;

    hypervisor_versions_read(&v, CHECK_ROOT);
    if (!*v.running && !*v.installed)
        return;
    ask_apt(newest, v.release);
    cut_rebuild(newest);
    if (*v.debian && (!*newest || hypervisor_version_is_behind(newest, v.debian)))
        strcpy(newest, v.debian);
    what_to_do = remedy_for(&v, newest);
    report(what_to_do ? NOTE : OK, "hypervisor",
           "running %s, installed %s, Debian's newest %s%s", *v.running ? v.running : "another",
           *v.installed ? v.installed : "none", *newest ? newest : "not known",
           what_to_do ?: "");
}

/* For a service manager: the missing area is no reason not to start. */
static int can_start(void)
{
    struct xensched_error err;
    struct xensched_area *area;
    int rc = xensched_area_attach(&area, &err);

    if (!rc)
        xensched_area_close(area);
    if (failed_step(rc) >= STEP_AREA)
        return EXIT_OK;
    complain("xenschedd cannot start here: %s", err.text);

    return EXIT_FAILED;
}

static int run_check(const struct arguments *args)
{
    struct xensched_area_info info;
    struct xensched_error err;
    struct xensched_area *area;
    struct options options;
    bool known = false, good;
    int rc, attached;

    if (args->can_start)
        return can_start();
    lines = args->json ? json_object_new_array() : NULL;
    if (!read_configuration(&options, args->config))
        return EXIT_FAILED;
    attached = rc = xensched_area_attach(&area, &err);
    if (!rc) {
        rc = xensched_area_info(area, &info, &err);
        known = !rc;
    }
    print_steps(failed_step(rc), err.text, known ? &info : NULL);
    if (known)
        compare_events(area, "log area", &options.core.choice, HYPERVISOR);
    if (!attached)
        xensched_area_close(area);
    print_versions();
    good = check_linux(&options.core.choice);
    if (!attached || attached == -ENODATA) {
        print_toolstack();
        print_llc_colours();
        good = check_settings(&options) && good;
        good = check_state(options.core.state_path) && good;
        check_reactions(&options);
    }
    options_free(&options);

    return finish_checks(!rc && good);
}

const struct command command_check = {
    .name = "check",
    .summary = "check whether this host can log scheduling events",
    .help =
        "Check that this host runs on Xen, that this program may use it, that the\n"
        "hypervisor has schedlog in the version of these tools, that there is a log area\n"
        "(which xenschedd makes), and that dom0's Linux has a log. Failures end with\n"
        "their remedy. Also print the owner of the log, the events that are on, whether\n"
        "log buffers have their configured sizes, and from which version of Debian's Xen\n"
        "the hypervisor was built. --can-start checks only what a service manager needs.",
    .takes = ARGUMENT_JSON | ARGUMENT_CONFIG | ARGUMENT_CAN_START,
    .run = run_check,
};
