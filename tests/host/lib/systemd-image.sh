# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What some tests need in dom0: the part of Debian's systemd that starts a service, and the unit as
# it was built.  An image (image.sh) for hosts with --systemd; dom0/usr/lib/box/systemd.sh unpacks
# it.
#
# Gives: $BOX_HOST/boot/systemd.cpio

# Since systemd 254 a separate program starts services.  kmod loads its modules.
readonly SYSTEMD_PROGRAMS=(/usr/lib/systemd/systemd{,-executor} /usr/bin/systemctl
                           /usr/bin/kmod)
readonly SYSTEMD_UNITS=(basic.target sysinit.target shutdown.target)

install_systemd()
{
    local file

    need_file "${SYSTEMD_PROGRAMS[0]}" systemd "run make setup"
    need_file "$BOX_TOOLS/xenschedd.service" "the unit" "run make tools"
    mkdir -p "$1"/usr/{bin,sbin,lib/systemd/system} "$1/lib"
    for file in "${SYSTEMD_PROGRAMS[@]}"; do
        [[ ! -f $file ]] || cp "$file" "$1$file"
    done
    cp "${SYSTEMD_UNITS[@]/#//usr/lib/systemd/system/}" \
        "$BOX_TOOLS/xenschedd.service" "$1/usr/lib/systemd/system/"
    # Paths that the unit uses, and in which Debian 12 looks for units.
    ln -s ../bin/xenschedd "$1/usr/sbin/xenschedd"
    ln -s ../bin/xensched "$1/usr/sbin/xensched"
    ln -s ../usr/lib/systemd "$1/lib/systemd"
    install_libraries "$1"
}
