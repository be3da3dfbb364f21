/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched allow-marks: allows or forbids a domain to log marks.
 *
 * The permission is a property of the domain in Xen, and needs neither the daemon nor a
 * log area.  While a daemon holds the log, the command asks the daemon.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/area.h>

#include "ask/client.h"
#include "command.h"
#include "lib/area/xenstore-open.h"
#include "model/domain.h"

static bool has_name(struct xs_handle *xs, const char *domid, const char *name)
{
    char path[64], *found;
    unsigned int length;
    bool has;

    snprintf(path, sizeof(path), "/local/domain/%.20s/name", domid);
    found = xs_read(xs, XBT_NULL, path, &length);
    has = found && !strcmp(found, name);
    free(found);

    return has;
}

static int find_name(const char *name, uint32_t *domid,
                     struct xensched_error *err)
{
    struct xs_handle *xs = xensched_xenstore_open(err);
    unsigned int nr = 0, i = 0;
    char **domids;

    if (!xs)
        return -EIO;
    domids = xs_directory(xs, XBT_NULL, "/local/domain", &nr);
    while (i < nr && !has_name(xs, domids[i], name))
        i++;
    if (i < nr)
        *domid = strtoul(domids[i], NULL, 10);
    free(domids);
    xs_close(xs);

    return i < nr ? 0 : xensched_fail(err, ESRCH, "there is no domain '%s'",
                                      name);
}

static int run_allow_marks(const struct arguments *args)
{
    struct xensched_error err;
    uint32_t domid;
    int rc = 0;

    client_join(CLIENT_DEFAULT_SOCKET);
    if (!domain_is_number(args->domain, &domid))
        rc = find_name(args->domain, &domid, &err);
    if (!rc)
        rc = xensched_allow_marks(domid, args->on, &err);
    if (!rc)
        return EXIT_OK;
    complain("%s", err.text);

    return EXIT_FAILED;
}

const struct command command_allow_marks = {
    .name = "allow-marks",
    .summary = "allow or forbid a domain to log marks",
    .help =
        "Allow the domain with this name or ID (as in 'xl list') to log marks, or forbid\n"
        "it. By default, marks are forbidden. xenschedd has to log the event 'mark' as\n"
        "well.",
    .takes = ARGUMENT_DOMAIN_ON_OFF,
    .run = run_allow_marks,
};
