/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the vCPU, in the hypervisor's rows, on which a guest's thread ran.
 *
 * Rows of the hypervisor do not number the vCPUs of a domain.  But a vCPU that writes a
 * row runs, so the vCPU that ran at the times of most of a CPU's rows is that CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "thread-home.h"

/* The number of rows of a vCPU that are compared. */
#define WITNESSES 500U

int thread_homes_acct(const struct names *names,
                      const struct linux_source *source)
{
    return names_of_domid(names, source->info.kind == XENSCHED_KIND_LINUX
                                 ? 0 : source->info.domid);
}

/* Finding the vCPU. */

struct finding {
    struct threads *t;
    const struct vcpus *vcpus;
    uint32_t *votes;      /* [place][vCPU of its domain] */
    uint32_t *witnesses;  /* [place] */
    unsigned int *first;  /* [source]: the first vCPU of its domain ... */
    unsigned int *nr;     /* ... and their number */
    size_t *at;           /* [place]: its first vote */
};

static void vote_for_home(struct finding *f, const struct linux_row *row)
{
    unsigned int i, nr = f->nr[row->source];
    size_t place;

    for (place = 0; place < f->t->nr_places; place++)
        if (f->t->place[place].source == row->source &&
            f->t->place[place].cpu == row->cpu)
            break;
    if (place == f->t->nr_places || f->witnesses[place]++ >= WITNESSES)
        return;
    for (i = 0; i < nr; i++) {
        const struct span *span =
            vcpus_at(&f->vcpus->vcpu[f->first[row->source] + i], row->ns);

        f->votes[f->at[place] + i] += span && span->state == VCPU_RUNNING;
    }
}

static bool is_taken(const struct finding *f, uint32_t vcpu)
{
    size_t place;

    for (place = 0; place < f->t->nr_places; place++)
        if (f->t->place[place].vcpu == vcpu)
            return true;

    return false;
}

static void choose_vcpu(struct finding *f, size_t place)
{
    const uint32_t *votes = &f->votes[f->at[place]];
    unsigned int source = f->t->place[place].source, i;
    uint32_t most = 0;

    for (i = 0; i < f->nr[source]; i++)
        if (votes[i] > most && !is_taken(f, f->first[source] + i)) {
            most = votes[i];
            f->t->place[place].vcpu = f->first[source] + i;
        }
}

/* A thread that writes a row runs, so Xen's rows show whether a guest's row is true. */

/* Returns how far @ns is from a run; NEVER if the vCPU's state is unknown. */
static uint64_t from_run(const struct vcpus *vcpus, const struct vcpu *v,
                         uint64_t ns)
{
    const struct span *s = vcpus_at(v, ns);
    uint64_t before, after;

    if (!s || s->state == VCPU_UNKNOWN || s->state == VCPU_LOST)
        return STAY_NEVER;
    if (s->state == VCPU_RUNNING)
        return 0;
    before = s > v->span && s[-1].state == VCPU_RUNNING ? ns - s->begin
                                                        : STAY_NEVER;
    while (s < v->span + v->nr && s->state != VCPU_RUNNING)
        s++;
    after = s < v->span + v->nr ? s->begin - ns : vcpus->end_ns - ns;

    return before < after ? before : after;
}

static void check_row(struct finding *f, const struct linux_row *row,
                      uint64_t tolerance)
{
    size_t place;
    uint64_t ns;

    for (place = 0; place < f->t->nr_places; place++)
        if (f->t->place[place].source == row->source &&
            f->t->place[place].cpu == row->cpu)
            break;
    if (place == f->t->nr_places || f->t->place[place].vcpu == STAY_NONE)
        return;
    ns = from_run(f->vcpus, &f->vcpus->vcpu[f->t->place[place].vcpu], row->ns);
    if (ns == STAY_NEVER)
        return;
    f->t->checked++;
    if (ns <= tolerance)
        return;
    f->t->absent++;
    if (ns > f->t->absent_ns)
        f->t->absent_ns = ns;
}

