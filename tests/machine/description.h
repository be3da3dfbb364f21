/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares a machine, read from its description (machines/NAME): the sizes of caches,
 * the cores that share them, and the cost of an access.  The model uses the values.
 *
 * A description is a text with "KEY VALUE" in each line; "#" starts a comment.
 */
#ifndef DESCRIPTION_H
#define DESCRIPTION_H

#include <stddef.h>

#define LINE_BYTES 64

/* Keys with a whole number, and their greatest value; each has to be there. */
#define MACHINE_NUMBERS(X)                                              \
    X(sockets, 8)                                                       \
    X(cores, 256)               /* of a socket */                       \
    X(cores_per_llc, 256)       /* that share a last-level cache */      \
    X(l1_kib, 1024)             /* data cache of a core */              \
    X(l1_ways, 64)                                                      \
    X(l2_kib, 65536)            /* of a core; has all that the L1 has */\
    X(l2_ways, 64)                                                      \
    X(llc_kib, 1048576)         /* one last-level cache */              \
    X(llc_ways, 64)

/*
 * Keys with a decimal number above 0: cycles per instruction with its data in the
 * L1; nanoseconds from a load to its value if the line comes from ...; and further
 * delays in mode timed.
 */
#define MACHINE_COSTS(X)                                                \
    X(ghz)                                                              \
    X(cpi)                                                              \
    X(l2_ns)                                                            \
    X(llc_ns)           /* the last-level cache of this core */         \
    X(same_llc_ns)      /* a core with the same last-level cache */     \
    X(same_socket_ns)   /* another last-level cache of the socket */    \
    X(other_socket_ns)  /* a cache of another socket */                 \
    X(dram_local_ns)                                                    \
    X(dram_remote_ns)   /* memory of another socket */                  \
    X(dram_gbs)         /* GB/s from and to the memory of a socket */   \
    X(link_gbs)         /* GB/s from a socket to all others */          \
    X(pause_ns)         /* PAUSE */                                     \
    X(pio_ns)           /* an access to a port */                       \
    X(mmio_ns)          /* an access to a device's registers */         \
    X(ipi_near_ns)      /* until a pCPU of the socket has an interrupt */\
    X(ipi_far_ns)       /* until one of another socket has it */

struct machine {
#define MEMBER(name, max) unsigned int name;
    MACHINE_NUMBERS(MEMBER)
#undef MEMBER
#define MEMBER(name) double name;
    MACHINE_COSTS(MEMBER)
#undef MEMBER
};

/* Returns 0, or -1 with the error and its line in @why. */
int machine_read(struct machine *machine, const char *path, char *why,
                 size_t size);

#endif /* DESCRIPTION_H */
