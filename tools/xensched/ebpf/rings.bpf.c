/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rings.bpf.c - what Linux' own xen-blkback does for whom: a program for the kernel,
 * which runs before each response to a request that came to the disk.
 *
 * It is attached to the function that gives a request's grants back, because that has
 * the request, is in every build (its address is taken), and comes once for each request
 * of which data were mapped.  What was rejected, and discards, do not come there; they
 * have no pages.  Nothing is attached while the event is off: then there is the NOP with
 * which Linux' functions begin.
 *
 * Of Linux' structs only what is read is named; where it is, libbpf finds in the types of
 * the kernel that runs.
 */
#include <stdint.h>

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define __XEN_TOOLS__ 1
#include <schedlog.h>
#include <xensched/linux-events.h>

#define rings_inline inline __attribute__((__always_inline__))
#define RINGS_NOW_NS() bpf_ktime_get_ns()

#include "record.h"

#define OURS __attribute__((preserve_access_index))

struct xen_blkif {
    uint16_t domid;
} OURS;

struct xen_blkif_ring {
    struct xen_blkif *blkif;
} OURS;

struct pending_req {
    struct xen_blkif_ring *ring;
    int nr_segs;
} OURS;

struct gntab_unmap_queue_data {
    void *data;
} OURS;

/* More segments than a request has room for are in pages of their own. */
#define MOST_DIRECT_SEGMENTS 11U
#define SEGMENTS_PER_PAGE    512U

/* Sizes and numbers of entries are set before they are made. */
#define MAP(name)                            \
    struct {                                 \
        __uint(type, BPF_MAP_TYPE_ARRAY);    \
        __uint(key_size, sizeof(uint32_t));  \
        __uint(value_size, sizeof(uint64_t)); \
        __uint(max_entries, 1);              \
    } name SEC(".maps")

MAP(global);
MAP(cpus);
MAP(own);

const volatile struct rings_facts facts;

static rings_inline uint32_t pages_of(uint32_t segments)
{
    if (segments <= MOST_DIRECT_SEGMENTS)
        return segments;

    return segments + (segments + SEGMENTS_PER_PAGE - 1) / SEGMENTS_PER_PAGE;
}

static rings_inline uint64_t ids_of(uint16_t current_, uint16_t correspondent)
{
    return XEN_SCHEDLOG_EV_RING_PAGES | (uint32_t)current_ << 16 |
           (uint64_t)correspondent << 32;
}

static rings_inline void log_pages(uint16_t domid, uint32_t pages)
{
    uint32_t zero = 0, nr = bpf_get_smp_processor_id();
    uint8_t *shared = bpf_map_lookup_elem(&cpus, &nr);
    uint8_t *all = bpf_map_lookup_elem(&global, &zero);
    struct rings_cpu *cpu = bpf_map_lookup_elem(&own, &nr);
    uint16_t *numbers, we, it;
    uint64_t *routes;

    if (!shared || !all || !cpu)
        return;
    numbers = (uint16_t *)(all + facts.numbers_at);
    we = numbers[facts.own_domid & (RINGS_NR_DOMIDS - 1)];
    it = numbers[domid & (RINGS_NR_DOMIDS - 1)];
    if (!it || it == we) /* who has no number yet is nobody */
        return;
    routes = (uint64_t *)(all + XEN_SCHEDLOG_ROUTES_OFFSET);
    rings_record(&facts, cpu, shared,
                 RINGS_ONCE(routes[(we & facts.acct_mask) *
                                   XEN_SCHEDLOG_NR_EVENTS +
                                   XEN_SCHEDLOG_EV_RING_PAGES]),
                 ids_of(we, it), pages);
}

SEC("fentry/xen_blkbk_unmap_and_respond_callback")
int BPF_PROG(rings_request, int result, struct gntab_unmap_queue_data *work)
{
    const struct pending_req *request = work->data;
    const struct xen_blkif_ring *ring = BPF_CORE_READ(request, ring);

    log_pages(BPF_CORE_READ(ring, blkif, domid),
              pages_of(BPF_CORE_READ(request, nr_segs)));

    return 0;
}

/* Without it Linux keeps the functions that read its memory to itself. */
char of_the_program[] SEC("license") = "GPL";
