/* SPDX-License-Identifier: GPL-2.0-only */
/* question.c - see question.h. */
#include <errno.h>
#include <stdio.h>

#include "client.h"
#include "question.h"

int question_exit_code(int rc)
{
    switch (rc) {
    case -ECONNREFUSED:
        return EXIT_NO_DAEMON;
    case -ENAMETOOLONG:
        return EXIT_WRONG_USE;
    default:
        return EXIT_FAILED;
    }
}

static void print_json(struct json_object *result)
{
    puts(json_object_to_json_string_ext(result, JSON_C_TO_STRING_PRETTY |
                                        JSON_C_TO_STRING_NOSLASHESCAPE));
}

int question_ask(const struct question *question, const struct arguments *args)
{
    struct json_object *result;
    struct xensched_error err;
    int rc;

    rc = client_ask(args->socket, question->command, question->seconds * 1000,
                    &result, &err);
    if (rc) {
        complain("%s", err.text);
        return question_exit_code(rc);
    }
    if (args->json)
        print_json(result);
    else
        question->print(result);
    rc = question->failed && question->failed(result) ? EXIT_FAILED : EXIT_OK;
    json_object_put(result);

    return rc;
}
