/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums up a timeline for one run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "schedule.h"
#include "timeline/latency.h"
#include "timeline/timeline.h"

#define NO_INDEX (~0U)

/* Maps accounting domains by number to domains by index. */
struct maker {
    struct schedule *s;
    const struct timeline *t;
    unsigned int *index; /* [NAMES_ACCTS]; NO_INDEX: none yet */
};

static unsigned int domain_of(struct maker *m, uint16_t acct)
{
    struct schedule *s = m->s;

    if (m->index[acct] != NO_INDEX)
        return m->index[acct];
    s->domain = need_more_memory(s->domain, s->nr_domains + 1,
                                 sizeof(*s->domain));
    s->domain[s->nr_domains] = (struct schedule_domain){
        .name = need_string(acct == XEN_SCHEDLOG_ACCT_NONE
                            ? "not known" : names_of(&m->t->rows.names, acct)),
    };

    return m->index[acct] = s->nr_domains++;
}

/* A domain runs on few pCPUs, so a linear search is enough. */
static void add_place(struct schedule *s, unsigned int domain,
                      unsigned int pcpu, uint64_t ns)
{
    size_t i;

    for (i = 0; i < s->nr_places; i++)
        if (s->place[i].domain == domain && s->place[i].pcpu == pcpu) {
            s->place[i].ns += ns;
            return;
        }
    s->place = need_more_memory(s->place, s->nr_places + 1, sizeof(*s->place));
    s->place[s->nr_places++] = (struct schedule_place){ domain, pcpu, ns };
}

static void add_span(struct schedule *s, const struct schedule_span *span)
{
    if (!(s->nr_spans & (s->nr_spans - 1)))
        s->span = need_more_memory(s->span, s->nr_spans ? 2 * s->nr_spans : 1,
                                   sizeof(*s->span));
    s->span[s->nr_spans++] = *span;
}

static int pcpu_of(const struct maker *m, const struct span *span)
{
    if (span->cpu >= m->t->stays.nr)
        return -1;

    return m->t->stays.cpu[span->cpu].id;
}

static void take_vcpu(struct maker *m, const struct vcpu *vcpu,
                      unsigned int domain, bool full)
{
    int last = -1;
    size_t i;

    for (i = 0; i < vcpu->nr; i++) {
        const struct span *span = &vcpu->span[i];
        uint64_t ns = vcpus_end(&m->t->vcpus, vcpu, i) - span->begin;
        int pcpu = pcpu_of(m, span);

        if (span->state == VCPU_RUNNING && pcpu >= 0) {
            m->s->domain[domain].moves += last >= 0 && last != pcpu;
            add_place(m->s, domain, pcpu, ns);
            last = pcpu;
        }
        if (full)
            add_span(m->s, &(struct schedule_span){
                domain, vcpu->number, span->begin, ns,
                vcpu_state_name[span->state], pcpu });
    }
}

static void take_states(struct schedule_domain *d,
                        const uint64_t ns[VCPU_STATES])
{
    d->running_ns += ns[VCPU_RUNNING];
    d->waiting_ns += ns[VCPU_RUNNABLE];
    d->asleep_ns += ns[VCPU_BLOCKED];
    d->unknown_ns += ns[VCPU_UNKNOWN] + ns[VCPU_LOST];
}

static void take_vcpus(struct maker *m, bool full)
{
    unsigned int i;

    for (i = 0; i < m->t->vcpus.nr; i++) {
        const struct vcpu *vcpu = &m->t->vcpus.vcpu[i];
        unsigned int domain = domain_of(m, vcpu->acct);

        take_states(&m->s->domain[domain], vcpu->ns);
        take_vcpu(m, vcpu, domain, full);
    }
}

static void add_instead(struct schedule *s, unsigned int domain,
                        unsigned int other, uint64_t ns)
{
    size_t i;

    for (i = 0; i < s->nr_insteads; i++)
        if (s->instead[i].domain == domain && s->instead[i].other == other) {
            s->instead[i].ns += ns;
            return;
        }
    s->instead = need_more_memory(s->instead, s->nr_insteads + 1,
                                  sizeof(*s->instead));
    s->instead[s->nr_insteads++] =
        (struct schedule_instead){ domain, other, ns };
}

static void take_pair(struct maker *m, const struct latency_pair *pair)
{
    struct schedule *s = m->s;
    unsigned int to = domain_of(m, pair->receiver);
    size_t i;

    s->pair = need_more_memory(s->pair, s->nr_pairs + 1, sizeof(*s->pair));
    s->pair[s->nr_pairs++] = (struct schedule_pair){
        .from = domain_of(m, pair->sender), .to = to,
        .notifications = latency_notifications(pair),
        .median_ns = latency_quantile(&pair->total, 0.5),
        .p99_ns = latency_quantile(&pair->total, 0.99),
    };
    for (i = 0; i < pair->nr_holders; i++)
        add_instead(s, to, domain_of(m, pair->holder[i].acct),
                    pair->holder[i].ns);
}

static void take_pairs(struct maker *m)
{
    struct latency latency;
    size_t i;

    latency_make(&latency, m->t, -1);
    for (i = 0; i < latency.nr; i++)
        take_pair(m, &latency.pair[i]);
    latency_free(&latency);
}

static void take_costs(struct maker *m)
{
    const struct works *works = &m->t->works;
    size_t i;

    m->s->cost = need_memory(works->nr, sizeof(*m->s->cost));
    m->s->nr_costs = works->nr;
    for (i = 0; i < works->nr; i++)
        m->s->cost[i] = (struct schedule_cost){
            domain_of(m, works->guest[i].acct), work_cost(&works->guest[i].work) / 1e3,
            work_unit_name(works->guest[i].work.unit),
        };
}

static void make_schedule(struct schedule *s, const struct timeline *t, bool full)
{
    struct maker m = { .s = s, .t = t };

    m.index = need_memory(NAMES_ACCTS, sizeof(*m.index));
    memset(m.index, 0xff, NAMES_ACCTS * sizeof(*m.index));
    take_vcpus(&m, full);
    take_pairs(&m);
    take_costs(&m);
    free(m.index);
    s->rows = t->rows.nr;
    s->lost_rows = t->rows.lost_rows;
    s->length_ns = t->rows.end_ns;
}

int schedule_read(struct schedule *s, const char *recording, bool full,
                  struct xensched_error *err)
{
    struct timeline t;
    int rc;

    *s = (struct schedule){ 0 };
    rc = timeline_open(&t, recording, err);
    if (rc)
        return rc;
    if (*t.rows.defect)
        rc = xensched_fail(err, EILSEQ, "%s", t.rows.defect);
    else
        make_schedule(s, &t, full);
    timeline_close(&t);

    return rc;
}

void schedule_free(struct schedule *s)
{
    size_t i;

    for (i = 0; i < s->nr_domains; i++)
        free(s->domain[i].name);
    free(s->domain);
    free(s->place);
    free(s->pair);
    free(s->instead);
    free(s->cost);
    free(s->span);
    *s = (struct schedule){ 0 };
}
