/* SPDX-License-Identifier: GPL-2.0-only */
/* chain-text.h - prints chains of causes (timeline/chain.h). */
#ifndef XENSCHED_CHAIN_TEXT_H
#define XENSCHED_CHAIN_TEXT_H

#include "timeline/chain.h"

/* Returns how long the thread @i had the vCPU for which the thread of @link waited. */
uint64_t chain_held_ns(const struct timeline *t, const struct chain_link *link,
                       size_t i);

/* Prints the largest part of the time by which a vCPU's run was late, as a line. */
void chain_print_cause(const struct timeline *t, const struct chain_link *link);

/* Prints text, with the latest run first. */
void chain_print(const struct timeline *t, const struct chain *chain);

#endif /* XENSCHED_CHAIN_TEXT_H */
