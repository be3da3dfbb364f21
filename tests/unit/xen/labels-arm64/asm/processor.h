/* SPDX-License-Identifier: GPL-2.0-only */
/* Replaces the header of Xen in test-xen-labels-arm64. */
#include "world.h"
