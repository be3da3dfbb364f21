/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * region.h - marks a region for the machine model (tests/machine/plugin.c): all that the host does
 * from one mark to the next.  Without a model a mark is a NOP.
 */

#ifndef REGION_H
#define REGION_H

#define REGIONS 64

/* Begins region @id, or ends the marked one if @id is 0. */
void region(unsigned int id);

/* Returns the number in @text.  Ends the program if it is none. */
unsigned int region_id(const char *text);

#endif /* REGION_H */
