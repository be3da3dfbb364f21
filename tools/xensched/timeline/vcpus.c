/* SPDX-License-Identifier: GPL-2.0-only */
/* Assigns run intervals to vCPUs. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "timeline/rows/row-order.h"
#include "timeline/rows/cuts.h"
#include "vcpus.h"

/* The most vCPUs of an accounting domain. */
#define MAX_VCPUS 512U

const char *const vcpu_state_name[VCPU_STATES] = {
    [VCPU_UNKNOWN] = "unknown",
    [VCPU_RUNNING] = "running",
    [VCPU_RUNNABLE] = "runnable",
    [VCPU_BLOCKED] = "blocked",
    [VCPU_LOST] = "lost",
};

/* A stay and its place. */
struct run {
    struct stay *stay;
    uint32_t cpu;
    bool guess; /* another vCPU of the domain is possible */
};

/* A candidate for a run: a vCPU of the accounting domain. */
struct chosen {
    uint64_t end;  /* end of its last run */
    uint32_t cpu;  /* pCPU of its last run */
    bool left_idle; /* the pCPU was idle after it: usually the vCPU slept */
};

struct vcpus_making {
    struct vcpus *vcpus;
    const struct rows *rows;
    const struct stays *stays;
    uint64_t tolerance;
    size_t room; /* number of vCPUs that fit */
    struct windows unseen; /* times in which any vCPU may have run */
};

static void find_windows(struct vcpus_making *m)
{
    size_t i;

    for (i = 0; i < m->rows->nr_losses; i++)
        if (m->rows->loss[i].events & 1U << XEN_SCHEDLOG_EV_SERVICE_NS)
            windows_add(&m->unseen, m->rows->loss[i].begin_ns,
                        m->rows->loss[i].end_ns);
}

/* Spans. */

static void add_span(struct vcpu *v, uint64_t begin, enum vcpu_state state,
                     uint32_t cpu)
{
    struct span *last = v->nr ? &v->span[v->nr - 1] : NULL;

    if (last && last->begin == begin && last->state != VCPU_RUNNING) {
        *last = (struct span){ begin, cpu, state };
        return;
    }
    if (last && last->state == state && last->cpu == cpu &&
        state != VCPU_RUNNING)
        return;
    *list_add(v->span, v->nr, v->room) = (struct span){ begin, cpu, state };
}

/* Adds the time from @begin to @end, in which it did not run as far as is known. */
static void add_wait(struct vcpus_making *m, struct vcpu *v, uint64_t begin,
                     uint64_t end, enum vcpu_state state, uint32_t cpu)
{
    size_t i = windows_after(&m->unseen, begin);

    while (begin < end) {
        const struct window *w = i < m->unseen.nr ? &m->unseen.window[i] : NULL;

        if (!w || w->begin >= end) {
            add_span(v, begin, state, cpu);
            return;
        }
        if (w->begin > begin)
            add_span(v, begin, state, cpu);
        add_span(v, w->begin > begin ? w->begin : begin, VCPU_LOST, STAY_NONE);
        begin = w->end;
        i++;
    }
}

static uint64_t end_of(const struct chosen *c)
{
    return c->cpu == STAY_NONE ? 0 : c->end;
}

/* Returns whether a missing row of a wake-up means that the vCPU did not sleep. */
static bool has_each_wake_up(const struct vcpus_making *m,
                             const struct stay *stay)
{
    return m->stays->wakes && !stay->woken_lost &&
           !(m->rows->names.sampled & 1U << XEN_SCHEDLOG_EV_WAKE_DELAY);
}

/* The host's clock went back in between: only a wait that began after that is known. */
static void add_wait_behind_cut(struct vcpus_making *m, struct vcpu *v,
                                uint64_t begin, const struct run *run)
{
    const struct stay *stay = run->stay;
    uint64_t known = stay->begin;

    if (stay->woken != STAY_NEVER &&
        stay->woken >= windows_before(&m->rows->cut, stay->begin))
        known = stay->woken;
    add_wait(m, v, begin, known, VCPU_UNKNOWN, STAY_NONE);
    add_wait(m, v, known, stay->begin, VCPU_RUNNABLE, run->cpu);
}

