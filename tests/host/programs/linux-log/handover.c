/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In a guest, or in dom0: two threads on one vCPU that hand over to each other through pipes, and
 * compare the log's rows about them with what they know.
 *
 * Usage: handover ROUNDS
 *        handover --no-log ROUNDS
 *        handover --cost ROUNDS
 *        handover --cost-logged ROUNDS
 *
 * Each notes the TSC when it gets the turn and before it passes it on, and the kernel's counts of
 * their context switches.  Then one of them competes with a program that computes, and starts
 * another one by vfork().  Prints a number per line, with a name:
 *
 *   rounds       ROUNDS
 *   notes        times that were noted: 4 per round
 *   running      ... at which, according to the log, this thread ran there
 *   woken        times that one was woken by the other one, at least ...
 *   unwoken      ... and slept and ran again without a wake-up
 *   voluntary    by the kernel's count, of both; then by rows
 *   taken        likewise: the vCPU was taken from it
 *   disk-sleep   rows about waiting for the other program's exec
 *   ended        rows about the end of this thread
 *   names        of both threads, as the log has them at the end
 *   process      number of correct PIDs of their process, of 2
 *   others       all other rows
 *
 * With --no-log another program reads the log; it prints only
 *
 *   cpu-ms       for how long the first thread ran, by the kernel's count
 *
 * With --cost it only hands over, and prints the cost of the cheapest and the median round; with
 * --cost-logged with the log on, too:
 *
 *   ticks        of the TSC, twice
 *   rows         of one round, on average
 */
#include <err.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xenctrl.h>
#include <xensched/abi.h>

#include "linux-log.h"
#include "own-domid.h"
#include "ticks.h"

#define MAX_ROUNDS 10000
#define MAX_ROWS   (1 << 20)

#define PID(row)   ((row)->counter & XEN_SCHEDLOG_PID_MASK)
#define OTHER(row) ((row)->counter >> XEN_SCHEDLOG_OTHER_PID_SHIFT & \
                    XEN_SCHEDLOG_PID_MASK)
#define STATE(row) ((char)((row)->counter >> XEN_SCHEDLOG_SWITCH_STATE_SHIFT))

/* A thread: its own facts, and those of rows. */
static struct side {
    pid_t tid;
    int in, out;               /* ends of pipes */
    uint64_t got[MAX_ROUNDS];  /* TSC when it got the turn ... */
    uint64_t gave[MAX_ROUNDS]; /* ... and before it passed it on */
    uint64_t begin, end;       /* between these its kernel counted ... */
    long voluntary, taken;     /* ... context switches */

    long rows_voluntary, rows_taken, woken, unwoken;
    bool asleep;
    char name[16];
    pid_t process;
} first, second;

static unsigned int rounds;
static struct linux_log_row *rows; /* those of the one vCPU */
static size_t nr_rows;
static uint16_t self;
static unsigned long others;
static pid_t started;

static void count_switches(long *voluntary, long *taken)
{
    struct rusage usage;

    if (getrusage(RUSAGE_THREAD, &usage))
        err(1, "getrusage");
    *voluntary = usage.ru_nvcsw;
    *taken = usage.ru_nivcsw;
}

/* Reads the kernel's counts, and a time at which they held. */
static uint64_t count_now(struct side *s, int sign)
{
    long voluntary, taken, later_voluntary, later_taken;
    uint64_t tsc;

    do {
        count_switches(&voluntary, &taken);
        tsc = ticks();
        count_switches(&later_voluntary, &later_taken);
    } while (voluntary != later_voluntary || taken != later_taken);
    s->voluntary += sign * voluntary;
    s->taken += sign * taken;

    return tsc;
}

static void get(struct side *s, unsigned int i)
{
    char word;

    if (read(s->in, &word, 1) != 1)
        err(1, "read");
    s->got[i] = ticks();
}

static void give(struct side *s, unsigned int i)
{
    s->gave[i] = ticks();
    if (write(s->out, "x", 1) != 1)
        err(1, "write");
}

static void *second_thread(void *arg)
{
    unsigned int i;

    (void)arg;
    second.tid = gettid();
    /* Its name is longer than the kernel keeps. */
    prctl(PR_SET_NAME, "<i>hands back</i>");
    second.begin = count_now(&second, -1);
    for (i = 0; i < rounds; i++) {
        get(&second, i);
        give(&second, i);
    }
    second.end = count_now(&second, 1);

    return NULL;
}

