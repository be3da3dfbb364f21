/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes a CTF trace with babeltrace2's library: its component sink.ctf.fs, which is in a plugin.
 *
 * The plugin ends the process if the disk is full at a bad moment, so it runs in a process of its
 * own, and this file finds the error.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "ctf-classes.h"
#include "ctf.h"

#define CTF_OUT "out" /* the port of its component */

/*
 * Messages: a component whose data is a const struct ctf_rows, in the process that writes the
 * trace, as in ctf-classes.h.
 *
 * Messages are in the order of time.  CTF 1.8 knows only losses from the end of a packet to the end
 * of the next packet of its stream.  So where rows were lost a packet ends at the last row before
 * the loss, and the next packet at the first row after it, which is in a third packet.
 *
 * Trace Compass takes a packet without an event for the end of its stream, unless it is the first,
 * and shows the beginning of a loss at the last event of the packet.  So the last row before the
 * loss is in the second packet (ctf-rows.c), and a full packet ends when there is a row for the
 * next one.
 */

/* A reader goes from packet to packet when it looks for a time. */
#define ROWS_PER_PACKET 8192U

/* The most messages of one step. */
#define MOST_MESSAGES 5U

struct open_packet {
    bt_packet *packet; /* NULL: none is open */
    uint32_t rows;     /* number of rows in it */
    bool losing, ended;
    uint64_t ended_ns; /* end of the previous packet */
};

struct messages {
    struct ctf_classes classes;
    const struct ctf_rows *rows;
    struct open_packet *open; /* by log */
    uint32_t begun, ended; /* number of logs */
    size_t next;           /* index of the next item */
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

/* The library calls this function for more messages. */

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

static void finalise_source(bt_self_component_source *source)
{
    struct messages *m = bt_self_component_get_data(
        bt_self_component_source_as_self_component(source));

    ctf_classes_free(&m->classes);
    free(m->open);
    free(m);
}

static bt_component_class_source *ctf_messages_class(void)
{
    bt_message_iterator_class *iterator =
        ctf_need(bt_message_iterator_class_create(next));
    bt_component_class_source *class =
        ctf_need(bt_component_class_source_create("rows", iterator));

    bt_message_iterator_class_put_ref(iterator);
    if (bt_component_class_source_set_initialize_method(class, initialise) ||
        bt_component_class_source_set_finalize_method(class, finalise_source))
        return ctf_need(NULL);

    return class;
}

/* Open files besides those of the trace. */
#define OTHER_FILES 64U

/* A new packet needs less than this. */
#define PROBE_BYTES (4 << 20)

#define EXIT_NO_PLUGIN 2

/* Functions of the process that writes. */

static bt_value *make_parameters(const char *path)
{
    bt_value *map = ctf_need(bt_value_map_create());
    int failed = bt_value_map_insert_string_entry(map, "path", path) |
                 bt_value_map_insert_bool_entry(map, "assume-single-trace", 1) |
                 bt_value_map_insert_bool_entry(map, "quiet", 1);

    /* Later versions of the library would write another version of the format. */
    if (bt_version_get_major() > 2 || bt_version_get_minor() > 0)
        failed |= bt_value_map_insert_string_entry(map, "ctf-version", "1");

    return failed ? ctf_need(NULL) : map;
}

static const bt_component_class_sink *sink_class(const bt_plugin **plugin)
{
    const bt_component_class_sink *class = NULL;

    if (!bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE,
                        plugin))
        class = bt_plugin_borrow_sink_component_class_by_name_const(*plugin,
                                                                    "fs");
    if (!class)
        _exit(EXIT_NO_PLUGIN);

    return class;
}

/* Returns 0, or the library's status of a failure. */
static int run_graph(bt_graph *graph, const struct ctf_rows *rows,
                     const bt_component_class_sink *class,
                     const bt_value *params)
{
    bt_component_class_source *ours = ctf_messages_class();
    const bt_component_source *source;
    const bt_component_sink *sink;
    int rc = bt_graph_add_source_component_with_initialize_method_data(
        graph, ours, "rows", NULL, (void *)rows, BT_LOGGING_LEVEL_NONE,
        &source);

    if (!rc)
        rc = bt_graph_add_sink_component(graph, class, "trace", params,
                                         BT_LOGGING_LEVEL_NONE, &sink);
    if (!rc)
        rc = bt_graph_connect_ports(
            graph,
            bt_component_source_borrow_output_port_by_name_const(source,
                                                                 CTF_OUT),
            bt_component_sink_borrow_input_port_by_name_const(sink, "in"),
            NULL);
    if (!rc)
        rc = bt_graph_run(graph);
    bt_component_class_source_put_ref(ours);

    return rc;
}

