/* SPDX-License-Identifier: GPL-2.0-only */
/* Executes one run, with its cleanup, whatever fails. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xensched/area.h>
#include <zlib.h>

#include "base/program.h"
#include "host-state.h"
#include "run.h"
#include "shell.h"
#include "values.h"

/*
 * A child runs 'xensched record' beside a workload, so that the process that measures the time
 * reads no rows.
 */

struct recorder {
    pid_t pid;
    int said; /* descriptor of its stderr */
    const char *file;
};

/* Timeout of its start, in which it attaches to logs of some domains. */
#define STARTS_MS 10000
#define LOOK_MS 10

static void be_recorder(const char *file, const char *events, pid_t parent,
                        int said)
{
    int null = open("/dev/null", O_RDONLY);
    char path[PATH_MAX];
    const char *program = sibling_path(path, "xensched");

    setsid();
    prctl(PR_SET_PDEATHSIG, SIGINT);
    if (getppid() != parent)
        _exit(1);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    dup2(null, STDIN_FILENO);
    dup2(said, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    if (events)
        execlp(program, "xensched", "record", "--event", events, file, (char *)NULL);
    else
        execlp(program, "xensched", "record", file, (char *)NULL);
    _exit(127);
}

static bool has_begun(const char *file)
{
    struct stat st;

    return !stat(file, &st) && st.st_size;
}

/* Waits for it, and reports its message. */
static int fail_recorder(struct recorder *r, struct xensched_error *err)
{
    char text[300] = "";
    ssize_t got = read(r->said, text, sizeof(text) - 1);

    close(r->said);
    text[got > 0 ? strcspn(text, "\n") : 0] = '\0';

    return xensched_fail(err, EIO, "cannot record to '%s': %s", r->file,
                         *text ? text : "it ended");
}

/* Returns 0 when the recorder reads the log.  @events: a list, or NULL: all. */
static int start_recorder(struct recorder *r, const char *file, const char *events,
                          struct xensched_error *err)
{
    static const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
    pid_t parent = getpid();
    int said[2], waited;

    r->file = file;
    unlink(file);
    if (pipe2(said, O_CLOEXEC))
        return xensched_fail(err, errno, "no pipe: %s", strerror(errno));
    r->pid = fork();
    if (!r->pid)
        be_recorder(file, events, parent, said[1]);
    close(said[1]);
    r->said = said[0];
    if (r->pid < 0)
        return fail_recorder(r, err);
    for (waited = 0; waited < STARTS_MS && !has_begun(file);
         waited += LOOK_MS) {
        if (waitpid(r->pid, NULL, WNOHANG) == r->pid)
            return fail_recorder(r, err);
        nanosleep(&pause, NULL);
    }

    return 0;
}

/* Returns 0 when the file is complete. */
static int stop_recorder(struct recorder *r, struct xensched_error *err)
{
    int status;

    kill(r->pid, SIGINT);
    while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return fail_recorder(r, err);
    close(r->said);

    return 0;
}

/* Length of the end of a failed command's output. */
#define TAIL 200

static void fail_run(struct run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The first failure counts. */
static void fail_run(struct run *run, const char *format, ...)
{
    va_list args;

    if (run->outcome.failure)
        return;
    va_start(args, format);
    vsnprintf(run->failure, sizeof(run->failure), format, args);
    va_end(args);
    run->outcome.failure = run->failure;
}

/* Returns the end of the output, without the last line break. */
static const char *last_output(struct shell *shell)
{
    while (shell->length && shell->output[shell->length - 1] == '\n')
        shell->output[--shell->length] = '\0';

    return shell->output + (shell->length > TAIL ? shell->length - TAIL : 0);
}

/* Runs a command around the workload; returns 0 if it succeeded, or there is none. */
static int do_step(struct run *run, const char *what,
                   const struct shell_command *command)
{
    struct xensched_error err;
    struct shell shell;
    int status;

    if (!command->text)
        return 0;
    if (shell_run(&shell, command, &err)) {
        fail_run(run, "%s: %s", what, err.text);
        return -1;
    }
    status = shell.status;
    run->stopped |= shell.stopped;
    if (status)
        fail_run(run, "%s ended with %d: %s", what, status, last_output(&shell));
    shell_free(&shell);

    return status;
}

static int do_prepare(struct run *run, const char *what, const char *text)
{
    return do_step(run, what, &(struct shell_command){
        .text = text, .strict = true,
    });
}

/* Runs each of its lines, whatever fails; only a second Ctrl-C ends it. */
static void do_cleanup(struct run *run, const char *what, const char *text)
{
    do_step(run, what, &(struct shell_command){ .text = text, .stops = 1 });
}

/* Without Xen, or without a log, no event is on. */
static int check_off(struct run *run)
{
    struct xensched_area_info info;
    struct xensched_error err;

    if (xensched_area_ask(&info, &err) || !info.events_enabled)
        return 0;
    fail_run(run, "log = \"off\", but events are on: stop xenschedd in this "
             "configuration's prepare");

    return -1;
}

/* Returns the kept output, and how much was dropped before it. */
static char *output_of(const struct shell *shell)
{
    char *text = NULL;

    if (shell->dropped &&
        asprintf(&text, "(%zu bytes before this are not kept)\n%s",
                 shell->dropped, shell->output) >= 0)
        return text;

    return strdup(shell->output);
}

static void take_workload(struct run *run, struct shell *shell)
{
    struct run_outcome *o = &run->outcome;

    o->exit_status = shell->status;
    o->wall_ns = shell->wall_ns;
    run->stopped |= shell->stopped;
    if (run->full || shell->status)
        o->output = output_of(shell);
    if (shell->status)
        fail_run(run, "the workload ended with %d: %s", shell->status,
                 last_output(shell));
}

static void take_values(void *arg, const char *part, size_t length)
{
    values_take(arg, part, length);
}

static void run_workload(struct run *run)
{
    struct values values = { .outcome = &run->outcome };
    const struct shell_command command = {
        .text = run->workload->run, .strict = true,
        .take = take_values, .arg = &values,
    };
    struct disturbance d;
    struct xensched_error err;
    struct shell shell;

    disturbance_begin(&d);
    if (shell_run(&shell, &command, &err)) {
        fail_run(run, "%s", err.text);
        return;
    }
    disturbance_end(&d);
    values_end(&values);
    run->outcome.clock_jump_ns = d.clock_ns;
    run->outcome.steal_ns = d.steal_ns;
    take_workload(run, &shell);
    shell_free(&shell);
}

static int file_checksum(const char *file, uint32_t *crc32_of)
{
    static unsigned char part[1 << 16];
    uLong crc = crc32(0, NULL, 0);
    FILE *f = fopen(file, "re");
    size_t got;
    int bad;

    if (!f)
        return -errno;
    while ((got = fread(part, 1, sizeof(part), f)))
        crc = crc32(crc, part, got);
    bad = ferror(f);
    fclose(f);
    *crc32_of = crc;

    return bad ? -EIO : 0;
}

/* Adds the cost per unit of each guest's work as a figure of the run. */
static void take_costs(struct run_outcome *o)
{
    const struct schedule *s = &o->schedule;
    char name[DOMAIN_NAME_TEXT + 16], unit[40];
    size_t i;

    for (i = 0; i < s->nr_costs; i++) {
        snprintf(name, sizeof(name), "cost of %s", s->domain[s->cost[i].domain].name);
        snprintf(unit, sizeof(unit), "us/%s", s->cost[i].per);
        values_set(o, name, s->cost[i].us, unit);
    }
}

static void take_recording(struct run *run)
{
    struct run_outcome *o = &run->outcome;
    struct xensched_error err;
    struct stat st;

    if (stat(run->recording, &st) ||
        file_checksum(run->recording, &o->recording_crc32)) {
        fail_run(run, "cannot read '%s': %s", run->recording, strerror(errno));
        return;
    }
    if (schedule_read(&o->schedule, run->recording, run->full, &err)) {
        fail_run(run, "%s", err.text);
        return;
    }
    take_costs(o);
    o->recording = run->recording;
    o->recording_bytes = st.st_size;
}

/* Runs the workload, with the recorder if the configuration asks for one. */
static void run_recorded(struct run *run)
{
    struct recorder recorder;
    struct xensched_error err;

    if (run->configuration->log == PLAN_OFF && check_off(run))
        return;
    if (run->configuration->log != PLAN_RECORD) {
        run_workload(run);
        return;
    }
    if (start_recorder(&recorder, run->recording, run->configuration->events,
                       &err)) {
        fail_run(run, "%s", err.text);
        return;
    }
    run_workload(run);
    if (stop_recorder(&recorder, &err))
        fail_run(run, "%s", err.text);
}

/* Ctrl-C ends a preparation and the workload; a cleanup needs a second one. */
static void run_prepared(struct run *run)
{
    const struct plan_configuration *c = run->configuration;
    const struct plan_workload *w = run->workload;

    if (!do_prepare(run, "the configuration's prepare", c->prepare)) {
        if (!do_prepare(run, "the workload's prepare", w->prepare) &&
            !stop_count())
            run_recorded(run);
        do_cleanup(run, "the workload's cleanup", w->cleanup);
    }
    do_cleanup(run, "the configuration's cleanup", c->cleanup);
    run->stopped |= stop_count() > 0;
}

/* This takes time, so it comes after everything is restored. */
static void end_recording(struct run *run)
{
    if (run->configuration->log != PLAN_RECORD)
        return;
    if (!run->stopped && !run->outcome.failure)
        take_recording(run);
    if (!run->full || !run->outcome.recording)
        unlink(run->recording);
}

int run_do(struct run *run, struct pinning *pinning, struct xensched_error *err)
{
    int rc;

    run->outcome.exit_status = -1;
    if (pinning_apply(pinning, run->configuration, err))
        fail_run(run, "%s", err->text);
    else
        run_prepared(run);
    rc = pinning_restore(pinning, err);
    end_recording(run);

    return rc;
}

void run_free(struct run *run)
{
    values_free(&run->outcome);
    schedule_free(&run->outcome.schedule);
    free(run->outcome.output);
}
