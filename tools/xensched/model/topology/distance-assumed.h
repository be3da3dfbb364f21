/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * distance-assumed.h - ns for a line, and for a load from memory, on a host that was not measured:
 * two sockets of Cascade Lake.
 *
 * Lines: medians of compare-and-swap between two cores: threads of a core, cores of a socket, and
 * across sockets for a Platinum 8275CL; across the last-level caches of a socket for an EPYC 7R13,
 * because an 8275CL has only one:
 * https://github.com/nviennot/core-to-core-latency
 * Memory: Intel Memory Latency Checker, two sockets of Cascade Lake SP:
 * https://github.com/gjbex/Code-optimization/blob/master/info/cascadelake_mlc.txt
 */
#ifndef XENSCHED_MODEL_DISTANCE_ASSUMED_H
#define XENSCHED_MODEL_DISTANCE_ASSUMED_H

#define ASSUMED_LINE_CORE     7.6
#define ASSUMED_LINE_LLC      47
#define ASSUMED_LINE_NODE     107
#define ASSUMED_LINE_REMOTE   134
#define ASSUMED_MEMORY_LOCAL  81
#define ASSUMED_MEMORY_REMOTE 141

#endif /* XENSCHED_MODEL_DISTANCE_ASSUMED_H */
