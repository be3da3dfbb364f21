/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * placement.h - describes a host, and the possible spots of its units, as arrays of numbers.
 *
 * A *unit* moves as a whole: a domain, or the domains of a group that can be moved.  A *spot*
 * is where a unit can be: a last-level cache, all of a place that has several caches, or the
 * core of a back end, for one guest beside it.  Units refer to a spot by its number.  Spots
 * below nr_caches are the caches, in the order of the topology; then come places, then cores.
 * A unit without a spot is ANYWHERE: it runs at several spots, by shares of its
 * time.
 *
 * Rates are per second, prices in ns per second, cores and needs in pCPUs.  The terms and the
 * search build on these arrays, which contain no domain, no log and no policy.
 */
#ifndef XENSCHED_PLACEMENT_PLACEMENT_H
#define XENSCHED_PLACEMENT_PLACEMENT_H

#include <stdbool.h>

#include "model/topology/topology.h"
#include "policy/room.h"
#include "prices.h"

/* Instead of the number of a spot: no spot. */
#define ANYWHERE (~0U)

struct partner {
    unsigned int unit;
    double notifications, pages; /* per second, both directions */
    double lines;                /* the same, in lines per second */
    unsigned int kind;           /* of back end, for texts; see policy/place-links.c */
    double more_wakes;           /* additional wake-ups/s if both are together */
};

struct unit {
    bool movable;
    unsigned int origin;  /* where it is at first: a spot, or ANYWHERE */
    bool bound;           /* to its origin, by the daemon or an operator: takes room */
    struct demand demand;
    double runs;          /* share of time that a vCPU is runnable: placement_ready() */
    double queued;        /* vCPUs that wait for a busy pCPU; part of the demand */
    double waits_alone;   /* the same, while no guest and back end share its core */
    unsigned int width;   /* most vCPUs of one of its domains; 0: demand.vcpus */
    double misses;        /* per second */
    bool misses_counted;  /* false: assumed */
    double wakes, migrations; /* per second, counted where it is; 0: not known */
    double threshold;     /* least gain of a move, ns/s: see search.h */
    unsigned int at;      /* where it is now */
    double restless;      /* migrations/s if others kept all pCPUs busy */
    unsigned int pool;    /* the cpupool, below nr_pools */
    unsigned int first, nr; /* its partners */
};

/* The vCPUs at a place, as if each were runnable by chance, independently of others. */
struct crowd {
    double vcpus;
    double runnable; /* mean number of these that run or wait */
    double variance; /* of that number */
};

struct placement {
    struct prices prices;
    double least;         /* ns/s: the least gain of a move */
    double margin;        /* the least gain as a part of the unit's price */
    double horizon;       /* s, in which a move has to pay off */
    unsigned int nr_places, nr_caches, nr_spots, nr_units, nr_partners;
    unsigned int nr_pools; /* cpupools, which share no pCPUs; 1 at first */
    struct spot *spots;
    double *cores;        /* [spot] of the host */
    double *threads;      /* [spot] pCPUs of a cache or core; 0: as many as cores */
    unsigned int *server; /* [spot] of a core: the unit that is bound to it */
    double *place_cores;  /* [pool][place]; all cores, if not filled in */
    double *place_threads; /* as place_cores */
    double *part;         /* [spot][cache] of the spot, by cores */
    double *apart;        /* [place][place]: distance, 0 ... 1 (default) */
    double *remote;       /* [place][place] additional ns for memory there */
    double *line;         /* [spot][spot] ns */
    struct unit *units;
    unsigned int *usable; /* [unit][spot]: cores of its cpupool */
    bool *shunned;        /* [unit][spot]: the unit does not move there */
    double *share;        /* [unit][cache]: of its time, when ANYWHERE */
    double *stray;        /* [unit][cache]: shares of the next second */
    double *pages;        /* [unit][place]: of its memory; 0: not known */
    struct partner *partners;
    double *weight;       /* [unit][term]: weight of its price; NULL: 1 */
    bool siblings;        /* some core has several threads */
    double queueing;      /* waits by chance, as a part of those that crowd_queue() expects */
    /* Made by placement_ready(). */
    double *reach;        /* [unit][spot]: ns per line to it, when ANYWHERE */
    double *memory;       /* [unit][spot]: ns/s for memory elsewhere */
    double *memory_stray; /* [unit] the same, when ANYWHERE */
    double *share_place;  /* [unit][place]: as share */
    /* Sums over the units at their spots. */
    struct crowd *crowd;  /* [pool][place] */
    double *missed;       /* [cache] */
    struct room room;     /* of those bound there; the caller adds what is no unit's */
};

