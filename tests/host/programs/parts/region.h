/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Marks a region for the machine model (tests/machine/plugin.c): all that the
 * host does from one mark to the next one.  Where there is no model it is a NOP.
 */

#ifndef REGION_H
#define REGION_H

#define REGIONS 64

/* Region @id begins, or, if @id is 0, the one that was marked ends. */
void region(unsigned int id);

/* The number that @text is.  Ends the program if it is none. */
unsigned int region_id(const char *text);

#endif /* REGION_H */
