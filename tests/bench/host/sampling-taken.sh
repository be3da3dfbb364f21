#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The first host of host-sampling.sh, in dom0: the work is sampled, each "every" ms of the
# guest's service.  Writes
#
#   $RESULTS/samples  as "xensched sample" does
#   $RESULTS/counts   for each checkpoint a line: how much of its work the guest
#                     had begun by then, and how much of it was of a kind (work-count)

set -e
# shellcheck source=tests/bench/host/daemon-dom0.sh
. ./daemon-dom0.sh
# shellcheck source=tests/bench/host/sampling-lib.sh
. ./sampling-lib.sh

# xl cannot write a guest's pages to the folder of the results; it is moved there
# while the guest stands still.
cat >/run/hook <<END
#!/bin/sh
set -e
count=\$(work-count DOMID)
echo \$count >>"$RESULTS/counts"
mv /run/samples/[0-9]*.save /run/samples/*.json "$RESULTS/samples/" 2>/dev/null || :
echo \$count
END
chmod +x /run/hook

start_sampled
domid=$(xl domid sampled)
sed -i "s/DOMID/$domid/" /run/hook
mkdir "$RESULTS/samples"
start_daemon --mode observe --log service-ns,evtchn-send,wake-delay
# It sleeps at first, which is the time for the first checkpoint.
do_work &
worker=$!
until work-count "$domid" >/dev/null 2>&1; do
    kill -0 $worker
    usleep 100000
done
usleep 500000
xensched sample sampled --every "$(cat every) ms-of-service" \
    --checkpoint /run/samples --hook /run/hook &
sampler=$!
wait $worker
# It has ended if it was to save a guest whose work was over.
kill -INT $sampler 2>/dev/null || :
wait $sampler || :
stop_daemon
mv /run/samples/*.json "$RESULTS/samples/" 2>/dev/null || :
xargs <"$RESULTS/counts"
