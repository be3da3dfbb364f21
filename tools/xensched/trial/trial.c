/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Runs the design of a trial: its blocks, their measurements, and the sums of pairs.  trial-text.c
 * has the sentences, trial-file.c the file.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "trial.h"

/* SplitMix64 (Steele, Lea, Flood 2014): one number for each pair of a seed. */
static uint64_t number_of(uint64_t seed, uint64_t pair)
{
    uint64_t x = seed + (pair + 1) * 0x9e3779b97f4a7c15ULL;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ x >> 27) * 0x94d049bb133111ebULL;

    return x ^ x >> 31;
}

static void forget_block(struct trial *t)
{
    work_sums_free(t->base);
    t->base = NULL;
    t->began_ns = 0;
}

static void forget_residence(struct trial *t)
{
    unsigned int i;

    for (i = 0; i < 2; i++) {
        residence_free(t->block[i].before);
        residence_free(t->block[i].after);
        t->block[i].before = t->block[i].after = NULL;
    }
}

/* The results of the former pair stay until the new one has some. */
static void begin_pair(struct trial *t)
{
    forget_block(t);
    forget_residence(t);
    t->second = false;
    t->placed = number_of(t->settings.seed, t->done + t->discarded) & 1;
}

void trial_free(struct trial *t)
{
    unsigned int i;

    forget_block(t);
    forget_residence(t);
    for (i = 0; i < t->nr; i++)
        cpumap_free(&t->guests[i].target);
    free(t->guests);
    free(t->settings.names);
    memset(t, 0, sizeof(*t));
}

void trial_start(struct trial *t, const struct trial_settings *settings,
                 int64_t unix_time)
{
    trial_free(t);
    t->settings = *settings;
    t->state = TRIAL_RUNNING;
    t->started = unix_time;
    begin_pair(t);
}

void trial_resume(struct trial *t)
{
    if (t->state != TRIAL_RUNNING)
        return;
    t->discarded++;
    begin_pair(t);
}

void trial_stop(struct trial *t, enum trial_state why, int64_t unix_time)
{
    forget_block(t);
    forget_residence(t);
    t->state = why;
    t->ended = unix_time;
    t->paused = false;
}

/* Guests. */

static bool is_chosen(const struct trial *t, const struct domain *d)
{
    unsigned int i;

    if (d->driver || d->is_stub || !d->name[0])
        return false;
    for (i = 0; i < t->settings.nr_names; i++)
        if (!strcmp(t->settings.names[i], d->name))
            return true;

    return !t->settings.nr_names;
}

static int compare_names(const void *name, const void *guest)
{
    return strcmp(name, ((const struct trial_guest *)guest)->name);
}

static struct trial_guest *find_guest(const struct trial *t, const char *name)
{
    return t->nr ? bsearch(name, t->guests, t->nr, sizeof(*t->guests),
                           compare_names) : NULL;
}

static struct trial_guest *get_guest(struct trial *t, const char *name)
{
    struct trial_guest *guest = find_guest(t, name);
    unsigned int i = t->nr;

    if (guest)
        return guest;
    t->guests = need_more_memory(t->guests, t->nr + 1, sizeof(*t->guests));
    while (i && strcmp(t->guests[i - 1].name, name) > 0)
        i--;
    memmove(&t->guests[i + 1], &t->guests[i],
            (t->nr++ - i) * sizeof(*t->guests));
    t->guests[i] = (struct trial_guest){ .unit = WORK_NONE, .share = { -1, -1 } };
    snprintf(t->guests[i].name, sizeof(t->guests[i].name), "%s", name);

    return &t->guests[i];
}

bool trial_moves_guests(const struct trial *t)
{
    return t->state == TRIAL_RUNNING && !t->paused && !t->settings.dry_run;
}

bool trial_tries(const struct trial *t, const struct domain *d)
{
    const struct trial_guest *guest = find_guest(t, d->name);

    return trial_moves_guests(t) && is_chosen(t, d) && !(guest && guest->left_alone);
}

const char *trial_aside(const struct trial *t, const struct domain *d)
{
    const struct trial_guest *guest = find_guest(t, d->name);

    if (guest && guest->left_alone)
        return guest->reason;
    if (t->placed || !trial_tries(t, d))
        return NULL;

    return "a trial currently runs it without placement (xensched trial show)";
}

