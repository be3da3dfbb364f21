/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The present second is added up in tables, by number; when it is
 * over, what is not 0 is written to a ring of words.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>

#include "base/alloc.h"
#include "waits.h"

#define NS_PER_S 1000000000ULL

/* Decoded at a time: 32 bytes each, to stay in the nearest cache. */
#define BLOCK_ROWS 64

#define EVENT(NAME) (1U << XEN_SCHEDLOG_EV_##NAME)

/*
 * Domains are known by an identity of 16 bits, which is used once: accounting domains are
 * used again.  The first ones have a fixed meaning.
 */
enum { NOBODY, XEN = WAITS_XEN, REST, COUNTED, OFFLINE, CAUSED, MOVED, FIRST_IDENTITY };
#define NR_IDENTITIES 65536U

/* Words of the history: of one domain that waited, ... */
#define WHO_SHIFT    48 /* identity */
#define NR_FOR_SHIFT 40 /* words of the second kind that follow */
#define NR_FOR_MAX   (255U - 3 - WAITS_CAUSES)
#define NR_BUCKETS_SHIFT 32 /* and then halves of the third kind */
#define NS_UNIT      64U /* low 32 bits: time in this unit, of 274 s at most */
/*
 * ... of what Xen counts (COUNTED, OFFLINE), or of one cause (CAUSED, the cause instead of the
 * numbers), or, in the place of the time, how often it moved, all with identity and time as
 * above; or of one that it waited for, by one cause, ...
 */
#define NR_SHIFT     32 /* 16 bits, saturating */
#define NR_MAX       65535U
#define CAUSE_SHIFT  28
#define FOR_UNIT     1024U /* low 28 bits: time in this unit, of 274 s at most */
#define FOR_MAX      0xfffffffU
/* ... of its waits after wake-ups, two in a word. */
#define BUCKET_SHIFT 24
#define BUCKET_MAX   0xffffffU

struct identity {
    uint16_t acct;
    int64_t domid;
    char *name;
};

struct culprit {
    uint32_t key; /* accounting domain; cause << 16 */
    uint64_t ns, nr;
};

/* What one accounting domain has in the present second. */
struct waiter {
    uint16_t acct;
    bool active;
    uint8_t cause;   /* of its latest wait, which is that of its parts, ... */
    uint32_t weight; /* as is this */
    uint64_t ns, counted_ns, offline_ns, moves;
    unsigned int nr, room;
    struct culprit *culprit;
    uint64_t by_ns[WAITS_CAUSES];
    uint32_t bucket[WAITS_BUCKETS];
};

struct second {
    uint64_t number;
    uint64_t begin, end; /* words ever written */
};

struct waits {
    const struct matrix *matrix;
    struct identity *identity; /* [NR_IDENTITIES] */
    unsigned int next_identity;
    unsigned int nr_accts;
    uint16_t *identity_of; /* [acct]; NOBODY: none yet */
    struct waiter **waiter; /* [acct]; NULL: none yet */

    uint64_t now_s;
    unsigned int nr_active, active_room;
    uint16_t *active; /* accounting domains which have waited in this second */

    uint64_t *word;
    size_t nr_words;
    uint64_t pos; /* words ever written */
    struct second second[WAITS_SECONDS]; /* [number % WAITS_SECONDS] */
};

struct waits *waits_new(const struct matrix *m, size_t bytes)
{
    struct waits *w = need_memory(1, sizeof(*w));

    w->matrix = m;
    w->identity = need_memory(NR_IDENTITIES, sizeof(*w->identity));
    w->next_identity = FIRST_IDENTITY;
    w->identity[NOBODY] = (struct identity){ XEN_SCHEDLOG_ACCT_NONE, -1, NULL };
    w->identity[XEN] = (struct identity){ XEN_SCHEDLOG_ACCT_XEN, -1, need_string("(xen)") };
    w->identity[REST] = (struct identity){ XEN_SCHEDLOG_ACCT_REST, -1,
                                           need_string("(not bound)") };
    w->nr_words = bytes / sizeof(*w->word);
    w->word = need_memory(w->nr_words, sizeof(*w->word));

