/* SPDX-License-Identifier: GPL-2.0-only */
/* Divides intervals into strata by k-means, and draws samples from each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "base/alloc.h"
#include "strata.h"

#define ROUNDS 100

/* The result of k-means depends on its start: the best of this many counts. */
#define ATTEMPTS 10

/* Quantile of the interval that contains 95 %. */
#define QUANTILE 0.975

/* splitmix64 (Steele, Lea and Flood 2014): the same everywhere. */
static uint64_t draw_number(uint64_t *seed)
{
    uint64_t z = *seed += 0x9e3779b97f4a7c15ULL;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ z >> 27) * 0x94d049bb133111ebULL;

    return z ^ z >> 31;
}

/* Returns a number from 0 to 1, without 1. */
static double draw_part(uint64_t *seed)
{
    return (draw_number(seed) >> 11) * 0x1p-53;
}

/* Strata. */

struct means {
    const struct strata *s;
    size_t k;
    double *mean;  /* [k][dims] */
    double *apart; /* [nr]: squared distance from the nearest mean */
    size_t *members;
};

static double distance_to_mean(const struct strata *s, size_t interval,
                               const double *mean)
{
    const double *x = s->x + interval * s->dims;
    double sum = 0;
    size_t i;

    for (i = 0; i < s->dims; i++)
        sum += (x[i] - mean[i]) * (x[i] - mean[i]);

    return sum;
}

static void set_mean(struct means *m, size_t k, size_t interval)
{
    memcpy(m->mean + k * m->s->dims, m->s->x + interval * m->s->dims,
           m->s->dims * sizeof(*m->mean));
}

/* The farther a vector is from all means so far, the likelier it is the next one. */
static size_t draw_apart(const struct means *m, uint64_t *seed)
{
    double sum = 0, at;
    size_t i, last = 0;

    for (i = 0; i < m->s->nr; i++)
        sum += m->apart[i];
    at = draw_part(seed) * sum;
    for (i = 0; i < m->s->nr; i++) {
        if (m->apart[i] <= 0)
            continue;
        last = i;
        at -= m->apart[i];
        if (at < 0)
            break;
    }

    return last;
}

static void look_at_mean(struct means *m, size_t k)
{
    size_t i;

    for (i = 0; i < m->s->nr; i++) {
        double apart = distance_to_mean(m->s, i, m->mean + k * m->s->dims);

        if (!k || apart < m->apart[i])
            m->apart[i] = apart;
    }
}

static bool are_all_met(const struct means *m)
{
    size_t i = 0;

    while (i < m->s->nr && m->apart[i] <= 0)
        i++;

    return i == m->s->nr;
}

/* There cannot be more means than different vectors. */
static void begin_means(struct means *m, size_t wanted, uint64_t *seed)
{
    set_mean(m, 0, draw_number(seed) % m->s->nr);
    look_at_mean(m, 0);
    for (m->k = 1; m->k < wanted && !are_all_met(m); m->k++) {
        set_mean(m, m->k, draw_apart(m, seed));
        look_at_mean(m, m->k);
    }
}

/* Returns whether any assignment has changed. */
static bool assign_intervals(struct means *m, unsigned int *stratum)
{
    bool changed = false;
    size_t i, k;

    for (i = 0; i < m->s->nr; i++) {
        unsigned int best = 0;
        double least = INFINITY;

        for (k = 0; k < m->k; k++) {
            double apart = distance_to_mean(m->s, i, m->mean + k * m->s->dims);

            if (apart < least) {
                least = apart;
                best = k;
            }
        }
        changed = changed || stratum[i] != best;
        stratum[i] = best;
        m->apart[i] = least;
    }

    return changed;
}

