/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * xl_vm_affinity.c
 *
 * "xl vm-affinity": asks xenschedd, the daemon which places domains by the log
 * of scheduling facts.  Nothing is decided here, and nothing changed but by the
 * daemon.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xen-tools/common-macros.h>

#include <libxl.h>
#include <libxl_utils.h>

#include "xl.h"
#include "xl_utils.h"
#include "xl_vm_affinity.h"

/* The daemon may have many vCPUs to restore before it answers. */
#define TIMEOUT_S 30

/* What is not there is "-". */
static const char *text(yajl_val object, const char *name)
{
    yajl_val value = vm_affinity_field(object, name, yajl_t_any);

    if (YAJL_IS_STRING(value))
        return YAJL_GET_STRING(value);
    if (YAJL_IS_NUMBER(value))
        return YAJL_GET_NUMBER(value);
    if (YAJL_IS_TRUE(value))
        return "yes";

    return YAJL_IS_FALSE(value) ? "no" : "-";
}

static double number(yajl_val object, const char *name)
{
    yajl_val value = vm_affinity_field(object, name, yajl_t_number);

    return YAJL_IS_NUMBER(value) ? strtod(YAJL_GET_NUMBER(value), NULL) : 0;
}

/* A part of 1, in percent. */
static void print_share(int width, yajl_val object, const char *name)
{
    char percent[16] = "-";

    if (vm_affinity_field(object, name, yajl_t_number))
        snprintf(percent, sizeof(percent), "%.0f%%",
                 100 * number(object, name));
    printf("%*s", width, percent);
}

static size_t length_of(yajl_val array)
{
    return YAJL_IS_ARRAY(array) ? YAJL_GET_ARRAY(array)->len : 0;
}

static yajl_val element(yajl_val array, size_t i)
{
    return YAJL_GET_ARRAY(array)->values[i];
}

static void print_text(int width, const char *what)
{
    vm_affinity_print_text(stdout, width, what);
}

static long long integer_at(yajl_val array, size_t i)
{
    yajl_val value = element(array, i);

    return YAJL_IS_NUMBER(value) ? atoll(YAJL_GET_NUMBER(value)) : -1;
}

/* 0,1,2,5 as 0-2,5 */
static void print_ranges(yajl_val array)
{
    size_t nr = length_of(array), i, end;

    for (i = 0; i < nr; i = end) {
        long long first = integer_at(array, i);

        for (end = i + 1; end < nr && integer_at(array, end) ==
             first + (long long)(end - i); end++)
            ;
        printf("%s%lld", i ? "," : "", first);
        if (end > i + 1)
            printf("-%lld", first + (long long)(end - i) - 1);
    }
}

static void print_list(yajl_val result)
{
    yajl_val domains = vm_affinity_field(result, "domains", yajl_t_array);
    size_t i;

    printf("%-32s %5s %6s %-9s %-5s %8s %-4s %-12s %s\n", "Name", "ID", "CPU%",
           "Affinity", "Lever", "At place", "Held", "Group", "pCPUs");
    for (i = 0; i < length_of(domains); i++) {
        yajl_val domain = element(domains, i);

        print_text(32, text(domain, "name"));
        printf(" %5s %6.1f %-9s %-5s ", text(domain, "domid"),
               100 * number(domain, "service_share"),
               text(domain, "affinity"), text(domain, "lever"));
        print_share(8, domain, "at_place");
        printf(" %-4s ", text(domain, "held"));
        print_text(12, text(domain, "group"));
        putchar(' ');
        print_ranges(vm_affinity_field(domain, "pcpus", yajl_t_array));
        putchar('\n');
    }
}

static void print_event(const char *event, yajl_val cells)
{
    size_t i;

    for (i = 0; i < length_of(cells); i++) {
        yajl_val cell = element(cells, i);

        print_text(12, event);
        putchar(' ');
        print_text(24, text(cell, "from"));
        putchar(' ');
        print_text(24, text(cell, "to"));
        printf(" %12.1f\n", number(cell, "rate"));
    }
}

static void print_matrix(yajl_val result)
{
    yajl_val events = vm_affinity_field(result, "events", yajl_t_object);
    size_t i;

    printf("%-12s %-24s %-24s %12s\n", "Event", "From", "To", "Per second");
    if (!YAJL_IS_OBJECT(events))
        return;
    for (i = 0; i < YAJL_GET_OBJECT(events)->len; i++)
        print_event(YAJL_GET_OBJECT(events)->keys[i],
                    YAJL_GET_OBJECT(events)->values[i]);
}

static void print_plan(yajl_val result)
{
    yajl_val moves = vm_affinity_field(result, "moves", yajl_t_array);
    yajl_val kept = vm_affinity_field(result, "kept", yajl_t_array);
    size_t i;

    for (i = 0; i < length_of(moves); i++) {
        yajl_val move = element(moves, i);

        print_text(0, text(move, "domain"));
        printf(": to pCPUs ");
        print_ranges(vm_affinity_field(move, "pcpus", yajl_t_array));
        printf(" (%s): ", text(move, "state"));
        print_text(0, text(move, "reason"));
        putchar('\n');
    }
    for (i = 0; i < length_of(kept); i++) {
        print_text(0, text(element(kept, i), "domain"));
        printf(": stays: ");
        print_text(0, text(element(kept, i), "reason"));
        putchar('\n');
    }
}

