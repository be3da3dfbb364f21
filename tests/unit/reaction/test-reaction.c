/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks conditions: which texts are valid, and which rows meet them; each match is reported as
 * often as the limits allow, and counted otherwise.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <xensched/source.h>

#include "cmocka-tap.h"
#include "harness.h"
#include "reaction/reaction.h"
#include "uapi/xensched_mark.h"

#define SECOND 1000000000ULL

static struct reactions list;
static unsigned int told;
static bool refuse;
static uint64_t now;

static bool met(void *arg, struct reaction *r)
{
    assert_ptr_equal(arg, &told);
    assert_non_null(r);
    told += !refuse;

    return !refuse;
}

static int setup(void **state)
{
    (void)state;
    told = 0;
    refuse = false;
    now = 1000 * SECOND;
    reactions_init(&list, met, &told);

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    reactions_free(&list);

    return 0;
}

static struct reaction *add(const char *text, unsigned int times, uint64_t gap_ns)
{
    struct reaction_limits limits = { .times = times, .gap_ns = gap_ns };
    struct xensched_error err;
    struct condition c;
    struct reaction *r;

    assert_int_equal(condition_parse(text, &c, &err), 0);
    r = reactions_add(&list, &c, &limits, NULL);
    r->known = c.domain[0];
    r->acct = 3;
    r->other = 4;

    return r;
}

/* One row of an event. */
static void hear(const char *pair)
{
    struct xensched_source *source;
    struct xensched_batch batch;
    struct xensched_error err;
    char spec[200];

    snprintf(spec, sizeof(spec), "synthetic:rows=1,pair=%s", pair);
    assert_int_equal(xensched_source_open(spec, NULL, &source, &err), 0);
    while (xensched_source_next(source, &batch, &err) == XENSCHED_BATCH)
        reactions_take(&list, &batch, UINT32_MAX, now);
    xensched_source_close(source);
}

static void understood(void **state)
{
    static const struct {
        const char *text;
        enum condition_kind kind;
        double limit;
        uint32_t events;
        bool stops;
    } good[] = {
        { "mark web1 0x10", CONDITION_MARK, 16, 1U << XEN_SCHEDLOG_EV_MARK,
          true },
        { "switch-to web1 postgres", CONDITION_SWITCH_TO, 0,
          1U << XEN_SCHEDLOG_EV_MARK, true },
        { "switch-from  web1 4194303", CONDITION_SWITCH_FROM, 4194303,
          1U << XEN_SCHEDLOG_EV_MARK, true },
        { "wake-delay web1 > 5ms", CONDITION_ROW, 5e6,
          1U << XEN_SCHEDLOG_EV_WAKE_DELAY, false },
        { "wake-delay > 1.5us", CONDITION_ROW, 1500,
          1U << XEN_SCHEDLOG_EV_WAKE_DELAY, false },
        { "runq > 3", CONDITION_ROW, 3, 1U << XEN_SCHEDLOG_EV_RUNQ, false },
        { "pmc1 web1 > 100000", CONDITION_ROW, 1e5,
          1U << XEN_SCHEDLOG_EV_PMC1, false },
        { "wait web1 > 20%", CONDITION_WAIT, 20,
          1U << XEN_SCHEDLOG_EV_WAKE_DELAY, false },
        { "ready web1 > 2%", CONDITION_READY, 2,
          1U << XEN_SCHEDLOG_EV_WAKE_DELAY | 1U << XEN_SCHEDLOG_EV_PREEMPT_DELAY,
          false },
        { "ready web1 > 2 % for 10 s", CONDITION_READY, 2,
          1U << XEN_SCHEDLOG_EV_WAKE_DELAY | 1U << XEN_SCHEDLOG_EV_PREEMPT_DELAY,
          false },
        { "preempt-delay web1 > 30ms", CONDITION_ROW, 30e6,
          1U << XEN_SCHEDLOG_EV_PREEMPT_DELAY, false },
        { "service web1 > 150%", CONDITION_SERVICE, 150,
          1U << XEN_SCHEDLOG_EV_SERVICE_NS, false },
        { "rate web1 db > 1000", CONDITION_RATE, 1000,
          1U << XEN_SCHEDLOG_EV_EVTCHN_SEND, false },
        { "request-latency web1 > 20 ms", CONDITION_REQUEST, 20e6,
          1U << XEN_SCHEDLOG_EV_EVTCHN_SEND, false },
        { "request-latency web1 db > 200us", CONDITION_REQUEST, 200e3,
          1U << XEN_SCHEDLOG_EV_EVTCHN_SEND, false },
        { "loss", CONDITION_LOSS, 0, 0, false },
        { "regret", CONDITION_REGRET, 0, 0, false },
        { "now", CONDITION_NOW, 0, 0, false },
    };
    struct xensched_error err;
    struct condition c;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(condition_parse(good[i].text, &c, &err), 0);
        assert_int_equal(c.kind, good[i].kind);
        assert_true(c.limit == good[i].limit);
        assert_int_equal(condition_events(&c), good[i].events);
        assert_int_equal(condition_can_stop(&c), good[i].stops);
    }
}

