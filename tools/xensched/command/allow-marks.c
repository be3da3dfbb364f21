/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * allow-marks.c - xensched allow-marks: may a domain log marks?
 *
 * That is a property of the domain in Xen; neither the daemon nor a log area
 * is needed.
 */
#include <xensched/area.h>

#include "command.h"

static int run(const struct arguments *args)
{
    struct xensched_error err;

    if (!xensched_allow_marks(args->domid, args->on, &err))
        return EXIT_OK;
    complain("%s", err.text);

    return EXIT_FAILED;
}

const struct command command_allow_marks = {
    .name = "allow-marks",
    .summary = "let a domain log marks of its own, or forbid it",
    .help =
        "Let the domain with this number (ID in 'xl list') log marks, or "
        "forbid it. A\n"
        "domain may not unless it was allowed to. A mark is logged if the "
        "event 'mark'\n"
        "is on and routed for the domain as well.",
    .takes = ARGUMENT_DOMAIN_ON_OFF,
    .run = run,
};
