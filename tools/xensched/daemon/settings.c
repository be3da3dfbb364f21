/* SPDX-License-Identifier: GPL-2.0-only */
/* settings.c - the table, and --help; see settings.h. */
#include <stdio.h>

#include "options.h"
#include "settings.h"

#define A_DAY "0 to 86400000 ms, or a time such as 5s"

const struct option_row settings[NR_IDS] = {
    [CONFIG] = { "config", "FILE", .takes = "the name of a file",
        .standard = OPTIONS_CONFIG,
        .help = "the configuration; options on the command line override it" },
    [MODE] = { "mode", "MODE", "mode", "advise", "observe, advise or act",
        "observe: watch only; advise: plan and explain, change nothing; act: "
        "set vCPU affinities, and restore them at the end", true },
    [POLICIES] = { "policies", "NAME,...", "policies", "driver-affinity",
        "some of placement, driver-affinity, working-set, balance, cache",
        "how to plan, by one or more of placement, driver-affinity, "
        "working-set, balance and cache; the first in the list that has a "
        "place for a guest decides", true },
    [LEAST_GAIN] = { "least-gain", "US", "least_gain_us", "250",
        "0 to 1000000 us per second",
        "what a move has to gain with policy placement, in microseconds of "
        "pCPU time per second", true },
    [MISSES] = { "misses", "N", "misses_per_ms", "1000", "0 to 1000000",
        "cache misses per millisecond of running that policy placement assumes "
        "of guests where no performance counter counts them; 0: where memory "
        "is does not matter for them", true },
    [SHARE] = { "share", "PERCENT", "share", "60", "1 to 100 percent",
        "a guest belongs to a driver domain (or place) if at least this "
        "percentage of its interactions is with it", true },
    [MIN_RATE] = { "min-rate", "N", "min_rate", "50", "0 to 4294967295",
        "leave guests alone that have fewer interactions per second", true },
    [CONFIRM] = { "confirm", "N", "confirm", "2", "1 to 1000",
        "number of periodic plans in a row that have to agree before a guest is moved",
        true },
    [SETTLE] = { "settle", "MS", "settle_ms", "5000", A_DAY,
        "leave guests alone for this long after they are created", true },
    [STAY] = { "stay", "MS", "stay_ms", "10000", A_DAY,
        "minimum time between two moves of a guest", true },
    [QUIET] = { "quiet", "MS", "quiet_ms", "60000", A_DAY,
        "restore the original affinity of a guest that has had no reason to "
        "be where it was moved for this long", true },
    [MAX_MOVES] = { "max-moves", "N", "max_moves", "6", "1 to 1000",
        "maximum number of changes (moves, restores, hard affinities) per "
        "minute", true },
    [AFFINITY] = { "affinity", "LEVER", "affinity", "auto",
        "soft, hard or auto",
        "which affinity keeps guests where they were moved; soft: soft "
        "affinity; hard: hard affinity as well, while there is room; auto: "
        "hard only where soft had no effect and there is room", true },
    [SOFT_WEIGHT] = { "soft-weight", "PERCENT", "soft_weight", "50",
        "0 to 10000 percent",
        "in mode act, set Xen's parameter credit2_soft_weight to this: credit2 "
        "keeps a guest within its soft affinity until more than this "
        "percentage of vCPUs in excess of pCPUs want to run there; 0: leave "
        "the parameter alone", true },
    [STEER] = { "steer", "WHAT", "steer", "none", "none or blkback",
        "in mode act, where vCPUs of dom0 are bound to different places, have dom0 "
        "serve a guest's disks on those that are where the guest is: blkback: "
        "xen-blkback's threads", true },
    [SOFT_POOLS] = { "soft-pools", "POOL,...", "soft_pools", NULL,
        "names of cpupools", "cpupools whose guests never get a hard affinity",
        false },
    [RULES] = { "rules", "RULE/...", "rules", NULL,
        "rules such as \"name=web-*: nodes=0, talk=2\" or \"group=db: hold\"",
        "what is to hold for guests of a name, a group or a cpupool: hold, "
        "nodes=LIST, or how much a price of policy placement counts for them; see "
        "xensched.conf(5)", true },
    [HALF_LIFE] = { "half-life", "MS", "half_life_ms", "1000",
        "1 to 86400000 ms, or a time such as 5s", "time after which an interaction counts half",
        false },
    [INTERVAL] = { "interval", "MS", "interval_ms", "100", "1 to 60000 ms, or a time such as 1s",
        "time between two reads of a log that cannot say when it fills up",
        true },
    [PERIOD] = { "period", "MS", "period_ms", "1000", "10 to 3600000 ms, or a time such as 2s",
        "time between two plans", true },
    [LOG] = { "log", "EVENT[:N],...", "log", NULL, "events, all, or none",
        "events to log, with :N only every Nth of them; or all, or none "
        "(default: what the policies need)", false },
    [LOG_SIZES] = { "log-sizes", "EVENT:SIZE,...", "log_sizes", NULL,
        "events with sizes, powers of two from 16 bytes to 16M",
        "size of the log file of an event on each pCPU, such as "
        "evtchn-send:512K; events that share a log file get the largest of "
        "their sizes; xensched advise-size prints this setting (default: "
        "32K to 256K, by event)", false },
    [PMC] = { "pmc", "SELECT,...", "pmc", "cache-misses",
        "up to four of cache-misses and event selects such as 0x300c0",
        "what performance counters count, up to four, logged as pmc0, pmc1 and "
        "so on: cache-misses or event selects such as 0x300c0; the policy "
        "cache needs cache-misses first", false },
    [BUDGET] = { "budget", "PERCENT", "budget_percent", "0",
        "0 to 1000 percent",
        "what logging may cost, in percent of a pCPU, the daemon included; "
        "above that, fewer of the most frequent events are logged; 0: no limit",
        false },
    [LEASE] = { "lease", "MS", "lease_ms", "10000", "1000 to 3600000 ms, or a time such as 30s",
        "Xen stops logging when the daemon has shown no sign of life for this "
        "long", false },
    [LLC] = { "llc", "PCPUS/...", "llc", NULL,
        "lists of pCPUs such as 0-3, each pCPU once",
        "which pCPUs share a last-level cache, such as 0-7/8-15, by Xen's "
        "numbers, which 'xl info -n' prints and lscpu does not (default: what "
        "the host says, or else one per socket)", false },
    [REPLACE_AREA] = { "replace-area",
        .help = "replace a log area of another layout that somebody else made" },
    [CONTROL] = { "control", "SOCKET", "control", "/run/xensched/control",
        "the name of a socket", "control socket to listen on", false },
    [STATE] = { "state", "FILE", "state", "/var/lib/xensched/state.json",
        "the name of a file", "where to keep what has to be restored", false },
    [JOURNAL] = { "journal", "FILE", "journal",
        "/var/log/xensched/journal.jsonl", "the name of a file",
        "where to write decisions, changes and the reasons for them", false },
    [JOURNAL_SIZE] = { "journal-size", "SIZE", "journal_size_mib", "10",
        "0 to 1G, with K, M or G, or a number of MiB",
        "size (K, M or G, or a number of MiB) at which a new journal is begun; "
        "three old ones are kept; 0: never", false },
    [DISTANCES] = { "distances", "FILE", "distances",
        "/var/lib/xensched/distances.json", "the name of a file",
        "where 'xensched calibrate' has left the distances of this machine; "
        "without it they are assumed", false },
    [LOCK] = { "lock", "FILE", "lock", "/run/xensched/lock",
        "the name of a file", "lock file, so that only one daemon runs", false },
    [METRICS] = { "metrics", "FILE", "metrics", NULL, "the name of a file",
        "write metrics to this file every 5 s, in OpenMetrics format, for "
        "node_exporter", false },
    [REACTIONS] = { "reactions", "REACTION", "reactions", NULL,
        "reactions: CONDITION do ACTION[; ACTION]...",
        "what to do when, such as 'wake-delay web1 > 5ms do snapshot "
        "/var/lib/xensched/late.rows'; in the configuration a list of these; "
        "see xensched-on(8)", false },
    [VERSION] = { "version", .help = "print the version" },
    [HELP] = { "help", .help = "print this text" },
};

const struct option_table settings_table = {
    .row = settings, .nr = NR_IDS, .takes = OPTIONS_ALL,
};

void settings_print_help(void)
{
    fputs("Usage: xenschedd [OPTION...]\n"
          "\n"
          "Watches which domains of this Xen host talk to each other and "
          "places guests\n"
          "near those they talk to, above all the driver domains which serve "
          "them.  Runs\n"
          "in the foreground.\n"
          "\n", stdout);
    option_print_all(&settings_table);
    fputs("\n"
          "Exit codes: 0 stopped cleanly, 1 failure, 2 wrong usage, 4 another "
          "scheduler\n"
          "is running.  See xenschedd(8).\n", stdout);
}
