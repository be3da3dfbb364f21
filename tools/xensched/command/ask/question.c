/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks the daemon and prints the answer, as JSON or by the subcommand's function. */
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
    case -E2BIG:
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

/*
 * JSON has all entries, unless the user limits them; a screen has as many as fit.  Returns as
 * selection_apply().
 */
static long select_entries(const struct question *question,
                           const struct arguments *args,
                           struct json_object *result)
{
    struct selection_lists lists = { 0 };
    struct arguments wanted = *args;

    if (!question->selection ||
        (args->json && !args->domain_or_group && !args->sort && !args->top_given))
        return 0;
    if (!args->top_given)
        wanted.top = args->json || args->domain_or_group ? 0 : SELECTION_TOP;
    question->lists(result, &lists);

    return selection_apply(question->selection, &lists, &wanted);
}

static int print_answer(const struct question *question,
                        const struct arguments *args,
                        struct json_object *result)
{
    long hidden = select_entries(question, args, result);

    if (hidden < 0)
        return EXIT_FAILED;
    if (args->json)
        print_json(result);
    else
        question->print(result);
    if (!args->json && hidden)
        printf("\n%ld more %s are not shown; --top 0 shows all\n", hidden,
               question->selection->what);

    return question->failed && question->failed(result) ? EXIT_FAILED
                                                        : EXIT_OK;
}

int question_ask(const struct question *question, const struct arguments *args)
{
    struct json_object *result;
    struct xensched_error err;
    int rc;

    if (question->selection &&
        selection_key(question->selection->keys, args->sort) < 0)
        return EXIT_WRONG_USE;
    rc = client_ask_more(args->socket, question->command,
                         question->domain ? question->domain : args->domain,
                         question->more, question->seconds * 1000, &result,
                         &err);
    if (rc) {
        complain("%s", err.text);
        return question_exit_code(rc);
    }
    rc = print_answer(question, args, result);
    json_object_put(result);

    return rc;
}
