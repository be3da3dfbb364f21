/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own-domid.h - which domain a program runs in, by xenstore.  Ends the program
 * if that does not say so.
 */
#ifndef OWN_DOMID_H
#define OWN_DOMID_H

#include <stdint.h>

uint16_t own_domid(void);

#endif /* OWN_DOMID_H */