    return w;
}

static void free_waiter(struct waiter *waiter)
{
    if (waiter)
        free(waiter->culprit);
    free(waiter);
}

void waits_free(struct waits *w)
{
    unsigned int i;

    if (!w)
        return;
    for (i = 0; i < w->nr_accts; i++)
        free_waiter(w->waiter[i]);
    for (i = 0; i < NR_IDENTITIES; i++)
        free(w->identity[i].name);
    free(w->identity);
    free(w->identity_of);
    free(w->waiter);
    free(w->active);
    free(w->word);
    free(w);
}

bool waits_takes(uint32_t events)
{
    return events & (EVENT(WAKE_DELAY) | EVENT(PREEMPT_DELAY) | EVENT(WAIT_PART) |
                     EVENT(MIGRATE));
}

/* Identities. */

static void need_acct(struct waits *w, uint16_t acct)
{
    unsigned int nr = w->nr_accts, more = acct + 1U - nr;

    if (acct < nr)
        return;
    w->identity_of = need_more_memory(w->identity_of, acct + 1U, sizeof(*w->identity_of));
    w->waiter = need_more_memory(w->waiter, acct + 1U, sizeof(struct waiter *));
    memset(w->identity_of + nr, 0, more * sizeof(*w->identity_of));
    memset(w->waiter + nr, 0, more * sizeof(struct waiter *));
    w->nr_accts = acct + 1U;
}

static bool is_used(const struct waits *w, unsigned int who)
{
    uint16_t acct = w->identity[who].acct;

    return acct < w->nr_accts && w->identity_of[acct] == who;
}

static uint16_t new_identity(struct waits *w, uint16_t acct)
{
    unsigned int who;

    do {
        who = w->next_identity;
        if (++w->next_identity == NR_IDENTITIES)
            w->next_identity = FIRST_IDENTITY;
    } while (is_used(w, who));
    free(w->identity[who].name);
    w->identity[who] = (struct identity){ acct, -1, NULL };

    return who;
}

static uint16_t identity_of(struct waits *w, uint16_t acct)
{
    if (acct == XEN_SCHEDLOG_ACCT_NONE)
        return NOBODY;
    if (acct == XEN_SCHEDLOG_ACCT_XEN)
        return XEN;
    if (acct == XEN_SCHEDLOG_ACCT_REST)
        return REST;
    need_acct(w, acct);
    if (!w->identity_of[acct])
        w->identity_of[acct] = new_identity(w, acct);

    return w->identity_of[acct];
}

void waits_name(struct waits *w, uint16_t acct, int64_t domid, const char *name)
{
    struct identity *i = &w->identity[identity_of(w, acct)];

    i->domid = domid;
    if (i->name && !strcmp(i->name, name))
        return;
    free(i->name);
    i->name = need_string(name);
}

/* A domain that is forgotten left some seconds ago, so the present second has no row of it. */
void waits_forget(struct waits *w, uint16_t acct)
{
    if (acct < w->nr_accts)
        w->identity_of[acct] = NOBODY;
}

/* The present second. */

static struct waiter *waiter_of(struct waits *w, uint16_t acct)
{
    struct waiter *waiter;

    need_acct(w, acct);
    waiter = w->waiter[acct];
    if (!waiter) {
        waiter = w->waiter[acct] = need_memory(1, sizeof(*waiter));
        waiter->acct = acct;
        waiter->weight = 1;
    }
    if (waiter->active)
        return waiter;
    waiter->active = true;
    if (w->nr_active == w->active_room) {
        w->active_room = w->active_room ? 2 * w->active_room : 64;
        w->active = need_more_memory(w->active, w->active_room, sizeof(*w->active));
    }
    w->active[w->nr_active++] = acct;

    return waiter;
}

