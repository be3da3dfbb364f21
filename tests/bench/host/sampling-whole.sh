#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The second host of host-sampling.sh, in dom0: all of the work on the model, a region
# for each unit, in $RESULTS/machine.jsonl.

set -e
# shellcheck source=tests/bench/host/sampling-lib.sh
. ./sampling-lib.sh

start_sampled
do_work
