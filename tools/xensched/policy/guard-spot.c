/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tells the guard whether a guest can be at a spot, and what is against it.  It decides
 * nothing: see guard.c.
 */
#include <stdio.h>
#include <string.h>

#include "guard-spot.h"

/* Room. */

unsigned int spot_cores(const struct candidate *c, struct spot spot)
{
    return spot.cache == TOPOLOGY_UNKNOWN
           ? c->standing->cores[spot.place]
           : c->standing->cache_cores[spot.cache];
}

static struct demand taken_at(const struct candidate *c, struct spot spot)
{
    return *guard_taken(c->guard, c->standing, spot);
}

static bool has_room(const struct candidate *c, struct spot spot, double part)
{
    return room_for(taken_at(c, spot), c->standing->demand,
                    spot_cores(c, spot), part);
}

/* vCPUs may have come online since it went there, and cores have gone. */
bool spot_can_be(const struct candidate *c, struct spot spot, double part)
{
    return spot_cores(c, spot) >= c->standing->demand.vcpus &&
           has_room(c, spot, part);
}

bool spot_can_go(const struct candidate *c, struct spot spot)
{
    return spot_can_be(c, spot, ROOM_TO_GO);
}

void guard_object(const struct candidate *c, const char *text)
{
    char *reason = c->decision->reason;
    size_t length = strlen(reason);

    snprintf(reason + length, REASON_TEXT - length, "%s%s", length ? "; " : "", text);
}

/* The guest sent to the spot that needs most; NULL: none needs anything. */
static const struct domain *greatest_at(const struct candidate *c,
                                        struct spot spot)
{
    const struct guard *g = c->guard;
    const struct domain *most = NULL;
    double need = 0;
    unsigned int i;

    for (i = 0; i < g->plan->nr; i++) {
        const struct standing *s = &g->standing[i];

        if (s == c->standing || s->place != spot.place || s->open ||
            s->cpupool != c->standing->cpupool ||
            (spot.cache != TOPOLOGY_UNKNOWN && s->cache != spot.cache &&
             s->cache != TOPOLOGY_UNKNOWN) || s->demand.need <= need)
            continue;
        need = s->demand.need;
        most = &g->input->domains->domain[i];
    }

    return most;
}

/* "Domain-0 needs 1.5, all that are bound there 1.9; it needs 0.8 itself" */
static void describe_need(const struct candidate *c, struct spot spot,
                          char text[OPINION_TEXT])
{
    const struct domain *most = greatest_at(c, spot);
    struct demand taken = taken_at(c, spot);
    char name[DOMAIN_NAME_TEXT], together[60] = "";
    double need = most ? c->guard->standing[
                         most - c->guard->input->domains->domain].demand.need
                       : 0;

    if (most && taken.need - need >= 0.05)
        policy_say(together, ", all that are bound there %.1f", taken.need);
    snprintf(text, OPINION_TEXT, "%.60s needs %.1f%s; it needs %.1f itself",
             most ? policy_name_of(most, name) : "no guest there", need,
             together, c->standing->demand.need);
}

void spot_object(const struct candidate *c, struct spot spot)
{
    const struct topology *t = c->guard->input->topology;
    const struct topology_place *place = topology_at(t, spot);
    unsigned int cores = spot_cores(c, spot);
    bool limits = c->domain->rule && c->domain->rule->nodes;
    char text[2 * OPINION_TEXT + RULE_TEXT + 200], need[OPINION_TEXT];

    describe_need(c, spot, need);
    if (cores < c->standing->demand.vcpus)
        policy_say(text, "%s, but of %s %u only %u cores are in its cpupool%s%s, "
                   "and it has %u vCPUs", c->opinion->fact, place->kind,
                   place->id, cores, limits ? " and allowed by the rule " : "",
                   limits ? c->domain->rule->text : "",
                   c->standing->demand.vcpus);
    else
        policy_say(text, "%s, but %s %u has no room: of its %u cores %s",
                   c->opinion->fact, place->kind, place->id, cores, need);
    guard_object(c, text);
}

/* Where a domain which was moved is; else UNKNOWN. */
struct spot spot_ours(const struct candidate *c)
{
    const struct spot nowhere = { TOPOLOGY_UNKNOWN, TOPOLOGY_UNKNOWN };

    return c->past->moved ? guard_sent_to(c->guard->input->topology, c->domain)
                          : nowhere;
}
