#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# box: none
# time: 420
# only: full
#
# The box from outside: it passes on the exit code, output and files; a hang, a crash and Ctrl-C
# end in different ways, and leave no process.

set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=../dom0/usr/lib/box/tap.sh
. "$here/dom0/usr/lib/box/tap.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs go to a folder of their own, because another test may use the box.
export BOX_RUNS=$work/runs

# box WANTED-EXIT-CODE ARGUMENT...: one host, small and quick
box()
{
    local wanted=$1 code=0

    shift
    "$here/box" --cores 1 "$@" >"$work/output" 2>"$work/messages" || code=$?
    equal "$code" "$wanted" || {
        cat "$work/messages"
        return 1
    }
}

# script LINE...: writes $work/script
script()
{
    printf '%s\n' '#!/bin/sh' "$@" >"$work/script"
}

# QEMU's command line has the folder of the run.
no_qemu_left()
{
    ! pgrep -f "^qemu-system.*$BOX_RUNS"
}

script 'echo said' 'cat with-it' 'echo "kept here" >"$RESULTS/file"' \
    'mkdir "$RESULTS/folder"' 'seq 20000 >"$RESULTS/folder/numbers"' \
    'seq 20000' 'exit 7'
echo "a file" >"$work/with-it"
check "the exit code is that of the script" \
    box 7 --results "$work/results" "$work/script" "$work/with-it"
is "its output arrives whole" "$(md5sum <"$work/output")" \
    "$({ echo said; echo "a file"; seq 20000; } | md5sum)"
is "a file arrives" "$(cat "$work/results/file")" "kept here"
is "a folder arrives" "$(md5sum <"$work/results/folder/numbers")" \
    "$(seq 20000 | md5sum)"
check "the console is kept" grep -q 'Xen version' "$BOX_RUNS/last/console.log"
check "its end is shown, because the script failed" \
    grep -q 'the end of the console' "$work/messages"
check "no QEMU is left" no_qemu_left

script 'sleep 1000'
check "a hang is a time-out" box 124 --timeout 15 "$work/script"
check "a message says so" grep -q 'time-out: no end after 15 s' "$work/messages"
check "and Xen was asked for the time" grep -q 'NOW=' "$work/messages"
check "no QEMU is left by a time-out" no_qemu_left

# clock_failed SKEW-NS NOW-NS: whether the clock failed, after 60 s, with these answers of Xen
clock_failed()
{
    mkdir -p "$work/clock"
    printf '(XEN) Synced stime skew: max=9e18ns avg=1ns samples=1 %s\r\n' \
        "current=$1ns" >"$work/clock/console.log"
    printf '(XEN) NOW=%s\r\n' "$2" >>"$work/clock/console.log"
    (
        # shellcheck source=../lib/host.sh
        . "$here/lib/host.sh"
        HOST_RUN=$work/clock HOST_ASKED=60 HOST_THREADS=${3:-multi}
        host_clock_failed
    )
}
check "pCPUs whose clocks are seconds apart count as a failure of the emulator" \
    clock_failed 6000000000 60000000000
check "and a host's time that differs from this machine's" clock_failed 2000 300000000000
check "and a host's time that is behind" clock_failed 2000 10000000000
clock_right() { ! clock_failed "$@"; }
check "a hang at the right time does not" clock_right 3000000 63922279156
check "nor does the time if one thread emulates all pCPUs" \
    clock_right 2000 300000000000 single

script 'xl info | grep "^nr_cpus"'
check "sockets of three cores, in exact mode" \
    box 0 --mode exact --sockets 2 --cores 3 "$work/script"
is "all six pCPUs are there" "$(sed 's/.*: //' "$work/output")" 6

# A test that hangs in a function, in a process that the test waits for.
echo 5 >"$work/limit"
printf '%s\n' '#!/bin/sh' '. /usr/lib/box/tap.sh' \
    'forever() { while :; do sleep 1; done; }' 'check "it begins" true' \
    'check "it ends" forever' finish >"$work/hangs.sh"
check "a test that hangs is killed in dom0, with all of its processes" \
    box 137 --timeout 100 "$here/lib/run-test" "$work"/{hangs.sh,limit}
check "the output before the hang is there" grep -qx "ok - it begins" "$work/output"

script 'echo c >/proc/sysrq-trigger' 'sleep 1000'
check "a crash of dom0 is an end of its own" box 70 "$work/script"
check "the console is shown" grep -q 'Kernel panic' "$work/messages"

check "a crash of Xen is, too" \
    box 70 --xen-append "dom0_mem=1M,max:1M" "$work/script"

# Stands in for QEMU: a host that prints all the time, and never ends.
mkdir "$work/stub"
cat >"$work/stub/qemu-system-x86_64" <<'END'
#!/bin/sh
share=$(printf '%s\n' "$@" | sed -n 's/^local,id=box,path=\(.*\),security_model=.*/\1/p')
touch "$share/up"
while :; do
    echo more >>"$share/output"
    sleep 0.01
done
END
chmod +x "$work/stub/qemu-system-x86_64"

# interrupted SIGNAL SECONDS: prints the exit code of a box that gets the signal after this time,
# or, without a time, at its first output; 124 if the box continued for 5 s.
interrupted()
{
    local pid said code=0

    rm -f "$work/said"
    mkfifo "$work/said"
    exec {said}<>"$work/said"
    # Processes in the background ignore Ctrl-C, unless there is job control; so do all processes if
    # this test was started in the background.
    set -m
    PATH=$work/stub:$PATH env --default-signal=INT "$here/box" --cores 1 \
        --timeout 60 "$work/script" 1>&"$said" 2>/dev/null &
    pid=$!
    set +m
    if [[ -n ${2-} ]]; then
        sleep "$2"
    else
        read -r -t 10 -u "$said" || :
    fi
    kill "-$1" -- "-$pid"
    wait "$pid" || code=$?
    exec {said}<&-
    echo "$code"
}

