/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When more guests want to run at a place than it has cores, and
 * another place has some to spare, the guest with least to lose goes there;
 * see spread.h.
 *
 * Xen's schedulers do that within a run queue, and credit2 between them, but
 * they keep to soft affinity: a guest that xl, or a policy before this one, has
 * sent to a place stays there.  They also do not know what a guest loses.
 */
#include <stdio.h>
#include <stdlib.h>

#include <xensched/abi.h>

#include "base/alloc.h"
#include "policy.h"
#include "spread.h"

/* Runnable units per core: from here on a place is overloaded... */
#define OVERLOADED 1.25
/* ... and to here others may fill the place that they go to. */
#define FULL 1.0

/* pCPUs.  Moving a guest that uses less has no effect. */
#define USES_SOMETHING 0.05

/* Room for what describe_load() says. */
#define LOAD_TEXT 100

struct balance {
    struct policy_settings settings;
    struct spread spread;
};

/* Of the pCPUs of a place that are in one cpupool: no others are for its guests. */
struct load {
    double units; /* runnable; negative: not known */
    double cores;
    double delay; /* seconds from wake-up to run; negative: not known */
};

/* One run. */
struct balance_run {
    const struct policy_input *input;
    struct spread_run run;
    struct load *loads; /* [cpupool][place] */
};

static struct load *load_of(const struct balance_run *v, unsigned int i,
                            unsigned int place)
{
    return &v->loads[v->input->standing[i].cpupool *
                     v->input->topology->nr_places + place];
}

/* What is measured. */

/*
 * The queue that such pCPUs share is counted once; of queues of their own there
 * is one for each.
 */
static void look_at(const struct balance_run *v, const struct cpumap *cpus,
                    struct load *load)
{
    const struct topology *t = v->input->topology;
    unsigned int cpu, queues = 0, delays = 0;
    double units = 0, delay = 0;

    for (cpu = 0; cpu < t->nr_cpus; cpu++) {
        double queue, waited;

        if (!cpumap_test(cpus, cpu))
            continue;
        queue = waiting_queue(v->input->waiting, cpu, v->input->now_ns);
        waited = waiting_delay_on(v->input->waiting, cpu, v->input->now_ns);
        if (queue >= 0)
            units += queue, queues++;
        if (waited >= 0)
            delay += waited, delays++;
    }
    load->units = !queues ? -1 : t->shared_queues ? units / queues : units;
    load->delay = delays ? delay / delays : -1;
    load->cores = topology_cores(t, cpus);
}

/* Each cpupool once, as the first of its domains has it. */
static void look(const struct balance_run *v)
{
    const struct topology *t = v->input->topology;
    unsigned int i, pool = 0, place;

    for (i = 0; i < v->input->domains->nr; i++) {
        if (v->input->standing[i].cpupool != pool)
            continue;
        for (place = 0; place < t->nr_places; place++) {
            struct cpumap cpus;

            cpumap_init_copy(&cpus, &t->places[place].cpus);
            cpumap_and(&cpus, &v->input->domains->domain[i].pool_cpus);
            look_at(v, &cpus, load_of(v, i, place));
            cpumap_free(&cpus);
        }
        pool++;
    }
}

static bool is_overloaded(const struct load *load)
{
    return load->units > OVERLOADED * load->cores;
}

/*
 * What it would use if it did not have to wait: more than it uses now, where each
 * guest gets only a part.
 */
static double demand(const struct balance_run *v, unsigned int i)
{
    unsigned int vcpus = domain_online_vcpus(&v->input->domains->domain[i]);
    unsigned int at = v->run.at[i];
    const struct load *load = at == TOPOLOGY_UNKNOWN ? NULL : load_of(v, i, at);
    double crowd = load && load->cores ? load->units / load->cores : 1;
    double units = v->input->standing[i].demand.need * (crowd > 1 ? crowd : 1);

    return units < vcpus ? units : vcpus;
}

/* Which guest is to go, and to where. */

static bool fits(const void *policy, unsigned int i, unsigned int place)
{
    const struct balance_run *v = policy;
    const struct load *load = load_of(v, i, place);

    return load->units >= 0 &&
           load->units + demand(v, i) <= FULL * load->cores;
}

static double spare(const void *policy, unsigned int i, unsigned int place)
{
    const struct balance_run *v = policy;
    const struct load *load = load_of(v, i, place);

    return load->cores - load->units;
}

static double weight(const void *policy, unsigned int i)
{
    const struct balance_run *v = policy;

    return v->input->standing[i].demand.need;
}

static bool may_go(const void *policy, unsigned int i)
{
    const struct balance_run *v = policy;

    return is_overloaded(load_of(v, i, v->run.at[i])) &&
           weight(v, i) > USES_SOMETHING;
}

static const struct spread_rules rules = { may_go, fits, spare, weight };

/* Opinions. */

