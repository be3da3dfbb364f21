/* SPDX-License-Identifier: GPL-2.0-only */
/* xensched why: explains why a domain, or a thread of it, ran late, and what ran instead. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/event.h>

#include "command/command.h"
#include "base/json.h"
#include "base/alloc.h"
#include "chain-text.h"
#include "shown.h"
#include "timeline/budgets.h"
#include "timeline/cause.h"
#include "timeline/threads/thread-home.h"

/* JSON. */

/* Adds null if the value is @none. */
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

/* What Xen worked for. */
static json_object *work_json(const struct xen_work_sum *sum)
{
    json_object *array = json_object_new_array();
    unsigned int i;

    for (i = 0; i < sum->nr; i++) {
        const struct xen_work_part *part = &sum->part[i];
        json_object *o = json_object_new_object();

        json_add_text(o, "event", xensched_event_name(part->event));
        json_object_object_add(o, "reason", part->reason ? json_new_text(part->reason) : NULL);
        json_add_int(o, "number", part->number);
        json_add_int(o, "ns", part->ns);
        json_object_array_add(array, o);
    }

    return array;
}

static json_object *holders_json(const struct timeline *t,
                                 const struct chain_link *link)
{
    json_object *array = json_object_new_array();
    struct chain_holder h = { 0 };
    struct xen_work_sum work;

    while (chain_next_holder(t, link, &h)) {
        json_object *o = json_object_new_object();

        add_vcpu(o, t, h.stay->vcpu, h.stay->acct);
        json_add_int(o, "at_ns", h.begin);
        json_add_int(o, "ns", h.ns);
        cause_work_of_holder(t, link, &h, &work);
        json_object_object_add(o, "xen_work", work_json(&work));
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

static json_object *budgets_json(const struct timeline *t, const struct chain_link *link)
{
    uint16_t acct = t->vcpus.vcpu[link->vcpu].acct;
    json_object *array = json_object_new_array();
    const struct timeline_row *row = NULL;

    while ((row = budgets_next(t, acct, link->ready, link->end, row)) != NULL) {
        struct xensched_replenish replenish;
        json_object *o = json_object_new_object();

        xensched_replenish(row->counter, &replenish);
        json_add_int(o, "at_ns", row->ns);
        json_add_int(o, "left_ns", replenish.left_ns);
        json_add_bool(o, "missed", replenish.missed);
        json_object_array_add(array, o);
    }

    return array;
}

static void add_vcpu_link(json_object *o, const struct timeline *t,
                          const struct chain_link *link)
{
    struct xensched_off_cpu off = { 0 };
    struct xen_work_sum work;

    chain_off_cpu(t, link, &off);
    cause_work_in_run(t, link, &work);
    add_vcpu(o, t, link->vcpu, XEN_SCHEDLOG_ACCT_NONE);
    add_thread(o, t, THREAD_NONE);
    json_add_int(o, "pcpu", t->stays.cpu[link->cpu].id);
    json_object_object_add(o, "waited_for", holders_json(t, link));
    json_object_object_add(o, "notified_by", notified_json(t, link->wake));
    json_object_object_add(o, "left", off.left ? json_new_text(off.left) : NULL);
    json_object_object_add(o, "woke", off.woke ? json_new_text(off.woke) : NULL);
    json_object_object_add(o, "xen_work", work_json(&work));
    json_object_object_add(o, "budgets", budgets_json(t, link));
}

static json_object *other_threads_json(const struct timeline *t,
                                       const struct chain_link *link)
{
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < t->threads.nr; i++) {
        uint64_t ns = chain_held_ns(t, link, i);
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
 * Returns the thread with this name or PID; of several with a name the one that ran most, which is
 * the first.  -1: none.
 */
static int64_t find_thread(const struct timeline *t, int acct, const char *name)
{
    const struct linux_source *source = t->rows.linux_rows.source;
    char *end;
    unsigned long pid = strtoul(name, &end, 10);
    int64_t found = -1;
    size_t i;

    for (i = 0; i < t->threads.nr; i++) {
        const struct thread *thread = &t->threads.thread[i];

        if (thread_homes_acct(&t->rows.names, &source[thread->source]) != acct ||
            (*end ? strcmp(thread->name, name) != 0 : thread->pid != pid))
            continue;
        if (found < 0 || thread->ns[VCPU_RUNNING] >
                         t->threads.thread[found].ns[VCPU_RUNNING])
            found = i;
    }

    return found;
}

/* A time that was printed is cut to this: any instant of the microsecond may be meant. */
#define PRINTED_NS 1000U

/* Returns false, after a message, if there is no chain. */
static bool make_chain(struct chain *chain, const struct timeline *t, int acct,
                       uint32_t number, const struct arguments *args)
{
    int64_t thread = args->thread ? find_thread(t, acct, args->thread) : -1;
    uint64_t at_ns = args->at_ns + PRINTED_NS - 1;

    if (args->thread && thread < 0) {
        complain("the recording '%s' has no thread '%s' of '%s': guest-switch, "
                 "guest-wake and guest-name have to be logged", args->file,
                 args->thread, args->domain);
        return false;
    }
    if (args->thread ? chain_make_of_thread(chain, t, thread, at_ns)
                     : chain_make(chain, t, acct, number, at_ns))
        return true;
    complain("'%s' did not run at %s s or later; the recording ends at %s s",
             args->thread ? args->thread : args->domain,
             shown_time(args->at_ns), shown_time(t->rows.end_ns));

    return false;
}

/* Returns the domain of "disk" or "disk/1", and sets the number of its vCPU. */
static int find_vcpu(const struct names *names, const char *name,
                     uint32_t *number)
{
    const char *slash = strrchr(name, '/');
    int acct = names_find(names, name);
    char *domain, *end;

    *number = CHAIN_ANY_VCPU;
    if (acct >= 0 || !slash || slash[1] < '0' || slash[1] > '9')
        return acct;
    *number = strtoul(slash + 1, &end, 10);
    if (*end)
        return -1;
    domain = need_string(name);
    domain[slash - name] = '\0';
    acct = names_find(names, domain);
    free(domain);

    return acct;
}

static int show_why(const struct timeline *t, const struct arguments *args)
{
    uint32_t number;
    int acct = find_vcpu(&t->rows.names, args->domain, &number);
    struct chain chain;

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
    chain_print(t, &chain);

    return EXIT_OK;
}

static int run_why(const struct arguments *args)
{
    if (!args->at_given)
        return arguments_wrong(&command_why, "why: no --at TIME given: seconds "
                               "since the first row, such as 'xensched "
                               "latency' prints");

    return shown_recording(args, show_why);
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
    .run = run_why,
};