static void add_culprit(struct waiter *waiter, uint16_t acct, uint64_t ns)
{
    uint32_t key = acct | (uint32_t)waiter->cause << 16;
    unsigned int i;

    for (i = 0; i < waiter->nr; i++)
        if (waiter->culprit[i].key == key)
            break;
    if (i == waiter->nr) {
        if (waiter->nr == waiter->room) {
            waiter->room = waiter->room ? 2 * waiter->room : 4;
            waiter->culprit = need_more_memory(waiter->culprit, waiter->room,
                                               sizeof(*waiter->culprit));
        }
        waiter->culprit[waiter->nr++] = (struct culprit){ .key = key };
    }
    waiter->culprit[i].ns += waiter->weight * ns;
    waiter->culprit[i].nr += waiter->weight;
}

static unsigned int bucket_of(uint64_t ns)
{
    unsigned int bucket = ns ? 63 - __builtin_clzll(ns) : 0;

    return bucket < WAITS_BUCKETS ? bucket : WAITS_BUCKETS - 1;
}

static void add_wait(struct waits *w, struct waiter *waiter, const struct xensched_row *row)
{
    uint64_t ns;

    waiter->weight = matrix_threshold(w->matrix, row->event, row->current);
    waiter->cause = waits_cause_of(row);
    ns = waiter->weight * row->counter;
    waiter->ns += ns;
    if (waiter->cause != WAITS_WOKEN)
        waiter->by_ns[waiter->cause] += ns;
    if (waiter->cause < WAITS_PREEMPTED && !(row->reason & XEN_SCHEDLOG_REASON_CUT))
        waiter->bucket[bucket_of(row->counter)] += waiter->weight;
}

static bool is_wait(const struct xensched_row *row)
{
    return row->event == XEN_SCHEDLOG_EV_WAKE_DELAY ||
           row->event == XEN_SCHEDLOG_EV_PREEMPT_DELAY;
}

static void add_row(struct waits *w, const struct xensched_row *row)
{
    const uint16_t needed = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                            XENSCHED_ROW_COUNTER;
    struct waiter *waiter;

    if ((row->valid & needed) != needed || row->event >= XEN_SCHEDLOG_NR_EVENTS ||
        !waits_takes(1U << row->event))
        return;
    waiter = waiter_of(w, row->current);
    if (row->event == XEN_SCHEDLOG_EV_MIGRATE) {
        waiter->moves += matrix_threshold(w->matrix, row->event, row->current);
        return;
    }
    if (is_wait(row))
        add_wait(w, waiter, row);
    /* Of a wait or of a part. */
    if (row->valid & XENSCHED_ROW_CORRESPONDENT &&
        row->correspondent != XEN_SCHEDLOG_ACCT_NONE)
        add_culprit(waiter, row->correspondent, row->counter);
}

/* When it is over. */

static uint64_t time_word(uint64_t ns)
{
    uint64_t units = ns / NS_UNIT;

    return units < UINT32_MAX ? units : UINT32_MAX;
}

/* Rounded: of many short waits, the error is as often above as below. */
static uint64_t for_time(uint64_t ns)
{
    uint64_t units = (ns + FOR_UNIT / 2) / FOR_UNIT;

    return units < FOR_MAX ? units : FOR_MAX;
}

static void put(struct waits *w, uint64_t word)
{
    w->word[w->pos++ % w->nr_words] = word;
}

static int is_shorter(const void *a, const void *b)
{
    const struct culprit *x = a, *y = b;

    return (x->ns < y->ns) - (x->ns > y->ns);
}

static unsigned int write_buckets(struct waits *w, const struct waiter *waiter)
{
    unsigned int i, nr = 0;
    uint64_t half, word = 0;

    for (i = 0; i < WAITS_BUCKETS; i++) {
        if (!waiter->bucket[i])
            continue;
        half = waiter->bucket[i] < BUCKET_MAX ? waiter->bucket[i] : BUCKET_MAX;
        half |= (uint64_t)i << BUCKET_SHIFT;
        word |= nr++ % 2 ? half << 32 : half;
        if (nr % 2)
            continue;
        put(w, word);
        word = 0;
    }
    if (nr % 2)
        put(w, word);

    return nr;
}

