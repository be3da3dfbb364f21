/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A driver domain with a forged log: it answers the scheduler's request in schedlog/area/
 * (docs/internals/linux-log.md) as no honest one would.  It runs in an unprivileged guest, until it
 * is killed, and answers each new request.
 *
 *   lie LIE [FRAME...]
 *
 * lies.c has the forgeries.  The area has one CPU.  Its frames are new ones that its Linux does not
 * know, so the guest may need more than it has: xl mem-max.
 */
#include <err.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lie.h"

#include <xenforeignmemory.h>

#define TURN_US 10000
#define NODES_EVERY 10                         /* Turns. */

/* The scheduler's register, because it would not read rows of another layout. */
#define LCR (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT | \
             XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER | \
             XEN_SCHEDLOG_LCR_TIME_TSC | \
             ROW_TSC_SHIFT << XEN_SCHEDLOG_LCR_TSC_SHIFT)

struct area area;
struct answer answer;
xc_interface *xch;
struct xs_handle *xs;
char **arguments;
static xenforeignmemory_handle *fmem;

static char *node(const char *format, const char *name)
{
    char path[64];

    snprintf(path, sizeof(path), format, name);

    return xs_read(xs, XBT_NULL, path, NULL);
}

uint32_t node_number(const char *format, const char *name)
{
    char *value = node(format, name);
    uint32_t n = value ? strtoul(value, NULL, 10) : 0;

    free(value);

    return n;
}

uint8_t *area_global(void)
{
    return area.pages + area.nr_directory * PAGE;
}

static uint8_t *area_control(void)
{
    return area_global() + area.nr_global * PAGE;
}

struct xen_schedlog_state *area_states(void)
{
    return (void *)(area_control() + PAGE);
}

uint8_t *area_data(void)
{
    return area_control() + 2 * PAGE;
}

uint32_t area_spare(void)
{
    return area.nr - MAX_DIRECTORY;
}

uint32_t pages(uint64_t bytes)
{
    return (bytes + PAGE - 1) / PAGE;
}

static void read_sizes(void)
{
    char *value = node("schedlog/request/%s", "sizes"), *rest = value;
    uint32_t end = 0;

    area.nr_files = 0;
    while (rest && *rest && area.nr_files < MAX_FILES) {
        uint32_t size = strtoul(rest, &rest, 10), align;

        align = size < PAGE ? size : PAGE;
        if (!align)
            break;
        end = (end + align - 1) / align * align;
        area.sizes[area.nr_files] = size;
        area.offsets[area.nr_files++] = end;
        end += size;
    }
    area.nr_data = pages(end);
    free(value);
}

/* Once: a later request has the same geometry, or a scheduler has failed. */
static void make_area(void)
{
    read_sizes();
    area.nr_acct = node_number("schedlog/request/%s", "nr-acct");
    area.nr_global = pages(XEN_SCHEDLOG_ROUTES_OFFSET + sizeof(uint64_t) *
                           XEN_SCHEDLOG_NR_EVENTS * area.nr_acct);
    area.nr = area.nr_global + 2 + area.nr_data;
    area.nr_directory = (area.nr + ENTRIES - 1) / ENTRIES;
    area.nr += area.nr_directory + MAX_DIRECTORY;
    area.frames = calloc(area.nr, sizeof(*area.frames));
    if (xc_domain_increase_reservation_exact(xch, DOMID_SELF, area.nr, 0, 0,
                                             area.frames))
        err(1, "no %u frames: xl mem-max", area.nr);
    area.pages = xenforeignmemory_map(fmem, DOMID_SELF, PROT_READ | PROT_WRITE,
                                      area.nr, area.frames, NULL);
    if (!area.pages)
        err(1, "cannot map them");
}

char *list(uint32_t nr, uint64_t (*number)(uint32_t i))
{
    char *text = calloc(nr + 1, 21);

    for (uint32_t i = 0; i < nr; i++)
        sprintf(text + strlen(text), "%s%llu", i ? " " : "",
                (unsigned long long)number(i));

    return text;
}

