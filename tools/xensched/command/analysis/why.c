/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * why.c - xensched why: why did a domain, or a thread of it, run so late, and
 * what ran instead?
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/event.h>

#include "command/command.h"
#include "base/json.h"
#include "base/alloc.h"
#include "shown.h"
#include "timeline/chain.h"
#include "timeline/threads/thread-home.h"

/* Stays on the pCPU that are told one by one. */
#define MOST_STAYS 12U

static const char *name_of(const struct timeline *t, uint32_t vcpu)
{
    return shown_name(timeline_vcpu_name(t, vcpu));
}

/* A part of the time for which a vCPU waited, and what ran on its pCPU then. */
struct holder {
    const struct stay *stay; /* NULL: begin with the first part */
    uint64_t begin, ns;
};

static bool next_holder(const struct timeline *t, const struct chain_link *link,
                        struct holder *h)
{
    const struct stays_cpu *cpu = &t->stays.cpu[link->cpu];

    if (h->stay)
        h->stay++;
    else
        h->stay = stays_at(cpu, link->ready) ?: cpu->stay;
    for (; h->stay < cpu->stay + cpu->nr && h->stay->begin < link->ran; h->stay++) {
        uint64_t end = h->stay->end < link->ran ? h->stay->end : link->ran;

        h->begin = h->stay->begin > link->ready ? h->stay->begin : link->ready;
        if (end > h->begin) {
            h->ns = end - h->begin;
            return true;
        }
    }

    return false;
}

static void print_holders(const struct timeline *t,
                          const struct chain_link *link)
{
    struct holder h = { 0 };
    unsigned int nr = 0;

    while (next_holder(t, link, &h))
        if (nr++ < MOST_STAYS)
            printf("    %s s  %s ran there for %s\n", shown_time(h.begin),
                   h.stay->vcpu == STAY_NONE
                   ? shown_name(names_of(&t->rows.names, h.stay->acct))
                   : name_of(t, h.stay->vcpu), shown_length(h.ns));
    if (nr > MOST_STAYS)
        printf("    and %u stays more\n", nr - MOST_STAYS);
    if (!nr)
        printf("    the recording does not show which domain had it\n");
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

/* By its row of off-cpu; false: there is none. */
static bool know_off_cpu(const struct timeline *t, const struct chain_link *link,
                         struct xensched_off_cpu *off)
{
    const struct stay *stay = stays_at(&t->stays.cpu[link->cpu], link->ran);

    if (!stay || stay->off == STAY_NEVER)
        return false;
    xensched_off_cpu(stay->off, off);

    return true;
}

static void print_left(const struct timeline *t, const struct chain_link *link)
{
    struct xensched_off_cpu off;

    if (know_off_cpu(t, link, &off) && off.left && strcmp(off.left, "preempted"))
        printf("  it did not sleep before: it was off its pCPU as %s\n", off.left);
    else
        printf("  it did not sleep before: it had been preempted\n");
}

static void print_other_waker(const struct timeline *t, const struct chain_link *link)
{
    struct xensched_off_cpu off;

    if (know_off_cpu(t, link, &off) && off.woke)
        printf("  no notification in the recording woke it; according to Xen: %s\n",
               off.woke);
    else
        printf("  no notification in the recording woke it: a timer, an "
               "interrupt, or one within\n"
               "  its domain did\n");
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
        print_left(t, link);
        return;
    }
    printf("  it slept from %s s to %s s\n", shown_time(link->slept),
           shown_time(link->ready));
    if (!wake) {
        print_other_waker(t, link);
        return;
    }
    late = link->ready > wake->sent ? link->ready - wake->sent : 0;
    printf("  %s notified it at %s s from pCPU %u; it was runnable %s later\n",
           wake->from == STAY_NONE
           ? shown_name(names_of(&t->rows.names, wake->sender))
           : name_of(t, wake->from), shown_time(wake->sent),
           t->stays.cpu[wake->cpu].id, shown_length(late));
}