/* Returns how many words it took, which is none for nothing. */
static unsigned int write_sum(struct waits *w, uint64_t what, uint64_t number)
{
    if (number)
        put(w, what << WHO_SHIFT | number);

    return !!number;
}

static void write_waiter(struct waits *w, struct waiter *waiter)
{
    uint64_t head = w->pos++, nr, i;
    unsigned int nr_for = waiter->nr < NR_FOR_MAX ? waiter->nr : NR_FOR_MAX;

    if (waiter->nr)
        qsort(waiter->culprit, waiter->nr, sizeof(*waiter->culprit), is_shorter);
    for (i = 0; i < nr_for; i++) {
        const struct culprit *c = &waiter->culprit[i];

        nr = c->nr < NR_MAX ? c->nr : NR_MAX;
        put(w, (uint64_t)identity_of(w, (uint16_t)c->key) << WHO_SHIFT | nr << NR_SHIFT |
               (uint64_t)(c->key >> 16) << CAUSE_SHIFT | for_time(c->ns));
    }
    nr_for += write_sum(w, COUNTED, time_word(waiter->counted_ns));
    nr_for += write_sum(w, OFFLINE, time_word(waiter->offline_ns));
    for (i = WAITS_WOKEN + 1; i < WAITS_CAUSES; i++)
        if (waiter->by_ns[i])
            nr_for += write_sum(w, CAUSED, i << NR_SHIFT | time_word(waiter->by_ns[i]));
    nr_for += write_sum(w, MOVED, waiter->moves < UINT32_MAX ? waiter->moves : UINT32_MAX);
    nr = write_buckets(w, waiter);
    w->word[head % w->nr_words] = (uint64_t)identity_of(w, waiter->acct) << WHO_SHIFT |
                                  (uint64_t)nr_for << NR_FOR_SHIFT |
                                  nr << NR_BUCKETS_SHIFT | time_word(waiter->ns);
    waiter->active = false;
    waiter->ns = waiter->counted_ns = waiter->offline_ns = waiter->moves = 0;
    memset(waiter->by_ns, 0, sizeof(waiter->by_ns));
    waiter->nr = 0;
    memset(waiter->bucket, 0, sizeof(waiter->bucket));
}

static void write_second(struct waits *w)
{
    struct second *s = &w->second[w->now_s % WAITS_SECONDS];
    unsigned int i;

    s->number = w->now_s;
    s->begin = w->pos;
    for (i = 0; i < w->nr_active; i++)
        write_waiter(w, w->waiter[w->active[i]]);
    w->nr_active = 0;
    s->end = w->pos;
}

void waits_pass(struct waits *w, uint64_t now_ns)
{
    uint64_t now_s = now_ns / NS_PER_S;

    if (now_s <= w->now_s)
        return;
    if (w->now_s)
        write_second(w);
    /* Seconds that were skipped have no waits. */
    while (w->now_s && ++w->now_s < now_s && w->now_s + WAITS_SECONDS > now_s)
        write_second(w);
    w->now_s = now_s;
}

void waits_add_batch(struct waits *w, const struct xensched_batch *batch, uint64_t now_ns)
{
    struct xensched_row rows[BLOCK_ROWS];
    size_t i, nr, first = 0;

    waits_pass(w, now_ns);
    while ((nr = xensched_batch_decode(batch, first, rows, BLOCK_ROWS))) {
        for (i = 0; i < nr; i++)
            add_row(w, &rows[i]);
        first += nr;
    }
}

void waits_count(struct waits *w, uint16_t acct, uint64_t ns, uint64_t offline_ns,
                 uint64_t now_ns)
{
    struct waiter *waiter;

    waits_pass(w, now_ns);
    if (acct < XEN_SCHEDLOG_ACCT_FIRST || !(ns || offline_ns))
        return;
    waiter = waiter_of(w, acct);
    waiter->counted_ns += ns;
    waiter->offline_ns += offline_ns;
}

/* Questions. */

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

/* By identity, until names are looked up. */
struct asking {
    const struct waits *w;
    struct waits_report *report;
    unsigned int *of; /* [identity]: index + 1 */
};

