#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the handling of Xen's source: each failure gives a clear message and a non-zero
# exit code, no work is lost, and only changed files are written again.  Runs the real
# scripts on a Xen tree of three small files, in a separate project; needs no network and
# no build.  Writes TAP.

# Make and the fake programs expand the words in single quotes here:
# shellcheck disable=SC2016

set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd -P)
. "$TOP/tests/tap.sh"

W=$(mktemp -d)
trap 'rm -rf "$W"' EXIT
P=$W/project
TREES=$P/build/xen
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
export GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@localhost
export GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@localhost
# No hypervisor from the machine's own apt, and no CI, unless a test sets them.
unset XEN_TARBALL XEN_TREE XEN_RELEASE XEN_FROM XENSCHED_BUILD CI
export APT_CONFIG=$W/apt.conf

# --- a small project ---

xen_sources()
{
    mkdir -p "$1/xen/common" "$1/xen/arch/x86/configs"
    cat > "$1/xen/Makefile" <<'END'
all:
	@echo building; [ ! -e "$(HOME)/broken" ] || ! grep -x thirty common/b.c
	@echo obj > xen
%config:
	@touch $(KCONFIG_CONFIG)
distclean:
END
    seq 1 40 > "$1/xen/common/a.c"
    seq 1 40 > "$1/xen/common/b.c"
    : > "$1/COPYING"
    : > "$1/xen/COPYING"
    : > "$1/xen/arch/x86/configs/x86_64_defconfig"
}

# write_patch NAME FILE FROM TO: a patch that changes one line of a file.
write_patch()
{
    local a=$W/diff/a/$2 b=$W/diff/b/$2

    rm -rf "$W/diff"
    mkdir -p "$(dirname "$a")" "$(dirname "$b")"
    cp "$W/xen-src/$2" "$a"
    sed "s/^$3\$/$4/" "$a" > "$b"
    {
        printf '%s\n' "From $ZEROS Mon Sep 17 00:00:00 2001" \
            'From: t <t@localhost>' 'Date: Sat, 1 Jan 2000 00:00:00 +0000' \
            "Subject: [PATCH] ${1%.patch}" '' 'Because.' '---'
        (cd "$W/diff" && git diff --no-index "a/$2" "b/$2" |
            sed -e 's|a/a/|a/|g' -e 's|b/b/|b/|g' -e '/^index /d')
    } > "$P/xen-patches/4.20/$1" || :
}
ZEROS=0000000000000000000000000000000000000000

