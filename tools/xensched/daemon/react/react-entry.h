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
    char *actions;                 /* NULL: a client has them */
    struct control_client *client; /* NULL: it is the configuration's */
    bool prepared;                 /* its guest knows what it has to mark */
    bool armed;                    /* its guest is going to be stopped */
    char said[400];               /* the latest message about it */
    struct react *react;           /* while its actions are done: ... */
    ev_child child;                /* ... by this process, and then: */
    void (*ended)(struct react *react, struct entry *e, const char *failure);
};

struct entry *entry_new(const struct react_settings *wanted);
void entry_free(struct entry *e);

/* Begins; e->ended() is called at the end, with why it failed, or NULL. */
void perform(struct react *react, struct entry *e);

/*
 * Give @r, if it waits for a thread, a slot which no other reaction has.  NULL:
 * only see whether there is one.  False: there is none.
 */
bool watches_free_slot(struct reactions *list, struct reaction *r);

/* Tell domain @domid of all that wait for threads of it. */
int watches_write(const struct reactions *list, uint32_t domid,
                  struct xensched_error *err);

#endif /* XENSCHED_DAEMON_REACT_REACT_ENTRY_H */
