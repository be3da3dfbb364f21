#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The scripts of the packages, and xensched-build-hypervisor, in a folder as / and with a
# dpkg that reports versions of the test's choice: only a newer Xen of Debian is announced,
# an upgrade keeps the latest hypervisor that ran here, and a purge keeps measurements.
# upgrade.sh tries the same with the real dpkg, in minutes.  Writes TAP.

# Fake programs expand the words in single quotes here:
# shellcheck disable=SC2016

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$TOP/tests/tap.sh"

W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
ROOT=$W/root
ARCH=amd64 IMAGE=gz
NAME=$ROOT/boot/schedlog-xen-4.17-$ARCH
RECORD=$ROOT/var/lib/xensched-hypervisor/debian-4.17
SCRIPTS=$TOP/tools/packaging/hypervisor
OLD=4.17.5+72-g01140da4e8-1
NEW=4.17.7+13-g2445b30a44-0+deb12u1

# new_host RUNNING INSTALLED DEBIAN: versions; dpkg's state precedes Debian's.
new_host()
{
    rm -rf "$ROOT"
    mkdir -p "$ROOT"/{bin,boot/grub,sys/hypervisor/properties,var/lib}
    echo "xensched $1" > "$ROOT/sys/hypervisor/properties/changeset"
    installed "$2"
    printf '#!/bin/sh\necho "%s"\n' "$3" > "$ROOT/bin/dpkg-query"
    chmod +x "$ROOT/bin/dpkg-query"
}

installed()
{
    echo "$1" > "$NAME.version.new"
    echo "Xen $1" > "$NAME.$IMAGE.new"
    mv "$NAME.version.new" "$NAME.version"
    mv "$NAME.$IMAGE.new" "$NAME.$IMAGE"
}

# script NAME ARGUMENT...
script()
{
    local name=$1

    shift
    sed -e 's/@XEN@/4.17/g' -e "s/@ARCH@/$ARCH/g" -e "s/@IMAGE@/$IMAGE/g" \
        -e "s,/\(boot\|var/lib\|sys\)/,$ROOT&,g" "$SCRIPTS/$name.in" > "$W/$name"
    PATH=$ROOT/bin:$PATH sh "$W/$name" "$@"
}

# announces LINES DEBIAN [BUILT-FROM]: when Debian's package is triggered.
announces()
{
    local said

    new_host "${3:-$OLD}" "${3:-$OLD}" "$2"
    said=$(script postinst triggered /boot/xen-4.17-amd64.gz)
    echo "$said"
    [ "$(grep -c . <<< "$said")" -eq "$1" ]
}

newer_is_announced()
{
    announces 1 "ii $NEW" && [ "$(cat "$RECORD")" = "$NEW" ] &&
        script postinst triggered x |
            grep -F "built from Xen $OLD, Debian has $NEW: run 'xensched-build-hypervisor'" &&
        announces 1 "iU $NEW" && announces 1 "ii 4.17.5+72-g01140da4e8-2" &&
        announces 1 "ii $NEW" 'tarball xen-4.17.tar.xz'
}

others_are_not_announced()
{
    announces 0 "ii $OLD" && [ "$(cat "$RECORD")" = "$OLD" ] &&
        announces 0 "ii $OLD" "$NEW" && announces 0 "ii $NEW" "$NEW"
}

removed_is_not_announced()
{
    announces 0 "rc $NEW" && [ ! -e "$RECORD" ] && announces 0 "un " && [ ! -e "$RECORD" ] &&
        announces 0 ""
}

# A package of Debian's that is removed later is no longer recorded.
removal_is_recorded()
{
    announces 1 "ii $NEW" && [ -e "$RECORD" ] || return
    printf '#!/bin/sh\necho "rc %s"\n' "$NEW" > "$ROOT/bin/dpkg-query"
    script postinst triggered x && [ ! -e "$RECORD" ]
}

previous() { cat "$NAME.previous.version" "$NAME.previous.$IMAGE"; }
previous_is() { previous && [ "$(previous)" = "$1"$'\n'"Xen $1" ]; }

