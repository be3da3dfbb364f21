# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Computes QEMU's command line from the options of a host, and starts nothing.  All variables HOST_*
# come from options.sh.
#
# QEMU interprets (TCG), so no hardware virtualisation is needed, unless KVM has been seen to work
# (accel.sh).
# The CPU model is qemu64, because the Linux PV kernel crashes on "max" and Xen
# on "EPYC".  QEMU loads Xen as a multiboot kernel, with the dom0 kernel and
# its initramfs as modules, so there is no disk and no boot loader.

qemu_accel()
{
    case $HOST_ACCEL,$HOST_MODE in
    kvm,*)   printf '%s\n' -accel kvm ;;
    *,fast)  printf '%s\n' -accel "tcg,thread=$HOST_THREADS" ;;
    *,exact) printf '%s\n' -accel tcg,thread=single -icount shift=0,sleep=off ;;
    *,timed) printf '%s\n' -accel tcg,thread=single -icount "$(qemu_timed)" ;;
    esac
}

# Clocks of pCPUs (tests/machine/qemu): all prices are those of the machine.
qemu_timed()
{
    awk -v ghz="$(machine_says ghz)" -v cpi="$(machine_says cpi)" \
        'BEGIN { printf "local=on,rate=%d,mhz=%d", ghz / cpi * 1000, ghz * 1000 }'
    for price in pause pio mmio ipi_near ipi_far; do
        printf ',%s=%d' "${price//_/-}" "$(machine_says "${price}_ns")"
    done
}

# One NUMA node per socket, the memory split evenly.
qemu_numa()
{
    local node first size=$((HOST_MEMORY / HOST_SOCKETS))

    for ((node = 0; node < HOST_SOCKETS; node++)); do
        first=$((node * HOST_CORES))
        printf '%s\n' \
            -object "memory-backend-ram,id=ram$node,size=${size}M" \
            -numa "node,nodeid=$node,memdev=ram$node,cpus=$first-$((first +
                                                            HOST_CORES - 1))"
    done
}

# Whether there is a QEMU for this host.
qemu_need()
{
    case $BOX_ARCH in
    arm64)
        need_command qemu-system-aarch64 qemu-system-arm
        [[ -z $HOST_LLCS ]] || need_command fdtput device-tree-compiler
        ;;
    *)     need_command qemu-system-x86_64 qemu-system-x86 ;;
    esac
}

# Puts all pCPUs into one socket: Xen reads no topology from the device tree.
qemu_machine_arm64()
{
    local model=cortex-a57

    [[ -z $HOST_COUNTER_MHZ ]] || model+=,cntfrq=${HOST_COUNTER_MHZ}000000
    printf '%s\n' -machine virt,virtualization=on,gic-version=3 -cpu "$model" \
        -m "$HOST_MEMORY" -smp "$((HOST_SOCKETS * HOST_CORES))" \
        -nodefaults -display none -no-reboot
}

qemu_machine()
{
    local cpus=$((HOST_SOCKETS * HOST_CORES)) model=qemu64 machine=pc
    local dies=${HOST_LLCS:-1}

    [[ $HOST_HVM == no ]] || model+=,+npt
    # QEMU gives each die a last-level cache.
    [[ -z $HOST_LLCS ]] || model+=,vendor=GenuineIntel,level=0xb
    [[ $HOST_DOM0 == pv ]] || machine=q35
    # The memory of all nodes together has to be the memory of the machine.
    printf '%s\n' -machine "$machine" -cpu "$model" \
        -m "$((HOST_MEMORY / HOST_SOCKETS * HOST_SOCKETS))" \
        -smp "$cpus,sockets=$HOST_SOCKETS,dies=$dies,cores=$((HOST_CORES /
            dies)),threads=1" \
        -nodefaults -display none -no-reboot
    # Keeps this machine's time and randomness from the host.
    [[ $HOST_MODE != timed ]] ||
        printf '%s\n' -rtc base=2026-01-01T00:00:00,clock=vm -seed "$HOST_SEED"
    if [[ $HOST_NUMA == yes ]]; then
        qemu_numa
    fi
}

# Whether the ids of the APICs have holes: each socket has a power of two of them.
qemu_apic_holes()
{
    ((HOST_SOCKETS > 1 && (HOST_CORES & (HOST_CORES - 1)) != 0))
}

# Guests of arm64 are of one type, which xl calls pvh.
qemu_guest_type()
{
    case $BOX_ARCH in
    arm64) echo pvh ;;
    *)     echo "$HOST_GUESTS" ;;
    esac
}

