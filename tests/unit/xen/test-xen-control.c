/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that only the holder of the log binds domains and permits marks, that a counter stays
 * reserved while its event is on, and that no index of a caller leads outside the caller's part.
 * Fails if a caller without the cookie succeeds, if a counter is released too early, or if an index
 * out of range is used, even in speculation.
 *
 * The test compiles the hypervisor's own control.c, lifecycle.c, lease.c and mark.c.  Areas, sites
 * and counters are the test's.
 */
#include "cmocka-tap.h"

#include "world.h"

#include "common/schedlog/lease.c"
#undef lease
#define request lifecycle_request
#include "common/schedlog/lifecycle.c"
#undef request
#include "mispredict.h"
#include "common/schedlog/control.c"
#undef if
#include "common/schedlog/mark.c"

#define OURS 7
#define THEIRS 8
#define LEASE_MS 1000
#define EVENT(NAME) (1U << XEN_SCHEDLOG_EV_##NAME)

s_time_t now_ns;
unsigned long cpu_khz = 2000000;
static struct domain guest, other;
static struct current caller = { &guest };
struct current *current = &caller;

static struct timer *timers[4];
static struct xen_schedlog_header header;
static uint32_t on;
static unsigned int selected;
static unsigned int nr_prepared;
static void (*meanwhile)(void);
static bool dying; /* Memory that was given up is not freed yet. */
static bool pending; /* An area has a part of its memory. */
bool fake_hotplug;

void note_timer(struct timer *t)
{
    unsigned int i = 0;

    while (timers[i] && timers[i] != t)
        i++;
    timers[i] = t;
}

/* Stand-ins for the hypervisor's other files. */

uint32_t schedlog_events_on(void)
{
    return on;
}

uint32_t schedlog_events_built(unsigned int *nr_sites)
{
    *nr_sites = 20;

    return ~0U;
}

/* An event whose counter is not selected would count another user's selection. */
int schedlog_switch_events(uint32_t events)
{
    if (events & SCHEDLOG_PMC_EVENTS)
        assert_true(selected > 0);
    on = events;

    return 0;
}

/* Three pCPUs share a cache. */
uint32_t schedlog_cache_of(unsigned int cpu)
{
    assert_true(cpu < nr_cpu_ids && cpu_online(cpu));

    return 100 + cpu / 3;
}

unsigned int schedlog_nr_pmcs(void)
{
    return 4;
}

unsigned int schedlog_selected_pmcs(void)
{
    return selected;
}

int schedlog_select_pmcs(const struct xen_sysctl_schedlog_pmc *op)
{
    selected = op->nr;

    return 0;
}

void schedlog_release_pmcs(void)
{
    assert_false(on & SCHEDLOG_PMC_EVENTS);
    selected = 0;
}

void schedlog_program_pmcs(void)
{
}

const struct schedlog_geometry *schedlog_geometry(void)
{
    static struct xen_schedlog_file files[] = {
        { 0, 4096 }, { 4096, 8192 }, { 12288, 4096 }, { 16384, 16 },
    };
    static const struct schedlog_geometry geometry = {
        .nr_acct = 64, .nr_files = 4, .files = files,
    };

    return &geometry;
}

const struct schedlog_region *schedlog_find_region(unsigned int region, unsigned int cpu)
{
    static const struct schedlog_region global = { &header, 3 };

    (void)region;
    (void)cpu;

    return &global;
}

uint64_t schedlog_region_frame(const struct schedlog_region *r, unsigned int page)
{
    assert_true(page < r->nr_pages);

    return 1000 + page;
}

int schedlog_prepare_acct(uint16_t acct)
{
    if (meanwhile)
        meanwhile();
    nr_prepared = max(nr_prepared, acct + 1U);

    return 0;
}

/* Earlier versions called it while the preparation was under way. */
bool schedlog_is_prepared(uint16_t acct)
{
    (void)acct;

    return meanwhile;
}

