/* SPDX-License-Identifier: GPL-2.0-only */
/* openmetrics.c - see openmetrics.h. */
#include "openmetrics.h"

void openmetrics_family(FILE *out, const char *name, const char *type,
                        const char *help)
{
    fprintf(out, "# HELP xensched_%s %s\n# TYPE xensched_%s %s\n", name, help,
            name, type);
}

void openmetrics_label(FILE *out, const char *name, const char *value)
{
    fprintf(out, "%s=\"", name);
    for (; *value; value++) {
        if (*value == '\n')
            fputs("\\n", out);
        else if (*value == '"' || *value == '\\')
            fprintf(out, "\\%c", *value);
        else
            putc(*value, out);
    }
    putc('"', out);
}