# interrupted_anywhere SIGNAL CODE: tries many moments
interrupted_anywhere()
{
    for _ in {1..5}; do
        equal "$(interrupted "$1" "$((RANDOM % 2)).$((RANDOM % 1000))")" "$2" ||
            return 1
        equal "$(interrupted "$1")" "$2" || return 1
    done
}

no_stub_left()
{
    sleep 0.5
    ! pgrep -f "$work/stub/qemu"
}

check "Ctrl-C ends it, whenever it comes" interrupted_anywhere INT 130
check "nothing is left by that" no_stub_left
check "SIGTERM ends it" interrupted_anywhere TERM 143
check "nothing is left by that, either" no_stub_left
check "SIGKILL ends it" interrupted_anywhere KILL 137
check "nothing is left by SIGKILL" no_stub_left

# Stands in for QEMU: prints its arguments.  With KVM the host dies or works, as $work/kvm says; a
# file stands in for the device.
mkdir "$work/accel"
cat >"$work/accel/qemu-system-x86_64" <<END
#!/bin/sh
[ "\$1" != --version ] || exec echo stub
share=\$(printf '%s\n' "\$@" | sed -n 's/^local,id=box,path=\(.*\),security_model=.*/\1/p')
echo "\$2" >>"$work/called"
sed 's/.*nice //' /proc/self/autogroup >"$work/autogroup" 2>/dev/null
if [ "\$2" = kvm ] && [ "\$(cat "$work/kvm")" = dies ]; then
    exit 1
fi
echo 0 >"\$share/exit-code"
sleep 10
END
chmod +x "$work/accel/qemu-system-x86_64"

# accel KVM-RESULT ARGUMENT...: prints the accelerators with which QEMU was started
accel()
{
    echo "$1" >"$work/kvm"
    rm -f "$work/called"
    shift
    PATH=$work/accel:$PATH BOX_KVM_DEVICE=$work/kvm BOX_KVM_KEPT=$work/kept \
        "$here/box" --cores 1 "$@" "$work/script" 2>"$work/messages" >&2 || :
    sed 's/,.*//' "$work/called" | xargs
}
is "KVM is there, Xen dies with it: emulated" "$(accel dies)" "kvm tcg"
check "a message says so" grep -q 'Xen did not run with it' "$work/messages"
is "and not tried again" "$(accel dies)" "tcg"
rm "$work/kept"
is "it works: it is used" "$(accel works)" "kvm kvm"
is "but never in exact mode" "$(accel works --mode exact)" "tcg"
is "BOX_KVM=no: nor then" "$(BOX_KVM=no accel works)" "tcg"

# mended HVM ACCEL [PATH]: prints the QEMU for a host with such guests
mended()
(
    # shellcheck source=../lib/inject-once.sh
    . "$here/lib/paths.sh" && . "$here/lib/inject-once.sh"
    HOST_HVM=$1 HOST_ACCEL=$2 BOX_HOST=$work/host PATH=${3:+$3:}$PATH
    inject_once_prepare 2>"$work/messages"
    echo "$HOST_QEMU"
)
is "PV guests have QEMU as it is" "$(mended no tcg)" qemu-system-x86_64
is "HVM guests have QEMU as it is, with KVM" "$(mended yes kvm)" qemu-system-x86_64
mended=$(mended yes tcg)
is "if they are emulated, a copy, which runs" "$("$mended" --version)" \
    "$(qemu-system-x86_64 --version)"
check "and has its modules" sh -c "echo quit |
    '$mended' -accel tcg -machine none -display none -monitor stdio"
is "it lacks one instruction" \
    "$(cmp -l "$mended" "$(command -v qemu-system-x86_64)" | wc -l)" 6
is "a QEMU that cannot be mended is used as it is" \
    "$(mended yes tcg "$work/accel")" qemu-system-x86_64
check "and a message says so" grep -q 'PVH and HVM domains may hang' "$work/messages"

# The host has a session of its own, which Linux's scheduler weighs as a whole.
nice_host()
(
    renice -n 7 "$BASHPID" &&
        accel works &&
        equal "$(<"$work/autogroup")" 7
)
if [[ -e /proc/self/autogroup ]]; then
    check "the host of a nice box is as nice" nice_host
else
    skip "the host of a nice box is as nice" "this Linux has no autogroup"
fi

check "a missing Xen is reported" box 69 --xen "$work/none" "$work/script"
check "exact mode has one thread: said so" \
    box 64 --mode exact --parallel "$work/script"
machine_error()
{
    box 64 "${@:2}" "$work/script" && grep -q -- "$1" "$work/messages"
}
check "a machine without a description is named, with those that have one" \
    machine_error "no machine .*epyc2.*xeon2" --mode exact --machine zeon2
check "a machine with other sockets is reported" \
    machine_error "2 sockets of 24 cores: --sockets 2" --mode exact --machine xeon2
check "a machine with fewer cores is reported" machine_error "at most --cores 16" \
    --mode exact --sockets 2 --cores 17 --numa --machine epyc2
check "a machine whose sockets are nodes is reported" machine_error "are NUMA nodes: --numa" \
    --mode exact --sockets 2 --machine xeon2
check "and that it has to count instructions" \
    machine_error "is for --mode exact" --sockets 2 --numa --machine xeon2
check "an unknown option is reported" box 64 --colour red "$work/script"
finish
