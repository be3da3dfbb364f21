/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * peers.h - the two readers of the thesis (section 4.5), to compare with: they
 * copy a whole log buffer, look whether it was written to meanwhile, and start
 * over until it was not.
 */
#ifndef PEERS_H
#define PEERS_H

#include "producer.h"

/* Attempts before it gives up. */
#define PEER_GIVES_UP 1000

/* Start over.  Returns the number of attempts. */
unsigned int peer_retry(const struct produced *log, uint32_t size,
                        void *buffer);

/* Turn the log buffer off before starting over, and on again in the end. */
unsigned int peer_stop(const struct produced *log, uint32_t size,
                       void *buffer);

#endif /* PEERS_H */
