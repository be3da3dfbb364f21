/* SPDX-License-Identifier: GPL-2.0-only */
/* lock.h - run one instance of a program on a host. */
#ifndef XENSCHED_BASE_LOCK_H
#define XENSCHED_BASE_LOCK_H

#include <xensched/error.h>

/*
 * Take the lock of @program.  It is held until this process ends, however it ends, or closes
 * the file; no child of it has it.  Returns the file descriptor, or -EEXIST when
 * another process holds it; the text says which one.
 */
int lock_take(const char *path, const char *program,
              struct xensched_error *err);

#endif /* XENSCHED_BASE_LOCK_H */
