/* SPDX-License-Identifier: GPL-2.0-only */
/* file.h - replaces files, and locks them. */
#ifndef XENSCHED_BASE_FILE_H
#define XENSCHED_BASE_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include <xensched/error.h>

/*
 * Write @length bytes to "@path.new" and rename that to @path.  @durable: both
 * the file and the renaming are on disk when this returns, for what has to
 * outlive a crash of the host.  Returns 0 or a negative errno value; @path is
 * as it was then, unless only the last sync failed.
 */
int replace_file(const char *path, const char *text, size_t length,
                 mode_t mode, bool durable, struct xensched_error *err);

/* Likewise, but there is no @path afterwards; that it wasn't there is fine. */
int remove_file(const char *path, struct xensched_error *err);

/*
 * Take the lock of @program.  It is held until this process ends, however it ends, or closes
 * the file; no child of it has it.  Returns the file descriptor, or -EEXIST when
 * another process holds it; the text says which one.
 */
int lock_take(const char *path, const char *program,
              struct xensched_error *err);

#endif /* XENSCHED_BASE_FILE_H */
