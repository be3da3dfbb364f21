/* SPDX-License-Identifier: GPL-2.0-only */
/* xensched act, advise, hold, release and restore: send an operator's orders to the daemon. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ask-plan.h"
#include "field.h"
#include "question.h"

static void print_act(const struct json_object *result)
{
    printf("mode: act; xenschedd carries its next plan out (moves in the "
           "latest: %s)\n", field_text(result, "proposed"));
    obstacles_print(result);
}

static void print_advise(const struct json_object *result)
{
    printf("mode: advise; xenschedd moves nothing; %s domains stay where it "
           "moved them until 'xensched restore'\n",
           field_text(result, "moved"));
}

static void print_hold(const struct json_object *result)
{
    bool moved = !strcmp(field_yes_no(result, "moved"), "yes");

    printf("%s (domain %s) is held: xenschedd leaves it where it %s\n",
           field_text(result, "domain"), field_text(result, "domid"),
           moved ? "was moved" : "is");
}

static void print_release(const struct json_object *result)
{
    printf("%s (domain %s) is not held: the next plan may move it\n",
           field_text(result, "domain"), field_text(result, "domid"));
    obstacles_print(result);
}

static int ask_change(const char *command, void (*print)(const struct json_object *),
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
    return ask_change("act", print_act, args);
}

static int run_advise(const struct arguments *args)
{
    return ask_change("advise", print_advise, args);
}

static int run_hold(const struct arguments *args)
{
    return ask_change("hold", print_hold, args);
}

static int run_release(const struct arguments *args)
{
    return ask_change("release", print_release, args);
}

const struct command command_act = {
    .name = "act",
    .summary = "have xenschedd carry its plans out",
    .help =
        "Have xenschedd carry its plans out, until it is restarted. 'xensched plan'\n"
        "prints the plans.",
    .takes = QUESTION_TAKES,
    .run = run_act,
};

const struct command command_advise = {
    .name = "advise",
    .summary = "have xenschedd only make plans",
    .help =
        "Have xenschedd make plans and move no domain, until it is restarted. Domains\n"
        "that it has moved stay there; 'xensched restore' restores their affinities.",
    .takes = QUESTION_TAKES,
    .run = run_advise,
};

const struct command command_hold = {
    .name = "hold",
    .summary = "exclude a domain from moves",
    .help =
        "Have xenschedd leave a domain where it is until 'xensched release', also after\n"
        "the domain is rebooted. vm_affinity = \"hold\" in xl.cfg(5) holds it from its\n"
        "start.",
    .takes = QUESTION_TAKES | ARGUMENT_DOMAIN,
    .run = run_hold,
};

const struct command command_release = {
    .name = "release",
    .summary = "let xenschedd move a held domain again",
    .help =
        "Let xenschedd move a domain again that 'xensched hold' has excluded.",
    .takes = QUESTION_TAKES | ARGUMENT_DOMAIN,
    .run = run_release,
};

/* Restore. */

static void print_restored(const struct json_object *result)
{
    printf("domains restored: %s, failed: %s; mode: %s\n",
           field_text(result, "restored"), field_text(result, "failed"),
           field_text(result, "mode"));
}

static bool report_failures(const struct json_object *result)
{
    if (!strcmp(field_text(result, "failed"), "0"))
        return false;
    complain("not everything could be restored; xenschedd's journal gives the reasons");

    return true;
}

static int run_restore(const struct arguments *args)
{
    static const struct question question = {
        .command = "restore",
        .seconds = QUESTION_CHANGE_SECONDS,
        .print = print_restored,
        .failed = report_failures,
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
    .run = run_restore,
};
