/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What units have to do with each other costs the lines that go
 * to and fro, the more the farther apart they are.
 */
#include "term.h"

static double price(const struct placement *p, unsigned int unit,
                    unsigned int spot)
{
    const struct unit *u = &p->units[unit];
    double sum = 0;
    unsigned int i;

    for (i = u->first; i < u->first + u->nr; i++)
        sum += p->partners[i].lines *
               placement_line(p, unit, spot, p->partners[i].unit);

    return sum;
}

const struct term term_talk = { "talk", price };
