/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes names, labels and values in the format OpenMetrics. */
#include <stdlib.h>

#include "text.h"
#include "openmetrics.h"

void openmetrics_family(FILE *out, const char *name, const char *type,
                        const char *help)
{
    fprintf(out, "# HELP xensched_%s %s\n# TYPE xensched_%s %s\n", name, help,
            name, type);
}

void openmetrics_label(FILE *out, const char *name, const char *value)
{
    char *valid = utf8_made_valid(value);
    const char *c;

    fprintf(out, "%s=\"", name);
    for (c = valid; *c; c++) {
        if (*c == '\n')
            fputs("\\n", out);
        else if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else
            putc(*c, out);
    }
    putc('"', out);
    free(valid);
}
