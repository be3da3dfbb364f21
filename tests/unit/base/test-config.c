/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the configuration: values from the file and from the command line, a message with the
 * line of each mistake, and a reload that applies all changes or none.
 */
#include <errno.h>
#include <libxlutil.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "harness.h"
#include "policy-defaults.h"

#include "base/config.h"
#include "daemon/options.h"

#define CONFIG "test-config.conf"
#define EXAMPLE "../../../tools/xensched/xensched.conf"

static struct options options;
static char restarts[400];
static char said[2000]; /* messages of the daemon, one per line */

void __wrap_say(const char *format, ...);

void __wrap_say(const char *format, ...)
{
    size_t length = strlen(said);
    va_list args;

    va_start(args, format);
    vsnprintf(said + length, sizeof(said) - length, format, args);
    va_end(args);
    strncat(said, "\n", sizeof(said) - strlen(said) - 1);
}

static void write_config(const char *text)
{
    FILE *f = fopen(CONFIG, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int setup(void **state)
{
    (void)state;
    write_config("");
    restarts[0] = said[0] = '\0';

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    options_free(&options);
    unlink(CONFIG);

    return 0;
}

static int parse_with(const char *option, const char *value)
{
    char *argv[] = {
        "xenschedd", "--config", CONFIG, (char *)option, (char *)value, NULL
    };

    return options_parse(&options, NULL, option ? 5 : 3, argv);
}

/* Keeps the arguments, because a reload reads them again. */
static int parse(void)
{
    static char *argv[] = { "xenschedd", "--config", CONFIG, NULL };

    return options_parse(&options, NULL, 3, argv);
}

static void note_restart(void *arg, const char *key)
{
    (void)arg;
    strcat(strcat(restarts, key), " ");
}

static int reload(struct xensched_error *err)
{
    return options_reload(&options, note_restart, NULL, err);
}

static void an_empty_file_is_all_defaults(void **state)
{
    const struct policy_settings *p = &options.core.policy_settings;

    (void)state;
    assert_int_equal(parse(), -1);
    assert_int_equal(options.core.mode, MODE_ADVISE);
    assert_int_equal(options.core.policies.nr, 1);
    assert_string_equal(options.core.policies.preset[0]->name, "placement");
    assert_int_equal(p->confirm, policy_defaults.confirm);
    assert_int_equal(p->settle_ns, policy_defaults.settle_ns);
    assert_int_equal(p->stay_ns, policy_defaults.stay_ns);
    assert_int_equal(p->quiet_ns, policy_defaults.quiet_ns);
    assert_float_equal(p->least_gain_ns, policy_defaults.least_gain_ns, 1e-9);
    assert_float_equal(p->misses, policy_defaults.misses, 1e-12);
    assert_int_equal(p->counts_misses, policy_defaults.counts_misses);
    assert_int_equal(options.lease_ms, 10000);
    assert_string_equal(options.lock_path, "/run/xensched/lock");
    assert_null(options.metrics_path);
}

static void the_file_is_as_xl_cfg(void **state)
{
    (void)state;
    write_config("# a comment with mode = 'act'\n"
                 "mode = \"act\" ; confirm=7\n"
                 "log = [ 'service-ns', # and\n\n"
                 "        'evtchn-send:8',\n"
                 "      ]\n"
                 "  metrics = '/x/a # b;[\\'c.prom'\n"
                 "policies = [ 'working-set', 'driver-affinity' ]\n"
                 "quiet_ms = 7000");
    assert_int_equal(parse(), -1);
    assert_int_equal(options.core.mode, MODE_ACT);
    assert_int_equal(options.core.policy_settings.confirm, 7);
    assert_int_equal(options.core.policy_settings.quiet_ns, 7000000000ULL);
    assert_int_equal(options.core.policies.nr, 2);
    assert_string_equal(options.core.policies.preset[0]->name, "working-set");
    assert_int_equal(options.core.choice.events,
                     1U << XEN_SCHEDLOG_EV_SERVICE_NS |
                     1U << XEN_SCHEDLOG_EV_EVTCHN_SEND);
    assert_int_equal(
        options.core.choice.threshold[XEN_SCHEDLOG_EV_EVTCHN_SEND], 8);
    assert_string_equal(options.metrics_path, "/x/a # b;['c.prom");
}

static void durations_may_have_a_unit(void **state)
{
    struct xensched_error err;

    (void)state;
    write_config("settle_ms = '2s'\ninterval_ms = 50\nleast_gain_us = '1.5ms'\n");
    assert_int_equal(parse(), -1);
    assert_int_equal(options.core.policy_settings.settle_ns, 2000000000ULL);
    assert_int_equal(options.interval_ms, 50);
    assert_true(options.core.policy_settings.least_gain_ns == 1500000);
    write_config("least_gain_us = 20\n");
    assert_int_equal(reload(&err), 0);
    assert_true(options.core.policy_settings.least_gain_ns == 20000);
    write_config("least_gain_us = '2s'\n");
    assert_int_equal(reload(&err), -EINVAL);
    assert_non_null(strstr(err.text, "such as 250, 250us or 1ms"));
}

/* libxlutil's grammar has whole numbers only. */
static void numbers_are_read_as_they_are_written(void **state)
{
    struct xensched_error err;

    (void)state;
    write_config("budget_percent = 0.5 # not .7\n"
                 "metrics = '/x/-1 0.5'\n"
                 "log_sizes=[ 'runq:64K' ]\nconfirm=7\n");
    assert_int_equal(parse(), -1);
    assert_true(options.core.budget == 0.005);
    assert_string_equal(options.metrics_path, "/x/-1 0.5");
    assert_int_equal(options.core.policy_settings.confirm, 7);
    write_config("\nmin_rate = -3\n");
    assert_int_equal(reload(&err), -EINVAL);
    assert_non_null(strstr(err.text, ":2: 'min_rate' does not take '-3' but 0 "
                                     "to 4294967295"));
    write_config("min_rate = 0.5\n");
    assert_int_equal(reload(&err), -EINVAL);
    assert_non_null(strstr(err.text, "does not take '0.5'"));
    write_config("mode = act\n");
    assert_int_equal(reload(&err), -EINVAL);
    assert_non_null(strstr(err.text, "a text in quotes"));
}

/* A plain number is in MiB, which the name of the key says. */
static void the_journal_has_a_size_like_others(void **state)
{
    static const struct {
        const char *value;
        uint64_t bytes;
    } sizes[] = {
        { "10", 10 << 20 }, { "10M", 10 << 20 }, { "64K", 64 << 10 },
        { "1G", 1 << 30 }, { "0", 0 }, { "0K", 0 },
    };
    static const char *const wrong[] = {
        "2G", "1025", "10MiB", "10m", "M", "-1", "18446744073709551616K",
        "17592186044417M",
    };
    struct xensched_error err;
    char text[100];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_int_equal(parse_with("--journal-size", sizes[i].value), -1);
        assert_int_equal(options.core.journal_limit, sizes[i].bytes);
        options_free(&options);
    }
    assert_int_equal(parse(), -1);
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        snprintf(text, sizeof(text), "journal_size_mib = '%s'\n", wrong[i]);
        write_config(text);
        assert_int_equal(reload(&err), -EINVAL);
        assert_non_null(strstr(err.text, "does not take"));
    }
}

