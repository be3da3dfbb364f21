/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats a figure with a suitable unit. */
#include <math.h>
#include <stdio.h>

#include "base/printable.h"
#include "figure.h"

#define NR_TEXTS 8U
#define TEXT 120U

static char *next_text(void)
{
    static char texts[NR_TEXTS][TEXT];
    static unsigned int next;

    return texts[next++ % NR_TEXTS];
}

/* Digits behind the point, so that four are shown. */
static int digits(double value)
{
    double size = fabs(value);

    if (size == 0 || size >= 1000)
        return 0;

    return size < 1e-6 ? 9 : 3 - (int)floor(log10(size));
}

const char *figure(double value, const char *unit)
{
    char *text = next_text();

    snprintf(text, TEXT, "%.*f%s%s", digits(value), value, *unit ? " " : "",
             unit);
    printable(text);

    return text;
}

const char *figure_percent(double part)
{
    char *text = next_text();

    snprintf(text, TEXT, "%.1f %%", 100 * part);

    return text;
}
