/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * react-entry.h - what the daemon keeps of a reaction beside its condition: the process that does
 * its actions, and the threads that guests watch for it.  Private to this folder.
 */
#ifndef XENSCHED_DAEMON_REACT_REACT_ENTRY_H
#define XENSCHED_DAEMON_REACT_REACT_ENTRY_H

#include "reaction/reaction.h"
#include "uapi/xensched_mark.h"
#include "react.h"

struct entry {
    struct reaction *reaction;
    struct react_settings wanted;        /* without texts */
    char *text;                    /* its condition */
    char *actions;                 /* NULL: a client performs them */
    struct control_client *client; /* NULL: it is the configuration's */
    bool prepared;                 /* the guest may make marks, and watches its threads */
    bool armed;                    /* the next matching mark stops the guest */
    char said[400];                /* the latest message about it, which is not repeated */
    struct react *react;           /* set while the actions are performed ... */
    ev_child child;                /* ... by this process */
    void (*ended)(struct react *react, struct entry *e, const char *failure);
};

struct entry *entry_new(const struct react_settings *wanted);
void entry_free(struct entry *e);

/* Starts the actions; at their end calls e->ended() with the reason of a failure, or NULL. */
void perform(struct react *react, struct entry *e);

/*
 * If @r waits for a thread, gives it a slot that no other reaction has.  With NULL, only checks
 * whether there is a free slot.  Returns false if there is none.
 */
bool watches_free_slot(struct reactions *list, struct reaction *r);

/* Writes the watched threads of domain @domid to xenstore. */
int watches_write(const struct reactions *list, uint32_t domid,
                  struct xensched_error *err);

#endif /* XENSCHED_DAEMON_REACT_REACT_ENTRY_H */
