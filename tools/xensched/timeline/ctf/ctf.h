/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ctf.h - writes the rows of a recording as a trace in the Common Trace Format, version 1.8, which
 * babeltrace2 and Trace Compass read.
 *
 * A trace is a folder.  docs/measure/timeline.md describes its contents.
 */
#ifndef XENSCHED_TIMELINE_CTF_H
#define XENSCHED_TIMELINE_CTF_H

#include "ctf-rows.h"

/*
 * Creates the folder @path, which does not exist or is empty.  On failure there is none.
 *
 *   -EEXIST  the folder has contents
 *   -ENOENT  babeltrace2's plugin is not installed, or the parent folder is missing
 *   -ENOSPC, ...  errors of writing
 */
int ctf_write(const struct ctf_rows *rows, const char *path,
              struct xensched_error *err);

#endif /* XENSCHED_TIMELINE_CTF_H */
