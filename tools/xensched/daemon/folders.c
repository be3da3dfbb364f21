/* SPDX-License-Identifier: GPL-2.0-only */
/* Creates the folders of the daemon's files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "folders.h"
#include "base/alloc.h"
#include "base/message.h"

/* The folder of a file which we are going to make. */
static void make_folder_of(const char *path)
{
    char *folder = need_string(path), *slash = strrchr(folder, '/');

    if (slash && slash != folder) {
        *slash = '\0';
        /* If it fails, making the file will say what is wrong. */
        if (mkdir(folder, 0700) && errno != EEXIST)
            say("cannot make the folder '%s': %s", folder, strerror(errno));
    }
    free(folder);
}

void make_folders(const struct options *o)
{
    make_folder_of(o->lock_path);
    make_folder_of(o->control_path);
    make_folder_of(o->core.state_path);
    make_folder_of(o->core.journal_path);
}

char *file_beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? slash - path + 1 : 0;
    char *beside = need_memory(folder + strlen(name) + 1, 1);

    sprintf(beside, "%.*s%s", (int)folder, path, name);

    return beside;
}
