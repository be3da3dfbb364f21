/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * policy-defaults.h - the settings of the policy in an empty configuration, for tests and
 * benchmarks that read no configuration.  test-config fails if the daemon has other defaults.
 */
#ifndef TESTS_UNIT_POLICY_DEFAULTS_H
#define TESTS_UNIT_POLICY_DEFAULTS_H

#include "policy/policy.h"

static const struct policy_settings policy_defaults = {
    .confirm = 2,
    .settle_ns = 5000000000ULL,
    .stay_ns = 10000000000ULL,
    .quiet_ns = 60000000000ULL,
    .least_gain_ns = 250000,
    .misses = 0.001,
    .counts_misses = true,
};

#endif /* TESTS_UNIT_POLICY_DEFAULTS_H */
