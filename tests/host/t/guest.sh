#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 4
# only: full
#
# A guest has the properties of its description, runs its script and returns the script's result.  A
# guest that cannot start, or ends early, is an error, and no caller waits for it.

. /usr/lib/box/tap.sh

cat >asked.guest <<'END'
vcpus=2
memory=160
cpus=2-3
run='grep -c ^processor /proc/cpuinfo; cat with-it; exit 5'
files=with-it
END
echo "a file" >with-it

refused()
{
    ! "$@"
}

# The tests run one after the other; a guest's output stays after its end.
guest start asked
guest wait asked 60
is "a guest returns the exit code of its script" $? 5
is "it has two vCPUs, and its file" "$(guest output asked | tr '\n' ' ')" "2 a file "

# "guest" adds the memory that arm64's kernel needs.
added=0
! on_arm64 || added=128
guest start idle name=sleeper memory=160 vcpus=2 cpus=3
is "it has its memory and vCPUs" \
    "$(xl list sleeper | awk 'NR == 2 { print $3, $4 }')" "$((160 + added)) 2"
is "it has its pCPUs" "$(xl vcpu-list sleeper | awk 'NR == 2 { print $(NF - 2) }')" 3
check "a second guest with the same name is refused" refused \
    guest start idle name=sleeper
guest stop sleeper
check "guest stop destroys it" refused xl domid sleeper

check "an unknown description is refused" refused guest start nobody
check "an unknown key is refused" refused guest start idle colour=red
check "a guest that cannot start is an error" refused \
    guest start idle name=tiny memory=$((4 - added))
check "a guest that panics is an error" refused \
    guest start idle name=panic xl='extra = "console=hvc0 panic=-1 rdinit=/none root="'
finish