/* Both want the vCPU for a while. */
static void compete(void)
{
    time_t end = time(NULL) + 2;
    pid_t child = fork();

    while (!child)
        ;
    if (child < 0)
        err(1, "fork");
    while (time(NULL) < end)
        ;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void start_another(void)
{
    started = vfork();
    if (!started) {
        execl("/bin/true", "true", NULL);
        _exit(1);
    }
    if (started < 0)
        err(1, "vfork");
    waitpid(started, NULL, 0);
}

static void hand_over(void)
{
    pthread_t thread;
    unsigned int i;

    if (pthread_create(&thread, NULL, second_thread, NULL))
        errx(1, "no second thread");
    for (i = 0; i < rounds; i++) {
        give(&first, i);
        get(&first, i);
    }
    pthread_join(thread, NULL);
}

static void work(void)
{
    first.begin = count_now(&first, -1);
    hand_over();
    compete();
    start_another();
    first.end = count_now(&first, 1);
}

/* The log's rows. */

static void take(uint32_t cpu, const struct linux_log_row *row, void *arg)
{
    (void)arg;
    if (cpu)
        return;
    if (nr_rows == MAX_ROWS)
        errx(99, "too many rows");
    rows[nr_rows++] = *row;
}

static int by_time(const void *a, const void *b)
{
    const struct linux_log_row *x = a, *y = b;

    return x->tsc < y->tsc ? -1 : x->tsc > y->tsc;
}

static void note_switch(struct side *s, const struct linux_log_row *row)
{
    bool counts = row->tsc > s->begin && row->tsc < s->end;

    if (OTHER(row) == (uint64_t)s->tid) {
        s->rows_taken += counts && STATE(row) == 'R';
        s->rows_voluntary += counts && STATE(row) != 'R';
        s->asleep = STATE(row) == 'S';
    } else if (PID(row) == (uint64_t)s->tid) {
        s->unwoken += s->asleep && counts;
        s->asleep = false;
    }
}

static void note_wake(struct side *s, const struct side *by,
                      const struct linux_log_row *row)
{
    if (PID(row) != (uint64_t)s->tid)
        return;
    s->asleep = false;
    s->woken += OTHER(row) == (uint64_t)by->tid &&
                !(row->counter & XEN_SCHEDLOG_WAKE_INTERRUPT);
}

static void note_name(struct side *s, const struct linux_log_row *row)
{
    unsigned int part = row->counter >> XEN_SCHEDLOG_NAME_PART_SHIFT &
                        XEN_SCHEDLOG_NAME_PART_MASK;
    uint64_t rest = row->counter >> XEN_SCHEDLOG_NAME_TEXT_SHIFT;
    unsigned int i;

    if (PID(row) != (uint64_t)s->tid)
        return;
    if (part == XEN_SCHEDLOG_NAME_PROCESS) {
        s->process = rest;
        return;
    }
    if (!part)
        memset(s->name, 0, sizeof(s->name));
    for (i = 0; i < XEN_SCHEDLOG_NAME_TEXT_BYTES; i++)
        s->name[part * XEN_SCHEDLOG_NAME_TEXT_BYTES + i] = rest >> 8 * i;
}

static void note(const struct linux_log_row *row)
{
    if (row->current != self || row->correspondent != XEN_SCHEDLOG_ACCT_NONE) {
        others++;
    } else if (row->event == XEN_SCHEDLOG_EV_GUEST_SWITCH) {
        note_switch(&first, row);
        note_switch(&second, row);
    } else if (row->event == XEN_SCHEDLOG_EV_GUEST_WAKE) {
        note_wake(&first, &second, row);
        note_wake(&second, &first, row);
    } else if (row->event == XEN_SCHEDLOG_EV_GUEST_NAME) {
        note_name(&first, row);
        note_name(&second, row);
    } else {
        others++;
    }
}

/* Returns the thread that has the vCPU at @tsc, by the latest row of a switch before it. */
static pid_t running_at(uint64_t tsc)
{
    size_t low = 0, high = nr_rows;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (rows[middle].tsc <= tsc)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0)
        if (rows[low].event == XEN_SCHEDLOG_EV_GUEST_SWITCH)
            return PID(&rows[low]);

    return -1;
}