upgrade()
{
    script preinst upgrade 1 2 && installed "$1" && script postinst configure 1
}

# The disk is full: dpkg cannot unpack.
abort_upgrade() { script preinst upgrade 1 2 && script postrm abort-upgrade 1 2; }

replaced_is_kept()
{
    new_host "$OLD" "$OLD" "ii $OLD"
    upgrade "$NEW" && previous_is "$OLD" && [ "$(cat "$NAME.version")" = "$NEW" ]
}

# The second upgrade replaces a hypervisor that was never booted.
last_that_ran_is_kept()
{
    new_host "$OLD" "$OLD" "ii $OLD"
    upgrade 4.17.6-1 && upgrade "$NEW" && previous_is "$OLD" || return
    echo "xensched $NEW" > "$ROOT/sys/hypervisor/properties/changeset"
    upgrade 4.17.8-1 && previous_is "$NEW"
}

# A host that runs Debian's own Xen has booted neither.
kept_under_another_xen()
{
    new_host '' "$OLD" "ii $OLD"
    upgrade 4.17.6-1 && previous_is "$OLD" && upgrade "$NEW" && previous_is 4.17.6-1
}

boot_folder() { (cd "$ROOT/boot" && find . -type f -exec sha256sum {} + | sort); }

aborted_upgrade_changes_nothing()
{
    local before

    new_host "$OLD" "$OLD" "ii $OLD"
    before=$(boot_folder)
    abort_upgrade && diff <(echo "$before") <(boot_folder) || return
    upgrade 4.17.6-1 && echo "xensched 4.17.6-1" > "$ROOT/sys/hypervisor/properties/changeset"
    before=$(boot_folder)
    abort_upgrade && diff <(echo "$before") <(boot_folder) && previous_is "$OLD" &&
        upgrade "$NEW" && previous_is 4.17.6-1
}

# A package from before the file with the version existed.
without_version()
{
    new_host "$OLD" "$OLD" "ii $OLD"
    rm "$NAME.version"
    upgrade "$NEW" && [ "$(cat "$NAME.previous.gz")" = "Xen $OLD" ] &&
        [ ! -e "$NAME.previous.version" ]
}

install_keeps_nothing()
{
    new_host "$OLD" "$OLD" "ii $OLD"
    rm "$NAME".*
    script preinst install && [ ! -e "$NAME.previous.gz" ]
}

removal_removes_both()
{
    new_host "$OLD" "$OLD" "ii $OLD"
    script postinst configure && upgrade "$NEW" && rm "$NAME.gz" "$NAME.version" &&
        script postrm remove || return
    find "$ROOT/boot" "$ROOT/var" -type f
    [ -z "$(find "$ROOT/boot" "$ROOT/var/lib" -type f)" ]
}

# menu: prints the entries for GRUB.
menu()
{
    cat > "$ROOT/grub-mkconfig_lib" << 'END'
grub_quote() { cat; }
save_default_entry() { :; }
prepare_grub_to_access_device() { :; }
make_system_path_relative_to_its_root() { echo "$1"; }
END
    pkgdatadir=$ROOT GRUB_DEVICE_UUID=1 script menu 2> /dev/null
}

with_kernels()
{
    local kernel

    for kernel in "6.1.0-9-$ARCH" "6.1.0-10-$ARCH"; do
        echo CONFIG_XEN_DOM0=y > "$ROOT/boot/config-$kernel"
        touch "$ROOT/boot/vmlinuz-$kernel" "$ROOT/boot/initrd.img-$kernel"
    done
}