bool schedlog_stops_at(const struct domain *d, uint32_t code)
{
    (void)d;
    (void)code;

    return false;
}

bool schedlog_has_dying(void)
{
    return dying;
}

bool schedlog_free_dying(void)
{
    dying = false;

    return false;
}

int schedlog_free_all_dying(void)
{
    return schedlog_free_dying() ? -ERESTART : 0;
}

/* Each set-up takes two steps. */
int schedlog_make_area(const struct schedlog_geometry *g, uint64_t *need_bytes)
{
    (void)g;
    (void)need_bytes;
    pending = !pending;

    return pending ? -ERESTART : 0;
}

void schedlog_give_up_pending(void)
{
    dying |= pending;
    pending = false;
}

#define NOTHING(type, name, args...) \
    type name(args)                  \
    {                                \
        return 0;                    \
    }
NOTHING(unsigned int, schedlog_nr_cpus, void)
NOTHING(bool, schedlog_prepare_cpu, unsigned int cpu __attribute__((unused)))
NOTHING(uint64_t, schedlog_max_bytes, void)
NOTHING(uint64_t, schedlog_used_bytes, void)
NOTHING(int, schedlog_owners, struct xen_sysctl_schedlog_owners *op __attribute__((unused)))
NOTHING(int, schedlog_begin_stop, void)
NOTHING(unsigned int, jump_label_lost_sites, void)
void schedlog_end_stop(uint32_t code)
{
    (void)code;
}
void schedlog_give_up_area(void)
{
}
void schedlog_start_tick(unsigned int cpu)
{
    (void)cpu;
}
void schedlog_stop_tick(unsigned int cpu)
{
    (void)cpu;
}

/* Callers. */

static long call(uint32_t cmd, struct xen_sysctl_schedlog *op)
{
    op->cmd = cmd;

    return schedlog_sysctl(op);
}

static long switch_to(uint32_t events, uint32_t lease_ms, uint64_t cookie)
{
    struct xen_sysctl_schedlog op = {
        .u.events = { .events = events, .lease_ms = lease_ms, .cookie = cookie },
    };

    return call(XEN_SYSCTL_SCHEDLOG_events, &op);
}

static long count(unsigned int nr, uint64_t cookie)
{
    struct xen_sysctl_schedlog op = { .u.pmc = { .nr = nr, .cookie = cookie } };

    return call(XEN_SYSCTL_SCHEDLOG_pmc, &op);
}

static long release_it(uint64_t cookie)
{
    struct xen_sysctl_schedlog op = { .u.release.cookie = cookie };

    return call(XEN_SYSCTL_SCHEDLOG_release, &op);
}

static int bind_to(struct domain *d, uint16_t acct, uint64_t cookie)
{
    const struct xen_domctl_schedlog_bind op = {
        .vcpu = XEN_DOMCTL_SCHEDLOG_ALL_VCPUS, .acct = acct, .cookie = cookie,
    };

    return schedlog_bind(d, &op);
}

static int allow(struct domain *d, uint32_t may, uint64_t cookie)
{
    const struct xen_domctl_schedlog_mark op = { .allow = may, .cookie = cookie };

    return schedlog_allow_mark(d, &op);
}

/* Lets time pass without a renewal of the lease. */
static void pass(unsigned int ms)
{
    unsigned int i;

    for (; ms; ms--) {
        now_ns += MILLISECS(1);
        for (i = 0; i < 4 && timers[i]; i++)
            if (timers[i]->at && timers[i]->at <= now_ns) {
                timers[i]->at = 0;
                timers[i]->function(NULL);
            }
    }
}

