/* SPDX-License-Identifier: GPL-2.0-only */
/* Averages over minutes what guests exchange, for their history. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "model/runnable.h"
#include "placement/prices.h"
#include "policy/talk.h"
#include "remember.h"

/* The half-life of the averages. */
#define HALF_LIFE_NS 300000000000ULL

/* A guest that ran for less time has no history. */
#define LEAST_NS 10000000000ULL

/* Number of candidates for the HISTORY_PARTNERS with the most communication. */
#define MOST 8U

/* Sums are weighted by age; weight is the sum of the weights. */
struct remembered {
    uint32_t domid;
    uint64_t since_ns; /* of the domain; if it differs, it is another domain */
    char uuid[DOMAIN_UUID_TEXT];
    uint64_t at_ns;    /* time of the last update; 0: never */
    uint64_t for_ns;
    double weight, need;
    unsigned int nr;
    struct history_partner partners[MOST];
};

/* Existing guests. */

static void keep_history(struct core *core, const struct remembered *r);

static void begin_guest(struct remembered *r, const struct domain *d)
{
    memset(r, 0, sizeof(*r));
    r->domid = d->domid;
    r->since_ns = d->since_ns;
    memcpy(r->uuid, d->uuid, sizeof(r->uuid));
}

/* Keeps the entries of existing guests; those of others go to the history. */
static void follow_guests(struct core *core)
{
    const struct domains *domains = &core->domains;
    struct remembered *now = need_memory(domains->nr, sizeof(*now));
    struct remembered *before = core->remembered;
    unsigned int i, k = 0;

    for (i = 0; i < domains->nr; i++) {
        const struct domain *d = &domains->domain[i];

        while (k < core->nr_remembered && before[k].domid < d->domid)
            keep_history(core, &before[k++]);
        if (k < core->nr_remembered && before[k].domid == d->domid) {
            if (before[k].since_ns == d->since_ns) {
                now[i] = before[k++];
                continue;
            }
            keep_history(core, &before[k++]);
        }
        begin_guest(&now[i], d);
    }
    while (k < core->nr_remembered)
        keep_history(core, &before[k++]);
    free(before);
    core->remembered = now;
    core->nr_remembered = domains->nr;
}

/* Updates. */

static double lines_of(const struct history_partner *p)
{
    return p->notifications * prices_default.notification +
           p->pages * prices_default.page;
}

/* Returns the entry of a partner; a new one replaces the least active one if all are used. */
static struct history_partner *partner_of(struct remembered *r,
                                          const struct domain *d)
{
    unsigned int i, least = 0;

    for (i = 0; i < r->nr; i++) {
        if (!strcmp(r->partners[i].uuid, d->uuid))
            return &r->partners[i];
        if (lines_of(&r->partners[i]) < lines_of(&r->partners[least]))
            least = i;
    }
    if (r->nr < MOST)
        least = r->nr++;
    r->partners[least] = (struct history_partner){ 0 };
    memcpy(r->partners[least].uuid, d->uuid, sizeof(d->uuid));
    memcpy(r->partners[least].name, d->name, sizeof(d->name));

    return &r->partners[least];
}

static void add_talk(struct remembered *r, const struct domain *with,
                     const struct talk_pair *pair, double part)
{
    struct history_partner *p;

    if (part <= 0)
        return;
    p = partner_of(r, with);
    p->notifications += (pair->rate - pair->pages) * part;
    p->pages += pair->pages * part;
}

/* Decays the sums; returns the weight of the present. */
static double age_remembered(const struct core *core, struct remembered *r,
                             uint64_t now_ns)
{
    uint64_t for_ns = r->at_ns ? now_ns - r->at_ns : 0;
    double left = exp2(-(double)for_ns / HALF_LIFE_NS);
    unsigned int i;

    /* A boot is not typical of the guest's later work. */
    if (now_ns - r->since_ns < core->settings.policy_settings.settle_ns)
        return 0;
    for (i = 0; i < r->nr; i++) {
        r->partners[i].notifications *= left;
        r->partners[i].pages *= left;
    }
    r->need *= left;
    r->weight = r->weight * left + 1 - left;
    r->for_ns += for_ns;
    r->at_ns = now_ns;

    return 1 - left;
}

