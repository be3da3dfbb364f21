/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * question.h - asks the daemon one thing for a subcommand and prints the answer, as JSON or by the
 * subcommand's function.
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

/* Timeouts of the daemon, in seconds. */
#define QUESTION_LOOK_SECONDS 5U
#define QUESTION_CHANGE_SECONDS 30U

struct question {
    const char *command; /* of the control socket's protocol */
    const char *domain;  /* NULL: that of the arguments, if any */
    struct json_object *more; /* members of the request; NULL: none */
    unsigned int seconds;
    void (*print)(const struct json_object *result);
    /* Returns whether the daemon failed in a part; NULL: there are no parts. */
    bool (*failed)(const struct json_object *result);
    /* Entries of which a user can select some; NULL: none. */
    const struct selection *selection;
    void (*lists)(struct json_object *result, struct selection_lists *lists);
};

/* Returns the exit code for a result of client_ask(). */
int question_exit_code(int rc);

/* Returns an exit code. */
int question_ask(const struct question *question,
                 const struct arguments *args);

#endif /* XENSCHED_QUESTION_H */
