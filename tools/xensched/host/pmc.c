/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses event selects of performance counters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "pmc.h"

/* Count in guests' user and kernel mode. */
#define USER_AND_KERNEL (3ULL << 16)

static bool parse_select(const char *text, size_t length, uint64_t *select)
{
    static const char misses[] = "cache-misses";
    char *end;

    *select = PMC_MISSES;
    if (length == strlen(misses) && !strncmp(text, misses, length))
        return true;
    if (strncmp(text, "0x", 2) ||
        strspn(text + 2, "0123456789abcdefABCDEF") != length - 2)
        return false;
    errno = 0;
    *select = strtoull(text, &end, 16);

    return !errno && *select != PMC_MISSES;
}

bool pmc_parse(struct pmc *pmc, const char *text)
{
    for (pmc->nr = 0; pmc->nr < PMC_MAX; text++) {
        size_t length = strcspn(text, ",");

        if (!parse_select(text, length, &pmc->select[pmc->nr++]))
            return false;
        text += length;
        if (!*text)
            return true;
    }

    return false;
}

uint32_t pmc_events(const struct pmc *pmc)
{
    return ((1U << pmc->nr) - 1) << XEN_SCHEDLOG_EV_PMC0;
}

uint64_t pmc_misses_of(const char *vendor, unsigned int family)
{
    /* Misses of the last-level cache, an architectural event. */
    if (!strcmp(vendor, "GenuineIntel"))
        return 0x412e | USER_AND_KERNEL;
    if (strcmp(vendor, "AuthenticAMD") && strcmp(vendor, "HygonGenuine"))
        return 0;

    /* Misses of the second level: the third level's counters are not the core's. */
    return (family >= 0x17 ? 0x0964 : 0x077e) | USER_AND_KERNEL;
}

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

uint64_t pmc_misses(void)
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

    return pmc_misses_of(vendor, family);
}

#else

/* On other architectures Xen has no performance counters for the log. */
uint64_t pmc_misses(void)
{
    return 0;
}

#endif
