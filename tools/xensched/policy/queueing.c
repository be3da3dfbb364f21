/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares counted waits with waits by chance. */
#include <math.h>

#include "placement/placement.h"
#include "queueing.h"

#define NS_PER_S    1e9
#define HALF_LIFE_S 300.0

/* A plan stands for at most this time, so one after a pause does not outweigh all others. */
#define LONGEST_S 10.0

/* vCPU-seconds; if much less is expected, the part is near 0. */
#define LEAST 0.25

/* Beyond this part of the pCPUs, waits have another cause than chance. */
#define UNSATURATED 0.9

/* Returns whether the unit is bound to a core: it waits for that, not by chance. */
static bool at_core(const struct placement *p, unsigned int unit)
{
    return p->units[unit].at != ANYWHERE && p->spots[p->units[unit].at].core;
}

/* Adds, for one cpupool at one place, the vCPUs that wait and those expected by chance. */
static void learn_at(struct queueing *q, const struct placement *p, unsigned int pool,
                     unsigned int place, double s)
{
    unsigned int at = pool * p->nr_places + place, i;
    const struct crowd *crowd = &p->crowd[at];

    if (crowd->runnable > UNSATURATED * p->place_threads[at])
        return;
    q->expected += s * crowd_queue(crowd, p->place_threads[at]);
    for (i = 0; i < p->nr_units; i++)
        if (p->units[i].pool == pool && !at_core(p, i))
            q->waited += s * p->units[i].queued *
                         placement_part_of_place(p, i, p->units[i].at, place);
}

/*
 * Xen does not count where a domain waits, so its waits are divided like its time.  The waits
 * of a saturated cpupool must not count as chance for another one at the same place.
 */
static bool is_saturated(const struct placement *p, unsigned int place)
{
    double runnable = 0, pcpus = 0;
    unsigned int i;

    for (i = 0; i < p->nr_pools; i++)
        runnable += p->crowd[i * p->nr_places + place].runnable;
    for (i = 0; i < p->nr_caches; i++)
        if (p->spots[i].place == place)
            pcpus += fmax(p->threads[i], p->cores[i]);

    return runnable > UNSATURATED * pcpus;
}

void queueing_learn(struct queueing *q, const struct placement *p, uint64_t now_ns)
{
    double passed = q->at_ns ? (now_ns - q->at_ns) / NS_PER_S : 0;
    double left = exp2(-passed / HALF_LIFE_S);
    unsigned int pool, place;

    q->at_ns = now_ns;
    q->waited *= left;
    q->expected *= left;
    for (place = 0; place < p->nr_places; place++)
        for (pool = 0; pool < p->nr_pools && !is_saturated(p, place); pool++)
            learn_at(q, p, pool, place, fmin(passed, LONGEST_S));
}

double queueing_part(const struct queueing *q)
{
    return fmin(q->waited / (q->expected + LEAST), 1);
}
