/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xenschedd: connects the daemon's parts and runs them in an event loop.  It decides only the
 * times.
 */
#include <errno.h>
#include <ev.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/blocking-call.h"
#include "doorbells.h"
#include "daemon/answer/answer.h"
#include "daemon/socket/control-socket.h"
#include "daemon/sources/log-sources.h"
#include "daemon/sources/budget.h"
#include "host/host-xen.h"
#include "daemon/react/react.h"
#include "ending.h"
#include "fits.h"
#include "options.h"
#include "base/file.h"
#include "base/alloc.h"
#include "daemon/answer/metrics.h"
#include "daemon/answer/report-steal.h"
#include "socket/notify.h"
#include "base/message.h"
#include "host/xenstore.h"

/* Interval of checks of another program's lease. */
#define LEASE_LOOK_S 0.2

/* Shortest interval of reactions to domains that start and end. */
#define CHANGES_S 0.1

/* Sufficient for the rest of the start after the wait. */
#define LEASE_WAIT_MS 30000

/* The clock of the process; all other parts receive the time from here. */
static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* CPU time that this process has used. */
static uint64_t cpu_ns(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);

    return used.tv_sec * 1000000000ULL + used.tv_nsec;
}

struct daemon {
    struct options options;
    struct ev_loop *loop;
    struct host_xen *host;
    struct xensched_source *reader; /* of the hypervisor's log */
    struct core core;
    struct log_sources sources;
    struct control control;
    struct react react;
    struct metrics metrics;
    struct report_steal steal;
    struct notify notify;
    struct read_schedule read_schedule;
    ev_timer read_timer, run_timer, changes_timer;
    ev_io watch;
    struct bells bells;
    ev_signal term, interrupt, hang_up;
    bool xenstore_lost; /* logged already */
    uint64_t read_ns; /* when the hypervisor's rows were last read */
    /* The result of reading between two steps of a plan. */
    int read_rc;
    struct xensched_error read_err;
    char *history_path;
    char *trial_path, *trial_blocks_path, *learned_path;
    bool started; /* there may be changes to undo */
    bool ending;  /* there may be no log */
    int exit_code;
};

static void end_loop(struct daemon *d)
{
    d->ending = true;
    ev_break(d->loop, EVBREAK_ALL);
}

/* Ends the daemon after a failure of something that it needs. */
static void give_up(struct daemon *d, const struct xensched_error *err)
{
    say("%s", err->text);
    d->exit_code = err->code == -EEXIST ? EXIT_RUNNING : EXIT_DAEMON_FAILED;
    end_loop(d);
}

/* Opens the hypervisor's source. */
static int open_source(struct daemon *d, struct xensched_error *err)
{
    int rc = xensched_source_open("hypervisor", host_xen_area(d->host),
                                  &d->reader, err);

    if (rc)
        return rc;
    log_sources_set_hypervisor(&d->sources, d->reader);
    governor_set_clock(&d->core.governor, xensched_source_tsc_khz(d->reader));

    return 0;
}

/*
 * After the daemon stood still, the area may belong to another program, or be another one, so
 * nothing of it is used any more.
 */
static int log_again(struct daemon *d, struct xensched_error *err)
{
    int rc;

    log_sources_set_hypervisor(&d->sources, NULL);
    xensched_source_close(d->reader);
    d->reader = NULL;
    host_xen_drop_area(d->host);
    log_sources_begin_anew(&d->sources, now_ns());
    rc = host_xen_make_area(d->host, false, d->core.cookie, err);
    if (!rc)
        rc = open_source(d, err);
    if (!rc)
        rc = core_log_again(&d->core, now_ns(), err);

    return rc;
}

/*
 * A plan and its readings of the host can take longer than the log buffers or the lease last, and
 * xenstored, libxl or a disk may not answer at all.  So the hypervisor's rows are also read between
 * steps.  read_rows() handles the result afterwards.
 */
