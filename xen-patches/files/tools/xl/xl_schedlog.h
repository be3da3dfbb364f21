/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * xl_schedlog.h
 *
 * Declares functions that the files of "xl schedlog" share.
 */

#ifndef XL_SCHEDLOG_H
#define XL_SCHEDLOG_H

#include <stdint.h>

#include <libxl.h>

/* These print the reason and return 1 if they fail. */
int schedlog_number(const char *text, unsigned long max, uint32_t *value);
int schedlog_find_event(const char *name, unsigned int *event);
int schedlog_get_info(libxl_schedlog_info *info);

/* Commands */
int schedlog_route(int argc, char **argv);
int schedlog_threshold(int argc, char **argv);
int schedlog_register(int argc, char **argv);

#endif /* XL_SCHEDLOG_H */

/*
 * Local variables:
 * mode: C
 * c-basic-offset: 4
 * indent-tabs-mode: nil
 * End:
 */
