/* SPDX-License-Identifier: GPL-2.0-only */
/* page-file.h - the file of a page: the viewer, and what it shows. */
#ifndef XENSCHED_TIMELINE_PAGE_FILE_H
#define XENSCHED_TIMELINE_PAGE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include <xensched/error.h>

/* @meta: JSON; @data: @nr bytes.  Returns 0 or a negative errno value. */
int page_file_write(const char *path, const char *meta, const uint8_t *data,
                    size_t nr, struct xensched_error *err);

#endif /* XENSCHED_TIMELINE_PAGE_FILE_H */
