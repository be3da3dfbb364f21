/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folders.h - the folders that the daemon's files are in.
 */
#ifndef XENSCHED_DAEMON_FOLDERS_H
#define XENSCHED_DAEMON_FOLDERS_H

#include "options.h"

/* Make those that are not there; what fails is said. */
void make_folders(const struct options *o);

/* @name in the folder of @path.  To be freed. */
char *file_beside(const char *path, const char *name);

#endif /* XENSCHED_DAEMON_FOLDERS_H */
