/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the event guest-runq of xensched_guest: it counts the runnable tasks of a run queue, on a
 * Linux that leaves sleeping tasks on their run queue for some time.
 *
 * Includes the module's own files, and the part of xensched_log that turns events on.
 */
#include "cmocka-tap.h"

#include "world.h"

#include "core/events.c"
#include "guest/point.c"
#include "guest/delayed.c"
#undef pr_fmt
#include "guest/runq.c"

#define RUNQ (1U << XEN_SCHEDLOG_EV_GUEST_RUNQ)
#define WAKE (1U << XEN_SCHEDLOG_EV_GUEST_WAKE)
#define NO_ROW 9999U

unsigned int world_cpu;
struct task_struct *current;
struct mutex xensched_log_mutex;
DEFINE_PER_CPU(struct schedlog_cpu *, xensched_log_cpu);

static struct schedlog_cpu log_of[WORLD_CPUS];
static struct rq queues[WORLD_CPUS];
static struct task_struct idle = { .pid = 0 }, worker = { .pid = 7 };
static nr_running_probe *sees_changes;
static u64 row = NO_ROW;

static struct tracepoint points[] = {
    { .name = "sched_switch" },
    { .name = "sched_migrate_task" },
};
#define SWITCHES (&points[0])
#define MIGRATIONS (&points[1])

void for_each_kernel_tracepoint(void (*look)(struct tracepoint *tp, void *data),
                                void *data)
{
    size_t i;

    for ( i = 0; i < ARRAY_SIZE(points); i++ )
        look(&points[i], data);
}

int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data)
{
    (void)data;
    if ( tp->refuses )
        return -tp->refuses;
    assert_null(tp->probe);
    tp->probe = probe;

    return 0;
}

int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data)
{
    (void)data;
    assert_ptr_equal(tp->probe, probe);
    tp->probe = NULL;

    return 0;
}

int register_trace_sched_update_nr_running_tp(nr_running_probe *probe,
                                              void *data)
{
    (void)data;
    sees_changes = probe;

    return 0;
}

int unregister_trace_sched_update_nr_running_tp(nr_running_probe *probe,
                                                void *data)
{
    (void)probe;
    (void)data;
    sees_changes = NULL;

    return 0;
}

static void change_queue(int change)
{
    queues[0].nr_running += change;
    if ( sees_changes )
        sees_changes(NULL, &queues[0], change);
}

void usleep_range(unsigned long min, unsigned long max)
{
    (void)min;
    (void)max;
    change_queue(-1);
    change_queue(1);
}

void schedlog_record(struct schedlog_cpu *cpu, unsigned int event, u16 acct,
                     u16 correspondent, u64 count)
{
    (void)cpu;
    (void)acct;
    (void)correspondent;
    assert_int_equal(event, XEN_SCHEDLOG_EV_GUEST_RUNQ);
    row = count;
}

u16 xensched_log_acct(u16 domid)
{
    return domid;
}

void xensched_doorbell_tick(const struct schedlog_cpu *cpu)
{
    (void)cpu;
}

/* Switches the CPU from one task to another one.  Returns the count of the row. */
static u64 switch_tasks(unsigned int cpu, struct task_struct *prev,
                        struct task_struct *next)
{
    void (*probe)(void *data, bool preempt, struct task_struct *prev,
                  struct task_struct *next, unsigned int state) =
        SWITCHES->probe;

    world_cpu = cpu;
    row = NO_ROW;
    if ( probe )
        probe(NULL, false, prev, next, 1);

    return row;
}

static void migrate(struct task_struct *task, unsigned int cpu)
{
    void (*probe)(void *data, struct task_struct *task, int cpu) =
        MIGRATIONS->probe;

    if ( probe )
        probe(NULL, task, cpu);
    task->cpu = cpu;
}

/* Lets the worker sleep on CPU 0, on whose run queue of two tasks it stays. */
static void worker_sleeps(void)
{
    queues[0].nr_running = 2;
    worker.se.sched_delayed = 1;
    assert_int_equal(switch_tasks(0, &worker, &idle), 1);
}

static int set_up(void **state)
{
    unsigned int cpu;

    (void)state;
    for ( cpu = 0; cpu < WORLD_CPUS; cpu++ )
    {
        xensched_log_cpu[cpu] = &log_of[cpu];
        queues[cpu].nr_running = 1;
    }
    world_cpu = 0;
    current = &worker;
    worker.cpu = 0;
    worker.se.sched_delayed = 0;
    memset(&probe, 0, sizeof(probe));
    xensched_runq_init();
    assert_true(provided);

    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    xensched_apply_events(0);
    xensched_runq_exit();
    MIGRATIONS->refuses = 0;
    provided = false;
    assert_null(SWITCHES->probe);
    assert_null(MIGRATIONS->probe);

    return 0;
}

static void test_sleeper_is_not_runnable(void **state)
{
    (void)state;
    xensched_apply_events(RUNQ);
    worker_sleeps();
    assert_int_equal(switch_tasks(0, &idle, &idle), 1);
    worker.se.sched_delayed = 0;
    assert_int_equal(switch_tasks(0, &idle, &worker), 2);
}

/* A scheduler sets its events again whenever it renews its request. */
static void test_events_set_again(void **state)
{
    (void)state;
    xensched_apply_events(RUNQ);
    worker_sleeps();
    xensched_apply_events(RUNQ);
    assert_int_equal(switch_tasks(0, &idle, &idle), 1);
}

static void test_other_event_turned_on(void **state)
{
    (void)state;
    xensched_apply_events(RUNQ);
    worker_sleeps();
    xensched_apply_events(RUNQ | WAKE);
    assert_int_equal(switch_tasks(0, &idle, &idle), 1);
}

static void test_off_and_on_forgets(void **state)
{
    (void)state;
    xensched_apply_events(RUNQ);
    worker_sleeps();
    xensched_apply_events(0);
    xensched_apply_events(RUNQ);
    assert_int_equal(switch_tasks(0, &idle, &idle), 2);
}

/* The task may end on its other CPU: the module must keep no pointer to it. */
static void test_migrated_sleeper_is_forgotten(void **state)
{
    (void)state;
    xensched_apply_events(RUNQ);
    worker_sleeps();
    migrate(&worker, 1);
    queues[0].nr_running = 1;
    assert_int_equal(switch_tasks(0, &idle, &idle), 1);
}

static void test_migrations_not_seen(void **state)
{
    (void)state;
    MIGRATIONS->refuses = ENOMEM;
    xensched_apply_events(RUNQ);
    worker.se.sched_delayed = 1;
    assert_int_equal(switch_tasks(0, &worker, &idle), NO_ROW);
    migrate(&worker, 1);
    assert_int_equal(switch_tasks(0, &idle, &idle), NO_ROW);

    MIGRATIONS->refuses = 0;
    xensched_apply_events(0);
    xensched_apply_events(RUNQ);
    worker_sleeps();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sleeper_is_not_runnable, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_events_set_again, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_other_event_turned_on, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_off_and_on_forgets, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_migrated_sleeper_is_forgotten,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_migrations_not_seen, set_up,
                                        tear_down),
    };

    return run_tap_tests(tests);
}