static void an_llc_is_a_list_of_pcpus(void **state)
{
    struct xensched_error err;

    (void)state;
    write_config("llc = [ '0-3,8-11', '4-7',\n '12' ]\n");
    assert_int_equal(parse(), -1);
    assert_string_equal(options.llc, "0-3,8-11/4-7/12");
    /* One LLC in two parts is not two LLCs. */
    options_free(&options);
    write_config("llc = [ '0-3,8-11' ]\n");
    assert_int_equal(parse(), -1);
    assert_string_equal(options.llc, "0-3,8-11");
    write_config("");
    assert_int_equal(reload(&err), 0);
    assert_string_equal(restarts, "llc ");
    assert_string_equal(options.llc, "0-3,8-11");
}

static void events_of_counters_are_a_list(void **state)
{
    (void)state;
    assert_int_equal(parse(), -1);
    assert_int_equal(options.pmc.nr, 1);
    assert_true(options.pmc.select[0] == PMC_MISSES);
    options_free(&options);
    write_config("pmc = [ '0x300c0', 'cache-misses', '0x1' ]\n"
                 "log = [ 'pmc0', 'pmc2' ]\n");
    assert_int_equal(parse(), -1);
    assert_int_equal(options.pmc.nr, 3);
    assert_true(options.pmc.select[0] == 0x300c0);
    assert_true(options.pmc.select[1] == PMC_MISSES);
    assert_true(options.pmc.select[2] == 1);
    assert_int_equal(pmc_events(&options.pmc), 7U << XEN_SCHEDLOG_EV_PMC0);
}

