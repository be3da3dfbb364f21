/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * report.h - what was measured: as a table, as JSON, and against the goals.
 */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "subject.h"

struct goal {
    const char *name;
    double value, limit;
    bool met;
};

#define NR_GOALS 4

/* @nr log buffers with rows of one kind, of growing sizes. */
void report_table(struct subject *subjects, size_t nr);
void report_json(FILE *out, struct subject *subjects, size_t nr);

/* Over all @nr of both kinds, those of one kind after those of the other. */
void report_goals(struct subject *subjects, size_t nr,
                  struct goal goals[NR_GOALS]);

#endif /* REPORT_H */
