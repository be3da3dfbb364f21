/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ctf-messages.h - rows as messages of babeltrace2's library: a source of one of
 * its graphs.
 */
#ifndef XENSCHED_TIMELINE_CTF_MESSAGES_H
#define XENSCHED_TIMELINE_CTF_MESSAGES_H

#include <babeltrace2/babeltrace.h>

#include "ctf-rows.h"

#define CTF_OUT "out"

/*
 * The class of a component with the port CTF_OUT, whose data is a const struct
 * ctf_rows.  For the process that writes the trace, as in ctf-classes.h.
 */
bt_component_class_source *ctf_messages_class(void);

#endif /* XENSCHED_TIMELINE_CTF_MESSAGES_H */
