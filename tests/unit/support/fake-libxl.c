/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake-libxl.c - symbols of libxl that libxlutil's parser of configurations refers to.  No test
 * needs a libxl_defbool.
 */
#include <stdlib.h>

#include <libxl.h>

void libxl_defbool_set(libxl_defbool *db, bool b)
{
    (void)db;
    (void)b;
    abort();
}
