# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Asks apt for the source of Debian's Xen.  The system's configuration stays as it is:
# a host usually has no deb-src lines, so apt runs with a copy of the system's sources in
# which every line is a deb-src line, and with lists of its own.  The keys, and with them
# what apt accepts, are those of the system.  Needs $CACHE and say.sh.

APT=$CACHE/apt

# setting NAME: a path of the system's apt.
setting()
{
    local value

    eval "$(apt-config shell value "$1")"
    printf '%s' "$value"
}

# hypervisor_package RELEASE: the name of Debian's package for this machine.
hypervisor_package() { echo "xen-hypervisor-$1-$(dpkg --print-architecture)"; }

# debian_candidate RELEASE: the version of Debian's hypervisor package that apt would
# install; empty if apt has none.
debian_candidate()
{
    command -v apt-cache > /dev/null || return 0
    apt-cache policy "$(hypervisor_package "$1")" 2> /dev/null |
        sed -n 's/^ *Candidate: \([^(].*\)$/\1/p'
}

# source_version RELEASE VERSION: the version of the source package that this version of
# the hypervisor package was built from.
source_version()
{
    local named

    named=$(apt-cache show "$(hypervisor_package "$1")=$2" 2> /dev/null |
        sed -n 's/^Source: xen (\(.*\))$/\1/p')
    named=${named%%$'\n'*}
    echo "${named:-$2}"
}

# candidate_place RELEASE VERSION: "site suite" of the archive that offers it.
candidate_place()
{
    apt-cache madison "$(hypervisor_package "$1")" 2> /dev/null |
        awk -F ' *[|] *' -v version="$2" '
            $2 == version && !seen++ { split($3, p, " "); sub(/\/.*/, "", p[2])
                                       print p[1], p[2] }'
}

# as_sources FILE: a file of apt's sources, as deb-src lines.
as_sources()
{
    case $1 in
    *.sources) sed -E 's/^Types:.*/Types: deb-src/' "$1" ;;
    *)         sed -E 's/^[[:space:]]*deb([[:space:]])/deb-src\1/' "$1" ;;
    esac
}

# write_sources: the system's sources as deb-src lines, in $APT/sources.
write_sources()
{
    local file parts

    rm -rf "$APT/sources"
    mkdir -p "$APT/sources" "$APT/lists/partial"
    parts=$(setting Dir::Etc::sourceparts/d)
    for file in "$(setting Dir::Etc::sourcelist/f)" "$parts"/*.list "$parts"/*.sources; do
        [ ! -f "$file" ] || as_sources "$file" > "$APT/sources/${file##*/}"
    done
}

# sites LABEL: the archives of this label that apt is configured with.
sites()
{
    command -v apt-get > /dev/null || return 0
    # $(SITE) is for apt, not for the shell.
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(SITE)' 'Created-By: Packages' \
        'Origin: Debian' "Label: $1" 2> /dev/null | sort -u
}

# write_suites SUITE...: instead of the system's sources, those of other releases of
# Debian and of their security updates.
write_suites()
{
    local suite main security key=/usr/share/keyrings/debian-archive-keyring.gpg

    main=$(sites Debian)
    security=$(sites Debian-Security)
    [ -f "$key" ] && key="[signed-by=$key] " || key=
    rm -rf "$APT/sources"
    mkdir -p "$APT/sources" "$APT/lists/partial"
    for suite; do
        echo "deb-src $key${main:-https://deb.debian.org/debian} $suite main"
        echo "deb-src $key${security:-https://deb.debian.org/debian-security}" \
            "$suite-security main"
    done > "$APT/sources/suites.list"
}

# source_apt PROGRAM ARGUMENT...: apt-get or apt-cache, with these sources.  A source
# that no key vouches for is refused, whatever the system allows for packages.
source_apt()
{
    local program=$1

    shift
    "$program" -q -o Dir::Etc::sourcelist=/dev/null \
        -o Dir::Etc::sourceparts="$APT/sources" -o Dir::State::lists="$APT/lists" \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o APT::Sandbox::User=root -o Acquire::Retries=1 \
        -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 \
        -o APT::Get::AllowUnauthenticated=false \
        -o Acquire::AllowInsecureRepositories=false "$@"
}

has_source()
{
    local known

    known=$(source_apt apt-cache showsrc --only-source xen 2> /dev/null) || :
    grep -qxF "Version: $1" <<< "$known"
}

# download_source PACKAGE VERSION FOLDER: the files of the source package.  apt verifies
# the signature of the index and by it the checksum of each file.
download_source()
{
    mkdir -p "$3"
    (cd "$3" && source_apt apt-get source --download-only "$1=$2") || return
    # Files of an archive on this machine are links so far.
    cp -rL "$3" "$3.copy" && rm -r "$3" && mv "$3.copy" "$3"
}

# download_xen VERSION FOLDER
download_xen()
{
    write_sources
    has_source "$1" || source_apt apt-get update || :
    has_source "$1" ||
        { echo "no archive that apt is configured with has the source xen $1"; return 1; }
    download_source xen "$1" "$2"
}

# missing_today FILE: it was asked for within a day, and no archive had it.
missing_today() { [ -n "$(find "$1.missing" -mmin -1440 2> /dev/null)" ]; }

# apt_source VERSION: prints the path of its .dsc, which is downloaded first when it is
# not there.  What apt says is in the log.
apt_source()
{
    local folder=$APT/xen_$1 dsc=$APT/xen_$1/xen_${1#*:}.dsc log=$BUILD/log/apt-source.log

    if [ ! -f "$dsc" ]; then
        mkdir -p "$APT" "${log%/*}"
        note "fetching the source of Debian's xen $1 with apt"
        rm -rf "$folder" "$folder".part*
        download_xen "$1" "$folder.part" > "$log" 2>&1 < /dev/null ||
            { : > "$folder.missing"; return 1; }
        mv "$folder.part" "$folder"
        rm -f "$folder.missing"
    fi
    echo "$dsc"
}