static void read_between(void *arg)
{
    struct daemon *d = arg;
    uint64_t now = now_ns();

    if (!d->reader || d->read_rc ||
        now - d->read_ns < d->options.interval_ms * 1000000ULL)
        return;
    d->read_ns = now;
    d->read_rc = core_read(&d->core, d->reader, now, &d->read_err);
    if (!d->read_rc && ev_is_active(&d->read_timer))
        notify_progress(&d->notify, now);
}

/* Adds the rows of all sources to the matrix. */
static int read_all(struct daemon *d, struct xensched_error *err)
{
    int rc = d->read_rc;

    d->read_rc = 0;
    if (rc) {
        *err = d->read_err;
        return rc;
    }
    d->read_ns = now_ns();
    log_sources_read(&d->sources, d->read_ns);
    rc = core_read(&d->core, d->reader, d->read_ns, err);
    log_sources_cap(&d->sources, d->read_ns);

    return rc;
}

static void start_timer(struct daemon *d, ev_timer *timer, uint64_t every_ms)
{
    timer->data = d;
    timer->repeat = every_ms / 1e3;
    ev_timer_again(d->loop, timer);
}

/* A broken doorbell shows only by rings that are missing. */
static void judge_doorbell(struct daemon *d)
{
    struct xensched_source_stats stats;

    if (!d->reader)
        return;
    xensched_source_stats(d->reader, &stats);
    if (read_schedule_done(&d->read_schedule, stats.due))
        say("the doorbell of the log does not ring: the log is read every "
            "%llu ms", (unsigned long long)d->read_schedule.interval_ms);
}

static void read_logs(struct daemon *d)
{
    struct xensched_error err;
    int rc;

    if (d->ending)
        return;
    d->react.changed = false;
    react_hurry(&d->react, d->reader);
    rc = read_all(d, &err);
    if (!rc)
        notify_progress(&d->notify, now_ns());
    if (rc == -ESTALE)
        rc = log_again(d, &err);
    if (rc)
        give_up(d, &err);
    else
        budget_keep(&d->sources, cpu_ns(), now_ns());
    react_look(&d->react, now_ns());
    judge_doorbell(d);
    bells_follow_linux(&d->bells, &d->sources);
    start_timer(d, &d->read_timer, read_schedule_next_ms(&d->read_schedule, &d->sources));
}

/* Reads the host, for clients that ask for the present state. */
static void look_if_due(struct daemon *d)
{
    if (now_ns() - d->read_ns >= d->options.interval_ms * 1000000ULL)
        read_logs(d);
}

static void read_rows(struct ev_loop *loop, ev_timer *timer, int events)
{
    (void)loop;
    (void)events;
    read_logs(timer->data);
}

/* The doorbell has rung: a log buffer fills up. */
static void read_rung_logs(void *arg)
{
    struct daemon *d = arg;

    d->core.rings++;
    if (read_schedule_rung(&d->read_schedule))
        say("the doorbell of the log rings again");
    read_logs(d);
}

static void linux_rung(void *arg)
{
    read_logs(arg);
}

static void journal_xenstore(struct daemon *d, bool lost, const char *text)
{
    json_object *details = json_object_new_object();

    say("%s", text);
    json_add_text(details, "reason", text);
    journal_write(&d->core.journal, lost ? "xenstore-lost" : "xenstore-again",
                  details);
    d->xenstore_lost = lost;
    snprintf(d->core.lost, sizeof(d->core.lost), "%s", lost ? text : "");
}

/*
 * The matrix needs no xenstore, but the names and groups of its domains do: without xenstored the
 * daemon makes no plans and no moves.
 */
static bool has_xenstore(struct daemon *d)
{
    struct xensched_error err;
    int rc = host_xen_check_xenstore(d->host, &err);

    if (rc == XENSTORE_ANEW) {
        ev_io_stop(d->loop, &d->watch);
        ev_io_set(&d->watch, host_xen_watch_fd(d->host), EV_READ);
        ev_io_start(d->loop, &d->watch);
        log_sources_begin_anew(&d->sources, now_ns());
        journal_xenstore(d, false, "connected to xenstore again");
    } else if (rc < 0 && !d->xenstore_lost) {
        journal_xenstore(d, true, err.text);
    }

    return rc >= 0;
}

