/* SPDX-License-Identifier: GPL-2.0-only */
/* Schedules synthetic vCPUs at random, and logs them as Xen would. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "timeline-world.h"

#define NO_VCPU UINT32_MAX
#define BEGIN_NS 1000000000ULL
#define TICK_NS 10000000U
#define NR_FILES 4U
#define ROOM 4096U
#define HELD 65536U

enum { FILE_SERVICE, FILE_WAKE, FILE_MIGRATE, FILE_EVTCHN };

struct buffer {
    uint8_t bytes[ROOM];
    size_t length;
    uint64_t pos, lost_rows, lost_bytes, rows;
};

/* The holder of a pCPU, and when it began. */
struct holder {
    uint16_t acct;
    uint64_t begin;
};

struct world {
    const struct world_options *options;
    struct world_numbers *n;
    struct xensched_recorder *recorder;
    struct xensched_layout layout;
    uint64_t state; /* of the pseudo random numbers */
    uint64_t now, stamp; /* the time, and the latest time stamp of all */
    uint32_t running[WORLD_CPUS]; /* vCPU, or NO_VCPU: idle */
    uint64_t reported[WORLD_CPUS];
    struct holder held[WORLD_CPUS][HELD];
    unsigned int nr_held[WORLD_CPUS];
    struct buffer buffer[WORLD_CPUS][NR_FILES];
};

static const char host[] =
    "{\"topology\":\"1x3\",\"domains\":["
    "{\"domid\":0,\"name\":\"Domain-0\",\"acct\":2,\"vcpus\":[{},{}]},"
    "{\"domid\":1,\"name\":\"one\",\"acct\":3,\"vcpus\":[{}]},"
    "{\"domid\":2,\"name\":\"two\",\"acct\":4,\"vcpus\":[{}]},"
    "{\"domid\":3,\"name\":\"<b>\\\"three</script>\",\"acct\":5,\"vcpus\":[{}]},"
    "{\"domid\":4,\"name\":\"four\",\"acct\":6,\"vcpus\":[{}]}]}";

static uint32_t random_below(struct world *w, uint32_t limit)
{
    w->state = w->state * 6364136223846793005ULL + 1442695040888963407ULL;

    return (w->state >> 33) % limit;
}

static void flush(struct world *w, uint32_t cpu, unsigned int file)
{
    struct buffer *b = &w->buffer[cpu][file];
    struct xensched_batch batch = {
        .cpu = cpu,
        .file = file,
        .layout = w->layout,
        .pos = b->pos,
        .lost_rows = b->lost_rows,
        .lost_bytes = b->lost_bytes,
        .time_ns = w->now + 1000,
        .rows = b->bytes,
        .length = b->length,
    };

    if (!b->length)
        return;
    b->pos += b->length;
    if (random_below(w, 100) < w->options->lose) {
        b->lost_rows += b->rows;
        b->lost_bytes += b->length;
        w->n->lost_rows += b->rows;
    } else {
        assert_int_equal(xensched_recorder_write(w->recorder, &batch, NULL),
                         0);
        w->n->rows += b->rows;
        b->lost_rows = b->lost_bytes = 0;
    }
    b->length = b->rows = 0;
}

static void put(uint8_t *row, uint8_t offset, uint64_t value, size_t size)
{
    memcpy(row + offset, &value, size);
}

static void log_row(struct world *w, uint32_t cpu, unsigned int file,
                    uint16_t event, uint16_t current, uint16_t correspondent,
                    uint64_t counter)
{
    struct buffer *b = &w->buffer[cpu][file];
    const struct xensched_layout *l = &w->layout;
    uint64_t cycles = w->stamp * (WORLD_TSC_KHZ / 1000) / 1000;
    uint8_t *row = b->bytes + b->length;

    memset(row, 0, l->size);
    put(row, l->event, event, 2);
    put(row, l->current, current, 2);
    put(row, l->correspondent, correspondent, 2);
    put(row, l->counter, counter, l->counter_size);
    put(row, l->time, cycles >> xensched_layout_tsc_shift(l), l->time_size);
    b->length += l->size;
    b->rows++;
    if (b->length + l->size > ROOM || !random_below(w, 40))
        flush(w, cpu, file);
}

static uint16_t acct_on(const struct world *w, uint32_t cpu)
{
    uint32_t v = w->running[cpu];

    return v == NO_VCPU ? XEN_SCHEDLOG_ACCT_XEN
                        : WORLD_ACCT(w->n->vcpu[v].domain);
}

/* Logs what @current used since the last such row.  The recording begins with one. */
static void log_service(struct world *w, uint32_t cpu, uint16_t current,
                        uint16_t correspondent)
{
    if (current != XEN_SCHEDLOG_ACCT_XEN || !w->options->naps ||
        w->now == BEGIN_NS)
        log_row(w, cpu, FILE_SERVICE, XEN_SCHEDLOG_EV_SERVICE_NS, current,
                correspondent, w->now - w->reported[cpu]);
    w->reported[cpu] = w->now;
}

