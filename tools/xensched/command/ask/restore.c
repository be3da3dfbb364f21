/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * restore.c - xensched restore: have the daemon put back every affinity which
 * it changed.
 */
#include <stdio.h>
#include <string.h>

#include "field.h"
#include "question.h"

static void print(const struct json_object *result)
{
    printf("domains restored: %s, failed: %s; mode: %s\n",
           field_text(result, "restored"), field_text(result, "failed"),
           field_text(result, "mode"));
}

static bool failed(const struct json_object *result)
{
    if (!strcmp(field_text(result, "failed"), "0"))
        return false;
    complain("not everything could be restored; xenschedd's journal says why");

    return true;
}

static int run(const struct arguments *args)
{
    static const struct question question = {
        .command = "restore",
        .seconds = QUESTION_CHANGE_SECONDS,
        .print = print,
        .failed = failed,
    };

    return question_ask(&question, args);
}

const struct command command_restore = {
    .name = "restore",
    .summary = "restore all affinities that xenschedd changed",
    .help =
        "Have xenschedd restore every vCPU affinity that it changed. Affinities that an\n"
        "operator has changed since stay. Mode act changes to advise, so that the\n"
        "domains are not moved again.",
    .takes = QUESTION_TAKES,
    .run = run,
};
