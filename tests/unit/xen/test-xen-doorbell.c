/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the hypervisor's doorbell: it rings for a log buffer that has reached its watermark, until
 * the scheduler sets another one, and for no other log buffer.  No value that a scheduler writes
 * does harm.
 *
 * The test compiles the hypervisor's own doorbell.c.
 */
#include "cmocka-tap.h"

#include "world.h"

#define VIRQ_SCHEDLOG 14
static void send_global_virq(uint32_t virq);

#include "common/schedlog/doorbell.c"

#define NR_FILES 4U
#define SIZE 256U
#define ROW 16U
#define LCR (XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_COUNTER | \
             4U << XEN_SCHEDLOG_LCR_PAD_SHIFT)

static unsigned int rings;
static uint64_t mark[NR_FILES];
static uint32_t lcr[NR_FILES];
static uint64_t route[2][XEN_SCHEDLOG_NR_EVENTS];
static uint32_t skipped[2 * XEN_SCHEDLOG_NR_EVENTS];
static struct xen_schedlog_state state[NR_FILES];
static uint8_t data[NR_FILES][SIZE];
static struct schedlog_pcpu *pcpu;

static void send_global_virq(uint32_t virq)
{
    assert_int_equal(virq, VIRQ_SCHEDLOG);
    rings++;
}

static int set_up(void **unused)
{
    unsigned int i;

    (void)unused;
    rings = 0;
    memset(mark, 0, sizeof(mark));
    memset(state, 0, sizeof(state));
    pcpu = calloc(1, sizeof(*pcpu) + NR_FILES * sizeof(struct schedlog_file));
    pcpu->mark = mark;
    pcpu->cpu.lcr = lcr;
    pcpu->cpu.route = route[0];
    pcpu->cpu.skipped = skipped;
    pcpu->cpu.acct_mask = 1;
    pcpu->cpu.file_mask = NR_FILES - 1;
    for (i = 0; i < NR_FILES; i++) {
        lcr[i] = LCR;
        schedlog_init_file(&pcpu->cpu.file[i], data[i], SIZE, &state[i]);
    }

    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    free(pcpu);

    return 0;
}

static void log_rows(unsigned int file, unsigned int nr)
{
    route[0][2] = XEN_SCHEDLOG_ROUTE_VALID |
                  (uint64_t)file << XEN_SCHEDLOG_ROUTE_FILE_SHIFT;
    while (nr--)
        schedlog_record(&pcpu->cpu, 2, 0, 1, 1);
}

static unsigned int ticks(unsigned int nr)
{
    unsigned int before = rings;

    while (nr--)
        schedlog_ring(pcpu);

    return rings - before;
}

static void a_quiet_log_does_not_ring(void **unused)
{
    (void)unused;
    mark[0] = mark[3] = SIZE / 2;
    assert_int_equal(ticks(100), 0);
    log_rows(3, SIZE / 2 / ROW - 1);
    assert_int_equal(ticks(100), 0);
}

static void one_that_reached_its_mark_rings_until_there_is_another(void **unused)
{
    (void)unused;
    mark[3] = SIZE / 2;
    log_rows(3, SIZE / 2 / ROW);
    assert_int_equal(ticks(1), 1);
    /* It rings again, because the first notification may have come during a read. */
    assert_int_equal(ticks(2), 2);
    mark[3] = pcpu->cpu.file[3].pos + SIZE / 2;
    assert_int_equal(ticks(10), 0);
    log_rows(3, 10 * SIZE / ROW);
    assert_int_equal(ticks(1), 1);
}

static void several_log_files_cause_one_notification(void **unused)
{
    unsigned int i;

    (void)unused;
    for (i = 0; i < NR_FILES; i++) {
        mark[i] = ROW;
        log_rows(i, 3);
    }
    assert_int_equal(ticks(1), 1);
}

/* A scheduler that polls has set no watermark. */
static void without_a_mark_nothing_rings(void **unused)
{
    (void)unused;
    log_rows(0, 1000);
    log_rows(3, 1000);
    assert_int_equal(ticks(100), 0);
}

/* The sanitizers find accesses beyond the arrays. */
static void any_pattern_is_a_mark(void **unused)
{
    static const uint64_t patterns[] = {
        1, 7, 1ULL << 31, 1ULL << 32, 1ULL << 63, ~0ULL, ~0ULL - 4095,
    };
    unsigned int i, file;

    (void)unused;
    for (i = 0; i < ARRAY_SIZE(patterns); i++)
        for (file = 0; file < NR_FILES; file++) {
            mark[file] = patterns[i];
            log_rows(file, 2);
            assert_in_range(ticks(1), 0, 1);
        }
    assert_int_equal(pcpu->cpu.file[0].pos, ARRAY_SIZE(patterns) * 2 * ROW);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_quiet_log_does_not_ring),
        TEST(one_that_reached_its_mark_rings_until_there_is_another),
        TEST(several_log_files_cause_one_notification),
        TEST(without_a_mark_nothing_rings),
        TEST(any_pattern_is_a_mark),
    };

    return run_tap_tests(tests);
}
