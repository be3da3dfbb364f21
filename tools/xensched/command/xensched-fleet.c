/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists the commands of xensched-fleet, which xensched starts for hosts of a fleet. */
#include <stddef.h>

#include "command.h"

const struct command *const commands[] = {
    &command_traffic,
    &command_fleet,
    NULL
};

const struct elsewhere elsewhere[] = { { 0 } };
