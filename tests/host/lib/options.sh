# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The options that choose the host: shared by the box, which runs a script in it, and by the
# interactive host.

HOST_SOCKETS=1
HOST_CORES=2
HOST_LLCS=
HOST_NUMA=no
HOST_HVM=no
HOST_GUESTS=pv
HOST_MEMORY=2048
HOST_DOM0_MEMORY=512
HOST_DOM0_VCPUS=
HOST_COUNTER_MHZ=
HOST_DOM0=pv
HOST_MODE=fast
HOST_SEED=1
# shellcheck disable=SC2034 # read by qemu.sh
HOST_ACCEL=tcg
HOST_THREADS=single
HOST_XEN=patched
HOST_XEN_APPEND=
HOST_DOM0_APPEND=
HOST_TOOLS=no
HOST_SYSTEMD=no
HOST_MODULES=()
HOST_MACHINE=
HOST_DEVICES=()
HOST_NETDEVS=()

# The machines that are described.
host_machines() { find "$BOX_MACHINE/machines" -type f -printf '%f\n' | sort | xargs; }

host_options_help()
{
    cat <<END
The host:
  --sockets N         sockets (default $HOST_SOCKETS)
  --cores N           cores per socket (default $HOST_CORES)
  --llcs N            the processors report N last-level caches per socket, in Intel's
                      CPUID leaf (QEMU's emulation lacks AMD's); on arm64 the device
                      tree does (needs fdtput)
  --numa              each socket is a NUMA node
  --hvm               pCPUs have nested page tables, dom0 a device model: guests may
                      be PVH or HVM
  --guests TYPE       guests are pv, pvh, or hvm, those too that do not say so (pv)
  --memory MIB        memory of the host (default $HOST_MEMORY)
  --dom0-memory MIB   memory of dom0 (default $HOST_DOM0_MEMORY)
  --dom0 TYPE         dom0 is pv, or pvh (pv)
  --dom0-vcpus N      vCPUs of dom0 (default 2; 1 on one pCPU, and on arm64)
  --mode fast|exact|timed   exact: one instruction takes one nanosecond of the
                      host's time; timed: each pCPU has a clock of its own, and
                      distance takes time (needs --machine and 'make machine');
                      fast: the time of this machine (default $HOST_MODE)
  --seed N            in mode timed, what the host takes for chance (default $HOST_SEED)
  --counter-mhz N     frequency of arm64's counter (default 62.5); with 1000 in mode
                      exact, a tick is an instruction
  --parallel          in mode fast, a thread for each pCPU in place of one for
                      all: for what they do at the same moment (README.md)
  --xen WHICH         patched, native, or the path of a Xen (default $HOST_XEN)
  --tools             guests may have fio and Postmark (tools=1)
  --systemd           dom0 may have systemd (README.md)
  --machine NAME      in mode exact or timed, follow what a machine's caches would do
                      in marked regions (docs/develop/machine-model.md): $(host_machines)
  --device DEVICE     a device of QEMU's in the host, as for its -device
  --netdev NETWORK    what a network card (--device) is connected to, as for its
                      -netdev
  --module FILE       another boot module, such as a policy for XSM
  --xen-append TEXT   more of Xen's command line
  --dom0-append TEXT  more of dom0's kernel command line
END
}

# positive OPTION VALUE
positive()
{
    [[ $2 =~ ^[1-9][0-9]{0,6}$ ]] ||
        die "$BOX_EXIT_USAGE" "$1 needs a positive number, not '$2'"
}

