/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reaction-line.h - parses a line of the configuration about a reaction; see react.h.
 */
#ifndef XENSCHED_DAEMON_REACT_REACTION_LINE_H
#define XENSCHED_DAEMON_REACT_REACTION_LINE_H

#include "react.h"

/* Default of the shortest time between two reactions. */
#define REACTION_GAP_NS 1000000000ULL

/*
 * Parses @line, which it changes; @wanted points into it.  -EINVAL: @line is invalid.
 */
int reaction_line_parse(char *line, struct react_settings *wanted,
                        struct xensched_error *err);

#endif /* XENSCHED_DAEMON_REACT_REACTION_LINE_H */