static void make_plan(struct daemon *d)
{
    struct xensched_error err;

    if (host_xen_refresh(d->host, &err) ||
        core_run(&d->core, now_ns(), &err))
        say("%s", err.text);
    else
        log_sources_look(&d->sources, &d->core.domains, now_ns());
    report_steal(&d->steal, &d->core, d->sources.xs, now_ns());
}

static void run_period(struct ev_loop *loop, ev_timer *timer, int events)
{
    struct daemon *d = timer->data;

    (void)loop;
    (void)events;
    look_if_due(d);
    if (d->ending)
        return;
    if (!core_is_idle(&d->core, now_ns()) && has_xenstore(d))
        make_plan(d);
    metrics_write(&d->metrics, &d->core, &d->sources, now_ns());
}

static void listen_again(struct ev_loop *loop, ev_timer *timer, int events)
{
    struct daemon *d = timer->data;

    (void)events;
    ev_io_start(loop, &d->watch);
}

/*
 * Binds new domains, and unmaps logs of domains that have ended, at once and not with the next
 * plan: a mapping keeps memory of an ended domain allocated.  If many domains start at once, the
 * first one is bound at once and the others together a moment later.
 */
static void domains_changed(struct ev_loop *loop, ev_io *io, int events)
{
    struct daemon *d = io->data;
    struct domains domains = { 0 };
    struct xensched_error err;

    (void)events;
    ev_io_stop(loop, io);
    ev_timer_set(&d->changes_timer, CHANGES_S, 0);
    ev_timer_start(loop, &d->changes_timer);
    if (!host_xen_changed(d->host) || d->ending)
        return;
    if (core_bind_new(&d->core, &domains, now_ns(), &err))
        say("%s", err.text);
    else
        log_sources_look(&d->sources, &domains, now_ns());
    domains_free(&domains);
}

static void tell_misfit(void *arg, const char *text)
{
    (void)arg;
    say("warning: %s", text);
}

static void tell_misfits(struct daemon *d)
{
    const struct fits fits = {
        .options = &d->options,
        .topology = &d->core.topology,
        .domains = &d->core.domains,
        .host = d->host,
        .tell = tell_misfit,
    };

    fits_check(&fits);
}

static void needs_restart(void *arg, const char *key)
{
    (void)arg;
    say("'%s' has changed in the configuration, which needs a restart", key);
}

/* Starts reading at the present interval. */
static void start_looking(struct daemon *d)
{
    d->read_schedule.interval_ms = d->options.interval_ms;
    d->read_schedule.lease_ms = d->options.lease_ms;
    notify_interval(&d->notify, read_schedule_longest_ms(&d->read_schedule));
    start_timer(d, &d->read_timer, read_schedule_next_ms(&d->read_schedule, &d->sources));
}

/* SIGHUP: reads the configuration again; after an error nothing changes. */
static void asked_to_reload(struct ev_loop *loop, ev_signal *sig, int events)
{
    struct daemon *d = sig->data;
    json_object *details = json_object_new_object();
    struct xensched_error err;
    bool wrong;

    (void)loop;
    (void)events;
    notify_reloading(&d->notify, now_ns());
    wrong = options_reload(&d->options, needs_restart, NULL, &err);
    if (wrong) {
        say("%s; the former configuration stays in force", err.text);
        json_add_text(details, "reason", err.text);
    } else {
        core_change(&d->core, &d->options.core);
        start_looking(d);
        start_timer(d, &d->run_timer, d->options.period_ms);
        say("the configuration was read again");
        tell_misfits(d);
    }
    journal_write(&d->core.journal, wrong ? "reload-failed" : "reload",
                  details);
}

static void asked_to_end(struct ev_loop *loop, ev_signal *sig, int events)
{
    (void)loop;
    (void)events;
    end_loop(sig->data);
}