static int set_up_world(void **state)
{
    (void)state;
    guest = (struct domain){ .max_vcpus = 2 };
    other = (struct domain){ .max_vcpus = 3 };
    meanwhile = NULL;
    fake_hotplug = pending = dying = false;
    nr_prepared = 2;
    memset(timers, 0, sizeof(timers));
    fake_start();
    assert_int_equal(release_it(OURS), 0);
    assert_int_equal(on, 0);
    assert_int_equal(selected, 0);

    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pass(2 * LEASE_MS);

    return 0;
}

static void count_under_a_lease(void)
{
    assert_int_equal(switch_to(EVENT(SERVICE_NS), LEASE_MS, OURS), 0);
    assert_int_equal(count(1, OURS), 0);
    assert_int_equal(switch_to(EVENT(PMC0), LEASE_MS, OURS), 0);
}

static void counters_stay_until_their_events_are_off(void **state)
{
    (void)state;
    count_under_a_lease();
    assert_int_equal(switch_to(EVENT(PMC0), 0, OURS), 0); /* gives the lease up */
    assert_int_equal(on, EVENT(PMC0));
    assert_int_equal(selected, 1);
    assert_int_equal(switch_to(EVENT(PMC0) | EVENT(RUNQ), 0, 0), 0);
    assert_int_equal(selected, 1);
    assert_int_equal(switch_to(EVENT(RUNQ), 0, 0), 0);
    assert_int_equal(selected, 0);
    assert_int_equal(switch_to(EVENT(PMC0), 0, 0), -EINVAL);
}

static void counters_go_with_the_lease(void **state)
{
    (void)state;
    count_under_a_lease();
    pass(2 * LEASE_MS);
    assert_int_equal(on, 0);
    assert_int_equal(selected, 0);
    count_under_a_lease();
    assert_int_equal(switch_to(EVENT(RUNQ), 0, OURS), 0);
    assert_int_equal(selected, 0);
}

/* Without a lease, the release of the area or of the counters ends it. */
static void counters_without_a_lease_stay(void **state)
{
    (void)state;
    assert_int_equal(count(2, 0), 0);
    assert_int_equal(switch_to(EVENT(PMC1), 0, 0), 0);
    assert_int_equal(switch_to(0, 0, 0), 0);
    assert_int_equal(selected, 2);
    assert_int_equal(release_it(0), 0);
    assert_int_equal(selected, 0);
}

static void the_holder_alone_binds(void **state)
{
    (void)state;
    assert_int_equal(bind_to(&guest, 3, 0), 0);
    assert_int_equal(switch_to(EVENT(SERVICE_NS), LEASE_MS, OURS), 0);
    assert_int_equal(bind_to(&guest, 5, 0), -EEXIST);
    assert_int_equal(bind_to(&guest, 5, THEIRS), -EEXIST);
    assert_int_equal(release_it(THEIRS), -EEXIST);
    assert_int_equal(guest.schedlog_acct, 3);
    assert_int_equal(guest.vcpu[1].schedlog_acct, 3);
    assert_int_equal(bind_to(&guest, 4, OURS), 0);
    assert_int_equal(guest.vcpu[1].schedlog_acct, 4);
    pass(2 * LEASE_MS);
    assert_int_equal(bind_to(&guest, 5, THEIRS), 0);
    assert_int_equal(guest.schedlog_acct, 5);
}

static void the_holder_alone_permits_marks(void **state)
{
    (void)state;
    assert_int_equal(switch_to(EVENT(MARK), LEASE_MS, OURS), 0);
    assert_int_equal(allow(&guest, 1, 0), -EEXIST);
    assert_false(guest.schedlog_mark);
    assert_int_equal(allow(&guest, 1, OURS), 0);
    assert_int_equal(allow(&guest, 0, THEIRS), -EEXIST);
    assert_true(guest.schedlog_mark);
    pass(2 * LEASE_MS);
    assert_int_equal(allow(&guest, 0, 0), 0);
    assert_false(guest.schedlog_mark);
}

static int result_of_other;

