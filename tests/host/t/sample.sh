#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# box: --sockets 1 --cores 2 --memory 3072 --dom0-memory 1536
# time: 400
# only: full
#
# A guest is saved every 300 ms of its service, and continues; each checkpoint can be restored.
# (Except in exact mode, the emulator decides how far a boundary is missed.) Fails if the manifest
# does not match what the guest did, if a checkpoint is no guest, or if the guest stays stopped when
# the command is killed, at any step.

. /usr/lib/box/tap.sh
. /usr/lib/box/console.sh
. /usr/lib/box/daemon.sh

# shellcheck disable=SC2034 # for start_daemon
daemon_settings="--log service-ns,wake-delay,evtchn-send"
samples=/run/samples

# seconds: prints the guest's service.
seconds()
{
    xl list | awk -v name="$1" '$1 == name { print $NF }'
}

# goes_on NAME: checks that it uses a pCPU.
goes_on()
{
    local before

    before=$(seconds "$1")
    [ -n "$before" ] || return 1
    sleep 2
    [ "$(seconds "$1")" != "$before" ]
}

# of N KEY: prints a number of a manifest.
of()
{
    sed -n "s/^ *\"$2\": *\([^,]*\),*$/\1/p" "$samples/$(printf %04d "$1").json"
}

# none_half: checks that no checkpoint is incomplete; the process that began one finishes it.
none_half()
{
    ! ls $samples/*.part >/dev/null 2>&1
}

# sampling ARGUMENT...: runs in the background, as $sampler.
sampling()
{
    rm -rf $samples
    xensched sample worker --every '300 ms-of-service' --checkpoint $samples "$@" \
        2>/run/said &
    sampler=$!
}

console_begin
guest start obedient name=worker cpus=1
in_guest worker "(while :; do spin 0.2; usleep 200000; done) >/dev/null 2>&1 &"
start_daemon --mode observe
is "the daemon starts" "$?" 0
check "the guest works" goes_on worker

# The hook prints the guest's service up to its checkpoint.
sampling --times 3 --hook "domain-usage time \$(cat /run/guests/worker/domid)"
wait $sampler
is "three samples are made" "$?" 0
cat /run/said
last_end=0
for n in 1 2 3; do
    check "sample $n: its interval has the length of its counter" test \
        "$(($(of $n end) - $(of $n begin) - $(of $n skid)))" = 300000000
    saved=$(of $n disk | tr -d '"')
    check "sample $n: the hook's line is in the manifest" test "${saved:-0}" -gt 0
    check "sample $n: its checkpoint is where its interval begins" test \
        "$saved" -le "$(of $n begin)" -a "$saved" -ge "$last_end"
    last_end=$(of $n end)
    check "sample $n: the manifest has what the guest did" \
        grep -q '"service-ns"' $samples/000$n.json
    note "sample $n: skid $(of $n skid) ns, $(of $n saving) ns for being saved"
done
# Rows have the service that Xen counts, but for a tick.
check "rows have all of its service" awk -v w="$(($(of 2 end) - $(of 2 begin)))" \
    -v s="$(tr -d ' \n' <$samples/0002.json |
    sed 's/.*"service-ns":{"rows":[0-9]*,"sum":\([0-9]*\).*/\1/')" \
    'BEGIN { print s, w; exit s < 0.9 * w || s > 1.1 * w + 20000000 }'
check "the guest continues" goes_on worker
check "two of them are chosen" sh -c "xensched sample choose $samples --top 2 |
    grep -q '^3 intervals'"
check "a folder with samples is refused" sh -c \
    "xensched sample worker --every '300 ms-of-service' --checkpoint $samples 2>&1 |
        grep -q 'has samples'"

# Killed at each step: while it waits, when it stops the guest, while it saves.
for pause in 0.2 1 2 3 4 6; do
    sampling
    sleep $pause
    kill -9 $sampler
    check "killed after $pause s: the guest continues" until_true 40 goes_on worker
    check "and there are whole checkpoints, or none" until_true 60 none_half
done
sampling
# A command that has not started yet would not notice the signal.
for _ in 1 2 3 4 5 6; do
    sleep 1
    kill -INT $sampler 2>/dev/null
done
wait $sampler
is "Ctrl-C ends it with success" "$?" 0
check "and the guest continues" goes_on worker
is "no checkpoint is left whose interval did not end" \
    "$(find $samples -name '*.save' | wc -l)" "$(find $samples -name '*.json' | wc -l)"
sampling --hook 'exit 1'
wait $sampler
is "a hook that fails is a failure" "$?" 1
check "and the guest continues" goes_on worker
is "and leaves nothing behind" "$(ls $samples)" ""

# The saved guest works.
sampling --times 1
wait $sampler
xl destroy worker
xl restore $samples/0001.save >/run/restored 2>&1
is "a checkpoint is restored" "$?" 0
check "and works" goes_on worker
sampling
sleep 1
xl destroy worker
wait $sampler
cat /run/said
check "sampling survives the death of its guest" \
    sh -c "grep -q 'samples, at most' /run/said"
check "no kernel complained" console_quiet
finish
