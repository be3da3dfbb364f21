/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake-libxl.c - what libxlutil's parser of configurations refers to in libxl,
 * of which nothing is linked: nothing here asks for a libxl_defbool.
 */
#include <stdlib.h>

#include <libxl.h>

void libxl_defbool_set(libxl_defbool *db, bool b)
{
    (void)db;
    (void)b;
    abort();
}