static struct waits_end end_of(const struct waits *w, uint16_t who)
{
    const struct identity *i = &w->identity[who];

    return (struct waits_end){
        .identity = who,
        .domid = i->domid,
        .name = i->name,
        .group = who >= FIRST_IDENTITY && i->domid < 0 && i->name,
    };
}

static struct waits_of *entry_of(struct asking *a, uint16_t who)
{
    struct waits_report *r = a->report;

    if (!a->of[who]) {
        if (!(r->nr & (r->nr - 1)))
            r->of = need_more_memory(r->of, r->nr ? 2 * r->nr : 1, sizeof(*r->of));
        r->of[r->nr] = (struct waits_of){ .who = end_of(a->w, who) };
        a->of[who] = ++r->nr;
    }

    return &r->of[a->of[who] - 1];
}

static void add_culprit_word(struct asking *a, struct waits_of *of, uint64_t word)
{
    struct waits_end whom = end_of(a->w, word >> WHO_SHIFT);
    unsigned int i = 0, cause = word >> CAUSE_SHIFT & 0xf;
    uint64_t ns, nr;

    while (i < of->nr_for && of->whom[i].whom.identity != whom.identity)
        i++;
    if (i == of->nr_for) {
        if (!(i & (i - 1)))
            of->whom = need_more_memory(of->whom, i ? 2 * i : 1, sizeof(*of->whom));
        of->whom[of->nr_for++] = (struct waits_for){ .whom = whom };
    }
    ns = (word & FOR_MAX) * FOR_UNIT;
    nr = word >> NR_SHIFT & NR_MAX;
    of->whom[i].all.ns += ns;
    of->whom[i].all.nr += nr;
    of->whom[i].by[cause].ns += ns;
    of->whom[i].by[cause].nr += nr;
}

static void add_for(struct asking *a, struct waits_of *of, uint64_t word)
{
    uint64_t low = word & UINT32_MAX;

    switch (word >> WHO_SHIFT) {
    case COUNTED:
        of->counted_ns += low * NS_UNIT;
        break;
    case OFFLINE:
        of->offline_ns += low * NS_UNIT;
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
        unsigned int nr_for = head >> NR_FOR_SHIFT & 0xff, i;
        unsigned int nr_buckets = head >> NR_BUCKETS_SHIFT & 0xff;
        struct waits_of *of = entry_of(a, head >> WHO_SHIFT);

        of->ns += (head & UINT32_MAX) * NS_UNIT;
        for (i = 0; i < nr_for; i++)
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

static uint64_t most(const struct waits_of *of)
{
    return of->ns > of->counted_ns ? of->ns : of->counted_ns;
}

static int of_is_shorter(const void *a, const void *b)
{
    const struct waits_of *x = a, *y = b;

    return (most(x) < most(y)) - (most(x) > most(y));
}

/* Of all causes but being woken there are sums. */
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

static void finish(struct waits_report *r)
{
    unsigned int i, k;

    for (i = 0; i < r->nr; i++) {
        struct waits_of *of = &r->of[i];
        uint64_t known = 0;

        for (k = 0; k < of->nr_for; k++)
            known += of->whom[k].all.ns;
        of->unknown_ns = of->ns > known ? of->ns - known : 0;
        sum_causes(of);
        if (of->nr_for)
            qsort(of->whom, of->nr_for, sizeof(*of->whom), for_is_shorter);
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
    finish(report);
}

void waits_report_free(struct waits_report *report)
{
    unsigned int i;

    for (i = 0; i < report->nr; i++)
        free(report->of[i].whom);
    free(report->of);
    *report = (struct waits_report){ 0 };
}

const struct waits_of *waits_find(const struct waits *w,
                                  const struct waits_report *report, uint16_t acct)
{
    uint16_t who = acct < w->nr_accts ? w->identity_of[acct] : NOBODY;
    unsigned int i;

    for (i = 0; who && i < report->nr; i++)
        if (report->of[i].who.identity == who)
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

/* Within a power of two, waits are taken to lie evenly. */
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
