# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Decides whether a host may use KVM. Only a boot can tell: some machines have /dev/kvm, but cannot
# run Xen with it, or take far too long.  So a host of one pCPU boots with it once, and the result
# is kept ($BOX_KVM_KEPT) for this boot of the machine, this QEMU and this Xen.  Exact mode and
# machine models always use TCG.

readonly ACCEL_PROBE_SECONDS=20

# What the result depends on.
accel_key()
{
    {
        cat /proc/sys/kernel/random/boot_id
        qemu-system-x86_64 --version
        cat "$BOX_XEN_PATCHED"
    } 2>/dev/null | sha256sum | cut -d ' ' -f 1
}

# Whether Xen and dom0 boot with it, and shut down.
accel_boots()
{
    local folder code=0

    folder=$(mktemp -d)
    printf '#!/bin/sh\nexit 0\n' >"$folder/probe"
    BOX_KVM=yes BOX_RUNS=$folder/runs "$BOX_SOURCE/box" --cores 1 \
        --timeout "$ACCEL_PROBE_SECONDS" "$folder/probe" >/dev/null 2>&1 || code=$?
    rm -rf "$folder"
    return "$code"
}

# accel_probe: prints "kvm" or "tcg".  Only one box at a time tries.
accel_probe()
{
    local key kept answer=tcg probing

    mkdir -p "$BOX_HOST"
    exec {probing}>"$BOX_KVM_KEPT.lock"
    flock "$probing"
    key=$(accel_key)
    kept=$(cat "$BOX_KVM_KEPT" 2>/dev/null || :)
    if [[ $kept == "$key "* ]]; then
        answer=${kept#* }
    else
        if accel_boots {probing}>&-; then
            answer=kvm
        else
            say "$BOX_KVM_DEVICE is there, but Xen did not run with it within" \
                "$ACCEL_PROBE_SECONDS s: hosts are emulated"
        fi
        echo "$key $answer" >"$BOX_KVM_KEPT"
    fi
    exec {probing}>&-
    echo "$answer"
}

# Sets HOST_ACCEL.
# shellcheck disable=SC2034 # read by qemu.sh
accel_choose()
{
    HOST_ACCEL=tcg
    [[ $HOST_MODE == fast && $BOX_ARCH == x86_64 ]] || return 0
    case $BOX_KVM in
    yes) HOST_ACCEL=kvm ;;
    no)  ;;
    *)   [[ ! -r $BOX_KVM_DEVICE || ! -w $BOX_KVM_DEVICE ]] ||
             HOST_ACCEL=$(accel_probe) ;;
    esac
}
