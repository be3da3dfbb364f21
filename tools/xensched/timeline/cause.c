/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds up the reasons for which a vCPU ran late, and compares them. */
#include <string.h>

#include "cause.h"

/* Domains that had the pCPU, and hypercalls of them, are added up for this many. */
#define MOST_ACCTS 16U

struct culprit {
    uint16_t acct;
    uint64_t ran_ns; /* without Xen's work */
    uint64_t hypercalls_ns;
    struct xen_work_part hypercall; /* the longest one */
};

struct sums {
    struct culprit culprit[MOST_ACCTS];
    unsigned int nr;
    uint64_t interrupts_ns;
    struct xen_work_part interrupt; /* likewise */
};

void cause_work_of_holder(const struct timeline *t, const struct chain_link *link,
                          const struct chain_holder *h, struct xen_work_sum *sum)
{
    xen_work_between(&t->xen_work, &t->stays, link->cpu, h->stay->acct, h->begin,
                     h->begin + h->ns, sum);
}

void cause_work_in_run(const struct timeline *t, const struct chain_link *link,
                       struct xen_work_sum *sum)
{
    uint64_t end = link->did > link->ran ? link->did : link->end;

    xen_work_between(&t->xen_work, &t->stays, link->cpu, t->vcpus.vcpu[link->vcpu].acct,
                     link->ran, end, sum);
}

void cause_work_before_wake(const struct timeline *t, const struct chain_link *link,
                            struct xen_work_piece *piece)
{
    memset(piece, 0, sizeof(*piece));
    if (link->slept != STAY_NEVER && !link->wake)
        xen_work_longest_before(&t->xen_work, &t->stays, link->cpu, link->slept, link->ready,
                                piece);
}

uint64_t cause_late_ns(const struct timeline *t, const struct chain_link *link)
{
    struct xen_work_piece piece;
    struct xen_work_sum work;

    cause_work_before_wake(t, link, &piece);
    cause_work_in_run(t, link, &work);

    return link->ran - link->ready + work.interrupts_ns + piece.part.ns;
}

static struct culprit *culprit_of(struct sums *sums, uint16_t acct)
{
    unsigned int i;

    for (i = 0; i < sums->nr; i++)
        if (sums->culprit[i].acct == acct)
            return &sums->culprit[i];
    if (sums->nr == MOST_ACCTS)
        return NULL;
    sums->culprit[sums->nr] = (struct culprit){ .acct = acct };

    return &sums->culprit[sums->nr++];
}

static void keep_longer(struct xen_work_part *most, const struct xen_work_part *part)
{
    if (part->ns > most->ns)
        *most = *part;
}

static void add_interrupts(struct sums *sums, const struct xen_work_sum *work)
{
    unsigned int i;

    sums->interrupts_ns += work->interrupts_ns;
    for (i = 0; i < work->nr; i++)
        if (xen_work_is_interrupt(&work->part[i]))
            keep_longer(&sums->interrupt, &work->part[i]);
}

/* While @acct had the pCPU for @ns, Xen did @work. */
static void add_holder(struct sums *sums, uint16_t acct, uint64_t ns,
                       const struct xen_work_sum *work)
{
    struct culprit *culprit = culprit_of(sums, acct);
    unsigned int i;

    add_interrupts(sums, work);
    if (!culprit)
        return;
    culprit->ran_ns += ns > work->ns ? ns - work->ns : 0;
    culprit->hypercalls_ns += work->ns - work->interrupts_ns;
    for (i = 0; i < work->nr; i++)
        if (!xen_work_is_interrupt(&work->part[i]))
            keep_longer(&culprit->hypercall, &work->part[i]);
}

/* A piece of work before the wake-up. */
static void add_piece(struct sums *sums, const struct xen_work_piece *piece)
{
    struct culprit *culprit = culprit_of(sums, piece->acct);

    if (xen_work_is_interrupt(&piece->part)) {
        sums->interrupts_ns += piece->part.ns;
        keep_longer(&sums->interrupt, &piece->part);
    } else if (culprit) {
        culprit->hypercalls_ns += piece->part.ns;
        keep_longer(&culprit->hypercall, &piece->part);
    }
}

static void keep_larger(struct cause *cause, enum cause_kind kind, uint64_t ns, uint16_t acct,
                        const struct xen_work_part *most)
{
    static const struct xen_work_part none;

    if (ns > cause->ns)
        *cause = (struct cause){ kind, ns, acct, cause->from, most ? *most : none };
}

/* The pCPU where it was before was switched off, or may no longer be used. */
static bool had_to_move(const struct timeline *t, const struct xensched_off_cpu *off,
                        uint32_t from)
{
    return (off->left && !strcmp(off->left, "migrated")) ||
           (from != STAY_NONE &&
            cpumap_test(&t->rows.names.offline, t->stays.cpu[from].id));
}

/* Why the vCPU was off its pCPU outweighs what ran there meanwhile. */
static bool was_kept_off(struct cause *cause, const struct timeline *t,
                         const struct chain_link *link)
{
    struct xensched_off_cpu off = { 0 };
    bool capped;

    chain_off_cpu(t, link, &off);
    capped = off.capped || (off.left && !strcmp(off.left, "capped"));
    if (!capped && !had_to_move(t, &off, cause->from))
        return false;
    keep_larger(cause, capped ? CAUSE_BUDGET : CAUSE_MOVED, cause_late_ns(t, link),
                XEN_SCHEDLOG_ACCT_NONE, NULL);

    return true;
}

/* The pCPU on which it ran before, if that was another one. */
static uint32_t came_from(const struct timeline *t, const struct chain_link *link)
{
    const struct stay *stay = stays_at(&t->stays.cpu[link->cpu], link->ran);

    return stay && stay->from != link->cpu ? stay->from : STAY_NONE;
}

void cause_find(struct cause *cause, const struct timeline *t, const struct chain_link *link)
{
    struct chain_holder h = { 0 };
    struct sums sums = { 0 };
    struct xen_work_piece piece;
    struct xen_work_sum work;
    unsigned int i;

    *cause = (struct cause){
        .kind = CAUSE_NONE, .acct = XEN_SCHEDLOG_ACCT_NONE, .from = came_from(t, link),
    };
    if (was_kept_off(cause, t, link))
        return;
    while (chain_next_holder(t, link, &h)) {
        cause_work_of_holder(t, link, &h, &work);
        add_holder(&sums, h.stay->acct, h.ns, &work);
    }
    /* Its own hypercalls are its work, and delay nothing. */
    cause_work_in_run(t, link, &work);
    add_interrupts(&sums, &work);
    cause_work_before_wake(t, link, &piece);
    if (piece.part.ns)
        add_piece(&sums, &piece);
    keep_larger(cause, CAUSE_INTERRUPTS, sums.interrupts_ns, XEN_SCHEDLOG_ACCT_NONE,
                &sums.interrupt);
    for (i = 0; i < sums.nr; i++) {
        const struct culprit *c = &sums.culprit[i];

        keep_larger(cause, c->acct == XEN_SCHEDLOG_ACCT_XEN ? CAUSE_IDLE : CAUSE_DOMAIN,
                    c->ran_ns, c->acct, NULL);
        keep_larger(cause, CAUSE_HYPERCALLS, c->hypercalls_ns, c->acct, &c->hypercall);
    }
    /* The pCPU where it was before is the reason, not the one that stood by. */
    if (cause->kind == CAUSE_IDLE && cause->from != STAY_NONE)
        cause->kind = CAUSE_MOVED;
}
