/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched.c - the command xensched: finds the subcommand and runs it.
 *
 * Subcommands ask the daemon and read logs and recordings.  They change the host in four cases
 * only: allow-marks changes what a domain may log, runs places guests during an experiment,
 * calibrate binds dom0 while it measures, and reactions pause guests.  For all other changes
 * they ask the daemon.
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

/* Commands of version 0.1 that are options now; remove them in 0.4. */
static const struct {
    const char *former, *command, *option;
} renamed[] = {
    { "snapshot", "record", "--snapshot" },
    { "contents", "dump", "--summary" },
};

#define NR_RENAMED (sizeof(renamed) / sizeof(renamed[0]))

static void print_help(FILE *to)
{
    size_t i;

    fprintf(to, "usage: xensched COMMAND [OPTIONS]\n"
            "\n"
            "Show and change where Xen guests run, and measure what they do.\n"
            "\n");
    for (i = 0; i < NR_COMMANDS; i++)
        fprintf(to, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(to, "\n"
            "  --help, --version\n"
            "\n"
            "'xensched COMMAND --help' explains a command; see also "
            "xensched(8).\n");
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

/* Returns -1 if @argv[1] is not the former name of a command. */
static int run_renamed(int argc, char **argv)
{
    char *words[argc + 1];
    size_t i;

    for (i = 0; i < NR_RENAMED; i++)
        if (!strcmp(renamed[i].former, argv[1]))
            break;
    if (i == NR_RENAMED)
        return -1;
    complain("warning: '%s' is now '%s %s'", argv[1], renamed[i].command,
             renamed[i].option);
    words[0] = (char *)renamed[i].command;
    words[1] = (char *)renamed[i].option;
    memcpy(words + 2, argv + 2, (argc - 1) * sizeof(*words));

    return run(find(renamed[i].command), argc, words);
}

int main(int argc, char **argv)
{
    const struct command *command;
    int code;

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

    code = run_renamed(argc, argv);
    if (code >= 0)
        return end(code);
    command = find(argv[1]);
    if (!command) {
        complain("there is no command '%s'", argv[1]);
        fputs("Try 'xensched --help'.\n", stderr);
        return EXIT_WRONG_USE;
    }

    return end(run(command, argc - 1, argv + 1));
}
