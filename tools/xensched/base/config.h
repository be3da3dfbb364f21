/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * config.h - reads a configuration file in the syntax of xl.cfg(5), with Xen's
 * own parser, libxlutil.
 *
 * It knows no keys: its caller does.  libxlutil finds a requested key and cannot list the keys of a
 * file, so a misspelt one would go unnoticed.  So after libxlutil has accepted a file, this file
 * searches it for keys.
 */
#ifndef XENSCHED_BASE_CONFIG_H
#define XENSCHED_BASE_CONFIG_H

#include <xensched/error.h>

/*
 * Calls @take for each setting of the file, in its order.  The items of a list make one value,
 * joined with the key's @separator.  @take returns what is wrong with the setting ("'shares' is not
 * a key"; NULL: nothing), which becomes the error, after file and line, with @page, the manual page
 * of the keys.  Returns -ENOENT if there is no such file.
 */
int config_read(const char *path, const char *page,
                char (*separator)(const char *key),
                const char *(*take)(void *arg, const char *key,
                                    const char *value),
                void *arg, struct xensched_error *err);

#endif /* XENSCHED_BASE_CONFIG_H */
