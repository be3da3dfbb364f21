/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * balance.c - when more guests want to run at a place than it has cores, and
 * another place has some to spare, the guest with least to lose goes there.
 *
 * Who talks to those at its place as much as makes another policy care for it
 * (min_rate) has too much to lose: two policies with opposite aims would move
 * it to and fro.
 *
 * Xen's schedulers do that within a run queue, and credit2 between them, but
 * they keep to soft affinity: what somebody (xl, or a policy before this one)
 * has sent to a place stays there.  They also do not know what a guest loses.
 *
 * One guest at a time, and then it is waited for what comes of it: a queue
 * that is measured over a while is still long just after somebody left it.
 */
#include <stdio.h>
#include <stdlib.h>

#include <xensched/abi.h>

#include "../model/memory.h"
#include "guard.h"
#include "policy.h"
#include "talk.h"

/* Runnable units per core: from here on a place is overloaded... */
#define OVERLOADED 1.25
/* ... and to here others may fill the place that they go to. */
#define FULL 1.0

/* pCPUs.  Of who uses less it is of no use that it goes. */
#define USES_SOMETHING 0.05

/* From one move to the next. */
#define PAUSE_NS 5000000000ULL

/* Room for what describe_load() says. */
#define LOAD_TEXT 100

#define NOBODY (~0U)

/* Who was moved by this policy, and from where. */
struct moved {
    uint32_t domid;
    uint64_t since_ns; /* of the domain */
    unsigned int from, to;
};

struct balance {
    struct policy_settings settings;
    unsigned int nr_places;
    unsigned int *over;      /* [place]: so many runs in a row overloaded */
    struct moved candidate;  /* of the latest run */
    bool has_candidate;
    uint64_t moved_ns;       /* when one was seen to have gone */
    unsigned int nr;
    struct moved *moved;
};

/* One run. */
struct view {
    struct balance *balance;
    const struct policy_input *input;
    double *units;  /* [place]: runnable; negative: not known */
    double *cores;  /* [place] */
    double *delay;  /* [place]: seconds from wake-up to run, or negative */
    double *near;   /* [domain]: what it talks with those at its place */
    unsigned int *at; /* [domain]: the place where it runs */
};

/* What is measured. */

/*
 * The queue that the pCPUs of a place share is counted once; of queues of
 * their own there is one for each.
 */
static void look_at_place(const struct view *v, unsigned int place)
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

static bool is_overloaded(const struct view *v, unsigned int place)
{
    return v->units[place] > OVERLOADED * v->cores[place];
}

/*
 * What it would use if it had to wait for nobody: where everybody gets a part
 * only, more than it does.
 */
static double demand(const struct view *v, unsigned int i)
{
    unsigned int vcpus = domain_online_vcpus(&v->input->domains->domain[i]);
    double crowd = v->units[v->at[i]] / v->cores[v->at[i]];
    double units = v->input->standing[i].need * (crowd > 1 ? crowd : 1);

    return units < vcpus ? units : vcpus;
}

static void find_near(const struct view *v)
{
    double *total = need_memory(v->input->domains->nr, sizeof(*total));
    struct talk_pair *pairs;
    unsigned int i, nr;

    pairs = talk_pairs(v->input, 0, &nr, total);
    for (i = 0; i < nr; i++) {
        unsigned int a = pairs[i].a, b = pairs[i].b;

        if (v->at[a] != v->at[b])
            continue;
        v->near[a] += pairs[i].rate;
        v->near[b] += pairs[i].rate;
    }
    free(pairs);
    free(total);
}

/* Who was moved. */

static struct moved *find_moved(struct balance *b, const struct domain *d)
{
    unsigned int i;

    for (i = 0; i < b->nr; i++)
        if (b->moved[i].domid == d->domid &&
            b->moved[i].since_ns == d->since_ns)
            return &b->moved[i];

    return NULL;
}

static unsigned int number_of(const struct view *v, const struct moved *m)
{
    const struct domains *domains = v->input->domains;
    const struct domain *d = domains_find(domains, m->domid);

    return d && d->since_ns == m->since_ns ? d - domains->domain : NOBODY;
}

