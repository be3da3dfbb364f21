#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# arm64: --mode exact --sockets 1 --cores 2 --xen-append schedlog_max=1M
#
# Xen's command line limits the memory of the log.  A larger request is refused as a whole, and the
# error has a sufficient value.  Fails if the limit is exceeded, or if a refusal leaves memory
# behind.
#
# box: --sockets 1 --cores 2 --xen-append schedlog_max=1M
# only: full

. /usr/lib/box/tap.sh
. /usr/lib/box/log.sh
. /usr/lib/box/daemon.sh

all_is_back() { [ "$(log_info used_bytes)" = 0 ]; }

is "the limit is that of the command line" "$(log_info max_bytes)" 1048576
is "two pCPUs with 1 MiB each are too much" \
    "$(schedlog-area setup 16 1048576)" "setup: E2BIG"
check "nothing is left of that" all_is_back
check "64 KiB each are accepted" schedlog-area setup 16 65536
check "the memory that they use is counted" between 131072 1048576 "$(log_info used_bytes)"
schedlog-area release
check "their memory is freed" until_true 5 all_is_back

begin_daemon --mode observe --log-sizes service-ns:4M
wait "${daemon:?}"
is "a daemon that needs more does not start" "$?" 1
needs=$(sed -n 's/.*schedlog_max=\([0-9]*\)M.*/\1/p' "${daemon_log:?}")
check "and prints a sufficient value" between 8 12 "$needs"
start_daemon --mode observe --log-sizes \
    service-ns:64K,evtchn-send:64K,grant-map:16K,grant-copy:16K,grant-unmap:16K
check "a daemon that needs less starts" xensched status
stop_daemon TERM
finish