static void options_override_the_file(void **state)
{
    (void)state;
    write_config("mode = 'act'\nconfirm = 7\n");
    assert_int_equal(parse_with("--confirm", "8"), -1);
    assert_int_equal(options.core.mode, MODE_ACT);
    assert_int_equal(options.core.policy_settings.confirm, 8);
}

/* A configuration of an earlier release is accepted; its presets cause a warning. */
static void settings_of_former_policies_are_accepted(void **state)
{
    (void)state;
    write_config("policies = [ 'driver-affinity', 'placement', 'cache' ]\n"
                 "share = 75\nmin_rate = 20\n");
    assert_int_equal(parse(), -1);
    assert_non_null(strstr(said, "warning: policies: driver-affinity, cache: "));
    assert_non_null(strstr(said, "warning: share: "));
    assert_non_null(strstr(said, "warning: min_rate: "));
    options_free(&options);
    said[0] = '\0';
    write_config("policies = [ 'placement' ]\nleast_gain_us = 250\n");
    assert_int_equal(parse(), -1);
    assert_string_equal(said, "");
}

/* pmc0 keeps its event until the daemon restarts, so it has no price. */
static void only_cache_misses_count_as_misses(void **state)
{
    struct xensched_error err;

    (void)state;
    write_config("pmc = [ '0x300c0' ]\n");
    assert_int_equal(parse(), -1);
    assert_false(options.core.policy_settings.counts_misses);
    write_config("pmc = [ 'cache-misses' ]\n");
    assert_int_equal(reload(&err), 0);
    assert_false(options.core.policy_settings.counts_misses);
}

static void only_a_file_that_was_named_is_missed(void **state)
{
    struct xensched_error err;
    char *argv[] = { "xenschedd", NULL };

    (void)state;
    assert_int_equal(config_read("nowhere", "xen(5)", NULL, NULL, NULL, &err), -ENOENT);
    unlink(CONFIG);
    assert_int_equal(parse(), EXIT_USAGE);
    /* The default file may be missing. */
    assert_int_equal(options_parse(&options, "nowhere", 1, argv), -1);
}

