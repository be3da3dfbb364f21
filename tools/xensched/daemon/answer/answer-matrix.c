/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers which domains communicate, and which processes of a guest request how much from which
 * back ends.
 */
#include <errno.h>
#include <stdlib.h>

#include <xensched/event.h>

#include "base/alloc.h"
#include "daemon/core/observe-host.h"
#include "answer.h"

struct entries {
    unsigned int nr, room;
    struct matrix_entry *entry;
};

static void collect_entry(const struct matrix_entry *entry, void *arg)
{
    struct entries *e = arg;

    if (entry->correspondent == XEN_SCHEDLOG_ACCT_NONE)
        return;
    if (e->nr == e->room) {
        e->room = e->room ? 2 * e->room : 64;
        e->entry = need_more_memory(e->entry, e->room, sizeof(*e->entry));
    }
    e->entry[e->nr++] = *entry;
}

/* Sorts by event, then by rate, highest first, then by numbers. */
static int compare_entries(const void *a, const void *b)
{
    const struct matrix_entry *x = a, *y = b;

    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    if (x->rate != y->rate)
        return x->rate > y->rate ? -1 : 1;
    if (x->current != y->current)
        return x->current < y->current ? -1 : 1;

    return x->correspondent < y->correspondent ? -1
                                               : x->correspondent >
                                                 y->correspondent;
}

struct works {
    struct work *work; /* [domain]; NULL: not computed yet */
    unsigned int nr_acct;
    unsigned int *of;  /* domains_by_acct() */
};

/* The work of the guest of an accounting domain, or NULL. */
static const struct work *work_of(const struct works *works, uint16_t acct)
{
    unsigned int domain = acct < works->nr_acct ? works->of[acct] : 0;
    const struct work *work = works->work && domain ? &works->work[domain - 1] : NULL;

    return work && work->unit < WORK_TIME ? work : NULL;
}

/* Adds the cost per unit of work of the guest in this pair; driver domains have no such cost. */
static void add_cost(json_object *json, const struct works *works,
                     const struct matrix_entry *entry)
{
    const struct work *from = work_of(works, entry->current);
    const struct work *to = work_of(works, entry->correspondent);
    const struct work *work = from ? from : to;

    if (!work || (from && to))
        return;
    json_add_real(json, "cost_us", work_cost(work) / 1e3, 2);
    json_add_text(json, "cost_per", work_unit_name(work->unit));
}

static json_object *pair_json(const struct core *core, const struct works *works,
                              const struct matrix_entry *entry)
{
    json_object *json = json_object_new_object();

    answer_add_acct(json, core, "from", "from_domid", "from_group", entry->current);
    answer_add_acct(json, core, "to", "to_domid", "to_group", entry->correspondent);
    json_add_real(json, "rate", entry->rate, 1);
    json_add_int(json, "total", entry->total);
    add_cost(json, works, entry);

    return json;
}

static json_object *pairs_by_event(const struct subject *s, const struct entries *e)
{
    json_object *events = json_object_new_object(), *array = NULL;
    struct works works;
    uint64_t for_ns;
    unsigned int i;

    works.work = watch_work_recent(s->core, s->now_ns, &for_ns);
    works.of = domains_by_acct(&s->core->domains, &works.nr_acct);
    for (i = 0; i < e->nr; i++) {
        if (!i || e->entry[i].event != e->entry[i - 1].event) {
            array = json_object_new_array();
            json_object_object_add(events,
                                   xensched_event_name(e->entry[i].event),
                                   array);
        }
        json_object_array_add(array, pair_json(s->core, &works, &e->entry[i]));
    }
    free(works.of);
    free(works.work);

    return events;
}

json_object *answer_matrix(struct subject *s, struct xensched_error *err)
{
    json_object *json = json_object_new_object();
    struct entries e = { 0 };

    (void)err;
    matrix_visit(s->core->matrix, s->now_ns, collect_entry, &e);
    if (e.nr)
        qsort(e.entry, e.nr, sizeof(*e.entry), compare_entries);
    json_add_int(json, "half_life_ms",
                 s->core->settings.half_life_ns / 1000000);
    json_object_object_add(json, "events", pairs_by_event(s, &e));
    free(e.entry);

    return json;
}

