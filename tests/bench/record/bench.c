/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bench - what recording an event costs, beside what else one could do.
 *
 * Usage: bench ROUNDS
 *
 * In each round all cases have their turn, so that whatever else happens on
 * the machine meets them all.  A turn is a batch of events between two reads
 * of the TSC; a smaller one before it, which isn't measured, brings back what
 * the other cases drove out of the caches.
 *
 * Prints lines "case NAME CYCLES", one per round and case, and lines
 * "scaling PRODUCERS CYCLES", one per round: TSC cycles per event, with the
 * loop around it.  "round WAITED_NS TOOK_NS" tells how long this thread waited for
 * its CPU while the cases of a round had their turn, "steal STOLEN_NS TOOK_NS" how
 * long a hypervisor below kept that CPU from running.  report.py makes sense of
 * them.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "schedlog-record.h"
#include "sites.h"

#define WARM_UP 512
#define BATCH 4096
#define SCALING_BATCH 32768
#define SCALING_EVERY 2     /* rounds per measured one */

#define NR_ACCT 16
#define HYPERVISORS_OWN 64
#define NR_FILES 4
#define FILE_USED 3
#define ROW_FILE_SIZE 4096

#define LCR(entry) XEN_SCHEDLOG_LCR_##entry
#define IDS (LCR(EVENT) | LCR(CURRENT) | LCR(CORRESPONDENT))
/* What the daemon asks for, mostly: the handler has a path of its own for it. */
#define PLAIN (IDS | LCR(COUNTER) | LCR(TIME_TSC))
#define FIVE (IDS | LCR(COUNTER) | LCR(TIME_TSC) | LCR(TIME64))
/* One row as large as the smallest log buffer. */
#define COUNTING (LCR(COUNTER) | LCR(ADD) | 4 << LCR(PAD_SHIFT))

struct measured {
    const char *name;
    void (*run)(void *arg, unsigned int nr);
    void *arg;
    unsigned int row_size;      /* bytes that the record handler writes */
};

static void *allocate(size_t size)
{
    void *p = aligned_alloc(4096, (size + 4095) & ~4095UL);

    if (!p) {
        perror("bench: memory");
        exit(1);
    }

    return memset(p, 0, size);
}

static uint64_t *routes(uint32_t threshold)
{
    uint64_t *route = allocate(NR_ACCT * XEN_SCHEDLOG_NR_EVENTS * 8);

    for (int i = 0; i < NR_ACCT * XEN_SCHEDLOG_NR_EVENTS; i++)
        route[i] = XEN_SCHEDLOG_ROUTE_VALID | threshold |
                   (uint64_t)FILE_USED << XEN_SCHEDLOG_ROUTE_FILE_SHIFT;

    return route;
}

/*
 * What one pCPU has, as in Xen: shared regions in pages of their own, and so is
 * private memory, which begins with what the hypervisor keeps beside it.
 */
static struct schedlog_cpu *new_cpu(const uint64_t *route, uint32_t lcr,
                                    uint32_t file_size)
{
    const size_t size = sizeof(struct schedlog_cpu) +
                        NR_FILES * sizeof(struct schedlog_file);
    uint8_t *private = allocate(HYPERVISORS_OWN + size);
    struct schedlog_cpu *cpu = (void *)(private + HYPERVISORS_OWN);
    struct xen_schedlog_state *state = allocate(NR_FILES * sizeof(*state));
    uint32_t *control = allocate(NR_FILES * sizeof(*control));
    uint8_t *data = allocate(NR_FILES * file_size);

    control[FILE_USED] = lcr;
    cpu->lcr = control;
    cpu->route = route;
    cpu->skipped = allocate(NR_ACCT * XEN_SCHEDLOG_NR_EVENTS * 4);
    cpu->acct_mask = NR_ACCT - 1;
    cpu->file_mask = NR_FILES - 1;
    for (int i = 0; i < NR_FILES; i++)
        schedlog_init_file(&cpu->file[i], data + i * file_size, file_size,
                           &state[i]);

    return cpu;
}

