/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists the commands of xensched-lab, which xensched starts for experiments. */
#include <stddef.h>

#include "command.h"

const struct command *const commands[] = {
    &command_runs,
    &command_on,
    &command_sample,
    NULL
};

const struct elsewhere elsewhere[] = { { 0 } };
