/* SPDX-License-Identifier: GPL-2.0-only */
/* xensched timeline: shows what vCPUs, guests and rings did in a recording; or exports it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <json-c/json.h>

#include "base/alloc.h"
#include "base/json.h"
#include "command/command.h"
#include "command/text/table.h"
#include "timeline/ctf/ctf.h"
#include "timeline/page/page.h"
#include "timeline/perfetto/perfetto.h"
#include "shown.h"
#include "timeline-summary.h"

/* A CTF trace is written from the rows; no timeline is derived. */

static int tell_defects(const struct ctf_rows *rows)
{
    if (rows->nr_losses)
        complain("note: %s%" PRIu64 " rows were lost while it was recorded; the trace "
                 "shows where", rows->uncounted ? "more than " : "",
                 rows->lost_rows);
    if (rows->untimed)
        complain("note: %" PRIu64 " rows have no TSC time stamp and are left "
                 "out of the trace", rows->untimed);
    if (rows->no_ns)
        complain("note: the frequency of the TSC is not known; times are its "
                 "cycles, not ns");
    if (!*rows->defect)
        return EXIT_OK;
    complain("%s; all before that is in the trace", rows->defect);

    return EXIT_FAILED;
}

/*
 * Writes the trace @path of the recording @file.  Returns an exit code: EXIT_FAILED for a
 * damaged recording, though the trace has all rows before the damage.
 */
static int export_ctf(const char *file, const char *path)
{
    struct ctf_rows rows;
    struct xensched_error err;
    int rc;

    if (ctf_rows_read(&rows, file, &err)) {
        complain("%s", err.text);
        return EXIT_FAILED;
    }
    rc = tell_defects(&rows);
    if (rows.went_back) {
        complain("'%s': the host's clock went back, as when a host was "
                 "suspended, which a CTF trace cannot have; use --html or "
                 "--perfetto", file);
        ctf_rows_free(&rows);
        return EXIT_FAILED;
    }
    if (ctf_write(&rows, path, &err)) {
        complain("%s", err.text);
        rc = EXIT_FAILED;
    } else {
        fprintf(stderr, "%s: %" PRIu64 " events; open it with babeltrace2 or "
                "Trace Compass\n", path, rows.nr_rows);
    }
    ctf_rows_free(&rows);

    return rc;
}

/* The most threads that are printed; there may be thousands. */
#define MOST_THREADS 20U

/* JSON. */

static void add_states(json_object *o, const uint64_t ns[VCPU_STATES])
{
    unsigned int state;

    for (state = 0; state < VCPU_STATES; state++) {
        char key[32];

        snprintf(key, sizeof(key), "%s_ns", vcpu_state_name[state]);
        json_add_int(o, key, ns[state]);
    }
}

static json_object *vcpus_json(const struct timeline *t)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < t->vcpus.nr; i++) {
        const struct vcpu *v = &t->vcpus.vcpu[i];
        json_object *o = json_object_new_object();

        json_add_text(o, "domain", names_of(&t->rows.names, v->acct));
        json_add_int(o, "acct", v->acct);
        json_add_int(o, "vcpu", v->number);
        json_add_int(o, "runs", v->runs);
        add_states(o, v->ns);
        json_object_array_add(array, o);
    }

    return array;
}

static json_object *threads_json(const struct timeline *t)
{
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < t->threads.nr; i++) {
        const struct thread *thread = &t->threads.thread[i];
        json_object *o = json_object_new_object();

        json_add_text(o, "domain", timeline_source_name(t, thread->source));
        json_add_int(o, "pid", thread->pid);
        json_add_int(o, "process", thread->process);
        json_add_text(o, "name", thread->name);
        if (thread->home != THREAD_NONE)
            json_add_text(o, "vcpu", timeline_place_name(t, thread->home));
        json_add_int(o, "runs", thread->runs);
        json_add_int(o, "woken", thread->woken);
        add_states(o, thread->ns);
        json_object_array_add(array, o);
    }

    return array;
}

