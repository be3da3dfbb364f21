#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the Linux modules without a host: they build without a warning for each series of Linux
# that has a patch and that this Debian has, sparse and checkpatch report nothing, modinfo is
# complete, and DKMS gets all files that it needs.  Writes TAP.

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$TOP/tests/tap.sh"
DRIVERS=$TOP/guest-drivers
W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT

# Prints the newest kernel release of a series that apt knows, if there is one.
release_of()
{
    apt-cache search --names-only "^linux-headers-${1//./\\.}[.-][.0-9+a-z-]*-amd64$" |
        sed -n '/-\(cloud\|rt\)-/!s/^linux-headers-\([^ ]*\) .*/\1/p' |
        sort -V | tail -n 1
}

# build SERIES RELEASE: builds from scratch with all warnings; the output is in $W/log.
build()
{
    make -C "$DRIVERS" modules KERNEL="$2" OUT="$W/$1" W=1 C=1 > "$W/log" 2>&1 ||
        { tail -n 20 "$W/log"; return 1; }
}

no_warnings()
{
    ! grep -E 'warning:|error:' "$W/log"
}

modules()
{
    echo "$W/$1"/core/xensched_{log,ring}.ko "$W/$1"/blkback/xen-blkback.ko \
        "$W/$1"/guest/xensched_guest.ko
}

# says SERIES: checks the licence of each module, and that ours have a description.
says()
{
    local module

    for module in $(modules "$1"); do
        modinfo -F license "$module" | grep GPL || return 1
        [[ $module == */xen-blkback.ko ]] ||
            modinfo -F description "$module" | grep . || return 1
    done
}

# modprobe loads the log first, but continues without it.
asks_for_log()
{
    local module=$W/$1/blkback/xen-blkback.ko

    modinfo -F softdep "$module" | grep -x 'pre: xensched_log' &&
        ! modinfo -F depends "$module" | grep -w xensched_log
}

# All symbols are exported into the log's namespace, and the modules that use it declare that.
in_namespace()
{
    modinfo -F import_ns "$W/$1/guest/xensched_guest.ko" | grep -x XENSCHED_LOG &&
        grep -q XENSCHED_LOG "$W/$1/Module.symvers" &&
        ! grep -v 'XENSCHED_LOG$' "$W/$1/Module.symvers"
}

