/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest that executes orders of dom0 one after the other, and the program in dom0.
 *
 *   obey                in the guest, for ever
 *   obey NAME COMMAND   in dom0: the guest of this name does it; the command's exit
 *                       code, or 1 if the guest is gone
 *
 * Command N of a guest is the node box/commandN, which only dom0 writes; that it was
 * done is data/done, "N CODE", which the guest writes.  What the command says goes to
 * the guest's console, "done N CODE" after it, and dom0 waits for that line in the
 * console's log, so that nothing of what was said is still to come.
 *
 * Both ends are one process which sleeps in a watch, because a process costs an
 * emulated host more than all that it does here.
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xenstore.h>

#define GUESTS   "/run/guests"
#define CONSOLES "/var/log/xen/console"

static struct xs_handle *xs;

static void open_xenstore(void)
{
    xs = xs_open(0);
    if (!xs)
        err(2, "cannot connect to xenstore");
}

/* To be freed; NULL if there is no such node. */
static char *look(const char *path)
{
    unsigned int length;

    return xs_read(xs, XBT_NULL, path, &length);
}

static void tell(const char *path, const char *value)
{
    if (!xs_write(xs, XBT_NULL, path, value, strlen(value)))
        err(2, "cannot write %s", path);
}

static void watch(const char *path)
{
    if (!xs_watch(xs, path, "obey"))
        err(2, "cannot watch %s", path);
}

static void sleep_until_changed(void)
{
    unsigned int n;

    free(xs_read_watch(xs, &n));
}

/* As a shell says it. */
static int exit_code(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int do_it(const char *command)
{
    pid_t child = fork();
    int status;

    if (child < 0)
        err(2, "cannot run a command");
    if (!child) {
        execl("/bin/sh", "sh", "-c", command, NULL);
        err(127, "cannot run a shell");
    }
    waitpid(child, &status, 0);

    return exit_code(status);
}

static void obey(void)
{
    char path[64], done[64];

    for (unsigned int n = 1;; n++) {
        char *command;
        int code;

        snprintf(path, sizeof(path), "box/command%u", n);
        watch(path);
        while (!(command = look(path)))
            sleep_until_changed();
        xs_unwatch(xs, path, "obey");

        code = do_it(command);
        free(command);
        printf("done %u %d\n", n, code);
        fflush(stdout);
        snprintf(done, sizeof(done), "%u %d", n, code);
        tell("data/done", done);
    }
}

/* The first number in a file, or 0. */
static unsigned int number_in(const char *path)
{
    unsigned int number = 0;
    FILE *file = fopen(path, "r");

    if (!file)
        return 0;
    if (fscanf(file, "%u", &number) != 1)
        number = 0;
    fclose(file);

    return number;
}

/* Which command this is: one more than the latest that was told. */
static unsigned int next_command(const char *name)
{
    char path[256];
    unsigned int n;
    FILE *file;

    snprintf(path, sizeof(path), GUESTS "/%s/commands", name);
    n = number_in(path) + 1;
    file = fopen(path, "w");
    if (!file || fprintf(file, "%u\n", n) < 0 || fclose(file))
        err(2, "cannot write %s", path);

    return n;
}

static void command_guest(unsigned int domid, unsigned int n, const char *command)
{
    struct xs_permissions owner[] = {
        { .id = 0, .perms = XS_PERM_NONE },
        { .id = domid, .perms = XS_PERM_READ },
    };
    char path[64];

    snprintf(path, sizeof(path), "/local/domain/%u/box/command%u", domid, n);
    tell(path, command);
    if (!xs_set_permissions(xs, XBT_NULL, path, owner, 2))
        err(2, "cannot let the guest read %s", path);
}

/* Until the guest has done command @n, or one after it.  False: it is gone. */
static bool has_done(unsigned int domid, unsigned int n)
{
    char home[32], path[64];

    snprintf(home, sizeof(home), "/local/domain/%u", domid);
    snprintf(path, sizeof(path), "%s/data/done", home);
    watch(path);
    watch("@releaseDomain");
    for (;;) {
        char *done = look(path), *there;
        unsigned int latest = done ? strtoul(done, NULL, 10) : 0;

        free(done);
        if (latest >= n)
            return true;
        there = look(home);
        free(there);
        if (!there)
            return false;
        sleep_until_changed();
    }
}

/* What the console's log says of command @n; -1: not yet. */
static int said_done(const char *name, unsigned int n)
{
    char path[256], line[4096];
    unsigned int nr;
    int code = -1, this;
    FILE *file;

    snprintf(path, sizeof(path), CONSOLES "/guest-%s.log", name);
    file = fopen(path, "r");
    if (!file)
        return -1;
    while (code < 0 && fgets(line, sizeof(line), file))
        if (strchr(line, '\n') && sscanf(line, "done %u %d", &nr, &this) == 2 &&
            nr == n)
            code = this;
    fclose(file);

    return code;
}

static int have_done(const char *name, const char *command)
{
    char path[256];
    unsigned int domid, n;
    int code;

    snprintf(path, sizeof(path), GUESTS "/%s/domid", name);
    domid = number_in(path);
    if (!domid)
        errx(2, "no guest %s was started", name);
    n = next_command(name);
    command_guest(domid, n, command);
    if (!has_done(domid, n))
        return 1;
    while ((code = said_done(name, n)) < 0)
        usleep(20000);

    return code;
}

int main(int argc, char **argv)
{
    if (argc != 1 && argc != 3)
        errx(2, "usage: obey, or obey NAME COMMAND");
    open_xenstore();
    if (argc == 3)
        return have_done(argv[1], argv[2]);
    obey();
}
