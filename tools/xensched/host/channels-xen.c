/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks Xen for a domain's event channels. */
#include "channels-xen.h"

unsigned int channels_xen_find(xc_interface *xch, uint32_t domid,
                               struct host_channel *channels, unsigned int nr)
{
    xc_evtchn_status_t status;
    unsigned int found = 0;
    uint32_t port;

    /* There are none from the first port on that Xen does not know. */
    for (port = 1; found < nr; port++) {
        status = (xc_evtchn_status_t){ .dom = domid, .port = port };
        if (xc_evtchn_status(xch, &status))
            break;
        if (status.status == EVTCHNSTAT_interdomain)
            channels[found++] = (struct host_channel){
                port, status.u.interdomain.dom, status.u.interdomain.port,
                status.vcpu
            };
    }

    return found;
}