static void add_pairs(struct core *core, const struct policy_input *input,
                      const double *part)
{
    const struct domain *domain = core->domains.domain;
    double *total = need_memory(core->domains.nr, sizeof(*total));
    struct talk_pair *pairs;
    unsigned int nr, i;

    pairs = talk_pairs(input, &nr, total);
    for (i = 0; i < nr; i++) {
        unsigned int a = pairs[i].a, b = pairs[i].b;

        add_talk(&core->remembered[a], &domain[b], &pairs[i], part[a]);
        add_talk(&core->remembered[b], &domain[a], &pairs[i], part[b]);
    }
    free(pairs);
    free(total);
}

static void add_use(struct core *core, const double *part, uint64_t now_ns)
{
    unsigned int i;

    for (i = 0; i < core->domains.nr; i++)
        core->remembered[i].need +=
            part[i] * runnable_demand(core->matrix, &core->domains.domain[i], now_ns);
}

void remember_run(struct core *core, uint64_t now_ns)
{
    unsigned int nr = core->domains.nr, i;
    double *part = need_memory(nr, sizeof(*part));
    /* Here, no domain may be moved by the policy. */
    struct guarded *guarded = need_memory(nr, sizeof(*guarded));
    const struct policy_input input = {
        .matrix = core->matrix,
        .topology = &core->topology,
        .domains = &core->domains,
        .guarded = guarded,
        .now_ns = now_ns,
    };

    follow_guests(core);
    for (i = 0; i < nr; i++)
        part[i] = age_remembered(core, &core->remembered[i], now_ns);
    add_pairs(core, &input, part);
    add_use(core, part, now_ns);
    free(guarded);
    free(part);
    history_save(&core->history);
}

/* Histories. */

static int by_lines(const void *x, const void *y)
{
    double a = lines_of(x), b = lines_of(y);

    return a > b ? -1 : a < b;
}

/* Returns false if the guest ran too shortly. */
static bool conclude_guest(const struct remembered *r, struct history_guest *guest)
{
    struct history_partner partners[MOST];
    unsigned int i;

    if (r->for_ns < LEAST_NS || r->weight <= 0)
        return false;
    memcpy(partners, r->partners, sizeof(partners));
    qsort(partners, r->nr, sizeof(*partners), by_lines);
    memset(guest, 0, sizeof(*guest));
    memcpy(guest->uuid, r->uuid, sizeof(guest->uuid));
    guest->need = r->need / r->weight;
    for (i = 0; i < r->nr && i < HISTORY_PARTNERS; i++) {
        guest->partners[i] = partners[i];
        guest->partners[i].notifications /= r->weight;
        guest->partners[i].pages /= r->weight;
        guest->nr++;
    }

    return true;
}

static void keep_history(struct core *core, const struct remembered *r)
{
    struct history_guest guest;

    if (r->domid && conclude_guest(r, &guest))
        history_put(&core->history, &guest);
}

void remember_end(struct core *core)
{
    unsigned int i;

    for (i = 0; i < core->nr_remembered; i++)
        keep_history(core, &core->remembered[i]);
    history_save(&core->history);
}

void remember_free(struct core *core)
{
    free(core->remembered);
    history_free(&core->history);
}

bool remember_find(const struct core *core, const char *uuid,
                   struct history_guest *guest)
{
    const struct history_guest *last;
    unsigned int i;

    for (i = 0; i < core->nr_remembered; i++)
        if (!strcmp(core->remembered[i].uuid, uuid) &&
            conclude_guest(&core->remembered[i], guest))
            return true;
    last = history_find(&core->history, uuid);
    if (last)
        *guest = *last;

    return last;
}
