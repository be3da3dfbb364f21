/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * target.c - see target.h.
 *
 * The guard is a child that only waits for its parent's end, whatever way that
 * comes.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xentoollog.h>

#include <xensched/stop.h>

#include "lib/area-domain-xen.h"
#include "target.h"

static void guard(const struct target *t, int end)
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
        guard(t, end[0]);
    }
    close(end[0]);
    t->alive = end[1];
    if (t->guard > 0)
        return 0;
    close(t->alive);

    return xensched_fail(err, EAGAIN, "no process");
}

static int ask(struct target *t, xc_domaininfo_t *info,
               struct xensched_error *err)
{
    errno = 0;
    if (domain_ask(t->xch, t->domid, info))
        return xensched_fail(err, errno ? errno : EIO, "domain %u: %s", t->domid,
                             strerror(errno ? errno : EIO));
    /* One that is being saved looks as if it had ended, too. */
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
    rc = ask(t, &info, err);
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
    int rc = ask(t, &info, err);

    *ns = rc ? 0 : info.cpu_time;

    return rc;
}