static void some_numbers_are_bound_to_no_domain(void **state)
{
    (void)state;
    assert_int_equal(bind_to(&guest, XEN_SCHEDLOG_ACCT_XEN, 0), -EINVAL);
    assert_int_equal(bind_to(&guest, XEN_SCHEDLOG_MAX_ACCT, 0), -EINVAL);
    assert_int_equal(bind_to(&guest, XEN_SCHEDLOG_ACCT_NONE, 0), -EINVAL);
}

static void bind_other(void)
{
    meanwhile = NULL;
    result_of_other = bind_to(&other, 40, 0);
}

static bool can_be_counted(const struct domain *d)
{
    return d->schedlog_acct < nr_prepared;
}

static void counters_come_before_the_binding(void **state)
{
    (void)state;
    meanwhile = bind_other;
    assert_int_equal(bind_to(&guest, 40, 0), 0);
    assert_int_equal(result_of_other, -ERESTART);
    assert_int_equal(other.schedlog_acct, 0);
    assert_int_equal(bind_to(&other, 40, 0), 0);
    assert_true(can_be_counted(&guest) && can_be_counted(&other));
}

/* The larger answer of the two calls below has 64 entries. */
static struct xen_schedlog_file answered_files[64];
static uint64_t answered_frames[64];

static long ask_files(uint32_t first, uint32_t *nr)
{
    struct xen_sysctl_schedlog op = { .u.files = { .first = first, .nr = *nr } };
    long rc;

    set_xen_guest_handle(op.u.files.files, answered_files);
    rc = call(XEN_SYSCTL_SCHEDLOG_files, &op);
    *nr = op.u.files.nr;

    return rc;
}

static long ask_frames(uint32_t first, uint32_t *nr)
{
    struct xen_sysctl_schedlog op = { .u.frames = { .first = first, .nr = *nr } };
    long rc;

    set_xen_guest_handle(op.u.frames.frames, answered_frames);
    rc = call(XEN_SYSCTL_SCHEDLOG_frames, &op);
    *nr = op.u.frames.nr;

    return rc;
}

static void files_and_frames_end_where_there_are_no_more(void **state)
{
    uint32_t nr = 64;

    (void)state;
    assert_int_equal(ask_files(1, &nr), 0);
    assert_int_equal(nr, 3);
    assert_int_equal(answered_files[0].size, 8192);
    assert_int_equal(answered_files[2].size, 16);
    assert_int_equal(ask_files(4, &nr), 0);
    assert_int_equal(nr, 0);
    nr = 64;
    assert_int_equal(ask_files(5, &nr), -EINVAL);
    assert_int_equal(ask_files(UINT32_MAX, &nr), -EINVAL);

    assert_int_equal(ask_frames(2, &nr), 0);
    assert_int_equal(nr, 1);
    assert_int_equal(answered_frames[0], 1002);
    assert_int_equal(ask_frames(3, &nr), 0);
    assert_int_equal(nr, 0);
    nr = 64;
    assert_int_equal(ask_frames(4, &nr), -EINVAL);
    assert_int_equal(ask_frames(UINT32_MAX, &nr), -EINVAL);
}

static long ask_caches(uint32_t first, uint32_t *nr)
{
    static uint32_t answered[64];
    struct xen_sysctl_schedlog op = { .u.caches = { .first = first, .nr = *nr } };
    long rc;

    memset(answered, 0, sizeof(answered));
    set_xen_guest_handle(op.u.caches.caches, answered);
    rc = call(XEN_SYSCTL_SCHEDLOG_caches, &op);
    *nr = op.u.caches.nr;
    if (!rc && first == 1 && *nr > 1) {
        assert_int_equal(answered[0], 100);
        assert_int_equal(answered[1], 100);
    }
    if (!rc && first == 1 && *nr == 5) {
        assert_int_equal(answered[2], 101);
        assert_int_equal(answered[3], XEN_SCHEDLOG_NO_CACHE);
        assert_int_equal(answered[4], 101);
    }
    assert_int_equal(answered[*nr], 0);

    return rc;
}