/* Of all but the first one: what it did that the link before waited for. */
static void print_deed(const struct chain *chain, unsigned int i)
{
    const struct chain_link *link = &chain->link[i];
    const struct chain_link *before = i ? link - 1 : NULL;
    uint64_t later = link->did > link->ran ? link->did - link->ran : 0;

    if (!before)
        printf(" to %s s\n", shown_time(link->end));
    else if (before->vcpu_ran != STAY_NEVER)
        printf("\n");
    else if (before->thread == THREAD_NONE)
        printf(" and sent the notification %s later\n", shown_length(later));
    else if (link->thread == THREAD_NONE)
        printf(" and took the interrupt %s later\n", shown_length(later));
    else
        printf(" and woke it %s later\n", shown_length(later));
}

static void print_vcpu(const struct timeline *t, const struct chain *chain,
                       unsigned int i)
{
    const struct chain_link *link = &chain->link[i];

    printf("%s ran on pCPU %u from %s s", name_of(t, link->vcpu),
           t->stays.cpu[link->cpu].id, shown_time(link->ran));
    print_deed(chain, i);
    print_wait(t, link);
    print_cause(t, link);
}

/* Threads. */

static const char *thread_of(const struct timeline *t, uint32_t thread)
{
    return shown_name(threads_name(&t->threads.thread[thread]));
}

static const char *place_of(const struct timeline *t, uint32_t place)
{
    return shown_name(timeline_place_name(t, place));
}

/* How long the thread @i had the vCPU for which the thread of @link waited. */
static uint64_t held_ns(const struct timeline *t, const struct chain_link *link,
                        size_t i)
{
    const struct thread *thread = &t->threads.thread[i];
    uint64_t ns = 0;
    size_t j;

    for (j = 0; j < thread->nr && thread->span[j].begin < link->ran; j++) {
        uint64_t begin = thread->span[j].begin;
        uint64_t end = threads_end(&t->threads, thread, j);

        begin = begin > link->ready ? begin : link->ready;
        end = end < link->ran ? end : link->ran;
        if (thread->span[j].place == link->place && end > begin)
            ns += end - begin;
    }

    return ns;
}

static void print_other_threads(const struct timeline *t,
                                const struct chain_link *link)
{
    unsigned int nr = 0;
    size_t i;

    for (i = 0; i < t->threads.nr; i++) {
        uint64_t ns = held_ns(t, link, i);

        if (ns && nr++ < MOST_STAYS)
            printf("    %s had it for %s\n", thread_of(t, i),
                   shown_length(ns));
    }
}

static void print_waker(const struct timeline *t, const struct chain_link *link)
{
    const struct thread_wake *wake = link->thread_wake;

    if (link->lost)
        printf("  what it did before is not known\n");
    else if (link->slept == STAY_NEVER)
        printf("  it did not sleep before: it had been preempted\n");
    else if (link->why == 'D')
        printf("  it slept, usually for a device, from %s s to %s s\n",
               shown_time(link->slept), shown_time(link->ready));
    else
        printf("  it slept from %s s to %s s\n", shown_time(link->slept),
               shown_time(link->ready));
    if (!wake)
        return;
    if (wake->from == THREAD_NONE)
        printf("  an interrupt on %s woke it\n", place_of(t, wake->place));
    else
        printf("  %s woke it\n", thread_of(t, wake->from));
}

static void print_thread(const struct timeline *t, const struct chain *chain,
                         unsigned int i)
{
    const struct chain_link *link = &chain->link[i];
    const struct thread *thread = &t->threads.thread[link->thread];

    printf("%s of %s had %s from %s s", thread_of(t, link->thread),
           shown_name(timeline_source_name(t, thread->source)),
           place_of(t, link->place), shown_time(link->ran));
    print_deed(chain, i);
    if (link->ran > link->ready) {
        printf("  it waited %s for %s\n", shown_length(link->ran - link->ready),
               place_of(t, link->place));
        print_other_threads(t, link);
    }
    print_waker(t, link);
    if (link->vcpu_ran != STAY_NEVER)
        printf("  but %s had a pCPU from %s s only\n",
               place_of(t, link->place), shown_time(link->vcpu_ran));
}

/* JSON. */

/* Null if it is @none. */
static void add_ns(json_object *o, const char *key, uint64_t ns, uint64_t none)
{
    if (ns == none)
        json_object_object_add(o, key, NULL);
    else
        json_add_int(o, key, ns);
}

