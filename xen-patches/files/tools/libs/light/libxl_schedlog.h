/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libxl_schedlog.h
 *
 * Declares functions that the files about the log of scheduling facts share.
 */

#ifndef LIBXL_SCHEDLOG_H
#define LIBXL_SCHEDLOG_H

#include "libxl_internal.h"

/* Converts errno of a hypercall to an error of libxl, and logs it. */
_hidden int libxl__schedlog_failed(libxl__gc *gc, const char *what);

/* Returns an error also if the log has another ABI than libxl. */
_hidden int libxl__schedlog_info(libxl__gc *gc, xc_schedlog_info_t *info);

#endif /* LIBXL_SCHEDLOG_H */

/*
 * Local variables:
 * mode: C
 * c-basic-offset: 4
 * indent-tabs-mode: nil
 * End:
 */
