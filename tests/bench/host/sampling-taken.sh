#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Samples the work every "every" ms of the guest's service, in dom0 of host-sampling.sh's
# first host.  Writes
#
#   $RESULTS/samples  as "xensched sample" does
#   $RESULTS/counts   a line for each checkpoint: the work that the guest had begun by
#                     then, and the part of it that is of one kind (work-count)

set -e
# shellcheck source=tests/bench/host/daemon-dom0.sh
. ./daemon-dom0.sh
# shellcheck source=tests/bench/host/sampling-lib.sh
. ./sampling-lib.sh

# xl cannot write a guest's pages to the folder of the results; the file is moved there
# while the guest is paused.
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
# The guest sleeps first, so there is time for the first checkpoint.
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
# It fails if it tried to save the guest after the end of the work.
kill -INT $sampler 2>/dev/null || :
wait $sampler || :
stop_daemon
mv /run/samples/*.json "$RESULTS/samples/" 2>/dev/null || :
xargs <"$RESULTS/counts"