/* Sources other than the hypervisor, whose error is clock_error_ns. */
static json_object *sources_json(const struct timeline *t)
{
    const struct linux_rows *rows = &t->rows.linux_rows;
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < rows->nr_sources; i++) {
        const struct linux_source *source = &rows->source[i];
        json_object *o = json_object_new_object();

        json_add_text(o, "kind", xensched_kind_name(source->info.kind));
        json_add_text(o, "domain", timeline_source_name(t, i));
        json_add_int(o, "domid", source->info.domid);
        json_add_int(o, "clock_error_ns", source->error_ns);
        json_add_int(o, "clocks", source->told);
        json_object_array_add(array, o);
    }

    return array;
}

static json_object *checks_json(const struct timeline *t)
{
    json_object *o = json_object_new_object();
    char text[32];

    snprintf(text, sizeof(text), "%.1f", t->wakes.by_chance);
    json_add_int(o, "wake_ups", t->wakes.pairs);
    json_add_int(o, "disordered", t->wakes.disordered);
    json_object_object_add(o, "disordered_by_chance",
                           json_object_new_double_s(t->wakes.by_chance, text));
    json_add_int(o, "disorder_ns", t->wakes.disorder_ns);
    json_add_int(o, "stays", t->stays.rows);
    json_add_int(o, "late_stamps", t->stays.late);
    json_add_int(o, "late_ns", t->stays.late_ns);
    json_add_int(o, "overlapping_stays", t->stays.overlaps);
    json_add_int(o, "unplaced_wake_ups", t->stays.unplaced);
    json_add_int(o, "guessed_vcpus", t->vcpus.guessed);
    json_add_int(o, "too_many_vcpus", t->vcpus.overlaps);
    json_add_int(o, "woken_while_running", t->vcpus.early);
    json_add_int(o, "switches_without_row", t->threads.gaps);
    json_add_int(o, "too_many_threads", t->threads.strange);
    json_add_int(o, "rows_of_linux", t->threads.checked);
    json_add_int(o, "rows_while_not_running", t->threads.absent);
    json_add_int(o, "absent_ns", t->threads.absent_ns);

    return o;
}

static void print_json(const struct timeline *t)
{
    json_object *o = json_object_new_object();

    json_add_int(o, "rows", t->rows.nr);
    json_add_int(o, "lost_rows", t->rows.lost_rows);
    json_add_int(o, "lost_rows_of_linux", t->rows.linux_rows.lost_rows);
    json_add_int(o, "begin_ns", t->rows.begin_ns);
    json_add_int(o, "length_ns", t->rows.end_ns);
    shown_add_error(o, t);
    json_add_int(o, "clock_skew_ns", t->skew.most_ns);
    json_add_int(o, "clock_went_back", t->rows.cut.nr);
    json_object_object_add(o, "sources", sources_json(t));
    json_object_object_add(o, "vcpus", vcpus_json(t));
    json_object_object_add(o, "threads", threads_json(t));
    json_object_object_add(o, "rings", rings_json(t));
    json_object_object_add(o, "costs", costs_json(t));
    json_object_object_add(o, "marks", marks_json(t));
    json_object_object_add(o, "decisions", decisions_json(t));
    if (t->foreign.by)
        json_object_object_add(o, "foreign", foreign_json(t));
    json_object_object_add(o, "checks", checks_json(t));
    json_print(o);
}

/* Text. */

static void add_share(struct table *table, uint64_t ns, uint64_t all)
{
    char text[32];

    snprintf(text, sizeof(text), "%.2f %%", all ? 100.0 * ns / all : 0.0);
    table_add(table, text);
}

static void add_shares(struct table *table, const uint64_t ns[VCPU_STATES],
                       uint64_t all)
{
    static const enum vcpu_state order[] = {
        VCPU_RUNNING, VCPU_RUNNABLE, VCPU_BLOCKED, VCPU_UNKNOWN, VCPU_LOST,
    };
    unsigned int i;

    for (i = 0; i < VCPU_STATES; i++)
        add_share(table, ns[order[i]], all);
}

