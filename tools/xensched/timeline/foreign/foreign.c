/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a foreign trace: one in CTF, from a kernel or a program in a guest. */
#include <errno.h>
#include <fts.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <babeltrace2/babeltrace.h>

#include "foreign.h"
#include "foreign-clock.h"
#include "foreign-text.h"
#include "base/alloc.h"
#include "timeline/rows/row-order.h"

/* The most files of a trace. */
#define MAX_STREAMS 4096U

#define NAME 80U

/* Depth of the search for traces, and the most that are read. */
#define MAX_DEPTH  8
#define MAX_TRACES 64U

/* A clock whose offset is larger shows a date: seconds from 1970 to 2001. */
#define DATES_BEGIN 1000000000

struct foreign_reading {
    struct foreign *foreign;
    const struct rows *rows;
    const struct marks *marks;
    const char *name;      /* of the trace, in lanes */
    struct foreign_clocks clocks;
    bool clocks_known;
    struct xensched_error *err;
    int rc;
};

/* The events of one stream, which come in order. */
struct stream_reading {
    struct foreign_reading *r;
    unsigned int number;
};

struct folders {
    char **folder;
    size_t nr, room;
};

/* Clocks. */

static const char *environment_text(const bt_trace *trace, const char *key)
{
    const bt_value *value =
        bt_trace_borrow_environment_entry_value_by_name_const(trace, key);

    return value && bt_value_is_string(value) ? bt_value_string_get(value) : "";
}

/* LTTng's offset counts from 1970, though the trace does not say so. */
static bool has_date(const bt_clock_class *class)
{
    uint64_t cycles;
    int64_t seconds;

    bt_clock_class_get_offset(class, &seconds, &cycles);

    return bt_clock_class_origin_is_unix_epoch(class) ||
           seconds + (int64_t)(cycles / bt_clock_class_get_frequency(class)) >
               DATES_BEGIN;
}

static int find_clocks(struct foreign_reading *r, const bt_stream *stream,
                       const bt_clock_class *class)
{
    const char *name = bt_clock_class_get_name(class);
    const struct foreign_clock clock = {
        .name = name ? name : "",
        .host = environment_text(bt_stream_borrow_trace_const(stream), "hostname"),
        .has_date = has_date(class),
    };

    r->clocks_known = true;

    return foreign_clocks_find(&r->clocks, &clock, r->rows, r->marks, r->err);
}

/* Converts to ns, by the clock's date or by the clock itself. */
static bool clock_ns(const struct foreign_reading *r,
                     const bt_clock_snapshot *snapshot, uint64_t *ns)
{
    const bt_clock_class *class =
        bt_clock_snapshot_borrow_clock_class_const(snapshot);
    uint64_t hz = bt_clock_class_get_frequency(class);
    int64_t date;

    if (r->clocks.by_date) {
        if (bt_clock_snapshot_get_ns_from_origin(snapshot, &date) || date < 0)
            return false;
        *ns = date;
        return true;
    }
    *ns = (unsigned __int128)bt_clock_snapshot_get_value(snapshot) *
          1000000000U / (hz ? hz : 1);

    return true;
}

/* Returns the lane: one per CPU, or one per stream if the CPU is unknown. */

static uint32_t lane_of(struct foreign_reading *r, const bt_event *event,
                        unsigned int number)
{
    struct foreign *f = r->foreign;
    uint64_t cpu;
    char name[NAME];
    size_t i;

    if (foreign_text_cpu(event, &cpu))
        snprintf(name, sizeof(name), "%.60s CPU %llu", r->name,
                 (unsigned long long)cpu);
    else if (number)
        snprintf(name, sizeof(name), "%.60s %u", r->name, number + 1);
    else
        snprintf(name, sizeof(name), "%.60s", r->name);
    for (i = 0; i < f->nr_lanes; i++)
        if (!strcmp(f->lane[i], name))
            return i;
    *list_add(f->lane, f->nr_lanes, f->lanes_room) = need_string(name);

    return i;
}

/* Events. */