static void refused_with_what_it_takes(void **state)
{
    static const struct {
        const char *text, *said;
    } bad[] = {
        { "", "is missing" },
        { "   ", "is missing" },
        { "sunshine", "there is no condition 'sunshine'" },
        { "grant-map web1 > 5", "there is no condition" },
        { "mark web1", "mark GUEST CODE" },
        { "mark web1 seven", "mark GUEST CODE" },
        { "mark web1 4294967296", "mark GUEST CODE" },
        { "mark web1 7 8", "mark GUEST CODE" },
        { "switch-to web1", "switch-to GUEST THREAD" },
        { "switch-to web1 a-name-of-15-by", NULL },
        { "switch-to web1 a-name-of-16-byt", "15 bytes" },
        { "switch-to web1 0", "a PID" },
        { "switch-to web1 4194304", "a PID" },
        { "wake-delay web1 > 5", "with a unit" },
        { "wake-delay web1 > 5d", "with a unit" },
        { "wake-delay web1 < 5ms", "with a unit" },
        { "runq web1 > 5", "runq > N" },
        { "runq > five", "runq > N" },
        { "wait web1 > 5", "in percent" },
        { "ready web1 > 5% for", "for TIME" },
        { "ready web1 > 5% for ever", "for TIME" },
        { "ready web1 > 5% for 10", "for TIME" },
        { "ready web1 > 5 for 10s", "in percent" },
        { "rate web1 > 5", "rate GUEST OTHER > N" },
        { "request-latency > 5ms", "request-latency GUEST" },
        { "request-latency web1 > 5", "with a unit" },
        { "request-latency web1 db mail > 5ms", "request-latency GUEST" },
        { "loss of hope", "nothing more" },
        { "mark a b c d e f g h i", "too many words" },
        { "mark 'Web Server 1 7", "is not closed" },
        { "mark 'Web'Server 7", "is not closed" },
    };
    struct xensched_error err;
    struct condition c;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (!bad[i].said) {
            assert_int_equal(condition_parse(bad[i].text, &c, &err), 0);
            continue;
        }
        assert_int_equal(condition_parse(bad[i].text, &c, &err), -EINVAL);
        if (!strstr(err.text, bad[i].said))
            fail_msg("'%s' does not say '%s'", err.text, bad[i].said);
    }
}

static void quotes_hold_a_name_together(void **state)
{
    static const struct {
        const char *text, *domain, *other;
    } named[] = {
        { "mark 'Web Server 1' 7", "Web Server 1", "" },
        { "mark \"Bob's\" 7", "Bob's", "" },
        { "mark Bob's 7", "Bob's", "" },
        { "wait 'B\xc3\xbcro' > 5%", "B\xc3\xbcro", "" },
        { "rate 'a b' \"c d\" > 5", "a b", "c d" },
        { "wake-delay '5 > 3' > 5ms", "5 > 3", "" },
    };
    struct xensched_error err;
    struct condition c;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        assert_int_equal(condition_parse(named[i].text, &c, &err), 0);
        assert_string_equal(c.domain, named[i].domain);
        assert_string_equal(c.other, named[i].other);
    }
}

/* xl does not limit the length of a name. */
static void a_condition_has_room_for_two_long_names(void **state)
{
    char text[CONDITION_TEXT], name[DOMAIN_NAME_TEXT];
    struct xensched_error err;
    struct condition c;

    (void)state;
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    snprintf(text, sizeof(text), "rate '%s' '%s' > 100000 for 100 s", name,
             name);
    assert_int_equal(condition_parse(text, &c, &err), 0);
    assert_string_equal(c.domain, name);
    assert_string_equal(c.other, name);
}

static void rows_meet_conditions_of_their_guest(void **state)
{
    struct reaction *r = add("wake-delay web1 > 5ms", 0, 0);

    (void)state;
    hear("wake-delay/3/65535/1/5000000");
    assert_int_equal(told, 0);
    hear("wake-delay/3/65535/1/5000001");
    assert_int_equal(told, 1);
    assert_true(r->value == 5000001);
    hear("wake-delay/4/65535/1/5000001");
    hear("service-ns/3/1/1/5000001");
    assert_int_equal(told, 1);
    r->known = false;
    hear("wake-delay/3/65535/1/5000001");
    assert_int_equal(told, 1);
}

