/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds programs of the same installation; else exec*p() searches PATH for them. */
#include <string.h>
#include <unistd.h>

#include "sibling.h"

const char *sibling_path(char path[PATH_MAX], const char *name)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

    while (length > 0 && path[length - 1] != '/')
        length--;
    if (length <= 0 || length + strlen(name) >= PATH_MAX)
        return name;
    strcpy(path + length, name);

    return access(path, X_OK) ? name : path;
}
