/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lets a guest run a command, and reports what a part of it cost the whole host.
 *
 *   errand serve              in the guest: runs what comes, for ever
 *   errand mark               in the guest, by the command: the part begins; and,
 *                             the second time, ends
 *   errand run DOMID COMMAND  in dom0: returns when the guest has done it
 *
 * "run" prints: TICKS IDLE CODE, and the command's output (one line)
 *   TICKS  of the TSC, from the first mark to the last one.  In exact mode a
 *          tick is an instruction, or one that might have been executed had
 *          there been anything to do
 *   IDLE   ns in which a pCPU had nothing to do in this time, as Xen accounts it
 *   CODE   exit code of the command
 *
 * Both ends sleep in a watch of xenstore until it is their turn, and a mark returns when dom0 has
 * read its clocks.  So the measurement contains the command, and whatever else the host does in the
 * meantime.
 */
#include <err.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <xenctrl.h>
#include <xenstore.h>

#include "ticks.h"

#define MAX_CPUS 64

/* Nodes of the guest.  Each begins with a number, which rises. */
#define COMMAND "errand"
#define MARKED  "errand-marked"
#define ANSWER  "data/errand"       /* the guest may write in data/ */
#define MARK    "data/errand-mark"

struct clocks {
    uint64_t tsc, idle;
};

/* Returns the path of a guest's node, as dom0 sees it; valid for four calls. */
static const char *node(unsigned domid, const char *name)
{
    static char paths[4][64];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof(paths[0]), "/local/domain/%u/%s", domid, name);

    return path;
}

static uint64_t idle_ns(xc_interface *xch)
{
    xc_cpuinfo_t cpus[MAX_CPUS];
    uint64_t sum = 0;
    int n;

    if (xc_getcpuinfo(xch, MAX_CPUS, cpus, &n))
        err(1, "cannot get the idle time");
    while (n--)
        sum += cpus[n].idletime;

    return sum;
}

/* Waits until the node begins with the number; returns the text after it. */
static char *wait_for(struct xs_handle *xs, const char *path, unsigned number)
{
    for (;;) {
        unsigned int n;
        char *value = xs_read(xs, XBT_NULL, path, &n);
        char *rest = NULL;

        if (value && strtoul(value, &rest, 10) == number && *rest == ' ') {
            memmove(value, rest + 1, strlen(rest));
            return value;
        }
        free(value);
        free(xs_read_watch(xs, &n));
    }
}

static void put(struct xs_handle *xs, const char *path, const char *value)
{
    if (!xs_write(xs, XBT_NULL, path, value, strlen(value)))
        err(1, "cannot write %s", path);
}

static void watch(struct xs_handle *xs, const char *path)
{
    if (!xs_watch(xs, path, "errand"))
        err(1, "cannot watch %s", path);
}

/* Returns the number at the beginning of a node, or 0 if there is no such node. */
static unsigned number_of(struct xs_handle *xs, const char *path)
{
    unsigned int n;
    char *value = xs_read(xs, XBT_NULL, path, &n);
    unsigned number = value ? strtoul(value, NULL, 10) : 0;

    free(value);

    return number;
}

static void mark(struct xs_handle *xs)
{
    unsigned number = number_of(xs, MARK) + 1;
    char text[16];

    snprintf(text, sizeof(text), "%u ", number);
    watch(xs, MARKED);
    put(xs, MARK, text);
    free(wait_for(xs, MARKED, number));
}

/* Runs the command, and prints what "run" needs into text. */
static void carry_out(const char *command, unsigned number, char *text,
                      size_t size)
{
    char said[512] = "";
    FILE *pipe = popen(command, "r");
    int code;

    if (!pipe)
        err(1, "cannot run it");
    if (fgets(said, sizeof(said), pipe))
        said[strcspn(said, "\n")] = '\0';
    while (fgetc(pipe) != EOF)
        ;
    code = pclose(pipe);
    snprintf(text, size, "%u %d %s", number,
             WIFEXITED(code) ? WEXITSTATUS(code) : 255, said);
}

static void serve(struct xs_handle *xs)
{
    watch(xs, COMMAND);
    for (unsigned number = 1;; number++) {
        char text[1024], *command = wait_for(xs, COMMAND, number);

        carry_out(command, number, text, sizeof(text));
        free(command);
        put(xs, ANSWER, text);
    }
}

/* Writes a node of the guest that it may read, and only dom0 write. */
static void give(struct xs_handle *xs, unsigned domid, const char *name,
                 const char *text)
{
    struct xs_permissions perms[] = {
        { .id = 0, .perms = XS_PERM_NONE },
        { .id = domid, .perms = XS_PERM_READ },
    };
    const char *path = node(domid, name);

    put(xs, path, text);
    if (!xs_set_permissions(xs, XBT_NULL, path, perms, 2))
        err(1, "cannot set the permissions of %s", path);
}

static struct clocks read_clocks(xc_interface *xch)
{
    struct clocks clocks = { .idle = idle_ns(xch) };

    clocks.tsc = ticks();

    return clocks;
}

/* Returns the answer, and the clocks at the first and the last mark. */
static char *wait_for_answer(struct xs_handle *xs, xc_interface *xch,
                             unsigned domid, unsigned number,
                             struct clocks *first, struct clocks *last)
{
    unsigned marks = number_of(xs, node(domid, MARK));
    bool begun = false;
    char text[16];

    while (number_of(xs, node(domid, ANSWER)) != number) {
        unsigned int n;

        free(xs_read_watch(xs, &n));
        if (number_of(xs, node(domid, MARK)) != marks + 1)
            continue;
        *last = read_clocks(xch);
        if (!begun)
            *first = *last;
        begun = true;
        snprintf(text, sizeof(text), "%u ", ++marks);
        give(xs, domid, MARKED, text);
    }

    return wait_for(xs, node(domid, ANSWER), number);
}

static void run(struct xs_handle *xs, unsigned domid, const char *command)
{
    xc_interface *xch = xc_interface_open(NULL, NULL, 0);
    struct clocks first = { 0 }, last = { 0 };
    unsigned number = number_of(xs, node(domid, COMMAND)) + 1;
    char text[1024], *answer;

    if (!xch)
        err(1, "cannot open libxc");
    snprintf(text, sizeof(text), "%u %s", number, command);
    watch(xs, node(domid, ANSWER));
    watch(xs, node(domid, MARK));
    give(xs, domid, COMMAND, text);
    answer = wait_for_answer(xs, xch, domid, number, &first, &last);
    printf("%" PRIu64 " %" PRIu64 " %s\n", last.tsc - first.tsc,
           last.idle - first.idle, answer);
}

int main(int argc, char **argv)
{
    struct xs_handle *xs = xs_open(0);

    if (!xs)
        err(1, "cannot open xenstore");
    if (argc == 2 && !strcmp(argv[1], "serve"))
        serve(xs);
    else if (argc == 2 && !strcmp(argv[1], "mark"))
        mark(xs);
    else if (argc == 4 && !strcmp(argv[1], "run"))
        run(xs, strtoul(argv[2], NULL, 10), argv[3]);
    else
        errx(2, "usage: errand serve | mark | run DOMID COMMAND");

    return 0;
}
