/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes names, labels and values in the format OpenMetrics. */
#include <errno.h>
#include <stdlib.h>

#include "file.h"
#include "openmetrics.h"
#include "text.h"

int openmetrics_begin(struct openmetrics *m, struct xensched_error *err)
{
    m->out = open_memstream(&m->text, &m->length);

    return m->out ? 0 : xensched_fail(err, ENOMEM, "out of memory");
}

int openmetrics_end(struct openmetrics *m, const char *path, struct xensched_error *err)
{
    int rc;

    fputs("# EOF\n", m->out);
    rc = fclose(m->out) ? xensched_fail(err, ENOMEM, "out of memory")
                        : replace_file(path, m->text, m->length, 0644, false, err);
    free(m->text);

    return rc;
}

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
