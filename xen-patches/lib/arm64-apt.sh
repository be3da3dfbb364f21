# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Asks the mirror that apt is configured with for packages of arm64.  apt keeps the lists
# in a folder of their own: the machine's own lists stay as they are.

# arm64_apt FOLDER PROGRAM ARGUMENT...: apt-get or apt-cache.
arm64_apt()
{
    local folder=$1

    shift
    "$1" -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 \
        -o APT::Sandbox::User=root -o Debug::NoLocking=1 \
        -o Dir::State::Lists="$folder/lists" -o Dir::State::status=/dev/null \
        -o Dir::Cache="$folder" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o Dir::Cache::archives="$folder/archives" "${@:2}"
}
