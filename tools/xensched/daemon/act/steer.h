/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * steer.h - binds the threads by which dom0's Linux serves disks of guests (xen-blkback) near
 * the guests.
 *
 * vCPUs are the CPUs of this Linux.  Interrupts are left alone: Linux does not report whose
 * channel an interrupt is, and to find out by moving interrupts would leave one moved if the
 * daemon were killed meanwhile.
 */
#ifndef XENSCHED_DAEMON_ACT_STEER_H
#define XENSCHED_DAEMON_ACT_STEER_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"
#include "model/matrix/matrix.h"
#include "journal.h"

/* Threads. */

#define DOM0_IO_NAME 32

struct dom0_io {
    uint32_t domid;      /* of the guest that is served */
    unsigned int number; /* of the process */
    char name[DOM0_IO_NAME];
};

/* All that there are, at *@list, to be freed; returns how many.  @proc: /proc. */
unsigned int dom0_io_find(const char *proc, struct dom0_io **list);

/* Is it still what it was found as?  Numbers are used again. */
bool dom0_io_is(const char *proc, const struct dom0_io *io);

/* False: it is gone, or cannot be set. */
bool dom0_io_get(const struct dom0_io *io, cpu_set_t *vcpus);
bool dom0_io_set(const struct dom0_io *io, const cpu_set_t *vcpus);

/*
 * Has dom0 serve a guest's disks where the guest is.
 *
 * Where dom0 is on several nodes, being near it means nothing: what counts is on
 * which of its vCPUs the threads are that serve a guest (struct dom0_io).
 * They are sent to those vCPUs of dom0's that are bound to the place where the guest
 * is, if there are some; what they were before is on the disk first, and is put back
 * when the guest is nowhere any more, at the end, and after a crash by the next
 * daemon.  One that another program has sent elsewhere since is left alone from then on.
 */

struct steered {
    struct dom0_io io;
    cpu_set_t original, ours;
    bool theirs; /* another program has set it since: it is not ours to change */
};

struct steer {
    const struct host *host;
    struct journal *journal;
    const char *proc; /* "/proc", but in tests */
    char *path;       /* of the file; NULL: nothing can be steered */
    unsigned int nr;
    struct steered *steered;
    unsigned int nr_found;
    struct dom0_io *found; /* of the latest search */
    uint64_t searched_ns;  /* 0: not yet */
    uint64_t served;       /* a hash of the guests that dom0 served then */
    bool refused;          /* logged already */
};

/*
 * Beside @state, which may be NULL, is the file.  What a daemon that was killed has
 * left in it is put back.
 */
void steer_init(struct steer *s, const struct host *host,
                struct journal *journal, const char *state, const char *proc);
void steer_free(struct steer *s);

/* In each run, when it is wanted. */
void steer_run(struct steer *s, const struct topology *t,
               const struct domains *domains, const struct matrix *matrix,
               uint64_t now_ns);

/* All of it is where it was. */
void steer_restore(struct steer *s);

#endif /* XENSCHED_DAEMON_ACT_STEER_H */
