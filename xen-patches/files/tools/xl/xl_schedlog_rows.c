/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * xl_schedlog_rows.c
 *
 * The commands of "xl schedlog" that decide which events become rows, and what
 * the rows have.
 */

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xen/schedlog.h>
#include <xen-tools/common-macros.h>

#include <libxl.h>
#include <libxl_utils.h>

#include "xl.h"
#include "xl_utils.h"
#include "xl_schedlog.h"

int schedlog_number(const char *text, unsigned long max, uint32_t *value)
{
    unsigned long n;
    char *end;

    errno = 0;
    n = strtoul(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end || n > max) {
        fprintf(stderr, "'%s' is not a number up to %lu\n", text, max);
        return 1;
    }
    *value = n;

    return 0;
}

int schedlog_find_event(const char *name, unsigned int *event)
{
    if (!libxl_schedlog_event_from_name(name, event))
        return 0;
    fprintf(stderr, "There is no event '%s': see xl schedlog list\n", name);

    return 1;
}

int schedlog_get_info(libxl_schedlog_info *info)
{
    libxl_schedlog_info_init(info);
    if (!libxl_schedlog_get_info(ctx, info))
        return 0;
    fprintf(stderr, "Cannot get information about the log\n");

    return 1;
}

/* Accounting domains first ... last, all of them, or that of a domain. */
static int which_acct(const char *which, uint32_t *first, uint32_t *last)
{
    libxl_schedlog_info info;
    uint32_t domid;
    int rc = 0;

    if (schedlog_get_info(&info))
        return 1;
    if (!strcmp(which, "all")) {
        *first = 0;
        *last = info.nr_acct - 1;
        if (!info.nr_acct) {
            fprintf(stderr, "No log is set up: see xl schedlog sizes\n");
            rc = 1;
        }
    } else if (which[0] >= '0' && which[0] <= '9') {
        rc = schedlog_number(which, USHRT_MAX, first);
        *last = *first;
    } else {
        domid = find_domain(which);
        rc = libxl_schedlog_get_binding(ctx, domid, 0, first) ? 1 : 0;
        *last = *first;
    }
    libxl_schedlog_info_dispose(&info);

    return rc;
}

static void print_route(uint32_t acct, unsigned int event,
                        const libxl_schedlog_route *route)
{
    printf("%10u %-14s ", acct, libxl_schedlog_event_name(event));
    if (route->logged)
        printf("%5u %10u\n", route->file,
               route->threshold ? route->threshold : 1);
    else
        printf("%5s %10s\n", "-", "-");
}

static void print_route_header(void)
{
    printf("%10s %-14s %5s %10s\n", "Accounting", "Event", "File",
           "Threshold");
}

/* Routes of these accounting domains, as @change leaves them. */
static int change_routes(const char *which, const char *name,
                         void (*change)(libxl_schedlog_route *route,
                                        uint32_t value), uint32_t value,
                         bool need_logged)
{
    libxl_schedlog_route route;
    uint32_t first, last, acct;
    unsigned int event, nr_logged = 0;

    if (schedlog_find_event(name, &event) || which_acct(which, &first, &last))
        return EXIT_FAILURE;
    if (dryrun_only)
        print_route_header();
    for (acct = first; acct <= last; acct++) {
        libxl_schedlog_route_init(&route);
        if (libxl_schedlog_get_route(ctx, acct, event, &route))
            return EXIT_FAILURE;
        change(&route, value);
        nr_logged += route.logged;
        if (dryrun_only)
            print_route(acct, event, &route);
        else if (libxl_schedlog_set_route(ctx, acct, event, &route))
            return EXIT_FAILURE;
    }

    if (need_logged && !nr_logged) {
        fprintf(stderr, "%s has no route, so a threshold has no effect: set "
                "one first, with 'xl schedlog route %s %s FILE'.\n",
                name, which, name);
        return EXIT_FAILURE;
    }

    return EXIT_SUCCESS;
}

/* Those which are logged somewhere, of an accounting domain or of all. */
static int show_routes(const char *which)
{
    libxl_schedlog_route route;
    uint32_t first, last, acct;
    unsigned int event;

    if (which_acct(which, &first, &last))
        return EXIT_FAILURE;
    print_route_header();
    for (acct = first; acct <= last; acct++) {
        for (event = 0; event < LIBXL_SCHEDLOG_NR_EVENTS; event++) {
            libxl_schedlog_route_init(&route);
            if (libxl_schedlog_get_route(ctx, acct, event, &route))
                return EXIT_FAILURE;
            if (route.logged)
                print_route(acct, event, &route);
        }
    }

    return EXIT_SUCCESS;
}

static void to_file(libxl_schedlog_route *route, uint32_t file)
{
    route->logged = true;
    route->file = file;
}

static void to_nowhere(libxl_schedlog_route *route, uint32_t unused)
{
    route->logged = false;
    route->file = route->threshold = 0;
}

static void to_threshold(libxl_schedlog_route *route, uint32_t threshold)
{
    route->threshold = threshold;
}

int schedlog_route(int argc, char **argv)
{
    libxl_schedlog_info info;
    uint32_t file, nr_files;

    if (argc == 1)
        return show_routes(argv[0]);
    if (!strcmp(argv[2], "none"))
        return change_routes(argv[0], argv[1], to_nowhere, 0, false);
    if (schedlog_get_info(&info))
        return EXIT_FAILURE;
    nr_files = info.num_sizes;
    libxl_schedlog_info_dispose(&info);
    if (schedlog_number(argv[2], nr_files ? nr_files - 1 : 0, &file))
        return EXIT_FAILURE;

    return change_routes(argv[0], argv[1], to_file, file, false);
}

