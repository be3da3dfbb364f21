/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Leaves out moves that do not pay without others.  The search plans moves that belong together:
 * one unit makes room, another one comes.  Some of them may have to wait, for a confirmation or
 * because a unit has been moved just now.  Then what is left of the plan has to have room, and has
 * to save something.  So under constant load each plan that is carried out lowers the sum of all
 * prices, and no unit moves back and forth.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "joint.h"
#include "term.h"

/* ns/s; less is rounding. */
#define SOMETHING 1.0

struct joint {
    struct placement *p;
    unsigned int *spots; /* [unit]: where the plan has it */
    bool *goes;          /* [unit] */
};

static double price_at(const struct placement *p, unsigned int unit, unsigned int spot)
{
    const struct unit *u = &p->units[unit];

    return terms_price(p, unit, spot) + (spot == u->origin ? 0 : u->threshold);
}

/* Moves the unit, and returns what that costs. */
static double put_unit(struct joint *j, unsigned int unit, unsigned int spot)
{
    double cost = price_at(j->p, unit, spot) - price_at(j->p, unit, j->p->units[unit].at);

    placement_move(j->p, unit, spot);
    j->goes[unit] = spot != j->p->units[unit].origin;

    return cost;
}

/* What it would cost to withdraw the unit alone. */
static double cost_of(const struct joint *j, unsigned int unit)
{
    const struct unit *u = &j->p->units[unit];

    return price_at(j->p, unit, u->origin) - price_at(j->p, unit, u->at);
}

/*
 * Withdraws units that would have no room, or of @paid, [unit], those that do not pay any more.
 * Returns what that costs.
 */
static double withdraw_dependent(struct joint *j, const bool *paid)
{
    double cost = 0;
    unsigned int i = 0;

    while (i < j->p->nr_units)
        if (j->goes[i] &&
            (!placement_holds(j->p, i) || (paid && paid[i] && cost_of(j, i) <= SOMETHING))) {
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
        paid[i] = j->goes[i] && cost_of(j, i) > SOMETHING;
    cost = put_unit(j, unit, j->p->units[unit].origin);
    cost += withdraw_dependent(j, paid);
    for (i = 0; i < nr && cost > SOMETHING; i++)
        if (went[i] && !j->goes[i])
            put_unit(j, i, j->spots[i]);
    free(went);
    free(paid);

    return cost <= SOMETHING;
}

void joint_moves(struct placement *p, bool *goes)
{
    struct joint j = {
        .p = p, .goes = goes, .spots = need_memory(p->nr_units, sizeof(*j.spots)),
    };
    unsigned int i;

    for (i = 0; i < p->nr_units; i++) {
        j.spots[i] = p->units[i].at;
        if (!goes[i] || p->units[i].at == p->units[i].origin)
            put_unit(&j, i, p->units[i].origin);
    }
    withdraw_dependent(&j, NULL);
    for (i = 0; i < p->nr_units; i++)
        if (goes[i] && withdraw_idle(&j, i))
            i = -1U;
    free(j.spots);
}