static void change(struct world *w, uint32_t vcpu, enum world_state state)
{
    struct world_vcpu *v = &w->n->vcpu[vcpu];

    v->ns[v->state] += w->now - v->since;
    v->since = w->now;
    if (v->state == WORLD_RUNNING)
        memcpy(v->known, v->ns, sizeof(v->known));
    v->state = state;
}

static void hold(struct world *w, uint32_t cpu, uint16_t acct)
{
    assert_true(w->nr_held[cpu] < HELD);
    w->held[cpu][w->nr_held[cpu]++] = (struct holder){ acct, w->now };
}

/* Logs the holders of the pCPU since @begin: in one row, or one row for each of several. */
static void log_wait(struct world *w, uint32_t cpu, uint16_t acct, uint64_t begin)
{
    const struct holder *held = w->held[cpu];
    unsigned int nr = w->nr_held[cpu], first = nr - 1, i;

    while (first && held[first].begin > begin)
        first--;
    log_row(w, cpu, FILE_WAKE, XEN_SCHEDLOG_EV_WAKE_DELAY, acct,
            first == nr - 1 && w->options->culprits ? held[first].acct
                                                    : XEN_SCHEDLOG_ACCT_NONE,
            w->now - begin);
    for (i = first; w->options->culprits && first < nr - 1 && i < nr; i++) {
        uint64_t from = held[i].begin > begin ? held[i].begin : begin;

        log_row(w, cpu, FILE_WAKE, XEN_SCHEDLOG_EV_WAIT_PART, acct, held[i].acct,
                (i + 1 < nr ? held[i + 1].begin : w->now) - from);
    }
}

/* Logs what Xen logs when @vcpu begins to run on @cpu. */
static void log_beginning(struct world *w, uint32_t cpu, uint32_t vcpu)
{
    struct world_vcpu *v = &w->n->vcpu[vcpu];
    uint16_t acct = WORLD_ACCT(v->domain);

    if (v->woken) {
        log_wait(w, cpu, acct, v->woken);
        w->n->wake_wait_ns += w->now - v->woken;
    }
    if (v->last_cpu != NO_VCPU && v->last_cpu != cpu)
        log_row(w, cpu, FILE_MIGRATE, XEN_SCHEDLOG_EV_MIGRATE, acct,
                XEN_SCHEDLOG_ACCT_NONE, (uint64_t)v->last_cpu << 16 | cpu);
    v->woken = 0;
    v->last_cpu = v->cpu = cpu;
    v->runs++;
}

/* Gives the pCPU to @next, if there is one; its holder gets @state. */
static void give(struct world *w, uint32_t cpu, uint32_t next,
                 enum world_state state)
{
    uint32_t prev = w->running[cpu];
    uint16_t from = acct_on(w, cpu);

    if (w->options->late && !random_below(w, 20))
        w->stamp += random_below(w, 3000000);
    if (prev != NO_VCPU) {
        change(w, prev, state);
        w->n->vcpu[prev].cpu = NO_VCPU;
    }
    if (next != NO_VCPU) {
        change(w, next, WORLD_RUNNING);
        log_beginning(w, cpu, next);
    }
    w->running[cpu] = next;
    hold(w, cpu, acct_on(w, cpu));
    log_service(w, cpu, from, acct_on(w, cpu));
}

static void tick(struct world *w)
{
    uint32_t cpu;

    for (cpu = 0; cpu < WORLD_CPUS; cpu++)
        log_service(w, cpu, acct_on(w, cpu), XEN_SCHEDLOG_ACCT_NONE);
}

/* Returns a vCPU that could run there, of another domain than the holder, or none. */
static uint32_t candidate(struct world *w, uint32_t cpu)
{
    unsigned int first = random_below(w, WORLD_VCPUS), i;

    for (i = 0; i < WORLD_VCPUS; i++) {
        uint32_t vcpu = (first + i) % WORLD_VCPUS;
        const struct world_vcpu *v = &w->n->vcpu[vcpu];

        if (v->state == WORLD_RUNNABLE && WORLD_ACCT(v->domain) !=
            acct_on(w, cpu))
            return vcpu;
    }

    return NO_VCPU;
}

static void use_idle(struct world *w)
{
    uint32_t cpu, next;

    for (cpu = 0; cpu < WORLD_CPUS; cpu++)
        if (w->running[cpu] == NO_VCPU &&
            (next = candidate(w, cpu)) != NO_VCPU)
            give(w, cpu, next, WORLD_RUNNABLE);
}

