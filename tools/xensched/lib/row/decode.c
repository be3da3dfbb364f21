/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Decodes many rows of one layout.
 *
 * With AVX2 one shuffle decodes a row: all entries are in the first 24 bytes of a row, and a struct
 * xensched_row has 32.  The shuffle depends on the layout only, so it is computed once for all
 * rows.  Without AVX2, and for few rows, this is xensched_row_decode() in a loop, and the shuffle
 * has to give the same result.
 *
 * It must not read a byte beyond the last row.
 */
#include <stdbool.h>
#include <string.h>

#include <xensched/row.h>

static void decode_one_by_one(const struct xensched_layout *layout,
                              uint32_t cpu, const uint8_t *bytes, size_t nr,
                              struct xensched_row *rows)
{
    size_t i;

    for (i = 0; i < nr; i++)
        xensched_row_decode(layout, cpu, bytes + i * layout->size, &rows[i]);
}

#ifdef __x86_64__

#include <immintrin.h>

/* For fewer rows the preparation of the shuffle costs more than it saves. */
#define FEW_ROWS 4

/* The offset of the second half of a 32-byte row. */
#define HALF 16

_Static_assert(sizeof(struct xensched_row) == 32 &&
               offsetof(struct xensched_row, counter) == 0 &&
               offsetof(struct xensched_row, time) == 8 &&
               offsetof(struct xensched_row, cpu) == 16 &&
               offsetof(struct xensched_row, event) == 20 &&
               offsetof(struct xensched_row, current) == 22 &&
               offsetof(struct xensched_row, correspondent) == 24 &&
               offsetof(struct xensched_row, valid) == 26 &&
               offsetof(struct xensched_row, reason) == 28,
               "the shuffle below has to be made for these offsets");

/*
 * Each byte of @low and @high selects the byte of the row (among its first 16, among the following
 * ones) for its position; with its top bit set, none.  @fixed has the bytes that are the same in
 * all rows.
 */
struct shuffle {
    uint64_t low[4], high[4], fixed[4];
};

#define NO_BYTES 0x8080808080808080ULL

/* Selects bytes @offset to @offset + @size - 1, and zeroes above, as 8 bytes. */
static uint64_t pick_entry(unsigned int offset, unsigned int size)
{
    uint64_t bytes = 0x0706050403020100ULL + offset * 0x0101010101010101ULL;

    if (size == 8)
        return bytes;

    return (bytes & ((1ULL << 8 * size) - 1)) | NO_BYTES << 8 * size;
}

/* The same for an id, as 2 bytes. */
static uint64_t pick_id(unsigned int offset)
{
    return (uint16_t)pick_entry(offset, offset == XENSCHED_NO_ENTRY ? 0 : 2);
}

/* The same for the event and its reason, which may have a byte each. */
static uint64_t pick_event(const struct xensched_layout *layout)
{
    return xensched_has_reason(layout) ? (uint16_t)pick_entry(layout->event, 1)
                                       : pick_id(layout->event);
}

static uint64_t pick_reason(const struct xensched_layout *layout)
{
    return xensched_has_reason(layout) ? (uint16_t)pick_entry(layout->event + 1, 1)
                                       : (uint16_t)NO_BYTES;
}

static uint16_t valid_entries(const struct xensched_layout *layout)
{
    uint16_t valid = 0;

    if (layout->event != XENSCHED_NO_ENTRY)
        valid |= XENSCHED_ROW_EVENT;
    if (layout->current != XENSCHED_NO_ENTRY)
        valid |= XENSCHED_ROW_CURRENT;
    if (layout->correspondent != XENSCHED_NO_ENTRY)
        valid |= XENSCHED_ROW_CORRESPONDENT;
    if (layout->counter_size)
        valid |= XENSCHED_ROW_COUNTER;
    if (layout->time_size)
        valid |= XENSCHED_ROW_TIME;
    if (xensched_has_reason(layout))
        valid |= XENSCHED_ROW_REASON;

    return valid;
}

