/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * why.c - xensched why: why did a domain run so late, and who ran instead?
 */
#include <inttypes.h>
#include <stdio.h>

#include "command/command.h"
#include "shown.h"
#include "timeline/chain.h"

/* Stays on the pCPU that are told one by one. */
#define MOST_STAYS 12U

static const char *name_of(const struct timeline *t, uint32_t vcpu)
{
    return shown_name(timeline_vcpu_name(t, vcpu));
}

/* Who had the pCPU from when it was ready until it ran. */
static void print_holders(const struct timeline *t,
                          const struct chain_link *link)
{
    const struct stays_cpu *cpu = &t->stays.cpu[link->cpu];
    const struct stay *stay = stays_at(cpu, link->ready);
    unsigned int nr = 0;

    for (stay = stay ? stay : cpu->stay;
         stay < cpu->stay + cpu->nr && stay->begin < link->ran; stay++) {
        uint64_t begin = stay->begin > link->ready ? stay->begin : link->ready;
        uint64_t end = stay->end < link->ran ? stay->end : link->ran;

        if (end <= begin)
            continue;
        if (nr++ < MOST_STAYS)
            printf("    %s s  %s ran there for %s\n", shown_time(begin),
                   stay->vcpu == STAY_NONE
                   ? shown_name(names_of(&t->rows.names, stay->acct))
                   : name_of(t, stay->vcpu), shown_length(end - begin));
    }
    if (nr > MOST_STAYS)
        printf("    and %u stays more\n", nr - MOST_STAYS);
    if (!nr)
        printf("    who had it is not in the recording\n");
}

static void print_wait(const struct timeline *t, const struct chain_link *link)
{
    if (link->ran == link->ready) {
        printf("  it did not wait for a pCPU\n");
        return;
    }
    printf("  it waited %s for pCPU %u:\n",
           shown_length(link->ran - link->ready), t->stays.cpu[link->cpu].id);
    print_holders(t, link);
}

static void print_cause(const struct timeline *t,
                        const struct chain_link *link)
{
    const struct wake *wake = link->wake;
    uint64_t late;

    if (link->lost) {
        printf("  what it did before is not known: rows are missing\n");
        return;
    }
    if (link->slept == STAY_NEVER) {
        printf("  it did not sleep before: it had been preempted\n");
        return;
    }
    printf("  it slept from %s s to %s s\n", shown_time(link->slept),
           shown_time(link->ready));
    if (!wake) {
        printf("  no notification in the recording woke it: a timer, an "
               "interrupt, or one within\n"
               "  its domain did\n");
        return;
    }
    late = link->ready > wake->sent ? link->ready - wake->sent : 0;
    printf("  %s notified it at %s s from pCPU %u; it was runnable %s later\n",
           wake->from == STAY_NONE
           ? shown_name(names_of(&t->rows.names, wake->sender))
           : name_of(t, wake->from), shown_time(wake->sent),
           t->stays.cpu[wake->cpu].id, shown_length(late));
}

static void print_link(const struct timeline *t, const struct chain *chain,
                       unsigned int i)
{
    const struct chain_link *link = &chain->link[i];

    printf("%s ran on pCPU %u from %s s", name_of(t, link->vcpu),
           t->stays.cpu[link->cpu].id, shown_time(link->ran));
    if (i)
        printf(" and sent the notification %s later\n",
               shown_length(chain->link[i - 1].wake->sent > link->ran
                            ? chain->link[i - 1].wake->sent - link->ran : 0));
    else
        printf(" to %s s\n", shown_time(link->end));
    print_wait(t, link);
    print_cause(t, link);
}

static int show(const struct timeline *t, const struct arguments *args)
{
    int acct = names_find(&t->rows.names, args->domain);
    struct chain chain;
    unsigned int i;

    if (acct < 0) {
        complain("the recording '%s' has no domain '%s'", args->file,
                 args->domain);
        return EXIT_FAILED;
    }
    if (!chain_make(&chain, t, acct, args->at_ns)) {
        complain("'%s' did not run at %s s or later; the recording ends at %s "
                 "s", args->domain, shown_time(args->at_ns),
                 shown_time(t->rows.end_ns));
        return EXIT_FAILED;
    }
    for (i = 0; i < chain.nr; i++)
        print_link(t, &chain, i);

    return EXIT_OK;
}

static int run(const struct arguments *args)
{
    if (!args->at_given)
        return arguments_wrong(&command_why, "why: no --at TIME given: seconds "
                               "since the first row, such as 'xensched "
                               "latency' prints");

    return shown_recording(args, show);
}

const struct command command_why = {
    .name = "why",
    .summary = "why a domain ran so late, and who ran instead",
    .help =
        "Print how it came, in the recording FILE, that DOMAIN ran when it "
        "did: of the\n"
        "run that it waited for or had at TIME (seconds since the first row), "
        "or of the\n"
        "next one. For whom it waited, who notified it, and the same of "
        "whoever did.",
    .takes = ARGUMENT_FILE | ARGUMENT_DOMAIN | ARGUMENT_AT,
    .run = run,
};