/* Adds what it did between its last run and this one. */
static void add_gap(struct vcpus_making *m, struct vcpu *v, uint64_t begin,
                    const struct run *run)
{
    const struct stay *stay = run->stay;
    uint64_t woken = stay->woken;

    bool early = woken != STAY_NEVER && woken + m->tolerance < begin;

    m->vcpus->early += early;
    if (early || (woken == STAY_NEVER &&
                  (run->guess || !has_each_wake_up(m, stay)))) {
        add_wait(m, v, begin, stay->begin, VCPU_UNKNOWN, STAY_NONE);
        return;
    }
    if (windows_overlap(&m->rows->cut, begin, stay->begin)) {
        add_wait_behind_cut(m, v, begin, run);
        return;
    }
    if (woken == STAY_NEVER || woken < begin)
        woken = begin;
    add_wait(m, v, begin, woken, VCPU_BLOCKED, STAY_NONE);
    add_wait(m, v, woken, stay->begin, VCPU_RUNNABLE, run->cpu);
}

/* Choosing the vCPU of a run. */

/* Returns whether it ran when the run's vCPU woke, or slept though the run's did not wake. */
static bool contradicts_chosen(const struct vcpus_making *m, const struct chosen *c,
                               const struct run *run)
{
    const struct stay *stay = run->stay;

    if (c->cpu == STAY_NONE)
        return false;
    if (stay->woken != STAY_NEVER)
        return c->end > stay->woken + m->tolerance;

    return c->left_idle && has_each_wake_up(m, stay);
}

/* Returns how well it fits; 0: not at all. */
static unsigned int count_fits(const struct vcpus_making *m, const struct chosen *c,
                               const struct run *run)
{
    uint32_t from = run->stay->from;

    if (c->cpu != STAY_NONE && c->end > run->stay->begin + m->tolerance)
        return 0;
    if (contradicts_chosen(m, c, run))
        return 1;
    if (run->stay->split && c->cpu == run->cpu && c->end == run->stay->begin)
        return 0;
    if (c->cpu == STAY_NONE)
        return 2;
    if (from != STAY_NONE)
        return c->cpu == from ? 3 : 1;

    return c->cpu == run->cpu ? 3 : 1;
}

static unsigned int nr_named_vcpus(const struct vcpus_making *m, uint16_t acct)
{
    return m->rows->names.entry[acct].vcpus;
}

/* Returns whether another vCPU may exist that was not seen so far. */
static bool can_be_more(const struct vcpus_making *m, uint16_t acct,
                        unsigned int nr)
{
    return nr < MAX_VCPUS && (!nr_named_vcpus(m, acct) || nr < nr_named_vcpus(m, acct));
}

static unsigned int ends_first(const struct chosen *chosen, unsigned int nr)
{
    unsigned int i, first = 0;

    for (i = 1; i < nr; i++)
        if (end_of(&chosen[i]) < end_of(&chosen[first]))
            first = i;

    return first;
}

static void note_guess(struct vcpus_making *m, struct run *run, bool guess)
{
    run->guess = guess;
    m->vcpus->guessed += guess;
}

/* Returns the vCPU of the run, or @nr for a new one. */
static unsigned int choose_vcpu(struct vcpus_making *m, const struct chosen *chosen,
                                unsigned int nr, struct run *run)
{
    unsigned int i, best = nr, how = 0, equals = 0;
    bool more = can_be_more(m, run->stay->acct, nr);

    for (i = 0; i < nr; i++) {
        unsigned int now = count_fits(m, &chosen[i], run);

        equals += now == 3;
        if (now > how || (now && now == how && end_of(&chosen[i]) <
                          end_of(&chosen[best]))) {
            how = now;
            best = i;
        }
    }
    if (how == 3) {
        note_guess(m, run, equals > 1);
        return best;
    }
    /* Without a known number there are as many vCPUs as run at the same time. */
    if (more && (!how || nr_named_vcpus(m, run->stay->acct))) {
        note_guess(m, run, nr && !m->stays->migrates);
        return nr;
    }
    if (how) {
        note_guess(m, run, nr > 1 || more);
        return best;
    }
    if (nr && nr_named_vcpus(m, run->stay->acct)) {
        m->vcpus->overlaps++;
        run->guess = true;
        return ends_first(chosen, nr);
    }
    m->vcpus->overlaps += !more;

    return more ? nr : ends_first(chosen, nr);
}

static struct vcpu *vcpu_number(struct vcpus_making *m, uint16_t acct,
                                unsigned int number)
{
    struct vcpus *vcpus = m->vcpus;
    unsigned int index = vcpus->first[acct] + number;

    if (index == vcpus->nr) {
        size_t nr = vcpus->nr;

        *list_add(vcpus->vcpu, nr, m->room) = (struct vcpu){
            .acct = acct, .number = number,
        };
        vcpus->nr = nr;
    }

    return &vcpus->vcpu[index];
}

static void add_run(struct vcpus_making *m, struct run *run,
                    struct chosen *chosen, unsigned int *nr)
{
    struct stay *stay = run->stay;
    unsigned int number = choose_vcpu(m, chosen, *nr, run);
    struct vcpu *v = vcpu_number(m, stay->acct, number);
    struct chosen *c = &chosen[number];
    uint64_t begin = stay->begin;

