# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The life of one host: its folder, its QEMU process, its end.  However the script that sources this
# file ends, no QEMU is left: QEMU runs in a session of its own that is killed on exit, and the
# kernel kills it if the script was killed with SIGKILL.

HOST_PID=
HOST_RUN=
HOST_PLUGIN=$BOX_HOST/machine.so

# Makes the files that hosts boot from, if they have changed, and a folder for this run.
host_prepare()
{
    qemu_need
    need_file "$BOX_DIST/usr/sbin/xl" "the toolstack" "run make xen"
    [[ $HOST_MODE != timed ]] ||
        need_file "$BOX_TIMED_QEMU" "the QEMU of mode timed" "run make machine"
    mkdir -p "$BOX_HOST"
    [[ $BOX_ARCH == x86_64 ]] || BOX_SYSROOT=$("$BOX_SOURCE/../../xen-patches/sysroot.sh")
    # One box at a time, because others may do the same.
    exec {lock}>"$BOX_HOST/lock"
    flock "$lock"
    kernel_prepare
    programs_prepare
    if [[ $BOX_ARCH == arm64 ]]; then
        HOST_QEMU=qemu-system-aarch64
    elif host_on_built_qemu; then
        HOST_QEMU=$BOX_TIMED_QEMU
        HOST_PLUGIN=$BOX_HOST/timed/machine.so
    else
        inject_once_prepare
    fi
    [[ -z $HOST_MACHINE ]] || machine_prepare
    initramfs_prepare
    [[ $HOST_TOOLS == no ]] || image_prepare tools
    [[ $HOST_SYSTEMD == no ]] || image_prepare systemd
    [[ $HOST_HVM == no ]] || image_prepare hvm
    host_new_run
    exec {lock}>&-
}

# Whether the QEMU of 'make machine' runs this host.  Mode timed needs that QEMU. QEMU 10.0 reports
# wrong vCPUs to the machine model if it is not patched.
host_on_built_qemu()
{
    [[ $HOST_MODE != timed ]] || return 0
    [[ -n $HOST_MACHINE && -f $BOX_TIMED_QEMU ]] &&
        (($(qemu-system-x86_64 --version | sed -n '1s/[^0-9]*\([0-9]*\).*/\1/p') >= 10))
}

# The test programs, built against the toolstack's libraries.
programs_prepare()
{
    make -s -C "$BOX_SOURCE/programs" DIST="$BOX_DIST" \
        ${BOX_SYSROOT:+CC="${BOX_CROSS}gcc --sysroot=$BOX_SYSROOT"} \
        OUT="$BOX_HOST/programs" >&2 ||
        die "$BOX_EXIT_MISSING" "the test programs could not be built"
}

# The model of the machine's caches, for the QEMU that runs the host.
machine_prepare()
{
    make -s -C "$BOX_MACHINE" OUT="${HOST_PLUGIN%/*}" QEMU="$HOST_QEMU" >&2 ||
        die "$BOX_EXIT_MISSING" "the machine model could not be built"
}

