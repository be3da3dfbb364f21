/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * check.c - xensched check: is this host ready, and if not, what is to be
 * done.
 *
 * The library's way to an area has a number of steps, and its error says at
 * which of them it ended.  So one attempt answers all questions: the steps
 * before were good, those after it are not known.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <xensched/area.h>
#include <xensched/event.h>

#include "command.h"

/* In the order in which xensched_area_attach() gets there. */
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

/* Where attaching ended. */
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

static void print_step(const char *result, enum step step, const char *text)
{
    printf("%-4s  %s%s%s\n", result, step_names[step], *text ? ": " : "",
           text);
}

static void describe(enum step step, const struct xensched_area_info *info,
                     char *text, size_t size)
{
    size_t length;
    unsigned int i;

    if (step == STEP_ABI) {
        snprintf(text, size, "%u, as in this program", info->abi_version);
    } else if (step == STEP_AREA) {
        snprintf(text, size, "%" PRIu64 " KiB of at most %" PRIu64 " KiB",
                 info->used_bytes / 1024, info->max_bytes / 1024);
    } else if (step == STEP_SCHEDLOG) {
        length = snprintf(text, size, "%u sites; events:", info->nr_sites);
        for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS && length < size; i++)
            if (info->events_built & 1U << i)
                length += snprintf(text + length, size - length, " %s",
                                   xensched_event_name(i) ?: "?");
    }
}

/* @info is NULL when there was no area to ask. */
static void print_steps(enum step failed, const char *why,
                        const struct xensched_area_info *info)
{
    enum step step;

    for (step = 0; step < NR_STEPS; step++) {
        char text[300] = "";

        if (info)
            describe(step, info, text, sizeof(text));
        if (step < failed)
            print_step("ok", step, text);
        else if (step == failed)
            print_step("FAIL", step, why);
        else
            print_step("-", step, "not known, because of the above");
    }
}

static int run(const struct arguments *args)
{
    struct xensched_area_info info;
    struct xensched_error err;
    struct xensched_area *area;
    bool known = false;
    int rc;

    (void)args;
    rc = xensched_area_attach(&area, &err);
    if (!rc) {
        rc = xensched_area_info(area, &info, &err);
        known = !rc;
        xensched_area_close(area);
    }
    print_steps(failed_step(rc), err.text, known ? &info : NULL);

    return rc ? EXIT_FAILED : EXIT_OK;
}

const struct command command_check = {
    .name = "check",
    .summary = "is this host ready, and if not, what is to be done",
    .help =
        "Check that this host runs on Xen, that this program may talk to it, "
        "that the\n"
        "hypervisor has schedlog in the version of these tools, and that "
        "there is a log\n"
        "area, which xenschedd makes. What fails is told with its remedy.",
    .takes = 0,
    .run = run,
};
