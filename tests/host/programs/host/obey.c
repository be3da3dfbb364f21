/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A guest that executes dom0's commands one after the other, and the program in dom0.
 *
 *   obey                in the guest, for ever
 *   obey NAME COMMAND   in dom0: the guest of this name runs it; returns its exit code, or 1 if the
 *                       guest has ended
 *
 * Command N of a guest is the node box/commandN, which only dom0 writes; the guest writes "N CODE"
 * to data/done after it.  The command's output goes to the guest's console, then "done N CODE", and
 * dom0 waits for that line in the console's log, so that all of the output is there.
 *
 * Both ends are one process that sleeps in a watch, because each process costs an emulated host
 * more than the rest.
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

/* Returns NULL if there is no such node.  The caller frees the result. */
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

/* Returns the exit code as a shell does. */
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

/* Returns the first number in a file, or 0. */
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

/* Returns the number of this command: one more than the latest. */
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

/* Waits until the guest has run command @n, or a later one.  Returns false if it has ended. */
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

/* Returns the exit code of command @n in the console's log; -1: not there yet. */
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
