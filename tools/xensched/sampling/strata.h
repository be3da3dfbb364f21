/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * strata.h - which intervals of a run stand for all of them, and how well.
 *
 * Two phases: intervals that are alike are put into a stratum, by k-means of their
 * vectors (Lloyd 1982; begun as Arthur and Vassilvitskii's k-means++, SODA 2007; the
 * best of some attempts); then some of each stratum are drawn at random, more of those
 * which are large and mixed (Neyman 1934).  Drawn and not chosen, so that the error can be told:
 * the estimate is that of stratified sampling (Cochran, Sampling Techniques, 1977,
 * chapter 5), its interval by Student's t with Satterthwaite's degrees of freedom.  If
 * intervals are known to be of different sizes, what was measured is taken to be in
 * proportion to these, in each stratum (the separate ratio estimate, chapter 6).
 *
 * Numbers only: nothing here knows what a vector is of.
 */
#ifndef XENSCHED_SAMPLING_STRATA_H
#define XENSCHED_SAMPLING_STRATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strata {
    size_t nr;        /* intervals */
    size_t dims;      /* of a vector */
    const double *x;  /* [nr][dims] */
    uint64_t seed;    /* the same one makes the same choice */
    /* What comes of it. */
    size_t nr_strata;
    unsigned int *stratum; /* [nr] */
    bool *chosen;          /* [nr] */
};

/*
 * Fill in the rest, of which @wanted intervals at most are chosen, or all; less
 * than two of a stratum only if it has no more.  To be freed.
 */
void strata_make(struct strata *s, size_t wanted);
void strata_free(struct strata *s);

/* Of how many intervals a chosen one is the representative. */
double strata_weight(const struct strata *s, size_t interval);

struct strata_estimate {
    double mean;      /* of all intervals */
    double low, high; /* it is in between in 95 of 100 cases; equal: certain */
    bool has_interval;
    double freedom;   /* degrees of it */
};

/*
 * @y[nr] has what was measured of those that are chosen, @size[nr] the size of each
 * interval (NULL: all are alike).  false: of a stratum none is chosen.
 */
bool strata_estimate(const struct strata *s, const double *y, const double *size,
                     struct strata_estimate *e);

#endif /* XENSCHED_SAMPLING_STRATA_H */
