/* SPDX-License-Identifier: GPL-2.0-only */
/* misses.c - see misses.h. */
#include <cpuid.h>
#include <string.h>

#include "misses.h"

/* Of what runs in a guest, its kernel included. */
#define USER_AND_KERNEL (3ULL << 16)

uint64_t misses_select_of(const char *vendor, unsigned int family)
{
    /* Last level cache misses, an architectural event. */
    if (!strcmp(vendor, "GenuineIntel"))
        return 0x412e | USER_AND_KERNEL;
    if (strcmp(vendor, "AuthenticAMD") && strcmp(vendor, "HygonGenuine"))
        return 0;

    /* Misses of the second level: those of the third aren't the core's. */
    return (family >= 0x17 ? 0x0964 : 0x077e) | USER_AND_KERNEL;
}

uint64_t misses_select(void)
{
    unsigned int eax, ebx, ecx, edx, family;
    char vendor[13] = "";

    if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx))
        return 0;
    memcpy(vendor, &ebx, 4);
    memcpy(vendor + 4, &edx, 4);
    memcpy(vendor + 8, &ecx, 4);
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
        return 0;
    family = eax >> 8 & 0xf;
    if (family == 0xf)
        family += eax >> 20 & 0xff;

    return misses_select_of(vendor, family);
}
