/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What cannot wait for the end of a plan is done between its steps: rows
 * are read, and the lease is renewed.  Code that takes such steps calls it; it calls
 * only the function that the settings name.
 */
#include "core.h"

void core_between(const struct core *core)
{
    if (core->settings.between)
        core->settings.between(core->settings.between_arg);
}