entries()
{
    new_host "$OLD" "$OLD" "ii $OLD"
    with_kernels
    [ "$(menu | grep -c '^menuentry')" -eq 2 ] && upgrade "$NEW" && menu &&
        [ "$(menu | sed -n "s/^menuentry.*--id '\(.*\)' {/\1/p" | tr '\n' ' ')" = \
            "xen-4.17-schedlog xen-4.17-schedlog-6.1.0-9-amd64 xen-4.17-schedlog-previous " ] &&
        menu | tail -n 16 | grep -F "previous ($OLD), Linux 6.1.0-10-amd64'" &&
        menu | tail -n 16 | grep '/schedlog-xen-4.17-amd64.previous.gz placeholder'
}

# GRUB has other commands there, and loads a file that is not compressed.
arm64()
{
    local ARCH=arm64 IMAGE=efi NAME=$ROOT/boot/schedlog-xen-4.17-arm64

    new_host "$OLD" "$OLD" "ii $OLD"
    with_kernels
    upgrade "$NEW" && previous_is "$OLD" && menu &&
        [ "$(menu | sed -n 's/^ *\(xen_[a-z]*\) \(.* \)*\(\/boot[^ ]*\).*/\1 \3/p' |
            head -n 3)" = "xen_hypervisor /boot/schedlog-xen-4.17-arm64.efi
xen_module /boot/vmlinuz-6.1.0-10-arm64
xen_module /boot/initrd.img-6.1.0-10-arm64" ] &&
        menu | grep 'xen_hypervisor .*/schedlog-xen-4.17-arm64.previous.efi' &&
        ! menu | grep -E "multiboot|module2"
}

# --- the command ---

SHARE=$ROOT/usr/share/xensched/hypervisor

# fake NAME LINE...: a program in front of the real one.
fake()
{
    printf '%s\n' '#!/bin/sh' "${@:2}" > "$ROOT/bin/$1"
    chmod +x "$ROOT/bin/$1"
}

# stub NAME LINE...: in place of a script of xen-patches/.
stub()
{
    printf '%s\n' '#!/bin/bash' '. "$(dirname "$0")/lib/paths.sh"' "${@:2}" \
        > "$SHARE/xen-patches/$1.sh"
    chmod +x "$SHARE/xen-patches/$1.sh"
}

stub_quick()
{
    stub tree 'mkdir -p "$XEN/patched/xen" "$XEN/patched/.xensched"' \
        "echo debian $NEW > \"\$XEN/patched/.xensched/version\""
    stub build 'echo new > "$1/xen/xen.gz"; echo config > "$1/xen/.config"'
}

# A host with the old hypervisor, on which the new one can be built in no time.
new_builder()
{
    new_host "$OLD" "$OLD" "ii 0.1+deb12+$OLD"
    mkdir -p "$SHARE"/{debian,xen-patches/4.17,tools/packaging} "$ROOT/run"
    cp -r "$TOP/xen-patches/lib" "$SHARE/xen-patches"
    cp -r "$SCRIPTS" "$SHARE/tools/packaging"
    echo 4.17 > "$SHARE/debian/xen-release"
    cp "$TOP/tools/packaging/debian/copyright" "$SHARE/debian"
    sed 's/@XEN@/4.17/g' "$TOP/tools/packaging/debian/control.in" > "$SHARE/debian/control"
    sed -e 's/@VERSION@/0.1+deb12/' -e 's/@DATE@/Sat, 01 Jan 2000 00:00:00 +0000/' \
        "$TOP/tools/packaging/debian/changelog.in" > "$SHARE/debian/changelog"
    stub candidate "printf '%s\n' source=$NEW site=http://site suite=suite"
    stub_quick
    fake id 'echo 0'
    fake df 'echo Avail; echo "${FREE:-9999}M"'
    fake apt-get "for deb; do :; done; cp \"\$deb\" $ROOT/installed.deb"
}

# build_now ARGUMENT...: runs the command with other folders.
build_now()
{
    sed "s,/\(usr/share/xensched\|var/cache\|run/\|boot\),$ROOT&,g" \
        "$SCRIPTS/xensched-build-hypervisor" > "$W/command"
    PATH=$ROOT/bin:$PATH bash "$W/command" "$@"
}

# ends CODE PATTERN COMMAND...: with this exit code and message.
ends()
{
    local code=$1 pattern=$2 said rc=0

    shift 2
    said=$("$@" 2>&1) || rc=$?
    echo "exit code $rc: $said"
    [ "$rc" -eq "$code" ] && grep -q -e "$pattern" <<< "$said"
}

not_installed() { [ ! -e "$ROOT/installed.deb" ]; }

command_line()
{
    ends 0 '^Exit status: 0' build_now --help && ends 2 '^usage: ' build_now --fast &&
        ends 2 '^usage: ' build_now --help more
}

package_is_installed()
{
    local deb=$ROOT/installed.deb

    new_builder
    ends 0 "installed: xen-hypervisor-4.17-amd64-schedlog 0.1+deb12+$NEW" build_now || return
    dpkg-deb -I "$deb"
    [ "$(dpkg-deb -f "$deb" Version)" = "0.1+deb12+$NEW" ] &&
        [ "$(dpkg-deb --fsys-tarfile "$deb" |
            tar -xO ./boot/schedlog-xen-4.17-amd64.version)" = "$NEW" ] &&
        dpkg-deb -I "$deb" conffiles | grep -x /etc/grub.d/21_xen-4.17-schedlog &&
        dpkg-deb -I "$deb" triggers | grep '/boot/xen-4.17-amd64.gz' &&
        ! dpkg-deb -I "$deb" postinst | grep DEBHELPER &&
        [ ! -e "$ROOT/var/cache/xensched-hypervisor/4.17/xen" ]
}

# dpkg_of ARCHITECTURE: dpkg reports this one for the machine.
dpkg_of()
{
    fake dpkg "[ \"\$1\" != --print-architecture ] || exec echo $1" \
        "exec $(command -v dpkg) \"\$@\""
}

package_for_arm64()
{
    local deb=$ROOT/installed.deb

    new_builder
    dpkg_of arm64
    stub build 'echo "$ARCH" > "$1/xen/xen"; echo config > "$1/xen/.config"'
    # On arm64 the compiler tells dpkg the architecture.
    DEB_HOST_ARCH=arm64 ends 0 "installed: xen-hypervisor-4.17-arm64-schedlog" build_now || return
    [ "$(dpkg-deb -f "$deb" Architecture)" = arm64 ] &&
        [ "$(dpkg-deb --fsys-tarfile "$deb" |
            tar -xO ./boot/schedlog-xen-4.17-arm64.efi)" = arm64 ]
}

nothing_newer()
{
    new_builder
    fake dpkg-query "echo 'ii 0.1+deb12+$NEW'"
    ends 0 'nothing to build' build_now && not_installed || return
    # A newer package, from a newer Xen than apt offers now.
    fake dpkg-query "echo 'ii 0.1+deb12+4.17.8-1'"
    ends 0 'nothing to build' build_now && not_installed
}

no_source()
{
    new_builder
    stub tree 'status=69 die "no source" "add this line"'
    ends 69 'add this line' build_now && not_installed &&
        stub candidate 'status=69 die "apt offers none"' &&
        ends 69 'apt offers none' build_now && not_installed
}

failures_install_nothing()
{
    new_builder
    stub tree 'die "The patch 0001-x.patch does not apply: y"'
    ends 1 'The patch 0001-x.patch does not apply' build_now &&
        ends 1 'nothing was installed' build_now && not_installed || return
    new_builder
    stub build 'stage Build build sh -c "echo No space left on device; exit 1"'
    ends 1 'No space left' build_now && not_installed || return
    # No step of the package's is skipped.
    new_builder
    stub build 'echo config > "$1/xen/.config"'
    ends 1 "'Package' failed" build_now && not_installed || return
    # The source that was built is not the one that apt named before.
    new_builder
    stub candidate "printf '%s\n' source=4.17.8-1 site=http://site suite=suite"
    ends 1 "is not that of Xen 4.17.8-1" build_now && not_installed
}

too_full()
{
    new_builder
    FREE=100 ends 1 'is too full: .* has 100 MB, .* MB are needed' build_now && not_installed
}

# The log of the stage has no room for the reason.
fills_up()
{
    new_builder
    echo 9999M > "$ROOT/free"
    fake df "echo Avail; cat $ROOT/free"
    stub build "echo 0M > $ROOT/free; stage Build build false"
    ends 1 'the disk of .* is full; make room' build_now && not_installed
}

# interrupt SIGNAL: as soon as the step that wait_in has replaced runs.
interrupt()
{
    export -f build_now
    export ROOT SCRIPTS W
    # A test in the background ignores the signal.
    env --default-signal=INT bash -c '
        set -m
        build_now &
        until [ -e "$ROOT/waits" ]; do sleep 0.1; done
        kill "-$1" -- "-$!"
        wait $!' bash "$1"
}

# wait_in STEP: a host on which this step takes long.
wait_in()
{
    new_builder
    case $1 in
    tree)    stub tree "touch $ROOT/waits; sleep 60" ;;
    build)   stub build "touch $ROOT/waits; sleep 60" ;;
    package) fake dpkg-deb "for deb; do :; done; echo half > \"\$deb\"" \
                 "touch $ROOT/waits; sleep 60" ;;
    esac
}

