/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched.c - the command xensched: the table of its subcommands, and the
 * way to them.
 *
 * The command looks: it talks to the daemon and reads logs and recordings.  It
 * never changes the host itself, but for what a domain may log, where guests are
 * that a plan of runs names, while it is done, where dom0 is while distances are
 * measured, and guests that a reaction pauses; what else has to be changed the
 * daemon is asked to do.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "command.h"

static const struct command *const commands[] = {
    &command_status,
    &command_matrix,
    &command_plan,
    &command_explain,
    &command_waits,
    &command_top,
    &command_act,
    &command_advise,
    &command_hold,
    &command_release,
    &command_restore,
    &command_trial,
    &command_record,
    &command_snapshot,
    &command_contents,
    &command_replay,
    &command_dump,
    &command_timeline,
    &command_latency,
    &command_why,
    &command_roi,
    &command_advise_size,
    &command_runs,
    &command_on,
    &command_sample,
    &command_check,
    &command_calibrate,
    &command_allow_marks,
    &command_traffic,
    &command_fleet,
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *to)
{
    size_t i;

    fprintf(to, "usage: xensched COMMAND [OPTIONS]\n"
            "\n"
            "Look at the placement of domains by xenschedd, and at the logs "
            "of scheduling\n"
            "facts which it uses.\n"
            "\n");
    for (i = 0; i < NR_COMMANDS; i++)
        fprintf(to, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to, "\n"
            "  --help, --version\n"
            "\n"
            "'xensched COMMAND --help' explains one of them; the manual page "
            "is xensched(8).\n");
}

static const struct command *find(const char *name)
{
    size_t i;

    for (i = 0; i < NR_COMMANDS; i++)
        if (!strcmp(commands[i]->name, name))
            return commands[i];

    return NULL;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct arguments args;

    switch (arguments_parse(command, argc, argv, &args)) {
    case ARGUMENTS_HELP:
        return EXIT_OK;
    case ARGUMENTS_WRONG:
        return EXIT_WRONG_USE;
    default:
        return command->run(&args);
    }
}

/* Output which got lost, on a full disk for example, is a failure. */
static int end(int code)
{
    errno = 0;
    if ((fflush(stdout) || ferror(stdout)) && code == EXIT_OK) {
        complain("cannot write the output: %s",
                 errno ? strerror(errno) : "write error");
        return EXIT_FAILED;
    }

    return code;
}

int main(int argc, char **argv)
{
    const struct command *command;

    if (argc < 2) {
        print_help(stderr);
        return EXIT_WRONG_USE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        print_help(stdout);
        return end(EXIT_OK);
    }
    if (!strcmp(argv[1], "--version")) {
        printf("xensched %s, schedlog ABI %u\n", XENSCHED_VERSION,
               XEN_SCHEDLOG_ABI_VERSION);
        return end(EXIT_OK);
    }

    command = find(argv[1]);
    if (!command) {
        complain("there is no command '%s'", argv[1]);
        fputs("Try 'xensched --help'.\n", stderr);
        return EXIT_WRONG_USE;
    }

    return end(run(command, argc - 1, argv + 1));
}