# QEMU has the run's folder open at descriptor 9.  It passes the paths of boot modules to
# Xen, which executes instructions for each character, so they are the same in each run.
qemu_kernel()
{
    local run=/proc/self/fd/9 xen dom0 modules

    case $BOX_ARCH in
    arm64) xen="console=dtuart dtuart=/pl011@9000000" ;;
    *)     xen="console=com1 com1=115200,8n1" ;;
    esac
    xen+=" loglvl=info guest_loglvl=info"
    xen+=" dom0_mem=${HOST_DOM0_MEMORY}M,max:${HOST_DOM0_MEMORY}M"
    xen+=" dom0_max_vcpus=$HOST_DOM0_VCPUS"
    # QEMU looks for logical destinations up to the first hole only: no interrupt reaches a pCPU
    # after it, and Xen waits for ever.
    ! qemu_apic_holes || xen+=" apic=bigsmp"
    # Xen would let this IOMMU walk the pCPUs' own tables, which have AMD's format.
    [[ $HOST_DOM0 == pv ]] || xen+=" dom0=pvh iommu=no-sharept"
    xen+=" $HOST_XEN_APPEND"
    dom0="console=hvc0 loglevel=5 panic=-1 rdinit=/init GUEST_TYPE=$(qemu_guest_type)"
    dom0+=" $HOST_DOM0_APPEND"
    # Its 21 s are this machine's time, of which an emulated pCPU may get little.
    dom0+=" rcupdate.rcu_cpu_stall_timeout=120"
    # Leaves out the kernel's tests of itself, which are a third of its work until its init runs.
    dom0+=" cryptomgr.notests initcall_blacklist=load_system_certificate_list"
    if [[ $BOX_ARCH == arm64 ]]; then
        # Each page of a new guest that xl unmaps flushes all emulated TLBs: a system call can take
        # half a minute.
        dom0+=" nosoftlockup"
        printf '%s\n' -kernel "$run/xen" -append "$xen" \
            -device "guest-loader,addr=0x49000000,kernel=$run/boot/vmlinux,bootargs=${dom0//,/,,}" \
            -device "guest-loader,addr=0x4c000000,initrd=$run/boot/initramfs.cpio"
        return
    fi
    modules=$(printf '%s' "${HOST_MODULES[@]/#/,}")
    printf '%s\n' -kernel "$run/xen" -append "$xen" \
        -initrd "$run/boot/vmlinux ${dom0//,/,,},$run/boot/initramfs.cpio$modules"
}

# qemu_share TAG FOLDER [OPTION]: a folder that dom0 can mount; see dom0/init.
qemu_share()
{
    local device=virtio-9p-pci,fsdev=$1,mount_tag=$1
    local fsdev=local,id=$1,path=$2,security_model=none${3:+,$3}

    # Xen for Arm passes no MSI on, which a PCI device needs.
    [[ $BOX_ARCH != arm64 ]] || device=virtio-9p-device,${device#*,}
    [[ $HOST_DOM0 == pv ]] || device+=,iommu_platform=on,disable-legacy=on
    # The thread of the pCPUs serves it, in their time, and numbers the files.
    if [[ $HOST_MODE == timed ]]; then
        device+=,ioeventfd=off
        fsdev+=,multidevs=remap
    fi
    printf '%s\n' -device "$device" -fsdev "$fsdev"
}

# Without it there is no PVH dom0: its devices know its addresses.
qemu_iommu()
{
    printf '%s\n' -device intel-iommu
}

qemu_devices()
{
    local device netdev

    for netdev in "${HOST_NETDEVS[@]}"; do
        printf '%s\n' -netdev "$netdev"
    done
    for device in "${HOST_DEVICES[@]}"; do
        printf '%s\n' -device "$device"
    done
}

# qemu_model RUN-FOLDER: prints the options of the machine model.
qemu_model()
{
    local node=$((HOST_MEMORY / HOST_SOCKETS * 1048576)) plugin

    plugin="file=$HOST_PLUGIN,machine=$HOST_MACHINE,cores=$HOST_CORES"
    [[ $HOST_MODE != timed ]] || plugin+=,timed=yes
    printf '%s\n' -plugin \
        "$plugin,memory=$node,out=$1/share/results/machine.jsonl"
}

# qemu_arguments RUN-FOLDER: prints one argument per line, without those of the console.
qemu_arguments()
{
    qemu_accel
    case $BOX_ARCH in
    arm64) qemu_machine_arm64 ;;
    *)     qemu_machine ;;
    esac
    qemu_kernel
    [[ ! -f $1/device-tree ]] || printf '%s\n' -dtb "$1/device-tree"
    [[ $HOST_DOM0 == pv ]] || qemu_iommu
    qemu_share box "$1/share"
    qemu_share boot "$1/boot" readonly=on
    qemu_devices
    [[ -z $HOST_MACHINE ]] || qemu_model "$1"
}