# go_on: lets the step end at once from now on.
go_on()
{
    [ -e "$ROOT/waits" ] || return
    rm -f "$ROOT/bin/dpkg-deb"
    stub_quick
    ends 0 installed: build_now && ! not_installed && dpkg-deb -I "$ROOT/installed.deb"
}

interruption()
{
    local step

    for step in tree build package; do
        wait_in "$step"
        ends 130 'interrupted.*repeat' interrupt INT && not_installed && go_on || return
    done
}

# As if the power failed: nothing of the command's runs after it.
killed()
{
    local step

    for step in tree build package; do
        wait_in "$step"
        ends 137 '' interrupt KILL && not_installed && go_on || return
    done
}

# dpkg that ends half way would leave a half-installed package.
installation_is_not_interrupted()
{
    new_builder
    fake apt-get "touch $ROOT/waits; sleep 1; touch $ROOT/installed.deb"
    ends 0 installed: interrupt INT && ! not_installed
}

two_at_once()
{
    new_builder
    (
        flock 8
        ends 1 'Another xensched-build-hypervisor is running' build_now && not_installed
    ) 8> "$ROOT/run/xensched-build-hypervisor.lock"
}

root_only()
{
    new_builder
    fake id 'echo 1000'
    ends 1 'Only root' build_now && not_installed
}

