/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread-loss.h - when rows about the threads of a Linux are missing.
 */
#ifndef XENSCHED_TIMELINE_THREAD_LOSS_H
#define XENSCHED_TIMELINE_THREAD_LOSS_H

#include "timeline/rows/linux-rows.h"

struct thread_window;

struct thread_losses {
    struct thread_window *window;
    size_t nr;
};

void thread_losses_make(struct thread_losses *losses,
                        const struct linux_rows *rows);
void thread_losses_free(struct thread_losses *losses);

/*
 * When the first loss that ends after @ns begins: of vCPU @cpu of @source, or of
 * any of its vCPUs; UINT64_MAX: there is none.
 */
uint64_t thread_losses_at(const struct thread_losses *losses, uint16_t source,
                          uint32_t cpu, uint64_t ns);
uint64_t thread_losses_of(const struct thread_losses *losses, uint16_t source,
                          uint64_t ns);

#endif /* XENSCHED_TIMELINE_THREAD_LOSS_H */