/* The daemon sends it as text. */
static void print_explain(yajl_val result)
{
    yajl_val lines = vm_affinity_field(result, "lines", yajl_t_array);
    size_t i;

    for (i = 0; i < length_of(lines); i++) {
        yajl_val line = element(lines, i);

        print_text(0, YAJL_IS_STRING(line) ? YAJL_GET_STRING(line) : "-");
        putchar('\n');
    }
}

static void print_mode(yajl_val result)
{
    printf("mode: %s\n", text(result, "mode"));
}

static void print_status(yajl_val result)
{
    print_mode(result);
    print_list(result);
}

static void print_restore(yajl_val result)
{
    printf("restored: %s, failed: %s, mode: %s\n", text(result, "restored"),
           text(result, "failed"), text(result, "mode"));
}

static void print_nothing(yajl_val result)
{
}

static const struct command {
    const char *name;
    const char *request; /* of the daemon */
    bool domain;         /* is about one */
    const char *dryrun;  /* what to ask instead with -N; NULL: the same */
    void (*print)(yajl_val result);
} commands[] = {
    { "list", "status", false, NULL, print_list },
    { "status", "status", false, NULL, print_status },
    { "matrix", "matrix", false, NULL, print_matrix },
    { "explain", "explain", true, NULL, print_explain },
    { "plan", "plan", false, NULL, print_plan },
    { "act", "act", false, "plan", print_mode },
    { "hold", "hold", true, "explain", print_nothing },
    { "release", "release", true, "explain", print_nothing },
    { "restore", "restore", false, "status", print_restore },
};

static const struct command *find_command(const char *name)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(commands); i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];

    return NULL;
}

/* What a request that only looks is answered with. */
static void (*printer_of(const char *request))(yajl_val result)
{
    unsigned int i;

    for (i = 0; i < ARRAY_SIZE(commands); i++)
        if (!strcmp(commands[i].request, request))
            return commands[i].print;

    return print_nothing;
}

/* The result, or the error that the daemon reports. */
static int print_response(const char *line, bool json,
                          void (*print)(yajl_val result))
{
    yajl_val response = yajl_tree_parse(line, NULL, 0);
    yajl_val ok = vm_affinity_field(response, "ok", yajl_t_any);
    int rc = EXIT_FAILURE;

    if (YAJL_IS_TRUE(ok)) {
        rc = EXIT_SUCCESS;
        if (json)
            fputs(line, stdout);
        else
            print(vm_affinity_field(response, "result", yajl_t_object));
    } else if (YAJL_IS_FALSE(ok)) {
        fprintf(stderr, "xenschedd: %s\n", text(response, "error"));
    } else {
        fprintf(stderr, "The answer of xenschedd makes no sense\n");
    }
    yajl_tree_free(response);

    return rc;
}

/* {"command":COMMAND} or {"command":COMMAND,"domid":DOMID} */
static yajl_gen gen_request(const char *command, int64_t domid)
{
    yajl_gen gen = yajl_gen_alloc(NULL);

    if (!gen)
        return NULL;
    yajl_gen_map_open(gen);
    vm_affinity_gen_text(gen, "command");
    vm_affinity_gen_text(gen, command);
    if (domid >= 0) {
        vm_affinity_gen_text(gen, "domid");
        yajl_gen_integer(gen, domid);
    }
    yajl_gen_map_close(gen);

    return gen;
}

static int ask(const char *command, int64_t domid, bool json,
               void (*print)(yajl_val result))
{
    yajl_gen request = gen_request(command, domid);
    int rc = EXIT_FAILURE;
    char *line, *why;

    if (!request)
        return EXIT_FAILURE;
    line = vm_affinity_ask(request, TIMEOUT_S, &why);
    if (line) {
        rc = print_response(line, json, print);
        free(line);
    } else {
        fprintf(stderr, "%s\n", why);
        free(why);
    }
    yajl_gen_free(request);

    return rc;
}

int main_vm_affinity(int argc, char **argv)
{
    const struct command *command;
    bool json = false;
    int64_t domid = -1;
    int opt;

    SWITCH_FOREACH_OPT(opt, "j", NULL, "vm-affinity", 1) {
    case 'j':
        json = true;
        break;
    }

    command = find_command(argv[optind]);
    if (!command || argc - optind != 1 + command->domain) {
        help("vm-affinity");
        return EXIT_FAILURE;
    }
    if (command->domain)
        domid = find_domain(argv[optind + 1]);
    if (dryrun_only && command->dryrun)
        return ask(command->dryrun, domid, json, printer_of(command->dryrun));

    return ask(command->request, domid, json, command->print);
}

/*
 * Local variables:
 * mode: C
 * c-basic-offset: 4
 * indent-tabs-mode: nil
 * End:
 */
