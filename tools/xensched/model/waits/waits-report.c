/* SPDX-License-Identifier: GPL-2.0-only */
/* Reports from the history which domains waited for which, for some of its seconds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "waits-history.h"

static const struct second *find_second(const struct waits *w, uint64_t number)
{
    const struct second *s = &w->second[number % WAITS_SECONDS];

    return number && s->number == number && s->begin + w->nr_words >= w->pos ? s : NULL;
}

uint64_t waits_oldest(const struct waits *w, uint64_t now_ns)
{
    uint64_t last = now_ns / NS_PER_S, s = last;

    while (s && last - s < WAITS_SECONDS && find_second(w, s - 1))
        s--;

    return s;
}

/* Domains by identity; names are added at the end. */
struct asking {
    const struct waits *w;
    struct waits_report *report;
    unsigned int *of; /* [identity]: index + 1 */
};

static struct waits_end end_of(const struct waits *w, uint16_t identity)
{
    const struct identity *i = &w->identity[identity];

    return (struct waits_end){
        .identity = identity,
        .domid = i->domid,
        .name = i->name,
    };
}

static struct waits_of *entry_of(struct asking *a, uint16_t identity)
{
    struct waits_report *r = a->report;

    if (!a->of[identity]) {
        if (!(r->nr & (r->nr - 1)))
            r->of = need_more_memory(r->of, r->nr ? 2 * r->nr : 1, sizeof(*r->of));
        r->of[r->nr] = (struct waits_of){ .domain = end_of(a->w, identity) };
        a->of[identity] = ++r->nr;
    }

    return &r->of[a->of[identity] - 1];
}

static void add_culprit_word(struct asking *a, struct waits_of *of, uint64_t word)
{
    struct waits_end culprit = end_of(a->w, word >> DOMAIN_SHIFT);
    unsigned int i = 0, cause = word >> CAUSE_SHIFT & 0xf;
    uint64_t ns, nr;

    while (i < of->nr_culprits && of->culprit[i].domain.identity != culprit.identity)
        i++;
    if (i == of->nr_culprits) {
        if (!(i & (i - 1)))
            of->culprit = need_more_memory(of->culprit, i ? 2 * i : 1, sizeof(*of->culprit));
        of->culprit[of->nr_culprits++] = (struct waits_for){ .domain = culprit };
    }
    ns = (word & FOR_MAX) * FOR_UNIT;
    nr = word >> NR_SHIFT & NR_MAX;
    of->culprit[i].all.ns += ns;
    of->culprit[i].all.nr += nr;
    of->culprit[i].by[cause].ns += ns;
    of->culprit[i].by[cause].nr += nr;
}

static void add_for(struct asking *a, struct waits_of *of, uint64_t word)
{
    uint64_t low = word & UINT32_MAX;

    switch (word >> DOMAIN_SHIFT) {
    case COUNTED:
        of->counted_ns += low * NS_UNIT;
        break;
    case OFFLINE:
        of->offline_ns += low * NS_UNIT;
        break;
    case CUT:
        of->cut_ns += low * NS_UNIT;
        break;
    case CAUSED:
        of->by[word >> NR_SHIFT & 0xf].ns += low * NS_UNIT;
        break;
    case MOVED:
        of->moves += low;
        break;
    default:
        add_culprit_word(a, of, word);
    }
}

static void add_bucket(struct waits_of *of, uint32_t half)
{
    unsigned int bucket = half >> BUCKET_SHIFT;

    if (bucket >= WAITS_BUCKETS)
        return;
    of->bucket[bucket] += half & BUCKET_MAX;
    of->wakes += half & BUCKET_MAX;
}

static void add_second(struct asking *a, const struct second *s)
{
    const struct waits *w = a->w;
    uint64_t pos = s->begin;

    while (pos < s->end) {
        uint64_t head = w->word[pos++ % w->nr_words];
        unsigned int nr_culprits = head >> NR_FOR_SHIFT & 0xff, i;
        unsigned int nr_buckets = head >> NR_BUCKETS_SHIFT & 0xff;
        struct waits_of *of = entry_of(a, head >> DOMAIN_SHIFT);

        of->ns += (head & UINT32_MAX) * NS_UNIT;
        for (i = 0; i < nr_culprits; i++)
            add_for(a, of, w->word[pos++ % w->nr_words]);
        for (i = 0; i < nr_buckets; i++)
            add_bucket(of, w->word[(pos + i / 2) % w->nr_words] >> (i % 2 ? 32 : 0));
        pos += (nr_buckets + 1) / 2;
    }
}