static void each_mistake_is_named_with_its_line(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        { "\n\nshares = 1\n", ":3: there is no key 'shares'" },
        { "mode = 'act'; shares = 1\n", ":1: there is no key 'shares'" },
        { "log = [ 'all',\n 'none' ]\n", ":1: 'log' does not take 'all,none'" },
        { "policies = [\n\n]\nshare = 0\n", ":1: 'policies' does not take ''" },
        { "share = 0\n", ":1: 'share' does not take '0' but 1 to 100" },
        { "policies = [ 'working-set', 'working-set' ]\n",
          ":1: 'policies' does not take 'working-set,working-set' but placement" },
        { "# x\nmode = 1\n", ":2: 'mode' does not take '1' but observe, " },
        { "quiet_ms = '5 s'", ":1: 'quiet_ms' does not take '5 s'" },
        { "share = 50\nmode = 'act'\nshare = 60\n",
          ":1: 'share' is set again below" },
        { "log = [ [ 'all' ] ]", ":1: 'log' has a value which no key takes" },
        { "share = 50\nshare 50\n", ":2: config parsing error near `50'" },
        { "share = 50\nmode = \"act\n", ":2: config parsing error near" },
        { "mode = act\n", ":1: config parsing error near `act'" },
        { "llc = [ '0-3', '3-7' ]\n",
          ":1: 'llc' does not take '0-3/3-7' but lists of pCPUs" },
        { "share = 50\nllc = [ '0-3', 'x' ]\n",
          ":2: 'llc' does not take '0-3/x'" },
        { "llc = []\n", ":1: 'llc' does not take ''" },
        { "log_sizes = [ 'runq:64K', 'mark:1' ]\n",
          ":1: 'log_sizes' does not take 'runq:64K,mark:1' but events with" },
        { "pmc = []\n", ":1: 'pmc' does not take ''" },
        { "pmc = [ 'misses' ]\n", ":1: 'pmc' does not take 'misses'" },
        { "pmc = [ '0x0' ]\n", ":1: 'pmc' does not take '0x0'" },
        { "pmc = [ '12' ]\n", ":1: 'pmc' does not take '12'" },
        { "pmc = [ '0x1', '0x2', '0x3', '0x4', '0x5' ]\n",
          ":1: 'pmc' does not take" },
        { "pmc = [ '0x10000000000000000' ]\n", ":1: 'pmc' does not take" },
        { "log = [ 'pmc1' ]\n", "more performance counters than the 1 " },
        { "policies = [ 'cache' ]\npmc = [ '0x300c0' ]\n",
          "the preset cache needs cache-misses" },
        { "lease_ms = 1000\ninterval_ms = 500\n", "at least three times" },
    };
    struct xensched_error err;
    size_t i;

    (void)state;
    assert_int_equal(parse(), -1);
    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        write_config(wrong[i].text);
        assert_int_equal(reload(&err), -EINVAL);
        if (!strstr(err.text, wrong[i].message))
            fail_msg("'%s' instead of '%s'", err.text, wrong[i].message);
        assert_true(wrong[i].message[0] != ':' ||
                    !strncmp(err.text, CONFIG ":", strlen(CONFIG) + 1));
    }
}

static void a_wrong_reload_changes_nothing(void **state)
{
    struct xensched_error err;

    (void)state;
    write_config("confirm = 7\nlock = '/a'\n");
    assert_int_equal(parse(), -1);
    write_config("confirm = 8\nmode = 'act'\nlock = '/b'\nstay_ms = 'long'\n");
    assert_int_equal(reload(&err), -EINVAL);
    assert_int_equal(options.core.policy_settings.confirm, 7);
    assert_int_equal(options.core.mode, MODE_ADVISE);
    assert_string_equal(restarts, "");
    unlink(CONFIG);
    assert_int_equal(reload(&err), -ENOENT);
    assert_int_equal(options.core.policy_settings.confirm, 7);
}

static void a_reload_changes_what_can_be_changed(void **state)
{
    struct xensched_error err;

    (void)state;
    write_config("confirm = 7\nlock = '/a'\n");
    assert_int_equal(parse(), -1);
    write_config("confirm = 8\nmode = 'act'\nperiod_ms = 500\nlock = '/b'\n"
                 "log = 'all'\nmetrics = '/m'\nlease_ms = 20000\n");
    assert_int_equal(reload(&err), 0);
    assert_int_equal(options.core.policy_settings.confirm, 8);
    assert_int_equal(options.core.mode, MODE_ACT);
    assert_int_equal(options.period_ms, 500);
    assert_string_equal(restarts, "log lease_ms lock metrics ");
    assert_string_equal(options.lock_path, "/a");
    assert_null(options.metrics_path);
    assert_false(options.core.choice.all);
    assert_int_equal(options.lease_ms, 10000);

    /* The original file again: no change needs a restart any more. */
    restarts[0] = '\0';
    write_config("lock = '/a'\n");
    assert_int_equal(reload(&err), 0);
    assert_string_equal(restarts, "");
    assert_int_equal(options.core.policy_settings.confirm, policy_defaults.confirm);

    /* The lease is still the one from the start. */
    write_config("lock = '/a'\nlease_ms = 100000\ninterval_ms = 20000\n");
    assert_int_equal(reload(&err), -EINVAL);
}

