/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Synthetic rows, for tests and benchmarks of everything that uses a source.
 *
 * The same options give the same rows on any machine: the random numbers are splitmix64 (S. Vigna,
 * public domain), and the batches' time stamps are computed, not measured.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/event.h>

#include "source-kinds.h"

#define MAX_PAIRS 64
#define MAX_PHASES 64

/* For a pair with rows in all phases. */
#define ALL_PHASES 0U
#define MAX_BATCH 65536

#define ROW_LCR (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |   \
                 XEN_SCHEDLOG_LCR_CORRESPONDENT |                      \
                 XEN_SCHEDLOG_LCR_COUNTER | XEN_SCHEDLOG_LCR_COUNTER64)

/* A row in the layout of ROW_LCR. */
struct made_up_row {
    uint16_t event, current, correspondent;
    uint64_t counter;
};

struct weighted_pair {
    struct made_up_row row;
    uint64_t weight;
    unsigned int phase; /* from 1 on, or ALL_PHASES */
};

struct phase {
    uint64_t seconds;
    uint64_t weights; /* of its pairs and those of all phases */
};

struct synthetic {
    uint64_t random;
    uint64_t cpus, rows, batch, rate, lose;
    struct weighted_pair pairs[MAX_PAIRS];
    unsigned int nr_pairs;
    struct phase phases[MAX_PHASES + 1]; /* [0]: if there are no phases */
    unsigned int nr_phases;
    uint64_t made;    /* rows, without lost ones */
    uint64_t nr_batches;
    uint64_t *pos; /* per pCPU: number of rows written */
    struct made_up_row *buffer;
};

static uint64_t random64(struct synthetic *s)
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15ULL;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;

    return z ^ (z >> 31);
}

static bool is_in(const struct weighted_pair *pair, unsigned int phase)
{
    return pair->phase == ALL_PHASES || pair->phase == phase;
}

static const struct made_up_row *choose_row(struct synthetic *s,
                                            unsigned int phase)
{
    uint64_t at = random64(s) % s->phases[phase].weights;
    unsigned int i;

    for (i = 0;; i++) {
        if (!is_in(&s->pairs[i], phase))
            continue;
        if (at < s->pairs[i].weight)
            return &s->pairs[i].row;
        at -= s->pairs[i].weight;
    }
}

/* Returns the phase of the next batch. */
static unsigned int present_phase(const struct synthetic *s)
{
    uint64_t all = 0, at;
    unsigned int i;

    for (i = 1; i <= s->nr_phases; i++)
        all += s->phases[i].seconds;
    if (!all)
        return 0;
    at = s->made / s->rate % all;
    for (i = 1; at >= s->phases[i].seconds; i++)
        at -= s->phases[i].seconds;

    return i;
}

static int parse_pair(struct synthetic *s, const char *text)
{
    struct weighted_pair *pair = &s->pairs[s->nr_pairs];
    unsigned int current, correspondent;
    uint64_t weight, counter;
    char name[32];
    int event, end = 0;

    if (s->nr_pairs == MAX_PAIRS ||
        sscanf(text, "%31[^/]/%u/%u/%" SCNu64 "/%" SCNu64 "%n", name,
               &current, &correspondent, &weight, &counter, &end) != 5 ||
        text[end] || current > UINT16_MAX || correspondent > UINT16_MAX ||
        !weight || weight > UINT32_MAX)
        return -EINVAL;
    event = xensched_event_number(name);
    if (event < 0)
        return -EINVAL;

    pair->row.event = event;
    pair->row.current = current;
    pair->row.correspondent = correspondent;
    pair->row.counter = counter;
    pair->weight = weight;
    pair->phase = s->nr_phases;
    s->nr_pairs++;

    return 0;
}

static int parse_number(const char *text, uint64_t min, uint64_t max,
                        uint64_t *number)
{
    char *end;

    if (*text < '0' || *text > '9')
        return -EINVAL;
    errno = 0;
    *number = strtoull(text, &end, 10);

    return errno || *end || *number < min || *number > max ? -EINVAL : 0;
}

static int parse_phase(struct synthetic *s, const char *text)
{
    if (s->nr_phases == MAX_PHASES)
        return -EINVAL;

    return parse_number(text, 1, UINT32_MAX,
                        &s->phases[++s->nr_phases].seconds);
}

