/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance.c - when more guests want to run at a place than it has cores, and
 * another place has some to spare, the guest with least to lose goes there;
 * see spread.h.
 *
 * Xen's schedulers do that within a run queue, and credit2 between them, but
 * they keep to soft affinity: what somebody (xl, or a policy before this one)
 * has sent to a place stays there.  They also do not know what a guest loses.
 */
#include <stdio.h>
#include <stdlib.h>

#include <xensched/abi.h>

#include "model/memory.h"
#include "policy.h"
#include "spread.h"

/* Runnable units per core: from here on a place is overloaded... */
#define OVERLOADED 1.25
/* ... and to here others may fill the place that they go to. */
#define FULL 1.0

/* pCPUs.  Of who uses less it is of no use that it goes. */
#define USES_SOMETHING 0.05

/* Room for what describe_load() says. */
#define LOAD_TEXT 100

struct balance {
    struct policy_settings settings;
    struct spread spread;
};

/* One run. */
struct balance_run {
    const struct policy_input *input;
    struct spread_run run;
    double *units; /* [place]: runnable; negative: not known */
    double *cores; /* [place] */
    double *delay; /* [place]: seconds from wake-up to run, or negative */
};

/* What is measured. */

/*
 * The queue that the pCPUs of a place share is counted once; of queues of
 * their own there is one for each.
 */
static void look_at_place(const struct balance_run *v, unsigned int place)
{
    const struct topology *t = v->input->topology;
    unsigned int cpu, queues = 0, delays = 0;
    double units = 0, delay = 0;

    for (cpu = 0; cpu < t->nr_cpus; cpu++) {
        double queue, waited;

        if (t->cpus[cpu].place != place)
            continue;
        queue = waiting_queue(v->input->waiting, cpu, v->input->now_ns);
        waited = waiting_delay_on(v->input->waiting, cpu, v->input->now_ns);
        if (queue >= 0)
            units += queue, queues++;
        if (waited >= 0)
            delay += waited, delays++;
    }
    v->units[place] = !queues ? -1 : t->shared_queues ? units / queues : units;
    v->delay[place] = delays ? delay / delays : -1;
    v->cores[place] = topology_cores(t, &t->places[place].cpus);
}

static bool is_overloaded(const struct balance_run *v, unsigned int place)
{
    return v->units[place] > OVERLOADED * v->cores[place];
}

/*
 * What it would use if it had to wait for nobody: where everybody gets a part
 * only, more than it does.
 */
static double demand(const struct balance_run *v, unsigned int i)
{
    unsigned int vcpus = domain_online_vcpus(&v->input->domains->domain[i]);
    unsigned int at = v->run.at[i];
    double crowd = at == TOPOLOGY_UNKNOWN ? 1 : v->units[at] / v->cores[at];
    double units = v->input->standing[i].demand.need * (crowd > 1 ? crowd : 1);

    return units < vcpus ? units : vcpus;
}

/* Who is to go, and to where. */

static bool fits(const void *policy, unsigned int i, unsigned int place)
{
    const struct balance_run *v = policy;

    return v->units[place] >= 0 &&
           v->units[place] + demand(v, i) <= FULL * v->cores[place];
}

static double spare(const void *policy, unsigned int place)
{
    const struct balance_run *v = policy;

    return v->cores[place] - v->units[place];
}

static double weight(const void *policy, unsigned int i)
{
    const struct balance_run *v = policy;

    return v->input->standing[i].demand.need;
}

static bool may_go(const void *policy, unsigned int i)
{
    const struct balance_run *v = policy;

    return is_overloaded(v, v->run.at[i]) && weight(v, i) > USES_SOMETHING;
}

static const struct spread_rules rules = { may_go, fits, spare, weight };

/* Opinions. */