static struct schedlog_cpu *new_case(uint32_t lcr, uint32_t threshold)
{
    return new_cpu(routes(threshold), lcr,
                   (lcr & LCR(ADD)) ? XEN_SCHEDLOG_MIN_FILE_SIZE :
                                      ROW_FILE_SIZE);
}

static uint64_t now(void)
{
    uint64_t tsc;

    __builtin_ia32_lfence();
    tsc = __builtin_ia32_rdtsc();
    __builtin_ia32_lfence();

    return tsc;
}

static double cycles_per_event(const struct measured *m, unsigned int nr)
{
    uint64_t start = now();

    m->run(m->arg, nr);

    return (double)(now() - start) / nr;
}

/* Other processes on the CPU. */

static uint64_t time_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* How long this thread was to run, and another one did; 0: Linux does not tell. */
static uint64_t waited_ns(void)
{
    uint64_t waited = 0;
    FILE *f = fopen("/proc/thread-self/schedstat", "r");

    if (!f)
        return 0;
    if (fscanf(f, "%*u %" SCNu64, &waited) != 1)
        waited = 0;
    fclose(f);

    return waited;
}

static uint64_t stolen_ns(int cpu)
{
    uint64_t ticks = 0, found;
    char line[512];
    int number;
    FILE *f = fopen("/proc/stat", "r");

    if (!f)
        return 0;
    while (fgets(line, sizeof(line), f))
        if (sscanf(line, "cpu%d %*u %*u %*u %*u %*u %*u %*u %" SCNu64, &number,
                   &found) == 2 && number == cpu)
            ticks = found;
    fclose(f);

    return ticks * (1000000000ULL / sysconf(_SC_CLK_TCK));
}

/*
 * Producers.  All of them start together, each on its own CPU and with its own
 * area; the routes are shared, as in Xen.
 */
struct producer {
    pthread_t thread;
    int cpu;
    struct schedlog_cpu *log;
    double cycles;
};

static const uint64_t *shared_route;
static pthread_barrier_t gate;
static int arrived;

static void *produce(void *arg)
{
    struct producer *p = arg;
    const struct measured m = { "scaling", run_record, p->log, 16 };
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(p->cpu, &set);
    if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set)) {
        perror("bench: affinity");
        exit(1);
    }
    m.run(m.arg, WARM_UP);

    /* Sleep until all threads exist, spin until all of them run. */
    pthread_barrier_wait(&gate);
    __atomic_sub_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&arrived, __ATOMIC_SEQ_CST) > 0)
        __builtin_ia32_pause();

    p->cycles = cycles_per_event(&m, SCALING_BATCH);

    return NULL;
}

/* All producers at once; the mean of what an event costs each. */
static double scaling_round(struct producer *p, int nr)
{
    double sum = 0;

    pthread_barrier_init(&gate, NULL, nr);
    arrived = nr;
    for (int i = 0; i < nr; i++)
        if (pthread_create(&p[i].thread, NULL, produce, &p[i])) {
            perror("bench: thread");
            exit(1);
        }
    for (int i = 0; i < nr; i++) {
        pthread_join(p[i].thread, NULL);
        sum += p[i].cycles;
    }
    pthread_barrier_destroy(&gate);

    return sum / nr;
}

/* Each of them alone, one after the other: the same memory, the same CPUs. */
static double alone_round(struct producer *p, int nr)
{
    double sum = 0;

    for (int i = 0; i < nr; i++)
        sum += scaling_round(&p[i], 1);

    return sum / nr;
}

/* 1, 2, 3 ... 8, 16, 32 ... and all there are. */
static int more_producers(int nr, int all)
{
    if (nr < 8)
        return nr + 1;

    return nr < all && 2 * nr > all ? all : 2 * nr;
}

/* One producer per CPU that this program may use. */
static int new_producers(struct producer **producers)
{
    cpu_set_t set;
    int nr = 0;

    if (sched_getaffinity(0, sizeof(set), &set)) {
        perror("bench: affinity");
        exit(1);
    }
    shared_route = routes(0);
    *producers = calloc(CPU_COUNT(&set), sizeof(**producers));
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set)) {
            (*producers)[nr].cpu = cpu;
            (*producers)[nr].log = new_cpu(shared_route, IDS | LCR(COUNTER),
                                           ROW_FILE_SIZE);
            nr++;
        }

    return nr;
}

