/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses the figures that a workload prints.  A line that looks like a figure and is none is
 * refused with a message; any other line belongs to the workload.
 */
#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "values.h"

#define BLANKS " \t\r"

void values_set(struct run_outcome *o, const char *name, double value, const char *unit)
{
    unsigned int i = 0;

    while (i < o->nr_values && strcmp(o->value[i].name, name))
        i++;
    if (i == o->nr_values) {
        o->value = need_more_memory(o->value, i + 1, sizeof(*o->value));
        o->value[o->nr_values++] = (struct run_value){
            .name = need_string(name),
        };
    }
    free(o->value[i].unit);
    o->value[i].unit = need_string(unit);
    o->value[i].value = value;
}

/* The first refusal is reported. */
static void refuse_line(struct run_outcome *o, const char *line)
{
    char text[VALUES_LINE + 120];

    if (o->refused)
        return;
    snprintf(text, sizeof(text), "'%s' is no figure: the form is 'value NAME "
             "NUMBER [UNIT]', with a number such as 1234.5", line);
    o->refused = need_string(text);
}

/* A number, or what programs print in place of an unknown one. */
static bool looks_like_number(const char *word)
{
    char *end;

    strtod(word, &end);

    return end != word && (!*end || isdigit((unsigned char)end[-1]) ||
                           end[-1] == '.');
}

/* A unit may follow directly: 12%, 1.5GB/s. */
static bool is_unit(const char *word)
{
    return isalpha((unsigned char)*word) || *word == '%' || *word == '/' ||
           (unsigned char)*word >= 0x80;
}

/* Returns the number of words; the first @most are in @word. */
static unsigned int split_words(char *text, char **word, unsigned int most)
{
    char *rest, *next = strtok_r(text, BLANKS, &rest);
    unsigned int nr = 0;

    for (; next; next = strtok_r(NULL, BLANKS, &rest))
        if (nr++ < most)
            word[nr - 1] = next;

    return nr;
}

static void take_line(struct run_outcome *o, const char *line)
{
    char copy[VALUES_LINE], *word[4], *end;
    unsigned int nr;
    double value;

    snprintf(copy, sizeof(copy), "%s", line);
    nr = split_words(copy, word, 4);
    if (strncmp(line, "value ", 6) || nr < 3 || !looks_like_number(word[2]))
        return;
    value = strtod(word[2], &end);
    if (nr > 4 || !isfinite(value) || (*end && (nr > 3 || !is_unit(end))))
        refuse_line(o, line);
    else
        values_set(o, word[1], value, nr > 3 ? word[3] : end);
}

void values_end(struct values *v)
{
    if (v->length < sizeof(v->line)) {
        v->line[v->length] = '\0';
        take_line(v->outcome, v->line);
    }
    v->length = 0;
}

void values_take(struct values *v, const char *part, size_t length)
{
    size_t i;

    for (i = 0; i < length; i++)
        if (part[i] == '\n')
            values_end(v);
        else if (v->length < sizeof(v->line))
            v->line[v->length++] = part[i];
}

void values_free(struct run_outcome *o)
{
    unsigned int i;

    for (i = 0; i < o->nr_values; i++) {
        free(o->value[i].name);
        free(o->value[i].unit);
    }
    free(o->value);
    free(o->refused);
    o->value = NULL;
    o->refused = NULL;
    o->nr_values = 0;
}

/*
 * Units.  Whether "ms" is a prefix and a unit, or a unit alone, is unknown without the other unit,
 * so both readings of each unit are compared.
 */

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

/* Returns the text after the prefix, or NULL if the unit has another one. */
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
