/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * xl_schedlog.c
 *
 * "xl schedlog": the hypervisor's log of scheduling facts.  One function for
 * each of its commands, and a table of them at the end.
 */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xen/schedlog.h>
#include <xen-tools/common-macros.h>

#include <libxl.h>
#include <libxl_utils.h>

#include "xl.h"
#include "xl_utils.h"

static int number(const char *text, unsigned long max, uint32_t *value)
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

static int find_event(const char *name, unsigned int *event)
{
    if (!libxl_schedlog_event_from_name(name, event))
        return 0;
    fprintf(stderr, "There is no event '%s': see xl schedlog list\n", name);

    return 1;
}

static int get_info(libxl_schedlog_info *info)
{
    libxl_schedlog_info_init(info);
    if (!libxl_schedlog_get_info(ctx, info))
        return 0;
    fprintf(stderr, "Cannot get information about the log\n");

    return 1;
}

/* All but performance counters, which a scheduler has to choose first. */
static uint32_t all_events(const libxl_schedlog_info *info)
{
    uint32_t mask = 0;
    unsigned int i;

    for (i = 0; i < LIBXL_SCHEDLOG_NR_EVENTS; i++)
        if ((info->events_built & (1U << i)) &&
            strncmp(libxl_schedlog_event_name(i), "pmc", 3))
            mask |= 1U << i;

    return mask;
}

/* Events by their names, or "all". */
static int events_of(char **names, int nr, const libxl_schedlog_info *info,
                     uint32_t *mask)
{
    unsigned int event;
    int i;

    *mask = 0;
    for (i = 0; i < nr; i++) {
        if (!strcmp(names[i], "all")) {
            *mask |= all_events(info);
            continue;
        }
        if (find_event(names[i], &event))
            return 1;
        if (!(info->events_built & (1U << event))) {
            fprintf(stderr, "This hypervisor has no sites for %s\n", names[i]);
            return 1;
        }
        *mask |= 1U << event;
    }

    return 0;
}

static void print_events(const char *what, uint32_t mask)
{
    unsigned int i;

    printf("%s:", what);
    for (i = 0; i < LIBXL_SCHEDLOG_NR_EVENTS; i++)
        if (mask & (1U << i))
            printf(" %s", libxl_schedlog_event_name(i));
    printf("%s\n", mask ? "" : " none");
}

static int schedlog_list(int argc, char **argv)
{
    libxl_schedlog_info info;
    unsigned int i;

    if (get_info(&info))
        return EXIT_FAILURE;

    printf("%-14s %3s %-8s %s\n", "Event", "Nr", "Kind", "State");
    for (i = 0; i < LIBXL_SCHEDLOG_NR_EVENTS; i++) {
        if (!(info.events_built & (1U << i)))
            continue;
        printf("%-14s %3u %-8s %s\n", libxl_schedlog_event_name(i), i,
               libxl_schedlog_event_kind(i),
               info.events_enabled & (1U << i) ? "on" : "off");
    }
    if (info.lease_ms)
        printf("A scheduler holds the log (lease of %u ms, %u ms left).\n",
               info.lease_ms, info.lease_left_ms);
    libxl_schedlog_info_dispose(&info);

    return EXIT_SUCCESS;
}

/* Turn events on (@add) or off. */
static int switch_events(int argc, char **argv, bool add)
{
    libxl_schedlog_info info;
    uint32_t mask, wanted;
    int rc = EXIT_FAILURE;

    if (get_info(&info))
        return EXIT_FAILURE;
    if (events_of(argv, argc, &info, &mask))
        goto out;

    wanted = add ? info.events_enabled | mask : info.events_enabled & ~mask;
    if (dryrun_only)
        print_events("Events that would be on", wanted);
    else if (libxl_schedlog_set_events(ctx, wanted)) {
        fprintf(stderr, "Cannot switch events\n");
        goto out;
    }
    rc = EXIT_SUCCESS;

 out:
    libxl_schedlog_info_dispose(&info);
    return rc;
}

static int schedlog_enable(int argc, char **argv)
{
    return switch_events(argc, argv, true);
}