bool trial_release(struct trial *t, const char *name)
{
    struct trial_guest *guest = find_guest(t, name);

    if (!guest || !guest->left_alone)
        return false;
    guest->left_alone = false;

    return true;
}

/* Results. */

double trial_change(double difference)
{
    return expm1(difference);
}

bool trial_is_harmful(const struct evidence *cost,
                      const struct evidence *waiting, double alpha)
{
    double low, high;

    /* Two tests, so each has half of the error probability. */
    if (evidence_interval(cost, alpha / 2, &low, &high) && low > 0)
        return true;

    return evidence_interval(waiting, alpha / 2, &low, &high) && low > 0 &&
           waiting->mean + trial_change(cost->mean) > 0;
}

static void leave_harmed_alone(struct trial *t)
{
    unsigned int i;

    for (i = 0; i < t->nr; i++) {
        struct trial_guest *guest = &t->guests[i];

        guest->news = !t->settings.dry_run && guest->moved &&
                      !guest->left_alone &&
                      trial_is_harmful(&guest->cost, &guest->waiting,
                                       TRIAL_ALPHA / t->nr);
        if (!guest->news)
            continue;
        guest->left_alone = true;
        snprintf(guest->reason, sizeof(guest->reason), "a trial found that "
                 "placement changes its cost per %s by %+.1f %% and its waiting by "
                 "%+.1f %% of that ('xensched release' places it again)",
                 work_unit_name(guest->unit),
                 100 * trial_change(guest->cost.mean),
                 100 * guest->waiting.mean);
    }
}

/* Sums over guests of a pair: costs and waiting for the work of both blocks. */
struct pair_sums {
    double with, without;          /* cost, of guests with a unit */
    double waited_more, all_costs; /* of all guests */
};

static void add_guest(struct trial_guest *guest, struct pair_sums *sums)
{
    const struct work *with = &guest->with.work, *without = &guest->without.work;
    double units = (with->units + without->units) / 2;
    double cost = work_cost(without), more;

    if (!guest->with.valid || !guest->without.valid ||
        with->unit != without->unit || work_cost(with) <= 0 || cost <= 0)
        return;
    guest->unit = with->unit;
    more = with->waited_ns / with->units - without->waited_ns / without->units;
    if (with->unit != WORK_TIME) {
        sums->with += units * work_cost(with);
        sums->without += units * cost;
    }
    sums->waited_more += units * more;
    sums->all_costs += units * cost;
    /* A guest that is left alone is placed in neither block. */
    if (guest->left_alone)
        return;
    evidence_add(&guest->waiting, more / cost);
    if (with->unit != WORK_TIME)
        evidence_add(&guest->cost, log(work_cost(with) / cost));
}

/* Residency counts if it is known in both blocks. */
static void add_residence(struct trial *t, const struct domain *d)
{
    struct trial_guest *guest = find_guest(t, d->name);
    struct residence_time at[2];
    unsigned int i;

    if (!guest || !guest->target.nr_cpus || t->settings.dry_run)
        return;
    for (i = 0; i < 2; i++)
        at[i] = residence_between(t->block[i].before, t->block[i].after, d,
                                  &guest->target);
    if (at[0].ran <= 0 || at[1].ran <= 0)
        return;
    for (i = 0; i < 2; i++) {
        guest->share[i] = residence_share(&at[i]);
        guest->at[i].there += at[i].there;
        guest->at[i].ran += at[i].ran;
    }
}

double trial_residency(const struct trial *t, bool placed)
{
    struct residence_time sum = { 0 };
    unsigned int i;

    for (i = 0; i < t->nr; i++) {
        sum.there += t->guests[i].at[placed].there;
        sum.ran += t->guests[i].at[placed].ran;
    }

    return residence_share(&sum);
}

static enum trial_news end_pair(struct trial *t, const struct domains *domains,
                                int64_t unix_time)
{
    struct pair_sums sums = { 0 };
    unsigned int i;

    for (i = 0; i < t->nr; i++)
        add_guest(&t->guests[i], &sums);
    for (i = 0; i < domains->nr; i++)
        add_residence(t, &domains->domain[i]);
    t->block[true].cost_ns = sums.with;
    t->block[false].cost_ns = sums.without;
    if (sums.with > 0 && sums.without > 0)
        evidence_add(&t->cost, log(sums.with / sums.without));
    if (sums.all_costs > 0)
        evidence_add(&t->waiting, sums.waited_more / sums.all_costs);
    t->done++;
    leave_harmed_alone(t);
    begin_pair(t);
    if (!t->settings.dry_run &&
        trial_is_harmful(&t->cost, &t->waiting, TRIAL_ALPHA))
        trial_stop(t, TRIAL_HARMFUL, unix_time);
    else if (t->done >= t->settings.pairs)
        trial_stop(t, TRIAL_COMPLETE, unix_time);

    return t->state == TRIAL_RUNNING ? TRIAL_NEW_PAIR : TRIAL_ENDED;
}

