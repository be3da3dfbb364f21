/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Withdraws moves that save nothing without others.  The search plans moves that belong together:
 * one unit makes room, another one comes.  Some moves have to wait, for a confirmation or because a
 * unit has been moved just now.  The other moves then need room, and have to save something.  So
 * each plan that is carried out lowers the sum of all prices, and under constant load the moves
 * end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "joint.h"
#include "search.h"

struct joint {
    struct placement *p;
    unsigned int *spots; /* [unit]: where the plan has it */
    bool *goes;          /* [unit] */
};

/* Returns the ns/s that the unit costs more at @spot than where it is. */
static double cost_of(const struct joint *j, unsigned int unit, unsigned int spot)
{
    return search_price(j->p, unit, spot) - search_price(j->p, unit, j->p->units[unit].at);
}

static double cost_of_withdrawal(const struct joint *j, unsigned int unit)
{
    return cost_of(j, unit, j->p->units[unit].origin);
}

/* Moves the unit, and returns the cost of that. */
static double put_unit(struct joint *j, unsigned int unit, unsigned int spot)
{
    double cost = cost_of(j, unit, spot);

    placement_move(j->p, unit, spot);
    j->goes[unit] = spot != j->p->units[unit].origin;

    return cost;
}

/*
 * Withdraws units that have no room, and units of @paid, [unit], whose moves no longer save
 * anything.  Returns the cost of that.
 */
static double withdraw_dependent(struct joint *j, const bool *paid)
{
    double cost = 0;
    unsigned int i = 0;

    while (i < j->p->nr_units)
        if (j->goes[i] &&
            (!placement_holds(j->p, i) ||
             (paid && paid[i] && cost_of_withdrawal(j, i) <= PRICE_ROUNDING))) {
            cost += put_unit(j, i, j->p->units[i].origin);
            i = 0;
        } else {
            i++;
        }

    return cost;
}

/* Withdraws the unit, and those that depend on it, unless that costs something. */
static bool withdraw_idle(struct joint *j, unsigned int unit)
{
    unsigned int nr = j->p->nr_units, i;
    bool *went = need_memory(nr, sizeof(*went)), *paid = need_memory(nr, sizeof(*paid));
    double cost;

    memcpy(went, j->goes, nr * sizeof(*went));
    for (i = 0; i < nr; i++)
        paid[i] = j->goes[i] && cost_of_withdrawal(j, i) > PRICE_ROUNDING;
    cost = put_unit(j, unit, j->p->units[unit].origin);
    cost += withdraw_dependent(j, paid);
    for (i = 0; i < nr && cost > PRICE_ROUNDING; i++)
        if (went[i] && !j->goes[i])
            put_unit(j, i, j->spots[i]);
    free(went);
    free(paid);

    return cost <= PRICE_ROUNDING;
}

void joint_moves(struct placement *p, bool *goes)
{
    struct joint j = {
        .p = p, .goes = goes, .spots = need_memory(p->nr_units, sizeof(*j.spots)),
    };
    unsigned int i;

    for (i = 0; i < p->nr_units; i++) {
        j.spots[i] = p->units[i].at;
        if (!goes[i])
            placement_move(p, i, p->units[i].origin);
    }
    withdraw_dependent(&j, NULL);
    for (i = 0; i < p->nr_units; i++)
        if (goes[i] && withdraw_idle(&j, i))
            i = -1U;
    free(j.spots);
}