static void find_vcpus(struct threads *t, const struct rows *all_rows,
                       const struct vcpus *vcpus)
{
    const struct linux_rows *rows = &all_rows->linux_rows;
    const struct names *names = &all_rows->names;
    struct finding f = { .t = t, .vcpus = vcpus };
    size_t i, all = 0;

    f.first = need_memory(rows->nr_sources + 1, sizeof(*f.first));
    f.nr = need_memory(rows->nr_sources + 1, sizeof(*f.nr));
    f.at = need_memory(t->nr_places + 1, sizeof(*f.at));
    f.witnesses = need_memory(t->nr_places + 1, sizeof(*f.witnesses));
    for (i = 0; i < rows->nr_sources; i++) {
        int acct = thread_homes_acct(names, &rows->source[i]);

        if (acct < 0 || !vcpus->first)
            continue;
        f.first[i] = vcpus->first[acct];
        f.nr[i] = vcpus->first[acct + 1] - f.first[i];
    }
    for (i = 0; i < t->nr_places; i++) {
        f.at[i] = all;
        all += f.nr[t->place[i].source];
    }
    f.votes = need_memory(all + 1, sizeof(*f.votes));
    for (i = 0; i < rows->nr; i++)
        vote_for_home(&f, &rows->row[i]);
    for (i = 0; i < t->nr_places; i++)
        choose_vcpu(&f, i);
    for (i = 0; i < rows->nr; i++)
        check_row(&f, &rows->row[i], 2 * all_rows->granule_ns +
                  rows->source[rows->row[i].source].error_ns);
    free(f.first);
    free(f.nr);
    free(f.at);
    free(f.witnesses);
    free(f.votes);
}

/* Finds where a thread ran most. */

static void find_home(const struct threads *t, struct thread *thread,
                      uint64_t *ns)
{
    uint64_t most = 0;
    size_t i;

    for (i = 0; i < thread->nr; i++)
        if (thread->span[i].place != THREAD_NONE)
            ns[thread->span[i].place] += threads_end(t, thread, i) -
                                         thread->span[i].begin;
    for (i = 0; i < thread->nr; i++) {
        uint32_t place = thread->span[i].place;

        if (place != THREAD_NONE &&
            (ns[place] > most || thread->home == THREAD_NONE)) {
            most = ns[place];
            thread->home = place;
        }
    }
    for (i = 0; i < thread->nr; i++)
        if (thread->span[i].place != THREAD_NONE)
            ns[thread->span[i].place] = 0;
}

/* Order. */

struct ranked {
    const struct threads *t;
    uint32_t thread;
};

static int compare_votes(const void *a, const void *b)
{
    const struct ranked *i = a, *j = b;
    const struct thread *x = &i->t->thread[i->thread];
    const struct thread *y = &j->t->thread[j->thread];

    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->home != y->home)
        return x->home < y->home ? -1 : 1;
    if (x->ns[VCPU_RUNNING] != y->ns[VCPU_RUNNING])
        return x->ns[VCPU_RUNNING] > y->ns[VCPU_RUNNING] ? -1 : 1;

    return i->thread < j->thread ? -1 : i->thread > j->thread;
}

static void put_in_order(struct threads *t)
{
    struct ranked *ranked = need_memory(t->nr + 1, sizeof(*ranked));
    struct thread *sorted = need_memory(t->nr + 1, sizeof(*sorted));
    uint32_t *rank = need_memory(t->nr + 1, sizeof(*rank));
    size_t i;

    for (i = 0; i < t->nr; i++)
        ranked[i] = (struct ranked){ .t = t, .thread = i };
    qsort(ranked, t->nr, sizeof(*ranked), compare_votes);
    for (i = 0; i < t->nr; i++) {
        sorted[i] = t->thread[ranked[i].thread];
        rank[ranked[i].thread] = i;
    }
    for (i = 0; i < t->nr_wakes; i++) {
        t->wake[i].to = rank[t->wake[i].to];
        if (t->wake[i].from != THREAD_NONE)
            t->wake[i].from = rank[t->wake[i].from];
    }
    free(t->thread);
    t->thread = sorted;
    t->room = t->nr + 1;
    free(ranked);
    free(rank);
}

void thread_homes_find(struct threads *t, const struct rows *rows,
                       const struct vcpus *vcpus)
{
    uint64_t *ns = need_memory(t->nr_places + 1, sizeof(*ns));
    size_t i;

    find_vcpus(t, rows, vcpus);
    for (i = 0; i < t->nr; i++)
        find_home(t, &t->thread[i], ns);
    free(ns);
    put_in_order(t);
}
