/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads a machine's description.  An unknown, repeated or missing key is an error
 * that names the key.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "description.h"

struct key {
    const char *name;
    size_t offset;
    unsigned int max; /* 0: a decimal number */
};

static const struct key keys[] = {
#define NUMBER(name, max) { #name, offsetof(struct machine, name), max },
    MACHINE_NUMBERS(NUMBER)
#define COST(name) { #name, offsetof(struct machine, name), 0 },
    MACHINE_COSTS(COST)
};

#define NR_KEYS (sizeof(keys) / sizeof(keys[0]))

/* Sets the value of @key.  Returns NULL, or the error in @value. */
static const char *set_value(struct machine *machine, const struct key *key,
                             const char *value)
{
    void *where = (char *)machine + key->offset;
    double number;
    char *end;

    errno = 0;
    number = strtod(value, &end);
    if (end == value || *end || errno || !isfinite(number) || number <= 0)
        return "needs a number above 0";
    if (!key->max) {
        *(double *)where = number;
        return NULL;
    }
    if (number > key->max || number != floor(number))
        return "needs a whole number, and not that large";
    *(unsigned int *)where = number;

    return NULL;
}

/* Reads one line, without its comment.  Returns NULL, or the error about @key. */
static const char *read_line(struct machine *machine, char *line, char *key,
                             bool *seen)
{
    char value[64], rest[2];

    switch (sscanf(line, " %63s %63s %1s", key, value, rest)) {
    case EOF:
        return NULL;
    case 2:
        break;
    default:
        return "needs one value";
    }

    for (size_t i = 0; i < NR_KEYS; i++)
        if (!strcmp(keys[i].name, key)) {
            if (seen[i])
                return "is there twice";
            seen[i] = true;
            return set_value(machine, &keys[i], value);
        }

    return "is no key of a machine's description";
}

static const char *bad_cache(unsigned int kib, unsigned int ways)
{
    return kib * 1024 % (ways * LINE_BYTES) ?
           "has no whole number of sets: change its ways" : NULL;
}

/* Returns a contradiction between values, about @key; NULL if there is none. */
static const char *contradiction(const struct machine *machine,
                                 const char **key)
{
    const char *wrong;

    *key = "l1_kib";
    wrong = bad_cache(machine->l1_kib, machine->l1_ways);
    if (wrong)
        return wrong;
    *key = "l2_kib";
    wrong = bad_cache(machine->l2_kib, machine->l2_ways);
    if (wrong)
        return wrong;
    if (machine->l2_kib < machine->l1_kib)
        return "is less than l1_kib: an L2 has all that its L1 has";
    *key = "llc_kib";
    wrong = bad_cache(machine->llc_kib, machine->llc_ways);
    if (wrong)
        return wrong;
    *key = "cores_per_llc";

    return machine->cores % machine->cores_per_llc ?
           "does not divide cores" : NULL;
}

static int read_lines(struct machine *machine, FILE *file, const char *path,
                      char *why, size_t size)
{
    char line[512], key[64] = "";
    bool seen[NR_KEYS] = { false };
    const char *wrong, *where;

    for (unsigned int nr = 1; fgets(line, sizeof(line), file); nr++) {
        line[strcspn(line, "#\n")] = '\0';
        wrong = read_line(machine, line, key, seen);
        if (wrong) {
            snprintf(why, size, "%s:%u: %s %s", path, nr, key, wrong);
            return -1;
        }
    }

    for (size_t i = 0; i < NR_KEYS; i++)
        if (!seen[i]) {
            snprintf(why, size, "%s: %s is missing", path, keys[i].name);
            return -1;
        }

    wrong = contradiction(machine, &where);
    if (wrong) {
        snprintf(why, size, "%s: %s %s", path, where, wrong);
        return -1;
    }

    return 0;
}

int machine_read(struct machine *machine, const char *path, char *why,
                 size_t size)
{
    FILE *file = fopen(path, "r");
    int rc;

    if (!file) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return -1;
    }
    rc = read_lines(machine, file, path, why, size);
    fclose(file);

    return rc;
}
