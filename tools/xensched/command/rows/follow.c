/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a source until its end, a time limit or Ctrl-C. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "command/command.h"
#include "follow.h"

/*
 * Time between two polls of a live area.  A log buffer loses nothing if it holds what is written in
 * this time.
 */
#define PAUSE_NS 10000000L

/* Seconds between two checks whether the area still exists. */
#define AREA_SECONDS 1.0

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

void follow_catch_signals(void)
{
    struct sigaction action = {
        .sa_handler = on_signal,
        .sa_flags = SA_RESTART | SA_RESETHAND,
    };

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

bool follow_stopped(void)
{
    return stop;
}

static double now_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return ts.tv_sec + ts.tv_nsec / 1e9;
}

int follow_open_live(struct follow *follow, const char *source,
                     struct xensched_error *err)
{
    struct xensched_area_info info;
    int rc;

    rc = xensched_source_attach(source, &follow->area, err);
    if (rc)
        return rc;
    rc = xensched_source_open(source, follow->area, &follow->source, err);
    if (!rc)
        rc = xensched_area_info(follow->area, &info, err);
    if (!rc && !info.events_enabled)
        complain("note: no event is on; xenschedd turns them on");
    if (rc)
        follow_close(follow);

    return rc;
}

int follow_open(struct follow *follow, const char *spec,
                struct xensched_error *err)
{
    if (!strncmp(spec, "recording:", strlen("recording:")) ||
        !strncmp(spec, "synthetic:", strlen("synthetic:")))
        return xensched_source_open(spec, NULL, &follow->source, err);

    return follow_open_live(follow, spec, err);
}

void follow_close(struct follow *follow)
{
    xensched_source_close(follow->source);
    xensched_area_close(follow->area);
    follow->source = NULL;
    follow->area = NULL;
}

/* An area that was released stays mapped, and gets no rows any more. */
static int check_area(struct follow *follow, struct xensched_error *err)
{
    struct xensched_area_info info;
    int rc;

    rc = xensched_area_info(follow->area, &info, err);
    if (!rc && !info.nr_cpus)
        rc = xensched_fail(err, ENODATA, "the log area is gone: its owner "
                           "(xenschedd) has given it up");

    return rc;
}

/* All rows have been read; waits for more. */
static int wait_for_rows(struct follow *follow, double at, double *next_check,
                         struct xensched_error *err)
{
    static const struct timespec pause = { .tv_nsec = PAUSE_NS };
    int rc;

    rc = follow->idle(follow->data, at, err);
    if (rc == FOLLOW_ON && follow->seconds && at >= follow->seconds)
        return FOLLOW_END;
    if (rc == FOLLOW_ON && follow->area && at >= *next_check) {
        rc = check_area(follow, err);
        *next_check = at + AREA_SECONDS;
    }
    if (rc == FOLLOW_ON && !stop)
        nanosleep(&pause, NULL);

    return rc;
}

int follow_run(struct follow *follow, struct xensched_error *err)
{
    double begin = now_s(), next_check = AREA_SECONDS;
    struct xensched_batch batch;
    int rc = FOLLOW_ON;

    while (rc == FOLLOW_ON && !stop) {
        rc = xensched_source_next(follow->source, &batch, err);
        if (rc == XENSCHED_BATCH)
            rc = follow->take(follow->data, &batch, err);
        else if (rc == XENSCHED_IDLE)
            rc = wait_for_rows(follow, now_s() - begin, &next_check, err);
        else if (rc == XENSCHED_END)
            rc = FOLLOW_END;
    }

    return rc < 0 ? rc : 0;
}
