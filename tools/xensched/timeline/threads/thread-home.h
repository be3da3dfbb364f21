/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread-home.h - finds the home of threads: the vCPU on which each ran most, and which vCPU of the
 * hypervisor's rows that is.
 */
#ifndef XENSCHED_TIMELINE_THREAD_HOME_H
#define XENSCHED_TIMELINE_THREAD_HOME_H

#include "threads.h"

/*
 * Sets homes and vcpus, and sorts threads; counts the rows that were written while their vCPU did
 * not run, according to Xen.
 */
void thread_homes_find(struct threads *threads, const struct rows *rows,
                       const struct vcpus *vcpus);

/* Returns the accounting domain of a source, or -1. */
int thread_homes_acct(const struct names *names,
                      const struct linux_source *source);

#endif /* XENSCHED_TIMELINE_THREAD_HOME_H */