static int schedlog_disable(int argc, char **argv)
{
    if (argc)
        return switch_events(argc, argv, false);
    if (dryrun_only) {
        print_events("Events that would be on", 0);
        return EXIT_SUCCESS;
    }

    return libxl_schedlog_set_events(ctx, 0) ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Accounting domains first ... last, all of them, or that of a domain. */
static int which_acct(const char *which, uint32_t *first, uint32_t *last)
{
    libxl_schedlog_info info;
    uint32_t domid;
    int rc = 0;

    if (get_info(&info))
        return 1;
    if (!strcmp(which, "all")) {
        *first = 0;
        *last = info.nr_acct - 1;
        if (!info.nr_acct) {
            fprintf(stderr, "No log is set up: see xl schedlog sizes\n");
            rc = 1;
        }
    } else if (which[0] >= '0' && which[0] <= '9') {
        rc = number(which, USHRT_MAX, first);
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

    if (find_event(name, &event) || which_acct(which, &first, &last))
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

static int schedlog_route(int argc, char **argv)
{
    libxl_schedlog_info info;
    uint32_t file, nr_files;

    if (argc == 1)
        return show_routes(argv[0]);
    if (!strcmp(argv[2], "none"))
        return change_routes(argv[0], argv[1], to_nowhere, 0, false);
    if (get_info(&info))
        return EXIT_FAILURE;
    nr_files = info.num_sizes;
    libxl_schedlog_info_dispose(&info);
    if (number(argv[2], nr_files ? nr_files - 1 : 0, &file))
        return EXIT_FAILURE;

    return change_routes(argv[0], argv[1], to_file, file, false);
}

static int schedlog_threshold(int argc, char **argv)
{
    uint32_t threshold;

    if (number(argv[2], UINT32_MAX, &threshold))
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
        if (number(word + length, amounts[i].max, &amount))
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

static int schedlog_register(int argc, char **argv)
{
    uint32_t file, value = 0;
    int i;

    if (number(argv[0], XEN_SCHEDLOG_MAX_FILES - 1, &file))
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

static int schedlog_bind(int argc, char **argv)
{
    uint32_t domid = find_domain(argv[0]), acct, vcpu = 0;

    if (argc == 1) {
        if (libxl_schedlog_get_binding(ctx, domid, 0, &acct))
            return EXIT_FAILURE;
        printf("%u\n", acct);
        return EXIT_SUCCESS;
    }
    if (number(argv[1], USHRT_MAX, &acct) ||
        (argc == 3 && number(argv[2], INT_MAX, &vcpu)))
        return EXIT_FAILURE;
    if (dryrun_only) {
        printf("domain %u", domid);
        if (argc == 3)
            printf(" vCPU %u", vcpu);
        printf(" would be charged to accounting domain %u\n", acct);
        return EXIT_SUCCESS;
    }

    return libxl_schedlog_bind(ctx, domid, argc == 3 ? (int)vcpu : -1, acct)
           ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int schedlog_stat(int argc, char **argv)
{
    libxl_schedlog_stat *stats;
    int nr, i;

    stats = libxl_schedlog_list_stat(ctx, &nr);
    if (!stats) {
        fprintf(stderr, "No log is set up: see xl schedlog sizes\n");
        return EXIT_FAILURE;
    }
    printf("%5s %5s %9s %20s\n", "pCPU", "File", "Row size", "Bytes written");
    for (i = 0; i < nr; i++)
        printf("%5u %5u %9u %20"PRIu64"\n", stats[i].cpu, stats[i].file,
               stats[i].row_size, stats[i].written);
    libxl_schedlog_stat_list_free(stats, nr);

    return EXIT_SUCCESS;
}

static int show_sizes(void)
{
    libxl_schedlog_info info;
    int i;

    if (get_info(&info))
        return EXIT_FAILURE;
    printf("%-20s: %u\n", "accounting_domains", info.nr_acct);
    printf("%-20s:", "log_file_bytes");
    for (i = 0; i < info.num_sizes; i++)
        printf(" %u", info.sizes[i]);
    printf("\n%-20s: %"PRIu64"\n", "used_bytes", info.used_bytes);
    printf("%-20s: %"PRIu64"\n", "max_bytes", info.max_bytes);
    libxl_schedlog_info_dispose(&info);

    return EXIT_SUCCESS;
}

static int set_up(int argc, char **argv)
{
    uint32_t nr_acct, *sizes = xmalloc(sizeof(*sizes) * argc);
    int rc = EXIT_FAILURE, i;

    if (number(argv[0], 32768, &nr_acct))
        goto out;
    for (i = 1; i < argc; i++)
        if (number(argv[i], 16 << 20, &sizes[i - 1]))
            goto out;
    if (dryrun_only)
        printf("a log of %u accounting domains and %d log files on each pCPU "
               "would be made\n", nr_acct, argc - 1);
    else if (libxl_schedlog_setup(ctx, nr_acct, sizes, argc - 1)) {
        fprintf(stderr, "Cannot set up the log: all numbers are powers of "
                "two\n");
        goto out;
    }
    rc = EXIT_SUCCESS;

 out:
    free(sizes);
    return rc;
}

static int schedlog_sizes(int argc, char **argv)
{
    if (!argc)
        return show_sizes();
    if (argc == 1 && strcmp(argv[0], "none")) {
        help("schedlog");
        return EXIT_FAILURE;
    }
    if (argc > 1)
        return set_up(argc, argv);
    if (dryrun_only) {
        printf("all events would be turned off, and the log given up\n");
        return EXIT_SUCCESS;
    }

    return libxl_schedlog_release(ctx) ? EXIT_FAILURE : EXIT_SUCCESS;
}

static const struct {
    const char *name;
    int min, max; /* arguments */
    int (*run)(int argc, char **argv);
} commands[] = {
    { "list", 0, 0, schedlog_list },
    { "enable", 1, INT_MAX, schedlog_enable },
    { "disable", 0, INT_MAX, schedlog_disable },
    { "route", 1, 3, schedlog_route },
    { "threshold", 3, 3, schedlog_threshold },
    { "register", 1, INT_MAX, schedlog_register },
    { "bind", 1, 3, schedlog_bind },
    { "stat", 0, 0, schedlog_stat },
    { "sizes", 0, INT_MAX, schedlog_sizes },
};

int main_schedlog(int argc, char **argv)
{
    unsigned int i;
    int opt;

    SWITCH_FOREACH_OPT(opt, "", NULL, "schedlog", 1) {
        /* No options */
    }

    argc -= optind;
    argv += optind;
    for (i = 0; i < ARRAY_SIZE(commands); i++) {
        if (strcmp(commands[i].name, argv[0]))
            continue;
        if (argc - 1 < commands[i].min || argc - 1 > commands[i].max ||
            (commands[i].run == schedlog_route && argc == 3))
            break;
        return commands[i].run(argc - 1, argv + 1);
    }
    help("schedlog");

    return EXIT_FAILURE;
}

/*
 * Local variables:
 * mode: C
 * c-basic-offset: 4
 * indent-tabs-mode: nil
 * End:
 */
