/* SPDX-License-Identifier: GPL-2.0-only */
/* file.h - replaces files, and locks them. */
#ifndef XENSCHED_BASE_FILE_H
#define XENSCHED_BASE_FILE_H

#include <stdbool.h>
#include <sys/types.h>

#include <xensched/error.h>

/*
 * Writes @length bytes to "@path.new" and renames that to @path.  @durable: the file and its new
 * name are on disk when this returns, so that they outlive a crash of the host.  Returns 0 or a
 * negative errno value; then @path is unchanged, unless only the last sync failed.
 */
int replace_file(const char *path, const char *text, size_t length,
                 mode_t mode, bool durable, struct xensched_error *err);

/* Removes @path in the same way; a missing file is no error. */
int remove_file(const char *path, struct xensched_error *err);

/*
 * Takes the lock of @program, and holds it until this process ends, in any way, or closes the file;
 * no child has it.  The file then has the process's ID.  Returns the file descriptor, or -EEXIST if
 * another process holds the lock, which the error names.
 */
int lock_take(const char *path, const char *program,
              struct xensched_error *err);

#endif /* XENSCHED_BASE_FILE_H */