static int take_event(struct stream_reading *s, const bt_message *message)
{
    struct foreign_reading *r = s->r;
    struct foreign *f = r->foreign;
    const bt_event *event = bt_message_event_borrow_event_const(message);
    const bt_stream *stream = bt_event_borrow_stream_const(event);
    const bt_clock_class *class =
        bt_stream_class_borrow_default_clock_class_const(
            bt_stream_borrow_class_const(stream));
    uint64_t at, ns;

    if (!class)
        return xensched_fail(r->err, EINVAL, "events of the trace have no "
                             "times");
    if (!r->clocks_known && find_clocks(r, stream, class))
        return r->err->code;
    if (!clock_ns(r, bt_message_event_borrow_default_clock_snapshot_const(
                      message), &at) ||
        !foreign_clocks_ns(&r->clocks, at, &ns) || ns > r->rows->end_ns) {
        f->outside++;
        return 0;
    }
    if (f->nr == FOREIGN_MOST) {
        f->left_out++;
        return 0;
    }
    *list_add(f->event, f->nr, f->room) = (struct foreign_event){
        .ns = ns, .text = foreign_text(event),
        .lane = lane_of(r, event, s->number),
    };

    return 0;
}

static bt_graph_simple_sink_component_consume_func_status
consume(bt_message_iterator *iterator, void *data)
{
    struct stream_reading *s = data;
    bt_message_array_const messages;
    uint64_t nr = 0, i;

    switch (bt_message_iterator_next(iterator, &messages, &nr)) {
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
        return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
        return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
    case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
        break;
    default:
        return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
    }
    for (i = 0; i < nr; i++) {
        if (!s->r->rc &&
            bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_EVENT)
            s->r->rc = take_event(s, messages[i]);
        bt_message_put_ref(messages[i]);
    }

    return s->r->rc ? BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR
                    : BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

/* The graph: the plugin's source, and a sink of this file for each of its streams. */

static bt_value *make_parameters(const char *folder)
{
    bt_value *map = bt_value_map_create(), *inputs = NULL;

    if (!map ||
        bt_value_map_insert_empty_array_entry(map, "inputs", &inputs) ||
        bt_value_array_append_string_element(inputs, folder)) {
        bt_value_put_ref(map);
        return NULL;
    }

    return map;
}

static int add_sinks(bt_graph *graph, const bt_component_source *source,
                     struct stream_reading *streams, unsigned int nr)
{
    unsigned int i;
    int rc = 0;

    for (i = 0; !rc && i < nr; i++) {
        const bt_component_sink *sink;
        char name[32];

        snprintf(name, sizeof(name), "stream %u", i);
        rc = bt_graph_add_simple_sink_component(graph, name, NULL, consume,
                                                NULL, &streams[i], &sink);
        if (!rc)
            rc = bt_graph_connect_ports(
                graph,
                bt_component_source_borrow_output_port_by_index_const(source,
                                                                      i),
                bt_component_sink_borrow_input_port_by_index_const(sink, 0),
                NULL);
    }

    return rc;
}

static int run_graph(struct foreign_reading *r, bt_graph *graph,
                     const bt_component_class_source *class,
                     const bt_value *params)
{
    const bt_component_source *source;
    struct stream_reading *streams;
    unsigned int nr, i;
    int rc = bt_graph_add_source_component(graph, class, "trace", params,
                                           BT_LOGGING_LEVEL_NONE, &source);

    if (rc)
        return rc;
    nr = bt_component_source_get_output_port_count(source);
    if (nr > MAX_STREAMS)
        nr = MAX_STREAMS;
    streams = need_memory(nr + 1, sizeof(*streams));
    for (i = 0; i < nr; i++)
        streams[i] = (struct stream_reading){ .r = r, .number = i };
    rc = add_sinks(graph, source, streams, nr);
    if (!rc && nr)
        rc = bt_graph_run(graph);
    /* The component may not call consume() any more, but the caller frees it. */
    free(streams);

    return rc;
}

/* Returns the library's first and most precise words about its failure. */
static int library_failed(const char *path, struct xensched_error *err)
{
    const bt_error *error = bt_current_thread_take_error();
    const char *why = NULL;

    if (error && bt_error_get_cause_count(error))
        why = bt_error_cause_get_message(
            bt_error_borrow_cause_by_index(error, 0));
    xensched_fail(err, EILSEQ, "cannot read '%s' as a CTF trace: %.300s", path,
                  why ? why : "babeltrace2's library gives no reason");
    if (error)
        bt_error_release(error);

    return err->code;
}

static int read_folder(struct foreign_reading *r, const char *folder)
{
    const bt_component_class_source *class = NULL;
    const bt_plugin *plugin = NULL;
    bt_graph *graph;
    bt_value *params;
    int rc;

    if (!bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE,
                        &plugin))
        class = bt_plugin_borrow_source_component_class_by_name_const(plugin,
                                                                      "fs");
    if (!class)
        return xensched_fail(r->err, ENOENT, "cannot read '%s': babeltrace2's plugin 'ctf' is "
                             "missing; install the package of libbabeltrace2, or name the "
                             "plugin's folder in BABELTRACE_PLUGIN_PATH", folder);
    params = make_parameters(folder);
    graph = bt_graph_create(0);
    if (!params || !graph)
        rc = xensched_fail(r->err, ENOMEM, "out of memory");
    else
        rc = run_graph(r, graph, class, params);
    bt_graph_put_ref(graph);
    bt_value_put_ref(params);
    bt_plugin_put_ref(plugin);
    if (r->rc) {
        bt_current_thread_clear_error();
        return r->rc;
    }

    return rc ? library_failed(folder, r->err) : 0;
}

