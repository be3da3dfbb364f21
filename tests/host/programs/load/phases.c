/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads of guests that change at the same time, on command, so that a test knows which guests
 * communicate.
 *
 *   phases serve NODE NAME           in the guest NAME: does the work of the text at NODE
 *   phases set NODE TEXT             in dom0: the next phase begins
 *   phases run NODE TEXT DOMID...    the same; returns when these guests have finished
 *
 * All guests may read NODE in xenstore.  TEXT has a word for each guest,
 * NAME=KIND:AMOUNT:PAUSE:WHERE; a guest without a word is idle.
 *
 *   read     4 KiB from the block device WHERE, past the page cache
 *   both     the same, in turn from /dev/xvda and /dev/xvdb
 *   compute  a loop of 200,000 instructions
 *   ask      a notification to the peer, until it is answered; WHERE is
 *            MEETING,DOMID: their node in xenstore (meeting), and the peer
 *   answer   the other side of it; has no amount
 *
 * AMOUNT times, or until the next phase if that is 0, with PAUSE us after each.
 *
 * "set" and "run" print, first, when the phase began (ms since 1970), "run" then
 * the ticks of the TSC from there to the end.  A guest leaves in its node
 * data/work: PHASE COUNT, when it has finished or the phase is over.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xenevtchn.h>
#include <xenstore.h>

#include "exchange.h"
#include "ticks.h"

#define WORK "data/work"
#define BLOCK 4096
#define DISK_BLOCKS 256

/* What a guest does in one phase. */
struct job {
    char kind[16], where[128];
    unsigned long amount, pause_us;
    volatile unsigned long *done;
};

/* Counts one more; returns whether there is more to do. */
static bool go_on(const struct job *job)
{
    ++*job->done;
    if (job->pause_us)
        usleep(job->pause_us);

    return !job->amount || *job->done < job->amount;
}

static int open_disk(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECT);

    if (fd < 0)
        err(1, "%s", path);

    return fd;
}

static void read_disks(const struct job *job, const char *one,
                       const char *other)
{
    int fds[2] = { open_disk(one), open_disk(other) };
    void *buffer;

    if (posix_memalign(&buffer, BLOCK, BLOCK))
        errx(1, "no memory");
    do {
        unsigned long n = *job->done;

        if (pread(fds[n % 2], buffer, BLOCK, n / 2 % DISK_BLOCKS * BLOCK) !=
            BLOCK)
            err(1, "cannot read");
    } while (go_on(job));
}

static void compute(const struct job *job)
{
    do {
        loop(100000);
    } while (go_on(job));
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
static void talk(const struct job *job, bool ask)
{
    xenevtchn_handle *xce = xenevtchn_open(NULL, 0);
    int port;

    if (!xce)
        err(1, "cannot open /dev/xen/evtchn");
    port = meet(xce, job, ask);
    do {
        if (ask && xenevtchn_notify(xce, port) < 0)
            err(1, "cannot notify");
        take_event(xce);
        if (!ask && xenevtchn_notify(xce, port) < 0)
            err(1, "cannot answer");
    } while (go_on(job));
}

static void put(struct xs_handle *xs, const char *path, const char *text)
{
    if (!xs_write(xs, XBT_NULL, path, text, strlen(text)))
        err(1, "cannot write %s", path);
}

static struct xs_handle *open_xenstore(void)
{
    struct xs_handle *xs = xs_open(0);

    if (!xs)
        err(1, "cannot open xenstore");

    return xs;
}

static void say_work(struct xs_handle *xs, unsigned int phase,
                     const struct job *job)
{
    char text[48];

    snprintf(text, sizeof(text), "%u %lu", phase, *job->done);
    put(xs, WORK, text);
}

/* Runs the phase in a process of its own, whose open files vanish with it. */
static pid_t begin(unsigned int phase, const struct job *job)
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
    say_work(open_xenstore(), phase, job);
    exit(0);
}

/* Reads this guest's word of TEXT; returns false if there is none. */
static bool job_of(const char *text, const char *name, struct job *job)
{
    size_t length = strlen(name);
    const char *word = text;

    while ((word = strchr(word, ' '))) {
        word++;
        if (!strncmp(word, name, length) && word[length] == '=')
            return sscanf(word + length + 1, "%15[^:]:%lu:%lu:%127[^ ]",
                          job->kind, &job->amount, &job->pause_us,
                          job->where) >= 3;
    }

    return false;
}

static void end(struct xs_handle *xs, pid_t child, unsigned int phase,
                const struct job *job)
{
    if (!child)
        return;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    say_work(xs, phase, job);
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

    job.done = mmap(NULL, sizeof(*job.done), PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (job.done == MAP_FAILED || !xs_watch(xs, node, ""))
        err(1, "cannot serve");
    for (;; free(xs_read_watch(xs, &length))) {
        char *text = read_node(xs, node);
        unsigned int now = text ? strtoul(text, NULL, 10) : 0;

        if (now != phase) {
            end(xs, child, phase, &job);
            phase = now;
            *job.done = 0;
            child = job_of(text, name, &job) ? begin(phase, &job) : 0;
        }
        free(text);
    }
}

/* Returns the number of the phase. */
static unsigned int set(struct xs_handle *xs, const char *node,
                        const char *text)
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
    printf("%lld", now.tv_sec * 1000LL + now.tv_nsec / 1000000);
    free(before);
    free(numbered);

    return phase;
}

static void work_of(unsigned int domid, char path[64])
{
    snprintf(path, 64, "/local/domain/%u/" WORK, domid);
}

static bool has_finished(struct xs_handle *xs, unsigned int domid,
                         unsigned int phase)
{
    char path[64], *text;
    bool finished;

    work_of(domid, path);
    text = read_node(xs, path);
    finished = text && strtoul(text, NULL, 10) == phase;
    free(text);

    return finished;
}

static void run(struct xs_handle *xs, const char *node, const char *text,
                int nr, char **domids)
{
    unsigned int phase, length;
    uint64_t begin_tsc;
    char path[64];

    for (int i = 0; i < nr; i++) {
        work_of(strtoul(domids[i], NULL, 10), path);
        if (!xs_watch(xs, path, ""))
            err(1, "cannot watch %s", path);
    }
    begin_tsc = ticks();
    phase = set(xs, node, text);
    for (int i = 0; i < nr; i++)
        while (!has_finished(xs, strtoul(domids[i], NULL, 10), phase))
            free(xs_read_watch(xs, &length));
    printf(" %llu", (unsigned long long)(ticks() - begin_tsc));
}

int main(int argc, char **argv)
{
    const char *command = argc > 3 ? argv[1] : "";

    if (argc == 4 && !strcmp(command, "serve"))
        serve(open_xenstore(), argv[2], argv[3]);
    else if (argc == 4 && !strcmp(command, "set"))
        set(open_xenstore(), argv[2], argv[3]);
    else if (argc > 4 && !strcmp(command, "run"))
        run(open_xenstore(), argv[2], argv[3], argc - 4, argv + 4);
    else
        errx(2, "usage: phases serve NODE NAME | set NODE TEXT | "
             "run NODE TEXT DOMID...");
    putchar('\n');

    return 0;
}