/* Without its comment signs, the example contains the defaults. */
static void the_example_has_each_key_and_its_default(void **state)
{
    char line[200], text[8192] = "";
    FILE *f = fopen(getenv("XENSCHED_CONF") ? getenv("XENSCHED_CONF")
                                            : EXAMPLE, "r");
    static const char continued[] = "#        \"";
    struct options before;
    unsigned int id, keys = 0;

    (void)state;
    assert_non_null(f);
    while (fgets(line, sizeof(line), f)) {
        bool setting = line[0] == '#' && line[1] != ' ' && line[1] != '\n';

        assert_true(setting || line[0] == '#' || line[0] == '\n');
        keys += setting && strchr(line, '=');
        strcat(text, setting || !strncmp(line, continued, strlen(continued))
                     ? line + 1 : "\n");
    }
    fclose(f);
    assert_int_equal(parse(), -1);
    before = options;
    write_config(text);
    assert_int_equal(parse(), -1);
    for (id = 0; id < OPTIONS_MAX; id++) {
        keys -= !!options.value[id];
        if (before.value[id])
            assert_string_equal(options.value[id], before.value[id]);
    }
    assert_int_equal(keys, 0);
    assert_string_equal(options.metrics_path + strlen(options.metrics_path) -
                        5, ".prom");
    assert_memory_equal(&options.core.choice, &before.core.choice,
                        sizeof(options.core.choice));
    options_free(&before);
}

static const char *take_any(void *arg, const char *key, const char *value)
{
    (void)arg;
    assert_true(key[0]);
    assert_non_null(value);

    return NULL;
}

static char commas(const char *key)
{
    (void)key;

    return ',';
}

static void noise_gets_an_error_or_is_taken(void **state)
{
    static const char letters[] = "ab=='\"[],;#\n\n 10\\x+";
    struct xensched_error err;
    uint64_t seed = 5;
    unsigned int i, k, taken = 0;

    (void)state;
    for (i = 0; i < 20000; i++) {
        char text[40];

        for (k = 0; k < sizeof(text) - 1; k++)
            text[k] = letters[harness_random_below(&seed,
                                                   sizeof(letters) - 1)];
        text[harness_random_below(&seed, sizeof(text))] = '\0';
        text[sizeof(text) - 1] = '\0';
        write_config(text);
        taken += !config_read(CONFIG, "xen(5)", commas, take_any, NULL, &err);
    }
    assert_true(taken);
    assert_true(taken < i);
}

static void a_file_without_settings_is_refused(void **state)
{
    struct xensched_error err;

    (void)state;
    assert_int_equal(config_read("/dev/zero", "xen(5)", commas, take_any, NULL, &err),
                     -EFBIG);
    assert_int_equal(config_read("/", "xen(5)", commas, take_any, NULL, &err),
                     -EISDIR);
}

#define config_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        config_test(an_empty_file_is_all_defaults),
        config_test(the_file_is_as_xl_cfg),
        config_test(durations_may_have_a_unit),
        config_test(numbers_are_read_as_they_are_written),
        config_test(the_journal_has_a_size_like_others),
        config_test(an_llc_is_a_list_of_pcpus),
        config_test(events_of_counters_are_a_list),
        config_test(options_override_the_file),
        config_test(only_cache_misses_count_as_misses),
        config_test(settings_of_former_policies_are_accepted),
        config_test(only_a_file_that_was_named_is_missed),
        config_test(each_mistake_is_named_with_its_line),
        config_test(a_wrong_reload_changes_nothing),
        config_test(a_reload_changes_what_can_be_changed),
        config_test(the_example_has_each_key_and_its_default),
        config_test(noise_gets_an_error_or_is_taken),
        config_test(a_file_without_settings_is_refused),
    };

    return run_tap_tests(tests);
}