static int for_is_shorter(const void *a, const void *b)
{
    const struct waits_for *x = a, *y = b;

    return (x->all.ns < y->all.ns) - (x->all.ns > y->all.ns);
}

static uint64_t longest_wait(const struct waits_of *of)
{
    return of->ns > of->counted_ns ? of->ns : of->counted_ns;
}

static int of_is_shorter(const void *a, const void *b)
{
    const struct waits_of *x = a, *y = b;

    return (longest_wait(x) < longest_wait(y)) - (longest_wait(x) > longest_wait(y));
}

/* The history has a sum for each cause, except for wake-ups. */
static void sum_causes(struct waits_of *of)
{
    uint64_t known = 0;
    unsigned int i;

    for (i = WAITS_WOKEN + 1; i < WAITS_CAUSES; i++) {
        known += of->by[i].ns;
        if (i >= WAITS_PREEMPTED)
            of->preempted_ns += of->by[i].ns;
    }
    of->by[WAITS_WOKEN].ns = of->ns > known ? of->ns - known : 0;
}

static void finish_report(struct waits_report *r)
{
    unsigned int i, k;

    for (i = 0; i < r->nr; i++) {
        struct waits_of *of = &r->of[i];
        uint64_t known = 0;

        for (k = 0; k < of->nr_culprits; k++)
            known += of->culprit[k].all.ns;
        of->unknown_ns = of->ns > known ? of->ns - known : 0;
        sum_causes(of);
        if (of->nr_culprits)
            qsort(of->culprit, of->nr_culprits, sizeof(*of->culprit), for_is_shorter);
    }
    if (r->nr)
        qsort(r->of, r->nr, sizeof(*r->of), of_is_shorter);
}

void waits_ask(struct waits *w, uint64_t first_s, uint64_t seconds,
               struct waits_report *report)
{
    struct asking a = { .w = w, .report = report };
    uint64_t s;

    *report = (struct waits_report){ .first_s = first_s };
    a.of = need_memory(NR_IDENTITIES, sizeof(*a.of));
    if (seconds > WAITS_SECONDS)
        seconds = WAITS_SECONDS;
    for (s = first_s; s < first_s + seconds; s++) {
        const struct second *second = find_second(w, s);

        if (!second)
            continue;
        if (!report->seconds++)
            report->first_s = s;
        add_second(&a, second);
    }
    free(a.of);
    finish_report(report);
}

void waits_report_free(struct waits_report *report)
{
    unsigned int i;

    for (i = 0; i < report->nr; i++)
        free(report->of[i].culprit);
    free(report->of);
    *report = (struct waits_report){ 0 };
}

const struct waits_of *waits_find(const struct waits *w,
                                  const struct waits_report *report, uint16_t acct)
{
    uint16_t identity = acct < w->nr_accts ? w->identity_of[acct] : NO_DOMAIN;
    unsigned int i;

    for (i = 0; identity && i < report->nr; i++)
        if (report->of[i].domain.identity == identity)
            return &report->of[i];

    return NULL;
}

unsigned int waits_order(const struct waits_sum by[WAITS_CAUSES], uint64_t ns,
                         enum waits_cause order[WAITS_CAUSES])
{
    unsigned int nr = 0, cause, i;

    for (cause = 0; cause < WAITS_CAUSES; cause++) {
        if (by[cause].ns < ns)
            continue;
        for (i = nr++; i && by[order[i - 1]].ns < by[cause].ns; i--)
            order[i] = order[i - 1];
        order[i] = cause;
    }

    return nr;
}

/* Assumes that waits between two powers of two are evenly spread. */
double waits_quantile(const struct waits_of *of, double part)
{
    double wanted = part * of->wakes, seen = 0;
    unsigned int i;

    for (i = 0; i < WAITS_BUCKETS; i++) {
        double nr = of->bucket[i];

        if (nr && seen + nr >= wanted)
            return ldexp(1 + (wanted - seen) / nr, i);
        seen += nr;
    }

    return 0;
}
