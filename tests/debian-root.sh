# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Roots of Debian releases, for tests of what differs there: source this.  Needs root,
# and $TOP.  build/chroot/SUITE.base is what debootstrap makes, and is kept; roots are
# copies of it.
#
# Nothing of this machine is changed: what runs in a root has a mount and a process
# namespace of its own, so whatever ends it ends all that runs in there, and what it
# mounted.

ROOTS=$TOP/build/chroot

# The mirror that apt uses here: what there is of this release is there of others.
mirror()
{
    # shellcheck disable=SC2016 # for apt, not for the shell
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' |
        awk '!/security/ && !seen++'
}

# make_base SUITE FOLDER
make_base()
{
    local site

    command -v debootstrap > /dev/null ||
        { echo "debootstrap is missing: apt-get install debootstrap" >&2; return 1; }
    site=$(mirror)
    rm -rf "$2.new"
    mkdir -p "$2.new"
    echo "making a Debian $1, some minutes" >&2
    # What it mounts goes with it, even if it is killed.
    unshare --mount debootstrap --variant=minbase \
        --include=ca-certificates,make,git \
        "$1" "$2.new" "${site:-http://deb.debian.org/debian}" \
        > "$2.log" 2>&1 ||
        { echo "debootstrap failed:" >&2; tail -n 5 "$2.log" >&2; return 1; }
    mv "$2.new" "$2"
}

# base SUITE: prints its folder.
base()
{
    local dir=$ROOTS/$1.base

    [ -d "$dir" ] || make_base "$1" "$dir" || return
    echo "$dir"
}

# make_root SUITE FOLDER: whole, or not there.
make_root()
{
    local base

    if [ ! -d "$2" ]; then
        base=$(base "$1") || return
        rm -rf "$2.new"
        cp -a "$base" "$2.new"
        mv "$2.new" "$2"
    fi
    copy_settings "$2"
}

# Names are looked up, and proxies asked, as here.
copy_settings()
{
    cp -L /etc/resolv.conf "$1/etc/resolv.conf" 2> /dev/null || :
    apt-config dump Acquire | grep -i proxy > "$1/etc/apt/apt.conf.d/50chroot" || :
}

# copy_tree FOLDER: to FOLDER/xensched what git knows of, with changes that are not
# committed; what is gone goes there, too, but for build/.
copy_tree()
{
    local to=$1/xensched

    mkdir -p "$to/build/cache"
    find "$to" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    (
        cd "$TOP" || exit
        git ls-files -z --cached --others --exclude-standard |
            while IFS= read -rd '' file; do
                [ ! -e "$file" ] || printf '%s\0' "$file"
            done | tar --null -T - -cf -
    ) | tar -xf - -C "$to"
    cp -pu "$TOP"/build/cache/*.tar.* "$to/build/cache/" 2> /dev/null || :
}

# run_in ROOT FOLDER COMMAND...: in this folder of the root.
run_in()
{
    # unshare ignores SIGTERM: only the death of the caller ends it.
    # shellcheck disable=SC2016 # for the shells in there
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child sh -euc '
        root=$1
        shift
        mount --rbind /dev "$root/dev"
        mount -t proc proc "$root/proc"
        exec chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            sh -c "cd \"\$1\" && shift && exec \"\$@\"" sh "$@"
    ' sh "$@"
}