static void caches_are_those_of_pcpus_that_are_online(void **state)
{
    uint32_t nr = 2;

    (void)state;
    assert_int_equal(ask_caches(1, &nr), 0);
    assert_int_equal(nr, 2);
    nr = 63;
    assert_int_equal(ask_caches(1, &nr), 0);
    assert_int_equal(nr, 5);
    assert_int_equal(ask_caches(nr_cpu_ids, &nr), 0);
    assert_int_equal(nr, 0);
    /* The daemon asks for no pCPU, to see whether there is such an operation. */
    assert_int_equal(ask_caches(0, &nr), 0);
    assert_int_equal(nr, 0);
    nr = 1;
    assert_int_equal(ask_caches(nr_cpu_ids + 1, &nr), -EINVAL);
    assert_int_equal(ask_caches(UINT32_MAX, &nr), -EINVAL);
}

/* Code after a mispredicted check stays within the arrays. */
static void speculation_does_not_leave_the_arrays(void **state)
{
    static const uint32_t firsts[] = { 5, 10, UINT32_MAX };
    uint32_t nr;

    (void)state;
    for (unsigned int i = 0; i < sizeof(firsts) / sizeof(firsts[0]); i++)
        for (unsigned int branch = 1; branch < 10; branch++) {
            nr = 64;
            mispredict_in = branch;
            ask_files(firsts[i], &nr);
            nr = 64;
            mispredict_in = branch;
            ask_frames(firsts[i], &nr);
            nr = 63;
            mispredict_in = branch;
            ask_caches(firsts[i], &nr);
            mispredict_in = 0;
        }
}

/* There is no memory for the pCPU's area, and the pCPU then fails to come online. */
static void memory_of_a_pcpu_that_stays_offline_is_freed(void **state)
{
    (void)state;
    dying = true;
    cpu_callback(&cpu_nfb, CPU_UP_PREPARE, (void *)1UL);
    pass(10);
    assert_false(dying);
}

static long set_up_log(uint32_t size)
{
    struct xen_sysctl_schedlog op = { .u.setup = { .nr_acct = 64, .nr_files = 1 } };

    set_xen_guest_handle(op.u.setup.sizes, &size);

    return call(XEN_SYSCTL_SCHEDLOG_setup, &op);
}

static void assert_nothing_is_kept(void)
{
    assert_false(pending);
    pass(10);
    assert_false(dying);
}

static void a_set_up_that_fails_between_steps_keeps_nothing(void **state)
{
    (void)state;
    assert_int_equal(set_up_log(4096), -ERESTART);
    assert_int_equal(set_up_log(4096), 0);

    /* pCPUs come or go. */
    assert_int_equal(set_up_log(4096), -ERESTART);
    fake_hotplug = true;
    assert_int_equal(set_up_log(4096), -EBUSY);
    fake_hotplug = false;
    assert_nothing_is_kept();

    /* The caller's array changes. */
    assert_int_equal(set_up_log(4096), -ERESTART);
    assert_int_equal(set_up_log(4097), -EINVAL);
    assert_nothing_is_kept();
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up_world, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counters_stay_until_their_events_are_off),
        TEST(counters_go_with_the_lease),
        TEST(counters_without_a_lease_stay),
        TEST(the_holder_alone_binds),
        TEST(some_numbers_are_bound_to_no_domain),
        TEST(the_holder_alone_permits_marks),
        TEST(counters_come_before_the_binding),
        TEST(files_and_frames_end_where_there_are_no_more),
        TEST(caches_are_those_of_pcpus_that_are_online),
        TEST(memory_of_a_pcpu_that_stays_offline_is_freed),
        TEST(a_set_up_that_fails_between_steps_keeps_nothing),
        TEST(speculation_does_not_leave_the_arrays),
    };

    return run_tap_tests(tests);
}
