/* SPDX-License-Identifier: GPL-2.0-only */
/* Implements the record handler a second time, as the fuzzers' oracle. */
#include <string.h>

#include "check.h"
#include "handler-model.h"

#define LCR(name) XEN_SCHEDLOG_LCR_##name

struct layout {
    uint32_t row_size;
    struct {
        uint32_t offset, size; /* size 0: there is no such entry */
    } entry[MODEL_NR_ENTRIES];
};

static uint32_t entry_size(uint32_t lcr, enum model_entry_id id)
{
    switch (id) {
    case MODEL_EVENT:
        return lcr & LCR(EVENT) ? 2 : 0;
    case MODEL_CURRENT:
        return lcr & LCR(CURRENT) ? 2 : 0;
    case MODEL_CORRESPONDENT:
        return lcr & LCR(CORRESPONDENT) ? 2 : 0;
    case MODEL_COUNTER:
        return !(lcr & LCR(COUNTER)) ? 0 : lcr & LCR(COUNTER64) ? 8 : 4;
    case MODEL_TIME:
        return !(lcr & LCR(TIME_MASK)) ? 0 : lcr & LCR(TIME64) ? 8 : 4;
    default:
        return 0;
    }
}

/* A struct of the selected entries, padded; too large for the file: none. */
static struct layout lay_out(uint32_t lcr, uint32_t file_size)
{
    uint32_t pad = (lcr & LCR(PAD_MASK)) / (1U << LCR(PAD_SHIFT));
    uint32_t id, size, end = 0, rounded = 1U << (pad == 7 ? 6 : pad);
    struct layout layout = {};

    for (id = 0; id < MODEL_NR_ENTRIES; id++) {
        size = entry_size(lcr, id);
        if (!size)
            continue;
        while (end % size)
            end++;
        layout.entry[id].offset = end;
        layout.entry[id].size = size;
        end += size;
    }
    while (rounded < end)
        rounded *= 2;
    if (end && rounded <= file_size)
        layout.row_size = rounded;

    return layout;
}

static void announce_layout(struct model_file *file, uint32_t lcr,
                            uint32_t row_size)
{
    uint32_t gap = 0;

    while (row_size && (file->pos + gap) % row_size)
        gap++;
    file->pos += gap;
    file->lcr = lcr;
    file->state.pos = file->pos;
    file->state.layout_pos = file->pos;
    file->state.layout_gap = gap;
    file->state.lcr = lcr;
    file->state.row_size = row_size;
}

/* @size bytes can hold this much. */
static uint64_t most(uint32_t size)
{
    return size == 8 ? UINT64_MAX : (1ULL << (8 * size)) - 1;
}

static uint64_t counter_value(uint32_t lcr, uint32_t size, uint64_t before,
                              uint64_t count)
{
    uint64_t sum;

    if (!(lcr & LCR(ADD)))
        before = 0;
    if (__builtin_add_overflow(before, count, &sum) || sum > most(size))
        return most(size);

    return sum;
}

static uint64_t time_value(struct model *model, uint32_t lcr,
                           const struct model_event *event)
{
    switch (lcr & LCR(TIME_MASK)) {
    case LCR(TIME_VIRTUAL):
        return model->virtual_time++;
    case LCR(TIME_TICK):
        return event->tick;
    default:
        return event->tsc >> (lcr / (1U << LCR(TSC_SHIFT)) & 63);
    }
}

static uint64_t entry_value(struct model *model, uint32_t lcr,
                            enum model_entry_id id, uint32_t size,
                            uint64_t before, const struct model_event *event)
{
    switch (id) {
    case MODEL_EVENT:
        return event->event;
    case MODEL_CURRENT:
        return event->current;
    case MODEL_CORRESPONDENT:
        return event->correspondent;
    case MODEL_COUNTER:
        return counter_value(lcr, size, before, event->count);
    default:
        return time_value(model, lcr, event) & most(size);
    }
}

static struct model_row *new_row(struct model_file *file)
{
    file->rows = realloc(file->rows, (file->nr_rows + 1) * sizeof(*file->rows));
    CHECK(file->rows);
    memset(&file->rows[file->nr_rows], 0, sizeof(*file->rows));

    return &file->rows[file->nr_rows++];
}

/* What is between entries and behind them can be anything. */
static void take_padding(struct model_file *file, const uint8_t *row,
                         const struct layout *layout)
{
    bool used[XEN_SCHEDLOG_MAX_ROW_SIZE] = {};
    uint32_t i, id, first = file->pos % file->size;

    for (id = 0; id < MODEL_NR_ENTRIES; id++)
        memset(used + layout->entry[id].offset, true, layout->entry[id].size);
    for (i = 0; i < layout->row_size; i++)
        if (!used[i])
            file->data[first + i] = row[i];
}

