/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses the daemon's command line and configuration, and creates the folders of its files.  A
 * new setting is a row of settings.c.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/config.h"
#include "base/message.h"
#include "daemon/react/react.h"
#include "host/llc.h"
#include "options.h"
#include "settings.h"

#define MS OPTION_MS
#define MIB (1ULL << 20)

_Static_assert(NR_IDS <= OPTIONS_MAX, "options.value has no room");

/* Parses a time of at least @min_ms, at most a day. */
static bool time_ns(const char *text, uint64_t min_ms, uint64_t *ns)
{
    return option_duration(text, MS, min_ms * MS, 24 * 3600 * OPTION_S, ns);
}

/* The same for a whole number of milliseconds. */
static bool time_ms(const char *text, uint64_t min_ms, uint64_t max_ms,
                    uint64_t *ms)
{
    uint64_t ns;

    if (!option_duration(text, MS, min_ms * MS, max_ms * MS, &ns))
        return false;
    *ms = ns / MS;

    return ns % MS == 0;
}

static bool parse_mode(struct options *o, const char *text)
{
    int found = mode_find(text);

    if (found >= 0)
        o->core.mode = found;

    return found >= 0;
}

static bool set_path(const char *value, const char **path)
{
    *path = value;

    return *value;
}

static bool least_gain(struct options *o, const char *value)
{
    uint64_t ns;

    if (!option_duration(value, 1000, 0, OPTION_S, &ns))
        return false;
    o->core.policy_settings.least_gain_ns = ns;

    return true;
}

static bool parse_misses(struct options *o, const char *value)
{
    uint64_t per_ms;

    if (!option_number(value, 0, 1000000, &per_ms))
        return false;
    o->core.policy_settings.misses = per_ms / 1e6;

    return true;
}

static bool parse_confirm(struct options *o, const char *value)
{
    uint64_t runs;

    if (!option_number(value, 1, 1000, &runs))
        return false;
    o->core.policy_settings.confirm = runs;

    return true;
}

static bool max_moves(struct options *o, const char *value)
{
    uint64_t moves;

    if (!option_number(value, 1, PACE_MAX, &moves))
        return false;
    o->core.max_moves = moves;

    return true;
}

static bool parse_affinity(struct options *o, const char *value)
{
    static const char *const names[] = {
        [LEVER_AUTO] = "auto", [LEVER_SOFT] = "soft", [LEVER_HARD] = "hard",
    };
    unsigned int i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(names[i], value)) {
            o->core.policy_settings.lever = i;
            return true;
        }

    return false;
}

static bool soft_weight(struct options *o, const char *value)
{
    uint64_t percent;

    if (!option_number(value, 0, 10000, &percent))
        return false;
    o->core.soft_weight = percent;

    return true;
}

static bool parse_steer(struct options *o, const char *value)
{
    o->core.steer = !strcmp(value, "blkback");

    return o->core.steer || !strcmp(value, "none");
}

static bool parse_lease(struct options *o, const char *value)
{
    uint64_t ms;

    if (!time_ms(value, 1000, 3600000, &ms))
        return false;
    o->lease_ms = ms;

    return true;
}

/* Parses a number such as 1 or 0.5. */
static bool parse_budget(struct options *o, const char *value)
{
    char *end;
    double percent;

    if (!*value || value[strspn(value, "0123456789.")])
        return false;
    percent = strtod(value, &end);
    o->core.budget = percent / 100;

    return !*end && percent <= 1000;
}

static bool parse_llc(struct options *o, const char *value)
{
    o->llc = value;

    return llc_is_list(value);
}

static bool journal_size(struct options *o, const char *value)
{
    return option_size(value, MIB, 0, 1024 * MIB, &o->core.journal_limit);
}

/* The error of a reaction, which needs more words than a row of the table has. */
static struct xensched_error wrong_reaction;

static bool parse_reactions(struct options *o, const char *value)
{
    o->reactions = value;

    return !react_check(value, &o->reaction_events, &wrong_reaction);
}