/* Processes. */

#define SECTORS_PER_KIB 2

struct entry {
    const struct process_io *io;
    double rate;
};

struct process_entries {
    unsigned int nr;
    struct entry entry[PROCESSES_MAX];
};

static void collect_processes(struct process_entries *e, const struct processes *p,
                              uint64_t now_ns)
{
    unsigned int i;

    e->nr = 0;
    for (i = 0; i < PROCESSES_MAX; i++) {
        const struct process_io *io = &p->io[i];

        if (io->at_ns && now_ns < io->at_ns + CORE_FORGET_NS)
            e->entry[e->nr++] = (struct entry){
                io, processes_rate(p, io, now_ns),
            };
    }
}

/* Sorts by rate, highest first, then by numbers. */
static int compare_processes(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->rate != y->rate)
        return x->rate > y->rate ? -1 : 1;
    if (x->io->pid != y->io->pid)
        return x->io->pid < y->io->pid ? -1 : 1;

    return x->io->back_end < y->io->back_end ? -1 : 1;
}

static json_object *describe_process(const struct core *core,
                                     const struct processes *p,
                                     const struct entry *entry)
{
    json_object *json = json_object_new_object();
    const struct process_io *io = entry->io;

    json_add_int(json, "pid", io->pid);
    json_add_text(json, "command", processes_name(p, io->pid));
    answer_add_acct(json, core, "to", "to_domid", "to_group", io->back_end);
    json_add_real(json, "rate", entry->rate / SECTORS_PER_KIB, 1);
    json_add_int(json, "total", io->total / SECTORS_PER_KIB);

    return json;
}

static json_object *processes_json(const struct subject *s, const struct processes *p)
{
    json_object *array = json_object_new_array();
    struct process_entries e;
    unsigned int i;

    collect_processes(&e, p, s->now_ns);
    if (e.nr)
        qsort(e.entry, e.nr, sizeof(*e.entry), compare_processes);
    for (i = 0; i < e.nr; i++)
        json_object_array_add(array, describe_process(s->core, p, &e.entry[i]));

    return array;
}

/* Fails with the reason for which there is nothing about @d. */
static json_object *refuse_guest(const struct subject *s, const struct domain *d,
                                 struct xensched_error *err)
{
    uint32_t process_io = 1U << XEN_SCHEDLOG_EV_PROCESS_IO;

    if (!(choice_events(&s->core->settings.choice, GUEST) & process_io))
        xensched_fail(err, ENODATA, "process-io is not logged (see --log of "
                      "xenschedd)");
    else if (!d->domid || d->nr_serves)
        xensched_fail(err, EINVAL, "%s serves others: only guests are asked "
                      "for their processes", d->domid ? d->name : "dom0");
    else if (!d->logs)
        xensched_fail(err, EPERM, "%s does not allow its log to be read: vm_affinity_log "
                      "= 1 in its configuration does", d->name);
    else
        xensched_fail(err, ENODATA, "the log of %s is not read yet: perhaps "
                      "another program reads it (xensched record)", d->name);

    return NULL;
}

json_object *answer_processes(struct subject *s, struct xensched_error *err)
{
    const struct domain *d = answer_domain(s, err);
    const struct log_source *source;
    json_object *json;

    if (!d)
        return NULL;
    source = s->sources ? log_sources_of_guest(s->sources, d) : NULL;
    if (!source)
        return refuse_guest(s, d, err);
    json = json_object_new_object();
    json_add_domain(json, "domain", "domid", d->domid, d->name);
    json_add_text(json, "source", log_source_state_name(source->state));
    json_add_text(json, "reason", source->reason);
    json_add_int(json, "half_life_ms",
                 s->core->settings.half_life_ns / 1000000);
    json_add_int(json, "replaced", source->processes->replaced);
    json_object_object_add(json, "processes", processes_json(s, source->processes));

    return json;
}