static void add_vcpu(json_object *o, const struct timeline *t, uint32_t vcpu,
                     uint16_t acct)
{
    bool known = vcpu != STAY_NONE;

    json_add_text(o, "domain", names_of(&t->rows.names,
                                        known ? t->vcpus.vcpu[vcpu].acct : acct));
    if (known)
        json_add_int(o, "vcpu", t->vcpus.vcpu[vcpu].number);
    else
        json_object_object_add(o, "vcpu", NULL);
}

static void add_thread(json_object *o, const struct timeline *t, uint32_t thread)
{
    if (thread == THREAD_NONE) {
        json_object_object_add(o, "thread", NULL);
        json_object_object_add(o, "pid", NULL);
        return;
    }
    json_add_text(o, "thread", t->threads.thread[thread].name);
    json_add_int(o, "pid", t->threads.thread[thread].pid);
}

static json_object *holders_json(const struct timeline *t,
                                 const struct chain_link *link)
{
    json_object *array = json_object_new_array();
    struct holder h = { 0 };

    while (next_holder(t, link, &h)) {
        json_object *o = json_object_new_object();

        add_vcpu(o, t, h.stay->vcpu, h.stay->acct);
        json_add_int(o, "at_ns", h.begin);
        json_add_int(o, "ns", h.ns);
        json_object_array_add(array, o);
    }

    return array;
}

static json_object *notified_json(const struct timeline *t, const struct wake *wake)
{
    json_object *o;

    if (!wake)
        return NULL;
    o = json_object_new_object();
    add_vcpu(o, t, wake->from, wake->sender);
    json_add_int(o, "at_ns", wake->sent);
    json_add_int(o, "pcpu", t->stays.cpu[wake->cpu].id);

    return o;
}

static void add_vcpu_link(json_object *o, const struct timeline *t,
                          const struct chain_link *link)
{
    struct xensched_off_cpu off = { 0 };

    know_off_cpu(t, link, &off);
    add_vcpu(o, t, link->vcpu, XEN_SCHEDLOG_ACCT_NONE);
    add_thread(o, t, THREAD_NONE);
    json_add_int(o, "pcpu", t->stays.cpu[link->cpu].id);
    json_object_object_add(o, "waited_for", holders_json(t, link));
    json_object_object_add(o, "notified_by", notified_json(t, link->wake));
    json_object_object_add(o, "left", off.left ? json_new_text(off.left) : NULL);
    json_object_object_add(o, "woke", off.woke ? json_new_text(off.woke) : NULL);
}

static json_object *other_threads_json(const struct timeline *t,
                                       const struct chain_link *link)
{
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < t->threads.nr; i++) {
        uint64_t ns = held_ns(t, link, i);
        json_object *o;

        if (!ns)
            continue;
        o = json_object_new_object();
        add_thread(o, t, i);
        json_add_int(o, "ns", ns);
        json_object_array_add(array, o);
    }

    return array;
}

static json_object *woken_json(const struct timeline *t,
                               const struct thread_wake *wake)
{
    json_object *o;

    if (!wake)
        return NULL;
    o = json_object_new_object();
    add_thread(o, t, wake->from);
    json_add_bool(o, "interrupt", wake->from == THREAD_NONE);

    return o;
}

static void add_thread_link(json_object *o, const struct timeline *t,
                            const struct chain_link *link)
{
    const struct thread *thread = &t->threads.thread[link->thread];
    char state[2] = { link->why };

    json_add_text(o, "domain", timeline_source_name(t, thread->source));
    json_add_int(o, "vcpu", t->threads.place[link->place].cpu);
    add_thread(o, t, link->thread);
    json_object_object_add(o, "waited_for", other_threads_json(t, link));
    json_object_object_add(o, "slept_as", *state ? json_new_text(state) : NULL);
    json_object_object_add(o, "woken_by", woken_json(t, link->thread_wake));
    add_ns(o, "vcpu_ran_ns", link->vcpu_ran, STAY_NEVER);
}

