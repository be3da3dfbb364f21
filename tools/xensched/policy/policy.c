/* SPDX-License-Identifier: GPL-2.0-only */
/* Holds the default settings. */
#include "policy.h"

#define SECONDS 1000000000ULL

const struct policy_settings policy_defaults = {
    .confirm = 2,
    .settle_ns = 5 * SECONDS,
    .stay_ns = 10 * SECONDS,
    .quiet_ns = 60 * SECONDS,
    .least_gain_ns = 250000,
    .misses = 0.001, /* see placement/prices.c */
    .counts_misses = true,
};
