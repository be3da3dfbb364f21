/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Xen's own trace(): the unpatched tree's common/trace.c is compiled here, in
 * the environment of xen-env.h.
 *
 * An event is traced with the contents of a row of the record handler.
 */
#define __XEN_TOOLS__ 1 /* The public header with the operations on buffers. */
#include "xen-env.h"

#include "common/trace.c"

#include "sites.h"

#define MEMORY_PAGES 256
#define BUFFER_PAGES 4

uint8_t xen_env_memory[MEMORY_PAGES * 4096L]
    __attribute__((__aligned__(4096)));
struct vcpu *current;

void *alloc_xenheap_pages(unsigned int order, unsigned int flags)
{
    static unsigned int next = 1; /* 0 is "none" for trace.c */
    void *p = mfn_to_virt(next);

    (void)flags;
    next += 1U << order;

    return next <= MEMORY_PAGES ? p : NULL;
}

void xen_trace_set_up(void)
{
    opt_tbuf_size = BUFFER_PAGES;
    init_trace_bufs();
    if (!tb_init_done)
        abort();
}

static __attribute__((__noinline__, __noipa__))
void trace_words(uint32_t acct, uint32_t other, uint32_t nr)
{
    uint32_t words[] = { 4, acct, other, nr };

    trace(TRC_SCHED | TRC_HD_CYCLE_FLAG, sizeof(words), words);
}

static __attribute__((__noinline__, __noipa__))
void trace_words_no_time(uint32_t acct, uint32_t other, uint32_t nr)
{
    uint32_t words[] = { 4, acct, other, nr };

    trace(TRC_SCHED, sizeof(words), words);
}

/* The reader is as fast as can be: there is always room for the record. */
#define RUN(name, what)                                       \
    void run_##name(void *unused, unsigned int nr)            \
    {                                                         \
        (void)unused;                                         \
        for (unsigned int i = 0; i < nr; i++) {               \
            what(FIRST_ACCT + i % ACCTS_IN_TURN, OTHER_ACCT, 1); \
            if (i % 64 == 63)                                 \
                t_bufs->cons = t_bufs->prod;                  \
        }                                                     \
        t_bufs->cons = t_bufs->prod;                          \
        BUG_ON(lost_records || !tb_init_done);                \
    }

RUN(xen_trace, trace_words)
RUN(xen_trace_no_time, trace_words_no_time)