/* "5.2 runnable vCPUs on 4 cores, which wait 3.10 ms when they wake up" */
static void describe_load(const struct load *load, char text[LOAD_TEXT])
{
    int length = snprintf(text, LOAD_TEXT, "%.1f runnable vCPUs on %.0f cores",
                          load->units, load->cores);

    if (load->delay >= 0)
        snprintf(text + length, LOAD_TEXT - length, ", which wait %.2f ms when "
                 "they wake up", 1000 * load->delay);
}

static void send(const struct balance_run *v, unsigned int i, unsigned int to,
                 struct opinion *o)
{
    const struct topology *t = v->input->topology;
    unsigned int from = v->run.at[i];
    char load[LOAD_TEXT], cpus[CPUMAP_TEXT];

    describe_load(load_of(v, i, from), load);
    cpumap_format(&t->places[to].cpus, cpus, sizeof(cpus));
    o->want = WANT_GO;
    o->place = to;
    policy_say(o->fact, "%s %u is overloaded: %s, and it has least to lose "
               "there (%.0f interactions/s)", t->places[from].kind,
               t->places[from].id, load, v->run.near[i]);
    policy_say(o->where, "while on pCPUs %.60s (%s %u) there are %.1f on %.0f",
               cpus, t->places[to].kind, t->places[to].id,
               load_of(v, i, to)->units, load_of(v, i, to)->cores);
}

/* One that was moved stays while it would be too much where it was. */
static void keep(const struct balance_run *v, unsigned int i,
                 const struct spread_moved *m, struct opinion *o)
{
    const struct topology_place *from = &v->input->topology->places[m->from];
    const struct load *there = load_of(v, i, m->from);

    if (there->units + demand(v, i) <= FULL * there->cores ||
        is_overloaded(load_of(v, i, m->to))) {
        policy_say(o->lacks, "%s %u, where it was, has room for it",
                   from->kind, from->id);
        return;
    }
    o->want = WANT_STAY;
    o->place = m->to;
    policy_say(o->fact, "%s %u, where it was, has %.1f runnable vCPUs on "
               "%.0f cores", from->kind, from->id, there->units, there->cores);
    policy_say(o->where, "so there is no room for it");
}

/* Why it has no reason to go from where it runs. */
static void object(const struct balance_run *v, unsigned int i,
                   struct opinion *o)
{
    const unsigned int at = v->run.at[i];
    const struct load *load = at == TOPOLOGY_UNKNOWN ? NULL : load_of(v, i, at);

    if (!load || load->units < 0)
        policy_say(o->lacks, "it is not known how busy its pCPUs are");
    else if (is_overloaded(load))
        policy_say(o->lacks, "%s %u is overloaded (%.1f runnable vCPUs on "
                   "%.0f cores), but it has more to lose than others (%.0f "
                   "interactions/s), or there is no room for it elsewhere",
                   v->input->topology->places[at].kind,
                   v->input->topology->places[at].id, load->units,
                   load->cores, v->run.near[i]);
    else
        policy_say(o->lacks, "there is no overload where it runs: %.1f "
                   "runnable vCPUs on %.0f cores", load->units, load->cores);
}

static void think(const struct balance_run *v, unsigned int i, unsigned int to,
                  struct opinion *o)
{
    const struct spread_moved *m = spread_how(&v->run, i);

    if (m)
        keep(v, i, m, o);
    else if (to != TOPOLOGY_UNKNOWN)
        send(v, i, to, o);
    else
        object(v, i, o);
}

static void run(void *memory, const struct policy_input *input,
                struct opinion *opinions)
{
    unsigned int i, chosen, to = 0;
    struct balance *b = memory;
    struct balance_run v = {
        .input = input,
        .loads = need_memory((size_t)input->nr_cpupools *
                             input->topology->nr_places, sizeof(*v.loads)),
    };

    look(&v);
    spread_begin(&v.run, &b->spread, input, false,
                 b->settings.min_rate);
    chosen = spread_choose(&v.run, &rules, &v, &to);
    for (i = 0; i < input->domains->nr; i++)
        if (input->standing[i].open)
            think(&v, i, i == chosen ? to : TOPOLOGY_UNKNOWN, &opinions[i]);
    spread_end(&v.run);
    free(v.loads);
}

static void *create(const struct policy_settings *settings)
{
    struct balance *b = need_memory(1, sizeof(*b));

    b->settings = *settings;

    return b;
}

static void destroy(void *memory)
{
    struct balance *b = memory;

    spread_free(&b->spread);
    free(b);
}

const struct policy policy_balance = {
    .name = "balance",
    .events = 1U << XEN_SCHEDLOG_EV_RUNQ | 1U << XEN_SCHEDLOG_EV_WAKE_DELAY |
              1U << XEN_SCHEDLOG_EV_SERVICE_NS,
    .create = create,
    .run = run,
    .destroy = destroy,
};