static void print_vcpus(const struct timeline *t)
{
    static const char *const headers[] = {
        "VCPU", ">RUNS", ">RUNNING", ">RUNNABLE", ">BLOCKED", ">UNKNOWN",
        ">LOST", NULL,
    };
    struct table *table = table_new(headers);
    unsigned int i;

    for (i = 0; i < t->vcpus.nr; i++) {
        const struct vcpu *v = &t->vcpus.vcpu[i];
        char runs[32];

        snprintf(runs, sizeof(runs), "%" PRIu64, v->runs);
        table_add(table, shown_name(timeline_vcpu_name(t, i)));
        table_add(table, runs);
        add_shares(table, v->ns, t->rows.end_ns);
    }
    table_print(table);
}

static int ran_less(const void *a, const void *b)
{
    const struct thread *x = *(const struct thread *const *)a;
    const struct thread *y = *(const struct thread *const *)b;

    if (x->ns[VCPU_RUNNING] != y->ns[VCPU_RUNNING])
        return x->ns[VCPU_RUNNING] < y->ns[VCPU_RUNNING] ? 1 : -1;

    return x > y ? 1 : -1;
}

static void print_these(const struct timeline *t, const struct thread **thread,
                        size_t nr)
{
    static const char *const headers[] = {
        "DOMAIN", "THREAD", ">RUNS", ">RUNNING", ">RUNNABLE", ">BLOCKED",
        ">UNKNOWN", ">LOST", NULL,
    };
    struct table *table = table_new(headers);
    size_t i;

    for (i = 0; i < nr; i++) {
        char runs[32];

        snprintf(runs, sizeof(runs), "%" PRIu64, thread[i]->runs);
        table_add(table, shown_name(timeline_source_name(t,
                                                         thread[i]->source)));
        table_add(table, shown_name(threads_name(thread[i])));
        table_add(table, runs);
        add_shares(table, thread[i]->ns, t->rows.end_ns);
    }
    table_print(table);
}

static void print_threads(const struct timeline *t)
{
    const struct thread **ranked = need_memory(t->threads.nr + 1,
                                               sizeof(*ranked));
    size_t i, nr = t->threads.nr < MOST_THREADS ? t->threads.nr : MOST_THREADS;

    for (i = 0; i < t->threads.nr; i++)
        ranked[i] = &t->threads.thread[i];
    qsort(ranked, t->threads.nr, sizeof(*ranked), ran_less);
    if (nr) {
        printf("\n");
        print_these(t, ranked, nr);
    }
    if (nr < t->threads.nr)
        printf("and %zu threads that ran less (--json has all)\n",
               t->threads.nr - nr);
    if (t->threads.gaps)
        printf("switches of threads that have no row: %" PRIu64 "\n",
               t->threads.gaps);
    free(ranked);
}

static uint64_t nr_contradictions(const struct timeline *t)
{
    return t->stays.overlaps + t->stays.unplaced + t->vcpus.overlaps +
           t->vcpus.early;
}

/* Prints the clock of each source that does not have the host's TSC. */
static void print_clocks(const struct timeline *t)
{
    const struct linux_rows *rows = &t->rows.linux_rows;
    size_t i;

    for (i = 0; i < rows->nr_sources; i++)
        if (rows->source[i].told)
            printf("times of %s (%s) are known to %s\n",
                   shown_name(timeline_source_name(t, i)),
                   xensched_kind_name(rows->source[i].info.kind),
                   shown_length(rows->source[i].error_ns +
                                timeline_error_ns(t)));
}

/* Prints what contradicts the table above. */
static void print_checks(const struct timeline *t)
{
    printf("times are known to %s; wake-ups before their notification: %"
           PRIu64 " of %" PRIu64 " (by chance: about %.0f)\n",
           shown_error(t), t->wakes.disordered, t->wakes.pairs,
           t->wakes.by_chance);
    printf("time stamps that were late: %" PRIu64 " of %" PRIu64, t->stays.late,
           t->stays.rows);
    if (t->stays.late)
        printf(", by %s at most", shown_length(t->stays.late_ns));
    printf("\n");
    if (t->vcpus.guessed)
        printf("%" PRIu64 " runs may be of another vCPU of their domain\n",
               t->vcpus.guessed);
    if (t->threads.checked)
        printf("rows of Linux that were written while their vCPU did not run: %"
               PRIu64 " of %" PRIu64 "%s\n", t->threads.absent,
               t->threads.checked, t->threads.absent && !t->stays.migrates
               ? "; migrate is not logged, without which it is a guess which "
                 "vCPU ran (xenschedd --log)" : "");
    print_clocks(t);
    if (nr_contradictions(t))
        printf("rows that contradict others: %" PRIu64 "\n",
               nr_contradictions(t));
}

