/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ctf-classes.h - the metadata of a recording's CTF trace: one clock, a stream class per kind of
 * source with an event class for each of its events, and a stream per log buffer.
 *
 * For the process that writes the trace: an error of babeltrace2's library ends it.
 */
#ifndef XENSCHED_TIMELINE_CTF_CLASSES_H
#define XENSCHED_TIMELINE_CTF_CLASSES_H

#include <babeltrace2/babeltrace.h>

#include <xensched/abi.h>

#include "ctf-rows.h"

/* Rows without an event, or of an event without a name. */
#define CTF_NAMELESS XEN_SCHEDLOG_NR_EVENTS

/* Combinations of current, correspondent and counter in a row. */
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

/* Returns @made; ends the process if it is NULL. */
void *ctf_need(void *made);

void ctf_classes_make(struct ctf_classes *classes, const struct ctf_rows *rows,
                      bt_self_component *self);
void ctf_classes_free(struct ctf_classes *classes);

/* Makes a packet of the stream of @log, with the log's source. */
bt_packet *ctf_packet(const struct ctf_classes *classes, uint32_t log);

/* Returns the class of @item's event, a row. */
bt_event_class *ctf_event_class(struct ctf_classes *classes,
                                const struct ctf_item *item);
void ctf_fill_event(const struct ctf_classes *classes, bt_event *event,
                    const struct ctf_item *item);

#endif /* XENSCHED_TIMELINE_CTF_CLASSES_H */