# Xen assigns to ACCESS_ONCE(), so READ_ONCE() cannot replace it.  The sign-off is added when
# patches are sent.
style()
{
    local scripts=$W/$1/blkback/linux-source-$1/scripts

    (cd "$DRIVERS" &&
        perl "$scripts/checkpatch.pl" --no-tree --quiet --ignore VOLATILE -f \
            core/*.[ch] guest/*.[ch] blkback/link.c include/*.h \
            include/uapi/*.h &&
        perl "$scripts/checkpatch.pl" --no-tree --quiet --strict --no-signoff \
            "blkback/patches/$1"/*.patch)
}

documented()
{
    "$W/$1/blkback/linux-source-$1/scripts/kernel-doc" -none -Werror \
        "$DRIVERS"/include/xensched_{log,link}.h
}

# for_linux SERIES RELEASE: builds the patch for Linux itself.
for_linux()
{
    "$DRIVERS/upstream/build.sh" "$2" "$W/$1/blkback/linux-source-$1" "$W/$1-linux" \
        > "$W/log" 2>&1 || { tail -n 20 "$W/log"; return 1; }
}

# checkpatch's --strict reports macros of tracepoints.
style_for_linux()
{
    perl "$W/$1/blkback/linux-source-$1/scripts/checkpatch.pl" --no-tree --quiet \
        --no-signoff "$DRIVERS"/upstream/*.patch
}

exports_tracepoint()
{
    grep -P '\t__tracepoint_xen_blkback_response\t.*\tEXPORT_SYMBOL_GPL' \
        "$W/$1-linux/drivers/block/xen-blkback/Module.symvers"
}

# Prints the prototypes of probes with another order of arguments, as sched_switch had in Linux
# 5.18; a single argument gets another one before it.
swap_arguments()
{
    perl -0pi -e 's/\(void \*data, ([^()]*),\s+([^(),]*)\)/(void *data, $2, $1)/g;
        s/\(void \*data, (struct \w+ \*\w+)\)/(void *data, int more, $1)/g' "$@"
}

# refuses_probes SERIES RELEASE: each probe with another prototype than its tracepoint fails to
# compile.
refuses_probes()
{
    local headers other=$W/$1-other file

    headers=$("$DRIVERS/headers.sh" "$2")
    "$DRIVERS/stage.sh" "$other" log
    for file in $(grep -l '_point_find(&' "$other"/guest/*.c); do
        swap_arguments "$file"
        ! make -C "$headers" M="$other" KCFLAGS=-DXENSCHED_HAVE_SCHED_DELAYED \
            "guest/$(basename "$file" .c).o" > "$W/log" 2>&1 ||
            { echo "$file compiles"; return 1; }
        [ "$(grep -c 'error: .*does not have the prototype of' "$W/log")" = \
            "$(grep -c '_point_find(&' "$file")" ] ||
            { tail -n 20 "$W/log"; return 1; }
    done
}

# ring_follows_header SERIES RELEASE: the module xensched_ring compiles with the header of the patch
# for Linux, and not with another order of the tracepoint's arguments.
ring_follows_header()
{
    local headers ring=$W/$1-ring include=$W/$1-include flags

    headers=$("$DRIVERS/headers.sh" "$2")
    flags="-I$include -DXENSCHED_HAVE_BLKBACK_POINT"
    "$DRIVERS/stage.sh" "$ring" log
    cp -r "$W/$1-linux/include" "$include"
    make -C "$headers" M="$ring" KCFLAGS="$flags" core/ring.o > "$W/log" 2>&1 ||
        { tail -n 20 "$W/log"; return 1; }
    perl -0pi -e 's/(unsigned int pages),\s+(u64 sects)\)/$2, $1)/' \
        "$include/trace/events/xen_blkback.h"
    touch "$ring/core/ring.c"
    ! make -C "$headers" M="$ring" KCFLAGS="$flags" core/ring.o > "$W/log" 2>&1 ||
        { echo "it compiles with another order"; return 1; }
    grep 'error: .*does not have the prototype of xen_blkback_response' "$W/log"
}

test_series()
{
    local release

    release=$(release_of "$1")
    if [ -z "$release" ] || [ ! -f "/usr/src/linux-source-$1.tar.xz" ]; then
        skip "the modules for Linux $1" "linux-source-$1 is not installed"
        return
    fi
    check "the modules build for Linux $release" build "$1" "$release"
    check "no warnings, also from sparse" no_warnings
    check "sparse has checked the files" grep -q '  CHECK .*/core/events.c' "$W/log"
    check "a probe with another prototype than its tracepoint does not compile" \
        refuses_probes "$1" "$release"
    check "modinfo has their licences and descriptions" says "$1"
    check "xen-blkback loads the log, but does not depend on it" asks_for_log "$1"
    check "symbols are exported into the log's namespace" in_namespace "$1"
    check "checkpatch finds nothing, Linux $1" style "$1"
    check "kernel-doc finds nothing, Linux $1" documented "$1"
    check "the patch for Linux itself builds, Linux $release" for_linux "$1" "$release"
    check "without a warning" no_warnings
    check "other modules can attach to its tracepoint" exports_tracepoint "$1"
    check "checkpatch finds nothing in it, Linux $1" style_for_linux "$1"
    check "xensched_ring follows the patch's header" ring_follows_header "$1" "$release"
}

# dkms_tree_builds NAME RELEASE: builds as DKMS does; each module is where dkms.conf names it.
dkms_tree_builds()
{
    local source

    make -C "$DRIVERS" dkms DESTDIR="$W/dest" > "$W/log" 2>&1 || return 1
    source=$(echo "$W/dest/usr/src/$1"-[0-9]*)
    # shellcheck source=/dev/null
    (export kernelver=$2; . "$source/dkms.conf"
        [ "$source" = "$W/dest/usr/src/$PACKAGE_NAME-$PACKAGE_VERSION" ] &&
            [ -z "${BUILD_EXCLUSIVE_KERNEL:-}" ] || exit 1
        { cd "$source" && ${PRE_BUILD:-:} &&
            make -C "$("$DRIVERS/headers.sh" "$2")" M="$source" modules; } \
            > "$W/log" 2>&1 || { tail -n 20 "$W/log"; exit 1; }
        for i in "${!BUILT_MODULE_NAME[@]}"; do
            ls "$source/${BUILT_MODULE_LOCATION[i]}/${BUILT_MODULE_NAME[i]}.ko" ||
                exit 1
        done)
}

# Prints the commands; DKMS must not change the test's machine.
dkms_is_told()
{
    local said

    said=$(make -n -C "$DRIVERS" dkms KERNEL=6.1.0-99-amd64) &&
        grep 'dkms install xensched-log/[0-9.]* -k 6.1.0-99-amd64$' <<< "$said" &&
        grep 'dkms install xen-blkback-xensched/[0-9.]* -k 6.1.0-99-amd64$' <<< "$said"
}

# with_packages SOURCE HEADERS COMMAND...: runs a command as if these versions were installed.
STATE=installed
with_packages()
{
    mkdir -p "$W/bin"
    cat > "$W/bin/dpkg-query" << END
#!/bin/sh
case "\$*" in
*Status-Status*) echo $STATE ;;
*linux-source*)  echo $1 ;;
*)               echo $2 ;;
esac
END
    chmod +x "$W/bin/dpkg-query"
    shift 2
    PATH=$W/bin:$PATH "$@"
}