static unsigned int times_running(const struct side *s)
{
    unsigned int i, nr = 0;

    for (i = 0; i < rounds; i++)
        nr += (running_at(s->got[i]) == s->tid) +
              (running_at(s->gave[i]) == s->tid);

    return nr;
}

static unsigned long leaving(pid_t pid, const char *states)
{
    unsigned long nr = 0;
    size_t i;

    for (i = 0; i < nr_rows; i++)
        nr += rows[i].event == XEN_SCHEDLOG_EV_GUEST_SWITCH &&
              OTHER(&rows[i]) == (uint64_t)pid && STATE(&rows[i]) &&
              strchr(states, STATE(&rows[i]));

    return nr;
}

static void print(void)
{
    size_t i;

    qsort(rows, nr_rows, sizeof(*rows), by_time);
    for (i = 0; i < nr_rows; i++)
        note(&rows[i]);
    printf("rounds %u\nnotes %u\n", rounds, 4 * rounds);
    printf("running %u\n", times_running(&first) + times_running(&second));
    printf("woken %ld\n", first.woken + second.woken);
    printf("unwoken %ld\n", first.unwoken + second.unwoken);
    printf("voluntary %ld %ld\n", first.voluntary + second.voluntary,
           first.rows_voluntary + second.rows_voluntary);
    printf("taken %ld %ld\n", first.taken + second.taken,
           first.rows_taken + second.rows_taken);
    printf("disk-sleep %lu\n", leaving(first.tid, "D"));
    printf("ended %lu\n", leaving(started, "XZ"));
    printf("names %s %s\n", first.name, second.name);
    printf("process %d\n", (first.process == getpid()) +
           (second.process == getpid()));
    printf("others %lu\n", others);
}

static void print_time(void)
{
    struct timespec ran;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
    printf("cpu-ms %ld\n", ran.tv_sec * 1000L + ran.tv_nsec / 1000000);
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void print_cost(void)
{
    static uint64_t ticks[MAX_ROUNDS];
    unsigned int i;

    for (i = 0; i < rounds; i++)
        ticks[i] = first.got[i] - first.gave[i];
    qsort(ticks, rounds, sizeof(*ticks), by_size);
    printf("ticks %llu %llu\n", (unsigned long long)ticks[0],
           (unsigned long long)ticks[rounds / 2]);
    printf("rows %.1f\n", (double)nr_rows / rounds);
}

static void turn_on(void)
{
    linux_log_set_up();
    linux_log_route(self % LINUX_LOG_NR_ACCT, 1);
    linux_log_turn_on(1U << XEN_SCHEDLOG_EV_GUEST_SWITCH |
                      1U << XEN_SCHEDLOG_EV_GUEST_WAKE |
                      1U << XEN_SCHEDLOG_EV_GUEST_NAME);
}

static void turn_off(void)
{
    linux_log_turn_on(0);
    if (!linux_log_rows(take, NULL))
        errx(99, "a log buffer was too small");
    linux_log_release();
}

static void prepare(void)
{
    int forth[2], back[2];
    cpu_set_t one;

    rows = calloc(MAX_ROWS, sizeof(*rows));
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    if (!rows || pipe(forth) || pipe(back) ||
        sched_setaffinity(0, sizeof(one), &one))
        err(1, "cannot begin");
    first = (struct side){ .tid = gettid(), .in = back[0], .out = forth[1] };
    second = (struct side){ .in = forth[0], .out = back[1] };
}

int main(int argc, char **argv)
{
    const char *how = argc == 3 ? argv[1] : "";
    bool cost = !strncmp(how, "--cost", 6);
    bool log = !*how || !strcmp(how, "--cost-logged");

    if (argc < 2 || argc > 3)
        errx(2, "usage: handover [--no-log|--cost|--cost-logged] ROUNDS");
    rounds = atoi(argv[argc - 1]);
    if (rounds < 1 || rounds > MAX_ROUNDS)
        errx(2, "from 1 to %u rounds", MAX_ROUNDS);
    self = own_domid();
    prepare();
    if (log)
        turn_on();
    if (cost)
        hand_over();
    else
        work();
    if (log)
        turn_off();
    if (cost)
        print_cost();
    else if (log)
        print();
    else
        print_time();

    return 0;
}
