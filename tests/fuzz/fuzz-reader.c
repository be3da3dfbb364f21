/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reader, and the reader of log buffers that count, against pages full of
 * noise: each word that they load can be any bits, also other ones each time.
 *
 * Whatever it finds, a call ends after a bounded number of steps, touches
 * nothing but the state, the log buffer and its buffer (all allocated to the
 * byte), and reports no more rows than fit into them.  When the noise stops,
 * a caller that reads until there is no more comes to an end.
 *
 * Input: 1 byte size of the log buffer, where to begin and which reader, 1 byte
 * size of the buffer; then, each time that a word is loaded, 1 byte: what happens to it,
 * and its bits.  When the input ends, so does the noise.
 */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "input.h"
#include "watched-barrier.h"

#include <xensched/read-log.h>

#include "lib/row/counter.c"

#define MAX_FILE_SIZE (16U << 7)

/* Seven words per try for a snapshot, all counters, the last row, and some. */
#define MAX_LOADS (8 * LOG_STATE_TRIES + MAX_FILE_SIZE / 4 + 8)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct input *input;
static struct xen_schedlog_state *state;
static unsigned int loads;

/* A state that a producer could have, @rows further on. */
static void make_plausible(uint8_t rows)
{
    struct xensched_layout layout;

    xensched_layout(state->lcr, &layout);
    state->row_size = layout.size;
    if (!layout.size)
        return;
    state->pos -= state->pos % layout.size;
    state->pos += rows * layout.size;
    state->layout_pos -= state->layout_pos % layout.size;
}

static void add(const void *word, size_t size, uint64_t n)
{
    uint64_t value = 0;
    void *at = (void *)(uintptr_t)word;

    memcpy(&value, at, size);
    value += n;
    memcpy(at, &value, size);
}

/* What to do to the word, or to all of the state, before it is loaded. */
static void disturb(const void *word, size_t size)
{
    uint8_t what = input8(input);

    switch (what % 16) {
    case 0:
        add(word, size, input_bytes(input, size));
        break;
    case 1:
        add(word, size, (int8_t)input8(input));
        break;
    case 2:
        add(word, size, 1ULL << (input8(input) % 64));
        break;
    case 3:
        make_plausible(input8(input));
        break;
    case 4:
        state->layout_seq += 2;
        state->layout_pos = state->pos;
        state->lcr ^= input32(input);
        make_plausible(0);
        break;
    }
}

uint64_t reader_loads(const void *word, size_t size)
{
    uint64_t value = 0;

    CHECK(++loads <= MAX_LOADS);
    if (input->at < input->end)
        disturb(word, size);
    memcpy(&value, word, size);

    return value;
}

void reader_copies(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

/* Decoding reads nothing beyond the rows, and says the same at any speed. */
static void check_rows(const struct xensched_batch *batch)
{
    size_t nr = xensched_batch_rows(batch), i;
    struct xensched_batch exact = *batch;
    struct xensched_row *all = calloc(nr, sizeof(*all)), one;
    uint8_t *bytes = malloc(batch->length);

    CHECK(batch->length == nr * batch->layout.size);
    CHECK(bytes && all);
    memcpy(bytes, batch->rows, batch->length);
    exact.rows = bytes;
    CHECK(xensched_batch_decode(&exact, 0, all, nr) == nr);
    for (i = 0; i < nr; i++) {
        xensched_batch_row(&exact, i, &one);
        CHECK(!memcmp(&all[i], &one, sizeof(one)));
    }
    CHECK(xensched_layout_tsc_shift(&batch->layout) < 64);
    free(bytes);
    free(all);
}

static int call(struct xensched_reader *reader, uint8_t *buffer, size_t room)
{
    struct xensched_reader_stats before = reader->stats;
    struct xensched_batch batch;
    const uint8_t *rows;
    int rc;

    loads = 0;
    rc = xensched_reader_read(reader, buffer, room, &batch);
    CHECK(rc == 0 || rc == 1 || rc == -EAGAIN || rc == -EPROTO);
    rows = batch.rows;
    CHECK(rows >= buffer && rows + batch.length <= buffer + room);
    CHECK(batch.length <= reader->size);
    CHECK(batch.layout.size <= XEN_SCHEDLOG_MAX_ROW_SIZE);
    CHECK(rc >= 0 || (!batch.length && !batch.lost_bytes));
    CHECK(batch.lost_rows <= batch.lost_bytes);
    CHECK(reader->stats.bytes == before.bytes + batch.length);
    CHECK(reader->stats.rows == before.rows + xensched_batch_rows(&batch));
    check_rows(&batch);

    return rc;
}

static void read_rows_of(uint8_t *file, uint32_t size, size_t room,
                         enum xensched_begin begin)
{
    struct xensched_reader reader;
    uint8_t *buffer = malloc(room);
    unsigned int calls = 0;

    CHECK(buffer);
    xensched_reader_init(&reader, state, file, size, begin);
    while (input->at < input->end)
        call(&reader, buffer, room);
    while (call(&reader, buffer, room) == 1)
        CHECK(++calls <= size / XEN_SCHEDLOG_MAX_ROW_SIZE + 4);
    free(buffer);
}

static void read_count_of(uint8_t *file, uint32_t size)
{
    struct xensched_counter counter;
    struct xensched_count count;
    bool more;
    int rc;

    xensched_counter_init(&counter, state, file, size);
    do {
        more = input->at < input->end;
        loads = 0;
        rc = xensched_counter_read(&counter, &count);
        CHECK(rc == 0 || rc == -EAGAIN || rc == -EPROTO || rc == -EINVAL);
        CHECK(count.rows <= size / sizeof(uint32_t));
        CHECK(!rc || (!count.rows && !count.added && !count.row.valid));
    } while (more);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, data + size };
    uint8_t how = input8(&in);
    uint32_t file_size = 16U << (how % 8);
    size_t room = XEN_SCHEDLOG_MAX_ROW_SIZE + input8(&in);
    uint8_t *file = malloc(file_size);

    input = &in;
    state = calloc(1, sizeof(*state));
    CHECK(file && state);
    memset(file, 0xa5, file_size);
    if (how & 16)
        read_count_of(file, file_size);
    else
        read_rows_of(file, file_size, room, how & 8 ? XENSCHED_BEGIN_NOW
                                                    : XENSCHED_BEGIN_OLDEST);
    free(state);
    free(file);

    return 0;
}
