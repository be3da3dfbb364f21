/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * snapshot.c - has a flight recorder (xensched record --ring) write its rows to a file, and
 * continue: xensched record --snapshot.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "snapshot.h"
#include "trigger.h"

/* The recorder may be somewhere else. */
static int make_absolute(const char *file, char path[PATH_MAX],
                         struct xensched_error *err)
{
    char *folder = *file == '/' ? strdup("") : getcwd(NULL, 0);
    int length = -1;

    if (folder)
        length = snprintf(path, PATH_MAX, "%s%s%s", folder,
                          *file == '/' ? "" : "/", file);
    free(folder);
    if (length < 0 || length >= PATH_MAX || strchr(path, '\n'))
        return xensched_fail(err, ENAMETOOLONG, "'%s' cannot be the name of a "
                             "snapshot", file);

    return 0;
}

int snapshot_write(const struct arguments *args)
{
    char path[PATH_MAX];
    struct xensched_error err;
    int rc = make_absolute(args->file, path, &err);

    if (!rc)
        rc = trigger_pull(args->trigger ? args->trigger
                                        : TRIGGER_DEFAULT_SOCKET, path, &err);
    if (rc)
        complain("%s", err.text);

    return rc ? EXIT_FAILED : EXIT_OK;
}
