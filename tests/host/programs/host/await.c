/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Waits for something in xenstore without using a pCPU.
 *
 *   await there PATH        until the node exists; prints what is in it
 *   await is PATH WORD      until its first word is WORD; prints the rest
 *   await gone DOMID        until there is no such domain
 *   await runs NAME         until a guest's script does, or has: prints its domid
 *
 * A relative PATH is below the own domain's.  If the domain of a node ends
 * (/local/domain/DOMID/...), so does the wait, with exit code 1.  The program sleeps in a watch,
 * because a process that polls takes so much of an emulated pCPU that the event comes later.
 */
#include <err.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenstore.h>

static void watch(struct xs_handle *xs, const char *path)
{
    if (!xs_watch(xs, path, "await"))
        err(2, "cannot watch %s", path);
}

static bool exists(struct xs_handle *xs, const char *path)
{
    unsigned int length;
    char *value = xs_read(xs, XBT_NULL, path, &length);

    free(value);

    return value;
}

/* Returns whether the domain exists to which the path belongs; the own domain does. */
static bool owner_exists(struct xs_handle *xs, const char *path)
{
    char home[64];
    unsigned int domid;

    if (sscanf(path, "/local/domain/%u/", &domid) != 1)
        return true;
    snprintf(home, sizeof(home), "/local/domain/%u", domid);

    return exists(xs, home);
}

/* Returns the text to print if the node has the word (any, if NULL); otherwise NULL. */
static bool has_come(struct xs_handle *xs, const char *path, const char *word)
{
    size_t n = word ? strlen(word) : 0;
    unsigned int length;
    char *value = xs_read(xs, XBT_NULL, path, &length);
    bool good = value && !strncmp(value, word ?: "", n) &&
                (!word || !value[n] || value[n] == ' ');

    if (good)
        puts(value + n + (word && value[n] == ' '));
    free(value);

    return good;
}

static int await_node(struct xs_handle *xs, const char *path, const char *word)
{
    unsigned int n;

    watch(xs, path);
    watch(xs, "@releaseDomain");
    while (!has_come(xs, path, word)) {
        if (!owner_exists(xs, path))
            return 1;
        free(xs_read_watch(xs, &n));
    }

    return 0;
}

/* Returns the newest domain with this name, or 0. */
static unsigned int find_domain(struct xs_handle *xs, const char *name)
{
    unsigned int nr = 0, length, newest = 0;
    char **domids = xs_directory(xs, XBT_NULL, "/local/domain", &nr);

    for (unsigned int i = 0; i < nr; i++) {
        unsigned int domid = strtoul(domids[i], NULL, 10);
        char path[64], *value;

        snprintf(path, sizeof(path), "/local/domain/%u/name", domid);
        value = xs_read(xs, XBT_NULL, path, &length);
        if (value && !strcmp(value, name) && domid > newest)
            newest = domid;
        free(value);
    }
    free(domids);

    return newest;
}

/* A guest with little to do may have ended by now; its domid is printed all the same. */
static int await_running(struct xs_handle *xs, const char *name)
{
    unsigned int domid = find_domain(xs, name), n;
    char path[64];

    if (!domid)
        return 1;
    printf("%u\n", domid);
    snprintf(path, sizeof(path), "/local/domain/%u/data/running", domid);
    watch(xs, path);
    watch(xs, "@releaseDomain");
    while (!exists(xs, path)) {
        if (!owner_exists(xs, path))
            return 1;
        free(xs_read_watch(xs, &n));
    }

    return 0;
}

static int await_gone(struct xs_handle *xs, const char *domid)
{
    char home[64];
    unsigned int n;

    snprintf(home, sizeof(home), "/local/domain/%s", domid);
    watch(xs, home);
    while (exists(xs, home))
        free(xs_read_watch(xs, &n));

    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    struct xs_handle *xs = xs_open(0);

    if (!xs)
        err(2, "cannot connect to xenstore");
    if (!strcmp(what, "there") && argc == 3)
        return await_node(xs, argv[2], NULL);
    if (!strcmp(what, "is") && argc == 4)
        return await_node(xs, argv[2], argv[3]);
    if (!strcmp(what, "gone") && argc == 3)
        return await_gone(xs, argv[2]);
    if (!strcmp(what, "runs") && argc == 3)
        return await_running(xs, argv[2]);
    errx(2, "usage: await there PATH | is PATH WORD | gone DOMID | runs NAME");
}
