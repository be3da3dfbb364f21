/* SPDX-License-Identifier: GPL-2.0-only */
/* Allocates memory on a chosen node, as memory of a domain without vCPUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <xenctrl.h>
#include <xenforeignmemory.h>

#include "base/alloc.h"
#include "node-memory.h"

#define PAGES (NODE_MEMORY_BYTES / XC_PAGE_SIZE)
/* Memory of the domain besides its pages. */
#define SPARE_KIB 1024

struct node_memory {
    xc_interface *xch;
    uint32_t domid;
    unsigned int nr;
    xen_pfn_t *frames; /* [node][page]; 0: none */
};

static int create_domain(struct node_memory *m, struct xensched_error *err)
{
    struct xen_domctl_createdomain config = {
        .max_vcpus = 1,
        .max_evtchn_port = 127,
        .max_grant_frames = 1,
        .max_maptrack_frames = 1,
        .grant_opts = XEN_DOMCTL_GRANT_version(1),
    };
    uint64_t kib = (uint64_t)m->nr * NODE_MEMORY_BYTES / 1024 + SPARE_KIB;

    m->domid = 0;
    if (xc_domain_create(m->xch, &m->domid, &config))
        return xensched_fail(err, errno, "cannot make a domain for memory of "
                             "each node: %s", strerror(errno));
    if (xc_domain_setmaxmem(m->xch, m->domid, kib))
        return xensched_fail(err, errno, "cannot give domain %u memory: %s",
                             m->domid, strerror(errno));

    return 0;
}

static void populate_node(struct node_memory *m, unsigned int node)
{
    xen_pfn_t *frames = &m->frames[node * PAGES];
    unsigned int i;

    for (i = 0; i < PAGES; i++)
        frames[i] = node * PAGES + i;
    if (xc_domain_populate_physmap_exact(m->xch, m->domid, PAGES, 0,
                                         XENMEMF_exact_node(node), frames))
        memset(frames, 0, PAGES * sizeof(*frames));
}

int node_memory_begin(struct node_memory **memory, unsigned int nr,
                      struct xensched_error *err)
{
    struct node_memory *m = need_memory(1, sizeof(*m));
    unsigned int node;
    int rc;

    *memory = NULL;
    m->nr = nr;
    m->frames = need_memory((size_t)nr * PAGES, sizeof(*m->frames));
    m->xch = xc_interface_open(NULL, NULL, 0);
    rc = m->xch ? create_domain(m, err)
                : xensched_fail(err, errno, "cannot open Xen's interface: %s",
                                strerror(errno));
    if (rc) {
        node_memory_end(m);
        return rc;
    }
    for (node = 0; node < nr; node++)
        populate_node(m, node);
    *memory = m;

    return 0;
}

void node_memory_end(struct node_memory *m)
{
    if (!m)
        return;
    if (m->domid)
        xc_domain_destroy(m->xch, m->domid);
    if (m->xch)
        xc_interface_close(m->xch);
    free(m->frames);
    free(m);
}

/* The handle lives as long as the process: it is not closed while memory is mapped. */
void *node_memory_map(const struct node_memory *m, unsigned int node)
{
    static xenforeignmemory_handle *handle;

    if (!handle)
        handle = xenforeignmemory_open(NULL, 0);
    if (!handle || !m->frames[node * PAGES])
        return NULL;

    return xenforeignmemory_map(handle, m->domid, PROT_READ | PROT_WRITE,
                                PAGES, &m->frames[node * PAGES], NULL);
}