static void pin_to(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set)) {
        perror("bench: affinity");
        exit(1);
    }
}

/* Fills @m, returns how many there are. */
static int new_cases(struct measured *m)
{
    static struct plain_buffer buffer;
    const struct measured all[] = {
        { "core", run_core_cycles, NULL, 0 },
        { "empty", run_empty, NULL, 0 },
        { "disabled", run_disabled, NULL, 0 },
        { "rdtsc", run_rdtsc, NULL, 0 },
        { "memcpy_row", run_memcpy_row, &buffer, 0 },
        { "entries0", run_record, new_case(0, 0), 0 },
        { "entries1", run_record, new_case(LCR(COUNTER), 0), 4 },
        { "entries4", run_record, new_case(IDS | LCR(COUNTER), 0), 16 },
        { "entries5_tsc32", run_record, new_case(PLAIN, 0), 16 },
        { "entries5_tsc", run_record, new_case(FIVE, 0), 32 },
        { "counting", run_record, new_case(COUNTING, 0), 16 },
        { "threshold_skip", run_record,
          new_case(IDS | LCR(COUNTER), UINT32_MAX), 0 },
        { "domain_skip", run_domain_skip, new_case(IDS | LCR(COUNTER), 0), 0 },
        { "xen_trace", run_xen_trace, NULL, 0 },
        { "xen_trace_no_time", run_xen_trace_no_time, NULL, 0 },
#ifdef WITH_LTTNG
        { "lttng_ust", run_lttng_ust, NULL, 0 },
#endif
    };
    int nr = sizeof(all) / sizeof(all[0]);

    buffer.data = allocate(ROW_FILE_SIZE);
    buffer.mask = ROW_FILE_SIZE - 1;
    xen_trace_set_up();
    memcpy(m, all, sizeof(all));
#ifdef WITH_LTTNG
    if (!lttng_is_on())
        nr--;
#endif

    return nr;
}

/* What was measured is what happened: each event made a row, or none did. */
static void check_rows(const struct measured *m, long rounds)
{
    const struct schedlog_cpu *cpu = m->arg;
    const uint64_t events = (uint64_t)rounds * (WARM_UP + BATCH);

    if (m->run != run_record && m->run != run_domain_skip)
        return;
    if (cpu->file[FILE_USED].state->pos != events * m->row_size) {
        fprintf(stderr, "bench: %s wrote other rows than it should have\n",
                m->name);
        exit(1);
    }
}

static void run_cases(const struct measured *m, int nr)
{
    uint64_t begin = time_ns(), waited = waited_ns();

    for (int i = 0; i < nr; i++) {
        m[i].run(m[i].arg, WARM_UP);
        printf("case %s %.3f\n", m[i].name, cycles_per_event(&m[i], BATCH));
    }
    printf("round %" PRIu64 " %" PRIu64 "\n", waited_ns() - waited,
           time_ns() - begin);
}

int main(int argc, char **argv)
{
    struct measured m[32];
    struct producer *producers;
    int nr_cases, nr_producers, cpu;
    uint64_t begin, stolen;
    long rounds;

    if (argc != 2 || (rounds = atol(argv[1])) <= 0) {
        fprintf(stderr, "usage: bench ROUNDS\n");
        return 2;
    }

    nr_producers = new_producers(&producers);
    cpu = producers[nr_producers - 1].cpu;
    pin_to(cpu);
    nr_cases = new_cases(m);
    begin = time_ns();
    stolen = stolen_ns(cpu);

    for (long round = 0; round < rounds; round++) {
        run_cases(m, nr_cases);
        if (round % SCALING_EVERY)
            continue;
        printf("scaling 1 %.3f\n", alone_round(producers, nr_producers));
        for (int nr = 2; nr <= nr_producers;
             nr = more_producers(nr, nr_producers))
            printf("scaling %d %.3f\n", nr, scaling_round(producers, nr));
    }
    printf("steal %" PRIu64 " %" PRIu64 "\n", stolen_ns(cpu) - stolen,
           time_ns() - begin);
    for (int i = 0; i < nr_cases; i++)
        check_rows(&m[i], rounds);

    return 0;
}