/* "5.2 runnable vCPUs on 4 cores, which wait 3.10 ms when they wake up" */
static void describe_load(const struct balance_run *v, unsigned int place,
                          char text[LOAD_TEXT])
{
    int length = snprintf(text, LOAD_TEXT, "%.1f runnable vCPUs on %.0f cores",
                          v->units[place], v->cores[place]);

    if (v->delay[place] >= 0)
        snprintf(text + length, LOAD_TEXT - length, ", which wait %.2f ms when "
                 "they wake up", 1000 * v->delay[place]);
}

static void send(const struct balance_run *v, unsigned int i, unsigned int to,
                 struct opinion *o)
{
    const struct topology *t = v->input->topology;
    unsigned int from = v->run.at[i];
    char load[LOAD_TEXT], cpus[CPUMAP_TEXT];

    describe_load(v, from, load);
    cpumap_format(&t->places[to].cpus, cpus, sizeof(cpus));
    o->want = WANT_GO;
    o->place = to;
    policy_say(o->fact, "%s %u is overloaded: %s, and it has least to lose "
               "there (%.0f interactions/s)", t->places[from].kind,
               t->places[from].id, load, v->run.near[i]);
    policy_say(o->where, "while on pCPUs %.60s (%s %u) there are %.1f on %.0f",
               cpus, t->places[to].kind, t->places[to].id, v->units[to],
               v->cores[to]);
}

/* One that was moved stays while it would be too much where it was. */
static void keep(const struct balance_run *v, unsigned int i,
                 const struct spread_moved *m, struct opinion *o)
{
    const struct topology_place *from = &v->input->topology->places[m->from];

    if (v->units[m->from] + demand(v, i) <= FULL * v->cores[m->from] ||
        is_overloaded(v, m->to)) {
        policy_say(o->lacks, "%s %u, where it was, has room for it",
                   from->kind, from->id);
        return;
    }
    o->want = WANT_STAY;
    o->place = m->to;
    policy_say(o->fact, "%s %u, where it was, has %.1f runnable vCPUs on "
               "%.0f cores", from->kind, from->id, v->units[m->from],
               v->cores[m->from]);
    policy_say(o->where, "so there is no room for it");
}

static void think(const struct balance_run *v, unsigned int i, unsigned int to,
                  struct opinion *o)
{
    const struct spread_moved *m = spread_how(&v->run, i);
    unsigned int place = v->run.at[i];

    if (m)
        keep(v, i, m, o);
    else if (to != TOPOLOGY_UNKNOWN)
        send(v, i, to, o);
    else if (place == TOPOLOGY_UNKNOWN || v->units[place] < 0)
        policy_say(o->lacks, "it is not known how busy its pCPUs are");
    else if (is_overloaded(v, place))
        policy_say(o->lacks, "%s %u is overloaded (%.1f runnable vCPUs on "
                   "%.0f cores), but it has more to lose than others (%.0f "
                   "interactions/s), or there is no room for it elsewhere",
                   v->input->topology->places[place].kind,
                   v->input->topology->places[place].id, v->units[place],
                   v->cores[place], v->run.near[i]);
    else
        policy_say(o->lacks, "there is no overload where it runs: %.1f "
                   "runnable vCPUs on %.0f cores", v->units[place],
                   v->cores[place]);
}

static void run(void *memory, const struct policy_input *input,
                struct opinion *opinions)
{
    unsigned int places = input->topology->nr_places, i, chosen, to = 0;
    struct balance *b = memory;
    struct balance_run v = {
        .input = input,
        .units = need_memory(places, sizeof(double)),
        .cores = need_memory(places, sizeof(double)),
        .delay = need_memory(places, sizeof(double)),
    };

    for (i = 0; i < places; i++)
        look_at_place(&v, i);
    spread_begin(&v.run, &b->spread, input, false,
                 b->settings.min_rate);
    chosen = spread_choose(&v.run, &rules, &v, &to);
    for (i = 0; i < input->domains->nr; i++)
        if (input->standing[i].open)
            think(&v, i, i == chosen ? to : TOPOLOGY_UNKNOWN, &opinions[i]);
    spread_end(&v.run);
    free(v.units);
    free(v.cores);
    free(v.delay);
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
