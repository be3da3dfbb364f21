/* SPDX-License-Identifier: GPL-2.0-only */
/* options.c - see options.h.  A new option is a row of the table. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

#define MS 1000000ULL /* ns */

static const char usage[] =
"Usage: xenschedd [OPTION...]\n"
"\n"
"Watches which domains of this Xen host talk to each other and places guests\n"
"near the driver domains which serve them.  Runs in the foreground.\n"
"\n"
"  --mode MODE          observe: only watch\n"
"                       advise: plan and explain, change nothing (default)\n"
"                       act: set soft affinities; restored when it ends\n"
"  --policy NAME        default and only one: driver-affinity\n"
"  --share PERCENT      of its interactions with one driver domain that make\n"
"                       a guest belong to it (60)\n"
"  --min-rate N         leave guests with fewer interactions per second (50)\n"
"  --confirm N          so many plans in a row have to agree on a move (2)\n"
"  --settle MS          leave guests which are this new (5000)\n"
"  --stay MS            between two moves of a guest (10000)\n"
"  --quiet MS           give a guest back that had no reason for so long\n"
"                       (60000)\n"
"  --half-life MS       after so long an interaction counts a half (1000)\n"
"  --interval MS        between two looks at the logs (100)\n"
"  --period MS          between two plans (1000)\n"
"  --log EVENT[:N],...  what is logged, of N events one; or all, or none\n"
"                       (what plans are made from)\n"
"  --lease MS           Xen turns its logging off when the daemon stood still\n"
"                       for so long; 1000 to 3600000 (10000)\n"
"  --replace-area       take the hypervisor's log area from whoever made it\n"
"  --control SOCKET     default /run/xensched/control\n"
"  --state FILE         default /var/lib/xensched/state.json\n"
"  --journal FILE       default /var/log/xensched/journal.jsonl\n"
"  --journal-size MIB   then a new file is begun, three old ones are kept; 0:\n"
"                       never (10)\n"
"  --lock FILE          default /run/xensched/lock\n"
"  --metrics FILE       write OpenMetrics there, for node_exporter\n"
"  --version, --help\n"
"\n"
"Exit codes: 0 stopped cleanly, 1 failure, 2 wrong usage, 4 another scheduler\n"
"is running.  See xenschedd(8).\n";

enum id {
    HELP, VERSION, MODE, POLICY, SHARE, MIN_RATE, CONFIRM, SETTLE, STAY, QUIET,
    HALF_LIFE, INTERVAL, PERIOD, LOG, LEASE, REPLACE_AREA, CONTROL, STATE,
    JOURNAL, JOURNAL_SIZE, LOCK, METRICS,
};

static const struct option options[] = {
    [HELP] = { "help", no_argument, NULL, HELP },
    [VERSION] = { "version", no_argument, NULL, VERSION },
    [MODE] = { "mode", required_argument, NULL, MODE },
    [POLICY] = { "policy", required_argument, NULL, POLICY },
    [SHARE] = { "share", required_argument, NULL, SHARE },
    [MIN_RATE] = { "min-rate", required_argument, NULL, MIN_RATE },
    [CONFIRM] = { "confirm", required_argument, NULL, CONFIRM },
    [SETTLE] = { "settle", required_argument, NULL, SETTLE },
    [STAY] = { "stay", required_argument, NULL, STAY },
    [QUIET] = { "quiet", required_argument, NULL, QUIET },
    [HALF_LIFE] = { "half-life", required_argument, NULL, HALF_LIFE },
    [INTERVAL] = { "interval", required_argument, NULL, INTERVAL },
    [PERIOD] = { "period", required_argument, NULL, PERIOD },
    [LOG] = { "log", required_argument, NULL, LOG },
    [LEASE] = { "lease", required_argument, NULL, LEASE },
    [REPLACE_AREA] = { "replace-area", no_argument, NULL, REPLACE_AREA },
    [CONTROL] = { "control", required_argument, NULL, CONTROL },
    [STATE] = { "state", required_argument, NULL, STATE },
    [JOURNAL] = { "journal", required_argument, NULL, JOURNAL },
    [JOURNAL_SIZE] = { "journal-size", required_argument, NULL, JOURNAL_SIZE },
    [LOCK] = { "lock", required_argument, NULL, LOCK },
    [METRICS] = { "metrics", required_argument, NULL, METRICS },
    { 0 },
};

static bool number(const char *text, uint64_t min, uint64_t max,
                   uint64_t *value)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, 10);

    return !errno && !*end && *value >= min && *value <= max;
}

/* At least @min_ms, at most a day. */
static bool time_ns(const char *text, uint64_t min_ms, uint64_t *ns)
{
    uint64_t ms;

    if (!number(text, min_ms, 24 * 3600 * 1000, &ms))
        return false;
    *ns = ms * MS;

    return true;
}

