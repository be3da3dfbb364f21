/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - what the fuzzer gives, taken in small pieces.  What is missing at
 * the end is 0, so that every sequence of bytes is a valid input.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stddef.h>
#include <stdint.h>

struct input {
    const uint8_t *at, *end;
};

static inline uint64_t input_bytes(struct input *in, unsigned int nr)
{
    uint64_t value = 0;
    unsigned int i;

    for (i = 0; i < nr && in->at < in->end; i++)
        value |= (uint64_t)*in->at++ << (8 * i);

    return value;
}

static inline uint8_t input8(struct input *in)
{
    return input_bytes(in, 1);
}

static inline uint16_t input16(struct input *in)
{
    return input_bytes(in, 2);
}

static inline uint32_t input32(struct input *in)
{
    return input_bytes(in, 4);
}

static inline uint64_t input64(struct input *in)
{
    return input_bytes(in, 8);
}

#endif /* INPUT_H */