static void print_text(const struct timeline *t)
{
    printf("%s s, %zu rows, %" PRIu64 " lost, %u pCPUs\n",
           shown_time(t->rows.end_ns), t->rows.nr, t->rows.lost_rows,
           t->stays.nr);
    if (!t->vcpus.nr) {
        printf("nothing ran, by these rows: is service-ns logged (xenschedd "
               "--log)?\n");
        print_threads(t);
        marks_print(t);
        return;
    }
    print_vcpus(t);
    print_checks(t);
    print_threads(t);
    rings_print(t);
    costs_print(t);
    marks_print(t);
    notes_print(t);
}

/* Returns false, after a message, if a requested file could not be written. */
static bool write_files(const struct timeline *t, const struct arguments *args)
{
    struct xensched_error err;

    if ((args->html && page_write(t, args->html, &err)) ||
        (args->perfetto && perfetto_write(t, args->perfetto, &err))) {
        complain("%s", err.text);
        return false;
    }
    if (args->html)
        fprintf(stderr, "%s: open it in a browser\n", args->html);
    if (args->perfetto)
        fprintf(stderr, "%s: open it in the Perfetto UI, ui.perfetto.dev\n",
                args->perfetto);

    return true;
}

static int show_timeline(const struct arguments *args)
{
    struct timeline t;
    struct xensched_error err;
    int defects;

    if (timeline_open(&t, args->file, &err)) {
        complain("%s", err.text);
        return EXIT_FAILED;
    }
    defects = shown_defects(&t);
    if (args->with && foreign_read(&t.foreign, args->with, &t.rows, &t.marks,
                                   &err)) {
        complain("%s", err.text);
        defects = EXIT_FAILED;
    }
    if (!write_files(&t, args))
        defects = EXIT_FAILED;
    else if (args->html || args->perfetto)
        ;
    else if (args->json)
        print_json(&t);
    else
        print_text(&t);
    timeline_close(&t);

    return defects;
}

/* Returns whether @file (may be NULL) is the recording itself, after a message. */
static bool is_recording(const struct arguments *args, const char *file)
{
    struct stat recording, other;

    if (!file || stat(args->file, &recording) || stat(file, &other) ||
        recording.st_dev != other.st_dev || recording.st_ino != other.st_ino)
        return false;
    complain("'%s' is the recording, which would be overwritten: give the "
             "output another name", file);

    return true;
}

static int run_timeline(const struct arguments *args)
{
    bool other = args->html || args->perfetto || args->json;
    int ctf, shown;

    if (is_recording(args, args->html) || is_recording(args, args->perfetto))
        return EXIT_FAILED;
    ctf = args->ctf ? export_ctf(args->file, args->ctf) : EXIT_OK;
    shown = args->ctf && !other ? EXIT_OK : show_timeline(args);

    return ctf ? ctf : shown;
}

const struct command command_timeline = {
    .name = "timeline",
    .summary = "show when each vCPU ran, waited and slept",
    .help =
        "Print the share of the time in which each vCPU in the recording FILE was\n"
        "RUNNING, RUNNABLE (it waited for a pCPU), BLOCKED (it slept), UNKNOWN (no row\n"
        "tells) and LOST (rows are missing). Instead of that, --html writes a page,\n"
        "--perfetto a trace for the Perfetto UI, and --ctf a trace with all rows. --with\n"
        "adds the events of another tool's CTF trace, such as LTTng's in a guest.",
    .takes = ARGUMENT_JSON | ARGUMENT_FILE | ARGUMENT_HTML | ARGUMENT_PERFETTO |
             ARGUMENT_CTF | ARGUMENT_WITH,
    .run = run_timeline,
};
