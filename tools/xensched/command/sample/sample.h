/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample.h - the parts of xensched sample: a guest is saved each so many ns; some
 * of these are chosen; what was measured of them is an estimate for all.
 *
 * A folder has, of each sample, NNNN.save and NNNN.json, which ties them together;
 * chosen.json; and measured, lines "NUMBER VALUE", which is the user's.
 */
#ifndef XENSCHED_SAMPLE_H
#define XENSCHED_SAMPLE_H

#include "command/command.h"

int sample_guest(const struct arguments *args);

#endif /* XENSCHED_SAMPLE_H */
