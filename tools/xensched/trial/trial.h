/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trial.h - a randomised experiment on the live host: it tests whether placement lowers the cost of
 * the guests' work.
 *
 * Time is cut into blocks.  In one block of each pair guests are placed as the policy
 * plans, in the other one their original affinities are restored; which comes first is
 * random.  The first third of a block is not measured: affinities change, caches
 * warm up.  For each guest the pair gives one difference: the logarithm of the ratio
 * of its cost per unit of work (model/work.h), placed to not placed, and how much longer it
 * waited for a pCPU per unit, as a part of the unit's cost.  Over all guests costs are
 * weighted with the work that they did, so a change of the mix is no gain.
 *
 * Besides cost it counts where the guests really ran (residence.h): a trial in which placement did
 * not change that proves nothing about placement.
 *
 * A pair is discarded if a block was not whole: the mode changed, the daemon was
 * restarted, the host slept.
 *
 * After each pair the intervals (evidence.h) are evaluated.  A guest that placement harms is left
 * alone from then on; if placement harms all together, the trial ends.
 *
 * It knows no clock and changes no affinity: the caller calls trial_step() in each run and
 * restores the guests that trial_aside() names.
 */
#ifndef XENSCHED_TRIAL_H
#define XENSCHED_TRIAL_H

#include "model/evidence.h"
#include "model/work.h"
#include "residence.h"

/* Intervals have 95 %. */
#define TRIAL_ALPHA 0.05

/* Part of a block that is not measured. */
#define TRIAL_WARM_UP (1.0 / 3)

#define TRIAL_BLOCK_LEAST_NS 10000000000ULL
#define TRIAL_BLOCK_NS       180000000000ULL
#define TRIAL_BLOCK_MOST_NS  86400000000000ULL
#define TRIAL_PAIRS_MOST     10000U
/* With fewer pairs there is no interval. */
#define TRIAL_PAIRS_LEAST    5U

/*
 * If placement raises the share of their time that guests spend at their targets by less
 * than this, it did not change where they ran.
 */
#define TRIAL_LEAST_SHIFT 0.1

enum trial_state {
    TRIAL_NONE,    /* there was no trial yet */
    TRIAL_RUNNING,
    TRIAL_COMPLETE, /* all pairs were done */
    TRIAL_STOPPED,  /* an operator stopped it */
    TRIAL_HARMFUL,  /* placement harmed all together */
};

struct trial_settings {
    uint64_t block_ns;
    unsigned int pairs; /* planned number */
    uint64_t seed;
    bool dry_run; /* guests keep their affinities in all blocks */
    unsigned int nr_names; /* 0: all guests */
    char (*names)[DOMAIN_NAME_TEXT];
};

/* The measurements of one block. */
struct trial_measure {
    bool valid;
    struct work work;
};

#define TRIAL_REASON 160

struct trial_guest {
    char name[DOMAIN_NAME_TEXT];
    enum work_unit unit;
    struct evidence cost, waiting;
    bool moved;      /* placed in a block by the daemon */
    bool left_alone; /* placement harms it */
    bool news;       /* in this step */
    char reason[TRIAL_REASON]; /* why it is left alone */
    struct trial_measure with, without; /* in the latest pair */
    struct cpumap target;    /* in its placed block; no map: it had none */
    double share[2];         /* [placed]: of its time at that target; -1: unknown */
    struct residence_time at[2]; /* [placed]: at the targets of all pairs */
};

/* A block of the latest pair. */
struct trial_block {
    int64_t ended;           /* Unix time */
    uint64_t measured_ns;
    double cost_ns;          /* of the work of both blocks, at this block's prices; 0: none */
    struct residence *before, *after; /* NULL: not yet, or no longer */
};

struct trial {
    enum trial_state state;
    struct trial_settings settings;
    unsigned int done, discarded; /* number of pairs */
    struct evidence cost, waiting; /* of all guests together */
    int64_t started, ended;       /* Unix time */
    unsigned int nr;
    struct trial_guest *guests;   /* sorted by name */
    struct trial_block block[2];  /* [placed] */
    /* The present block. */
    bool paused;           /* not in mode act */
    bool placed;           /* guests are placed in it */
    bool second;           /* of its pair */
    uint64_t began_ns;     /* 0: not begun */
    struct work_sums *base; /* sums when measuring began; NULL: not yet */
};

/* Forgets the former trial.  Takes over @settings with its names. */
void trial_start(struct trial *t, const struct trial_settings *settings,
                 int64_t unix_time);
/* The daemon was restarted: repeats the present pair. */
void trial_resume(struct trial *t);
void trial_stop(struct trial *t, enum trial_state why, int64_t unix_time);
void trial_free(struct trial *t);

/* What the caller has to do after a step. */
enum trial_news {
    TRIAL_GOES_ON,
    TRIAL_NEW_BLOCK, /* place guests, or restore them */
    TRIAL_NEW_PAIR,  /* the same, and store new results */
    TRIAL_ENDED,     /* the same; see state */
};

/*
 * Called in each run.  @may_place: the mode is act.  A dry run continues in any mode.
 */
enum trial_news trial_step(struct trial *t, const struct matrix *m,
                           const struct domains *domains, bool may_place,
                           uint64_t now_ns, int64_t unix_time);

/* Returns whether the trial moves guests: it runs, is not paused, and is no dry run. */
bool trial_moves_guests(const struct trial *t);

/* Returns why @d needs its original affinity now; NULL: it may be placed. */
const char *trial_aside(const struct trial *t, const struct domain *d);

/* Returns whether the trial compares @d placed and not placed, and so judges its moves. */
bool trial_tries(const struct trial *t, const struct domain *d);

/* Lets a guest be placed again, for an operator; returns false if it was not left alone. */
bool trial_release(struct trial *t, const char *name);

/* Returns the time until the block ends, or 0. */
uint64_t trial_block_left(const struct trial *t, uint64_t now_ns);

/*
 * Returns the share of their time that the guests spent at their targets, in placed blocks or in
 * the other ones; only guests that the daemon placed count.  -1: unknown.
 */
double trial_residency(const struct trial *t, bool placed);

/* Converts a difference of logarithms to a relative change: 0.05 is 5 % more. */
double trial_change(double difference);

/*
 * Returns whether placement does harm, with an interval of 1 - @alpha: it costs more, or makes
 * guests wait by more than it saves.
 */
bool trial_is_harmful(const struct evidence *cost,
                      const struct evidence *waiting, double alpha);

/*
 * Writes the result in a sentence or two: "placement saves 6.2 % of pCPU time per page on this host
 * (95 % interval 4.9 to 7.5 %, 58 blocks); ..."
 */
#define TRIAL_VERDICT 800
void trial_verdict(const struct trial *t, char text[TRIAL_VERDICT]);

#endif /* XENSCHED_TRIAL_H */
