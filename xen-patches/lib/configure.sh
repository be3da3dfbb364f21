# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-2.0-only
#
# Configures Xen's tools as far as a host needs them.  Needs xenmake.sh.

# Everything optional is off, and what happens to be installed makes no
# difference: pkg-config and the headers of optional libraries are not found.
TOOLS_OPTIONS=(--prefix=/usr --libdir=/usr/lib --sysconfdir=/etc --localstatedir=/var
    --disable-xen --disable-stubdom --disable-docs --disable-systemd
    --disable-monitors --disable-ocamltools --disable-xsmpolicy --disable-ovmf
    --disable-golang --disable-pygrub --disable-ipxe --disable-rombios
    --disable-libfsimage --disable-pvshim --disable-qemu-traditional --disable-9pfs
    --with-system-seabios=/usr/share/seabios/bios-256k.bin
    --with-system-qemu=/usr/bin/qemu-system-x86_64
    PKG_CONFIG=false ac_cv_header_bzlib_h=no ac_cv_header_lzo_lzo1x_h=no
    ac_cv_header_valgrind_memcheck_h=no)

# Debian's source package has none of the scripts that autoconf generates, the last of
# which is docs/configure, and none of the files that belong to them.
has_configure() { [ -e "$1/docs/configure" ]; }

# configure_tools TREE OPTION...
configure_tools()
{
    local tree=$1

    shift
    has_configure "$tree" ||
        { cp /usr/share/autoconf/build-aux/config.{guess,sub} "$tree" &&
              (cd "$tree" && xen_env "$tree" ./autogen.sh); } || return
    (cd "$tree" && xen_env "$tree" ./configure "$@")
}
