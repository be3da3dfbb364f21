/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * react-entry.h - what the daemon keeps of a reaction beside its condition, and the process that
 * does its actions.  Private to this folder.
 */
#ifndef XENSCHED_DAEMON_REACT_REACT_ENTRY_H
#define XENSCHED_DAEMON_REACT_REACT_ENTRY_H

#include "react.h"

struct entry {
    struct reaction *reaction;
    struct react_settings wanted;        /* without texts */
    char *text;                    /* its condition */
    char *actions;                 /* NULL: a client has them */
    struct control_client *client; /* NULL: it is the configuration's */
    bool prepared;                 /* its guest knows what it has to mark */
    bool armed;                    /* its guest is going to be stopped */
    char said[400];               /* what was said of it last */
    struct react *react;           /* while its actions are done: ... */
    ev_child child;                /* ... by this process, and then: */
    void (*ended)(struct react *react, struct entry *e, const char *failure);
};

struct entry *entry_new(const struct react_settings *wanted);
void entry_free(struct entry *e);

/* Begins; e->ended() is called at the end, with why it failed, or NULL. */
void perform(struct react *react, struct entry *e);

#endif /* XENSCHED_DAEMON_REACT_REACT_ENTRY_H */
