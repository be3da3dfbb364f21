/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names the modes of the daemon, for messages and for what operators write.
 */
#include <string.h>

#include "core.h"

static const char *const modes[] = {
    [MODE_OBSERVE] = "observe",
    [MODE_ADVISE] = "advise",
    [MODE_ACT] = "act",
};

const char *mode_name(enum mode mode)
{
    return modes[mode];
}

int mode_find(const char *name)
{
    unsigned int i;

    for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (!strcmp(modes[i], name))
            return i;

    return -1;
}
