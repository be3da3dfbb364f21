# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests in which a pCPU leaves and comes back.  Xen for arm64 cannot switch a pCPU off; it can
# take it from its cpupool.

# pcpu_off NUMBER
pcpu_off()
{
    if on_arm64; then
        xl cpupool-cpu-remove Pool-0 "$1"
    else
        xen-hptool cpu-offline "$1" >/dev/null
    fi
}

# pcpu_on NUMBER
pcpu_on()
{
    if on_arm64; then
        xl cpupool-cpu-add Pool-0 "$1"
    else
        xen-hptool cpu-online "$1" >/dev/null
    fi
}