static bool mode(struct options *o, const char *text)
{
    int found = mode_find(text);

    if (found >= 0)
        o->core.mode = found;

    return found >= 0;
}

static bool policy(struct options *o, const char *text)
{
    o->core.policy = policy_find(text);

    return o->core.policy;
}

static bool text(const char *value, const char **path)
{
    *path = value;

    return *value;
}

static bool share(struct options *o, const char *value)
{
    uint64_t percent;

    if (!number(value, 1, 100, &percent))
        return false;
    o->core.policy_settings.share = percent / 100.0;

    return true;
}

static bool min_rate(struct options *o, const char *value)
{
    uint64_t rate;

    if (!number(value, 0, UINT32_MAX, &rate))
        return false;
    o->core.policy_settings.min_rate = rate;

    return true;
}

static bool confirm(struct options *o, const char *value)
{
    uint64_t runs;

    if (!number(value, 1, 1000, &runs))
        return false;
    o->core.policy_settings.confirm = runs;

    return true;
}

static bool lease(struct options *o, const char *value)
{
    uint64_t ms;

    if (!number(value, 1000, 3600000, &ms))
        return false;
    o->lease_ms = ms;

    return true;
}

static bool journal_size(struct options *o, const char *value)
{
    uint64_t mib;

    if (!number(value, 0, 1024, &mib))
        return false;
    o->core.journal_limit = mib << 20;

    return true;
}

static bool set(struct options *o, enum id id, const char *value)
{
    struct policy_settings *p = &o->core.policy_settings;

    switch (id) {
    case MODE: return mode(o, value);
    case POLICY: return policy(o, value);
    case SHARE: return share(o, value);
    case MIN_RATE: return min_rate(o, value);
    case CONFIRM: return confirm(o, value);
    case SETTLE: return time_ns(value, 0, &p->settle_ns);
    case STAY: return time_ns(value, 0, &p->stay_ns);
    case QUIET: return time_ns(value, 0, &p->quiet_ns);
    case HALF_LIFE: return time_ns(value, 1, &o->core.half_life_ns);
    case INTERVAL: return number(value, 1, 60000, &o->interval_ms);
    case PERIOD: return number(value, 10, 3600000, &o->period_ms);
    case LOG: return choice_parse(&o->core.choice, value);
    case LEASE: return lease(o, value);
    case REPLACE_AREA: return o->replace_area = true;
    case CONTROL: return text(value, &o->control_path);
    case STATE: return text(value, &o->core.state_path);
    case JOURNAL: return text(value, &o->core.journal_path);
    case JOURNAL_SIZE: return journal_size(o, value);
    case LOCK: return text(value, &o->lock_path);
    case METRICS: return text(value, &o->metrics_path);
    case HELP:
    case VERSION:
        break;
    }

    return false;
}

static void set_defaults(struct options *o)
{
    memset(o, 0, sizeof(*o));
    o->core.mode = MODE_ADVISE;
    o->core.half_life_ns = 1000 * MS;
    o->core.policy = policy_find(NULL);
    o->core.policy_settings = policy_defaults;
    choice_default(&o->core.choice);
    o->lease_ms = 10000;
    o->core.state_path = "/var/lib/xensched/state.json";
    o->core.journal_path = "/var/log/xensched/journal.jsonl";
    o->core.journal_limit = 10 << 20;
    o->interval_ms = 100;
    o->period_ms = 1000;
    o->control_path = "/run/xensched/control";
    o->lock_path = "/run/xensched/lock";
}

static int wrong(const char *option, const char *value)
{
    fprintf(stderr, "xenschedd: --%s does not take '%s'; see --help\n", option,
            value);

    return EXIT_USAGE;
}

/* It is renewed with each look at the logs; one may come late. */
static bool lease_is_long_enough(const struct options *o)
{
    if (o->lease_ms >= 3 * o->interval_ms)
        return true;
    fprintf(stderr, "xenschedd: --lease has to be at least three times "
            "--interval, which is %llu ms; see --help\n",
            (unsigned long long)o->interval_ms);

    return false;
}

int options_parse(struct options *o, int argc, char **argv)
{
    int id;

    set_defaults(o);
    while ((id = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (id == HELP) {
            fputs(usage, stdout);
            return EXIT_STOPPED;
        }
        if (id == VERSION) {
            puts("xenschedd " XENSCHED_VERSION);
            return EXIT_STOPPED;
        }
        if (id == '?')
            return EXIT_USAGE;
        if (!set(o, id, optarg))
            return wrong(options[id].name, optarg);
    }
    /* With no event on there is nothing that Xen would have to turn off. */
    if (choice_events(&o->core.choice, HYPERVISOR))
        o->core.lease_ms = o->lease_ms;
    if (optind == argc)
        return lease_is_long_enough(o) ? -1 : EXIT_USAGE;
    fprintf(stderr, "xenschedd: '%s' is not an option; see --help\n",
            argv[optind]);

    return EXIT_USAGE;
}