# A fresh project: tarball, one patch, one new file.
project()
{
    rm -rf "$P" "$W/xen-src"
    mkdir -p "$P/xen-patches/4.20" "$P/xen-patches/files/xen/common" "$P/build/cache"
    cp -r "$TOP"/xen-patches/*.sh "$TOP/xen-patches/lib" "$P/xen-patches/"
    xen_sources "$W/xen-src"
    tar -C "$W" -cJf "$P/build/cache/xen.tar.xz" xen-src
    cp "$P/build/cache/xen.tar.xz" "$W/good.tar.xz"
    printf '%s\n' file=xen.tar.xz pool=pool/x \
        "sha256=$(sha256sum < "$W/good.tar.xz" | cut -d ' ' -f 1)" sha1=0 \
        > "$P/xen-patches/4.20/source"
    : > "$P/xen-patches/4.20/config"
    write_patch 0001-change-a.patch xen/common/a.c 20 twenty
    echo new > "$P/xen-patches/files/xen/common/new.c"
    echo '0001-change-a.patch xen/common/new.c' > "$P/xen-patches/4.20/series"
}

script() { local s=$1; shift; (cd "$P" && "xen-patches/$s.sh" "$@"); }

# A download program with results of the test's choice.
downloader()
{
    printf '#!/bin/sh\nfor f; do :; done\n%s\n' "$1" > "$W/get"
    chmod +x "$W/get"
    export APT_HELPER=$W/get
}

# --- what to expect ---

# refused TEXT... -- COMMAND...: whether it exits non-zero and prints each TEXT.
refused()
{
    local out t texts=()

    while [ "$1" != -- ]; do
        texts+=("$1")
        shift
    done
    shift
    if out=$("$@" 2>&1); then
        printf 'It did not fail:\n%s\n' "$out"
        return 1
    fi
    for t in "${texts[@]}"; do
        grep -qF -- "$t" <<< "$out" ||
            { printf 'It does not say "%s":\n%s\n' "$t" "$out"; return 1; }
    done
}

# says TEXT COMMAND...: whether it exits with zero and prints TEXT.
says()
{
    local text=$1 out

    shift
    out=$("$@" 2>&1) || { echo "$out"; return 1; }
    grep -qF -- "$text" <<< "$out" || { echo "$out"; return 1; }
}

silent()
{
    local out

    if ! out=$("$@" 2>&1) || [ -n "$out" ]; then
        echo "$out"
        return 1
    fi
}

# --- fetching ---

no_network()
{
    project
    rm "$P/build/cache/xen.tar.xz"
    downloader 'exit 100'
    refused 'Cannot fetch xen.tar.xz' 'XEN_TARBALL' -- script fetch &&
    refused 'Cannot fetch xen.tar.xz' -- script tree patched &&
    [ ! -e "$TREES/patched" ]
}

wrong_checksum()
{
    project
    rm "$P/build/cache/xen.tar.xz"
    downloader 'echo "<html>Log in, please</html>" > "$f"'
    refused 'Wrong checksum' 'Expected sha256' -- script tree patched &&
    [ -z "$(ls -A "$P/build/cache")" ] && [ ! -e "$TREES/pristine" ]
}

next_place()
{
    project
    rm "$P/build/cache/xen.tar.xz"
    # The first mirror is broken, the second one has the file.
    downloader "if mkdir $W/once 2> /dev/null; then exit 100; fi
                cp $W/good.tar.xz \"\$f\""
    script tree patched && [ -f "$TREES/patched/xen/common/a.c" ]
}

damaged_cache()
{
    project
    echo x >> "$P/build/cache/xen.tar.xz"
    refused 'Wrong checksum' 'Remove it' -- script tree patched
}

own_tarball()
{
    project
    sed -i 's/^40$/forty/' "$W/xen-src/xen/common/b.c"
    tar -C "$W" -czf "$W/own.tar.gz" xen-src
    says 'it is used as it is' env XEN_TARBALL="$W/own.tar.gz" \
        "$P/xen-patches/tree.sh" patched &&
    grep -qx forty "$TREES/patched/xen/common/b.c" &&
    refused 'not a file' -- env XEN_TARBALL="$W/none" \
        "$P/xen-patches/tree.sh" patched
}

own_tree()
{
    local before

    project
    git -C "$W/xen-src" init -q
    echo '*.o' > "$W/xen-src/.gitignore"
    git -C "$W/xen-src" add .
    touch "$W/xen-src/xen/a.o" "$W/xen-src/xen/untracked.c"
    before=$(cd "$W/xen-src" && find . -printf '%p %T@\n' | sort)
    XEN_TREE=$W/xen-src script tree patched || return
    [ "$before" = "$(cd "$W/xen-src" && find . -printf '%p %T@\n' | sort)" ] ||
        { echo "the tree was changed"; return 1; }
    [ -f "$TREES/patched/xen/untracked.c" ] &&
    [ ! -e "$TREES/patched/xen/a.o" ] && [ ! -e "$TREES/patched/.git" ] &&
    grep -qx twenty "$TREES/patched/xen/common/a.c"
}

not_a_xen_tree()
{
    project
    mkdir -p "$W/empty"
    refused 'not a Xen source tree' -- env XEN_TREE="$W/empty" \
        "$P/xen-patches/tree.sh" patched &&
    refused 'not a folder' -- env XEN_TREE="$W/none" \
        "$P/xen-patches/tree.sh" patched
}

# --- the source that apt offers ---

# A separate apt, with the folder $W/archive as its only archive.
own_apt()
{
    rm -rf "$W/apt" "$W/archive"
    mkdir -p "$W"/apt/{etc,state/lists/partial,cache} "$W/archive"
    : > "$W/apt/status"
    printf '%s\n' "Dir::Etc \"$W/apt/etc\";" "Dir::State \"$W/apt/state\";" \
        "Dir::State::status \"$W/apt/status\";" "Dir::Cache \"$W/apt/cache\";" \
        'APT::Architecture "amd64";' 'APT::Sandbox::User "root";' > "$APT_CONFIG"
}

# source_package VERSION: Debian's source package of Xen, with a patch of Debian's.
source_package()
{
    local tree=$W/work/xen-${1%-*}

    rm -rf "$W/work"
    mkdir -p "$W/work"
    cp -r "$W/xen-src" "$tree"
    tar -C "$W/work" -cJf "$W/work/xen_${1%-*}.orig.tar.xz" "${tree##*/}"
    mkdir -p "$tree/debian/patches" "$tree/debian/source"
    echo '3.0 (quilt)' > "$tree/debian/source/format"
    printf 'xen (%s) sid; urgency=low\n\n  * x\n\n -- t <t@localhost>  %s\n' "$1" \
        'Sat, 01 Jan 2000 00:00:00 +0000' > "$tree/debian/changelog"
    printf 'Source: xen\nMaintainer: t <t@localhost>\n\nPackage: %s\nArchitecture: any\n' \
        xen-hypervisor-4.20-amd64 > "$tree/debian/control"
    printf '%s\n' '--- a/xen/common/b.c' '+++ b/xen/common/b.c' '@@ -10 +10 @@' \
        -10 +Debian > "$tree/debian/patches/one"
    echo one > "$tree/debian/patches/series"
    (cd "$W/work" && dpkg-source -b "$tree") > /dev/null 2>&1 &&
        mv "$W/work"/xen_* "$W/archive"
}

# offer VERSION [OPTION]: the archive has this version of Xen, and apt knows that.
offer()
{
    local dsc=xen_$1.dsc f

    source_package "$1" || return
    (
        cd "$W/archive"
        printf '%s\n' 'Package: xen-hypervisor-4.20-amd64' 'Source: xen' "Version: $1" \
            'Architecture: amd64' 'Filename: ./none.deb' 'Size: 1' 'MD5sum: 0' '' >> Packages
        sed -e 's/^Source:/Package:/' -e '/^Checksums-Sha256:/,$d' "$dsc" >> Sources
        echo Checksums-Sha256: >> Sources
        for f in "$dsc" "xen_${1%-*}.orig.tar.xz" "xen_$1.debian.tar.xz"; do
            echo " $(sha256sum "$f" | cut -d ' ' -f 1) $(stat -c %s "$f") $f"
        done >> Sources
        printf '%s\n' 'Directory: .' '' >> Sources
        { echo 'Origin: Debian'
          echo 'Date: Sat, 01 Jan 2000 00:00:00 +0000'
          echo SHA256:
          for f in Packages Sources; do
              echo " $(sha256sum $f | cut -d ' ' -f 1) $(stat -c %s $f) $f"
          done; } > Release
    )
    trust '[trusted=yes]'
    apt-get -q update
}

trust() { echo "deb $1 file:$W/archive ./" > "$W/apt/etc/sources.list"; }

built_from() { cat "$TREES/patched/.xensched/version"; [ "$(cat "$TREES/patched/.xensched/version")" = "debian $1" ]; }

apts_source_is_built()
{
    project
    own_apt
    offer 4.20.9+1-1 &&
    says 'Xen 4.20: building 4.20.9+1-1' script tree patched &&
    says 'the newest of Debian' script tree patched && built_from 4.20.9+1-1 &&
    grep -qx Debian "$TREES/patched/xen/common/b.c" &&
    grep -qx twenty "$TREES/patched/xen/common/a.c" || return
    rm -rf "$W/own"
    mkdir "$W/own"
    cp "$W/archive"/xen_4.20.9+1* "$W/own"
    XEN_TARBALL=$W/own/xen_4.20.9+1-1.dsc says 'your own (the newest' script tree patched ||
        return
    # An existing file is not fetched again.
    rm "$W/archive"/xen_* && says 'the newest of Debian' script tree patched
}

