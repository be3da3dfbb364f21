#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2 --counter-mhz 1000
# box: --mode exact --sockets 1 --cores 2
#
# In exact mode a TSC tick is an instruction, wherever and however often it is measured.  All
# figures that compare two hypervisors by instructions rest on this.

. /usr/lib/box/tap.sh

# Instructions besides those of the loop: reading the TSC twice.
first=$(count-loop 1000)
note "1000 instructions: $first ticks"
check "a loop of 1000 instructions takes 1000 ticks and some" \
    test "$first" -ge 1000 -a "$first" -le 1020
is "each further instruction takes one tick" \
    "$(($(count-loop 11000) - first))" 10000
is "and so does each of a hundred thousand" "$(($(count-loop 101000) - first))" 100000
is "a second measurement gives the same" "$(count-loop 1000)" "$first"

guest start idle name=counter run='count-loop 1000; count-loop 11000'
guest wait counter
is "a guest measures the same" \
    "$(guest output counter | tr '\n' ' ')" "$first $((first + 10000)) "
finish
