/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Restores affinities when the daemon ends, and then removes its nodes in xenstore.
 *
 * If xenstored hangs, the daemon waits for its first answer until it is killed.  So the affinities
 * come before everything that needs xenstored.
 */
#include "ending.h"

void ending_undo(struct core *core, struct react *react, struct report_steal *steal,
                 struct log_sources *sources)
{
    if (core)
        core_stop(core);
    react_free(react);
    report_steal_end(steal, sources->xs);
    log_sources_free(sources);
}
