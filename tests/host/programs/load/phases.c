/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads of guests that change at the same time, on command, so that a test knows which guests
 * communicate.
 *
 *   phases serve NODE NAME   in the guest NAME: does the work of the text at NODE
 *   phases set NODE TEXT     in dom0: the next phase begins
 *
 * All guests may read NODE in xenstore.  TEXT has a word for each guest,
 * NAME=KIND:PAUSE:WHERE; a guest without a word is idle.
 *
 *   read     4 KiB from the block device WHERE, past the page cache
 *   both     the same, in turn from /dev/xvda and /dev/xvdb
 *   compute  a loop of 200,000 instructions
 *   ask      a notification to the peer, until it is answered; WHERE is
 *            MEETING,DOMID: their node in xenstore (meeting), and the peer
 *   answer   the other side of it
 *
 * until the next phase, with PAUSE us after each.  "set" prints when the phase began (ms
 * since 1970).
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xenevtchn.h>
#include <xenstore.h>

#include "exchange.h"
#include "ticks.h"

#define BLOCK 4096
#define DISK_BLOCKS 256

/* What a guest does in one phase. */
struct job {
    char kind[16], where[128];
    unsigned long pause_us;
};

static void rest(const struct job *job)
{
    if (job->pause_us)
        usleep(job->pause_us);
}

static int open_disk(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECT);

    if (fd < 0)
        err(1, "%s", path);

    return fd;
}

static noreturn void read_disks(const struct job *job, const char *one,
                                const char *other)
{
    int fds[2] = { open_disk(one), open_disk(other) };
    void *buffer;

    if (posix_memalign(&buffer, BLOCK, BLOCK))
        errx(1, "no memory");
    for (unsigned long n = 0;; n++) {
        if (pread(fds[n % 2], buffer, BLOCK, n / 2 % DISK_BLOCKS * BLOCK) !=
            BLOCK)
            err(1, "cannot read");
        rest(job);
    }
}

static noreturn void compute(const struct job *job)
{
    for (;;) {
        loop(100000);
        rest(job);
    }
}

static void take_event(xenevtchn_handle *xce)
{
    xenevtchn_port_or_error_t port = xenevtchn_pending(xce);

    if (port < 0 || xenevtchn_unmask(xce, port) < 0)
        err(1, "cannot receive a notification");
}

/* Returns the port of the channel to the peer, which is in the same phase. */
static int meet(xenevtchn_handle *xce, const struct job *job, bool ask)
{
    char node[128], text[16], *theirs;
    unsigned int domid;
    int port;

    if (sscanf(job->where, "%127[^,],%u", node, &domid) != 2)
        errx(1, "%s: not MEETING,DOMID", job->where);
    exchange_open(node);
    if (ask) {
        theirs = exchange_wait("port");
        port = xenevtchn_bind_interdomain(xce, domid, number(theirs, "port"));
        free(theirs);
    } else {
        port = xenevtchn_bind_unbound_port(xce, domid);
        snprintf(text, sizeof(text), "%d", port);
        exchange_put("port", text);
    }
    if (port < 0)
        err(1, "no channel to domain %u", domid);

    return port;
}

/*
 * A new channel may have an event pending on both sides that was not sent, so more than one
 * notification may be under way at first, but never none.
 */
static noreturn void talk(const struct job *job, bool ask)
{
    xenevtchn_handle *xce = xenevtchn_open(NULL, 0);
    int port;

    if (!xce)
        err(1, "cannot open /dev/xen/evtchn");
    port = meet(xce, job, ask);
    for (;;) {
        if (ask && xenevtchn_notify(xce, port) < 0)
            err(1, "cannot notify");
        take_event(xce);
        if (!ask && xenevtchn_notify(xce, port) < 0)
            err(1, "cannot answer");
        rest(job);
    }
}

static void put(struct xs_handle *xs, const char *path, const char *text)
{
    if (!xs_write(xs, XBT_NULL, path, text, strlen(text)))
        err(1, "cannot write %s", path);
}

/* Runs the phase in a process of its own, whose open files vanish with it. */
static pid_t begin(const struct job *job)
{
    pid_t child = fork();

    if (child < 0)
        err(1, "cannot fork");
    if (child)
        return child;

    if (!strcmp(job->kind, "read"))
        read_disks(job, job->where, job->where);
    else if (!strcmp(job->kind, "both"))
        read_disks(job, "/dev/xvda", "/dev/xvdb");
    else if (!strcmp(job->kind, "compute"))
        compute(job);
    else if (!strcmp(job->kind, "ask") || !strcmp(job->kind, "answer"))
        talk(job, job->kind[1] == 's');
    else
        errx(2, "%s: no such kind of work", job->kind);
}

/* Reads this guest's word of TEXT; returns false if there is none. */
static bool job_of(const char *text, const char *name, struct job *job)
{
    size_t length = strlen(name);
    const char *word = text;

    while ((word = strchr(word, ' '))) {
        word++;
        if (!strncmp(word, name, length) && word[length] == '=')
            return sscanf(word + length + 1, "%15[^:]:%lu:%127[^ ]", job->kind,
                          &job->pause_us, job->where) >= 2;
    }

    return false;
}

static void end(pid_t child)
{
    if (!child)
        return;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static char *read_node(struct xs_handle *xs, const char *node)
{
    unsigned int length;

    return xs_read(xs, XBT_NULL, node, &length);
}

static void serve(struct xs_handle *xs, const char *node, const char *name)
{
    unsigned int phase = 0, length;
    struct job job = { .kind = "" };
    pid_t child = 0;

    if (!xs_watch(xs, node, ""))
        err(1, "cannot serve");
    for (;; free(xs_read_watch(xs, &length))) {
        char *text = read_node(xs, node);
        unsigned int now = text ? strtoul(text, NULL, 10) : 0;

        if (now != phase) {
            end(child);
            phase = now;
            child = job_of(text, name, &job) ? begin(&job) : 0;
        }
        free(text);
    }
}

static void set(struct xs_handle *xs, const char *node, const char *text)
{
    struct xs_permissions all = { .id = 0, .perms = XS_PERM_READ };
    char *before = read_node(xs, node), *numbered;
    unsigned int phase = (before ? strtoul(before, NULL, 10) : 0) + 1;
    struct timespec now;

    if (asprintf(&numbered, "%u %s", phase, text) < 0)
        errx(1, "no memory");
    clock_gettime(CLOCK_REALTIME, &now);
    put(xs, node, numbered);
    if (!before && !xs_set_permissions(xs, XBT_NULL, node, &all, 1))
        err(1, "cannot let all read %s", node);
    printf("%lld\n", now.tv_sec * 1000LL + now.tv_nsec / 1000000);
    free(before);
    free(numbered);
}

int main(int argc, char **argv)
{
    struct xs_handle *xs = xs_open(0);

    if (!xs)
        err(1, "cannot open xenstore");
    if (argc == 4 && !strcmp(argv[1], "serve"))
        serve(xs, argv[2], argv[3]);
    else if (argc == 4 && !strcmp(argv[1], "set"))
        set(xs, argv[2], argv[3]);
    else
        errx(2, "usage: phases serve NODE NAME | set NODE TEXT");

    return 0;
}