static bool went(const struct view *v, const struct moved *m)
{
    unsigned int i = number_of(v, m);

    return i != NOBODY &&
           v->input->domains->domain[i].affinity == AFFINITY_OURS &&
           v->input->standing[i].place == m->to;
}

/* Has the candidate gone?  And who is not any more where it went? */
static void follow(const struct view *v)
{
    struct balance *b = v->balance;
    unsigned int i, kept = 0;

    for (i = 0; i < b->nr; i++)
        if (went(v, &b->moved[i]))
            b->moved[kept++] = b->moved[i];
    b->nr = kept;
    if (!b->has_candidate || !went(v, &b->candidate))
        return;
    b->moved = need_more_memory(b->moved, b->nr + 1, sizeof(*b->moved));
    b->moved[b->nr++] = b->candidate;
    b->has_candidate = false;
    b->moved_ns = v->input->now_ns;
}

/* Who is to go, and to where. */

static bool fits(const struct view *v, unsigned int i, unsigned int place)
{
    return v->units[place] >= 0 &&
           v->units[place] + demand(v, i) <= FULL * v->cores[place] &&
           v->input->standing[i].cores[place] >=
           domain_online_vcpus(&v->input->domains->domain[i]);
}

/* The place with most to spare; TOPOLOGY_UNKNOWN: there is none for it. */
static unsigned int place_for(const struct view *v, unsigned int i)
{
    unsigned int place, best = TOPOLOGY_UNKNOWN;
    double most = 0;

    for (place = 0; place < v->input->topology->nr_places; place++) {
        double spare = v->cores[place] - v->units[place];

        if (place != v->at[i] && fits(v, i, place) && spare > most) {
            best = place;
            most = spare;
        }
    }

    return best;
}

/* Is it better to send @i than @than? */
static bool has_less_to_lose(const struct view *v, unsigned int i,
                             unsigned int than)
{
    if (than == NOBODY)
        return true;
    if (v->near[i] != v->near[than])
        return v->near[i] < v->near[than];

    return v->input->standing[i].need > v->input->standing[than].need;
}

/* It has to be of use that it goes, and not have been moved just now. */
static bool may_go(const struct view *v, unsigned int i)
{
    const struct balance *b = v->balance;
    unsigned int place = v->at[i];

    return v->input->standing[i].open && place != TOPOLOGY_UNKNOWN &&
           b->over[place] >= b->settings.confirm &&
           v->input->standing[i].need > USES_SOMETHING &&
           v->near[i] < b->settings.min_rate &&
           !find_moved(v->balance, &v->input->domains->domain[i]);
}

static unsigned int choose(const struct view *v)
{
    const struct balance *b = v->balance;
    unsigned int i, best = NOBODY;

    if (b->moved_ns && v->input->now_ns - b->moved_ns < PAUSE_NS)
        return NOBODY;
    /* The same as in the run before, so that it can be confirmed. */
    if (b->has_candidate) {
        i = number_of(v, &b->candidate);
        if (i != NOBODY && may_go(v, i) && v->at[i] == b->candidate.from &&
            fits(v, i, b->candidate.to))
            return i;
    }
    for (i = 0; i < v->input->domains->nr; i++)
        if (may_go(v, i) && place_for(v, i) != TOPOLOGY_UNKNOWN &&
            has_less_to_lose(v, i, best))
            best = i;

    return best;
}

/* Opinions. */

/* "5.2 runnable vCPUs on 4 cores, which wait 3.10 ms when they wake up" */
static void describe_load(const struct view *v, unsigned int place,
                          char text[LOAD_TEXT])
{
    int length = snprintf(text, LOAD_TEXT, "%.1f runnable vCPUs on %.0f cores",
                          v->units[place], v->cores[place]);

    if (v->delay[place] >= 0)
        snprintf(text + length, LOAD_TEXT - length, ", which wait %.2f ms when "
                 "they wake up", 1000 * v->delay[place]);
}

