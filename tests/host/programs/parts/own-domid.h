/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own-domid.h - reads from xenstore in which domain a program runs.  Ends the program if xenstore
 * does not have it.
 */
#ifndef OWN_DOMID_H
#define OWN_DOMID_H

#include <stdint.h>

uint16_t own_domid(void);

#endif /* OWN_DOMID_H */
