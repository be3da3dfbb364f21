/* SPDX-License-Identifier: GPL-2.0-only */
/* Formats an event of a foreign trace, and finds its CPU. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "foreign-text.h"
#include "base/alloc.h"

#define MAX_TEXT    200U
#define MAX_DEPTH   4U
#define MAX_MEMBERS 32U

struct text {
    char at[MAX_TEXT];
    size_t length;
    bool begun; /* it has a member already */
};

static void add_text(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_text(struct text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(t->at + t->length, sizeof(t->at) - t->length, format, args);
    va_end(args);
    t->length = strlen(t->at);
}

static void add_field(struct text *t, const bt_field *field,
                      unsigned int depth);

static void add_members(struct text *t, const bt_field *field,
                        unsigned int depth)
{
    const bt_field_class *class = bt_field_borrow_class_const(field);
    uint64_t nr = bt_field_class_structure_get_member_count(class), i;

    for (i = 0; i < nr && i < MAX_MEMBERS; i++) {
        const char *name = bt_field_class_structure_member_get_name(
            bt_field_class_structure_borrow_member_by_index_const(class, i));

        add_text(t, "%s%s = ", t->begun ? ", " : "", name ? name : "?");
        t->begun = true;
        add_field(t, bt_field_structure_borrow_member_field_by_index_const(
                         field, i), depth);
    }
}

static void add_array(struct text *t, const bt_field *field,
                      unsigned int depth)
{
    uint64_t nr = bt_field_array_get_length(field), i;

    add_text(t, "[");
    for (i = 0; i < nr && i < MAX_MEMBERS; i++) {
        add_text(t, "%s", i ? ", " : "");
        add_field(t, bt_field_array_borrow_element_field_by_index_const(field,
                                                                        i),
                  depth);
    }
    add_text(t, "]");
}

/* Adds the first of the value's names, or the number. */
static void add_enumeration(struct text *t, const bt_field *field, bool is_signed)
{
    bt_field_class_enumeration_mapping_label_array labels;
    uint64_t nr = 0;
    int rc = is_signed
             ? (int)bt_field_enumeration_signed_get_mapping_labels(
                   field, &labels, &nr)
             : (int)bt_field_enumeration_unsigned_get_mapping_labels(
                   field, &labels, &nr);

    if (!rc && nr)
        add_text(t, "%s", labels[0]);
    else if (is_signed)
        add_text(t, "%" PRId64, bt_field_integer_signed_get_value(field));
    else
        add_text(t, "%" PRIu64, bt_field_integer_unsigned_get_value(field));
}

static void add_inner(struct text *t, const bt_field *field,
                      bt_field_class_type type, unsigned int depth)
{
    if (!depth) {
        add_text(t, "...");
    } else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_STRUCTURE)) {
        add_text(t, "{");
        t->begun = false;
        add_members(t, field, depth - 1);
        add_text(t, "}");
    } else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY)) {
        add_array(t, field, depth - 1);
    } else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
        add_field(t, bt_field_variant_borrow_selected_option_field_const(field),
                  depth - 1);
    } else {
        add_text(t, "?");
    }
}

static void add_field(struct text *t, const bt_field *field,
                      unsigned int depth)
{
    bt_field_class_type type = bt_field_get_class_type(field);

    if (t->length + 1 >= sizeof(t->at))
        return;
    if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION))
        add_enumeration(t, field, false);
    else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_ENUMERATION))
        add_enumeration(t, field, true);
    else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
        add_text(t, "%" PRIu64, bt_field_integer_unsigned_get_value(field));
    else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
        add_text(t, "%" PRId64, bt_field_integer_signed_get_value(field));
    else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_STRING))
        add_text(t, "%s", bt_field_string_get_value(field));
    else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL))
        add_text(t, "%g", bt_field_real_single_precision_get_value(field));
    else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL))
        add_text(t, "%g", bt_field_real_double_precision_get_value(field));
    else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_BOOL))
        add_text(t, "%s", bt_field_bool_get_value(field) ? "yes" : "no");
    else
        add_inner(t, field, type, depth);
}

char *foreign_text(const bt_event *event)
{
    const char *name =
        bt_event_class_get_name(bt_event_borrow_class_const(event));
    const bt_field *parts[] = {
        bt_event_borrow_common_context_field_const(event),
        bt_event_borrow_specific_context_field_const(event),
        bt_event_borrow_payload_field_const(event),
    };
    struct text t = { .length = 0 };
    size_t i;

    add_text(&t, "%s: ", name ? name : "?");
    for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (parts[i])
            add_members(&t, parts[i], MAX_DEPTH);
    if (!t.begun)
        t.at[t.length - 2] = '\0';

    return need_string(t.at);
}

bool foreign_text_cpu(const bt_event *event, uint64_t *cpu)
{
    const bt_packet *packet =
        bt_stream_class_supports_packets(bt_stream_borrow_class_const(
            bt_event_borrow_stream_const(event)))
        ? bt_event_borrow_packet_const(event) : NULL;
    const bt_field *context = packet
                              ? bt_packet_borrow_context_field_const(packet)
                              : NULL;
    const bt_field *field = context
        ? bt_field_structure_borrow_member_field_by_name_const(context,
                                                               "cpu_id")
        : NULL;

    if (!field ||
        !bt_field_class_type_is(bt_field_get_class_type(field),
                                BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
        return false;
    *cpu = bt_field_integer_unsigned_get_value(field);

    return true;
}
