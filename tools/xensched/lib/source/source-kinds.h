/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * source-kinds.h - the functions of each kind of source, which the functions of xensched/source.h
 * call.
 */
#ifndef XENSCHED_LIB_SOURCE_KINDS_H
#define XENSCHED_LIB_SOURCE_KINDS_H

#include <xensched/source.h>

struct xensched_source_ops {
    const char *name; /* in a specification, before the colon */
    /* @text: what follows the colon; "": nothing. */
    /* For live sources: attaches to the existing area.  Others: NULL. */
    int (*attach)(const char *text, struct xensched_area **area,
                  struct xensched_error *err);
    int (*open)(const char *text, struct xensched_area *area, void **data,
                uint64_t *tsc_khz, struct xensched_error *err);
    /* See xensched_source_next(). */
    int (*next)(void *data, struct xensched_batch *batch,
                struct xensched_error *err);
    /* May be NULL. */
    uint64_t (*nonsense)(const void *data);
    /* May be NULL. */
    uint64_t (*due)(const void *data);
    /* See xensched_source_hurry(); NULL: it has no doorbell. */
    void (*hurry)(void *data, uint32_t files);
    /* See xensched_source_leave(); NULL: it has no such log buffers. */
    void (*leave)(void *data, uint32_t files);
    /* See xensched_source_host(); NULL: it has no descriptions. */
    uint64_t (*host)(const void *data, const char **text, size_t *length);
    /* See xensched_source_whose(); NULL: all rows have one producer. */
    const struct xensched_source_info *(*info)(const void *data, uint32_t id);
    void (*close)(void *data);
};

extern const struct xensched_source_ops xensched_source_hypervisor;
extern const struct xensched_source_ops xensched_source_linux;
extern const struct xensched_source_ops xensched_source_domain;
extern const struct xensched_source_ops xensched_source_recording;
extern const struct xensched_source_ops xensched_source_synthetic;

#endif /* XENSCHED_LIB_SOURCE_KINDS_H */
