/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * xl_vm_affinity.h
 *
 * What "xl vm-affinity" and the placement of new guests have in common: how
 * xenschedd is asked.
 */

#ifndef XL_VM_AFFINITY_H
#define XL_VM_AFFINITY_H

#include <stddef.h>
#include <stdio.h>

#include <yajl/yajl_gen.h>
#include <yajl/yajl_tree.h>

/*
 * Send a request, which is JSON, and wait for the response: a line, to be
 * freed.  NULL: *why, to be freed, is the reason as text.
 */
char *vm_affinity_ask(yajl_gen request, unsigned int timeout_s, char **why);

void vm_affinity_gen_text(yajl_gen gen, const char *text);

/* The member of an object, or NULL. */
yajl_val vm_affinity_field(yajl_val object, const char *name, yajl_type type);

/* Names come from outside: nothing in them may drive the terminal. */
void vm_affinity_print_text(FILE *f, int width, const char *what);

#endif /* XL_VM_AFFINITY_H */

/*
 * Local variables:
 * mode: C
 * c-basic-offset: 4
 * indent-tabs-mode: nil
 * End:
 */