static char *answer_client(void *arg, const char *line, size_t length)
{
    struct daemon *d = arg;
    struct subject subject = {
        .core = &d->core, .sources = &d->sources, .react = &d->react,
    };
    json_object *json;
    const char *text;
    char *out;

    look_if_due(d);
    subject.now_ns = now_ns();
    json = d->ending ? answer_error("the daemon is ending")
                     : answer(&subject, line, length);
    text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN);
    out = need_memory(strlen(text) + 2, 1);
    strcpy(out, text);
    strcat(out, "\n");
    json_object_put(json);
    if (d->react.changed)
        read_logs(d);
    if (subject.stop)
        end_loop(d);

    return out;
}

static void client_gone(void *arg, struct control_client *client)
{
    struct daemon *d = arg;

    react_gone(&d->react, client);
}

static int open_control(struct daemon *d, struct xensched_error *err)
{
    int rc = control_open(&d->control, d->loop, d->options.control_path,
                          CONTROL_IDLE_S, answer_client, d, err);

    if (rc)
        return rc;
    d->control.gone = client_gone;
    react_init(&d->react, &d->core, &d->sources, &d->control, d->loop);
    if (d->options.reactions)
        react_configure(&d->react, d->options.reactions);

    return 0;
}

/*
 * Another program holds the log: a live scheduler, or a killed one whose lease will end.
 */
static int wait_for_lease(struct daemon *d, struct xensched_error *err)
{
    struct xensched_area_info info;
    struct lease_wait wait = { 0 };
    int rc;

    while (!(rc = xensched_area_ask(&info, err)) && !d->ending) {
        switch (lease_wait(&wait, info.lease_ms, info.lease_left_ms,
                           now_ns())) {
        case LEASE_FREE:
            return 0;
        case LEASE_REFUSE:
            return xensched_fail(err, EEXIST, "another scheduler holds the "
                                 "log and is alive: it renews its lease; stop "
                                 "it first");
        case LEASE_WAIT:
            notify_waiting(&d->notify, "waits for the lease of a former "
                           "scheduler to end", LEASE_WAIT_MS);
            ev_sleep(LEASE_LOOK_S);
            ev_run(d->loop, EVRUN_NOWAIT);
        }
    }

    return rc ? rc : xensched_fail(err, EINTR, "stopped while waiting");
}

static int make_area(struct daemon *d, struct xensched_error *err)
{
    bool replace = d->options.replace_area || d->core.successor;
    int rc = host_xen_make_area(d->host, replace, d->core.cookie, err);

    if (rc != -EEXIST)
        return rc;
    say("%s; waiting for that", err->text);
    rc = wait_for_lease(d, err);
    if (!rc)
        rc = host_xen_make_area(d->host, replace, d->core.cookie, err);

    return rc;
}

static void start_log_sources(struct daemon *d)
{
    const struct log_sources_settings settings = {
        .choice = &d->options.core.choice,
        .nr_acct = host_xen_host(d->host)->nr_acct,
        .lease_ms = d->options.lease_ms,
        .replace_area = d->options.replace_area || d->core.successor,
    };

    log_sources_init(&d->sources, &settings, &d->core, host_xen_xenstore(d->host));
}

/* From connecting to the first row; after that the control socket opens. */
static int begin_daemon(struct daemon *d, struct xensched_error *err)
{
    int rc;

    rc = host_xen_open(&d->host, &d->options.core.choice, &d->options.pmc,
                       d->options.llc, d->options.soft_pools, err);
    if (rc)
        return rc;
    d->history_path = file_beside(d->options.core.state_path, "history.json");
    d->options.core.history_path = d->history_path;
    d->trial_path = file_beside(d->options.core.state_path, "trial.json");
    d->options.core.trial_path = d->trial_path;
    d->trial_blocks_path = file_beside(d->options.core.state_path,
                                       "trial-blocks.jsonl");
    d->options.core.trial_blocks_path = d->trial_blocks_path;
    d->learned_path = file_beside(d->options.core.state_path, "prices.json");
    d->options.core.learned_path = d->learned_path;
    d->options.core.do_urgent = read_between;
    d->options.core.urgent_arg = d;
    blocking_call_init(read_between, d);
    rc = core_start(&d->core, &d->options.core, host_xen_host(d->host),
                    now_ns(), err);
    d->started = !rc;
    if (!rc)
        rc = host_xen_connect(d->host, err);
    if (!rc)
        rc = make_area(d, err);
    if (rc)
        return rc;
    start_log_sources(d);
    rc = open_source(d, err);
    if (!rc)
        rc = core_run(&d->core, now_ns(), err);
    if (!rc)
        rc = core_log(&d->core, now_ns(), err);
    if (!rc)
        log_sources_look(&d->sources, &d->core.domains, now_ns());
    if (!rc)
        rc = open_control(d, err);

    return rc;
}