static const char *what_it_takes(enum id id)
{
    return id == REACTIONS ? wrong_reaction.text : settings[id].takes;
}

/* @value has to stay valid as long as @o is used. */
static bool set_option(struct options *o, enum id id, const char *value)
{
    struct policy_settings *p = &o->core.policy_settings;
    uint64_t unused;

    switch (id) {
    case MODE: return parse_mode(o, value);
    case POLICIES: return policies_parse(&o->core.policies, value);
    case LEAST_GAIN: return least_gain(o, value);
    case MISSES: return parse_misses(o, value);
    case SHARE: return option_number(value, 1, 100, &unused);
    case MIN_RATE: return option_number(value, 0, UINT32_MAX, &unused);
    case CONFIRM: return parse_confirm(o, value);
    case SETTLE: return time_ns(value, 0, &p->settle_ns);
    case STAY: return time_ns(value, 0, &p->stay_ns);
    case QUIET: return time_ns(value, 0, &p->quiet_ns);
    case MAX_MOVES: return max_moves(o, value);
    case AFFINITY: return parse_affinity(o, value);
    case SOFT_WEIGHT: return soft_weight(o, value);
    case STEER: return parse_steer(o, value);
    case SOFT_POOLS: return set_path(value, &o->soft_pools);
    case RULES: return rules_parse(&p->rules, value);
    case HALF_LIFE: return time_ns(value, 1, &o->core.half_life_ns);
    case INTERVAL: return time_ms(value, 1, 60000, &o->interval_ms);
    case PERIOD: return time_ms(value, 10, 3600000, &o->period_ms);
    case LOG: return choice_parse(&o->core.choice, value);
    case LOG_SIZES: return choice_parse_sizes(&o->core.choice, value);
    case PMC: return pmc_parse(&o->pmc, value);
    case BUDGET: return parse_budget(o, value);
    case LEASE: return parse_lease(o, value);
    case LLC: return parse_llc(o, value);
    case CONTROL: return set_path(value, &o->control_path);
    case STATE: return set_path(value, &o->core.state_path);
    case JOURNAL: return set_path(value, &o->core.journal_path);
    case JOURNAL_SIZE: return journal_size(o, value);
    case DISTANCES: return set_path(value, &o->core.distances_path);
    case LOCK: return set_path(value, &o->lock_path);
    case METRICS: return set_path(value, &o->metrics_path);
    case REACTIONS: return parse_reactions(o, value);
    case HELP:
    case VERSION:
    case CONFIG:
    case REPLACE_AREA:
    case NR_IDS:
        break;
    }

    return false;
}

static bool set_copy(struct options *o, enum id id, const char *value)
{
    char *copy = need_string(value);
    bool good = set_option(o, id, copy);

    free(o->value[id]);
    o->value[id] = copy;

    return good;
}

static void set_defaults(struct options *o)
{
    unsigned int id;

    choice_default(&o->core.choice);
    o->core.policy_settings.rules.nr = 0;
    for (id = 0; id < NR_IDS; id++)
        if (settings[id].key && settings[id].standard)
            set_copy(o, id, settings[id].standard);
}

/* Handles a key of the configuration; see config.h. */
static const char *accept_key(void *arg, const char *key, const char *value)
{
    static char wrong[300];
    struct options *o = arg;
    unsigned int id;

    for (id = 0; id < NR_IDS; id++)
        if (settings[id].key && !strcmp(settings[id].key, key))
            break;
    if (id == NR_IDS)
        snprintf(wrong, sizeof(wrong), "there is no key '%s'", key);
    else if (!set_copy(o, id, value))
        snprintf(wrong, sizeof(wrong), id == REACTIONS
                 ? "'%s' does not take '%.80s': %s"
                 : "'%s' does not take '%.80s' but %s",
                 key, value, what_it_takes(id));
    else
        return NULL;

    return wrong;
}

