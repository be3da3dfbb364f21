/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares the vCPUs that execute a block; index.h has the reason. */
#include "index.h"

enum index_verdict index_executed(struct index_check *check, int *owner, int vcpu)
{
    if (*owner == INDEX_NOBODY)
        *owner = vcpu;
    if (*owner != vcpu)
        return INDEX_RIGHT;
    if (check->first == INDEX_NOBODY)
        check->first = vcpu;
    check->others += vcpu != check->first;

    return check->others > INDEX_BLOCKS ? INDEX_WRONG : INDEX_UNKNOWN;
}
