#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Print the path of the Xen tarball to build from, and fetch it first when it
# is not there.  A tarball that was fetched is used only when its checksum is
# the one of xen-patches/<release>/source.
#
# XEN_TARBALL=FILE  use this file instead, as it is.

set -euo pipefail
. "$(dirname "$0")/lib/paths.sh"

# pinned KEY: a value of the source file.
pinned()
{
    sed -n "s/^$1=//p" "$RELEASE_DIR/source"
}

checksum() { sha256sum < "$1" | cut -d ' ' -f 1; }

# Where the file may be, best first: the mirrors that apt is configured with,
# Debian's public mirror, and the archive that keeps old files.
places()
{
    local path

    path=$(pinned pool)/$(pinned file)
    if command -v apt-get > /dev/null; then
        # $(SITE) is for apt, not for the shell.
        # shellcheck disable=SC2016
        apt-get indextargets --format '$(SITE)' 'Created-By: Packages' \
            'Origin: Debian' 'Label: Debian' 2> /dev/null |
            sort -u | sed "s|\$|/$path|"
    fi
    echo "https://deb.debian.org/debian/$path"
    echo "https://snapshot.debian.org/file/$(pinned sha1)"
}

# get URL FILE: through apt where there is apt (its proxy and its kinds of
# addresses are then used), else with curl.
get()
{
    local apt=${APT_HELPER:-/usr/lib/apt/apt-helper}

    if [ -x "$apt" ]; then
        "$apt" -o APT::Sandbox::User=root -o Acquire::Retries=1 \
            -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 \
            download-file "$1" "$2"
    else
        need curl
        curl -fsSL --connect-timeout 20 --retry 1 -o "$2" "$1"
    fi
}

# fetch FILE: leaves FILE there only when its checksum is right.
fetch()
{
    local url tmp=$1.part want got wrong='' log=$BUILD/log/fetch.log

    want=$(pinned sha256)
    [ -n "$(pinned pool)" ] ||
        die "No mirror has $(pinned file), of which $RELEASE_DIR/source says what it is." \
            "Bring it: XEN_TARBALL=FILE, or put it here: $1"
    mkdir -p "$CACHE" "${log%/*}"
    : > "$log"
    for url in $(places | awk '!seen[$0]++'); do
        note "fetching $url"
        rm -f "$tmp"
        get "$url" "$tmp" >> "$log" 2>&1 || { note "  not from there"; continue; }
        got=$(checksum "$tmp")
        if [ "$got" = "$want" ]; then
            mv "$tmp" "$1"
            return
        fi
        note "  wrong checksum from there: $got"
        wrong=yes
    done
    rm -f "$tmp"
    [ -z "$wrong" ] ||
        die "Wrong checksum: what was fetched is not $(pinned file)." \
            "Expected sha256 $want." \
            "A proxy may have answered in the mirror's place. Fetch the file" \
            "in another way and put it here: $1"
    die "Cannot fetch $(pinned file): no network, or no mirror has it." \
        "What each place answered: $log" \
        "Without a network: fetch it elsewhere and put it here: $1" \
        "or bring a source of your own: make xen XEN_TARBALL=... or XEN_TREE=..."
}

own_tarball()
{
    [ -f "$XEN_TARBALL" ] || die "XEN_TARBALL is not a file: $XEN_TARBALL"
    [ "$(checksum "$XEN_TARBALL")" = "$(pinned sha256)" ] ||
        note "XEN_TARBALL is not the source that the patches are made for;" \
             "it is used as it is."
    realpath "$XEN_TARBALL"
}

if [ -n "${XEN_TARBALL:-}" ]; then
    own_tarball
    exit
fi
tarball=$CACHE/$(pinned file)
[ -f "$tarball" ] || fetch "$tarball"
[ "$(checksum "$tarball")" = "$(pinned sha256)" ] ||
    die "Wrong checksum: $tarball" "Expected sha256 $(pinned sha256)." \
        "The file is damaged. Remove it and run the command again."
echo "$tarball"
