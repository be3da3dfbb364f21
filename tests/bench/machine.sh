#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# machine.sh COMPILER: prints the machine of a measurement in one line, because figures in
# cycles or CPU time depend on it.

set -euo pipefail

model=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
virtual=
! grep -qw hypervisor /proc/cpuinfo || virtual=', virtual machine'
echo "$model, $(nproc) CPUs$virtual, $("$1" --version | head -n 1)"