/*
 * Allocates all arrays except those of partners, filled with 0, and makes the caches spots.
 * @more: the number of spots that are no caches.
 */
void placement_init(struct placement *p, unsigned int nr_places,
                    unsigned int nr_caches, unsigned int more,
                    unsigned int nr_units, unsigned int nr_partners);
void placement_free(struct placement *p);

/* Computes all values that follow from spots, places, prices and nr_pools. */
void placement_measure(struct placement *p);

/* Puts the units at their origins.  Caller has filled in all members. */
void placement_ready(struct placement *p);

/* The number of a place in arrays by pool and place, for @u. */
static inline unsigned int placement_in_pool(const struct placement *p,
                                             const struct unit *u,
                                             unsigned int place)
{
    return u->pool * p->nr_places + place;
}

/* Moves the unit to @spot, and updates the sums. */
void placement_move(struct placement *p, unsigned int unit, unsigned int spot);

/* Returns whether the unit's cpupool has enough cores at @spot, and the unit does not shun it. */
static inline bool placement_allows(const struct placement *p, unsigned int unit,
                                    unsigned int spot)
{
    const unsigned int i = unit * p->nr_spots + spot;

    return p->usable[i] >= p->units[unit].width && !p->shunned[i];
}

/*
 * Returns whether @spot is allowed for the unit, and has room.  A unit can always stay where it
 * is, or leave a core for its cache.  A unit that is bound nowhere makes room for others, and can
 * return to its origin.
 */
bool placement_fits(const struct placement *p, unsigned int unit,
                    unsigned int spot);

/* The part of @unit that would be in a cache if the unit were at @spot. */
double placement_part(const struct placement *p, unsigned int unit,
                      unsigned int spot, unsigned int cache);
/* The part of @unit that would be at a place if the unit were at @spot. */
double placement_part_of_place(const struct placement *p, unsigned int unit,
                               unsigned int spot, unsigned int place);

/* vCPUs for which there is no pCPU (or core), however they take turns. */
double crowd_excess(const struct crowd *crowd, double pcpus);

/*
 * vCPUs that wait in addition, because by chance more are runnable at once than there are
 * pCPUs.  With a pCPU for each vCPU, none wait.
 */
double crowd_queue(const struct crowd *crowd, double pcpus);

/*
 * ns/s of additional waiting, which @wait counts, if @unit is at @spot.  @of_place:
 * p->place_threads, or p->place_cores.
 */
double crowd_price(const struct placement *p, unsigned int unit, unsigned int spot,
                   double (*wait)(const struct crowd *crowd, double pcpus),
                   const double *of_place);

/* How busy others than @unit keep the pCPUs of a place, 0 ... 1. */
double placement_busy(const struct placement *p, unsigned int unit,
                      unsigned int place);

/*
 * Returns whether the unit may be at its spot beside all others.  One at its origin may be there if
 * those that have moved to its place have room beside it.
 */
bool placement_holds(const struct placement *p, unsigned int unit);

/* ns that a line takes from @a, if it were at @spot, to @b at its own spot. */
double placement_line(const struct placement *p, unsigned int a,
                      unsigned int spot, unsigned int b);

/* The probability that @a, if it were at @spot, and @b are at two places. */
double placement_apart(const struct placement *p, unsigned int a,
                       unsigned int spot, unsigned int b);

#endif /* XENSCHED_PLACEMENT_PLACEMENT_H */