/* Each log buffer has a file that stays open until the end. */
static void allow_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void __attribute__((noreturn)) write_it(const struct ctf_rows *rows,
                                               const char *path)
{
    const bt_plugin *plugin = NULL;
    const bt_component_class_sink *class = sink_class(&plugin);
    bt_value *params = make_parameters(path);
    bt_graph *graph = ctf_need(bt_graph_create(0));
    struct rlimit no_core = { 0, 0 };
    int rc;

    setrlimit(RLIMIT_CORE, &no_core);
    allow_files();
    rc = run_graph(graph, rows, class, params);
    bt_graph_put_ref(graph); /* writes the rest */
    bt_value_put_ref(params);
    bt_plugin_put_ref(plugin);
    _exit(rc ? EXIT_FAILURE : EXIT_SUCCESS);
}

/* Finds the reason of a failure. */

static int check_files(const struct ctf_rows *rows, struct xensched_error *err)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) ||
        rows->nr_logs + OTHER_FILES <= limit.rlim_max)
        return 0;

    return xensched_fail(err, EMFILE, "the trace has %zu files, more than may "
                         "be open at a time (ulimit -Hn: %llu)", rows->nr_logs,
                         (unsigned long long)limit.rlim_max);
}

/* The library has to create the folder itself. */
static int check_folder(const char *path, struct xensched_error *err)
{
    if (mkdir(path, 0755) && errno != EEXIST)
        return xensched_fail(err, errno, "cannot create the folder '%s': %s",
                             path, strerror(errno));
    if (!rmdir(path))
        return 0;
    if (errno == ENOTDIR)
        return xensched_fail(err, EEXIST, "'%s' exists and is not a folder",
                             path);
    if (errno == ENOTEMPTY || errno == EEXIST)
        return xensched_fail(err, EEXIST, "the folder '%s' exists and is not "
                             "empty", path);

    return xensched_fail(err, errno, "cannot use the folder '%s': %s", path,
                         strerror(errno));
}

/* Tries whether a file of some size fits into the folder.  Returns an errno value. */
static int probe_folder(const char *path)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file, rc;

    if (folder < 0)
        return errno;
    file = openat(folder, ".probe", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    rc = file < 0 ? errno : posix_fallocate(file, 0, PROBE_BYTES);
    if (file >= 0)
        close(file);
    unlinkat(folder, ".probe", 0);
    close(folder);

    return rc;
}

/* This process made the folder, so it removes all of its contents. */
static void remove_folder(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;

    while (folder && (entry = readdir(folder)))
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(path);
}

/* The library does not report that the end of the metadata could not be written. */
static bool is_whole(const char *path)
{
    static const char end[] = "};\n\n";
    char *name, found[sizeof(end)] = "";
    FILE *file = NULL;
    bool whole;

    if (asprintf(&name, "%s/metadata", path) < 0)
        return false;
    file = fopen(name, "re");
    free(name);
    if (!file)
        return false;
    whole = !fseek(file, 1 - (long)sizeof(end), SEEK_END) &&
            fread(found, 1, sizeof(end) - 1, file) == sizeof(end) - 1 &&
            !strcmp(found, end);
    fclose(file);

    return whole;
}

static int explain_failure(const char *path, int status, struct xensched_error *err)
{
    int rc = probe_folder(path);

    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_PLUGIN)
        return xensched_fail(err, ENOENT, "cannot write '%s': babeltrace2's plugin 'ctf' is "
                             "missing; install the package of libbabeltrace2, or name the "
                             "plugin's folder in BABELTRACE_PLUGIN_PATH", path);
    remove_folder(path);
    if (rc)
        return xensched_fail(err, rc, "cannot write '%s': %s", path,
                             strerror(rc));
    if (WIFSIGNALED(status))
        return xensched_fail(err, EIO, "cannot write '%s': babeltrace2's "
                             "library ended (%s)", path,
                             strsignal(WTERMSIG(status)));

    return xensched_fail(err, EIO, "cannot write '%s': babeltrace2's library "
                         "failed", path);
}

int ctf_write(const struct ctf_rows *rows, const char *path,
              struct xensched_error *err)
{
    int status = 0, rc = check_files(rows, err);
    pid_t writer;

    if (!rc)
        rc = check_folder(path, err);
    if (rc)
        return rc;
    if (!rows->nr)
        return xensched_fail(err, ENODATA, "no trace is written: the recording "
                             "has no rows with a time");
    writer = fork();
    if (writer < 0)
        return xensched_fail(err, errno, "cannot start a process: %s",
                             strerror(errno));
    if (!writer)
        write_it(rows, path);
    while (waitpid(writer, &status, 0) < 0)
        if (errno != EINTR)
            return xensched_fail(err, errno, "cannot wait for a process: %s",
                                 strerror(errno));
    if (!status && is_whole(path))
        return 0;

    return explain_failure(path, status, err);
}
