# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches the tarballs that xen-patches/<release>/source pins.  The file has one block of
# KEY=value lines for each tarball, the newest first, separated by empty lines.  A tarball
# is used only if its sha256 is the pinned one.  Needs paths.sh and apt.sh.

SOURCE=$RELEASE_DIR/source

pins() { awk -v RS= 'END { print NR }' < <(sed '/^#/d' "$SOURCE"); }

# pinned N KEY: a value of the Nth block, from 1.
pinned()
{
    sed '/^#/d' "$SOURCE" |
        awk -v RS= -v FS='\n' -v n="$1" -v key="$2=" '
            NR == n { for (i = 1; i <= NF; i++)
                          if (index($i, key) == 1) print substr($i, length(key) + 1) }'
}

checksum() { sha256sum < "$1" | cut -d ' ' -f 1; }

# places N: where the file may be, best first: the mirrors that apt is configured with,
# Debian's public mirror, and the archive that keeps old files.
places()
{
    local pool label public sha1

    for pool in $(pinned "$1" pool); do
        case $pool in
        pool/updates/*) label=Debian-Security public=debian-security ;;
        *)              label=Debian public=debian ;;
        esac
        { sites "$label"; echo "https://deb.debian.org/$public"; } |
            sed "s|\$|/$pool/$(pinned "$1" file)|"
    done
    sha1=$(pinned "$1" sha1)
    [ -z "$sha1" ] || echo "https://snapshot.debian.org/file/$sha1"
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

# fetch_pin N: the file appears in the cache only if its checksum is right.  Returns 1
# if no place has it, 2 if a place has something else.
fetch_pin()
{
    local file want url got wrong=1 log=$BUILD/log/fetch.log

    file=$CACHE/$(pinned "$1" file)
    want=$(pinned "$1" sha256)
    mkdir -p "$CACHE" "${log%/*}"
    for url in $(places "$1" | awk '!seen[$0]++'); do
        note "fetching $url"
        rm -f "$file.part"
        get "$url" "$file.part" >> "$log" 2>&1 || { note "  not from there"; continue; }
        got=$(checksum "$file.part")
        if [ "$got" = "$want" ]; then
            mv "$file.part" "$file"
            rm -f "$file.missing"
            return
        fi
        note "  wrong checksum from there: $got"
        wrong=2
    done
    rm -f "$file.part"
    return "$wrong"
}

# is_pinned FILE
is_pinned() { grep -qx "sha256=$(checksum "$1")" "$SOURCE"; }

verify_cached()
{
    [ "$(checksum "$1")" = "$2" ] ||
        die "Wrong checksum: $1" "Expected sha256 $2." \
            "The file is damaged. Remove it and run the command again."
}

cannot_fetch()
{
    local file

    file=$(pinned 1 file)
    [ -n "$(pinned 1 pool)" ] ||
        die "No mirror has $file, of which $SOURCE says what it is." \
            "Bring it: XEN_TARBALL=FILE, or put it here: $CACHE/$file"
    [ "$1" -ne 2 ] ||
        die "Wrong checksum: what was fetched is not $file." \
            "Expected sha256 $(pinned 1 sha256)." \
            "A proxy may have answered in the mirror's place. Fetch the file" \
            "in another way and put it here: $CACHE/$file"
    die "Cannot fetch $file: no network, or no mirror has it." \
        "What each place answered: $BUILD/log/fetch.log" \
        "Without a network: fetch it elsewhere and put it here: $CACHE/$file" \
        "or bring a source of your own: make xen XEN_TARBALL=... or XEN_TREE=..."
}

# pin_source: prints the path of the newest pinned tarball that can be had.
pin_source()
{
    local n file rc=1

    rm -f "$BUILD/log/fetch.log"
    for ((n = 1; n <= $(pins); n++)); do
        file=$CACHE/$(pinned "$n" file)
        if [ ! -f "$file" ]; then
            # An older one serves for a day; then the mirrors are asked again.
            [ "$n" -eq "$(pins)" ] || ! missing_today "$file" || continue
            fetch_pin "$n" ||
                { rc=$?
                  [ "$n" -eq "$(pins)" ] || : > "$file.missing"
                  continue; }
        fi
        verify_cached "$file" "$(pinned "$n" sha256)"
        echo "$file"
        return
    done
    cannot_fetch "$rc"
}
