/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * xl_schedlog.c
 *
 * "xl schedlog": the hypervisor's log of scheduling facts.  One function for
 * each of its commands, and a table of them at the end.  Commands about rows
 * are in xl_schedlog_rows.c.
 */

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xen-tools/common-macros.h>

#include <libxl.h>
#include <libxl_utils.h>

#include "xl.h"
#include "xl_utils.h"
#include "xl_schedlog.h"

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
        if (schedlog_find_event(names[i], &event))
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

    if (schedlog_get_info(&info))
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

    if (schedlog_get_info(&info))
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

static int schedlog_bind(int argc, char **argv)
{
    uint32_t domid = find_domain(argv[0]), acct, vcpu = 0;

    if (argc == 1) {
        if (libxl_schedlog_get_binding(ctx, domid, 0, &acct))
            return EXIT_FAILURE;
        printf("%u\n", acct);
        return EXIT_SUCCESS;
    }
    if (schedlog_number(argv[1], USHRT_MAX, &acct) ||
        (argc == 3 && schedlog_number(argv[2], INT_MAX, &vcpu)))
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

    if (schedlog_get_info(&info))
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

    if (schedlog_number(argv[0], 32768, &nr_acct))
        goto out;
    for (i = 1; i < argc; i++)
        if (schedlog_number(argv[i], 16 << 20, &sizes[i - 1]))
            goto out;
    if (dryrun_only)
        printf("a log of %u accounting domains and %d log buffers on each pCPU "
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