static uint64_t directory_frame(uint32_t i)
{
    return area.frames[i];
}

static uint64_t file_size(uint32_t i)
{
    return area.sizes[i];
}

/* An honest answer, to begin with. */
static void answer_honestly(void)
{
    uint64_t *entry = (void *)area.pages;

    memset(area.pages, 0, area.nr * PAGE);
    for (uint32_t i = area.nr_directory; i < area_spare(); i++)
        *entry++ = area.frames[i];
    for (uint32_t i = 0; i < area.nr_files; i++)
        area_states()[i] = (struct xen_schedlog_state){
            .lcr = LCR, .row_size = sizeof(struct row), .layout_seq = 2,
        };
    memset(&answer, 0, sizeof(answer));
    sprintf(answer.version, "%u", XEN_SCHEDLOG_ABI_VERSION);
    strcpy(answer.nr_cpus, "1");
    sprintf(answer.nr_acct, "%u", area.nr_acct);
    sprintf(answer.events, "%u", node_number("schedlog/request/%s", "events"));
    sprintf(answer.built, "%u", 1U << XEN_SCHEDLOG_EV_RING_PAGES);
    answer.sizes = list(area.nr_files, file_size);
    answer.directory = list(area.nr_directory, directory_frame);
}

static void write_node(const char *name, const char *value)
{
    char path[64];

    snprintf(path, sizeof(path), "schedlog/area/%s", name);
    if (!value || !*value)
        xs_rm(xs, XBT_NULL, path);
    else if (!xs_write(xs, XBT_NULL, path, value, strlen(value)))
        warn("cannot write %s", path);
}

/* A request turns no events on at first, and some when everything is mapped. */
static void follow_events(void)
{
    char events[16];

    sprintf(events, "%u", node_number("schedlog/request/%s", "events"));
    if (strcmp(events, answer.events))
        write_node("events", events);
    strcpy(answer.events, events);
}

static void write_answer(void)
{
    write_node("version", answer.version);
    write_node("nr-cpus", answer.nr_cpus);
    write_node("nr-acct", answer.nr_acct);
    write_node("sizes", answer.sizes);
    write_node("tsc-khz", *answer.version ? "1000000" : "");
    write_node("events-built", answer.built);
    write_node("events", answer.events);
    write_node("error", answer.error);
    write_node("directory", answer.directory);
}

static void say_nothing(void)
{
    memset(&answer, 0, sizeof(answer));
    write_answer();
}

static void reply(const struct lie *lie)
{
    if (!area.pages)
        make_area();
    answer_honestly();
    if (lie->spoil)
        lie->spoil();
    write_answer();
}

/* A new request of the scheduler removes the answer. */
static bool answer_is_there(void)
{
    char *version = node("schedlog/area/%s", "version");
    bool there = version;

    free(version);

    return there;
}

/* Returns whether there is a request that has been answered. */
static bool look_at_nodes(const struct lie *lie, bool replied)
{
    char *version = node("schedlog/request/%s", "version");
    bool asked = version;

    if (asked && !(replied && answer_is_there()))
        reply(lie);
    else if (!asked && replied)
        say_nothing();
    else if (asked)
        follow_events();
    free(version);

    return asked;
}

int main(int argc, char **argv)
{
    const struct lie *lie = argc > 1 ? find_lie(argv[1]) : NULL;
    bool replied = false;

    if (!lie)
        errx(2, "usage: lie LIE [FRAME...]: see lies.c");
    arguments = argv + 2;
    xch = xc_interface_open(NULL, NULL, 0);
    fmem = xenforeignmemory_open(NULL, 0);
    xs = xs_open(0);
    if (!xch || !fmem || !xs)
        err(1, "cannot talk to Xen");

    say_nothing();
    for (uint32_t turn = 0;; turn++, usleep(TURN_US)) {
        if (turn % NODES_EVERY == 0)
            replied = look_at_nodes(lie, replied);
        if (replied && lie->go_on)
            lie->go_on();
    }
}
