/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * config.h - reads a configuration file in the syntax of xl.cfg(5), with Xen's
 * own parser, libxlutil.
 *
 * It knows no keys: its caller does.  libxlutil finds a key that it is
 * asked for and cannot say which ones there are, so that a misspelt one would
 * go unnoticed; so when libxlutil has accepted a file, its keys are looked for
 * here.
 */
#ifndef XENSCHED_BASE_CONFIG_H
#define XENSCHED_BASE_CONFIG_H

#include <xensched/error.h>

/*
 * Call @take for each setting of the file, in its order.  The items of a list
 * make one value, with what @separator says for the key between them.  What
 * @take says is wrong with the setting ("'shares' is not a key"; NULL: nothing)
 * is the error, after file and line, and @page, the manual page that has the
 * keys.  -ENOENT: there is no such file.
 */
int config_read(const char *path, const char *page,
                char (*separator)(const char *key),
                const char *(*take)(void *arg, const char *key,
                                    const char *value),
                void *arg, struct xensched_error *err);

#endif /* XENSCHED_BASE_CONFIG_H */