# host_option OPTION [VALUE]: sets HOST_TAKEN to the number of words that it used, 0 for other
# options.
host_option()
{
    HOST_TAKEN=2
    # shellcheck disable=SC2034 # other files read HOST_NUMA and these
    case $1 in
    --sockets)     positive "$1" "${2-}"; HOST_SOCKETS=$2 ;;
    --cores)       positive "$1" "${2-}"; HOST_CORES=$2 ;;
    --llcs)        positive "$1" "${2-}"; HOST_LLCS=$2 ;;
    --memory)      positive "$1" "${2-}"; HOST_MEMORY=$2 ;;
    --dom0-memory) positive "$1" "${2-}"; HOST_DOM0_MEMORY=$2 ;;
    --dom0-vcpus)  positive "$1" "${2-}"; HOST_DOM0_VCPUS=$2 ;;
    --mode)        HOST_MODE=${2-} ;;
    --seed)        positive "$1" "${2-}"; HOST_SEED=$2 ;;
    --counter-mhz) positive "$1" "${2-}"; HOST_COUNTER_MHZ=$2 ;;
    --parallel)    HOST_THREADS=multi; HOST_TAKEN=1 ;;
    --xen)         HOST_XEN=${2-} ;;
    --machine)     HOST_MACHINE=${2-} ;;
    --module)      HOST_MODULES+=("${2-}"); need_files "${2-}" ;;
    --device)      HOST_DEVICES+=("${2:?--device needs a name}") ;;
    --xen-append)  HOST_XEN_APPEND+=" ${2-}" ;;
    --netdev)      HOST_NETDEVS+=("${2:?--netdev needs a network}") ;;
    --dom0-append) HOST_DOM0_APPEND+=" ${2-}" ;;
    --tools)       HOST_TOOLS=yes; HOST_TAKEN=1 ;;
    --systemd)     HOST_SYSTEMD=yes; HOST_TAKEN=1 ;;
    --numa)        HOST_NUMA=yes; HOST_TAKEN=1 ;;
    --hvm)         HOST_HVM=yes; HOST_TAKEN=1 ;;
    --dom0)        HOST_DOM0=${2-} ;;
    --guests)      HOST_GUESTS=${2-} ;;
    *)             HOST_TAKEN=0 ;;
    esac
    [[ $HOST_TAKEN -le $# ]] || die "$BOX_EXIT_USAGE" "$1 needs a value"
}

# need_files FILE...: fails if one to be brought in is missing
need_files()
{
    local file

    for file in "$@"; do
        [[ -e $file ]] || die "$BOX_EXIT_USAGE" "$file: no such file"
    done
}

# machine_says KEY: prints a number of the machine's description.
machine_says()
{
    awk -v key="$1" '$1 == key { print $2 + 0 }' "$HOST_MACHINE"
}

# Finds the description by name.  The host uses the first cores of each socket.
host_machine_check()
{
    local sockets cores

    [[ $HOST_MACHINE == */* ]] || HOST_MACHINE=$BOX_MACHINE/machines/$HOST_MACHINE
    [[ -f $HOST_MACHINE ]] ||
        die "$BOX_EXIT_USAGE" "no machine is described in $HOST_MACHINE:" \
            "there are $(host_machines)"
    [[ $HOST_MODE != fast ]] ||
        die "$BOX_EXIT_USAGE" "--machine is for --mode exact or timed"
    sockets=$(machine_says sockets) cores=$(machine_says cores)
    [[ $HOST_SOCKETS -eq $sockets && $HOST_CORES -le $cores ]] ||
        die "$BOX_EXIT_USAGE" "this machine has $sockets sockets of $cores cores:" \
            "--sockets $sockets and at most --cores $cores, not" \
            "--sockets $HOST_SOCKETS --cores $HOST_CORES"
    [[ $HOST_NUMA == yes || $sockets -eq 1 ]] ||
        die "$BOX_EXIT_USAGE" "this machine's sockets are NUMA nodes: --numa"
}

# Options without a meaning on arm64.  Its guests are like PVH guests, and none has a device model.
host_options_arm64()
{
    [[ -z $HOST_MACHINE && $HOST_NUMA,$HOST_HVM,$HOST_DOM0 == no,no,pv &&
       ${#HOST_MODULES[@]} -eq 0 && $HOST_TOOLS,$HOST_SYSTEMD == no,no ]] ||
        die "$BOX_EXIT_USAGE" "hosts for arm64 have no --machine, --numa, --hvm," \
            "--dom0, --module, --tools, --systemd"
}

host_options_check()
{
    [[ $HOST_MODE == fast || $HOST_MODE == exact || $HOST_MODE == timed ]] ||
        die "$BOX_EXIT_USAGE" "--mode is fast, exact or timed, not '$HOST_MODE'"
    [[ -z $HOST_LLCS || $((HOST_CORES % HOST_LLCS)) -eq 0 ]] ||
        die "$BOX_EXIT_USAGE" "--llcs must divide --cores, so it cannot be $HOST_LLCS"
    [[ $HOST_MODE != timed || -n $HOST_MACHINE ]] ||
        die "$BOX_EXIT_USAGE" "--mode timed needs --machine NAME, whose prices it has"
    [[ $HOST_MODE == fast || $HOST_THREADS == single ]] ||
        die "$BOX_EXIT_USAGE" "--parallel is for --mode fast"
    [[ $BOX_ARCH == x86_64 ]] || host_options_arm64
    [[ -z $HOST_COUNTER_MHZ || $BOX_ARCH == arm64 ]] ||
        die "$BOX_EXIT_USAGE" "--counter-mhz is for arm64 (XEN_ARCH=arm64)"
    # shellcheck disable=SC2034 # other files read HOST_HVM
    case $HOST_GUESTS in
    pv)      ;;
    pvh|hvm) HOST_HVM=yes ;;
    *)       die "$BOX_EXIT_USAGE" "--guests is pv, pvh, or hvm, not '$HOST_GUESTS'" ;;
    esac
    # shellcheck disable=SC2034
    case $HOST_DOM0 in
    pv)  ;;
    pvh) HOST_HVM=yes ;;
    *)   die "$BOX_EXIT_USAGE" "--dom0 is pv or pvh, not '$HOST_DOM0'" ;;
    esac
    [[ $HOST_DOM0_MEMORY -lt $HOST_MEMORY ]] ||
        die "$BOX_EXIT_USAGE" "--dom0-memory has to be less than --memory"
    [[ -z $HOST_MACHINE ]] || host_machine_check
    if [[ -z $HOST_DOM0_VCPUS ]]; then
        # vCPUs beyond the number of pCPUs spin while they wait for each other.  On arm64 two
        # already do, for the lock of dom0's p2m, which is held for long when a page is unmapped
        # (qemu_kernel).
        HOST_DOM0_VCPUS=$((HOST_SOCKETS * HOST_CORES > 1 ? 2 : 1))
        [[ $BOX_ARCH != arm64 ]] || HOST_DOM0_VCPUS=1
    fi
    case $HOST_XEN in
    patched) HOST_XEN=$BOX_XEN_PATCHED ;;
    native)  HOST_XEN=$BOX_XEN_NATIVE ;;
    esac
    need_file "$HOST_XEN" "the hypervisor" \
        "run make xen, or give --xen the path of an uncompressed xen/xen"
}
