/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake-domctl.h - what libxenctrl reports of a domain: how many vCPUs it has, and which frames
 * are memory of its own; and a libxentoollog that counts its loggers.
 */
#ifndef TESTS_UNIT_FAKE_DOMCTL_H
#define TESTS_UNIT_FAKE_DOMCTL_H

#include <stdbool.h>
#include <stdint.h>

struct fake_domctl {
    uint32_t nr_vcpus;
    bool dying;
    uint64_t nr_frames; /* those below are its own... */
    uint64_t device;    /* ... but for this one */
};

extern struct fake_domctl fake_domctl;

extern unsigned int fake_loggers; /* open ones */

#endif /* TESTS_UNIT_FAKE_DOMCTL_H */
