/* SPDX-License-Identifier: GPL-2.0-only */
/* ending.h - the order in which the daemon undoes its changes of the host. */
#ifndef XENSCHED_DAEMON_ENDING_H
#define XENSCHED_DAEMON_ENDING_H

#include "daemon/answer/report-steal.h"
#include "daemon/core/core.h"
#include "daemon/sources/log-sources.h"
#include "daemon/react/react.h"

/* @core: NULL if it has not started. */
void ending_undo(struct core *core, struct react *react, struct report_steal *steal,
                 struct log_sources *sources);

#endif /* XENSCHED_DAEMON_ENDING_H */
