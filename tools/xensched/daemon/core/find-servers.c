/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks Xen which vCPUs of driver domains serve which guests. */
#include <stdlib.h>

#include "find-servers.h"
#include "base/alloc.h"
#include "model/servers.h"

/* A channel stays where it is for long; it is a hypercall for each. */
#define FIND_NS 10000000000ULL

/* Of one driver domain; those above are not told apart. */
#define MAX_CHANNELS 8192

static int by_front_end(const void *a, const void *b)
{
    const struct host_channel *one = a, *other = b;

    return one->domid < other->domid ? -1 : one->domid > other->domid;
}

static void keep(struct core *core, uint32_t domid,
                 const struct host_channel *channel)
{
    core->served = need_more_memory(core->served, core->nr_served + 1,
                                    sizeof(*core->served));
    core->served[core->nr_served++] = (struct served){
        domid, { channel->domid, channel->vcpu }
    };
}

/*
 * The channels of one front end to driver domain @d.  xenstored and the console are
 * dom0's, and have nothing to do with its back ends.
 */
static void keep_devices(struct core *core, const struct domain *d,
                         const struct host_channel *channels, unsigned int nr)
{
    uint32_t ports[HOST_TOOL_PORTS];
    unsigned int i, k;

    if (!domains_find(&core->domains, channels->domid))
        return;
    core->host->tool_ports(core->host->data, channels->domid, ports);
    for (i = 0; i < nr; i++) {
        bool tool = false;

        for (k = 0; k < HOST_TOOL_PORTS; k++)
            tool = tool || (ports[k] && ports[k] == channels[i].remote_port);
        if (!tool && channels[i].vcpu < d->nr_vcpus)
            keep(core, d->domid, &channels[i]);
    }
}

static void ask(struct core *core, const struct domain *d)
{
    struct host_channel *channels = need_memory(MAX_CHANNELS,
                                                sizeof(*channels));
    unsigned int nr, i, end;

    nr = core->host->channels(core->host->data, d->domid, channels,
                              MAX_CHANNELS);
    qsort(channels, nr, sizeof(*channels), by_front_end);
    for (i = 0; i < nr; i = end) {
        for (end = i + 1; end < nr; end++)
            if (channels[end].domid != channels[i].domid)
                break;
        keep_devices(core, d, &channels[i], end - i);
        core_between(core);
    }
    free(channels);
}

/* What is known of one driver domain is together. */
static void tell(struct core *core)
{
    struct domain *d = NULL;
    unsigned int i;

    for (i = 0; i < core->nr_served; i++) {
        const struct served *s = &core->served[i];

        if (!i || s->domid != s[-1].domid) {
            d = domains_find(&core->domains, s->domid);
            if (d && !servers_matter(&core->topology, d))
                d = NULL;
        }
        if (d && s->server.vcpu < d->nr_vcpus)
            servers_add(d, s->server.front_end, s->server.vcpu);
    }
}

void find_servers(struct core *core, uint64_t now_ns)
{
    unsigned int i;

    if (!core->host->channels)
        return;
    if (!core->served_ns || now_ns - core->served_ns >= FIND_NS) {
        core->served_ns = now_ns;
        core->nr_served = 0;
        for (i = 0; i < core->domains.nr; i++) {
            const struct domain *d = &core->domains.domain[i];

            if (servers_matter(&core->topology, d))
                ask(core, d);
        }
    }
    tell(core);
}

void find_servers_end(struct core *core)
{
    free(core->served);
}
