/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page.h - writes a timeline as one HTML file with the viewer and all data.  The page needs no
 * network, and its content security policy allows none.
 */
#ifndef XENSCHED_TIMELINE_PAGE_H
#define XENSCHED_TIMELINE_PAGE_H

#include "timeline/timeline.h"

/* Creates or replaces @path.  Returns 0 or an error of writing. */
int page_write(const struct timeline *t, const char *path,
               struct xensched_error *err);

#endif /* XENSCHED_TIMELINE_PAGE_H */
