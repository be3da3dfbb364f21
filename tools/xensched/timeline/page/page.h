/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page.h - a timeline as one file of HTML, with the viewer and all that it
 * shows.  It needs no network, and its content security policy allows none.
 */
#ifndef XENSCHED_TIMELINE_PAGE_H
#define XENSCHED_TIMELINE_PAGE_H

#include "timeline/timeline.h"

/* Create or replace @path.  Returns 0, or what writing can return. */
int page_write(const struct timeline *t, const char *path,
               struct xensched_error *err);

#endif /* XENSCHED_TIMELINE_PAGE_H */
