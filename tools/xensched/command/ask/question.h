/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * question.h - a subcommand which asks the daemon one thing and prints the
 * answer: as JSON here, as text by a function of the subcommand.
 */
#ifndef XENSCHED_QUESTION_H
#define XENSCHED_QUESTION_H

#include <stdbool.h>

#include <json-c/json.h>

#include "command/command.h"
#include "selection.h"

#define QUESTION_TAKES (ARGUMENT_SOCKET | ARGUMENT_JSON)
#define QUESTION_SELECTS (QUESTION_TAKES | ARGUMENT_WHO | ARGUMENT_TOP | \
                          ARGUMENT_SORT)

/* How long the daemon may take, in seconds. */
#define QUESTION_LOOK_SECONDS 5U
#define QUESTION_CHANGE_SECONDS 30U

struct question {
    const char *command; /* of the control socket's protocol */
    const char *domain;  /* NULL: that of the arguments, if any */
    struct json_object *more; /* members of the request; NULL: none */
    unsigned int seconds;
    void (*print)(const struct json_object *result);
    /* Did the daemon fail in a part?  NULL: there are no parts. */
    bool (*failed)(const struct json_object *result);
    /* Entries of which a user can choose some; NULL: there are none. */
    const struct selection *selection;
    void (*lists)(struct json_object *result, struct selection_lists *lists);
};

/* The exit code for what client_ask() returned. */
int question_exit_code(int rc);

/* Returns an exit code. */
int question_ask(const struct question *question,
                 const struct arguments *args);

#endif /* XENSCHED_QUESTION_H */
