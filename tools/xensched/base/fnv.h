/* SPDX-License-Identifier: GPL-2.0-only */
/* fnv.h - FNV-1a, which detects changes, but not forgery. */
#ifndef XENSCHED_BASE_FNV_H
#define XENSCHED_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV_BEGIN 0xcbf29ce484222325ULL

/* Returns @value updated with @length bytes. */
static inline uint64_t fnv(uint64_t value, const void *data, size_t length)
{
    const unsigned char *byte = data;

    while (length--)
        value = (value ^ *byte++) * 0x100000001b3ULL;

    return value;
}

#endif /* XENSCHED_BASE_FNV_H */
