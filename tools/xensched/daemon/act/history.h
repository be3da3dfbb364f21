/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history.h - the partners that guests had when they last ran, and what they
 * needed, by their UUIDs: for the next time, when their memory is allocated before
 * they have done anything.
 *
 * A file beside the state file, and replaced as that (base/file.h).  It changes
 * nothing of the host, so one that is damaged, or cannot be written, is said
 * and done without.  At most HISTORY_GUESTS are kept, those that ran last.
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
    double need; /* pCPUs */
    unsigned int nr;
    struct history_partner partners[HISTORY_PARTNERS]; /* most first */
};

struct history {
    const char *path; /* NULL: nothing is kept for the next daemon */
    unsigned int nr;
    struct history_guest *guests; /* the one that ran last is the last one */
    bool unsaved;
    bool failed; /* to save it; logged already */
};

/* @path, which may be NULL, stays where it is. */
void history_open(struct history *h, const char *path);
void history_free(struct history *h);

/* In place of what is known of this UUID. */
void history_put(struct history *h, const struct history_guest *guest);
/* NULL: nothing is known. */
const struct history_guest *history_find(const struct history *h,
                                         const char *uuid);

/* Write it down, if there is something new. */
void history_save(struct history *h);

#endif /* XENSCHED_DAEMON_HISTORY_H */
