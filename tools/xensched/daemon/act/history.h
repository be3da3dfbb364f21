/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history.h - the partners that guests had when they last ran, and their needs, by UUID: for the
 * next start, when their memory is allocated before they have done anything.
 *
 * It is a file beside the state file, and replaced in the same way (base/file.h).  It changes
 * nothing on the host, so a damaged file, or one that cannot be written, is only reported.  It has
 * HISTORY_GUESTS guests at most, those that ran last.
 */
#ifndef XENSCHED_DAEMON_HISTORY_H
#define XENSCHED_DAEMON_HISTORY_H

#include <stdbool.h>

#include "model/domain.h"

#define HISTORY_GUESTS   1024U
#define HISTORY_PARTNERS 4U

struct history_partner {
    char uuid[DOMAIN_UUID_TEXT];
    char name[DOMAIN_NAME_TEXT]; /* a driver domain often has another UUID */
    double notifications, pages; /* per second */
};

struct history_guest {
    char uuid[DOMAIN_UUID_TEXT];
    double need; /* in pCPUs */
    unsigned int nr;
    struct history_partner partners[HISTORY_PARTNERS]; /* the most active first */
};

struct history {
    const char *path; /* NULL: it is not saved */
    unsigned int nr;
    struct history_guest *guests; /* the one that ran last is at the end */
    bool unsaved;
    bool failed; /* saving has failed; logged already */
};

/* @path, which may be NULL, has to stay valid. */
void history_open(struct history *h, const char *path);
void history_free(struct history *h);

/* Replaces the entry of this UUID. */
void history_put(struct history *h, const struct history_guest *guest);
/* NULL: there is no entry. */
const struct history_guest *history_find(const struct history *h,
                                         const char *uuid);

/* Saves it, if it has changed. */
void history_save(struct history *h);

#endif /* XENSCHED_DAEMON_HISTORY_H */
