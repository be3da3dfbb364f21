/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the subcommand and runs it, here or in the program that contains it.
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
#include <unistd.h>

#include <xensched/abi.h>

#include "base/program.h"
#include "command.h"

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
    for (i = 0; commands[i]; i++)
        fprintf(to, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
    for (i = 0; elsewhere[i].name; i++)
        fprintf(to, "  %-11s %s\n", elsewhere[i].name, elsewhere[i].summary);
    fprintf(to, "\n"
            "  --help, --version\n"
            "\n"
            "'xensched COMMAND --help' explains a command; see also "
            "xensched(8).\n");
}

static const struct command *find_command(const char *name)
{
    size_t i;

    for (i = 0; commands[i]; i++)
        if (!strcmp(commands[i]->name, name))
            return commands[i];

    return NULL;
}

static int run_command(const struct command *command, int argc, char **argv)
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

/* Output that was lost, for example on a full disk, is a failure. */
static int end_output(int code)
{
    errno = 0;
    if ((fflush(stdout) || ferror(stdout)) && code == EXIT_OK) {
        complain("cannot write the output: %s",
                 errno ? strerror(errno) : "write error");
        return EXIT_FAILED;
    }

    return code;
}

/* Executes the program @name in this one's folder, which contains the command. */
static int run_program(const char *name, char **argv)
{
    char path[PATH_MAX];
    const char *program = sibling_path(path, name);

    execvp(program, argv);
    if (errno != ENOENT) {
        complain("cannot start '%s': %s", program, strerror(errno));
        return EXIT_FAILED;
    }
    complain("'%s' is in the package %s, which is not installed: apt install %s",
             argv[1], name, name);

    return EXIT_NOT_INSTALLED;
}

/* Returns -1 if no other program has the command @argv[1]. */
static int run_elsewhere(char **argv)
{
    size_t i;

    for (i = 0; elsewhere[i].name; i++)
        if (!strcmp(elsewhere[i].name, argv[1]))
            return run_program(elsewhere[i].program, argv);

    return -1;
}

/* Returns -1 if @argv[1] is not the former name of a command. */
static int run_renamed(int argc, char **argv)
{
    char *words[argc + 1];
    size_t i;

    for (i = 0; i < NR_RENAMED; i++)
        if (!strcmp(renamed[i].former, argv[1]))
            break;
    if (i == NR_RENAMED || !find_command(renamed[i].command))
        return -1;
    complain("warning: '%s' is now '%s %s'", argv[1], renamed[i].command,
             renamed[i].option);
    words[0] = (char *)renamed[i].command;
    words[1] = (char *)renamed[i].option;
    memcpy(words + 2, argv + 2, (argc - 1) * sizeof(*words));

    return run_command(find_command(renamed[i].command), argc, words);
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
        return end_output(EXIT_OK);
    }
    if (!strcmp(argv[1], "--version")) {
        printf("xensched %s, schedlog ABI %u\n", XENSCHED_VERSION,
               XEN_SCHEDLOG_ABI_VERSION);
        return end_output(EXIT_OK);
    }

    code = run_renamed(argc, argv);
    if (code < 0)
        code = run_elsewhere(argv);
    if (code >= 0)
        return end_output(code);
    command = find_command(argv[1]);
    if (!command) {
        complain("there is no command '%s'", argv[1]);
        fputs("Try 'xensched --help'.\n", stderr);
        return EXIT_WRONG_USE;
    }

    return end_output(run_command(command, argc - 1, argv + 1));
}
