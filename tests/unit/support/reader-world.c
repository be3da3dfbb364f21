/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers the rows of a producer, so that a missing one is found. */
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "reader-world.h"

const uint32_t registers[NR_REGISTERS] = {
    XEN_SCHEDLOG_LCR_COUNTER,
    XEN_SCHEDLOG_LCR_COUNTER | XEN_SCHEDLOG_LCR_CURRENT,
    PLAIN,
    PLAIN | XEN_SCHEDLOG_LCR_COUNTER64 | XEN_SCHEDLOG_LCR_TIME_TSC,
    PLAIN | 6U << XEN_SCHEDLOG_LCR_PAD_SHIFT,
};

uint32_t serial_of_next_row; /* what the producer writes next */

void produce(struct harness *h, unsigned int rows)
{
    while (rows--)
        schedlog_record(h->cpu, EVENT, 2, 3, serial_of_next_row++);
}

void (*meanwhile)(void *arg);
void *meanwhile_arg;

void *slow_memcpy(void *to, const void *from, size_t bytes)
{
    size_t i;

    for (i = 0; i < bytes; i += 4) {
        size_t n = bytes - i < 4 ? bytes - i : 4;

        if (meanwhile)
            meanwhile(meanwhile_arg);
        memcpy((uint8_t *)to + i, (const uint8_t *)from + i, n);
    }

    return to;
}

void interfere(void *arg)
{
    struct interference *in = arg;

    if (!harness_random_below(&in->seed, in->chance))
        produce(in->h, 1 + harness_random_below(&in->seed, 4));
}

void check(struct checker *c, const struct xensched_batch *b)
{
    struct xensched_row row;
    size_t i;

    c->next_serial += b->lost_rows;
    for (i = 0; i < xensched_batch_rows(b); i++) {
        xensched_batch_row(b, i, &row);
        assert_int_equal(row.counter, c->next_serial);
        c->next_serial++;
        c->rows++;
    }
}

uint8_t *buffer;

void setup_reader(struct harness **h, struct xensched_reader *r,
                  uint32_t size)
{
    buffer = malloc(size < XEN_SCHEDLOG_MAX_ROW_SIZE
                    ? XEN_SCHEDLOG_MAX_ROW_SIZE : size);
    assert_non_null(buffer);
    serial_of_next_row = 0;
    meanwhile = NULL;
    *h = harness_new(8, 1, size);
    xensched_reader_init(r, (*h)->state, (*h)->data[0], size,
                         XENSCHED_BEGIN_OLDEST);
}

void teardown(struct harness *h)
{
    meanwhile = NULL;
    harness_free(h);
    free(buffer);
}

void drain(struct xensched_reader *r, size_t room, struct checker *c)
{
    struct xensched_batch b;
    int rc;

    do {
        rc = xensched_reader_read(r, buffer, room, &b);
        assert_true(rc >= 0);
        check(c, &b);
    } while (rc == 1);
}
