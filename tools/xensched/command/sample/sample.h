/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample.h - the parts of xensched sample: it saves a guest at intervals, chooses some of these
 * samples, and estimates the whole from the user's measurements of these.
 *
 * A folder has NNNN.save and NNNN.json of each sample, chosen.json, and the user's file measured,
 * with lines "NUMBER VALUE".
 */
#ifndef XENSCHED_SAMPLE_H
#define XENSCHED_SAMPLE_H

#include "command/command.h"

int sample_guest(const struct arguments *args);

#endif /* XENSCHED_SAMPLE_H */