newer_source_is_built()
{
    project
    own_apt
    offer 4.20.9-1 && script tree patched || return
    sed -i 's/^40$/forty/' "$W/xen-src/xen/common/b.c"
    offer 4.20.10-1 && script tree patched && built_from 4.20.10-1 &&
    grep -qx forty "$TREES/patched/xen/common/b.c"
}

# Xen reports the content of .scmversion; a package has it in its version.
reports()
{
    cat "$TREES/patched/.scmversion"
    [ "$(cat "$TREES/patched/.scmversion")" = "xensched $1" ]
}

hypervisor_names_its_source()
{
    project
    own_apt
    script tree patched && script build build/xen/patched &&
    reports 'tarball xen.tar.xz' || return
    offer 4.20.9+1-1 && script tree patched && script build build/xen/patched &&
    reports 4.20.9+1-1 || return
    offer 4.20.10-1 && script tree patched && script build build/xen/patched &&
    reports 4.20.10-1 && script tree native && script build build/xen/native &&
    [ ! -e "$TREES/native/.scmversion" ]
}

# A signed index has the checksum: another file in its place is refused.
another_file_is_refused()
{
    local code=0

    project
    own_apt
    offer 4.20.9-1 || return
    echo x >> "$W/archive/xen_4.20.9.orig.tar.xz"
    XEN_FROM=apt script tree patched || code=$?
    [ "$code" -eq 69 ] && [ ! -e "$TREES/patched" ] || { echo "exit code $code"; return 1; }
    refused 'Cannot fetch the source' "deb-src file:$W/archive" -- \
        env XEN_FROM=apt "$P/xen-patches/fetch.sh" &&
    mv "$P/build/cache/xen.tar.xz" "$P/build/cache/xen_4.20.8.orig.tar.xz" &&
    sed -i s/xen.tar.xz/xen_4.20.8.orig.tar.xz/ "$P/xen-patches/4.20/source" &&
    says "4.20.8, the pinned tarball (OLDER than Debian's 4.20.9-1)" script tree patched
}

unsigned_index_is_refused()
{
    project
    own_apt
    offer 4.20.9-1 || return
    trust ''
    refused 'Cannot fetch the source' -- env XEN_FROM=apt "$P/xen-patches/fetch.sh" &&
    [ ! -e "$P/build/cache/apt/xen_4.20.9-1" ]
}

# A working build stays, and no tree is partly of the new version.
apts_source_does_not_apply()
{
    project
    own_apt
    offer 4.20.9-1 && script tree patched || return
    sed -i 's/^20$/another/' "$W/xen-src/xen/common/a.c"
    offer 4.20.10-1 &&
    refused 'The patch 0001-change-a.patch does not apply' -- script tree patched &&
    built_from 4.20.9-1 && grep -qx twenty "$TREES/patched/xen/common/a.c"
}

pin_where_asked()
{
    project
    own_apt
    offer 4.20.9-1 &&
    says 'the pinned tarball' env XEN_FROM=pin "$P/xen-patches/tree.sh" patched &&
    says 'the pinned tarball' env CI=true "$P/xen-patches/tree.sh" patched &&
    refused "neither 'apt' nor 'pin'" -- env XEN_FROM=x "$P/xen-patches/fetch.sh"
}

no_candidate()
{
    local code=0

    project
    own_apt
    XEN_FROM=apt script fetch || code=$?
    [ "$code" -eq 69 ] && says 'apt offers no Xen 4.20 here' script tree patched
}

# older_pin: a newer tarball that no place has, before the one that is there.
older_pin()
{
    local source=$P/xen-patches/4.20/source

    project
    own_apt
    { printf '%s\n' file=xen_4.20.8.orig.tar.xz pool=pool/x sha256=0 ''; cat "$source"; } \
        > "$source.new"
    mv "$source.new" "$source"
    downloader "echo x >> $W/asked; exit 100"
    says 'an older pinned tarball' script tree patched && [ -s "$W/asked" ] || return
    rm "$W/asked"       # and not asked for again at once
    script tree patched && [ ! -e "$W/asked" ]
}

# Everything in PATH but git.
missing_tool()
{
    local bin=$W/bin

    project
    rm -rf "$bin"
    mkdir "$bin"
    find /bin/ /usr/bin/ -maxdepth 1 ! -type d ! -name git \
        -exec ln -sf -t "$bin" {} +
    refused 'Missing on this machine: git' 'make setup' -- \
        env PATH="$bin" "$P/xen-patches/tree.sh" patched
}

unknown_release()
{
    project
    refused 'no folder for Xen 1.0' 'Known: 4.20' -- \
        env XEN_RELEASE=1.0 "$P/xen-patches/tree.sh" patched
}

# --- the patched tree ---

patch_does_not_apply()
{
    local before

    project
    script tree patched || return
    before=$(cd "$TREES/patched" && find . -type f -exec sha256sum {} + | sort)
    sed -i 's/^ 19$/ nineteen/' "$P/xen-patches/4.20/0001-change-a.patch"
    refused '0001-change-a.patch does not apply' 'xen/common/a.c:17' \
        'make xen-edit' -- script tree patched &&
    [ "$before" = "$(cd "$TREES/patched" &&
        find . -type f -exec sha256sum {} + | sort)" ]
}

series_names_nothing()
{
    project
    echo 0002-none.patch >> "$P/xen-patches/4.20/series"
    refused 'not there: 0002-none.patch' -- script tree patched || return
    echo '0001-change-a.patch xen/none.c' > "$P/xen-patches/4.20/series"
    refused 'not there: xen/none.c' -- script tree patched
}

file_that_xen_has()
{
    project
    cp "$W/xen-src/xen/common/b.c" "$P/xen-patches/files/xen/common/"
    refused 'files/xen/common/b.c' 'xen-refresh' -- script tree patched
}

