/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake-domctl.h - what libxenctrl reports about a domain: its number of vCPUs, and the frames of
 * its own memory; and a libxentoollog that counts its loggers.
 */
#ifndef TESTS_UNIT_FAKE_DOMCTL_H
#define TESTS_UNIT_FAKE_DOMCTL_H

#include <stdbool.h>
#include <stdint.h>

struct fake_domctl {
    uint32_t nr_vcpus;
    bool dying;
    uint64_t nr_frames; /* frames below this number are its own... */
    uint64_t device;    /* ... except this one */
};

extern struct fake_domctl fake_domctl;

extern unsigned int fake_loggers; /* number of open loggers */

#endif /* TESTS_UNIT_FAKE_DOMCTL_H */
