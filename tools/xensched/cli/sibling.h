/* SPDX-License-Identifier: GPL-2.0-only */
/* sibling.h - where the other programs of xensched are: in the folder of this one. */
#ifndef XENSCHED_CLI_SIBLING_H
#define XENSCHED_CLI_SIBLING_H

#include <limits.h>

/* Returns the path of the program @name, in @path; or @name if it is not in that folder. */
const char *sibling_path(char path[PATH_MAX], const char *name);

#endif /* XENSCHED_CLI_SIBLING_H */
