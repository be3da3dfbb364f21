/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Orders rows into messages of a CTF trace.
 *
 * All messages are in the order of time.  CTF 1.8 has no losses but those from the end of
 * a packet to the end of the next packet of its stream.  So where rows were lost a packet
 * ends at the last row before, and the next packet at the first row after the loss, which
 * is in a third packet.
 *
 * Trace Compass takes a packet without an event for the end of its stream, unless it is
 * the first, and shows the beginning of the loss at the last event of the packet.  So the
 * last row before the loss is in the second packet (ctf-rows.c), and a full packet ends
 * when there is a row for the next one.
 */
#include <stdlib.h>

#include "ctf-classes.h"
#include "ctf-messages.h"
#include "base/alloc.h"

/* A reader goes from packet to packet when it looks for a time. */
#define ROWS_PER_PACKET 8192U

/* What one step makes, at most. */
#define MOST_MESSAGES 5U

struct open_packet {
    bt_packet *packet; /* NULL: there is none now */
    uint32_t rows;     /* in it */
    bool losing, ended;
    uint64_t ended_ns; /* the one before */
};

struct messages {
    struct ctf_classes classes;
    const struct ctf_rows *rows;
    struct open_packet *open; /* by log */
    uint32_t begun, ended; /* logs */
    size_t next;           /* item */
    bt_self_message_iterator *self;
    bt_message_array_const to;
    uint64_t nr;
};

static void emit_message(struct messages *m, bt_message *message)
{
    m->to[m->nr++] = ctf_need(message);
}

static void begin_packet(struct messages *m, uint32_t log, uint64_t ns)
{
    struct open_packet *s = &m->open[log];

    s->packet = ctf_packet(&m->classes, log);
    s->rows = 0;
    emit_message(m, bt_message_packet_beginning_create_with_default_clock_snapshot(
                 m->self, s->packet, ns));
}

static void end_packet(struct messages *m, uint32_t log, uint64_t ns)
{
    struct open_packet *s = &m->open[log];

    emit_message(m, bt_message_packet_end_create_with_default_clock_snapshot(
                 m->self, s->packet, ns));
    bt_packet_put_ref(s->packet);
    s->packet = NULL;
    s->ended = true;
    s->ended_ns = ns;
}

static void say_row(struct messages *m, const struct ctf_item *item)
{
    struct open_packet *s = &m->open[item->log];
    bt_message *message;

    if (s->packet && s->rows >= ROWS_PER_PACKET && !s->losing)
        end_packet(m, item->log, item->ns);
    if (!s->packet)
        begin_packet(m, item->log, item->ns);
    message = ctf_need(
        bt_message_event_create_with_packet_and_default_clock_snapshot(
            m->self, ctf_event_class(&m->classes, item), s->packet, item->ns));
    ctf_fill_event(&m->classes, bt_message_event_borrow_event(message), item);
    emit_message(m, message);
    s->rows++;
}

static void begin_loss(struct messages *m, const struct ctf_item *item)
{
    const struct ctf_loss *loss = &m->rows->loss[item->counter];
    struct open_packet *s = &m->open[item->log];
    bt_message *message;

    if (!s->packet && !(s->ended && s->ended_ns == item->ns))
        begin_packet(m, item->log, item->ns);
    if (s->packet)
        end_packet(m, item->log, item->ns);
    message = ctf_need(
        bt_message_discarded_events_create_with_default_clock_snapshots(
            m->self, m->classes.stream[item->log], loss->begin_ns,
            loss->end_ns));
    if (loss->rows)
        bt_message_discarded_events_set_count(message, loss->rows);
    emit_message(m, message);
    begin_packet(m, item->log, item->ns);
    s->losing = true;
}

static void end_loss(struct messages *m, const struct ctf_item *item)
{
    end_packet(m, item->log, item->ns);
    m->open[item->log].losing = false;
}

static void say_item(struct messages *m, const struct ctf_item *item)
{
    switch (item->what) {
    case CTF_ROW:
        say_row(m, item);
        break;
    case CTF_LOSS_BEGINS:
        begin_loss(m, item);
        break;
    case CTF_LOSS_ENDS:
        end_loss(m, item);
        break;
    }
}

static void end_log(struct messages *m, uint32_t log)
{
    if (m->open[log].packet)
        end_packet(m, log, m->rows->end_ns);
    emit_message(m, bt_message_stream_end_create(m->self, m->classes.stream[log]));
}

/* Returns false at the end. */
static bool emit_next(struct messages *m)
{
    if (m->begun < m->rows->nr_logs)
        emit_message(m, bt_message_stream_beginning_create(
                     m->self, m->classes.stream[m->begun++]));
    else if (m->next < m->rows->nr)
        say_item(m, &m->rows->item[m->next++]);
    else if (m->ended < m->rows->nr_logs)
        end_log(m, m->ended++);
    else
        return false;

    return true;
}

/* What the library calls. */

static bt_message_iterator_class_next_method_status
next(bt_self_message_iterator *self, bt_message_array_const to, uint64_t room,
     uint64_t *nr)
{
    struct messages *m = bt_self_component_get_data(
        bt_self_message_iterator_borrow_component(self));

    m->self = self;
    m->to = to;
    m->nr = 0;
    while (m->nr + MOST_MESSAGES <= room && emit_next(m))
        ;
    *nr = m->nr;

    return m->nr ? BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK
                 : BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
}

static bt_component_class_initialize_method_status
initialise(bt_self_component_source *source,
           bt_self_component_source_configuration *config,
           const bt_value *params, void *rows)
{
    bt_self_component *self =
        bt_self_component_source_as_self_component(source);
    struct messages *m = need_memory(1, sizeof(*m));

    (void)config;
    (void)params;
    m->rows = rows;
    m->open = need_memory(m->rows->nr_logs + 1, sizeof(*m->open));
    ctf_classes_make(&m->classes, m->rows, self);
    bt_self_component_set_data(self, m);
    if (bt_self_component_source_add_output_port(source, CTF_OUT, NULL, NULL))
        return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;

    return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static void finalise(bt_self_component_source *source)
{
    struct messages *m = bt_self_component_get_data(
        bt_self_component_source_as_self_component(source));

    ctf_classes_free(&m->classes);
    free(m->open);
    free(m);
}

bt_component_class_source *ctf_messages_class(void)
{
    bt_message_iterator_class *iterator =
        ctf_need(bt_message_iterator_class_create(next));
    bt_component_class_source *class =
        ctf_need(bt_component_class_source_create("rows", iterator));

    bt_message_iterator_class_put_ref(iterator);
    if (bt_component_class_source_set_initialize_method(class, initialise) ||
        bt_component_class_source_set_finalize_method(class, finalise))
        return ctf_need(NULL);

    return class;
}
