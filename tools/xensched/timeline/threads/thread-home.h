/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * thread-home.h - where threads belong: the vCPU on which each ran most, and
 * which of the vCPUs that Xen's rows tell of that is.
 */
#ifndef XENSCHED_TIMELINE_THREAD_HOME_H
#define XENSCHED_TIMELINE_THREAD_HOME_H

#include "threads.h"

/*
 * Fills in homes and vcpus, and puts threads in their order; counts the rows that
 * were written while their vCPU did not run, by what Xen says of it.
 */
void thread_homes_find(struct threads *threads, const struct rows *rows,
                       const struct vcpus *vcpus);

/* The accounting domain of a source, or -1. */
int thread_homes_acct(const struct names *names,
                      const struct linux_source *source);

#endif /* XENSCHED_TIMELINE_THREAD_HOME_H */
