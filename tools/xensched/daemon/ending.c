/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ending.c - restores affinities when the daemon ends, and then what is in xenstore.
 *
 * A xenstored that hangs holds the daemon up from the first question on, until somebody
 * kills the daemon.  So nothing that asks xenstored comes before the affinities.
 */
#include "ending.h"

void ending_undo(struct core *core, struct react *react, struct tell_steal *steal,
                 struct feeds *feeds)
{
    if (core)
        core_stop(core);
    react_free(react);
    tell_steal_end(steal, feeds->xs);
    feeds_free(feeds);
}
