/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds the timeline of a recording in its order of steps. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "timeline/counters/counters.h"
#include "timeline/threads/thread-home.h"
#include "timeline.h"


/* Corrects the clocks of pCPUs that show a wake-up before its notification. */
static void make_one_clock(struct timeline *t)
{
    skew_find(&t->skew, &t->rows, &t->stays);
    if (!t->skew.most_ns)
        return;
    skew_correct(&t->skew, &t->rows, &t->stays);
    vcpus_free(&t->vcpus);
    stays_free(&t->stays);
    stays_make(&t->stays, &t->rows);
    vcpus_make(&t->vcpus, &t->rows, &t->stays);
}

uint64_t timeline_error_ns(const struct timeline *t)
{
    return t->rows.granule_ns + t->skew.error_ns;
}

int timeline_open(struct timeline *t, const char *path,
                  struct xensched_error *err)
{
    static const struct regions_of all = { .acct = -1 };
    int rc;

    memset(t, 0, sizeof(*t));
    rc = rows_read(&t->rows, path, err);
    if (rc)
        return rc;
    stays_make(&t->stays, &t->rows);
    vcpus_make(&t->vcpus, &t->rows, &t->stays);
    make_one_clock(t);
    wakes_make(&t->wakes, &t->rows, &t->stays, &t->vcpus);
    rings_make(&t->rings, &t->rows, &t->wakes);
    works_make(&t->works, &t->rows);
    xen_work_make(&t->xen_work, &t->rows, &t->stays);
    marks_make(&t->marks, &t->rows, &t->stays, &t->vcpus);
    regions_make(&t->regions, &t->rows, &t->marks, &all);
    counters_make(&t->counters, &t->rows);
    rates_make(&t->counters, &t->rows);
    counts_make(&t->counters, &t->rows, &t->marks);
    threads_make(&t->threads, &t->rows.linux_rows, t->rows.end_ns);
    thread_homes_find(&t->threads, &t->rows, &t->vcpus);

    return 0;
}

void timeline_close(struct timeline *t)
{
    foreign_free(&t->foreign);
    counters_free(&t->counters);
    regions_free(&t->regions);
    marks_free(&t->marks);
    threads_free(&t->threads);
    xen_work_free(&t->xen_work);
    works_free(&t->works);
    rings_free(&t->rings);
    wakes_free(&t->wakes);
    skew_free(&t->skew);
    vcpus_free(&t->vcpus);
    stays_free(&t->stays);
    rows_free(&t->rows);
}

const char *timeline_vcpu_name(const struct timeline *t, uint32_t vcpu)
{
    const struct vcpu *v = &t->vcpus.vcpu[vcpu];

    if (t->vcpus.first[v->acct + 1] - t->vcpus.first[v->acct] == 1)
        return names_of(&t->rows.names, v->acct);

    return text_format("%s v%u", names_of(&t->rows.names, v->acct), v->number);
}

const char *timeline_source_name(const struct timeline *t, uint16_t source)
{
    const struct linux_source *s = &t->rows.linux_rows.source[source];
    int acct = thread_homes_acct(&t->rows.names, s);

    if (acct >= 0)
        return names_of(&t->rows.names, acct);
    if (*s->info.name)
        return s->info.name;

    return text_format("domain %u", s->info.domid);
}

const char *timeline_place_name(const struct timeline *t, uint32_t place)
{
    const struct thread_place *p = &t->threads.place[place];

    if (p->vcpu != STAY_NONE)
        return timeline_vcpu_name(t, p->vcpu);

    return text_format("%s v%u", timeline_source_name(t, p->source), p->cpu);
}
