/* SPDX-License-Identifier: LGPL-2.1-only */
/* Opens the event channel or the device by which a producer rings. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xenevtchn.h>
#include <xentoollog.h>

#include <xensched/doorbell.h>

#include "area-parts.h"

struct xensched_doorbell {
    xentoollog_logger *log;
    xenevtchn_handle *channels; /* NULL: a doorbell of Linux */
    int device;                 /* of Linux */
};

static int no_channels(struct xensched_error *err, int code)
{
    if (code == ENOENT || code == ENXIO || code == ENODEV)
        return xensched_fail(err, ENOENT, "/dev/xen/evtchn is missing (the "
                             "module xen-evtchn is not loaded)");

    return xensched_fail(err, code ? code : EIO, "cannot open "
                         "/dev/xen/evtchn: %s", strerror(code));
}

static int bind_virq(struct xensched_doorbell *bell, uint32_t virq,
                     struct xensched_error *err)
{
    int fd = xenevtchn_fd(bell->channels);

    if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) ||
        xenevtchn_bind_virq(bell->channels, virq) < 0)
        return xensched_fail(err, errno, "cannot bind VIRQ %u, the doorbell of "
                             "the log: %s", virq, strerror(errno));

    return 0;
}

/* Libxenevtchn's logger is off, because this library reports errors. */
static int open_channels(struct xensched_doorbell *bell, uint32_t virq,
                         struct xensched_error *err)
{
    bell->log = (xentoollog_logger *)
        xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0);
    if (!bell->log)
        return xensched_fail(err, ENOMEM, "out of memory");
    errno = 0;
    bell->channels = xenevtchn_open(bell->log, 0);
    if (!bell->channels)
        return no_channels(err, errno);

    return bind_virq(bell, virq, err);
}

int xensched_doorbell_open(uint32_t virq, struct xensched_doorbell **bell,
                           struct xensched_error *err)
{
    struct xensched_doorbell *b;
    int rc;

    if (!virq)
        return xensched_fail(err, EOPNOTSUPP, "this hypervisor's log has no "
                             "doorbell");
    b = calloc(1, sizeof(*b));
    if (!b)
        return xensched_fail(err, ENOMEM, "out of memory");
    b->device = -1;
    rc = open_channels(b, virq, err);
    if (rc) {
        xensched_doorbell_close(b);
        return rc;
    }
    *bell = b;

    return 0;
}

int xensched_doorbell_open_linux(struct xensched_doorbell **bell,
                                 struct xensched_error *err)
{
    struct xensched_doorbell *b = calloc(1, sizeof(*b));

    if (!b)
        return xensched_fail(err, ENOMEM, "out of memory");
    b->device = open(AREA_LINUX_DEVICE, O_RDWR | O_CLOEXEC);
    if (b->device < 0) {
        int code = errno;

        free(b);
        return xensched_fail(err, code, "cannot open " AREA_LINUX_DEVICE
                             ", the doorbell of its log: %s", strerror(code));
    }
    *bell = b;

    return 0;
}

int xensched_doorbell_fd(const struct xensched_doorbell *bell)
{
    return bell->channels ? xenevtchn_fd(bell->channels) : bell->device;
}

void xensched_doorbell_answer(struct xensched_doorbell *bell)
{
    xenevtchn_port_or_error_t port;

    /* A doorbell of Linux is answered by the watermark that is set after a read. */
    if (!bell->channels)
        return;
    port = xenevtchn_pending(bell->channels);
    if (port >= 0)
        xenevtchn_unmask(bell->channels, port);
}

void xensched_doorbell_close(struct xensched_doorbell *bell)
{
    if (!bell)
        return;
    if (bell->device >= 0)
        close(bell->device);
    if (bell->channels)
        xenevtchn_close(bell->channels);
    if (bell->log)
        xtl_logger_destroy(bell->log);
    free(bell);
}