    if (number == *nr)
        chosen[(*nr)++] = (struct chosen){ .cpu = STAY_NONE };
    if (begin < end_of(c))
        begin = end_of(c);
    if (begin > stay->end)
        return; /* all of it overlaps */
    add_gap(m, v, end_of(c), run);
    add_span(v, begin, VCPU_RUNNING, run->cpu);
    v->runs++;
    stay->vcpu = v - m->vcpus->vcpu;
    *c = (struct chosen){
        .end = stay->end,
        .cpu = run->cpu,
        .left_idle = stay->next == XEN_SCHEDLOG_ACCT_XEN,
    };
}

/* After the last run its state is unknown. */
static void end_vcpus(struct vcpus_making *m, uint16_t acct,
                      const struct chosen *chosen, unsigned int nr)
{
    unsigned int i;

    for (i = 0; i < nr; i++)
        add_wait(m, &m->vcpus->vcpu[m->vcpus->first[acct] + i],
                 end_of(&chosen[i]), m->vcpus->end_ns, VCPU_UNKNOWN, STAY_NONE);
}

static bool runs_later(const void *a, const void *b)
{
    const struct run *x = a, *y = b;

    if (x->stay->acct != y->stay->acct)
        return x->stay->acct > y->stay->acct;

    return x->stay->begin > y->stay->begin;
}

static struct run *find_runs(const struct stays *stays, size_t *nr)
{
    struct run *run = NULL;
    size_t room = 0, i;
    unsigned int c;

    *nr = 0;
    for (c = 0; c < stays->nr; c++)
        for (i = 0; i < stays->cpu[c].nr; i++) {
            struct stay *stay = &stays->cpu[c].stay[i];

            if (stay->acct != XEN_SCHEDLOG_ACCT_XEN &&
                stay->acct != XEN_SCHEDLOG_ACCT_NONE)
                *list_add(run, *nr, room) = (struct run){
                        .stay = stay, .cpu = c,
                    };
        }
    order_sort(run, *nr, sizeof(*run), runs_later);

    return run;
}

static void add_up(const struct vcpus *vcpus, struct vcpu *v)
{
    size_t i;

    for (i = 0; i < v->nr; i++)
        v->ns[v->span[i].state] += vcpus_end(vcpus, v, i) - v->span[i].begin;
}

void vcpus_make(struct vcpus *vcpus, const struct rows *rows,
                struct stays *stays)
{
    struct vcpus_making m = {
        .vcpus = vcpus,
        .rows = rows,
        .stays = stays,
        .tolerance = stays_tolerance(rows),
    };
    struct chosen *chosen = need_memory(MAX_VCPUS + 1, sizeof(*chosen));
    unsigned int acct, index, count;
    struct run *run;
    size_t nr, i = 0;

    memset(vcpus, 0, sizeof(*vcpus));
    vcpus->end_ns = rows->end_ns;
    vcpus->first = need_memory(NAMES_ACCTS + 1, sizeof(*vcpus->first));
    find_windows(&m);
    run = find_runs(stays, &nr);
    for (acct = 0; acct < NAMES_ACCTS; acct++) {
        vcpus->first[acct] = vcpus->nr;
        for (count = 0; i < nr && run[i].stay->acct == acct; i++)
            add_run(&m, &run[i], chosen, &count);
        end_vcpus(&m, acct, chosen, count);
    }
    vcpus->first[NAMES_ACCTS] = vcpus->nr;
    for (index = 0; index < vcpus->nr; index++)
        add_up(vcpus, &vcpus->vcpu[index]);
    free(run);
    free(chosen);
    windows_free(&m.unseen);
}

void vcpus_free(struct vcpus *vcpus)
{
    unsigned int i;

    for (i = 0; i < vcpus->nr; i++)
        free(vcpus->vcpu[i].span);
    free(vcpus->vcpu);
    free(vcpus->first);
    memset(vcpus, 0, sizeof(*vcpus));
}

const struct span *vcpus_at(const struct vcpu *vcpu, uint64_t ns)
{
    size_t nr = order_until(vcpu->span, vcpu->nr, sizeof(*vcpu->span),
                            offsetof(struct span, begin), ns);

    return nr ? &vcpu->span[nr - 1] : NULL;
}

uint64_t vcpus_end(const struct vcpus *vcpus, const struct vcpu *vcpu,
                   size_t i)
{
    return i + 1 < vcpu->nr ? vcpu->span[i + 1].begin : vcpus->end_ns;
}
