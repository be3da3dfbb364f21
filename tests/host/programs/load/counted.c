/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counted.c - preloaded into Postmark: every 64 blocks (of 512 bytes) that it reads or writes are a
 * unit of its work (parts/work-count.h), because one file may be 200 times as large as another one.
 * Written blocks are a kind.  The work begins after a sleep, in which the guest can be saved.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "work-count.h"

#define BLOCKS 64

static size_t (*real_fread)(void *, size_t, size_t, FILE *);
static size_t (*real_fwrite)(const void *, size_t, size_t, FILE *);

static __attribute__((constructor)) void begin(void)
{
    real_fread = dlsym(RTLD_NEXT, "fread");
    real_fwrite = dlsym(RTLD_NEXT, "fwrite");
    work_begin();
    sleep(4);
}

static __attribute__((destructor)) void end(void)
{
    work_end();
}

static void count_block(void)
{
    static unsigned int blocks;

    if (!(blocks++ % BLOCKS))
        work_unit();
}

size_t fread(void *to, size_t size, size_t nr, FILE *file)
{
    count_block();

    return real_fread(to, size, nr, file);
}

size_t fwrite(const void *from, size_t size, size_t nr, FILE *file)
{
    count_block();
    work_kind();

    return real_fwrite(from, size, nr, file);
}