# mtimes: what does not change must not be built again.
only_changes_are_written()
{
    local t=$TREES/patched/xen/common

    project
    script tree patched || return
    touch -d 2001-01-01 "$t"/*.c
    ! says 'files written' script tree patched || return
    echo more >> "$P/xen-patches/files/xen/common/new.c"
    script tree patched || return
    ls -l --full-time "$t"
    grep -qx more "$t/new.c" && [ "$t/new.c" -nt "$t/a.c" ] &&
    [ ! "$t/a.c" -nt "$t/b.c" ]
}

undone_is_undone()
{
    local t=$TREES/patched/xen/common

    project
    write_patch 0002-change-b.patch xen/common/b.c 30 thirty
    echo 0002-change-b.patch >> "$P/xen-patches/4.20/series"
    script tree patched && grep -qx thirty "$t/b.c" || return
    touch -d 2001-01-01 "$t"/*.c
    rm "$P/xen-patches/files/xen/common/new.c"
    echo 0001-change-a.patch > "$P/xen-patches/4.20/series"
    script tree patched || return
    cmp "$t/b.c" "$W/xen-src/xen/common/b.c" && [ "$t/b.c" -nt "$t/a.c" ] &&
    [ ! -e "$t/new.c" ] && grep -qx twenty "$t/a.c"
}

left_overs_do_no_harm()
{
    project
    mkdir -p "$TREES/pristine.tmp/xen" "$TREES/patched.tmp" "$TREES/patched.files"
    echo junk > "$TREES/pristine.tmp/xen/junk.c"
    echo junk > "$TREES/patched.files/junk.c"
    script tree patched && [ ! -e "$TREES/patched/xen/junk.c" ] &&
    [ ! -e "$TREES/patched/junk.c" ]
}

# Another process has the lock until the second one prints that it waits, and a bit longer.
two_builds_wait()
{
    local other rc=0

    project
    script tree patched >/dev/null 2>&1
    : > "$W/said"
    rm -f "$TREES/held" "$TREES/given"
    {
        flock 9
        : > "$TREES/held"
        for _ in {1..200}; do
            ! grep -q 'waiting for another build' "$W/said" || break
            sleep 0.1
        done
        sleep 0.5
        : > "$TREES/given"
    } 9> "$TREES/.lock" &
    other=$!
    until [ -e "$TREES/held" ]; do sleep 0.05; done
    script build "$TREES/patched" > "$W/said" 2>&1 && [ -e "$TREES/given" ] || rc=1
    wait "$other"
    cat "$W/said"
    grep -q 'waiting for another build' "$W/said" && [ -f "$TREES/patched/xen/xen" ] &&
        [ "$rc" -eq 0 ]
}

failing_configuration()
{
    project
    script tree native || return
    printf 'all:\n\t@:\n%%config:\n\t@echo the reason; exit 1\n' \
        > "$TREES/native/xen/Makefile"
    refused 'the reason' "'Xen configuration (native)' failed" -- \
        script build build/xen/native
}

failing_build()
{
    project
    script tree native || return
    printf 'all:\n\t@seq 1 50; echo the reason; exit 1\n%%config:\n\t@:\n' \
        > "$TREES/native/xen/Makefile"
    refused 'the reason' 'FAILED after' 'build/log/' -- \
        script build build/xen/native
}

# A toolstack of two headers: one is Xen's own, one comes from files/.
toolstack_sources()
{
    local d

    mkdir "$W/xen-src/docs"
    touch "$W/xen-src/docs/configure"
    printf '#!/bin/sh\n' > "$W/xen-src/configure"
    chmod +x "$W/xen-src/configure"
    for d in include libs xs-clients xenstored misc xentrace console xl helpers
    do
        mkdir -p "$W/xen-src/tools/$d"
        printf 'install: ;\n' > "$W/xen-src/tools/$d/Makefile"
    done
    mkdir -p "$W/xen-src/xen/include/public" "$P/xen-patches/files/xen/include/public"
    echo old > "$W/xen-src/xen/include/public/old.h"
    echo new > "$P/xen-patches/files/xen/include/public/new.h"
    printf 'install:\n\tinstall -D -t $(DESTDIR)/usr/include ../../xen/include/public/*.h\n' \
        > "$W/xen-src/tools/include/Makefile"
}

toolstack_only_when_needed()
{
    local h=$P/build/dist/usr/include files=$P/xen-patches/files/xen

    project
    toolstack_sources
    export XEN_TREE=$W/xen-src
    script tree patched && script toolstack && [ -f "$h/new.h" ] || return
    touch -d 2001-01-01 "$h/old.h" "$h/new.h"
    echo more >> "$files/common/new.c"
    script tree patched && silent script toolstack || return
    echo more >> "$files/include/public/new.h"
    script tree patched && says 'build, install' script toolstack &&
    grep -qx more "$h/new.h" && [ "$h/new.h" -nt "$h/old.h" ] &&
    [ "$(date -r "$h/old.h" +%Y)" = 2001 ] || return
    rm "$files/include/public/new.h"
    script tree patched && script toolstack && [ ! -e "$h/new.h" ] &&
    [ -e "$h/old.h" ]
}

# Debian's source package, in which configure and its files still have to be generated.
toolstack_without_configure()
{
    project
    toolstack_sources
    rm -r "$W/xen-src/configure" "$W/xen-src/docs"
    cat > "$W/xen-src/autogen.sh" << 'END'
#!/bin/sh -e
mkdir -p docs
printf '#!/bin/sh\n[ -e config.guess ] && [ -e config.sub ]\n' > configure
chmod +x configure
touch docs/configure
END
    chmod +x "$W/xen-src/autogen.sh"
    XEN_TREE=$W/xen-src script tree patched && script toolstack &&
        [ -f "$P/build/dist/usr/include/new.h" ]
}

# --- the developer's loop ---

state() { (cd "$P/xen-patches" && find . -type f -exec sha256sum {} + | sort); }

round_trip()
{
    local before

    project
    script edit && script refresh || return     # into the form that is written
    before=$(state)
    script edit && says 'Nothing to write' script refresh &&
    [ "$before" = "$(state)" ] || return
    rm -rf "$TREES/edit"
    script edit && says 'Nothing to write' script refresh &&
    [ "$before" = "$(state)" ]
}

refresh_writes()
{
    local s=$P/xen-patches

    project
    script edit || return
    (
        cd "$TREES/edit"
        sed -i 's/^5$/five/' xen/common/b.c
        echo second > xen/common/second.c
        echo changed > xen/common/new.c
        git add -A
        git commit -q -m 'xen: second change' -m 'Why.'
    ) || return
    script refresh || return
    grep -qx second "$s/files/xen/common/second.c" &&
    grep -qx changed "$s/files/xen/common/new.c" &&
    grep -qx '0002-xen-second-change.patch xen/common/second.c' "$s/4.20/series" &&
    grep -qx '+five' "$s/4.20/0002-xen-second-change.patch" &&
    ! grep -qE 'second\.c|new\.c' "$s/4.20/0002-xen-second-change.patch" || return
    script tree patched && grep -qx five "$TREES/patched/xen/common/b.c" || return
    # A removed commit removes its patch and its files.
    git -C "$TREES/edit" reset -q --hard HEAD^
    script refresh && [ ! -e "$s/4.20/0002-xen-second-change.patch" ] &&
    [ ! -e "$s/files/xen/common/second.c" ] &&
    grep -qx new "$s/files/xen/common/new.c"
}

no_work_is_lost()
{
    project
    script edit || return
    echo x >> "$TREES/edit/xen/common/b.c"
    refused 'not committed' -- script edit &&
    refused 'not committed' -- script refresh || return
    git -C "$TREES/edit" commit -q -a -m 'x'
    refused 'not written back' 'make xen-refresh' -- script edit &&
    refused 'not written back' -- script edit --may-remove || return
    script refresh && script edit
}

both_sides_changed()
{
    local new=$P/xen-patches/files/xen/common/new.c

    project
    script edit || return
    echo ours > "$new"
    (
        cd "$TREES/edit"
        echo theirs > xen/common/new.c
        git commit -q -a --amend --no-edit
    ) || return
    refused 'files/xen/common/new.c' 'Nothing was written' -- script refresh &&
    grep -qx ours "$new"
}

only_files_changed()
{
    local new=$P/xen-patches/files/xen/common/new.c

    project
    script edit && script refresh || return
    echo ours > "$new"
    says 'is kept' script refresh && grep -qx ours "$new" || return
    script edit && grep -qx ours "$TREES/edit/xen/common/new.c"
}

edit_stops_at_a_bad_patch()
{
    project
    sed -i 's/^ 19$/ nineteen/' "$P/xen-patches/4.20/0001-change-a.patch"
    refused 'does not apply' 'git am --continue' -- script edit &&
    refused 'half done' -- script refresh || return
    (
        cd "$TREES/edit"
        sed -i 's/^20$/twenty/' xen/common/a.c
        git apply --include=xen/common/new.c "$TREES/edit/.git/rebase-apply/patch"
        git add -A
        git am -q --continue
    ) || return
    script refresh && script tree patched &&
    grep -qx twenty "$TREES/patched/xen/common/a.c"
}

arguments_are_refused()
{
    local s

    project
    mkdir -p "$P/xen-patches/upstream"
    echo 'one 0001' > "$P/xen-patches/upstream/series"
    for s in check-updates debug fetch flask hunks refresh series sysroot; do
        refused "$s.sh accepts no argument: --help" -- script "$s" --help || return
    done
    refused 'usage: edit.sh [--may-remove]' -- script edit --help &&
        refused 'no series called two' 'Known: product one' -- script series-check two &&
        KINDS='x86-gcc-debug x' refused 'no kind of build called x' -- \
            script series-check one &&
        [ ! -e "$TREES" ]
}

# check_series WHAT: the subjects of the patches for which series-check prints WHAT
check_series()
{
    (export HOME=$W; script series-check product) > "$W/said" 2>&1 || return
    sed -n "s/.*release: \(.*[^ ]\) *$1\$/\1/p" "$W/said" | sed 's/:$//' | paste -sd ' '
}

series_check_continues()
{
    local upstream=$P/xen-patches/upstream

    project
    write_patch 0002-change-b.patch xen/common/b.c 30 thirty
    echo 0002-change-b.patch >> "$P/xen-patches/4.20/series"
    mkdir "$upstream"
    echo 'one 0001' > "$upstream/series"
    echo 'one: two words' > "$upstream/one.cover"
    touch "$W/broken"
    ! check_series '[0-9]* s' || return
    grep '0002-change-b.*FAILED' "$W/said" || return
    rm "$W/broken"
    [ "$(check_series 'passed before')" = 0001-change-a ] &&
        grep '0002-change-b.* [0-9]* s$' "$W/said" &&
        [ "$(check_series 'passed before')" = '0001-change-a 0002-change-b' ] || return
    write_patch 0002-change-b.patch xen/common/b.c 30 THIRTY
    [ "$(check_series 'passed before')" = 0001-change-a ] || { cat "$W/said"; return 1; }
}

# check_tools: the subjects of the patches after which the toolstack was built
check_tools()
{
    (export HOME=$W PATH=$W/go-only:$PATH KINDS=tools-gcc; script series-check product) \
        > "$W/said" 2>&1 || return
    sed -n 's/.*tools-gcc: \(.*[^ ]\)  *[0-9]* s$/\1/p' "$W/said" | paste -sd ' '
}

# A patch of the hypervisor alone does not build the toolstack.  The in-tree test runs.
series_check_builds_tools()
{
    local tools=$W/xen-src/tools d

    project
    toolstack_sources
    for d in include libs xentrace xl golang/xenlight tests/schedlog; do
        mkdir -p "$tools/$d"
        printf '.PHONY: all run\nall:\nrun:\n\t! grep -x THIRTY test\n' > "$tools/$d/Makefile"
    done
    seq 1 40 > "$tools/tests/schedlog/test"
    mkdir -p "$W/go-only"
    printf '#!/bin/sh\n' > "$W/go-only/go"
    chmod +x "$W/go-only/go"
    rm -r "$P/xen-patches/files/xen/include"
    write_patch 0002-change-test.patch tools/tests/schedlog/test 30 thirty
    echo 0002-change-test.patch >> "$P/xen-patches/4.20/series"
    tar -C "$W" -cJf "$P/build/cache/xen.tar.xz" xen-src
    sed -i "s/^sha256=.*/sha256=$(sha256sum < "$P/build/cache/xen.tar.xz" | cut -d ' ' -f 1)/" \
        "$P/xen-patches/4.20/source"
    mkdir "$P/xen-patches/upstream"
    : > "$P/xen-patches/upstream/series"
    [ "$(check_tools)" = 0002-change-test ] || { cat "$W/said"; return 1; }
    write_patch 0002-change-test.patch tools/tests/schedlog/test 30 THIRTY
    ! check_tools && grep '0002-change-test.*FAILED' "$W/said"
}

