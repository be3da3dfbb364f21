/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * change.c - what an operator tells the daemon: xensched act, advise, hold,
 * release.  (xensched restore has more to say.)
 */
#include <stdio.h>

#include "field.h"
#include "question.h"

static void print_mode(const struct json_object *result)
{
    printf("mode: %s\n", field_text(result, "mode"));
}

static void print_nothing(const struct json_object *result)
{
    (void)result;
}

static int ask(const char *command, void (*print)(const struct json_object *),
               const struct arguments *args)
{
    const struct question question = {
        .command = command,
        .seconds = QUESTION_CHANGE_SECONDS,
        .print = print,
    };

    return question_ask(&question, args);
}

static int run_act(const struct arguments *args)
{
    return ask("act", print_mode, args);
}

static int run_advise(const struct arguments *args)
{
    return ask("advise", print_mode, args);
}

static int run_hold(const struct arguments *args)
{
    return ask("hold", print_nothing, args);
}

static int run_release(const struct arguments *args)
{
    return ask("release", print_nothing, args);
}

const struct command command_act = {
    .name = "act",
    .summary = "have xenschedd carry its plans out",
    .help =
        "Have xenschedd carry its plans out from now on, until it is started "
        "again. What\n"
        "they are 'xensched plan' prints.",
    .takes = QUESTION_TAKES,
    .run = run_act,
};

const struct command command_advise = {
    .name = "advise",
    .summary = "have xenschedd make plans only",
    .help =
        "Have xenschedd make plans, and move no domain from now on, until it "
        "is started\n"
        "again. What it has moved stays there: 'xensched restore' puts it "
        "back.",
    .takes = QUESTION_TAKES,
    .run = run_advise,
};

const struct command command_hold = {
    .name = "hold",
    .summary = "leave a domain where it is, whatever the plans are",
    .help =
        "Have xenschedd leave a domain where it is until it is released, "
        "whatever the\n"
        "plans are; also when the domain is booted anew. To have it so from "
        "its start\n"
        "see vm_affinity in xl.cfg(5).",
    .takes = QUESTION_TAKES | ARGUMENT_DOMAIN,
    .run = run_hold,
};

const struct command command_release = {
    .name = "release",
    .summary = "let xenschedd move a domain which was held",
    .help =
        "Let xenschedd move a domain again which an operator has held.",
    .takes = QUESTION_TAKES | ARGUMENT_DOMAIN,
    .run = run_release,
};