/* Blocks. */

/* The first block of a pair replaces the results of the former pair. */
static void forget_results(struct trial *t)
{
    unsigned int i;

    for (i = 0; i < t->nr; i++) {
        struct trial_guest *guest = &t->guests[i];

        guest->with.valid = guest->without.valid = false;
        guest->share[0] = guest->share[1] = -1;
        cpumap_free(&guest->target);
    }
}

static void begin_measuring(struct trial *t, const struct matrix *m,
                            const struct domains *domains, uint64_t now_ns)
{
    t->base = work_sums_take(m, domains, now_ns);
    t->block[t->placed].before = residence_take(m, domains);
}

static void measure_block(struct trial *t, const struct matrix *m,
                          const struct domains *domains, uint64_t now_ns)
{
    struct work_sums *after = work_sums_take(m, domains, now_ns);
    struct work *work = work_between(t->base, after);
    unsigned int i;

    for (i = 0; i < domains->nr; i++) {
        const struct domain *d = &domains->domain[i];
        struct trial_guest *guest;

        if (!is_chosen(t, d) || work[i].unit == WORK_NONE)
            continue;
        guest = get_guest(t, d->name);
        if (t->placed && d->affinity == AFFINITY_OURS) {
            guest->moved = true;
            cpumap_init_copy(&guest->target, &d->ours);
        }
        *(t->placed ? &guest->with : &guest->without) =
            (struct trial_measure){ true, work[i] };
    }
    free(work);
    work_sums_free(after);
}

static enum trial_news end_block(struct trial *t, const struct matrix *m,
                                 const struct domains *domains,
                                 uint64_t now_ns, int64_t unix_time)
{
    struct trial_block *block = &t->block[t->placed];

    if (!t->second)
        forget_results(t);
    block->after = residence_take(m, domains);
    block->measured_ns = now_ns - work_sums_time(t->base);
    block->ended = unix_time;
    measure_block(t, m, domains, now_ns);
    if (t->second)
        return end_pair(t, domains, unix_time);
    forget_block(t);
    t->second = true;
    t->placed = !t->placed;

    return TRIAL_NEW_BLOCK;
}

static enum trial_news discard_pair(struct trial *t)
{
    t->discarded++;
    begin_pair(t);

    return TRIAL_NEW_BLOCK;
}

static enum trial_news pause_trial(struct trial *t)
{
    if (t->paused)
        return TRIAL_GOES_ON;
    t->paused = true;

    return t->began_ns || t->second ? discard_pair(t) : TRIAL_GOES_ON;
}

enum trial_news trial_step(struct trial *t, const struct matrix *m,
                           const struct domains *domains, bool may_place,
                           uint64_t now_ns, int64_t unix_time)
{
    uint64_t block = t->settings.block_ns, warm_up = TRIAL_WARM_UP * block;

    if (t->state != TRIAL_RUNNING)
        return TRIAL_GOES_ON;
    if (!may_place && !t->settings.dry_run)
        return pause_trial(t);
    t->paused = false;
    if (!t->began_ns)
        t->began_ns = now_ns;
    if (now_ns - t->began_ns > block + warm_up)
        return discard_pair(t);
    if (now_ns - t->began_ns >= block)
        return t->base ? end_block(t, m, domains, now_ns, unix_time)
                       : discard_pair(t);
    if (!t->base && now_ns - t->began_ns >= warm_up)
        begin_measuring(t, m, domains, now_ns);

    return TRIAL_GOES_ON;
}

uint64_t trial_block_left(const struct trial *t, uint64_t now_ns)
{
    uint64_t end_ns = t->began_ns + t->settings.block_ns;

    if (t->state != TRIAL_RUNNING || t->paused)
        return 0;
    if (!t->began_ns)
        return t->settings.block_ns;

    return end_ns > now_ns ? end_ns - now_ns : 0;
}
