# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a machine in QEMU that boots from its own disk, by its firmware and boot loader:
# source this.  Commands for its system go through a folder, from which inside.sh reads
# them.
#
# start_machine DISK FOLDER [OPTION-OF-QEMU...]
# booted                    waits until its system is there; again after each reboot
# inside COMMAND...         runs it there: its output, its exit code
# reboot                    and waits until it is back
# switch_off                waits until it has ended
# stop_machine              at once
#
# All but the first and the last can be called in a subshell.  FOLDER/console.log is
# what came over the serial line.  The machine is emulated, so its time limits are long.  After
# a limit it is stopped, and later commands fail.

MACHINE_PID=
MACHINE_LIMIT=900

# The CPU, and one thread for all pCPUs, as tests/host has it.
start_machine()
{
    local disk=$1

    stop_machine
    MACHINE=$2
    shift 2
    mkdir -p "$MACHINE/share"
    rm -f "$MACHINE"/{boot-id,share/*}
    setpriv --pdeathsig KILL qemu-system-x86_64 -accel tcg,thread=single -machine pc \
        -cpu qemu64 -m 1536 -smp 4,sockets=2,cores=2 -nodefaults -display none \
        -drive "file=$disk,format=raw,if=virtio,cache=unsafe" \
        -fsdev "local,id=share,path=$MACHINE/share,security_model=none" \
        -device virtio-9p-pci,fsdev=share,mount_tag=share \
        -chardev "file,id=serial,path=$MACHINE/console.log,append=on" \
        -serial chardev:serial "$@" < /dev/null > "$MACHINE/qemu.log" 2>&1 &
    MACHINE_PID=$!
}

kill_machine() { kill -KILL "$MACHINE_PID" 2> /dev/null; }

stop_machine()
{
    [ -n "$MACHINE_PID" ] || return 0
    kill_machine || :
    wait "$MACHINE_PID" 2> /dev/null || :
    MACHINE_PID=
}

is_off() { ! kill -0 "$MACHINE_PID" 2> /dev/null; }

# until_true COMMAND...: false if the machine is gone before, or takes too long.
until_true()
{
    local last=$((SECONDS + MACHINE_LIMIT))

    until "$@"; do
        ! is_off || { "$@" && return; what_it_said "has ended"; return 1; }
        [ "$SECONDS" -lt "$last" ] ||
            { kill_machine; what_it_said "took more than $MACHINE_LIMIT s"; return 1; }
        sleep 0.2
    done
}

what_it_said()
{
    echo "the machine $1; the end of $MACHINE/console.log:"
    tail -n 20 "$MACHINE/console.log" | tr -d '\r'
    cat "$MACHINE/qemu.log"
}

# A boot that is newer than the latest known one.
is_up()
{
    [ -s "$MACHINE/share/up" ] && ! cmp -s "$MACHINE/share/up" "$MACHINE/boot-id"
}

booted()
{
    until_true is_up && cp "$MACHINE/share/up" "$MACHINE/boot-id"
}

tell()
{
    rm -f "$MACHINE/share/ended"
    printf '%q ' "$@" > "$MACHINE/share/command.new"
    mv "$MACHINE/share/command.new" "$MACHINE/share/command"
}

inside()
{
    tell "$@"
    until_true test -e "$MACHINE/share/ended" || return
    cat "$MACHINE/share/said"
    return "$(< "$MACHINE/share/ended")"
}

# Both may end the machine before it answers.
reboot() { tell systemctl --no-block reboot && booted; }
switch_off() { tell systemctl --no-block poweroff && until_true is_off; }
