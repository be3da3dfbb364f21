/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists all terms, and adds up their prices. */
#include "term.h"

const struct term *const terms[NR_TERMS] = {
    [TERM_TALK] = &term_talk,
    [TERM_MEMORY] = &term_memory,
    [TERM_WAITING] = &term_waiting,
    [TERM_CACHE] = &term_cache,
    [TERM_MOVING] = &term_moving,
    [TERM_WAKES] = &term_wakes,
    [TERM_MIGRATIONS] = &term_migrations,
    [TERM_QUEUEING] = &term_queueing,
    [TERM_SMT] = &term_smt,
    [TERM_SHARING] = &term_sharing,
};

double term_price(const struct placement *p, enum term_id term,
                  unsigned int unit, unsigned int spot)
{
    double weight = p->weight ? p->weight[unit * NR_TERMS + term] : 1;

    return weight * terms[term]->price(p, unit, spot);
}

double terms_price(const struct placement *p, unsigned int unit,
                   unsigned int spot)
{
    double price = 0;
    unsigned int i;

    for (i = 0; i < NR_TERMS; i++)
        price += term_price(p, i, unit, spot);

    return price;
}
