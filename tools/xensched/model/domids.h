/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * domids.h - finds an entry of an array by its domid.
 *
 * A table with a slot per domid, since domids are below Xen's
 * DOMID_FIRST_RESERVED (0x7ff0): 128 KiB at most, nothing to hash, and an
 * entry can be removed at once.  It knows indices, not entries, so the array
 * may be moved.
 */
#ifndef XENSCHED_MODEL_DOMIDS_H
#define XENSCHED_MODEL_DOMIDS_H

#include <stdint.h>

#define DOMIDS_NONE UINT32_MAX

struct domids {
    uint32_t nr;
    uint32_t *slot; /* [nr], by domid: the index + 1, or 0 */
};

/* @domid is found at @index from now on. */
void domids_put(struct domids *t, uint32_t domid, uint32_t index);
void domids_remove(struct domids *t, uint32_t domid);

/* The index that was put there, or DOMIDS_NONE. */
uint32_t domids_find(const struct domids *t, uint32_t domid);

void domids_free(struct domids *t);

#endif /* XENSCHED_MODEL_DOMIDS_H */