# A folder for this run: console.log, qemu.log, share/ (see dom0/init) and,
# while it runs, the link xen and boot/ with files that no other box changes.
host_new_run()
{
    local file

    HOST_RUN=$BOX_RUNS/$(date +%Y%m%d-%H%M%S)-$$
    mkdir -p "$HOST_RUN"/{boot,share/in,share/results}
    : >"$HOST_RUN/share/output"
    : >"$HOST_RUN/console.log"
    for file in "$BOX_HOST"/boot/*; do
        ln "$file" "$HOST_RUN/boot/" 2>/dev/null ||
            cp "$file" "$HOST_RUN/boot/"
    done
    ln -s "$(realpath "$HOST_XEN")" "$HOST_RUN/xen"
    ln -sfn "$(basename "$HOST_RUN")" "$BOX_RUNS/last"
}

# host_bring_in FILE...: copies them into the share, or links large files.
host_bring_in()
{
    local file

    for file in "$@"; do
        [[ $file != *.large ]] ||
            ! cp -rLl "$file" "$HOST_RUN/share/in/" 2>/dev/null || continue
        cp -rL "$file" "$HOST_RUN/share/in/"
    done
}

# host_run_script NAME: selects the file that dom0 is to run.
host_run_script()
{
    chmod +x "$HOST_RUN/share/in/$1"
    printf 'exec ./%q\n' "$1" >"$HOST_RUN/share/command"
}

# Runs a command that does not outlive this script: the kernel kills it with the script from setpriv
# on, and it does not start if the script was killed before.  Linux weighs sessions against each
# other, whatever their nice values, so this session gets the nice value that it would have without
# one.
host_mortal()
{
    # shellcheck disable=SC2016 # for the inner shell
    exec setsid setpriv --pdeathsig KILL \
        sh -c '{ nice >/proc/self/autogroup; } 2>/dev/null
               [ "$PPID" = "$0" ] && exec "$@"' $$ "$@"
}

# Adds caches to a device tree of QEMU's, which has none: each core has a second level of its own,
# and the cores of an LLC share a third.
host_add_caches()
{
    local dtb=$1 cpus=$((HOST_SOCKETS * HOST_CORES)) cpu llc
    local -i l2=0x100 l3=0x200 # QEMU's own phandles begin at 0x8000

    for ((llc = 0; llc < HOST_SOCKETS * HOST_LLCS; llc++)); do
        host_add_cache "$dtb" "l3-cache$llc" 3 $((l3 + llc)) || return
    done
    for ((cpu = 0; cpu < cpus; cpu++)); do
        host_add_cache "$dtb" "l2-cache$cpu" 2 $((l2 + cpu)) &&
            fdtput -t i "$dtb" "/cpus/l2-cache$cpu" next-level-cache \
                $((l3 + cpu * HOST_LLCS / HOST_CORES)) &&
            fdtput -t i "$dtb" "/cpus/cpu@$cpu" next-level-cache $((l2 + cpu)) || return
    done
}

# host_add_cache DEVICE-TREE NAME LEVEL PHANDLE
host_add_cache()
{
    fdtput -c "$1" "/cpus/$2" &&
        fdtput -t s "$1" "/cpus/$2" compatible cache &&
        fdtput -t i "$1" "/cpus/$2" cache-level "$3" &&
        fdtput -t x "$1" "/cpus/$2" cache-unified &&
        fdtput -t i "$1" "/cpus/$2" phandle "$4"
}

# If the device tree is to have caches, lets QEMU write its own, with the nodes of the boot modules,
# and changes it; see qemu_arguments.  QEMU leaves much room in it; without that, it stays below the
# 2 MiB that Xen accepts.
host_make_device_tree()
{
    local arguments dtb=$HOST_RUN/device-tree

    [[ $BOX_ARCH == arm64 && -n $HOST_LLCS && ! -f $dtb ]] || return 0
    mapfile -t arguments < <(qemu_arguments "$HOST_RUN")
    if ! "$HOST_QEMU" "${arguments[@]}" -machine "dumpdtb=$dtb.new" \
            >"$HOST_RUN/qemu.log" 2>&1 9<"$HOST_RUN" ||
       ! host_add_caches "$dtb.new" 2>>"$HOST_RUN/qemu.log" ||
       ! dtc -q -I dtb -O dtb -o "$dtb" "$dtb.new" 2>>"$HOST_RUN/qemu.log"; then
        die "$BOX_EXIT_MISSING" "the device tree could not be made:" "$(<"$HOST_RUN/qemu.log")"
    fi
    rm "$dtb.new"
}

# Starts QEMU in the background.  The serial line's output goes to console.log; input comes from
# serial.in.
host_start()
{
    local arguments serial=$HOST_RUN/serial

    host_make_device_tree
    mapfile -t arguments < <(qemu_arguments "$HOST_RUN")
    rm -f "$serial".*
    mkfifo "$serial.in"
    : >"$HOST_RUN/console.log"
    ln -s console.log "$serial.out"
    host_mortal "$HOST_QEMU" "${arguments[@]}" \
        -chardev "pipe,id=serial,path=$serial" -serial chardev:serial \
        </dev/null >"$HOST_RUN/qemu.log" 2>&1 9<"$HOST_RUN" &
    HOST_PID=$!
}

# Sends Xen's keys, one second each: clocks, run queues with the time, registers, timers, event
# channels.  For a host that hangs; Ctrl-A three times switches to Xen's keys.
host_ask_xen()
{
    local key

    host_running || return 0
    HOST_ASKED=$SECONDS
    for key in $'\001\001\001' t r s d a e; do
        # There may be no reader, and QEMU may be gone.
        timeout 1 sh -c 'printf %s "$1" >"$2"' sh "$key" \
            "$HOST_RUN/serial.in" || return 0
        sleep 1
    done
}

# Whether dom0 has reached its init.
host_is_up() { [[ -f $HOST_RUN/share/up ]]; }

# Whether Xen's clocks are wrong: whether those of pCPUs differ, or differ from this machine, which
# started Xen HOST_ASKED seconds before.  If so, the emulator failed, because no program in a host
# can change a pCPU's time stamp counter.  If one thread emulates all pCPUs, there is only one
# clock.
host_clock_failed()
{
    [[ $HOST_THREADS == multi ]] || return 1
    awk -v asked="$HOST_ASKED" '
        /Synced stime skew:/ { sub(/.*current=/, ""); failed += $0 + 0 > 5e9 }
        /NOW=/               { sub(/.*NOW=/, ""); off = $0 / 1e9 - asked
                               failed += off > 30 || off < -30 }
        END                  { exit !failed }' "$HOST_RUN/console.log"
}

# Runs QEMU in the foreground, the console on this terminal.
host_run_on_terminal()
{
    local arguments console=stdio,id=console,mux=on,signal=off

    host_make_device_tree
    mapfile -t arguments < <(qemu_arguments "$HOST_RUN")
    setpriv --pdeathsig KILL "$HOST_QEMU" "${arguments[@]}" \
        -chardev "$console,logfile=$HOST_RUN/console.log" \
        -serial chardev:console -mon chardev=console 9<"$HOST_RUN"
}

host_running()
{
    [[ -n $HOST_PID ]] && kill -0 "$HOST_PID" 2>/dev/null
}

host_kill()
{
    if [[ -n $HOST_PID ]]; then
        kill -KILL "$HOST_PID" 2>/dev/null || true
        wait "$HOST_PID" 2>/dev/null || true
        HOST_PID=
    fi
    if [[ -n $HOST_RUN ]]; then
        rm -rf "${HOST_RUN:?}"/{boot,xen,serial.*}
    fi
}

# Prints the last lines of the hypervisor or dom0 when they died.  Guests' lines start with (dN) and
# do not count.
host_died()
{
    grep -q -E '^\(XEN\) (\[[^]]*\] )?(Panic on CPU|FATAL (TRAP|PAGE FAULT))|^(\(XEN\) )?Hardware Dom0 crashed|^\[ *[0-9.]+\] Kernel panic' \
        "$HOST_RUN/console.log"
}

# Prints why the machine model cannot run in this QEMU.
host_refused() { grep '^machine model: ' "$HOST_RUN/qemu.log" || :; }

# Prints the end of the console, and its path.
host_show_console()
{
    say "the end of the console:"
    tail -n "${1:-80}" "$HOST_RUN/console.log" | tr -d '\r' |
        sed 's/^/    | /' >&2
    if [[ -s $HOST_RUN/qemu.log ]]; then
        sed 's/^/    qemu | /' "$HOST_RUN/qemu.log" >&2
    fi
    say "all of it: $HOST_RUN/console.log"
}

trap host_kill EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP
