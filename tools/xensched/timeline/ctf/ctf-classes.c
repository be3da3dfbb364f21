/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares the classes of a CTF trace.
 *
 * Rows of one event need not have the same fields: their register selects the fields.  So
 * each combination has a class, all with the event's name.  The library returns fields in
 * the order in which they were added.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xensched/event.h>
#include <xensched/row.h>

#include "ctf-classes.h"
#include "base/alloc.h"

/* Accounting domains with a label of their own in the trace. */
#define MAX_LABELS 1024U

#define NO_DOMAIN (-1)

#define HAS (XENSCHED_ROW_CURRENT | XENSCHED_ROW_CORRESPONDENT | \
             XENSCHED_ROW_COUNTER)

/* A counter that consists of several numbers: bits from ... from + nr - 1. */
struct part {
    const char *name; /* NULL: the end of the list */
    unsigned int from, nr;
};

#define WORK { { "reason", 54, 10 }, { "times", 32, 22 }, { "time", 0, 32 } }

static const struct part parts[CTF_NAMELESS + 1][6] = {
    [XEN_SCHEDLOG_EV_RUNQ] = { { "queue", 16, 16 }, { "units", 0, 16 } },
    [XEN_SCHEDLOG_EV_MIGRATE] = { { "from", 16, 16 }, { "to", 0, 16 } },
    [XEN_SCHEDLOG_EV_OFF_CPU] = { { "left", 28, 4 }, { "capped", 27, 1 },
                                  { "paused", 26, 1 }, { "woke", 23, 3 },
                                  { "time", 0, 23 } },
    [XEN_SCHEDLOG_EV_REPLENISH] = { { "missed", 31, 1 }, { "left", 0, 31 } },
    [XEN_SCHEDLOG_EV_HYPERCALL_TIME] = WORK,
    [XEN_SCHEDLOG_EV_IRQ_TIME] = WORK,
    [XEN_SCHEDLOG_EV_EXIT_TIME] = WORK,
    [XEN_SCHEDLOG_EV_FLUSH_WAIT] = WORK,
    /* A code with structure has type 15; see uapi/xensched_mark.h. */
    [XEN_SCHEDLOG_EV_MARK] = { { "type", 28, 4 }, { "what", 25, 3 },
                               { "high", 15, 10 }, { "low", 0, 15 } },
    [XEN_SCHEDLOG_EV_RING_SECTORS] = { { "sectors", 3, 61 },
                                       { "operation", 0, 3 } },
    [XEN_SCHEDLOG_EV_GUEST_SWITCH] = { { "before", 22, 22 }, { "after", 0, 22 },
                                       { "why", 44, 8 }, { "taken", 52, 1 } },
    [XEN_SCHEDLOG_EV_GUEST_WAKE] = { { "waker", 22, 22 }, { "woken", 0, 22 },
                                     { "interrupt", 44, 1 } },
    [XEN_SCHEDLOG_EV_GUEST_NAME] = { { "pid", 0, 22 }, { "part", 22, 2 },
                                     { "contents", 24, 40 } },
};

void *ctf_need(void *made)
{
    if (!made)
        _exit(EXIT_FAILURE);

    return made;
}

static void need_ok(int status)
{
    if (status)
        _exit(EXIT_FAILURE);
}

/* Makes a name safe for any program. */

static void make_plain(char *text, size_t size, const char *name)
{
    size_t i;

    for (i = 0; i < size - 1 && name[i]; i++)
        text[i] = name[i] < ' ' || name[i] > '~' || strchr("\"\\#", name[i])
                  ? '?' : name[i];
    text[i] = '\0';
}

/* If two domains share a name, their numbers follow it. */
static void add_label(struct ctf_classes *c, uint16_t acct)
{
    struct ctf_label label = { .acct = acct, .last = acct };
    size_t i;

    make_plain(label.text, 32, names_of(&c->rows->names, acct));
    for (i = 0; i < c->nr_labels; i++)
        if (!strcmp(c->label[i].text, label.text))
            break;
    if (i < c->nr_labels || !*label.text)
        sprintf(label.text + strlen(label.text), "#%u", acct);
    *list_add(c->label, c->nr_labels, c->labels_room) = label;
}

/*
 * Gives each number a label.  For numbers without one, Trace Compass combines labels as if they
 * were flags, so 5 would have the names of 1 and 4.
 */
static void learn_labels(struct ctf_classes *c)
{
    bool *used = need_memory(NAMES_ACCTS, sizeof(*used));
    unsigned int acct;
    size_t i;

    for (i = 0; i < c->rows->nr; i++) {
        const struct ctf_item *item = &c->rows->item[i];

        if (item->what == CTF_ROW && !c->rows->log[item->log].source)
            used[item->current] = used[item->correspondent] = true;
    }
    for (acct = 0; acct < XEN_SCHEDLOG_ACCT_NONE && c->nr_labels < MAX_LABELS;
         acct++)
        if (used[acct])
            add_label(c, acct);
    if (acct < XEN_SCHEDLOG_ACCT_NONE)
        *list_add(c->label, c->nr_labels, c->labels_room) = (struct ctf_label){
            .acct = acct, .last = XEN_SCHEDLOG_ACCT_NONE - 1, .text = "#others",
        };
    if (used[XEN_SCHEDLOG_ACCT_NONE])
        add_label(c, XEN_SCHEDLOG_ACCT_NONE);
    free(used);
}

/* Fields. */

static void add_field(bt_field_class *to, const char *name,
                      bt_field_class *field)
{
    need_ok(bt_field_class_structure_append_member(to, name, field));
    bt_field_class_put_ref(field);
}

static bt_field_class *make_number(const struct ctf_classes *c, unsigned int bits)
{
    bt_field_class *field =
        ctf_need(bt_field_class_integer_unsigned_create(c->trace_class));

    bt_field_class_integer_set_field_value_range(field, bits);

    return field;
}

static bt_field_class *make_domid(const struct ctf_classes *c)
{
    bt_field_class *field =
        ctf_need(bt_field_class_integer_signed_create(c->trace_class));

    bt_field_class_integer_set_field_value_range(field, 32);

    return field;
}

/* An empty enumeration would be invalid metadata. */
static bt_field_class *accounting_domain(const struct ctf_classes *c)
{
    bt_field_class *field;
    size_t i;

    if (!c->nr_labels)
        return make_number(c, 16);
    field = ctf_need(bt_field_class_enumeration_unsigned_create(
        c->trace_class));
    bt_field_class_integer_set_field_value_range(field, 16);
    for (i = 0; i < c->nr_labels; i++) {
        const struct ctf_label *label = &c->label[i];
        bt_integer_range_set_unsigned *range =
            ctf_need(bt_integer_range_set_unsigned_create());

        need_ok(bt_integer_range_set_unsigned_add_range(range, label->acct,
                                                        label->last));
        need_ok(bt_field_class_enumeration_unsigned_add_mapping(
            field, label->text, range));
        bt_integer_range_set_unsigned_put_ref(range);
    }

    return field;
}

/* Sources other than the hypervisor may number accounting domains differently. */
static void add_domain(const struct ctf_classes *c, bt_field_class *to,
                       enum xensched_kind kind, const char *name,
                       const char *name_of_domid)
{
    if (kind != XENSCHED_KIND_HYPERVISOR) {
        add_field(to, name, make_number(c, 16));
        return;
    }
    add_field(to, name, accounting_domain(c));
    add_field(to, name_of_domid, make_domid(c));
}

static bt_field_class *make_payload(const struct ctf_classes *c,
                                    enum xensched_kind kind, unsigned int event,
                                    unsigned int has)
{
    bt_field_class *all = ctf_need(bt_field_class_structure_create(
        c->trace_class));
    const struct part *part;

    if (event == CTF_NAMELESS)
        add_field(all, "number", make_domid(c));
    if (has & XENSCHED_ROW_CURRENT)
        add_domain(c, all, kind, "current", "current_domid");
    if (has & XENSCHED_ROW_CORRESPONDENT)
        add_domain(c, all, kind, "correspondent", "correspondent_domid");
    if (has & XENSCHED_ROW_COUNTER) {
        add_field(all, "counter", make_number(c, 64));
        for (part = parts[event]; part->name; part++)
            add_field(all, part->name, make_number(c, 64));
    }

    return all;
}

static bt_field_class *make_context(const struct ctf_classes *c,
                                    enum xensched_kind kind)
{
    bt_field_class *all = ctf_need(bt_field_class_structure_create(
        c->trace_class));

    add_field(all, "cpu_id", make_number(c, 32));
    add_field(all, "file", make_number(c, 32));
    if (kind == XENSCHED_KIND_HYPERVISOR)
        return all;
    add_field(all, "source", make_number(c, 32));
    add_field(all, "domid", make_number(c, 32));
    add_field(all, "domain",
              ctf_need(bt_field_class_string_create(c->trace_class)));

    return all;
}

/* The trace. */

static bt_clock_class *make_clock(const struct ctf_rows *rows,
                                  bt_self_component *self)
{
    bt_clock_class *clock = ctf_need(bt_clock_class_create(self));

    need_ok(bt_clock_class_set_name(clock, "host"));
    need_ok(bt_clock_class_set_description(clock, "TSC of the host"));
    bt_clock_class_set_frequency(clock, 1000000000);
    bt_clock_class_set_origin_is_unix_epoch(clock, rows->utc_ns > 0);
    bt_clock_class_set_offset(clock, rows->utc_ns / 1000000000,
                              rows->utc_ns % 1000000000);

    return clock;
}

static void make_stream_class(struct ctf_classes *c, enum xensched_kind kind,
                              bt_clock_class *clock)
{
    bt_stream_class *class = ctf_need(bt_stream_class_create(c->trace_class));
    bt_field_class *fields = make_context(c, kind);

    need_ok(bt_stream_class_set_name(class, xensched_kind_name(kind)));
    need_ok(bt_stream_class_set_default_clock_class(class, clock));
    bt_stream_class_set_supports_packets(class, BT_TRUE, BT_TRUE, BT_TRUE);
    bt_stream_class_set_supports_discarded_events(class, BT_TRUE, BT_TRUE);
    need_ok(bt_stream_class_set_packet_context_field_class(class, fields));
    bt_field_class_put_ref(fields);
    c->stream_class[kind] = class;
}

static void tell_source(struct ctf_classes *c, unsigned int id)
{
    const struct ctf_source *source = &c->rows->source[id];
    char key[40], name[XENSCHED_NAME_TEXT];

    if (!source->rows)
        return;
    snprintf(key, sizeof(key), "source_%u_error_ns", id);
    need_ok(bt_trace_set_environment_entry_integer(
        c->trace, key, source->error_ns < INT64_MAX ? source->error_ns
                                                    : INT64_MAX));
    snprintf(key, sizeof(key), "source_%u_kind", id);
    need_ok(bt_trace_set_environment_entry_string(
        c->trace, key, xensched_kind_name(source->info.kind)));
    snprintf(key, sizeof(key), "source_%u_name", id);
    make_plain(name, sizeof(name), source->info.name);
    need_ok(bt_trace_set_environment_entry_string(c->trace, key, name));
}

static enum xensched_kind kind_of(const struct ctf_classes *c, uint32_t log)
{
    return c->rows->source[c->rows->log[log].source].info.kind;
}

static void make_stream(struct ctf_classes *c, uint32_t log)
{
    const struct ctf_log *l = &c->rows->log[log];
    char name[64];

    c->stream[log] = ctf_need(bt_stream_create(c->stream_class[kind_of(c, log)],
                                               c->trace));
    if (l->source)
        snprintf(name, sizeof(name), "source%u-vcpu%u-file%u", l->source,
                 l->cpu, l->file);
    else
        snprintf(name, sizeof(name), "pcpu%u-file%u", l->cpu, l->file);
    need_ok(bt_stream_set_name(c->stream[log], name));
}

void ctf_classes_make(struct ctf_classes *c, const struct ctf_rows *rows,
                      bt_self_component *self)
{
    bt_clock_class *clock;
    unsigned int i;

    memset(c, 0, sizeof(*c));
    c->rows = rows;
    learn_labels(c);
    c->trace_class = ctf_need(bt_trace_class_create(self));
    clock = make_clock(rows, self);
    for (i = 0; i < XENSCHED_NR_KINDS; i++)
        make_stream_class(c, i, clock);
    bt_clock_class_put_ref(clock);
    c->trace = ctf_need(bt_trace_create(c->trace_class));
    need_ok(bt_trace_set_environment_entry_string(c->trace, "tracer_name",
                                                  "xensched"));
    for (i = 0; i < XENSCHED_MAX_SOURCES; i++)
        tell_source(c, i);
    c->stream = need_memory(rows->nr_logs + 1, sizeof(*c->stream));
    for (i = 0; i < rows->nr_logs; i++)
        make_stream(c, i);
}

void ctf_classes_free(struct ctf_classes *c)
{
    unsigned int i, j, k;

    for (i = 0; i < c->rows->nr_logs; i++)
        bt_stream_put_ref(c->stream[i]);
    for (i = 0; i < XENSCHED_NR_KINDS; i++) {
        for (j = 0; j <= CTF_NAMELESS; j++)
            for (k = 0; k < CTF_SHAPES; k++)
                bt_event_class_put_ref(c->event_class[i][j][k]);
        bt_stream_class_put_ref(c->stream_class[i]);
    }
    bt_trace_put_ref(c->trace);
    bt_trace_class_put_ref(c->trace_class);
    free(c->stream);
    free(c->label);
}

/* The contents of the trace. */

static bt_field *next_member(bt_field *of, unsigned int *i)
{
    return bt_field_structure_borrow_member_field_by_index(of, (*i)++);
}

static void set_member(bt_field *of, unsigned int *i, uint64_t value)
{
    bt_field_integer_unsigned_set_value(next_member(of, i), value);
}

bt_packet *ctf_packet(const struct ctf_classes *c, uint32_t log)
{
    const struct ctf_log *l = &c->rows->log[log];
    const struct xensched_source_info *info = &c->rows->source[l->source].info;
    bt_packet *packet = ctf_need(bt_packet_create(c->stream[log]));
    bt_field *fields = bt_packet_borrow_context_field(packet);
    char name[XENSCHED_NAME_TEXT];
    unsigned int i = 0;

    set_member(fields, &i, l->cpu);
    set_member(fields, &i, l->file);
    if (info->kind == XENSCHED_KIND_HYPERVISOR)
        return packet;
    set_member(fields, &i, l->source);
    set_member(fields, &i, info->domid);
    make_plain(name, sizeof(name), info->name);
    need_ok(bt_field_string_set_value(next_member(fields, &i), name));

    return packet;
}

static unsigned int event_of(const struct ctf_item *item)
{
    return item->valid & XENSCHED_ROW_EVENT && xensched_event_name(item->event)
           ? item->event : CTF_NAMELESS;
}

static unsigned int shape_of(const struct ctf_item *item)
{
    return (item->valid & HAS) / XENSCHED_ROW_CURRENT;
}

bt_event_class *ctf_event_class(struct ctf_classes *c,
                                const struct ctf_item *item)
{
    enum xensched_kind kind = kind_of(c, item->log);
    unsigned int event = event_of(item);
    bt_event_class **class = &c->event_class[kind][event][shape_of(item)];
    bt_field_class *fields;

    if (*class)
        return *class;
    fields = make_payload(c, kind, event, item->valid & HAS);
    *class = ctf_need(bt_event_class_create(c->stream_class[kind]));
    need_ok(bt_event_class_set_name(*class, event == CTF_NAMELESS
                                    ? "nameless" : xensched_event_name(event)));
    need_ok(bt_event_class_set_payload_field_class(*class, fields));
    bt_field_class_put_ref(fields);

    return *class;
}

static void set_domain(bt_field *of, unsigned int *i, enum xensched_kind kind,
                       uint16_t acct, uint16_t number)
{
    set_member(of, i, acct);
    if (kind == XENSCHED_KIND_HYPERVISOR)
        bt_field_integer_signed_set_value(
            next_member(of, i), number == CTF_NO_DOMID ? NO_DOMAIN : number);
}

void ctf_fill_event(const struct ctf_classes *c, bt_event *event,
                    const struct ctf_item *item)
{
    bt_field *fields = bt_event_borrow_payload_field(event);
    enum xensched_kind kind = kind_of(c, item->log);
    const struct part *part;
    unsigned int i = 0;

    if (event_of(item) == CTF_NAMELESS)
        bt_field_integer_signed_set_value(
            next_member(fields, &i), item->valid & XENSCHED_ROW_EVENT ? item->event
                                                                 : NO_DOMAIN);
    if (item->valid & XENSCHED_ROW_CURRENT)
        set_domain(fields, &i, kind, item->current, item->current_domid);
    if (item->valid & XENSCHED_ROW_CORRESPONDENT)
        set_domain(fields, &i, kind, item->correspondent,
                   item->correspondent_domid);
    if (!(item->valid & XENSCHED_ROW_COUNTER))
        return;
    set_member(fields, &i, item->counter);
    for (part = parts[event_of(item)]; part->name; part++)
        set_member(fields, &i, item->counter >> part->from &
                               ((1ULL << part->nr) - 1));
}