static void write_row(struct model *model, struct model_file *file,
                      const struct layout *layout, uint32_t lcr,
                      const struct model_event *event)
{
    uint8_t *bytes = file->data + file->pos % file->size;
    struct model_row *row = new_row(file);
    uint32_t id;

    row->pos = file->pos;
    row->size = layout->row_size;
    for (id = 0; id < MODEL_NR_ENTRIES; id++) {
        uint8_t *at = bytes + layout->entry[id].offset;
        uint32_t size = layout->entry[id].size;
        uint64_t before = 0;

        if (!size)
            continue;
        memcpy(&before, at, size);
        row->has[id] = true;
        row->value[id] = entry_value(model, lcr, id, size, before, event);
        memcpy(at, &row->value[id], size);
    }
    take_padding(file, area.data[file - model->file] +
                       file->pos % file->size, layout);
    file->pos += layout->row_size;
    file->state.pos = file->pos;
}

/* The event got past the threshold. */
static void log_event(struct model *model, const struct area_seen *seen,
                      const struct model_event *event)
{
    uint32_t nr = (seen->route >> XEN_SCHEDLOG_ROUTE_FILE_SHIFT &
                   XEN_SCHEDLOG_ROUTE_FILE_MASK) % AREA_NR_FILES;
    struct model_file *file = &model->file[nr];
    struct layout layout;

    CHECK(seen->nr_lcrs == 1);
    CHECK(seen->lcr_index == nr);
    layout = lay_out(seen->lcr, file->size);
    if (seen->lcr != file->lcr) {
        file->state.layout_seq = 2 * ++file->layouts;
        announce_layout(file, seen->lcr, layout.row_size);
    }
    if (layout.row_size)
        write_row(model, file, &layout, seen->lcr, event);
}

/* The one route which the handler has to look at. */
static uint32_t check_route(const struct area_seen *seen,
                            const struct model_event *event)
{
    uint32_t index = event->current % AREA_NR_ACCT * XEN_SCHEDLOG_NR_EVENTS +
                     event->event;

    CHECK(seen->nr_routes == 1);
    CHECK(seen->route_index == index);

    return index;
}

/* Is it the n-th?  0 and 1 let each event through and do not count. */
static bool passes(struct model *model, uint32_t index, uint64_t route)
{
    uint32_t threshold = route;

    if (!(route & XEN_SCHEDLOG_ROUTE_VALID))
        return false;
    if (threshold < 2)
        return true;
    if (++model->skipped[index] < threshold)
        return false;
    model->skipped[index] = 0;

    return true;
}

void model_record(struct model *model, const struct area_seen *seen,
                  const struct model_event *event)
{
    if (event->current == event->correspondent) {
        CHECK(!seen->nr_routes);
        CHECK(!seen->nr_lcrs);
        return;
    }
    if (passes(model, check_route(seen, event), seen->route))
        log_event(model, seen, event);
    else
        CHECK(!seen->nr_lcrs);
}

bool model_enter(struct model *model, const struct area_seen *seen,
                 const struct model_event *event)
{
    CHECK(!seen->nr_lcrs);

    return passes(model, check_route(seen, event), seen->route);
}

/* The threshold was dealt with on entry. */
void model_leave(struct model *model, const struct area_seen *seen,
                 const struct model_event *event)
{
    check_route(seen, event);
    if (seen->route & XEN_SCHEDLOG_ROUTE_VALID)
        log_event(model, seen, event);
    else
        CHECK(!seen->nr_lcrs);
}

void model_init(struct model *model)
{
    uint32_t i;

    memset(model, 0, sizeof(*model));
    for (i = 0; i < AREA_NR_FILES; i++)
        model->file[i].size = area.size[i];
}

void model_free(struct model *model)
{
    uint32_t i;

    for (i = 0; i < AREA_NR_FILES; i++)
        free(model->file[i].rows);
}

/* The same bytes; if not, say which one is the first that differs. */
static void check_bytes(const char *what, uint32_t nr, const void *handler,
                        const void *model, size_t bytes)
{
    const uint8_t *h = handler, *m = model;
    size_t i;

    for (i = 0; i < bytes && h[i] == m[i]; i++)
        ;
    if (i == bytes)
        return;
    fprintf(stderr, "%s of log buffer %u, byte %zu: %#x, and %#x in the model\n",
            what, nr, i, h[i], m[i]);
    abort();
}

void model_check_area(const struct model *model)
{
    uint32_t i;

    for (i = 0; i < AREA_NR_FILES; i++) {
        const struct model_file *file = &model->file[i];

        check_bytes("state", i, &area.state[i], &file->state,
                    sizeof(file->state));
        check_bytes("data", i, area.data[i], file->data, file->size);
    }
}

size_t model_find_row(const struct model_file *file, uint64_t pos)
{
    size_t low = 0, high = file->nr_rows;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (file->rows[middle].pos < pos)
            low = middle + 1;
        else
            high = middle;
    }

    return low;
}