static void find_means(struct means *m, const unsigned int *stratum)
{
    size_t dims = m->s->dims, i, k, d;

    memset(m->members, 0, m->k * sizeof(*m->members));
    for (i = 0; i < m->s->nr; i++)
        m->members[stratum[i]]++;
    for (k = 0; k < m->k; k++)
        if (m->members[k])
            memset(m->mean + k * dims, 0, dims * sizeof(*m->mean));
    for (i = 0; i < m->s->nr; i++)
        for (d = 0; d < dims; d++)
            m->mean[stratum[i] * dims + d] += m->s->x[i * dims + d] /
                                              m->members[stratum[i]];
}

/* Returns the sum of squared distances from the means of strata. */
static double cluster_intervals(struct means *m, size_t wanted, unsigned int *stratum,
                                uint64_t *seed)
{
    double sum = 0;
    size_t round, i;

    begin_means(m, wanted, seed);
    for (round = 0; assign_intervals(m, stratum) && round < ROUNDS; round++)
        find_means(m, stratum);
    for (i = 0; i < m->s->nr; i++)
        sum += m->apart[i];

    return sum;
}

static void find_strata(struct strata *s, struct means *m, size_t wanted,
                        uint64_t *seed)
{
    unsigned int *stratum = need_memory(s->nr, sizeof(*stratum));
    double *apart = need_memory(s->nr, sizeof(*apart));
    double least = INFINITY;
    size_t attempt;

    for (attempt = 0; attempt < ATTEMPTS; attempt++) {
        double sum = cluster_intervals(m, wanted, stratum, seed);

        if (sum >= least)
            continue;
        least = sum;
        s->nr_strata = m->k;
        memcpy(s->stratum, stratum, s->nr * sizeof(*stratum));
        memcpy(apart, m->apart, s->nr * sizeof(*apart));
    }
    memcpy(m->apart, apart, s->nr * sizeof(*apart));
    free(stratum);
    free(apart);
}

/* Choosing. */

struct share {
    size_t members, chosen;
    double spread; /* of its vectors */
};

static void find_shares(const struct strata *s, const double *apart,
                        struct share *share)
{
    size_t i, k;

    for (i = 0; i < s->nr; i++) {
        share[s->stratum[i]].members++;
        share[s->stratum[i]].spread += apart[i];
    }
    for (k = 0; k < s->nr_strata; k++)
        if (share[k].members)
            share[k].spread = sqrt(share[k].spread / share[k].members);
}

/*
 * The value of one more sample: by Neyman, and slightly more in any case, because equal vectors
 * need not belong to equal intervals.
 */
static double weigh_share(const struct share *share, double most)
{
    double spread = share->spread + most / 10 + 1e-9;

    return share->chosen < share->members
           ? share->members * spread / sqrt(share->chosen * (share->chosen + 1.0))
           : 0;
}

static void allocate_samples(const struct strata *s, struct share *share, size_t wanted)
{
    double most = 0;
    size_t k, nr = 0;

    for (k = 0; k < s->nr_strata; k++) {
        share[k].chosen = share[k].members < 2 ? share[k].members : 2;
        nr += share[k].chosen;
        if (share[k].spread > most)
            most = share[k].spread;
    }
    while (nr < wanted) {
        size_t best = 0;

        for (k = 1; k < s->nr_strata; k++)
            if (weigh_share(&share[k], most) > weigh_share(&share[best], most))
                best = k;
        if (!weigh_share(&share[best], most))
            break;
        share[best].chosen++;
        nr++;
    }
}

/* Draws a number of each, every one with the same chance (Knuth, 3.4.2, S). */
static void draw_members(struct strata *s, struct share *share, uint64_t *seed)
{
    size_t i;

    for (i = 0; i < s->nr; i++) {
        struct share *of = &share[s->stratum[i]];

        s->chosen[i] = draw_part(seed) * of->members < of->chosen;
        of->chosen -= s->chosen[i];
        of->members--;
    }
}

