/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * barrier.h - all of the memory ordering between a reader and a producer
 * of log rows.  No other file of the library may use an atomic built-in, a
 * fence or `volatile' on shared memory.
 *
 * Producer to reader (regions STATE and DATA, which we only read)
 *
 *   The producer stores a row, then pos.  On a change of the register it
 *   stores an odd layout_seq, the layout, an even layout_seq, then the row,
 *   then pos.  Each of these stores becomes visible not before those which
 *   precede it (x86: stores are not reordered; elsewhere: store release).
 *
 *   The reader therefore needs two things.  A load of pos or of layout_seq
 *   is an acquire load: what is loaded after it is at least as new as what
 *   preceded the value it saw.  And between copying rows and loading pos a
 *   second time there is an acquire fence: the second value of pos is at
 *   least as new as every byte of the copy, so a row which was being
 *   overwritten while it was copied is always found out.
 *
 *   The copy itself races with the producer.  That is intended: a byte of it
 *   is used only after the second pos has shown that the producer was not writing it.
 *
 * Reader to producer (regions CONTROL and GLOBAL, which we write)
 *
 *   Each register, route and the lease is one aligned word, stored with one
 *   store of its own size.  The producer reads a word once per event and
 *   takes any value, so no order is needed for safety.  A release store is
 *   used all the same, so that a producer which sees a new route also sees
 *   the register which was set up before it.
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

/* What was loaded or copied before is not newer than what is loaded after. */
static inline void shared_read_fence(void)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* Copy bytes which may change meanwhile; see above for when they count. */
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
