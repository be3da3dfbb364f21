/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * print-steal.h - prints for node_exporter how long the vCPUs of this guest waited for a pCPU,
 * by the class of domain that used the pCPU; xenschedd in dom0 writes the times to xenstore.
 */
#ifndef XENSCHED_PRINT_STEAL_H
#define XENSCHED_PRINT_STEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Reads a node below this guest's own path through @fd, which is /dev/xen/xenbus or
 * has its protocol.  Returns 0, with the value and an end in @value, or a negative errno
 * value: -ENOENT: there is no such node.
 */
int xenbus_read(int fd, const char *node, char *value, size_t size);

/* @text: the node's value.  Returns false, without output, if it is damaged. */
bool print_steal(FILE *out, const char *text);

/* Reads and prints the times, and reports errors.  Returns an exit code. */
int steal_main(void);

#endif /* XENSCHED_PRINT_STEAL_H */