/* Returns false for a layout that xensched_layout() does not make. */
static bool prepare_shuffle(const struct xensched_layout *layout, uint32_t cpu,
                            struct shuffle *s)
{
    bool far = layout->time_size && layout->time >= HALF;

    if (layout->counter_size && layout->counter + layout->counter_size > HALF)
        return false;
    if (far ? layout->time != HALF || layout->size < 2 * HALF
            : layout->time_size && layout->time + layout->time_size > HALF)
        return false;

    s->low[0] = pick_entry(layout->counter, layout->counter_size);
    s->low[1] = pick_entry(layout->time, far ? 0 : layout->time_size);
    s->low[2] = (uint32_t)NO_BYTES | pick_event(layout) << 32 |
                pick_id(layout->current) << 48;
    s->low[3] = NO_BYTES << 48 | pick_reason(layout) << 32 |
                (NO_BYTES & 0xffff0000U) | pick_id(layout->correspondent);
    s->high[0] = s->high[2] = s->high[3] = NO_BYTES;
    s->high[1] = far ? pick_entry(0, layout->time_size) : NO_BYTES;
    s->fixed[0] = s->fixed[1] = 0;
    s->fixed[2] = cpu;
    s->fixed[3] = (uint64_t)valid_entries(layout) << 16;

    return true;
}

/* Loads the first @size bytes of a row, 16 at most, twice. */
static inline __attribute__((always_inline, target("avx2")))
__m256i load_twice(const uint8_t *row, unsigned int size)
{
    uint64_t bytes = 0;

    if (size >= HALF)
        return _mm256_broadcastsi128_si256(
            _mm_loadu_si128((const __m128i *)row));
    memcpy(&bytes, row, size);

    return _mm256_set1_epi64x(bytes);
}

/* @size is a constant at each call, so the loop has no branches. */
static inline __attribute__((always_inline, target("avx2")))
void shuffle_rows(const struct shuffle *s, unsigned int size,
                  unsigned int stride, const uint8_t *row, size_t nr,
                  struct xensched_row *rows)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)s->low);
    __m256i high = _mm256_loadu_si256((const __m256i *)s->high);
    __m256i fixed = _mm256_loadu_si256((const __m256i *)s->fixed);
    size_t i;

    for (i = 0; i < nr; i++, row += stride) {
        __m256i entries = _mm256_shuffle_epi8(load_twice(row, size), low);

        if (size > HALF)
            entries = _mm256_or_si256(
                entries, _mm256_shuffle_epi8(load_twice(row + HALF, HALF),
                                             high));
        _mm256_storeu_si256((__m256i *)&rows[i],
                            _mm256_or_si256(entries, fixed));
    }
}

static __attribute__((target("avx2")))
void decode_by_shuffle(const struct shuffle *s, unsigned int size,
                       const uint8_t *bytes, size_t nr,
                       struct xensched_row *rows)
{
    switch (size) {
    case 2:
        shuffle_rows(s, 2, 2, bytes, nr, rows);
        break;
    case 4:
        shuffle_rows(s, 4, 4, bytes, nr, rows);
        break;
    case 8:
        shuffle_rows(s, 8, 8, bytes, nr, rows);
        break;
    case 16:
        shuffle_rows(s, 16, 16, bytes, nr, rows);
        break;
    default:
        shuffle_rows(s, 32, size, bytes, nr, rows);
    }
}

void xensched_rows_decode(const struct xensched_layout *layout, uint32_t cpu,
                          const void *bytes, size_t nr,
                          struct xensched_row *rows)
{
    struct shuffle s;

    if (nr < FEW_ROWS || layout->size < 2 || !__builtin_cpu_supports("avx2") ||
        !prepare_shuffle(layout, cpu, &s))
        decode_one_by_one(layout, cpu, bytes, nr, rows);
    else
        decode_by_shuffle(&s, layout->size, bytes, nr, rows);
}

#else

void xensched_rows_decode(const struct xensched_layout *layout, uint32_t cpu,
                          const void *bytes, size_t nr,
                          struct xensched_row *rows)
{
    decode_one_by_one(layout, cpu, bytes, nr, rows);
}

#endif
