/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * steer.h - binds the threads by which dom0's Linux serves disks of guests (xen-blkback) near
 * the guests.
 *
 * vCPUs are the CPUs of this Linux.  Interrupts are left alone: Linux does not report which channel
 * an interrupt belongs to, and finding out by moving interrupts would leave one moved if the daemon
 * were killed meanwhile.
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
    uint32_t domid;      /* the served guest */
    unsigned int number; /* of the process */
    char name[DOM0_IO_NAME];
};

/* Finds all of them and returns their number.  The caller frees *@list.  @proc: /proc. */
unsigned int dom0_io_find(const char *proc, struct dom0_io **list);

/* Is it still the same thread?  Process numbers are used again. */
bool dom0_io_is(const char *proc, const struct dom0_io *io);

/* Return false if the thread has ended or cannot be set. */
bool dom0_io_get(const struct dom0_io *io, cpu_set_t *vcpus);
bool dom0_io_set(const struct dom0_io *io, const cpu_set_t *vcpus);

/*
 * Makes dom0 serve a guest's disks at the guest's place.
 *
 * If dom0 is on several nodes, the location that counts is that of the vCPUs of dom0 on which the
 * threads that serve a guest run (struct dom0_io).  They are bound to the vCPUs of dom0 that are
 * bound to the guest's place, if there are any.  Their former affinity is on the disk before that,
 * and is restored when the guest has no place any more, at the end, and after a crash by the next
 * daemon.  A thread that another program has bound since is left alone from then on.
 */

struct steered {
    struct dom0_io io;
    cpu_set_t original, ours;
    cpu_set_t before; /* what the daemon had set before, until the thread has ours */
    bool theirs; /* another program has bound it since, so the daemon leaves it alone */
};

struct steer {
    const struct host *host;
    struct journal *journal;
    const char *proc; /* "/proc", except in tests */
    char *path;       /* of the file; NULL: steering is impossible */
    unsigned int nr;
    struct steered *steered;
    unsigned int nr_found;
    struct dom0_io *found; /* the result of the latest search */
    uint64_t searched_ns;  /* 0: there was none */
    uint64_t served;       /* a hash of the guests that dom0 served then */
    bool refused;          /* logged already */
};

/*
 * The file is beside @state, which may be NULL.  Restores what a killed daemon has left in it.
 */
void steer_init(struct steer *s, const struct host *host,
                struct journal *journal, const char *state, const char *proc);
void steer_free(struct steer *s);

/* Called in each run, if steering is on. */
void steer_run(struct steer *s, const struct topology *t,
               const struct domains *domains, const struct matrix *matrix,
               uint64_t now_ns);

/* Restores all affinities. */
void steer_restore(struct steer *s);

#endif /* XENSCHED_DAEMON_ACT_STEER_H */
