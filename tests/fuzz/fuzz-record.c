/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record handler and the reader, together, against a simple model of the
 * handler (model.h).
 *
 * The input is a program: the scheduler writes registers and routes, events
 * happen, the log is read.  An operation can be put off to a moment in the
 * middle of the next one: a register changes between two accesses of the
 * handler, the log is read while a row is half written, rows are written while
 * the reader copies.
 *
 * After each operation all state and all log buffers are, to the byte, what the
 * model says.  So what no route leads to keeps its contents, and positions
 * never decrease.  Each row that the reader delivers is the row of the model at
 * that position; each one that it does not deliver, it counts as lost.
 *
 * Noise can be written to state and rows, too.  The handler must not care (but
 * for the counter that it adds to); what the reader says of that log buffer is
 * not compared from then on.
 *
 * Input: 1 byte file sizes, 1 byte where readers begin, then operations: see
 * take().
 */
#include <errno.h>
#include <string.h>

#include "watched-area.h"
#include "check.h"
#include "input.h"
#include "handler-model.h"
#include "watched-barrier.h"

#include <xensched/read-log.h>

#define MAX_PENDING 4
#define MAX_READINGS 8
#define MAX_ROOM (2 * XEN_SCHEDLOG_MAX_ROW_SIZE)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum what {
    NOTHING,
    SET_LCR,
    SET_ROUTE,
    RECORD,
    ENTER,
    LEAVE,
    PASS_TIME,
    READ,
    SCRIBBLE,
};

struct operation {
    enum what what;
    unsigned int after; /* moments to wait */
    unsigned int file, index, times;
    uint64_t value;
    struct model_event event;
};

/* One call of the reader.  Checked when the model has caught up. */
struct reading {
    struct xensched_reader before, after;
    struct xensched_batch batch;
    uint8_t rows[MAX_ROOM];
    unsigned int file;
    bool while_handling;
    int rc;
};

static struct model model;
static struct xensched_reader readers[AREA_NR_FILES];
static bool scribbled[AREA_NR_FILES];
static struct operation pending[MAX_PENDING];
static struct reading readings[MAX_READINGS];
static unsigned int nr_readings;
static bool handling, reading;

static void execute(const struct operation *op);

/* Something may happen now. */
static void moment(void)
{
    unsigned int i;

    for (i = 0; i < MAX_PENDING; i++) {
        struct operation op = pending[i];

        if (op.what == NOTHING || !op.after || --pending[i].after)
            continue;
        pending[i].what = NOTHING;
        execute(&op);
    }
}

void area_moment(enum area_moment kind, unsigned int index)
{
    (void)kind;
    (void)index;
    moment();
}

uint64_t reader_loads(const void *word, size_t size)
{
    uint64_t value = 0;

    moment();
    memcpy(&value, word, size);

    return value;
}

void reader_copies(void *to, const void *from, size_t bytes)
{
    size_t i;

    for (i = 0; i < bytes; i++) {
        if (i % 4 == 0)
            moment();
        memcpy((uint8_t *)to + i, (const uint8_t *)from + i, 1);
    }
}

/* To be done when the operation which is under way is over. */
static void put_off(const struct operation *op)
{
    unsigned int i;

    for (i = 0; i < MAX_PENDING && pending[i].what != NOTHING; i++)
        ;
    if (i < MAX_PENDING)
        pending[i] = *op;
}

static void check_event(const struct operation *op)
{
    struct model_event e = op->event;

    e.tsc = area_tsc;
    e.tick = area.cpu->tick;
    handling = true;
    area_begin();
    if (op->what == RECORD) {
        schedlog_record(area.cpu, e.event, e.current, e.correspondent,
                        e.count);
        model_record(&model, &area.seen, &e);
    } else if (op->what == LEAVE) {
        schedlog_leave(area.cpu, e.event, e.current, e.correspondent, e.count);
        model_leave(&model, &area.seen, &e);
    } else {
        CHECK(schedlog_enter(area.cpu, e.event, e.current) ==
              model_enter(&model, &area.seen, &e));
    }
    handling = false;
    model_check_area(&model);
}