static void a_figure_is_above_its_limit_for_some_time(void **state)
{
    struct reaction *r = add("ready web1 > 2 % for 10 s", 0, 0);

    (void)state;
    r->known = true;
    reaction_compare(&list, r, 3, 100 * SECOND);
    reaction_compare(&list, r, 3, 109 * SECOND);
    assert_int_equal(told, 0);
    reaction_compare(&list, r, 2, 109 * SECOND + 1);
    reaction_compare(&list, r, 3, 110 * SECOND);
    reaction_compare(&list, r, 9, 119 * SECOND);
    assert_int_equal(told, 0);
    reaction_compare(&list, r, 4, 120 * SECOND);
    assert_int_equal(told, 1);
    assert_true(r->value == 4);
}

static void a_queue_is_as_long_as_its_lower_bits_say(void **state)
{
    (void)state;
    add("runq > 3", 0, 0);
    /* The row is of queue 7. */
    hear("runq/1/65535/1/458755");
    assert_int_equal(told, 0);
    hear("runq/1/65535/1/458756");
    assert_int_equal(told, 1);
}

static void marks_meet_theirs(void **state)
{
    struct reaction *r = add("switch-to web1 make", 0, 0);
    char pair[80];

    (void)state;
    add("mark web1 7", 0, 0);
    hear("mark/3/65535/1/6");
    hear("mark/4/65535/1/7");
    assert_int_equal(told, 0);
    hear("mark/3/65535/1/7");
    assert_int_equal(told, 1);
    r->slot = 3;
    snprintf(pair, sizeof(pair), "mark/3/65535/1/%u", XENSCHED_TYPED |
             XENSCHED_CODE_SWITCH << XENSCHED_CODE_WHAT_SHIFT |
             3U << XENSCHED_CODE_SLOT_SHIFT | 1234);
    hear(pair);
    assert_int_equal(told, 2);
    assert_true(r->value == 1234);
    /* The slot belongs to another reaction. */
    r->slot = 2;
    hear(pair);
    assert_int_equal(told, 2);
}

static void limits_are_kept_and_what_they_hold_back_is_counted(void **state)
{
    struct reaction *r = add("mark web1 7", 3, 2 * SECOND);

    (void)state;
    hear("mark/3/65535/1/7");
    hear("mark/3/65535/1/7");
    assert_int_equal(told, 1);
    assert_int_equal(r->held_back, 1);
    now += 2 * SECOND;
    r->busy = true;
    hear("mark/3/65535/1/7");
    assert_int_equal(told, 1);
    r->busy = false;
    refuse = true;
    hear("mark/3/65535/1/7");
    assert_int_equal(r->fired, 1);
    assert_int_equal(r->held_back, 3);
    refuse = false;
    hear("mark/3/65535/1/7");
    assert_int_equal(told, 2);
    now += 2 * SECOND;
    hear("mark/3/65535/1/7");
    assert_true(reaction_is_over(r));
    now += 2 * SECOND;
    hear("mark/3/65535/1/7");
    assert_int_equal(told, 3);
    assert_int_equal(r->fired, 3);
    assert_int_equal(r->held_back, 4);
}

static void figures_meet_theirs(void **state)
{
    struct reaction *share = add("service web1 > 50%", 0, 0);
    struct reaction *loss = add("loss", 0, 0);

    (void)state;
    reaction_compare(&list, share, 50, now);
    assert_int_equal(told, 0);
    reaction_compare(&list, share, 51, now);
    assert_int_equal(told, 1);
    /* Rows that were lost before a reaction waited do not count. */
    reaction_compare(&list, loss, 1000, now);
    reaction_compare(&list, loss, 1000, now);
    assert_int_equal(told, 1);
    reaction_compare(&list, loss, 1010, now);
    assert_int_equal(told, 2);
    assert_true(loss->value == 10);
}

static void only_events_that_are_waited_for_are_looked_at(void **state)
{
    struct reaction *mark = add("mark web1 7", 0, 0), *rate;

    (void)state;
    assert_int_equal(list.events, 1U << XEN_SCHEDLOG_EV_MARK);
    rate = add("rate web1 db > 5", 0, 0);
    assert_int_equal(list.events, 1U << XEN_SCHEDLOG_EV_MARK |
                                  1U << XEN_SCHEDLOG_EV_EVTCHN_SEND);
    reactions_remove(&list, mark);
    assert_int_equal(list.events, 1U << XEN_SCHEDLOG_EV_EVTCHN_SEND);
    hear("mark/3/65535/1/7");
    assert_int_equal(told, 0);
    reactions_remove(&list, rate);
    assert_int_equal(list.nr, 0);
}

#define WEB 3
#define BACK 4
#define OTHER_BACK 5

