/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * handler-model.h - models the record handler independently, for comparison.
 *
 * Written from public/schedlog.h for clarity, not for speed: it lists the
 * entries of a row, works out where they go, and keeps a copy of all state and
 * rows.  It shares no code with the handler and takes nothing from it but the
 * bytes of a row which belong to no entry, and the control words which the
 * handler has read, since those can change between any two of its steps.
 */
#ifndef HANDLER_MODEL_H
#define HANDLER_MODEL_H

#include <stdbool.h>

#include "watched-area.h"

#define MODEL_MAX_SIZE 128U

enum model_entry_id {
    MODEL_EVENT,
    MODEL_CURRENT,
    MODEL_CORRESPONDENT,
    MODEL_COUNTER,
    MODEL_TIME,
    MODEL_NR_ENTRIES
};

struct model_row {
    uint64_t pos;
    uint32_t size;
    bool has[MODEL_NR_ENTRIES];
    uint64_t value[MODEL_NR_ENTRIES];
};

struct model_file {
    uint32_t size;
    uint64_t pos;
    uint32_t lcr; /* of the present layout */
    uint32_t layouts;
    struct xen_schedlog_state state;
    uint8_t data[MODEL_MAX_SIZE];
    struct model_row *rows; /* all that were ever written */
    size_t nr_rows;
};

struct model {
    struct model_file file[AREA_NR_FILES];
    uint32_t skipped[AREA_NR_ROUTES];
    uint64_t virtual_time;
};

struct model_event {
    uint16_t event, current, correspondent;
    uint64_t count;
    uint64_t tsc, tick;
};

void model_init(struct model *model);
void model_free(struct model *model);

/* The handler did this, and read these control words. */
void model_record(struct model *model, const struct area_seen *seen,
                  const struct model_event *event);
bool model_enter(struct model *model, const struct area_seen *seen,
                 const struct model_event *event);
void model_leave(struct model *model, const struct area_seen *seen,
                 const struct model_event *event);

/* All state and all log buffers are what the model says, to the byte. */
void model_check_area(const struct model *model);

/* The first row at or after @pos; nr_rows: there is none. */
size_t model_find_row(const struct model_file *file, uint64_t pos);

#endif /* HANDLER_MODEL_H */
