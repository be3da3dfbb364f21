#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs all of the work on the model, in dom0 of host-sampling.sh's second host: a region
# for each unit, in $RESULTS/machine.jsonl.

set -e
# shellcheck source=tests/bench/host/sampling-lib.sh
. ./sampling-lib.sh

start_sampled
do_work