# --- the other packages ---

# other_script NAME ARGUMENT...: of a package without a hypervisor.
other_script()
{
    sed "s,/\(var/\|run/\),$ROOT&,g" "$TOP/tools/packaging/debian/$1" > "$W/$1"
    PATH=$ROOT/bin:$PATH sh "$W/$1" "${@:2}"
}

# A host on which the daemon ran, and xensched calibrate.
new_state()
{
    rm -rf "$ROOT"
    mkdir -p "$ROOT"/{bin,dev,var/lib/xensched,var/log/xensched}
    touch "$ROOT"/var/lib/xensched/{{state,history,distances,steered}.json,state.json.new,runs.state} \
        "$ROOT/var/log/xensched/journal.jsonl"
}

purge_keeps_measurements()
{
    local kept=$ROOT/var/lib/xensched said

    new_state
    mkdir "$kept/runs.sqlite-recordings"
    touch "$kept"/{runs.sqlite,late.rows,runs.sqlite-recordings/1.rows}
    other_script xensched.postrm remove && [ -e "$kept/state.json" ] || return
    said=$(other_script xensched.postrm purge)
    echo "$said"
    [ "$(cd "$ROOT/var" && find . -type f | sort | tr '\n' ' ')" = "./lib/xensched/late.rows \
./lib/xensched/runs.sqlite ./lib/xensched/runs.sqlite-recordings/1.rows " ] &&
        [ "$(wc -l <<< "$said")" -eq 1 ] && grep -F "stay in $kept;" <<< "$said"
}

purge_removes_state()
{
    new_state
    [ -z "$(other_script xensched.postrm purge)" ] && [ ! -e "$ROOT/var/lib/xensched" ] &&
        [ ! -e "$ROOT/var/log/xensched" ] && [ -z "$(other_script xensched.postrm purge)" ]
}

