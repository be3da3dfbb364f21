/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fills a log buffer with rows and measures how the library reads them.
 *
 * The number of passes is counted: memcpy() is wrapped (reader.sh), and the bytes that the
 * library copies in one call, divided by the size of the log buffer, are its passes.
 */
#include <string.h>

#include "peers.h"
#include "subject.h"

#define BLOCK 256       /* rows */
#define COLD_AFTER 3000 /* cycles */

static uint8_t buffer[MAX_SIZE];
static double overhead; /* of taking the time */

static uint64_t copied_bytes;

void *__real_memcpy(void *to, const void *from, size_t bytes);
void *__wrap_memcpy(void *to, const void *from, size_t bytes);

void *__wrap_memcpy(void *to, const void *from, size_t bytes)
{
    copied_bytes += bytes;

    return __real_memcpy(to, from, bytes);
}

static double cycles_since(uint64_t begin)
{
    double cycles = cycles_end() - begin - overhead;

    return cycles > 0 ? cycles : 0;
}

static uint32_t serial_of(const struct row_kind *kind,
                          const struct xensched_row *row)
{
    return kind->lcr & XEN_SCHEDLOG_LCR_COUNTER ? row->counter : row->time;
}

/* Rows are numbered: each one is the next, or its absence was counted. */
static void check_rows(struct subject *s, const struct xensched_batch *batch)
{
    struct xensched_row row;
    size_t i;

    s->next_serial += batch->lost_rows;
    for (i = 0; i < xensched_batch_rows(batch); i++) {
        xensched_batch_row(batch, i, &row);
        if (serial_of(s->kind, &row) != s->next_serial++)
            s->wrong_rows++;
    }
}

/* In blocks which stay in the cache, as a reader of rows would do it. */
static void decode_rows(const struct xensched_batch *batch)
{
    static struct xensched_row rows[BLOCK] __attribute__((aligned(32)));
    size_t first = 0, nr;

    while ((nr = xensched_batch_decode(batch, first, rows, BLOCK))) {
        __asm__ volatile ( "" :: "r" (rows) : "memory" );
        first += nr;
    }
}

static void time_copy(struct subject *s, struct costs *costs)
{
    uint64_t begin = cycles_begin();

    memcpy(buffer, s->log.h->data[0], s->size);
    samples_add(&costs->copy, cycles_since(begin) / s->size);
}

/* One turn of the reader: read all there is, then decode it. */
static void time_reader(struct subject *s, struct costs *costs)
{
    struct xensched_batch batch;
    double read, decode;
    unsigned int calls = 0;
    uint64_t begin, copied;

    copied_bytes = 0;
    begin = cycles_begin();
    do {
        calls++;
    } while (xensched_reader_read(&s->reader, buffer, sizeof(buffer),
                                  &batch) < 0);
    read = cycles_since(begin);
    copied = copied_bytes;
    begin = cycles_begin();
    decode_rows(&batch);
    decode = cycles_since(begin);
    check_rows(s, &batch);

    samples_add(&s->attempts,
                calls - 1 + (copied + s->size - 1) / s->size);
    if (!copied)
        return;
    samples_add(&costs->read, read / copied);
    if (costs == &s->busy)
        samples_add(&s->delivered, (double)batch.length / copied);
    if (batch.length)
        samples_add(&costs->decode, read / copied + decode / batch.length);
}

/*
 * The producer gets far enough to have written the whole file; and then on,
 * until nothing of it is in the reader's cache just because it was waited for.
 */
static void wait_for_rows(const struct produced *log, uint32_t size)
{
    const uint64_t *pos = &log->h->state[0].pos;
    uint64_t end = __atomic_load_n(pos, __ATOMIC_RELAXED) + size;

    uint64_t begin;

    while (__atomic_load_n(pos, __ATOMIC_RELAXED) < end)
        __builtin_ia32_pause();
    begin = cycles_begin();
    while (cycles_end() - begin < COLD_AFTER)
        ;
}

void subject_peers_turn(struct subject *s, struct producer *producer)
{
    producer_run(producer, &s->peers_log);
    wait_for_rows(&s->peers_log, s->size);
    samples_add(&s->retry, peer_retry(&s->peers_log, s->size, buffer));
    samples_add(&s->stop, peer_stop(&s->peers_log, s->size, buffer));
    producer_pause(producer);
}

/* Each of the two finds a file which is new to it, and once comes first. */
static void busy_turn(struct subject *s, struct producer *producer,
                      bool reader)
{
    producer_run(producer, &s->log);
    wait_for_rows(&s->log, s->size);
    if (reader)
        time_reader(s, &s->busy);
    else
        time_copy(s, &s->busy);
    producer_pause(producer);
}

static void idle_turn(struct subject *s, struct producer *producer,
                      bool reader)
{
    producer_fill(producer, &s->log, s->size / s->kind->size);
    if (reader)
        time_reader(s, &s->idle);
    else
        time_copy(s, &s->idle);
}

void subject_turn(struct subject *s, struct producer *producer, bool swap)
{
    busy_turn(s, producer, swap);
    busy_turn(s, producer, !swap);
    idle_turn(s, producer, swap);
    idle_turn(s, producer, !swap);
}

void subject_drain(struct subject *s)
{
    struct xensched_batch batch;
    int more;

    do {
        more = xensched_reader_read(&s->reader, buffer, sizeof(buffer),
                                    &batch);
        check_rows(s, &batch);
    } while (more == 1);
}

void subjects_begin(void)
{
    overhead = cycles_overhead();
}

void subject_init(struct subject *s, const struct row_kind *kind,
                  uint32_t size)
{
    struct xensched_batch nothing;

    memset(s, 0, sizeof(*s));
    s->kind = kind;
    s->size = size;
    producer_log(&s->log, size, kind->lcr);
    producer_log(&s->peers_log, size, kind->lcr);
    xensched_reader_init(&s->reader, s->log.h->state, s->log.h->data[0], size,
                         XENSCHED_BEGIN_OLDEST);
    /* From here on each row counts as read or as lost. */
    xensched_reader_read(&s->reader, buffer, sizeof(buffer), &nothing);
}
