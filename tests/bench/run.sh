#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make bench: all measurements.  Each prints a table and writes build/bench/.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

"$here/site-cost.sh"