# The device exists: its module was there before the package.
device_has_group()
{
    new_state
    fake addgroup "touch $ROOT/group"
    fake udevadm 'case $* in' \
        "control*--reload*) [ -e $ROOT/group ] && touch $ROOT/rules ;;" \
        "trigger*--sysname-match=xensched-mark) [ -e $ROOT/rules ] && touch $ROOT/dev/changed ;;" \
        'esac'
    other_script xensched-mark.postinst configure && [ ! -e "$ROOT/dev/changed" ] || return
    mkdir -p "$ROOT/run/udev"
    touch "$ROOT/run/udev/control"
    other_script xensched-mark.postinst configure && [ -e "$ROOT/dev/changed" ] || return
    fake udevadm 'exit 1'
    other_script xensched-mark.postinst configure
}

# commands_of PROGRAM: those that its table names.
commands_of()
{
    sed -n 's/^    &command_\(.*\),$/\1/p' "$TOP/tools/xensched/command/$1.c" |
        tr '\n_' ' -'
}

# The package of a program has its manual pages, and the core package has neither.
commands_have_one_package()
{
    local rules=$TOP/tools/packaging/debian/rules package commands

    for package in xensched-lab xensched-fleet; do
        commands=$(commands_of "$package")
        echo "$package: $commands"
        grep -F "\$(call move,$package,${commands% })" "$rules" || return
        [ "$(sed -n "s/^    { \"\(.*\)\", .*\"$package\" },/\1/p" \
            "$TOP/tools/xensched/command/xensched.c" | tr '\n' ' ')" = "$commands" ] || return
        sed -n "/^Package: $package$/,/^$/p" "$TOP/tools/packaging/debian/control.in" |
            grep -Fx 'Replaces: xensched (<< ${binary:Version})' || return
    done
}

tests=(
    "a newer Xen of Debian is announced in one line, and recorded" newer_is_announced
    "an older or the same Xen is not announced"                 others_are_not_announced
    "a package that is not installed is not announced"          removed_is_not_announced
    "its removal is recorded"                                   removal_is_recorded
    "an upgrade keeps the replaced hypervisor"                  replaced_is_kept
    "a second upgrade keeps the last one that ran"              last_that_ran_is_kept
    "under another Xen the replaced one is kept"                kept_under_another_xen
    "one without a version is kept, too"                        without_version
    "an upgrade that dpkg aborts changes nothing in /boot"      aborted_upgrade_changes_nothing
    "a first installation keeps nothing"                        install_keeps_nothing
    "removal removes the previous one and the record"           removal_removes_both
    "GRUB has an entry for the previous one"                    entries
    "on arm64 it has the commands that load Xen there"          arm64
    "the command has a summary, and refuses wrong use"          command_line
    "it installs a package like that of make deb"               package_is_installed
    "on arm64 it builds Xen for arm64"                          package_for_arm64
    "it builds only a newer Xen"                                nothing_newer
    "without a source it ends with exit code 69"                no_source
    "a patch, a build or a source that fails installs nothing"  failures_install_nothing
    "a disk that is too full is refused"                        too_full
    "a disk that fills up is named, and nothing is installed"   fills_up
    "Ctrl-C installs nothing, at any step; a repetition succeeds" interruption
    "nor does a kill, at any step"                              killed
    "Ctrl-C during the installation waits for its end"          installation_is_not_interrupted
    "two at once are refused"                                   two_at_once
    "another user than root is refused"                         root_only
    "a purge keeps measurements, and says where"                purge_keeps_measurements
    "a purge removes state, and an empty folder"                purge_removes_state
    "the device for marks receives its group at installation"   device_has_group
    "each command of another program is in its package"         commands_have_one_package
)
echo "1..$((${#tests[@]} / 2))"
for ((i = 0; i < ${#tests[@]}; i += 2)); do
    check "${tests[i]}" "${tests[i + 1]}"
done
