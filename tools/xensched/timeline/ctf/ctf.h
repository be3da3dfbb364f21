/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ctf.h - the rows of a recording as a trace in the Common Trace Format, version
 * 1.8, which babeltrace2 and Trace Compass read.
 *
 * A trace is a folder.  docs/measure/timeline.md says what is in it.
 */
#ifndef XENSCHED_TIMELINE_CTF_H
#define XENSCHED_TIMELINE_CTF_H

#include "ctf-rows.h"

/*
 * Create the folder @path, which is not there or empty.  On failure there is none.
 *
 *   -EEXIST  something is there
 *   -ENOENT  babeltrace2's plugin is not installed, or no folder to put it in
 *   -ENOSPC, ...  as writing
 */
int ctf_write(const struct ctf_rows *rows, const char *path,
              struct xensched_error *err);

#endif /* XENSCHED_TIMELINE_CTF_H */
