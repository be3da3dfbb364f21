/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sampled guest: reads its progress, keeps it from staying stopped, and sums up its activity in
 * an interval.
 *
 * A child process guards it: the child only waits for its parent's end, however that ends, and
 * lets the guest continue.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xensched/event.h>
#include <xensched/stop.h>
#include <xentoollog.h>

#include "base/alloc.h"
#include "base/json.h"
#include "lib/area/area-domain-xen.h"
#include "sampled-guest.h"

/* The guest. */

static void guard_guest(const struct target *t, int end)
{
    char byte;

    setsid();
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    while (read(end, &byte, 1) < 0 && errno == EINTR)
        ;
    xensched_stop_resume(t->domid, NULL);
    _exit(0);
}

static int start_guard(struct target *t, struct xensched_error *err)
{
    int end[2];

    if (pipe(end))
        return xensched_fail(err, errno, "no pipe: %s", strerror(errno));
    fflush(NULL);
    t->guard = fork();
    if (!t->guard) {
        close(end[1]);
        guard_guest(t, end[0]);
    }
    close(end[0]);
    t->alive = end[1];
    if (t->guard > 0)
        return 0;
    close(t->alive);

    return xensched_fail(err, EAGAIN, "no process");
}

static int ask_xen(struct target *t, xc_domaininfo_t *info,
                   struct xensched_error *err)
{
    errno = 0;
    if (domain_ask(t->xch, t->domid, info))
        return xensched_fail(err, errno ? errno : EIO, "domain %u: %s", t->domid,
                             strerror(errno ? errno : EIO));
    /* A guest that is being saved looks as if it had ended. */
    if (info->flags & XEN_DOMINF_dying ||
        (info->flags & XEN_DOMINF_shutdown &&
         (info->flags >> XEN_DOMINF_shutdownshift & XEN_DOMINF_shutdownmask) !=
         SHUTDOWN_suspend))
        return xensched_fail(err, ESRCH, "domain %u has ended", t->domid);

    return 0;
}

int target_open(struct target *t, uint32_t domid, struct xensched_error *err)
{
    xc_domaininfo_t info;
    int rc;

    *t = (struct target){ .domid = domid, .alive = -1 };
    errno = 0;
    t->xch = xc_interface_open(NULL, NULL, 0);
    if (!t->xch)
        return xensched_fail(err, errno ? errno : EIO, "cannot ask Xen: %s",
                             strerror(errno ? errno : EIO));
    rc = ask_xen(t, &info, err);
    if (!rc && info.flags & XEN_DOMINF_paused)
        rc = xensched_fail(err, EBUSY, "domain %u is paused", domid);
    if (!rc)
        rc = start_guard(t, err);
    t->vcpus = rc ? 0 : info.nr_online_vcpus ? info.nr_online_vcpus : 1;
    if (rc) {
        xc_interface_close(t->xch);
        t->xch = NULL;
    }

    return rc;
}

void target_close(struct target *t)
{
    if (!t->xch)
        return;
    close(t->alive);
    while (waitpid(t->guard, NULL, 0) < 0 && errno == EINTR)
        ;
    xc_interface_close(t->xch);
    t->xch = NULL;
}

int target_service(struct target *t, uint64_t *ns, struct xensched_error *err)
{
    xc_domaininfo_t info;
    int rc = ask_xen(t, &info, err);

    *ns = rc ? 0 : info.cpu_time;

    return rc;
}

/* An interval. */

#define BLOCK_ROWS 64

#define EVENT(NAME) (1U << XEN_SCHEDLOG_EV_##NAME)

/* Their correspondent is the domain that ran next, which says nothing about the guest. */
#define ALONE (EVENT(SERVICE_NS) | EVENT(SERVICE_TSC) | EVENT(PMC0) | \
               EVENT(PMC1) | EVENT(PMC2) | EVENT(PMC3))

void interval_begin(struct interval *i, uint16_t acct)
{
    i->acct = acct;
    i->nr = 0;
    i->rows = i->lost_rows = 0;
}

void interval_free(struct interval *i)
{
    free(i->cell);
    i->cell = NULL;
}

static struct cell *find_cell(struct interval *i, uint16_t event, uint16_t other,
                              bool outward)
{
    unsigned int at = 0;

    for (; at < i->nr; at++)
        if (i->cell[at].event == event && i->cell[at].other == other &&
            i->cell[at].outward == outward)
            return &i->cell[at];
    i->cell = need_more_memory(i->cell, i->nr + 1, sizeof(*i->cell));
    i->cell[i->nr] = (struct cell){
        .event = event, .other = other, .outward = outward,
    };

    return &i->cell[i->nr++];
}

static void add_row(struct interval *i, const struct xensched_row *row)
{
    const uint16_t needed = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                            XENSCHED_ROW_COUNTER;
    uint16_t other = row->valid & XENSCHED_ROW_CORRESPONDENT
                     ? row->correspondent : XEN_SCHEDLOG_ACCT_NONE;
    bool alone = row->event < XEN_SCHEDLOG_NR_EVENTS &&
                 ALONE & 1U << row->event;
    struct cell *cell;

    if ((row->valid & needed) != needed)
        return;
    if (row->current == i->acct)
        cell = find_cell(i, row->event, alone ? XEN_SCHEDLOG_ACCT_NONE : other, true);
    else if (other == i->acct && !alone)
        cell = find_cell(i, row->event, row->current, false);
    else
        return;
    i->rows += cell->outward;
    cell->rows++;
    cell->sum += row->counter;
}

void interval_add(struct interval *i, const struct xensched_batch *batch)
{
    struct xensched_row rows[BLOCK_ROWS];
    size_t at, nr, first = 0;

    i->lost_rows += batch->lost_rows;
    while ((nr = xensched_batch_decode(batch, first, rows, BLOCK_ROWS))) {
        for (at = 0; at < nr; at++)
            add_row(i, &rows[at]);
        first += nr;
    }
}

static void add_cell(json_object *json, const struct cell *c,
                     const struct acct_names *names)
{
    const char *event = xensched_event_name(c->event);
    json_object *value = json_object_new_object();
    char key[160];

    snprintf(key, sizeof(key), "%s%s%s", event ? event : "?",
             c->other == XEN_SCHEDLOG_ACCT_NONE ? "" : c->outward ? ">" : "<",
             c->other == XEN_SCHEDLOG_ACCT_NONE ? ""
                                                : acct_names_of(names, c->other));
    json_add_int(value, "rows", c->rows);
    json_add_int(value, "sum", c->sum);
    json_object_object_add(json, key, value);
}

json_object *interval_json(const struct interval *i,
                           const struct acct_names *names)
{
    json_object *json = json_object_new_object();
    unsigned int at;

    for (at = 0; at < i->nr; at++)
        add_cell(json, &i->cell[at], names);

    return json;
}