void strata_make(struct strata *s, size_t wanted)
{
    size_t k = wanted < 4 ? 1 : wanted / 2;
    uint64_t seed = s->seed;
    struct means m = { .s = s };
    struct share *share;

    s->stratum = need_memory(s->nr + 1, sizeof(*s->stratum));
    s->chosen = need_memory(s->nr + 1, sizeof(*s->chosen));
    s->nr_strata = 0;
    if (!s->nr)
        return;
    m.mean = need_memory(k * s->dims + 1, sizeof(*m.mean));
    m.apart = need_memory(s->nr, sizeof(*m.apart));
    m.members = need_memory(k, sizeof(*m.members));
    find_strata(s, &m, k, &seed);
    share = need_memory(s->nr_strata, sizeof(*share));
    find_shares(s, m.apart, share);
    allocate_samples(s, share, wanted);
    draw_members(s, share, &seed);
    free(share);
    free(m.mean);
    free(m.apart);
    free(m.members);
}

void strata_free(struct strata *s)
{
    free(s->stratum);
    free(s->chosen);
    s->stratum = NULL;
    s->chosen = NULL;
}

static void count_members(const struct strata *s, unsigned int stratum, size_t *members,
                          size_t *chosen)
{
    size_t i;

    *members = *chosen = 0;
    for (i = 0; i < s->nr; i++)
        if (s->stratum[i] == stratum) {
            ++*members;
            *chosen += s->chosen[i];
        }
}

double strata_weight(const struct strata *s, size_t interval)
{
    size_t members, chosen;

    count_members(s, s->stratum[interval], &members, &chosen);

    return s->chosen[interval] ? (double)members / chosen : 0;
}

/* Estimating. */

struct moments {
    size_t members, chosen;
    double size;           /* mean size of a member */
    double mean, variance; /* of the value of a member with that size */
};

static double size_of(const double *size, size_t i)
{
    return size ? size[i] : 1;
}

static void find_moments(const struct strata *s, unsigned int stratum,
                         const double *y, const double *size, struct moments *m)
{
    double sum = 0, sizes = 0, all = 0, squares = 0, ratio, scale;
    size_t i;

    count_members(s, stratum, &m->members, &m->chosen);
    for (i = 0; i < s->nr; i++) {
        if (s->stratum[i] != stratum)
            continue;
        all += size_of(size, i);
        if (s->chosen[i]) {
            sum += y[i];
            sizes += size_of(size, i);
        }
    }
    m->size = m->members ? all / m->members : 0;
    ratio = sizes > 0 ? sum / sizes : 0;
    m->mean = ratio * m->size;
    for (i = 0; i < s->nr; i++)
        if (s->stratum[i] == stratum && s->chosen[i]) {
            double off = y[i] - ratio * size_of(size, i);

            squares += off * off;
        }
    /* Scales as if the chosen ones had the mean size of all. */
    scale = sizes > 0 ? m->size * m->chosen / sizes : 0;
    m->variance = m->chosen > 1 ? scale * scale * squares / (m->chosen - 1) : 0;
}

bool strata_estimate(const struct strata *s, const double *y, const double *size,
                     struct strata_estimate *e)
{
    double variance = 0, freedom = 0, half;
    unsigned int k;

    *e = (struct strata_estimate){ .has_interval = s->nr };
    for (k = 0; k < s->nr_strata; k++) {
        double weight, part;
        struct moments m;

        find_moments(s, k, y, size, &m);
        if (!m.members)
            continue;
        if (!m.chosen)
            return false;
        weight = (double)m.members / s->nr;
        e->mean += weight * m.mean;
        if (m.chosen == m.members)
            continue;
        /* A single one does not show the spread. */
        if (m.chosen < 2) {
            e->has_interval = false;
            continue;
        }
        part = weight * weight * (1 - (double)m.chosen / m.members) *
               m.variance / m.chosen;
        variance += part;
        freedom += part * part / (m.chosen - 1);
    }
    e->freedom = freedom > 0 ? variance * variance / freedom : 0;
    half = e->freedom > 0 ? gsl_cdf_tdist_Pinv(QUANTILE, e->freedom) *
                            sqrt(variance) : 0;
    e->low = e->mean - half;
    e->high = e->mean + half;

    return s->nr;
}