static void wake(struct world *w, uint32_t vcpu)
{
    struct world_vcpu *v = &w->n->vcpu[vcpu];
    uint32_t cpu = random_below(w, WORLD_CPUS);
    uint16_t sender = acct_on(w, cpu);

    if (v->state != WORLD_BLOCKED)
        return;
    if (sender == WORLD_ACCT(v->domain) || sender == XEN_SCHEDLOG_ACCT_XEN)
        sender = 0; /* a timer */
    if (!sender && w->options->culprits)
        sender = WORLD_ACCT((v->domain + 1) % WORLD_DOMAINS);
    if (sender) {
        log_row(w, cpu, FILE_EVTCHN, XEN_SCHEDLOG_EV_EVTCHN_RECV,
                WORLD_ACCT(v->domain), sender, 1);
        w->n->wakes++;
    }
    change(w, vcpu, WORLD_RUNNABLE);
    v->woken = w->now;
}

static void pass(struct world *w, uint32_t ns)
{
    w->now += ns;
    if (w->stamp < w->now)
        w->stamp = w->now;
}

/* The vCPU blocks, and returns before another one could have the pCPU. */
static void nap(struct world *w, uint32_t cpu)
{
    uint32_t vcpu = w->running[cpu];

    give(w, cpu, NO_VCPU, WORLD_BLOCKED);
    pass(w, 2000);
    change(w, vcpu, WORLD_RUNNABLE);
    w->n->vcpu[vcpu].woken = w->now;
    pass(w, 1000);
    give(w, cpu, vcpu, WORLD_RUNNABLE);
}

static void step(struct world *w)
{
    uint32_t cpu = random_below(w, WORLD_CPUS);
    /* Events are far enough apart for the order of two rows to be known. */
    uint64_t before = w->now;

    pass(w, 20000 + random_below(w, 200000));
    if (before / TICK_NS != w->now / TICK_NS)
        tick(w);
    switch (random_below(w, 4)) {
    case 0:
        if (w->running[cpu] == NO_VCPU)
            break;
        if (w->options->naps && random_below(w, 2))
            nap(w, cpu);
        else
            give(w, cpu, candidate(w, cpu), WORLD_BLOCKED);
        break;
    case 1:
        if (w->running[cpu] != NO_VCPU && candidate(w, cpu) != NO_VCPU)
            give(w, cpu, candidate(w, cpu), WORLD_RUNNABLE);
        break;
    default:
        wake(w, random_below(w, WORLD_VCPUS));
        break;
    }
    use_idle(w);
}

static void begin(struct world *w, const char *path)
{
    uint32_t lcr = XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                   XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER |
                   XEN_SCHEDLOG_LCR_TIME_TSC;
    uint32_t i;

    lcr |= w->options->small ? 10U << XEN_SCHEDLOG_LCR_TSC_SHIFT
                             : XEN_SCHEDLOG_LCR_TIME64 |
                               XEN_SCHEDLOG_LCR_COUNTER64;
    xensched_layout(lcr, &w->layout);
    assert_int_equal(w->layout.size, w->options->small ? 16 : 32);
    assert_int_equal(xensched_recorder_open(path, WORLD_TSC_KHZ, 0,
                                            &w->recorder, NULL), 0);
    assert_int_equal(xensched_recorder_host(w->recorder, BEGIN_NS, host,
                                            strlen(host), NULL), 0);
    w->now = w->stamp = w->n->begin = BEGIN_NS;
    for (i = 0; i < WORLD_CPUS; i++) {
        w->running[i] = NO_VCPU;
        w->reported[i] = w->now;
        hold(w, i, XEN_SCHEDLOG_ACCT_XEN);
    }
    for (i = 0; i < WORLD_VCPUS; i++)
        w->n->vcpu[i] = (struct world_vcpu){
            .state = WORLD_BLOCKED,
            .domain = i < 2 ? 0 : i - 1,
            .cpu = NO_VCPU,
            .last_cpu = NO_VCPU,
            .since = w->now,
        };
    tick(w);
}

static void end(struct world *w)
{
    uint32_t cpu;
    unsigned int file;

    for (cpu = 0; cpu < WORLD_CPUS; cpu++)
        if (w->running[cpu] != NO_VCPU && !w->options->cut)
            give(w, cpu, NO_VCPU, WORLD_BLOCKED);
    if (!w->options->cut)
        tick(w);
    w->n->end = w->now;
    for (cpu = 0; cpu < WORLD_CPUS; cpu++)
        for (file = 0; file < NR_FILES; file++)
            flush(w, cpu, file);
    assert_int_equal(xensched_recorder_close(w->recorder, NULL), 0);
}

void world_record(const char *path, const struct world_options *options,
                  struct world_numbers *numbers)
{
    struct world *w = calloc(1, sizeof(*w));
    unsigned int i;

    assert_non_null(w);
    memset(numbers, 0, sizeof(*numbers));
    w->options = options;
    w->n = numbers;
    w->state = options->seed;
    begin(w, path);
    for (i = 0; i < options->steps; i++)
        step(w);
    end(w);
    free(w);
}