series_is_complete_or_nothing()
{
    project
    echo stray > "$P/xen-patches/files/xen/common/stray.c"
    refused 'No patch of the series adds: xen/common/stray.c' -- script series
}

# --- another release ---

# other_release: two patches for 4.20; in 4.22 the place of the first one has changed,
# that of the second one has moved.
other_release()
{
    local o=$P/xen-patches/4.22

    project
    write_patch 0002-change-b.patch xen/common/b.c 30 thirty
    echo 0002-change-b.patch >> "$P/xen-patches/4.20/series"
    script edit && script refresh > /dev/null   # into the form that is written
    sed -i 's/^19$/nineteen/' "$W/xen-src/xen/common/a.c"
    sed -i '1i one\ntwo\nthree' "$W/xen-src/xen/common/b.c"
    tar -C "$W" -cJf "$P/build/cache/xen-4.22.tar.xz" xen-src
    mkdir "$o"
    printf '%s\n' file=xen-4.22.tar.xz \
        "sha256=$(sha256sum < "$P/build/cache/xen-4.22.tar.xz" | cut -d ' ' -f 1)" \
        > "$o/source"
    cp "$P/xen-patches/4.20/config" "$o"
}

newer() { local s=$1; shift; (cd "$P" && XEN_RELEASE=4.22 "xen-patches/$s.sh" "$@"); }