static void read_log(const struct operation *op)
{
    struct reading *r = &readings[nr_readings];
    size_t room = XEN_SCHEDLOG_MAX_ROW_SIZE + op->value % 65;
    uint8_t *buffer;

    if (nr_readings == MAX_READINGS)
        return;
    nr_readings++;
    buffer = malloc(room);
    CHECK(buffer);
    r->file = op->file;
    r->while_handling = handling;
    r->before = readers[op->file];
    reading = true;
    r->rc = xensched_reader_read(&readers[op->file], buffer, room, &r->batch);
    reading = false;
    r->after = readers[op->file];
    CHECK(r->batch.length <= room);
    memcpy(r->rows, r->batch.rows, r->batch.length);
    r->batch.rows = r->rows;
    free(buffer);
}

/* One byte of the state or of the rows. */
static void scribble(const struct operation *op)
{
    struct model_file *file = &model.file[op->file];
    size_t state = sizeof(file->state);
    size_t at = op->index % (state + file->size);

    scribbled[op->file] = true;
    if (at < state) {
        ((uint8_t *)&area.state[op->file])[at] = op->value;
        ((uint8_t *)&file->state)[at] = op->value;
    } else {
        area.data[op->file][at - state] = op->value;
        file->data[at - state] = op->value;
    }
}

static void execute(const struct operation *op)
{
    unsigned int i;

    /* Events do not nest, nor does a reader; the rest is for quiet times. */
    if ((op->what == READ && reading) ||
        (op->what != READ && op->what > SET_ROUTE && handling)) {
        put_off(op);
        return;
    }
    switch (op->what) {
    case SET_LCR:
        area_set_lcr(op->file, op->value);
        break;
    case SET_ROUTE:
        area_set_route(op->index, op->value);
        break;
    case RECORD:
    case ENTER:
    case LEAVE:
        for (i = 0; i <= op->times; i++)
            check_event(op);
        break;
    case PASS_TIME:
        area_tsc += op->value;
        area.cpu->tick += op->times;
        break;
    case READ:
        read_log(op);
        break;
    case SCRIBBLE:
        scribble(op);
        break;
    case NOTHING:
        break;
    }
}

static void check_row(const struct model_row *row, const struct reading *r,
                      size_t i)
{
    struct xensched_row got, same;
    const uint64_t value[] = {
        [MODEL_EVENT] = XENSCHED_ROW_EVENT,
        [MODEL_CURRENT] = XENSCHED_ROW_CURRENT,
        [MODEL_CORRESPONDENT] = XENSCHED_ROW_CORRESPONDENT,
        [MODEL_COUNTER] = XENSCHED_ROW_COUNTER,
        [MODEL_TIME] = XENSCHED_ROW_TIME,
    };
    unsigned int id;

    xensched_batch_row(&r->batch, i, &got);
    CHECK(xensched_batch_decode(&r->batch, i, &same, 1) == 1);
    CHECK(!memcmp(&got, &same, sizeof(got)));
    for (id = 0; id < MODEL_NR_ENTRIES; id++)
        CHECK(row->has[id] == !!(got.valid & value[id]));
    CHECK(row->pos == r->batch.pos + i * r->batch.layout.size);
    CHECK(row->size == r->batch.layout.size);
    CHECK(row->value[MODEL_EVENT] == got.event);
    CHECK(row->value[MODEL_CURRENT] == got.current);
    CHECK(row->value[MODEL_CORRESPONDENT] == got.correspondent);
    CHECK(row->value[MODEL_COUNTER] == got.counter);
    CHECK(row->value[MODEL_TIME] == got.time);
}

/* Between where it was and where it is now, no row is missing uncounted. */
static void check_losses(const struct model_file *file,
                         const struct reading *r)
{
    size_t lost = model_find_row(file, r->batch.pos) -
                  model_find_row(file, r->before.pos);
    size_t after = model_find_row(file, r->after.pos) -
                   model_find_row(file, r->batch.pos + r->batch.length);

    if (r->after.stats.unknown_bytes == r->before.stats.unknown_bytes) {
        CHECK(r->batch.lost_rows == lost);
        CHECK(!after);
    } else {
        CHECK(r->batch.lost_rows <= lost);
    }
}