static int parse_option(struct synthetic *s, const char *name,
                        const char *value)
{
    if (!strcmp(name, "pair"))
        return parse_pair(s, value);
    if (!strcmp(name, "phase"))
        return parse_phase(s, value);
    if (!strcmp(name, "seed"))
        return parse_number(value, 0, UINT64_MAX, &s->random);
    if (!strcmp(name, "cpus"))
        return parse_number(value, 1, UINT16_MAX, &s->cpus);
    if (!strcmp(name, "rows"))
        return parse_number(value, 0, UINT64_MAX, &s->rows);
    if (!strcmp(name, "batch"))
        return parse_number(value, 1, MAX_BATCH, &s->batch);
    if (!strcmp(name, "rate"))
        return parse_number(value, 1, UINT32_MAX, &s->rate);
    if (!strcmp(name, "lose"))
        return parse_number(value, 0, UINT32_MAX, &s->lose);

    return -EINVAL;
}

/* Called when all pairs are known. */
static int add_weights(struct synthetic *s, struct xensched_error *err)
{
    unsigned int phase = s->nr_phases ? 1 : 0, i;

    for (; phase <= s->nr_phases; phase++) {
        for (i = 0; i < s->nr_pairs; i++)
            if (is_in(&s->pairs[i], phase))
                s->phases[phase].weights += s->pairs[i].weight;
        if (!s->phases[phase].weights)
            return xensched_fail(err, EINVAL, "source 'synthetic' needs at "
                                 "least one pair= in each phase");
    }

    return 0;
}

static int parse_spec(struct synthetic *s, const char *text,
                      struct xensched_error *err)
{
    char *copy = strdup(text), *rest = copy, *option;
    int rc = 0;

    if (!copy)
        return xensched_fail(err, ENOMEM, "out of memory");
    while (!rc && (option = strsep(&rest, ","))) {
        char *value = strchr(option, '=');

        if (value)
            *value++ = '\0';
        if (!value || parse_option(s, option, value))
            rc = xensched_fail(err, EINVAL, "source 'synthetic': option '%s' "
                               "is not understood", option);
    }
    free(copy);

    return rc ? rc : add_weights(s, err);
}

static void synthetic_close(void *data)
{
    struct synthetic *s = data;

    free(s->pos);
    free(s->buffer);
    free(s);
}

static int synthetic_open(const char *text, struct xensched_area *area,
                          void **data, uint64_t *tsc_khz,
                          struct xensched_error *err)
{
    struct synthetic *s = calloc(1, sizeof(*s));
    int rc;

    (void)area;
    if (!s)
        return xensched_fail(err, ENOMEM, "out of memory");
    s->random = 1;
    s->cpus = 1;
    s->batch = 64;
    s->rate = 1000;
    rc = parse_spec(s, text, err);
    if (rc)
        goto fail;
    s->pos = calloc(s->cpus, sizeof(*s->pos));
    s->buffer = calloc(s->batch, sizeof(*s->buffer));
    if (!s->pos || !s->buffer) {
        rc = xensched_fail(err, ENOMEM, "out of memory");
        goto fail;
    }
    *tsc_khz = 0;
    *data = s;

    return 0;

fail:
    synthetic_close(s);
    return rc;
}

static int synthetic_next(void *data, struct xensched_batch *batch,
                          struct xensched_error *err)
{
    struct synthetic *s = data;
    unsigned int phase = present_phase(s);
    uint64_t i, nr = s->batch;

    (void)err;
    if (s->rows && s->rows - s->made < nr)
        nr = s->rows - s->made;
    if (!nr)
        return XENSCHED_END;

    memset(batch, 0, sizeof(*batch));
    batch->cpu = s->nr_batches++ % s->cpus;
    xensched_layout(ROW_LCR, &batch->layout);
    for (i = 0; i < nr; i++)
        s->buffer[i] = *choose_row(s, phase);

    batch->lost_rows = s->lose;
    batch->lost_bytes = s->lose * batch->layout.size;
    batch->pos = s->pos[batch->cpu] + batch->lost_bytes;
    batch->rows = s->buffer;
    batch->length = nr * batch->layout.size;
    s->pos[batch->cpu] = batch->pos + batch->length;
    s->made += nr;
    /* Computed in parts, so that it does not overflow for centuries. */
    batch->time_ns = s->made / s->rate * 1000000000ULL +
                     s->made % s->rate * 1000000000ULL / s->rate;

    return XENSCHED_BATCH;
}

_Static_assert(sizeof(struct made_up_row) == 16, "the layout of ROW_LCR");

const struct xensched_source_ops xensched_source_synthetic = {
    .name = "synthetic",
    .open = synthetic_open,
    .next = synthetic_next,
    .close = synthetic_close,
};