int schedlog_threshold(int argc, char **argv)
{
    uint32_t threshold;

    if (schedlog_number(argv[2], UINT32_MAX, &threshold))
        return EXIT_FAILURE;

    return change_routes(argv[0], argv[1], to_threshold, threshold, true);
}

/* What can be in a row, in this order.  Of times, one. */
static const struct {
    const char *name;
    uint32_t mask, bits;
} fields[] = {
    { "event", XEN_SCHEDLOG_LCR_EVENT, XEN_SCHEDLOG_LCR_EVENT },
    { "current", XEN_SCHEDLOG_LCR_CURRENT, XEN_SCHEDLOG_LCR_CURRENT },
    { "correspondent", XEN_SCHEDLOG_LCR_CORRESPONDENT,
      XEN_SCHEDLOG_LCR_CORRESPONDENT },
    { "counter", XEN_SCHEDLOG_LCR_COUNTER, XEN_SCHEDLOG_LCR_COUNTER },
    { "counter64", XEN_SCHEDLOG_LCR_COUNTER64,
      XEN_SCHEDLOG_LCR_COUNTER | XEN_SCHEDLOG_LCR_COUNTER64 },
    { "virtual", XEN_SCHEDLOG_LCR_TIME_MASK, XEN_SCHEDLOG_LCR_TIME_VIRTUAL },
    { "tick", XEN_SCHEDLOG_LCR_TIME_MASK, XEN_SCHEDLOG_LCR_TIME_TICK },
    { "tsc", XEN_SCHEDLOG_LCR_TIME_MASK, XEN_SCHEDLOG_LCR_TIME_TSC },
    { "time64", XEN_SCHEDLOG_LCR_TIME64, XEN_SCHEDLOG_LCR_TIME64 },
    { "add", XEN_SCHEDLOG_LCR_ADD, XEN_SCHEDLOG_LCR_ADD },
};

/* Numbers of a register. */
static const struct {
    const char *name;
    unsigned int shift, max;
} amounts[] = {
    { "pad=", XEN_SCHEDLOG_LCR_PAD_SHIFT, 6 },
    { "shift=", XEN_SCHEDLOG_LCR_TSC_SHIFT, 63 },
};

static int add_field(const char *word, uint32_t *value)
{
    uint32_t amount;
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(amounts); i++) {
        size_t length = strlen(amounts[i].name);

        if (strncmp(word, amounts[i].name, length))
            continue;
        if (schedlog_number(word + length, amounts[i].max, &amount))
            return 1;
        *value |= amount << amounts[i].shift;
        return 0;
    }
    for (i = 0; i < ARRAY_SIZE(fields); i++) {
        if (strcmp(word, fields[i].name))
            continue;
        if (fields[i].mask == XEN_SCHEDLOG_LCR_TIME_MASK &&
            (*value & XEN_SCHEDLOG_LCR_TIME_MASK)) {
            fprintf(stderr, "A row has one time: virtual, tick or tsc\n");
            return 1;
        }
        *value |= fields[i].bits;
        return 0;
    }
    fprintf(stderr, "'%s' cannot be in a row:", word);
    for (i = 0; i < ARRAY_SIZE(fields); i++)
        fprintf(stderr, " %s", fields[i].name);
    fprintf(stderr, " pad=N shift=N can\n");

    return 1;
}

static void print_register(uint32_t file, uint32_t value)
{
    unsigned int i;

    printf("%u:", file);
    for (i = 0; i < ARRAY_SIZE(fields); i++)
        if ((value & fields[i].mask) == (fields[i].bits & fields[i].mask))
            printf(" %s", fields[i].name);
    printf(" pad=%u shift=%u\n",
           (value & XEN_SCHEDLOG_LCR_PAD_MASK) >> XEN_SCHEDLOG_LCR_PAD_SHIFT,
           (value & XEN_SCHEDLOG_LCR_TSC_MASK) >> XEN_SCHEDLOG_LCR_TSC_SHIFT);
}

int schedlog_register(int argc, char **argv)
{
    uint32_t file, value = 0;
    int i;

    if (schedlog_number(argv[0], XEN_SCHEDLOG_MAX_FILES - 1, &file))
        return EXIT_FAILURE;
    if (argc == 1) {
        if (libxl_schedlog_get_register(ctx, file, &value))
            return EXIT_FAILURE;
        print_register(file, value);
        return EXIT_SUCCESS;
    }
    for (i = 1; i < argc; i++)
        if (add_field(argv[i], &value))
            return EXIT_FAILURE;
    if ((value & XEN_SCHEDLOG_LCR_TIME64) &&
        !(value & XEN_SCHEDLOG_LCR_TIME_MASK)) {
        fprintf(stderr, "time64 is a size: of virtual, tick or tsc\n");
        return EXIT_FAILURE;
    }
    if (dryrun_only) {
        print_register(file, value);
        return EXIT_SUCCESS;
    }

    return libxl_schedlog_set_register(ctx, file, value) ? EXIT_FAILURE
                                                         : EXIT_SUCCESS;
}

/*
 * Local variables:
 * mode: C
 * c-basic-offset: 4
 * indent-tabs-mode: nil
 * End:
 */