/* Handles the options that have to be known before the others.  Returns as below. */
static int look_at_options(struct options *o)
{
    int id;

    optind = 0;
    while ((id = option_next(&settings_table, o->argc, o->argv)) != -1) {
        if (id == HELP)
            settings_print_help();
        if (id == VERSION)
            puts("xenschedd " XENSCHED_VERSION);
        if (id == HELP || id == VERSION)
            return EXIT_STOPPED;
        if (id == '?')
            return EXIT_USAGE;
        if (id == CONFIG) {
            o->config_path = optarg;
            o->config_named = true;
        }
        if (id == REPLACE_AREA)
            o->replace_area = true;
    }
    if (optind == o->argc)
        return -1;
    fprintf(stderr, "xenschedd: '%s' is not an option; see --help\n",
            o->argv[optind]);

    return EXIT_USAGE;
}

static int set_options(struct options *o, struct xensched_error *err)
{
    int id;

    optind = 0;
    while ((id = option_next(&settings_table, o->argc, o->argv)) != -1)
        if (settings[id].key && !set_copy(o, id, optarg))
            return xensched_fail(err, EINVAL, id == REACTIONS
                                 ? "--%s does not take '%s': %s; see --help"
                                 : "--%s does not take '%s' but %s; see --help",
                                 settings[id].name, optarg, what_it_takes(id));

    return 0;
}

/* Each read of the logs renews the lease; one read may be late. */
static int check_lease(const struct options *o, struct xensched_error *err)
{
    if (o->lease_ms >= 3 * o->interval_ms)
        return 0;

    return xensched_fail(err, EINVAL, "the lease (--lease, lease_ms) has to "
                         "be at least three times the interval (--interval, "
                         "interval_ms), which is %llu ms",
                         (unsigned long long)o->interval_ms);
}

static bool counts_misses(const struct options *o)
{
    return o->pmc.select[0] == PMC_MISSES;
}

/* Is it known what each counter counts that is logged or used by the plan? */
static int check_pmc(const struct options *o, struct xensched_error *err)
{
    uint32_t events = o->core.choice.events & ((1U << PMC_MAX) - 1)
                                              << XEN_SCHEDLOG_EV_PMC0;

    if (events & ~pmc_events(&o->pmc))
        return xensched_fail(err, EINVAL, "--log names more performance counters than the %u "
                             "that --pmc (pmc) configures", o->pmc.nr);
    if (policies_events(&o->core.policies) & 1U << XEN_SCHEDLOG_EV_PMC0 &&
        !counts_misses(o))
        return xensched_fail(err, EINVAL, "the preset cache needs "
                             "cache-misses as the first of --pmc (pmc)");

    return 0;
}

/* Former names, accepted for two releases. */
static void warn_of_former(const struct options *o)
{
    static const enum id unused[] = { SHARE, MIN_RATE };
    char names[POLICIES_TEXT];
    unsigned int i;

    if (policies_former(&o->core.policies, names))
        say("warning: policies: %s: presets of placement, which the daemon refuses two "
            "releases from now; use placement", names);
    for (i = 0; i < sizeof(unused) / sizeof(*unused); i++)
        if (o->value[unused[i]])
            say("warning: %s: no effect, and the daemon refuses it two releases from now; "
                "use least_gain_us", settings[unused[i]].key);
}

/* The separator of items in lists whose items contain commas. */
static char separator_of(const char *key)
{
    if (!strcmp(key, settings[REACTIONS].key))
        return '\n';

    return strcmp(key, settings[LLC].key) && strcmp(key, settings[RULES].key)
           ? ',' : '/';
}

