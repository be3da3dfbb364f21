/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ctf-classes.h - what a CTF trace of a recording says of itself: one clock, a
 * stream class per kind of source with an event class for each event that it has,
 * a stream per log file.
 *
 * For the process that writes the trace: what babeltrace2's library cannot make
 * ends it.
 */
#ifndef XENSCHED_TIMELINE_CTF_CLASSES_H
#define XENSCHED_TIMELINE_CTF_CLASSES_H

#include <babeltrace2/babeltrace.h>

#include <xensched/abi.h>

#include "ctf-rows.h"

/* Those of rows of an event without a name, or which do not say theirs. */
#define CTF_NAMELESS XEN_SCHEDLOG_NR_EVENTS

/* Which of current, correspondent and counter a row has. */
#define CTF_SHAPES 8U

struct ctf_classes {
    const struct ctf_rows *rows;
    bt_trace_class *trace_class;
    bt_trace *trace;
    bt_stream_class *stream_class[XENSCHED_NR_KINDS];
    bt_event_class *event_class[XENSCHED_NR_KINDS][CTF_NAMELESS + 1][CTF_SHAPES];
    bt_stream **stream; /* by log */
    struct ctf_label {
        uint16_t acct, last;
        char text[48];
    } *label;
    size_t nr_labels, labels_room;
};

/* @made; the process ends if it is NULL. */
void *ctf_need(void *made);

void ctf_classes_make(struct ctf_classes *classes, const struct ctf_rows *rows,
                      bt_self_component *self);
void ctf_classes_free(struct ctf_classes *classes);

/* A packet of the stream of @log, which says whose it is. */
bt_packet *ctf_packet(const struct ctf_classes *classes, uint32_t log);

/* The class of an event which @item, a row, is; and what it says. */
bt_event_class *ctf_event_class(struct ctf_classes *classes,
                                const struct ctf_item *item);
void ctf_fill_event(const struct ctf_classes *classes, bt_event *event,
                    const struct ctf_item *item);

#endif /* XENSCHED_TIMELINE_CTF_CLASSES_H */
