/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * domids.h - finds an entry of an array by its domid.
 *
 * A table with a slot per domid.  Domids are below Xen's DOMID_FIRST_RESERVED (0x7ff0), so it takes
 * 128 KiB at most, needs no hash, and removes an entry at once.  It stores indices, not entries, so
 * the array may move.
 */
#ifndef XENSCHED_MODEL_DOMIDS_H
#define XENSCHED_MODEL_DOMIDS_H

#include <stdint.h>

#define DOMIDS_NONE UINT32_MAX

struct domids {
    uint32_t nr;
    uint32_t *slot; /* [nr], by domid: index + 1; 0: none */
};

/* Sets the index of @domid. */
void domids_put(struct domids *t, uint32_t domid, uint32_t index);
void domids_remove(struct domids *t, uint32_t domid);

/* Returns the index of @domid, or DOMIDS_NONE. */
uint32_t domids_find(const struct domids *t, uint32_t domid);

void domids_free(struct domids *t);

#endif /* XENSCHED_MODEL_DOMIDS_H */