static void print_json(const struct timeline *t, const struct chain *chain)
{
    json_object *all = json_object_new_object();
    json_object *links = json_object_new_array();
    unsigned int i;

    for (i = 0; i < chain->nr; i++) {
        const struct chain_link *link = &chain->link[i];
        json_object *o = json_object_new_object();

        (link->thread == THREAD_NONE ? add_vcpu_link : add_thread_link)(o, t, link);
        json_add_int(o, "ran_ns", link->ran);
        json_add_int(o, "ready_ns", link->ready);
        add_ns(o, "slept_ns", link->slept, STAY_NEVER);
        json_add_int(o, "did_ns", link->did);
        json_add_bool(o, "lost", link->lost);
        json_object_array_add(links, o);
    }
    shown_add_error(all, t);
    json_add_int(all, "lost_rows", t->rows.lost_rows);
    json_add_int(all, "end_ns", chain->link[0].end);
    json_object_object_add(all, "chain", links);
    json_print(all);
}

/*
 * The thread that is called so, or has this PID; of several with a name the one
 * that ran most, which is the first.  -1: none.
 */
static int64_t find_thread(const struct timeline *t, int acct, const char *who)
{
    const struct linux_source *source = t->rows.linux_rows.source;
    char *end;
    unsigned long pid = strtoul(who, &end, 10);
    int64_t found = -1;
    size_t i;

    for (i = 0; i < t->threads.nr; i++) {
        const struct thread *thread = &t->threads.thread[i];

        if (thread_homes_acct(&t->rows.names, &source[thread->source]) != acct ||
            (*end ? strcmp(thread->name, who) != 0 : thread->pid != pid))
            continue;
        if (found < 0 || thread->ns[VCPU_RUNNING] >
                         t->threads.thread[found].ns[VCPU_RUNNING])
            found = i;
    }

    return found;
}

/* False, and has said why: there is none. */
static bool make_chain(struct chain *chain, const struct timeline *t, int acct,
                       uint32_t number, const struct arguments *args)
{
    int64_t thread = args->thread ? find_thread(t, acct, args->thread) : -1;

    if (args->thread && thread < 0) {
        complain("the recording '%s' has no thread '%s' of '%s': guest-switch, "
                 "guest-wake and guest-name have to be logged", args->file,
                 args->thread, args->domain);
        return false;
    }
    if (args->thread ? chain_make_of_thread(chain, t, thread, args->at_ns)
                     : chain_make(chain, t, acct, number, args->at_ns))
        return true;
    complain("'%s' did not run at %s s or later; the recording ends at %s s",
             args->thread ? args->thread : args->domain,
             shown_time(args->at_ns), shown_time(t->rows.end_ns));

    return false;
}

/* The domain of "disk" or "disk/1", and which vCPU of it. */
static int find_vcpu(const struct names *names, const char *who,
                     uint32_t *number)
{
    const char *slash = strrchr(who, '/');
    int acct = names_find(names, who);
    char *domain, *end;

    *number = CHAIN_ANY_VCPU;
    if (acct >= 0 || !slash || slash[1] < '0' || slash[1] > '9')
        return acct;
    *number = strtoul(slash + 1, &end, 10);
    if (*end)
        return -1;
    domain = need_string(who);
    domain[slash - who] = '\0';
    acct = names_find(names, domain);
    free(domain);

    return acct;
}

static int show(const struct timeline *t, const struct arguments *args)
{
    uint32_t number;
    int acct = find_vcpu(&t->rows.names, args->domain, &number);
    struct chain chain;
    unsigned int i;

    if (acct < 0) {
        complain("the recording '%s' has no domain '%s'", args->file,
                 args->domain);
        return EXIT_FAILED;
    }
    if (!make_chain(&chain, t, acct, number, args))
        return EXIT_FAILED;
    if (args->json) {
        print_json(t, &chain);
        return EXIT_OK;
    }
    for (i = 0; i < chain.nr; i++)
        if (chain.link[i].thread == THREAD_NONE)
            print_vcpu(t, &chain, i);
        else
            print_thread(t, &chain, i);

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
    .summary = "explain why a domain, or a thread of it, ran late",
    .help =
        "Explain one run of DOMAIN in the recording FILE: the run for which it waited,\n"
        "or which it had, at TIME, or the next one. DOMAIN/1 is its vCPU 1 only. Print\n"
        "the chain of causes backwards: which domains had the pCPU, which domain\n"
        "notified it, and the same for that domain. With --thread, follow a thread of\n"
        "the domain through all layers.",
    .takes = ARGUMENT_JSON | ARGUMENT_FILE | ARGUMENT_DOMAIN | ARGUMENT_AT |
             ARGUMENT_THREAD,
    .needs = ARGUMENT_AT,
    .run = run,
};
