/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * subject.h - log buffers of one size with one kind of rows, and all that is
 * measured with them.
 */
#ifndef SUBJECT_H
#define SUBJECT_H

#include <xensched/read-log.h>

#include "cycles.h"
#include "producer.h"

#define MAX_SIZE 65536U

struct row_kind {
    const char *name;
    uint32_t lcr;
    uint32_t size; /* bytes */
};

/* Cycles per byte: of a plain copy, of reading, of reading and decoding. */
struct costs {
    struct samples copy, read, decode;
};

/* All that is measured with log buffers of one size. */
struct subject {
    const struct row_kind *kind;
    uint32_t size;
    struct produced log;       /* for the reader */
    struct produced peers_log; /* for the peers, one of which turns it off */
    struct xensched_reader reader;
    uint32_t next_serial;
    uint64_t wrong_rows;
    struct costs busy, idle;
    struct samples attempts; /* of the reader */
    struct samples retry, stop; /* of the peers */
    struct samples delivered; /* share of what was copied, while busy */
};

/* Call once, on the reader's CPU. */
void subjects_begin(void);
void subject_init(struct subject *s, const struct row_kind *kind,
                  uint32_t size);
/* One turn: the plain copy and the reader, with the producer busy and idle. */
void subject_turn(struct subject *s, struct producer *producer, bool swap);
/* One turn of the peers. */
void subject_peers_turn(struct subject *s, struct producer *producer);
/* Read what is left, so that all rows are accounted for. */
void subject_drain(struct subject *s);

/* Rows which are neither read nor lost, or both; or wrong. */
static inline uint64_t subject_mismatches(const struct subject *s)
{
    uint64_t accounted = s->reader.stats.rows + s->reader.stats.lost_rows;

    return (accounted > s->log.events ? accounted - s->log.events
                                      : s->log.events - accounted) +
           s->reader.stats.unknown_bytes + s->wrong_rows;
}

/* Events which left no trace since a peer had turned the log buffer off. */
static inline uint64_t subject_peers_untold(const struct subject *s)
{
    return s->peers_log.events -
           s->peers_log.h->state[0].pos / s->kind->size;
}

#endif /* SUBJECT_H */