hunks_are_named()
{
    other_release
    refused '0001: xen/common/a.c:17' '2 hunks, 1 of them do not apply' -- newer hunks &&
    says '2 hunks, 0 of them do not apply' script hunks
}

# Mends the patch that does not apply, in the edit tree.
mend()
{
    refused 'git am --continue' -- newer edit || return
    (
        cd "$P/build/4.22/xen/edit"
        sed -i 's/^20$/twenty/' xen/common/a.c
        git apply --include=xen/common/new.c .git/rebase-apply/patch
        git add -A
        git am -q --continue
    )
}

only_what_differs()
{
    local o=$P/xen-patches/4.22 t=$P/build/4.22/xen/patched/xen/common

    other_release
    mend && newer refresh || return
    (cd "$o" && ls)
    [ -f "$o/0001-0001-change-a.patch" ] && [ ! -e "$o/0002-0002-change-b.patch" ] &&
    newer tree patched && grep -qx twenty "$t/a.c" && grep -qx thirty "$t/b.c" &&
    grep -qx new "$t/new.c" || return
    # The tree of 4.20 is unchanged, and is built beside it.
    script tree patched && grep -qx 19 "$TREES/patched/xen/common/a.c" &&
    newer edit && says 'Nothing to write' newer refresh
}

# In 4.22 no patch names the new file at first.
series_is_inherited()
{
    local o=$P/xen-patches/4.22 edit=$P/build/4.22/xen/edit

    other_release
    sed 's/^\(0001-[^ ]*\).*/\1/' "$P/xen-patches/4.20/series" > "$o/series"
    mend || return
    (
        cd "$edit"
        cp "$P/xen-patches/files/xen/common/new.c" xen/common/
        git add -A
        git commit -q --fixup=HEAD~1
        GIT_SEQUENCE_EDITOR=: git rebase -q -i --autosquash base
    ) || return
    newer refresh && [ ! -e "$o/series" ] && newer tree patched &&
        grep -qx new "$P/build/4.22/xen/patched/xen/common/new.c"
}

what_only_one_lacks()
{
    local o=$P/xen-patches/4.22

    other_release
    mend || return
    (
        cd "$P/build/4.22/xen/edit"
        echo lacking > xen/common/later.h
        git add -A
        git commit -q --amend --no-edit
    ) || return
    newer refresh && [ ! -e "$P/xen-patches/files/xen/common/later.h" ] &&
    grep -qx '+lacking' "$o/0002-0002-change-b.patch" &&
    [ ! -e "$o/series" ] && newer tree patched &&
    grep -qx lacking "$P/build/4.22/xen/patched/xen/common/later.h" &&
    script tree patched && [ ! -e "$TREES/patched/xen/common/later.h" ]
}

