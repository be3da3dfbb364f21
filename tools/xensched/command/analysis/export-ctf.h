/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * export-ctf.h - a recording as a CTF trace.  Nothing has to be understood of it,
 * so it is read apart from what the timeline is made of.
 */
#ifndef XENSCHED_EXPORT_CTF_H
#define XENSCHED_EXPORT_CTF_H

/*
 * Write the trace @path of the recording @file, and say so.  Returns an exit code;
 * a recording that is damaged is a failure, though all before that is written.
 */
int export_ctf(const char *file, const char *path);

#endif /* XENSCHED_EXPORT_CTF_H */