# excluded WHY SOURCE HEADERS RELEASE: DKMS skips this kernel and continues with other modules.
excluded()
{
    local said

    said=$(with_packages "$2" "$3" bash -c "kernelver=$4
        . '$W'/dest/usr/src/xen-blkback-xensched-*/dkms.conf
        [[ ! $4 =~ \$BUILD_EXCLUSIVE_KERNEL && -z \$AUTOINSTALL ]]" 2>&1) || return 1
    grep -F -- "$1" <<< "$said"
}

# log_excluded RELEASE: as long as the source does not change.  DKMS passes the headers' folder.
log_excluded()
{
    (export kernelver=$1 kernel_source_dir XENSCHED_RUN=$W
        kernel_source_dir=$("$DRIVERS/headers.sh" "$1")
        # shellcheck source=/dev/null
        . "$W"/dest/usr/src/xensched-log-*/dkms.conf
        [[ ! $1 =~ ${BUILD_EXCLUSIVE_KERNEL:-.} && -z $AUTOINSTALL ]])
}

# leaves_apt_alone RELEASE: a kernel on which the log does not build is excluded, with the
# compiler's reason, until the source changes.
leaves_apt_alone()
{
    local said source

    source=$(echo "$W"/dest/usr/src/xensched-log-[0-9]*)
    cp "$source/core/lease.c" "$W/lease.c"
    ! log_excluded "$1" || { echo "excluded though it builds"; return 1; }
    echo '#error no such Linux' >> "$source/core/lease.c"
    said=$(log_excluded "$1" 2>&1) || { echo "not excluded: $said"; return 1; }
    grep "xensched-log is not built for Linux $1: .*no such Linux" <<< "$said" ||
        return 1
    cp "$W/lease.c" "$source/core/lease.c"
    ! log_excluded "$1" || { echo "excluded though it builds again"; return 1; }
}

not_excluded()
{
    ! excluded '' "$@"
}

cd "$DRIVERS/blkback/patches"
last=
for series in *; do
    test_series "$series"
    [ ! -d "$W/$series" ] || last=$series
done
check "DKMS builds for the requested kernel" dkms_is_told
if [ -n "$last" ]; then
    release=$(release_of "$last")
    check "the files that DKMS gets for the log build alone" \
        dkms_tree_builds xensched-log "$release"
    check "and for xen-blkback" dkms_tree_builds xen-blkback-xensched "$release"
    check "a kernel on which the log does not build does not make apt fail" \
        leaves_apt_alone "$release"
    check "a source that is older than the kernel is not built" \
        excluded 'is older than this kernel' "$last.100-1" "$last.100-2" "$release"
    STATE=half-configured
    check "an older source is not built while apt installs this kernel's headers" \
        excluded 'is older than this kernel' "$last.100-1" "$last.100-2" "$release"
    STATE=config-files
    check "removed packages cause no message" \
        not_excluded "$last.100-1" "$last.100-2" "$release"
    STATE=installed
    check "a source that is as old as the kernel is built" not_excluded "$last.100-2" "$last.100-2" "$release"
    check "a source for a kernel without a patch is not built" \
        excluded 'there is no patch' "$last.100-1" "$last.100-1" 5.10.0-1-amd64
    check "a series without a patch is reported" sh -c \
        "'$W/$last/blkback/prepare.sh' 5.10.0-1-amd64 2>&1 |
         grep -q 'there is no patch for Linux 5.10'"
fi
echo "1..$TAP_N"
