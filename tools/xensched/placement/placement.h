/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * placement.h - a host, and what could be where on it, as arrays of numbers.
 *
 * A *unit* goes somewhere as a whole: a domain, or what can be moved of a
 * group.  A *spot* is where it can go: a last-level cache, or all of a place
 * which has several; units know it by its number.  Spots below nr_caches are the caches, in the order of the
 * topology.  A unit without spot is ANYWHERE: it runs here and there, by shares
 * of its time.
 *
 * Rates are per second, prices in ns per second, cores and needs in pCPUs.
 * Knows no domain, no log and no policy: what terms and search stand on.
 */
#ifndef XENSCHED_PLACEMENT_PLACEMENT_H
#define XENSCHED_PLACEMENT_PLACEMENT_H

#include <stdbool.h>

#include "model/topology/topology.h"
#include "policy/room.h"
#include "prices.h"

/* In place of the number of a spot: none. */
#define ANYWHERE (~0U)

struct partner {
    unsigned int unit;
    double notifications, pages; /* per second, both directions */
    double lines;                /* the same, in lines per second */
    unsigned int kind;           /* of back end, for texts; see policy/place-links.c */
    double more_wakes;           /* wake-ups/s that there are more if both are together */
};

struct unit {
    bool movable;
    unsigned int origin;  /* where it is at first: a spot, or ANYWHERE */
    bool bound;           /* to its origin, by us or an operator: takes room */
    struct demand demand;
    double runs;          /* part of the time that each vCPU is runnable: placement_ready() */
    double waited;        /* vCPUs that wait, as Xen counts them; part of the demand */
    unsigned int width;   /* most vCPUs of one of its domains; 0: demand.vcpus */
    double misses;        /* per second */
    bool misses_counted;  /* else assumed */
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
    double least;         /* ns/s: no move gains less */
    double margin;        /* part of its price: likewise */
    double horizon;       /* s, for which a move has to pay */
    unsigned int nr_places, nr_caches, nr_spots, nr_units, nr_partners;
    unsigned int nr_pools; /* whose pCPUs no other pool uses; 1 at first */
    struct spot *spots;
    double *cores;        /* [spot] of the host */
    double *place_cores;  /* [pool][place] likewise; of all, if not filled in */
    double *part;         /* [spot][cache] of the spot, by cores */
    double *apart;        /* [place][place]: how far, 0 ... 1; 1: the default */
    double *remote;       /* [place][place] ns more for memory there */
    double *line;         /* [spot][spot] ns */
    struct unit *units;
    unsigned int *usable; /* [unit][spot]: cores of its cpupool */
    double *share;        /* [unit][cache]: of its time, when ANYWHERE */
    double *stray;        /* [unit][cache]: where it may be in the next second */
    double *pages;        /* [unit][place]: of its memory; 0: not known */
    struct partner *partners;
    double *weight;       /* [unit][term]: so much its price counts; NULL: 1 */
    double queueing;      /* waits by chance, as a part of those that crowd_queue() expects */
    /* Made by placement_ready(). */
    double *reach;        /* [unit][spot]: ns per line to it, when ANYWHERE */
    double *memory;       /* [unit][spot]: ns/s for memory elsewhere */
    double *memory_stray; /* [unit] the same, when ANYWHERE */
    double *share_place;  /* [unit][place]: as share */
    /* Where all are, added up. */
    struct crowd *crowd;  /* [pool][place] */
    double *missed;       /* [cache] */
    struct demand *taken, *cache_taken; /* [pool][place], [pool][cache]: bound there */
};

/*
 * With all arrays but those of partners, all 0, and caches as spots.
 * @whole: so many places have several caches, and are spots as well.
 */
void placement_init(struct placement *p, unsigned int nr_places,
                    unsigned int nr_caches, unsigned int whole,
                    unsigned int nr_units, unsigned int nr_partners);
void placement_free(struct placement *p);

/* Spots, places, prices and nr_pools are filled in: what follows from these. */
void placement_measure(struct placement *p);

/* All is filled in: units are put where they begin. */
void placement_ready(struct placement *p);

/* The number of a place in arrays by pool and place, for @u. */
static inline unsigned int placement_in_pool(const struct placement *p,
                                             const struct unit *u,
                                             unsigned int place)
{
    return u->pool * p->nr_places + place;
}

/* Its place or cache is another one from now on; prices follow. */
void placement_move(struct placement *p, unsigned int unit, unsigned int spot);

/*
 * Can it go there, by cores, cpupools and room?  Where it is it can stay; a
 * unit that is bound nowhere makes room for others, and can be where it was at first.
 */
bool placement_fits(const struct placement *p, unsigned int unit,
                    unsigned int spot);

/* The part of @unit, if it were at @spot, which is in a cache. */
double placement_part(const struct placement *p, unsigned int unit,
                      unsigned int spot, unsigned int cache);
/* Likewise in a place. */
double placement_part_of_place(const struct placement *p, unsigned int unit,
                               unsigned int spot, unsigned int place);

/* vCPUs for which there is no core, however they take turns. */
double crowd_excess(const struct crowd *crowd, double cores);

/*
 * vCPUs that wait in addition, because by chance more are runnable at once than there are
 * cores.  With a core for each vCPU, none wait.
 */
double crowd_queue(const struct crowd *crowd, double cores);

/* ns/s that more vCPUs wait, as @wait counts them, if @unit is at @spot. */
double crowd_price(const struct placement *p, unsigned int unit, unsigned int spot,
                   double (*wait)(const struct crowd *crowd, double cores));

/* How busy others than @unit keep the pCPUs of a place, 0 ... 1. */
double placement_busy(const struct placement *p, unsigned int unit,
                      unsigned int place);

/* Is there room for it and the units that are bound where it is? */
bool placement_holds(const struct placement *p, unsigned int unit);

/* ns that a line takes from @a, if it were at @spot, to @b where that is. */
double placement_line(const struct placement *p, unsigned int a,
                      unsigned int spot, unsigned int b);

/* How likely it is that @a, if it were at @spot, and @b are at two places. */
double placement_apart(const struct placement *p, unsigned int a,
                       unsigned int spot, unsigned int b);

#endif /* XENSCHED_PLACEMENT_PLACEMENT_H */
