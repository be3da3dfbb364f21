/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counted.c - preloaded into Postmark: each file that it opens begins a unit of its
 * work (parts/work-count.h).  It begins after a sleep, in which it can be saved.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "work-count.h"

static __attribute__((constructor)) void begin(void)
{
    work_begin();
    sleep(4);
}

static __attribute__((destructor)) void end(void)
{
    work_end();
}

FILE *fopen(const char *path, const char *mode)
{
    FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");

    work_unit();

    return real(path, mode);
}