/* Times are in units of 1024 cycles at 1.024 GHz, which are 1 us. */
static void sent_with_losses(uint16_t from, uint16_t to, uint32_t us, uint64_t lost)
{
    const struct {
        uint16_t event, current, correspondent, pad;
        uint32_t counter, time;
    } row = { XEN_SCHEDLOG_EV_EVTCHN_SEND, from, to, 0, 1, us };
    struct xensched_batch batch = {
        .rows = &row, .length = sizeof(row), .lost_rows = lost,
    };

    xensched_layout(XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                    XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER |
                    XEN_SCHEDLOG_LCR_TIME_TSC | 10U << XEN_SCHEDLOG_LCR_TSC_SHIFT,
                    &batch.layout);
    list.khz = 1024000;
    reactions_take(&list, &batch, UINT32_MAX, now);
}

static void sent(uint16_t from, uint16_t to, uint32_t us)
{
    sent_with_losses(from, to, us, 0);
}

static void rounds(unsigned int nr)
{
    while (nr--)
        reactions_settle(&list, now);
}

static void a_request_takes_until_its_answer(void **state)
{
    struct reaction *r = add("request-latency web1 > 20 ms", 0, 0);

    (void)state;
    sent(WEB, BACK, 1000);
    sent(WEB, BACK, 1500);
    sent(BACK, WEB, 21000);
    sent(WEB, OTHER_BACK, 30000);
    sent(BACK, WEB, 90000);
    sent(BACK, OTHER_BACK, 90000);
    rounds(2);
    assert_int_equal(told, 0);
    sent(WEB, BACK, 100000);
    sent(BACK, WEB, 120001);
    rounds(2);
    assert_int_equal(told, 1);
    assert_true(r->value == 20001000);
    assert_int_equal(r->row_time, 120001);
    sent(OTHER_BACK, WEB, 130000);
    rounds(2);
    assert_int_equal(told, 2);
    assert_true(r->value == 100e6);
}

/* Each pCPU has a log, and the logs are read one after the other. */
static void logs_are_read_in_any_order(void **state)
{
    (void)state;
    add("request-latency web1 > 20 ms", 0, 0);
    /* The response is in a log that is read first, the next request in the last one. */
    sent(BACK, WEB, 2000);
    sent(WEB, BACK, 1000);
    sent(WEB, BACK, 40000);
    rounds(1);
    /* The row was written after its log had been read. */
    sent(BACK, WEB, 39000);
    rounds(1);
    sent(BACK, WEB, 41000);
    rounds(3);
    assert_int_equal(told, 0);
    /* The clock has 32 bits. */
    sent(BACK, WEB, 500);
    sent(WEB, BACK, UINT32_MAX - 500);
    rounds(2);
    assert_int_equal(told, 0);
    sent(BACK, WEB, 30000);
    sent(WEB, BACK, UINT32_MAX - 400);
    rounds(2);
    assert_int_equal(told, 1);
}

static void requests_are_those_of_the_back_end_that_is_named(void **state)
{
    (void)state;
    add("request-latency web1 db > 20 ms", 0, 0);
    sent(WEB, OTHER_BACK, 0);
    sent(OTHER_BACK, WEB, 900000);
    rounds(2);
    assert_int_equal(told, 0);
    sent(WEB, BACK, 1000000);
    sent(BACK, WEB, 1900000);
    rounds(2);
    assert_int_equal(told, 1);
}

/* The response may be among the lost rows, so the next one is not taken for it. */
static void lost_rows_make_no_long_request(void **state)
{
    (void)state;
    add("request-latency web1 > 20 ms", 0, 0);
    sent(WEB, BACK, 1000);
    rounds(2);
    sent_with_losses(BACK, WEB, 900000, 5);
    rounds(2);
    assert_int_equal(told, 0);
}

#define reaction_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(understood),
        cmocka_unit_test(refused_with_what_it_takes),
        cmocka_unit_test(quotes_hold_a_name_together),
        cmocka_unit_test(a_condition_has_room_for_two_long_names),
        reaction_test(rows_meet_conditions_of_their_guest),
        reaction_test(a_figure_is_above_its_limit_for_some_time),
        reaction_test(a_queue_is_as_long_as_its_lower_bits_say),
        reaction_test(marks_meet_theirs),
        reaction_test(limits_are_kept_and_what_they_hold_back_is_counted),
        reaction_test(figures_meet_theirs),
        reaction_test(only_events_that_are_waited_for_are_looked_at),
        reaction_test(a_request_takes_until_its_answer),
        reaction_test(logs_are_read_in_any_order),
        reaction_test(requests_are_those_of_the_back_end_that_is_named),
        reaction_test(lost_rows_make_no_long_request),
    };

    return run_tap_tests(tests);
}
