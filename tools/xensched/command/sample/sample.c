/* SPDX-License-Identifier: GPL-2.0-only */
/* sample.c - xensched sample: its actions; see sample.h. */
#include <string.h>

#include "cli/option.h"
#include "sample.h"

static int run(const struct arguments *args)
{
    bool choose = !strcmp(args->action, "choose");
    bool estimate = !strcmp(args->action, "estimate");

    if (choose || estimate) {
        if (args->nr_words != 1)
            return arguments_wrong(&command_sample, "sample: it is 'sample %s "
                                   "DIR'", args->action);
        return choose ? sample_choose(args, args->word[0])
                      : sample_estimate(args, args->word[0]);
    }

    return sample_guest(args);
}

static const struct option_row own[] = {
    { "every", "LENGTH", .takes = "a length such as '100 ms-of-service'",
        .help = "length of an interval: a number, which may end with K, M or G for "
                "powers of 1000, and ms-of-service, cycles or events" },
    { "times", "N", .takes = "0 to 1000000000",
        .help = "end after this many samples (default: when the guest ends)" },
    { "top", "N", .takes = "a number", .standard = "10",
        .help = "with choose, this many samples; 0: all" },
    { 0 }
};

const struct command command_sample = {
    .name = "sample",
    .summary = SUMMARY_SAMPLE,
    .help =
        "Save a guest to a file, let it run for an interval of its service, note what it\n"
        "did, and save it again; until Ctrl-C, or until the guest ends.\n"
        "\n"
        "  GUEST --every 'N UNIT' --checkpoint DIR\n"
        "                     UNIT: ms-of-service, cycles (of the TSC, while it has a\n"
        "                     pCPU) or events (rows of its work); N may end with K, M\n"
        "                     or G\n"
        "  choose DIR         choose intervals by what the guest did, at random among\n"
        "                     similar ones\n"
        "  estimate DIR       estimate the whole run from measurements of the chosen\n"
        "                     intervals in DIR/measured: lines 'NUMBER VALUE'",
    .takes = ARGUMENT_SOCKET | ARGUMENT_SAMPLE | ARGUMENT_SAMPLED |
             ARGUMENT_JSON,
    .own = own,
    .run = run,
};
