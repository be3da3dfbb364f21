/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts figures between units that differ in their prefix.
 *
 * Whether "ms" is a prefix and a unit, or a unit alone, is open until the other unit is
 * known, so both readings of each unit are compared.
 */
#include <stddef.h>
#include <string.h>

#include "units.h"

static const struct prefix {
    const char *text;
    double factor;
} prefixes[] = {
    { "", 1 },
    { "Ki", 1024.0 }, { "Mi", 1048576.0 }, { "Gi", 1073741824.0 },
    { "Ti", 1099511627776.0 }, { "Pi", 1125899906842624.0 },
    { "k", 1e3 }, { "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 }, { "T", 1e12 },
    { "P", 1e15 }, { "m", 1e-3 }, { "u", 1e-6 },
    { "\302\265", 1e-6 }, { "\316\274", 1e-6 }, /* micro sign, Greek mu */
    { "n", 1e-9 }, { "p", 1e-12 },
};

#define NR_PREFIXES (sizeof(prefixes) / sizeof(prefixes[0]))

/* What follows the prefix, or NULL: it is not this one. */
static const char *stem_of(const char *unit, const struct prefix *p)
{
    size_t length = strlen(p->text);

    return !strncmp(unit, p->text, length) && unit[length] ? unit + length : NULL;
}

double units_factor(const char *from, const char *to)
{
    size_t i, j;

    if (!strcmp(from, to))
        return 1;
    for (i = 0; i < NR_PREFIXES; i++)
        for (j = 0; j < NR_PREFIXES; j++) {
            const char *a = stem_of(from, &prefixes[i]);
            const char *b = stem_of(to, &prefixes[j]);

            if (a && b && !strcmp(a, b))
                return prefixes[i].factor / prefixes[j].factor;
        }

    return 0;
}
