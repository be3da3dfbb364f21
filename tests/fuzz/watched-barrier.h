/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * watched-barrier.h - takes the place of the library's barrier.h: each look of
 * the reader at shared memory goes through the fuzz target, which can change
 * that memory, or what is found in it, just then.
 *
 * To be included before read-log.h, whose own include of barrier.h it turns
 * into nothing.  The order of loads needs no fences here: there is one thread.
 */
#ifndef WATCHED_BARRIER_H
#define WATCHED_BARRIER_H
#define XENSCHED_BARRIER_H

#include <stddef.h>
#include <stdint.h>

/* Supplied by the fuzz target. */
uint64_t reader_loads(const void *word, size_t size);
void reader_copies(void *to, const void *from, size_t bytes);

static inline uint64_t shared_load64(const uint64_t *word)
{
    return reader_loads(word, sizeof(*word));
}

static inline uint32_t shared_load32(const uint32_t *word)
{
    return reader_loads(word, sizeof(*word));
}

static inline uint64_t shared_load_acquire64(const uint64_t *word)
{
    return reader_loads(word, sizeof(*word));
}

static inline uint32_t shared_load_acquire32(const uint32_t *word)
{
    return reader_loads(word, sizeof(*word));
}

static inline void shared_read_fence(void)
{
}

static inline void shared_copy(void *to, const void *from, size_t bytes)
{
    reader_copies(to, from, bytes);
}

#endif /* WATCHED_BARRIER_H */
