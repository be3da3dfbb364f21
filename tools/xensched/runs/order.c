/* SPDX-License-Identifier: GPL-2.0-only */
/* Draws the random order of an experiment's runs. */
#include <stdlib.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "base/alloc.h"
#include "order.h"

static unsigned int block_length(const struct runs_plan *plan)
{
    return plan->nr_workloads * plan->nr_configurations;
}

unsigned int order_length(const struct runs_plan *plan)
{
    return block_length(plan) * (plan->repetitions + plan->warmups);
}

static void make_block(const struct runs_plan *plan, const gsl_rng *rng,
                       int repetition, struct order_item *items)
{
    unsigned int length = block_length(plan), i;

    for (i = 0; i < length; i++)
        items[i] = (struct order_item){
            .workload = i / plan->nr_configurations,
            .configuration = i % plan->nr_configurations,
            .repetition = repetition,
        };
    gsl_ran_shuffle(rng, items, length, sizeof(*items));
}

void order_make(const struct runs_plan *plan, unsigned long seed,
                struct order_item *items)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    int repetition;

    gsl_rng_set(rng, seed);
    for (repetition = 1 - (int)plan->warmups;
         repetition <= (int)plan->repetitions; repetition++) {
        make_block(plan, rng, repetition, items);
        items += block_length(plan);
    }
    gsl_rng_free(rng);
}
