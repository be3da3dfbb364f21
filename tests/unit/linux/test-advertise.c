/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Advertises the log of a domain through xenstore: rows have the numbers that xenstore
 * has, and a restart waits until the scheduler has unmapped the log.
 *
 * Includes the module's own file.
 */
#include <stdarg.h>

#include "cmocka-tap.h"

#include "world.h"

#include "xensched_events.h"
#include "core/advertise.c"

#define EVENT "8"
#define EVENT_MASK 8U

unsigned int world_cpu;
struct mutex xensched_log_mutex;

static struct node {
    char path[64], value[256];
} nodes[32];
static struct notifier_block *reboots;
static struct xenbus_watch *request_watch;

static struct {
    u32 events;
    unsigned int regions;           /* number of regions of the log's pages */
    unsigned int number_given;      /* a domain's number in xenstore */
    unsigned int number_known;      /* its number in the module's table */
    unsigned int number_of_rows;    /* its number in rows, since events were turned on */
    int refuses;                    /* errno value of reading numbers, or 0 */
    bool waited;                    /* a restart waited for the scheduler */
    void (*scheduler)(void);        /* the scheduler's action in the meantime */
} world;

/* xenstore */

static struct node *find_node(const char *dir, const char *name)
{
    char path[64];
    size_t i;

    snprintf(path, sizeof(path), "%s%s%s", dir, *name ? "/" : "", name);
    for ( i = 0; i < ARRAY_SIZE(nodes); i++ )
        if ( !strcmp(nodes[i].path, path) )
            return &nodes[i];

    return NULL;
}

static const char *value_of(const char *dir, const char *name)
{
    const struct node *node = find_node(dir, name);

    return node ? node->value : NULL;
}

static void put_node(const char *dir, const char *name, const char *value)
{
    struct node *node = find_node(dir, name);

    if ( !node )
        node = find_node("", "");
    assert_non_null(node);
    snprintf(node->path, sizeof(node->path), "%s%s%s", dir, *name ? "/" : "",
             name);
    snprintf(node->value, sizeof(node->value), "%s", value);
}

void *xenbus_read(struct xenbus_transaction t, const char *dir,
                  const char *name, unsigned int *length)
{
    const char *value = value_of(dir, name);

    return value ? strdup(value) : ERR_PTR(-ENOENT);
}

unsigned int xenbus_read_unsigned(const char *dir, const char *name,
                                  unsigned int missing)
{
    const char *value = value_of(dir, name);

    return value ? strtoul(value, NULL, 10) : missing;
}

int xenbus_exists(struct xenbus_transaction t, const char *dir,
                  const char *name)
{
    return !!find_node(dir, name);
}

int xenbus_write(struct xenbus_transaction t, const char *dir,
                 const char *name, const char *value)
{
    put_node(dir, name, value);

    return 0;
}

int xenbus_printf(struct xenbus_transaction t, const char *dir,
                  const char *name, const char *format, ...)
{
    char value[64];
    va_list args;

    va_start(args, format);
    vsnprintf(value, sizeof(value), format, args);
    va_end(args);
    put_node(dir, name, value);

    return 0;
}

int xenbus_rm(struct xenbus_transaction t, const char *dir, const char *name)
{
    struct node *node = find_node(dir, name);

    if ( !node )
        return -ENOENT;
    memset(node, 0, sizeof(*node));

    return 0;
}

int register_xenbus_watch(struct xenbus_watch *watch)
{
    request_watch = watch;

    return 0;
}

int register_xenstore_notifier(struct notifier_block *block)
{
    return block->notifier_call(block, 0, NULL);
}

int register_reboot_notifier(struct notifier_block *block)
{
    reboots = block;

    return 0;
}

int unregister_reboot_notifier(struct notifier_block *block)
{
    reboots = NULL;

    return 0;
}

/* Work */

void queue_delayed_work(void *queue, struct delayed_work *work,
                        unsigned long delay)
{
    work->work.pending = true;
}

static void run_work(void)
{
    unsigned int rounds = 0;

    while ( xensched_advertise_dwork.work.pending )
    {
        assert_in_range(++rounds, 1, 10);
        xensched_advertise_dwork.work.pending = false;
        xensched_advertise_dwork.run(&xensched_advertise_dwork.work);
    }
}

unsigned long wait_for_completion_timeout(struct completion *completion,
                                          unsigned long ms)
{
    assert_in_range(ms, 1, 10000);
    run_work();
    if ( completion->done )
        return ms;
    world.waited = true;
    world.scheduler();
    run_work();

    return completion->done;
}

/* The log */

const struct xensched_geometry *xensched_geometry(void)
{
    static struct xensched_geometry none;

    return &none;
}

u64 xensched_max_bytes(void)
{
    return 1 << 20;
}

u64 xensched_used_bytes(void)
{
    return 0;
}

struct xensched_region *xensched_find_region(unsigned int nr, unsigned int cpu)
{
    return NULL;
}

unsigned int xensched_region_pages(enum xensched_region_nr nr)
{
    return 1;
}

struct xensched_region *xensched_alloc_region(size_t size, int node)
{
    struct xensched_region *region = calloc(1, sizeof(*region));

    region->va = calloc(1, PAGE_SIZE);
    world.regions++;

    return region;
}

void xensched_put_region(struct xensched_region *region)
{
    world.regions--;
    free(region->va);
    free(region);
}

int xensched_set_up(u32 nr_acct, u32 nr_files, const u32 *sizes)
{
    return 0;
}