static bool is_later(const void *a, const void *b)
{
    return ((const struct foreign_event *)a)->ns >
           ((const struct foreign_event *)b)->ns;
}

/*
 * Finds the traces in a folder and its sub-folders, as LTTng has them: each file "metadata".  For a
 * file (such as mirage-profile's trace) it searches only the file's folder.
 */
static int find_traces(struct folders *found, const char *path,
                       struct xensched_error *err)
{
    char *copy = need_string(path);
    struct stat st;
    int rc = stat(path, &st) ? errno : 0;
    bool beside = !rc && !S_ISDIR(st.st_mode);
    char *roots[] = { beside ? dirname(copy) : copy, NULL };
    FTS *tree = rc ? NULL : fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    FTSENT *entry;
    char *folder;

    while (tree && (entry = fts_read(tree))) {
        if (entry->fts_level >= (beside ? 1 : MAX_DEPTH) &&
            entry->fts_info == FTS_D)
            fts_set(tree, entry, FTS_SKIP);
        if (entry->fts_info != FTS_F || strcmp(entry->fts_name, "metadata") ||
            found->nr == MAX_TRACES)
            continue;
        folder = need_string(entry->fts_path);
        folder[strlen(folder) - sizeof("/metadata") + 1] = '\0';
        *list_add(found->folder, found->nr, found->room) = folder;
    }
    if (tree)
        fts_close(tree);
    free(copy);
    if (rc)
        return xensched_fail(err, rc, "cannot read '%s': %s", path,
                             strerror(rc));
    if (!found->nr)
        return xensched_fail(err, ENOENT, "'%s' is not a CTF trace: there is no "
                             "file 'metadata' %s (its author has it)",
                             path, beside ? "beside it" : "in it");

    return 0;
}

static int read_trace(struct foreign_reading *r, const char *folder)
{
    int rc = read_folder(r, folder);

    if (r->clocks.nr) {
        if (r->clocks.error_ns > r->foreign->error_ns)
            r->foreign->error_ns = r->clocks.error_ns;
        r->foreign->by = r->clocks.by;
    }
    foreign_clocks_free(&r->clocks);
    r->clocks_known = false;

    return rc;
}

int foreign_read(struct foreign *foreign, const char *path,
                 const struct rows *rows, const struct marks *marks,
                 struct xensched_error *err)
{
    struct foreign_reading r = {
        .foreign = foreign, .rows = rows, .marks = marks, .err = err,
    };
    char *name = need_string(path);
    struct folders found = { 0 };
    size_t i;
    int rc;

    memset(foreign, 0, sizeof(*foreign));
    r.name = basename(name);
    rc = find_traces(&found, path, err);
    for (i = 0; !rc && i < found.nr; i++)
        rc = read_trace(&r, found.folder[i]);
    if (rc && !foreign->nr)
        foreign->by = NULL;
    order_sort(foreign->event, foreign->nr, sizeof(*foreign->event), is_later);
    for (i = 0; i < found.nr; i++)
        free(found.folder[i]);
    free(found.folder);
    free(name);

    return rc;
}

void foreign_free(struct foreign *foreign)
{
    size_t i;

    for (i = 0; i < foreign->nr; i++)
        free(foreign->event[i].text);
    for (i = 0; i < foreign->nr_lanes; i++)
        free(foreign->lane[i]);
    free(foreign->event);
    free(foreign->lane);
    memset(foreign, 0, sizeof(*foreign));
}
