/* SPDX-License-Identifier: GPL-2.0-only */
/* find-servers.c - see find-servers.h. */
#include <stdlib.h>

#include "find-servers.h"
#include "model/memory.h"
#include "model/servers.h"

/* A channel stays where it is for long; it is a hypercall for each. */
#define FIND_NS 10000000000ULL

/* Of one driver domain; those above are not told apart. */
#define MAX_CHANNELS 8192

/* xenstored and the console are dom0's, and have nothing to do with its back ends. */
static bool is_of_device(const struct core *core,
                         const struct host_channel *channel)
{
    uint32_t ports[HOST_TOOL_PORTS];
    unsigned int i;

    core->host->tool_ports(core->host->data, channel->domid, ports);
    for (i = 0; i < HOST_TOOL_PORTS; i++)
        if (ports[i] && ports[i] == channel->remote_port)
            return false;

    return true;
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

static void ask(struct core *core, const struct domain *d)
{
    struct host_channel *channels = need_memory(MAX_CHANNELS,
                                                sizeof(*channels));
    unsigned int nr, i;

    nr = core->host->channels(core->host->data, d->domid, channels,
                              MAX_CHANNELS);
    for (i = 0; i < nr; i++)
        if (channels[i].vcpu < d->nr_vcpus &&
            domains_find(&core->domains, channels[i].domid) &&
            is_of_device(core, &channels[i]))
            keep(core, d->domid, &channels[i]);
    free(channels);
}

static void tell(struct core *core)
{
    unsigned int i;

    for (i = 0; i < core->nr_served; i++) {
        const struct served *s = &core->served[i];
        struct domain *d = domains_find(&core->domains, s->domid);

        if (d && s->server.vcpu < d->nr_vcpus &&
            servers_matter(&core->topology, d))
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

            if (!servers_matter(&core->topology, d))
                continue;
            ask(core, d);
            core_between(core);
        }
    }
    tell(core);
}

void find_servers_end(struct core *core)
{
    free(core->served);
}
