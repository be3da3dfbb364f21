/* SPDX-License-Identifier: GPL-2.0-only */
/* values.c - see values.h.  A line that is not quite one is none. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory.h"
#include "values.h"

#define WORD 80

static void add(struct run_outcome *o, const char *name, double value,
                const char *unit)
{
    o->value = need_more_memory(o->value, o->nr_values + 1, sizeof(*o->value));
    o->value[o->nr_values++] = (struct run_value){
        .name = need_string(name), .unit = need_string(unit), .value = value,
    };
}

static void take_line(struct run_outcome *o, const char *line)
{
    char name[WORD], number[WORD], unit[WORD] = "", rest[2], *end;
    double value;
    int words;

    if (strncmp(line, "value ", 6))
        return;
    words = sscanf(line + 6, "%79s %79s %79s %1s", name, number, unit, rest);
    if (words < 2 || words > 3)
        return;
    value = strtod(number, &end);
    if (!*end && isfinite(value))
        add(o, name, value, unit);
}

void values_find(struct run_outcome *o, const char *output)
{
    char line[4 * WORD];

    while (*output) {
        size_t length = strcspn(output, "\n");

        if (length < sizeof(line)) {
            snprintf(line, sizeof(line), "%.*s", (int)length, output);
            line[strcspn(line, "\r")] = '\0';
            take_line(o, line);
        }
        output += length + (output[length] == '\n');
    }
}

void values_free(struct run_outcome *o)
{
    unsigned int i;

    for (i = 0; i < o->nr_values; i++) {
        free(o->value[i].name);
        free(o->value[i].unit);
    }
    free(o->value);
    o->value = NULL;
    o->nr_values = 0;
}
