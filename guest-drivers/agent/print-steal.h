/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * print-steal.h - prints for node_exporter how long the vCPUs of this guest waited for a pCPU,
 * by what had the pCPU meanwhile; xenschedd in dom0 writes that to xenstore.
 */
#ifndef XENSCHED_PRINT_STEAL_H
#define XENSCHED_PRINT_STEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Reads a node below this guest's own path through @fd, which is /dev/xen/xenbus or
 * speaks like it.  Returns 0, with the value and an end in @value, or a negative errno
 * value: -ENOENT: there is no such node.
 */
int xenbus_read(int fd, const char *node, char *value, size_t size);

/* @text is what the node has.  False: it is damaged, and nothing was printed. */
bool print_steal(FILE *out, const char *text);

/* All of it, with messages.  Returns an exit code. */
int steal_main(void);

#endif /* XENSCHED_PRINT_STEAL_H */
