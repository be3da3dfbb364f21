/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fingerprint.h - what a host is, as lines "what: value" in a fixed order: of two
 * texts that are the same, figures can be compared.
 */
#ifndef XENSCHED_RUNS_FINGERPRINT_H
#define XENSCHED_RUNS_FINGERPRINT_H

#include "pinning.h"

/* *text is to be freed if 0 is returned. */
int fingerprint_make(const struct pinning *p, char **text,
                     struct xensched_error *err);

#endif /* XENSCHED_RUNS_FINGERPRINT_H */