# A patch comes before the others, so their names change, first those of 4.20.
patches_are_renumbered()
{
    local edit last

    other_release
    mend && newer refresh && newer edit && script edit || return
    for edit in "$TREES/edit" "$P/build/4.22/xen/edit"; do
        last=$(git -C "$edit" rev-parse HEAD)
        git -C "$edit" reset -q --hard base
        echo before > "$edit/xen/common/before.c"
        git -C "$edit" add -A
        GIT_AUTHOR_DATE=2000-01-01T00:00:00Z git -C "$edit" commit -q -m 'Before'
        git -C "$edit" cherry-pick "base..$last" > /dev/null || return
    done
    script refresh && newer refresh && newer tree patched &&
        grep -qx thirty "$P/build/4.22/xen/patched/xen/common/b.c" &&
        grep -qx before "$P/build/4.22/xen/patched/xen/common/before.c" &&
        ls "$P"/xen-patches/4.*/ && [ -f "$P/xen-patches/4.20/0003-0002-change-b.patch" ] &&
        [ "$(ls "$P/xen-patches/4.22")" = "0002-0001-change-a.patch
config
source" ]
}

# 4.23 needs the mended patch of 4.22 and the unchanged one of 4.20, so has none itself.
inherits_from_the_release_before()
{
    local o=$P/xen-patches/4.23 t=$P/build/4.23/xen/patched/xen/common

    other_release
    mend && newer refresh || return
    mkdir "$o"
    cp "$P/xen-patches/4.22"/{source,config} "$o"
    export XEN_RELEASE=4.23
    says '2 hunks, 0 of them do not apply' script hunks &&
    script tree patched && grep -qx twenty "$t/a.c" && grep -qx thirty "$t/b.c" &&
    script edit && says 'Nothing to write' script refresh &&
    [ -z "$(find "$o" -name "*.patch")" ]
}

no_mirror_has_it()
{
    other_release
    rm "$P/build/cache/xen-4.22.tar.xz"
    downloader 'echo "it was asked for" >&2; exit 1'
    refused 'No mirror has xen-4.22.tar.xz' 'XEN_TARBALL=FILE' -- newer tree pristine
}

# --- packages and suites ---

setup_asks_nothing()
{
    local bin=$W/setup-bin

    mkdir -p "$bin"
    printf '#!/bin/sh\necho installed\n' > "$bin/dpkg-query"
    printf '#!/bin/sh\necho "apt-get was run"; exit 1\n' > "$bin/apt-get"
    chmod +x "$bin"/*
    silent env PATH="$bin:$PATH" "$TOP/tests/setup.sh"
}

setup_without_root()
{
    local bin=$W/user-bin f

    mkdir -p "$bin"
    for f in bash cat cut grep sed id env dpkg-query apt-get; do
        ln -sf "$(command -v "$f")" "$bin/"
    done
    rm "$bin/id" "$bin/dpkg-query"
    printf '#!/bin/bash\necho 1000\n' > "$bin/id"
    printf '#!/bin/bash\nexit 1\n' > "$bin/dpkg-query"
    chmod +x "$bin/id" "$bin/dpkg-query"
    refused 'no sudo' 'apt-get install' 'acpica-tools' -- \
        env PATH="$bin" "$TOP/tests/setup.sh"
}

# make deb refuses a Debian release if its Xen has no patches here, and a tree instead of a
# tarball.
deb_refuses()
{
    local bin=$W/deb-bin

    mkdir -p "$bin"
    printf '#!/bin/sh\necho "  Candidate: 4.19.1-1"\n' > "$bin/apt-cache"
    chmod +x "$bin/apt-cache"
    refused "Debian's Xen is 4.19 here" '4.20' -- \
        env -u XEN_RELEASE PATH="$bin:$PATH" "$TOP/tools/packaging/deb.sh" &&
    refused 'XEN_TARBALL=FILE' -- env XEN_TREE=/ "$TOP/tools/packaging/deb.sh"
}

# deb_version: of the packages of a small project.
deb_version()
{
    PATH="$W/deb-stubs:$PATH" XEN_RELEASE=4.20 \
        "$W/deb-project/tools/packaging/deb.sh" > /dev/null 2>&1 || :
    sed -n '1s/.*(\(.*\)).*/\1/p' "$W/deb-project/build/deb/xensched/debian/changelog"
}

# version_at SECONDS: the same, with a commit of that time.
version_at()
{
    GIT_COMMITTER_DATE="@$1 +0000" git -C "$W/deb-project" -c user.name=x -c user.email=x \
        commit -q --allow-empty --date "@$1" -m x
    deb_version
}

# Packages of a later change are newer, so that Breaks and Replaces have an effect.
deb_numbers_changes()
{
    local project=$W/deb-project bin=$W/deb-stubs first second dirty archive

    mkdir -p "$project"/{tools/xensched,xen-patches/4.20} "$bin"
    cp -r "$TOP/tools/packaging" "$project/tools"
    cp "$TOP/tools/xensched/Makefile" "$project/tools/xensched"
    touch "$project/xen-patches/4.20/source" "$project/xen.tar"
    printf '#!/bin/sh\necho "$PWD/xen.tar"\n' > "$project/xen-patches/fetch.sh"
    printf '#!/bin/sh\nexit 1\n' > "$bin/dpkg-checkbuilddeps"
    cp "$bin/dpkg-checkbuilddeps" "$bin/dpkg-buildpackage"
    chmod +x "$project/xen-patches/fetch.sh" "$bin"/*
    echo /build > "$project/.gitignore"
    git -C "$project" init -q
    git -C "$project" add -A
    first=$(version_at 1795766400) && second=$(version_at 1795766460)
    find "$project" -type f -exec touch -d @1795766400 {} +
    echo '# changed' >> "$project/tools/xensched/Makefile"
    touch -d @1795766520 "$project/tools/xensched/Makefile"
    dirty=$(deb_version)
    rm -rf "$project/.git"
    archive=$(deb_version)
    echo "$first, $second; not committed: $dirty; without git: $archive"
    dpkg --compare-versions "$second" gt "$first" &&
        dpkg --compare-versions "$first" gt "${first%+*}" &&
        dpkg --compare-versions "$dirty" gt "$second" && [ "$archive" = "$dirty" ]
}

summary_counts()
{
    local out

    printf '1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP no KVM\n' > "$W/one.tap"
    printf '1..2\nok 1 - a\n' > "$W/two.tap"
    out=$("$TOP/tests/tap-summary.sh" "$W/one.tap" "$W/two.tap") && return 1
    echo "$out"
    [ "$(tail -n 1 <<< "$out")" = "2 passed, 2 failed, 1 skipped" ] &&
    grep -q 'one: b' <<< "$out" && grep -q 'two: 1 planned' <<< "$out"
}

# The substitute for the suites sleeps for a number of seconds that no other process uses.
SLEEP=98765$$

sleepers() { pgrep -f "^sleep $SLEEP\$" | wc -l; }

# A project in which each build succeeds, and each suite sleeps.
sleeping_project()
{
    local suite

    mkdir -p "$1/tests"
    cp "$TOP"/tests/{run,tap,tap-summary}.sh "$1/tests"
    for suite in drivers/run build/run fuzz/mutants fuzz/fuzz service/service series/series; do
        mkdir -p "$1/tests/${suite%/*}"
        printf '#!/bin/sh\necho 1..1\nsleep %s\n' "$SLEEP" > "$1/tests/$suite.t"
        chmod +x "$1/tests/$suite.t"
    done
    printf 'xen tools xen-native drivers:\n\nunit:\n\tsleep %s\n' "$SLEEP" \
        > "$1/Makefile"
}

# A suite and two lanes run when the signal arrives.
tests_end_when_told()
{
    local run code=0 n

    sleeping_project "$W/sleeping"
    "$W/sleeping/tests/run.sh" > "$W/run.log" 2>&1 &
    run=$!
    for ((n = 0; n < 300 && $(sleepers) < 3; n++)); do sleep 0.1; done
    [ "$(sleepers)" -eq 3 ] || { cat "$W/run.log"; return 1; }
    kill -TERM "$run"
    for ((n = 0; n < 100; n++)); do
        kill -0 "$run" 2> /dev/null || break
        sleep 0.1
    done
    echo "after $n tenths of a second $(sleepers) of them sleep"
    [ "$(sleepers)" -eq 0 ] || { pkill -f "^sleep $SLEEP\$"; return 1; }
    wait "$run" || code=$?
    echo "exit code $code"
    [ "$code" -eq 143 ]
}

# A project in which each suite passes, and each build but arm64's succeeds.
no_arm64_project()
{
    local script

    mkdir -p "$1"
    for script in $(grep -oE 'tests/[a-z0-9/.-]+\.(sh|t|py)' "$TOP/tests/run.sh"); do
        mkdir -p "$1/${script%/*}"
        case $script in
        *.py) echo 'print("ok 1\n1..1")' ;;
        *)    printf '#!/bin/sh\nprintf "ok 1\\n1..1\\n"\n' ;;
        esac > "$1/$script"
        chmod +x "$1/$script"
    done
    cp "$TOP"/tests/{run,tap,tap-summary}.sh "$1/tests"
    printf '%s\n' 'ifneq ($(XEN_ARCH),)' 'tools:; false' 'endif' \
        'unit:; @printf "ok 1\n1..1\n"' '%:; @:' > "$1/Makefile"
}

# One failed test replaces all suites for arm64, and only these.
tests_go_on_without_arm64()
{
    local code=0 left

    no_arm64_project "$W/no-arm64"
    "$W/no-arm64/tests/run.sh" --full > "$W/run.log" 2>&1 || code=$?
    tail -n 5 "$W/run.log"
    left=$(cd "$W/no-arm64/build/test" && ls {programs,sites,host}-arm64.tap 2> /dev/null)
    echo "suites that need the build: $left"
    [ "$code" -ne 0 ] && [ -z "$left" ] &&
        grep -q '^not ok - make tools drivers XEN_ARCH=arm64 failed' "$W/run.log" &&
        grep -qE '^[0-9]{2} passed, 1 failed, 0 skipped' "$W/run.log"
}

tests=(
    "no network: says so, names the ways out, leaves nothing"   no_network
    "wrong checksum: refused, nothing kept"                     wrong_checksum
    "one place that does not answer: the next one is taken"     next_place
    "a damaged file in the cache is refused"                    damaged_cache
    "XEN_TARBALL is used as it is, with a note"                 own_tarball
    "XEN_TREE is copied without build products, never changed"  own_tree
    "a folder that is not Xen is refused"                       not_a_xen_tree
    "apt's source is built, with Debian's patches"              apts_source_is_built
    "a newer version that apt offers is built"                  newer_source_is_built
    "the hypervisor names the source that it was built from"    hypervisor_names_its_source
    "a file with another checksum than apt's is refused"        another_file_is_refused
    "an index that no key vouches for is refused"               unsigned_index_is_refused
    "a new version that patches do not fit: the old tree stays" apts_source_does_not_apply
    "CI and XEN_FROM=pin build the pinned source"               pin_where_asked
    "XEN_FROM=apt without a candidate ends with exit code 69"   no_candidate
    "an older pin serves where no place has the newer one"      older_pin
    "a missing tool is named, with the remedy"                  missing_tool
    "an unknown release is named"                               unknown_release
    "a patch that does not apply: names patch, file and remedy" patch_does_not_apply
    "a series that names what is not there is refused"          series_names_nothing
    "files/ cannot hide a file of Xen"                          file_that_xen_has
    "only files that change are written"                        only_changes_are_written
    "a patch or a file that goes leaves nothing behind"         undone_is_undone
    "left-overs of an interrupted run do no harm"               left_overs_do_no_harm
    "two builds at once: the second one waits, and says so"     two_builds_wait
    "a configuration of Xen that fails shows why"               failing_configuration
    "a build that fails shows why"                              failing_build
    "the toolstack is built only when what it is made of changes" toolstack_only_when_needed
    "a toolstack whose configure has to be generated is built"   toolstack_without_configure
    "xen-edit, xen-refresh: no change, no difference"           round_trip
    "xen-refresh writes commits back, and takes them away"      refresh_writes
    "work in the edit tree is never thrown away"                no_work_is_lost
    "a file changed on both sides is not overwritten"           both_sides_changed
    "a file changed in files/ alone is kept"                    only_files_changed
    "xen-edit stops at a bad patch, to be mended there"         edit_stops_at_a_bad_patch
    "a script refuses an argument that it does not have"        arguments_are_refused
    "a series without all of its files is not written"          series_is_complete_or_nothing
    "a check of all prefixes continues where it stopped"        series_check_continues
    "a check of all prefixes builds the tools, and tests them"  series_check_builds_tools
    "hunks that do not apply to another release are named"      hunks_are_named
    "a release has only the patches that differ"                only_what_differs
    "a release inherits the patches of the release before it"   inherits_from_the_release_before
    "what a release lacks stays in its patches"                 what_only_one_lacks
    "a patch comes before others, in all releases"              patches_are_renumbered
    "a release inherits the series, too"                        series_is_inherited
    "a source that no mirror has: says how to bring it"         no_mirror_has_it
    "make setup does nothing when nothing is missing"           setup_asks_nothing
    "make setup without root and sudo says what to run"         setup_without_root
    "make deb refuses a Xen without patches, and a tree"        deb_refuses
    "packages of a later change are newer"                      deb_numbers_changes
    "the summary counts failed, skipped and silent tests"       summary_counts
    "make test ends at once on a signal, with all its processes" tests_end_when_told
    "test-full without arm64's build runs all other suites"     tests_go_on_without_arm64
)
echo "1..$((${#tests[@]} / 2))"
for ((i = 0; i < ${#tests[@]}; i += 2)); do
    check "${tests[i]}" "${tests[i + 1]}"
done