static void start_signal(struct daemon *d, ev_signal *sig, int number,
                         void (*call)(struct ev_loop *, ev_signal *, int))
{
    ev_signal_init(sig, call, number);
    sig->data = d;
    ev_signal_start(d->loop, sig);
}

static void start_watchers(struct daemon *d)
{
    ev_init(&d->read_timer, read_rows);
    ev_init(&d->run_timer, run_period);
    ev_init(&d->changes_timer, listen_again);
    d->changes_timer.data = d;
    bells_listen(&d->bells, host_xen_area(d->host));
    start_looking(d);
    start_timer(d, &d->run_timer, d->options.period_ms);
    ev_io_init(&d->watch, domains_changed, host_xen_watch_fd(d->host),
               EV_READ);
    d->watch.data = d;
    ev_io_start(d->loop, &d->watch);
    start_signal(d, &d->hang_up, SIGHUP, asked_to_reload);
}

static void finish_daemon(struct daemon *d)
{
    notify_stopping(&d->notify);
    bells_free(&d->bells);
    blocking_call_init(NULL, NULL);
    metrics_remove(&d->metrics);
    ending_undo(d->started ? &d->core : NULL, &d->react, &d->steal, &d->sources);
    control_close(&d->control);
    if (d->core.host)
        core_free(&d->core);
    free(d->history_path);
    free(d->trial_path);
    free(d->trial_blocks_path);
    free(d->learned_path);
    xensched_source_close(d->reader);
    host_xen_close(d->host);
    notify_close(&d->notify);
}

/* Each log of a driver domain or a guest needs several; 1,024 are too few. */
static void raise_descriptors(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int main(int argc, char **argv)
{
    static struct daemon d;
    struct xensched_error err;
    int code = options_parse(&d.options, OPTIONS_CONFIG, argc, argv), lock;

    if (code >= 0)
        return code;
    make_folders(&d.options);
    raise_descriptors();
    lock = lock_take(d.options.lock_path, "xenschedd", &err);
    if (lock < 0) {
        say("%s", err.text);
        return lock == -EEXIST ? EXIT_RUNNING : EXIT_DAEMON_FAILED;
    }
    d.metrics.path = d.options.metrics_path;
    if (notify_open(&d.notify, &err))
        say("%s", err.text);
    notify_interval(&d.notify, d.options.interval_ms);
    signal(SIGPIPE, SIG_IGN);
    /* Until there is a daemon, SIGHUP has no effect, because the configuration was just read. */
    signal(SIGHUP, SIG_IGN);
    d.loop = ev_default_loop(EVFLAG_AUTO);
    if (!d.loop) {
        say("cannot make an event loop");
        return EXIT_DAEMON_FAILED;
    }
    d.read_schedule.interval_ms = d.options.interval_ms;
    bells_init(&d.bells, d.loop, &d.read_schedule, read_rung_logs, linux_rung, &d);
    start_signal(&d, &d.term, SIGTERM, asked_to_end);
    start_signal(&d, &d.interrupt, SIGINT, asked_to_end);

    if (begin_daemon(&d, &err)) {
        if (!d.ending)
            give_up(&d, &err);
    } else {
        tell_misfits(&d);
        start_watchers(&d);
        say("running, mode %s", mode_name(d.core.mode));
        ev_run(d.loop, 0);
    }
    finish_daemon(&d);
    options_free(&d.options);
    ev_loop_destroy(d.loop);

    return d.exit_code;
}