static int load_config(struct options *o, struct xensched_error *err)
{
    int rc = 0;

    set_defaults(o);
    if (o->config_path)
        rc = config_read(o->config_path, "xensched.conf(5)", separator_of, accept_key, o,
                         err);
    if (rc == -ENOENT && !o->config_named)
        rc = 0;
    if (!rc)
        rc = set_options(o, err);
    if (!rc)
        rc = check_lease(o, err);
    /* An explicit choice gets no additions; a policy may be off then. */
    if (!o->value[LOG])
        choice_add(&o->core.choice, policies_events(&o->core.policies) |
                                    o->reaction_events);
    if (!rc)
        rc = check_pmc(o, err);
    o->core.policy_settings.counts_misses = counts_misses(o);
    if (!rc)
        warn_of_former(o);
    /* Without events there is nothing for Xen to turn off. */
    if (choice_events(&o->core.choice, HYPERVISOR))
        o->core.lease_ms = o->lease_ms;

    return rc;
}

int options_parse(struct options *o, const char *config, int argc,
                  char **argv)
{
    struct xensched_error err;
    int code;

    memset(o, 0, sizeof(*o));
    o->argc = argc;
    o->argv = argv;
    o->config_path = config;
    code = look_at_options(o);
    if (code >= 0)
        return code;
    if (!load_config(o, &err))
        return -1;
    fprintf(stderr, "xenschedd: %s\n", err.text);
    options_free(o);

    return EXIT_USAGE;
}

static bool option_differs(const struct options *a, const struct options *b,
                           enum id id)
{
    if (!a->value[id] || !b->value[id])
        return a->value[id] != b->value[id];

    return strcmp(a->value[id], b->value[id]);
}

static void take_over(struct options *o, struct options *fresh)
{
    unsigned int id;

    for (id = 0; id < NR_IDS; id++) {
        char *former = o->value[id];

        if (!settings[id].live)
            continue;
        o->value[id] = fresh->value[id];
        fresh->value[id] = former;
    }
    o->core.mode = fresh->core.mode;
    o->core.policies = fresh->core.policies;
    o->core.policy_settings = fresh->core.policy_settings;
    o->core.policy_settings.counts_misses = counts_misses(o);
    o->core.max_moves = fresh->core.max_moves;
    o->core.soft_weight = fresh->core.soft_weight;
    o->core.steer = fresh->core.steer;
    o->interval_ms = fresh->interval_ms;
    o->period_ms = fresh->period_ms;
}

int options_reload(struct options *o, void (*restart)(void *arg,
                                                      const char *key),
                   void *arg, struct xensched_error *err)
{
    struct options fresh = {
        .argc = o->argc,
        .argv = o->argv,
        .config_path = o->config_path,
        .config_named = o->config_named,
    };
    unsigned int id;
    int rc = load_config(&fresh, err);

    /* The lease cannot change, so the interval has to suit it. */
    fresh.lease_ms = o->lease_ms;
    if (!rc)
        rc = check_lease(&fresh, err);
    for (id = 0; !rc && id < NR_IDS; id++)
        if (!settings[id].live && option_differs(o, &fresh, id))
            restart(arg, settings[id].key);
    if (!rc)
        take_over(o, &fresh);
    options_free(&fresh);

    return rc;
}

void options_free(struct options *o)
{
    unsigned int id;

    for (id = 0; id < NR_IDS; id++) {
        free(o->value[id]);
        o->value[id] = NULL;
    }
}

/* Folders. */

/* Creates the folder of a file that the daemon will create. */
static void make_folder_of(const char *path)
{
    char *folder = need_string(path), *slash = strrchr(folder, '/');

    if (slash && slash != folder) {
        *slash = '\0';
        /* If this fails, creating the file reports the error. */
        if (mkdir(folder, 0700) && errno != EEXIST)
            say("cannot make the folder '%s': %s", folder, strerror(errno));
    }
    free(folder);
}

void make_folders(const struct options *o)
{
    make_folder_of(o->lock_path);
    make_folder_of(o->control_path);
    make_folder_of(o->core.state_path);
    make_folder_of(o->core.journal_path);
}

char *file_beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? slash - path + 1 : 0;
    char *beside = need_memory(folder + strlen(name) + 1, 1);

    sprintf(beside, "%.*s%s", (int)folder, path, name);

    return beside;
}
