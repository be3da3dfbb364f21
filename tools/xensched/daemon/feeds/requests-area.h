/* SPDX-License-Identifier: GPL-2.0-only */
/* requests-area.h - the area of the feed of requests.h, and who has which number there. */
#ifndef XENSCHED_DAEMON_REQUESTS_AREA_H
#define XENSCHED_DAEMON_REQUESTS_AREA_H

#include "feeds.h"

/* Make it.  -ENOENT: it cannot be here, or not now. */
int requests_setup(struct feeds *feeds, struct feed *feed,
                   struct xensched_error *err);

/* Tell the program who has which number; until then it logs nothing of anybody. */
void requests_write_numbers(struct feed *feed, const struct domains *domains);

#endif /* XENSCHED_DAEMON_REQUESTS_AREA_H */
