/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * barrier.h - the memory ordering between a reader and a producer of log rows.  No other file of
 * the library may use an atomic built-in, a fence or `volatile' on shared memory.
 *
 * Producer to reader (regions STATE and DATA, which the library only reads)
 *
 *   The producer stores a row, then pos.  When the register changes, it stores an odd
 *   layout_seq, the layout, an even layout_seq, then the row, then pos.  No store becomes
 *   visible before an earlier one (x86: stores are not reordered; elsewhere: store release).
 *
 *   So the reader needs two things.  It loads pos and layout_seq with acquire loads: later
 *   loads see at least what preceded the loaded value.  And between the copy of rows and the
 *   second load of pos there is an acquire fence: the second value of pos is at least as new as
 *   every byte of the copy, so the reader always detects a row that was overwritten meanwhile.
 *
 *   The copy itself races with the producer.  That is intended: a byte of the copy is used only
 *   after the second pos has shown that the producer was not writing it.
 *
 * Reader to producer (regions CONTROL and GLOBAL, which the library writes)
 *
 *   Each register, each route and the lease is one aligned word, stored with one store of its
 *   size.  The producer reads a word once per event and accepts any value, so safety needs no
 *   order.  A release store is used so that a producer that sees a new route also sees the
 *   register that was set up before it.
 */
#ifndef XENSCHED_BARRIER_H
#define XENSCHED_BARRIER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t shared_load_acquire64(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static inline uint32_t shared_load_acquire32(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Later loads are at least as new as earlier loads and copies. */
static inline void shared_read_fence(void)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* Copies bytes that may change meanwhile; see above for the condition of their use. */
static inline void shared_copy(void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    shared_read_fence();
}

static inline uint32_t shared_load32(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline uint64_t shared_load64(const uint64_t *word)
{
    return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static inline void shared_store16(uint16_t *word, uint16_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline void shared_store32(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline void shared_store64(uint64_t *word, uint64_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

#endif /* XENSCHED_BARRIER_H */