static void check_reading(const struct reading *r)
{
    const struct model_file *file = &model.file[r->file];
    size_t i, first;

    if (scribbled[r->file])
        return;
    CHECK(r->rc >= 0 || (r->rc == -EAGAIN && r->while_handling));
    if (r->rc < 0)
        return;

    first = model_find_row(file, r->batch.pos);
    CHECK(first + xensched_batch_rows(&r->batch) <= file->nr_rows);
    for (i = 0; i < xensched_batch_rows(&r->batch); i++)
        check_row(&file->rows[first + i], r, i);
    if (r->before.begun)
        check_losses(file, r);
}

/* Operations that were put off and whose moment did not come. */
static void finish_pending(void)
{
    unsigned int i;

    for (i = 0; i < MAX_PENDING; i++) {
        struct operation op = pending[i];

        pending[i].what = NOTHING;
        execute(&op);
    }
    for (i = 0; i < nr_readings; i++)
        check_reading(&readings[i]);
    nr_readings = 0;
}

static void take_event(struct input *in, struct operation *op, bool is_long)
{
    op->event.event = input8(in) % XEN_SCHEDLOG_NR_EVENTS;
    op->event.current = is_long ? input16(in) : input8(in);
    op->event.correspondent = is_long ? input16(in) : input8(in);
    op->event.count = is_long ? input64(in) : input8(in);
}

/* Valid, to one of the first files, every 0th to 7th event. */
static uint64_t short_route(uint8_t bits)
{
    return XEN_SCHEDLOG_ROUTE_VALID | (bits & 7) |
           (uint64_t)(bits >> 3) << XEN_SCHEDLOG_ROUTE_FILE_SHIFT;
}

/*
 * An operation: 1 byte what (low half) and how often or when (high half), then
 * what it needs.  Most have a long form and a short one, which fewer bytes say
 * what happens often.
 */
static struct operation take(struct input *in)
{
    uint8_t first = input8(in), what = first % 16;
    struct operation op = { .times = first >> 4 };
    bool is_long = what & 1;

    switch (what) {
    case 0:
    case 1:
        op.what = SET_LCR;
        op.file = op.times % AREA_NR_FILES;
        op.value = is_long ? input32(in) : input16(in);
        break;
    case 2:
    case 3:
        op.what = SET_ROUTE;
        op.index = input8(in) % AREA_NR_ROUTES;
        op.value = is_long ? input64(in) : short_route(input8(in));
        break;
    case 4:
    case 5:
        op.what = RECORD;
        take_event(in, &op, is_long);
        break;
    case 6:
    case 7:
        op.what = ENTER;
        take_event(in, &op, is_long);
        break;
    case 8:
    case 9:
        op.what = LEAVE;
        take_event(in, &op, is_long);
        break;
    case 10:
    case 11:
        op.what = PASS_TIME;
        op.value = is_long ? input64(in) : input8(in);
        break;
    case 12:
        op.what = SCRIBBLE;
        op.file = op.times % AREA_NR_FILES;
        op.index = input8(in);
        op.value = input8(in);
        break;
    case 13:
        /* The next operation, in the middle of the one after it. */
        if (in->at < in->end)
            op = take(in);
        op.after = (first >> 4) + 1 + 16 * (input8(in) % 4);
        break;
    default:
        op.what = READ;
        op.file = op.times % AREA_NR_FILES;
        op.value = input8(in);
    }

    return op;
}

static void begin(struct input *in)
{
    uint8_t sizes = input8(in), where = input8(in);
    unsigned int i;

    area_tsc = 0;
    area_make(sizes);
    model_init(&model);
    memset(scribbled, 0, sizeof(scribbled));
    for (i = 0; i < AREA_NR_FILES; i++)
        xensched_reader_init(&readers[i], &area.state[i], area.data[i],
                             area.size[i], where >> i & 1);
}

/* When all is quiet the readers get to the end of their log buffers. */
static void end(void)
{
    struct operation op = { .what = READ };

    for (op.file = 0; op.file < AREA_NR_FILES; op.file++) {
        unsigned int i;

        for (i = 0; i < 2 + AREA_NR_FILES; i++) {
            execute(&op);
            finish_pending();
        }
        CHECK(scribbled[op.file] ||
              readers[op.file].pos == model.file[op.file].pos);
    }
    model_free(&model);
    area_free();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, data + size };

    begin(&in);
    while (in.at < in.end) {
        struct operation op = take(&in);

        if (op.after) {
            put_off(&op);
            continue;
        }
        execute(&op);
        finish_pending();
    }
    finish_pending();
    end();

    return 0;
}
