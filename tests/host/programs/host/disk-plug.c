/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attaches a disk of dom0 to a guest and detaches it, again and again, with the toolstack's nodes
 * in xenstore, but without starting the toolstack twice each time, which takes seconds in an
 * emulated host.
 *
 * Usage: disk-plug DOMID DEVICE TIMES
 *
 * The disk is /dev/xvdb in the guest.  The guest writes to its node data/disk that it has used the
 * disk ("used") or could not ("failed", which ends this), and that nothing of it is left ("free").
 * A device whose nodes reappear before Linux has noticed their removal would not be a new one.
 * Prints nothing.
 */
#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <xenstore.h>

#define XVDB 51728
#define CONNECTED 4
#define CLOSING "5"
#define CLOSED 6

static struct xs_handle *xs;
static unsigned int domid;
static char front[128], back[128], in_dom0[128], disk[128];

/* Writes a node below @path. */
__attribute__((format(printf, 4, 5)))
static void put(xs_transaction_t t, const char *path, const char *name,
                const char *format, ...)
{
    char node[256], value[256];
    va_list args;

    va_start(args, format);
    vsnprintf(value, sizeof(value), format, args);
    va_end(args);
    snprintf(node, sizeof(node), "%s/%s", path, name);
    if (!xs_write(xs, t, node, value, strlen(value)))
        err(1, "cannot write %s", node);
}

/* A node that one domain writes and the other reads. */
static void make(xs_transaction_t t, const char *path, unsigned int owner,
                 unsigned int reader)
{
    struct xs_permissions perms[] = {
        { .id = owner, .perms = XS_PERM_NONE },
        { .id = reader, .perms = XS_PERM_READ },
    };

    if (!xs_mkdir(xs, t, path) || !xs_set_permissions(xs, t, path, perms, 2))
        err(1, "cannot make %s", path);
}

static void put_all(xs_transaction_t t, const char *device)
{
    struct stat st;

    if (stat(device, &st))
        err(1, "%s", device);

    make(t, front, domid, 0);
    put(t, front, "backend", "%s", back);
    put(t, front, "backend-id", "0");
    put(t, front, "virtual-device", "%d", XVDB);
    put(t, front, "device-type", "disk");
    put(t, front, "state", "1");

    make(t, back, 0, domid);
    put(t, back, "frontend", "%s", front);
    put(t, back, "frontend-id", "%u", domid);
    put(t, back, "online", "1");
    put(t, back, "removable", "0");
    put(t, back, "bootable", "1");
    put(t, back, "dev", "xvdb");
    put(t, back, "type", "phy");
    put(t, back, "mode", "w");
    put(t, back, "device-type", "disk");
    put(t, back, "params", "%s", device);
    put(t, back, "physical-device", "%x:%x", major(st.st_rdev),
        minor(st.st_rdev));
    put(t, back, "hotplug-status", "connected");
    put(t, back, "state", "1");
}

static void attach(const char *device)
{
    xs_transaction_t t;

    do {
        t = xs_transaction_start(xs);
        put_all(t, device);
    } while (!xs_transaction_end(xs, t, false) && errno == EAGAIN);
}

/* Returns 0 for a missing node. */
static int number(const char *path, const char *name)
{
    char node[256], *value;
    int n;

    snprintf(node, sizeof(node), "%s/%s", path, name);
    value = xs_read(xs, XBT_NULL, node, NULL);
    n = value ? atoi(value) : 0;
    free(value);

    return n;
}

static bool both_are(int state)
{
    return number(front, "state") == state && number(back, "state") == state;
}

static bool guest_says(const char *what)
{
    char *value = xs_read(xs, XBT_NULL, disk, NULL);
    bool says = value && !strcmp(value, what);

    free(value);

    return says;
}

/* A watched node has changed. */
static void await_change(void)
{
    unsigned int nr;

    if (guest_says("failed"))
        errx(1, "domain %u could not use its disk", domid);
    free(xs_read_watch(xs, &nr));
}

static void detach(void)
{
    put(XBT_NULL, back, "online", "0");
    put(XBT_NULL, back, "state", CLOSING);
    while (!both_are(CLOSED))
        await_change();
    xs_rm(xs, XBT_NULL, front);
    xs_rm(xs, XBT_NULL, back);
    while (!access(in_dom0, F_OK))
        usleep(10000);
}

int main(int argc, char **argv)
{
    int times;

    if (argc != 4)
        errx(2, "usage: disk-plug DOMID DEVICE TIMES");
    domid = atoi(argv[1]);
    times = atoi(argv[3]);
    snprintf(front, sizeof(front), "/local/domain/%u/device/vbd/%d", domid,
             XVDB);
    snprintf(back, sizeof(back), "/local/domain/0/backend/vbd/%u/%d", domid,
             XVDB);
    snprintf(in_dom0, sizeof(in_dom0),
             "/sys/bus/xen-backend/devices/vbd-%u-%d", domid, XVDB);
    snprintf(disk, sizeof(disk), "/local/domain/%u/data/disk", domid);

    xs = xs_open(0);
    if (!xs || !xs_watch(xs, front, "") || !xs_watch(xs, back, "") ||
        !xs_watch(xs, disk, ""))
        err(1, "cannot watch xenstore");

    for (; times; times--) {
        while (!guest_says("free"))
            await_change();
        attach(argv[2]);
        while (!both_are(CONNECTED) || !guest_says("used"))
            await_change();
        detach();
    }

    return 0;
}
