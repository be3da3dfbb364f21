/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * strata.h - finds intervals that represent a whole run, and estimates how well.
 *
 * Two phases: similar intervals form a stratum, by k-means of their vectors (Lloyd 1982; started as
 * Arthur and Vassilvitskii's k-means++, SODA 2007; the best of some attempts); then some of each
 * stratum are drawn at random, more of strata that are large and mixed (Neyman 1934).  They are
 * drawn and not chosen, so that the error is known: the estimate is that of stratified sampling
 * (Cochran, Sampling Techniques, 1977, chapter 5), its interval by Student's t with Satterthwaite's
 * degrees of freedom.  If sizes of intervals are known, measurements are assumed proportional to
 * sizes, in each stratum (the separate ratio estimate, chapter 6).
 *
 * The functions handle numbers only, and do not know the meaning of vectors.
 */
#ifndef XENSCHED_SAMPLING_STRATA_H
#define XENSCHED_SAMPLING_STRATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strata {
    size_t nr;        /* number of intervals */
    size_t dims;      /* length of a vector */
    const double *x;  /* [nr][dims] */
    uint64_t seed;    /* equal seeds give equal choices */
    /* Results. */
    size_t nr_strata;
    unsigned int *stratum; /* [nr] */
    bool *chosen;          /* [nr] */
};

/*
 * Sets the results, with @wanted chosen intervals at most, or all; fewer than two of a stratum only
 * if it has no more.  The caller frees them.
 */
void strata_make(struct strata *s, size_t wanted);
void strata_free(struct strata *s);

/* Returns the number of intervals that a chosen one represents. */
double strata_weight(const struct strata *s, size_t interval);

struct strata_estimate {
    double mean;      /* of all intervals */
    double low, high; /* contain it in 95 of 100 cases; equal: certain */
    bool has_interval;
    double freedom;   /* degrees of freedom */
};

/*
 * @y[nr] has the measurements of chosen intervals, @size[nr] the size of each interval (NULL: all
 * equal).  Returns false if a stratum has no chosen interval.
 */
bool strata_estimate(const struct strata *s, const double *y, const double *size,
                     struct strata_estimate *e);

#endif /* XENSCHED_SAMPLING_STRATA_H */
