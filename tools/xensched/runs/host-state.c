/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Describes the host of an experiment, and detects clock changes and steal time during a run.
 *
 * The description must not contain anything that changes on its own, such as free memory or a
 * clock.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "host-state.h"

/* A toolstack describes Xen and its scheduler. */
static const char *const commands[] = {
    "xl info",
    "xl cpupool-list -c",
    "xl sched-credit2 -s",
};

/* Kept lines of xl info; the rest is free memory, or is described below. */
static const char *const kept[] = {
    "nr_cpus", "max_cpu_id", "nr_nodes", "cores_per_socket", "threads_per_core",
    "cpu_mhz", "hw_caps", "virt_caps", "total_memory", "xen_version",
    "xen_scheduler", "xen_changeset", "xen_commandline", "cc_compiler",
    "xen_build_id",
};

static void add_linux(FILE *out)
{
    struct utsname u;

    if (!uname(&u))
        fprintf(out, "kernel: %s %s %s\n", u.release, u.version, u.machine);
}

/* Adds the first line of a file. */
static void add_file(FILE *out, const char *what, const char *path)
{
    char line[1000] = "";
    FILE *f = fopen(path, "re");

    if (!f)
        return;
    if (fgets(line, sizeof(line), f))
        fprintf(out, "%s: %.*s\n", what, (int)strcspn(line, "\n"), line);
    fclose(f);
}

/* Adds the description of the first CPU. */
static void add_processor(FILE *out)
{
    static const char *const keys[] = { "model name", "microcode" };
    char line[1000];
    unsigned int next = 0;
    FILE *f = fopen("/proc/cpuinfo", "re");

    while (f && next < 2 && fgets(line, sizeof(line), f)) {
        size_t length = strlen(keys[next]);
        const char *value = strchr(line, ':');

        if (strncmp(line, keys[next], length) || !value)
            continue;
        fprintf(out, "%s:%.*s\n", keys[next++], (int)strcspn(value + 1, "\n"),
                value + 1);
    }
    if (f)
        fclose(f);
    fprintf(out, "CPUs: %ld\n", sysconf(_SC_NPROCESSORS_ONLN));
}

static bool is_kept(const char *line)
{
    unsigned int i;

    for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        if (!strncmp(line, kept[i], strlen(kept[i])))
            return true;

    return false;
}

static void add_command(FILE *out, const char *command, bool all)
{
    char line[1000], quiet[100];
    FILE *f;

    snprintf(quiet, sizeof(quiet), "%s 2>/dev/null", command);
    f = popen(quiet, "re");
    while (f && fgets(line, sizeof(line), f))
        if (all || is_kept(line))
            fprintf(out, "%s: %.*s\n", command, (int)strcspn(line, "\n"), line);
    if (f)
        pclose(f);
}

static void add_toolstack(FILE *out)
{
    unsigned int i;

    if (access("/proc/xen/capabilities", R_OK))
        return;
    for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        add_command(out, commands[i], i > 0);
}

int fingerprint_make(const struct pinning *p, char **text,
                     struct xensched_error *err)
{
    size_t length;
    FILE *out = open_memstream(text, &length);
    int rc;

    if (!out)
        return xensched_fail(err, ENOMEM, "out of memory");
    add_linux(out);
    add_file(out, "boot", "/proc/sys/kernel/random/boot_id");
    add_file(out, "kernel command line", "/proc/cmdline");
    add_processor(out);
    add_toolstack(out);
    rc = pinning_describe(p, out, err);
    fclose(out);
    if (rc)
        free(*text);

    return rc;
}

/* Disturbances. */

#ifndef PROC_STAT
#define PROC_STAT "/proc/stat"
#endif

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);

    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The first line has the sum of all CPUs, each of which has a line after it. */
static void read_steal(struct disturbance *d)
{
    char line[256];
    FILE *f = fopen(PROC_STAT, "re");

    if (!f)
        return;
    while (fgets(line, sizeof(line), f) && !strncmp(line, "cpu", 3))
        if (line[3] != ' ')
            d->cpus++;
        else if (sscanf(line, "cpu %*u %*u %*u %*u %*u %*u %*u %" SCNu64,
                        &d->steal_ticks) != 1)
            d->steal_ticks = 0;
    fclose(f);
}

/* Both clocks are slewed alike; their difference changes if one is set. */
void disturbance_begin(struct disturbance *d)
{
    *d = (struct disturbance){
        .clock_ns = read_clock(CLOCK_REALTIME) - read_clock(CLOCK_MONOTONIC),
    };
    read_steal(d);
}

/* A single tick may have been stolen before the run, so the sum is rounded down. */
void disturbance_end(struct disturbance *d)
{
    const uint64_t tick_ns = 1000000000ULL / sysconf(_SC_CLK_TCK);
    struct disturbance now;
    uint64_t ticks;

    disturbance_begin(&now);
    d->clock_ns = now.clock_ns - d->clock_ns;
    ticks = now.steal_ticks > d->steal_ticks ? now.steal_ticks - d->steal_ticks
                                             : 0;
    d->steal_ns = ticks > 1 && now.cpus ? ticks * tick_ns / now.cpus : 0;
}
