/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wish.h - a line of the configuration about a reaction; see react.h.
 */
#ifndef XENSCHED_DAEMON_WISH_H
#define XENSCHED_DAEMON_WISH_H

#include "react.h"

/* Between two times, unless it is said otherwise. */
#define WISH_GAP_NS 1000000000ULL

/*
 * What @line, which is changed, wants.  @wish points into it.  -EINVAL: the text
 * says what is wrong.
 */
int wish_parse(char *line, struct react_wish *wish, struct xensched_error *err);

#endif /* XENSCHED_DAEMON_WISH_H */