int xensched_set_events(u32 events, u32 lease_ms, u64 holder)
{
    world.events = events;
    world.number_of_rows = world.number_known;
    xensched_advertise_events();

    return 0;
}

int xensched_release(u64 holder)
{
    return xensched_set_events(0, 0, holder);
}

void xensched_keep_area(bool keep)
{
}

void xensched_watch_events(void (*changed)(void))
{
}

u32 xensched_events_on(void)
{
    return world.events;
}

u32 xensched_events_built(u32 *nr_sites)
{
    return EVENT_MASK;
}

int xensched_acct_refresh(void)
{
    if ( world.refuses )
        return -world.refuses;
    world.number_known = world.number_given;

    return 0;
}

/* The scheduler */

static void ask(void)
{
    put_node(REQUEST, "", "");
    put_node(REQUEST, "version", "2");
    put_node(REQUEST, "nr-acct", "64");
    put_node(REQUEST, "sizes", "65536");
    put_node(REQUEST, "events", EVENT);
    put_node(REQUEST, "lease-ms", "60000");
    request_watch->callback(request_watch, REQUEST, "");
}

static void remove_request(void)
{
    static const char *const names[] = {
        "version", "nr-acct", "sizes", "events", "lease-ms", "",
    };
    size_t i;

    for ( i = 0; i < ARRAY_SIZE(names); i++ )
        xenbus_rm(XBT_NIL, REQUEST, names[i]);
    request_watch->callback(request_watch, REQUEST, "");
}

static void unmap(void)
{
    assert_null(value_of(AREA, "directory"));
    assert_int_equal(world.events, 0);
    assert_int_equal(world.regions, 1);
    remove_request();
}

static void do_nothing(void)
{
}

static void get_it_to_log(void)
{
    ask();
    run_work();
    assert_non_null(value_of(AREA, "directory"));
    assert_int_equal(world.events, EVENT_MASK);
}

static void restart(void (*scheduler)(void))
{
    world.scheduler = scheduler;
    reboots->notifier_call(reboots, SYS_RESTART, NULL);
}

/* Tests */

static int set_up(void **state)
{
    (void)state;
    memset(nodes, 0, sizeof(nodes));
    memset(&world, 0, sizeof(world));
    restarting = false;
    withdrawn.done = false;
    put_node("domid", "", "3");

    return xensched_advertise_init();
}

static int tear_down(void **state)
{
    (void)state;
    restarting = false;
    remove_request();
    run_work();
    xensched_advertise_exit();
    assert_null(reboots);
    assert_int_equal(world.regions, 0);

    return 0;
}

/* The watch of numbers has not fired yet. */
static void test_rows_have_numbers_of_xenstore(void **state)
{
    (void)state;
    world.number_known = 7;
    world.number_given = 9;
    get_it_to_log();
    assert_int_equal(world.number_of_rows, 9);
}

static void test_without_numbers_there_are_no_rows(void **state)
{
    (void)state;
    world.refuses = ETIMEDOUT;
    ask();
    run_work();
    assert_int_equal(world.events, 0);
    assert_null(value_of(AREA, "directory"));
    assert_memory_equal(value_of(AREA, "error"), "ETIMEDOUT ", 10);
}

static void test_restart_waits_until_nothing_is_mapped(void **state)
{
    (void)state;
    get_it_to_log();
    restart(unmap);
    assert_true(world.waited);
    assert_true(withdrawn.done);
}

static void test_restart_does_not_wait_for_ever(void **state)
{
    (void)state;
    get_it_to_log();
    restart(do_nothing);
    assert_false(withdrawn.done);
    assert_null(value_of(AREA, "directory"));
    assert_int_equal(world.events, 0);
    assert_int_equal(world.regions, 1);
}

static void test_restart_does_not_wait_without_a_log(void **state)
{
    (void)state;
    restart(do_nothing);
    assert_false(world.waited);
}

static void test_restart_does_not_wait_for_a_refused_request(void **state)
{
    (void)state;
    world.refuses = ETIMEDOUT;
    ask();
    run_work();
    restart(do_nothing);
    assert_false(world.waited);
    assert_null(value_of(AREA, "error"));
}

/* The daemon asks again one second after it has lost a log. */
static void test_restart_answers_no_request(void **state)
{
    (void)state;
    get_it_to_log();
    restart(unmap);
    ask();
    run_work();
    assert_null(value_of(AREA, "directory"));
    assert_int_equal(world.events, 0);
}

/* The work has been queued, but has not run when the restart begins. */
static void test_restart_catches_a_late_request(void **state)
{
    (void)state;
    ask();
    restart(do_nothing);
    run_work();
    assert_false(world.waited);
    assert_null(value_of(AREA, "directory"));
}

static void test_power_off_keeps_the_log(void **state)
{
    (void)state;
    get_it_to_log();
    reboots->notifier_call(reboots, SYS_POWER_OFF, NULL);
    run_work();
    assert_non_null(value_of(AREA, "directory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(test_rows_have_numbers_of_xenstore),
        TEST(test_without_numbers_there_are_no_rows),
        TEST(test_restart_waits_until_nothing_is_mapped),
        TEST(test_restart_does_not_wait_for_ever),
        TEST(test_restart_does_not_wait_without_a_log),
        TEST(test_restart_does_not_wait_for_a_refused_request),
        TEST(test_restart_answers_no_request),
        TEST(test_restart_catches_a_late_request),
        TEST(test_power_off_keeps_the_log),
    };

    return run_tap_tests(tests);
}
