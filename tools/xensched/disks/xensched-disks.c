/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched-disks, in a driver domain with Linux's own xen-blkback: reports what its disks
 * do for each guest to xenschedd in dom0.
 *
 * It writes Linux's statistics as sums to xenstore (sums.h), while xenschedd asks in
 * xenstore for this domain's log (docs/internals/linux-log.md).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vbds.h"
#include "lib/area/xenstore-open.h"
#include "sums.h"

enum { EXIT_OK, EXIT_FAILED, EXIT_WRONG_USE };

#define LOOK_US 300000
#define IDLE_US 1000000 /* while xenschedd does not ask */

/* Polls until front ends that are gone are forgotten. */
#define LOOKS_PER_TIDY 10

#define WISH "schedlog/request/version"

static const char usage[] =
    "usage: xensched-disks\n"
    "\n"
    "Report to xenschedd in dom0, while it asks, how much the disks that this domain\n"
    "serves do for each guest.\n";

static struct xs_handle *xs;
static uint32_t own;
static struct vbds vbds;
static struct sums sums;
static enum {
    UNKNOWN, /* a former process may have left it */
    CLEAR,
    WRITTEN, /* its contents are in "written" */
} node;
static char written[SUMS_TEXT];
static char said[500];
static unsigned int looks;
static volatile sig_atomic_t ended;

static void end_loop(int number)
{
    (void)number;
    ended = 1;
}

/* Reports a text once, until another one. */
static void say_once(const char *text)
{
    if (!strcmp(said, text))
        return;
    snprintf(said, sizeof(said), "%s", text);
    fprintf(stderr, "xensched-disks: %s\n", text);
}

static bool read_own(void)
{
    unsigned int length;
    char *text = xs_read(xs, XBT_NULL, "domid", &length);
    bool good = text && sscanf(text, "%u", &own) == 1;

    free(text);

    return good;
}

/* xenstored may have restarted: then everything has to be written again. */
static bool connect_xenstore(void)
{
    struct xensched_error err;

    if (xs)
        return true;
    node = UNKNOWN;
    xs = xensched_xenstore_open(&err);
    if (xs && read_own())
        return true;
    say_once(xs ? "xenstore has no number for this domain" : err.text);
    if (xs)
        xs_close(xs);
    xs = NULL;

    return false;
}

static bool is_wanted(void)
{
    unsigned int length;
    char *text;

    errno = 0;
    text = xs_read(xs, XBT_NULL, WISH, &length);
    if (!text && errno != ENOENT && errno != EACCES) {
        xs_close(xs);
        xs = NULL;
    }
    free(text);

    return text;
}

static bool is_served(const void *arg, uint32_t domid)
{
    return vbds_serve(arg, domid);
}

static void write_sums(void)
{
    char text[SUMS_TEXT];

    if (!sums_write(&sums, text))
        say_once("there are more front ends than a node of xenstore can have");
    if (node == WRITTEN && !strcmp(text, written))
        return;
    node = WRITTEN;
    strcpy(written, text);
    if (xs_write(xs, XBT_NULL, SUMS_NODE, text, strlen(text)))
        return;
    node = UNKNOWN;
    say_once("xenstore does not take " SUMS_NODE);
}

static void withdraw_sums(void)
{
    vbds_forget(&vbds);
    sums_free(&sums);
    if (xs && node != CLEAR &&
        (xs_rm(xs, XBT_NULL, SUMS_NODE) || errno == ENOENT))
        node = CLEAR;
}

/* Returns for how long there is nothing to do. */
static unsigned int report_disks(void)
{
    if (!connect_xenstore())
        return IDLE_US;
    if (!is_wanted()) {
        if (xs)
            withdraw_sums();
        looks = 0;
        return IDLE_US;
    }
    vbds_read(&vbds, sums_add, &sums);
    if (looks++ % LOOKS_PER_TIDY == 0)
        sums_keep(&sums, is_served, &vbds);
    write_sums();

    return LOOK_US;
}

int main(int argc, char **argv)
{
    struct sigaction action = { .sa_handler = end_loop };

    if (argc > 1) {
        fputs(usage, strcmp(argv[1], "--help") ? stderr : stdout);
        return strcmp(argv[1], "--help") ? EXIT_WRONG_USE : EXIT_OK;
    }
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    vbds_init(&vbds);
    while (!ended)
        usleep(report_disks());
    withdraw_sums();
    vbds_free(&vbds);
    if (xs)
        xs_close(xs);

    return EXIT_OK;
}