static void send(const struct view *v, unsigned int i, struct opinion *o)
{
    const struct topology *t = v->input->topology;
    const struct domain *d = &v->input->domains->domain[i];
    unsigned int from = v->at[i], to = place_for(v, i);
    struct balance *b = v->balance;
    char load[LOAD_TEXT], cpus[CPUMAP_TEXT];

    if (b->has_candidate && b->candidate.domid == d->domid)
        to = b->candidate.to;
    describe_load(v, from, load);
    cpumap_format(&t->places[to].cpus, cpus, sizeof(cpus));
    o->want = WANT_GO;
    o->place = to;
    policy_say(o->fact, "%s %u is overloaded: %s, and it has least to lose "
               "there (%.0f interactions/s)", t->places[from].kind,
               t->places[from].id, load, v->near[i]);
    policy_say(o->where, "while on pCPUs %.60s (%s %u) there are %.1f on %.0f",
               cpus, t->places[to].kind, t->places[to].id, v->units[to],
               v->cores[to]);
    b->candidate = (struct moved){ d->domid, d->since_ns, from, to };
    b->has_candidate = true;
}

/* One that was moved stays while it would be too much where it was. */
static void keep(const struct view *v, unsigned int i, const struct moved *m,
                 struct opinion *o)
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

static void think(const struct view *v, unsigned int i, unsigned int chosen,
                  struct opinion *o)
{
    const struct moved *m = find_moved(v->balance,
                                       &v->input->domains->domain[i]);
    unsigned int place = v->at[i];

    if (m)
        keep(v, i, m, o);
    else if (i == chosen)
        send(v, i, o);
    else if (place == TOPOLOGY_UNKNOWN || v->units[place] < 0)
        policy_say(o->lacks, "it is not known how busy its pCPUs are");
    else if (is_overloaded(v, place))
        policy_say(o->lacks, "%s %u is overloaded (%.1f runnable vCPUs on "
                   "%.0f cores), but it has more to lose than others (%.0f "
                   "interactions/s), or there is no room for it elsewhere",
                   v->input->topology->places[place].kind,
                   v->input->topology->places[place].id, v->units[place],
                   v->cores[place], v->near[i]);
    else
        policy_say(o->lacks, "there is no overload where it runs: %.1f "
                   "runnable vCPUs on %.0f cores", v->units[place],
                   v->cores[place]);
}

/* pCPUs may have come or gone, and places with them. */
static void adapt(struct balance *b, unsigned int nr_places)
{
    if (b->nr_places == nr_places)
        return;
    free(b->over);
    b->over = need_memory(nr_places, sizeof(*b->over));
    b->nr_places = nr_places;
    b->nr = 0;
    b->has_candidate = false;
}

static void look(const struct view *v)
{
    unsigned int i;

    for (i = 0; i < v->input->topology->nr_places; i++) {
        look_at_place(v, i);
        if (is_overloaded(v, i))
            v->balance->over[i]++;
        else
            v->balance->over[i] = 0;
    }
    for (i = 0; i < v->input->domains->nr; i++)
        v->at[i] = guard_find(v->input->topology,
                              &v->input->domains->domain[i], true).place;
    find_near(v);
}

static void run(void *memory, const struct policy_input *input,
                struct opinion *opinions)
{
    unsigned int nr = input->domains->nr, i, chosen;
    unsigned int places = input->topology->nr_places;
    struct view v = {
        .balance = memory,
        .input = input,
        .units = need_memory(places, sizeof(double)),
        .cores = need_memory(places, sizeof(double)),
        .delay = need_memory(places, sizeof(double)),
        .near = need_memory(nr, sizeof(double)),
        .at = need_memory(nr, sizeof(unsigned int)),
    };

    adapt(v.balance, places);
    look(&v);
    follow(&v);
    chosen = choose(&v);
    if (chosen == NOBODY)
        v.balance->has_candidate = false;
    for (i = 0; i < nr; i++)
        if (input->standing[i].open)
            think(&v, i, chosen, &opinions[i]);
    free(v.units);
    free(v.cores);
    free(v.delay);
    free(v.near);
    free(v.at);
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

    free(b->over);
    free(b->moved);
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
