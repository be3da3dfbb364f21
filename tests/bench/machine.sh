#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# machine.sh COMPILER: prints what it was measured on, in a line: figures in
# cycles or CPU time mean nothing without it.

set -euo pipefail

model=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
virtual=
! grep -qw hypervisor /proc/cpuinfo || virtual=', virtual machine'
echo "$model, $(nproc) CPUs$virtual, $("$1" --version | head -n 1)"
