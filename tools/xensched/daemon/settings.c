/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists each setting once, for options, keys, --help and manual pages. */
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
    [POLICIES] = { "policies", "NAME,...", "policies", "placement",
        "placement, or some of driver-affinity, working-set, balance, cache",
        "placement, or for two more releases some of its presets "
        "driver-affinity, working-set, balance and cache", true },
    [LEAST_GAIN] = { "least-gain", "US", "least_gain_us", "250",
        "0 to 1000000 us per second, such as 250, 250us or 1ms",
        "least gain of a move, in microseconds of pCPU time "
        "per second", true },
    [MISSES] = { "misses", "N", "misses_per_ms", "1000", "0 to 1000000",
        "cache misses per millisecond of running that the daemon assumes "
        "if no performance counter counts them; 0: ignore where memory is",
        true },
    [SHARE] = { "share", "PERCENT", "share", NULL, "1 to 100 percent",
        "no effect; accepted for two more releases", true },
    [MIN_RATE] = { "min-rate", "N", "min_rate", NULL, "0 to 4294967295",
        "no effect; accepted for two more releases", true },
    [CONFIRM] = { "confirm", "N", "confirm", "2", "1 to 1000",
        "move a guest if this number of periodic plans in a row agree", true },
    [SETTLE] = { "settle", "MS", "settle_ms", "5000", A_DAY,
        "leave new guests where they are for this time", true },
    [STAY] = { "stay", "MS", "stay_ms", "10000", A_DAY,
        "minimum time between two moves of a guest", true },
    [QUIET] = { "quiet", "MS", "quiet_ms", "60000", A_DAY,
        "restore the original affinity of a guest that has had no reason to be "
        "at its target for this time", true },
    [MAX_MOVES] = { "max-moves", "N", "max_moves", "6", "1 to 1000",
        "maximum number of changes (moves, restores, hard affinities) per "
        "minute", true },
    [AFFINITY] = { "affinity", "MODE", "affinity", "auto",
        "soft, hard or auto",
        "affinity to set; soft: soft affinity; hard: hard affinity as well, "
        "while the target has capacity; auto: hard only if soft had no effect "
        "and there is capacity", true },
    [SOFT_WEIGHT] = { "soft-weight", "PERCENT", "soft_weight", "50",
        "0 to 10000 percent",
        "in mode act, set Xen's parameter credit2_soft_weight: credit2 keeps a "
        "guest within its soft affinity until the load there exceeds its pCPUs "
        "by this percentage; 0: do not set it", true },
    [STEER] = { "steer", "WHAT", "steer", "none", "none or blkback",
        "in mode act, serve a guest's disks by vCPUs of dom0 that are bound to "
        "the guest's node or socket; blkback: bind xen-blkback's threads", true },
    [SOFT_POOLS] = { "soft-pools", "POOL,...", "soft_pools", NULL,
        "names of cpupools", "never set a hard affinity in these cpupools",
        false },
    [RULES] = { "rules", "RULE/...", "rules", NULL,
        "rules such as \"name=web-*: nodes=0, talk=2\" or \"group=db: hold\"",
        "rules for guests of a name, a group or a cpupool: hold, nodes=LIST, or "
        "factors for prices of placement; see xensched.conf(5)", true },
    [HALF_LIFE] = { "half-life", "MS", "half_life_ms", "1000",
        "1 to 86400000 ms, or a time such as 5s", "time after which an interaction counts half",
        false },
    [INTERVAL] = { "interval", "MS", "interval_ms", "100", "1 to 60000 ms, or a time such as 1s",
        "time between two reads of a log without a doorbell",
        true },
    [PERIOD] = { "period", "MS", "period_ms", "1000", "10 to 3600000 ms, or a time such as 2s",
        "time between two plans", true },
    [LOG] = { "log", "EVENT[:N],...", "log", NULL, "events, all, or none",
        "events to log; with :N, only every Nth; or all, or none "
        "(default: what placement needs)", false },
    [LOG_SIZES] = { "log-sizes", "EVENT:SIZE,...", "log_sizes", NULL,
        "events with sizes, powers of two from 16 bytes to 16M",
        "size of an event's log buffer on each pCPU, such as evtchn-send:512K; "
        "events that share a buffer get the largest of their sizes; 'xensched "
        "advise-size' prints this setting (default: 32K to 256K, by event)", false },
    [PMC] = { "pmc", "SELECT,...", "pmc", "cache-misses",
        "up to four of cache-misses and event selects such as 0x300c0",
        "what performance counters count, logged as pmc0 to pmc3: cache-misses "
        "or event selects such as 0x300c0; the price of shared caches needs cache-misses first",
        false },
    [BUDGET] = { "budget", "PERCENT", "budget_percent", "0",
        "0 to 1000 percent",
        "limit of the cost of logging, daemon included, in percent of a pCPU; "
        "above it, log fewer of the most frequent events; 0: no limit",
        false },
    [LEASE] = { "lease", "MS", "lease_ms", "10000", "1000 to 3600000 ms, or a time such as 30s",
        "stop logging if the daemon does not renew its lease for this time",
        false },
    [LLC] = { "llc", "PCPUS/...", "llc", NULL,
        "lists of pCPUs such as 0-3, each pCPU once",
        "lists of pCPUs that share a cache (LLC), such as 0-7/8-15, by numbers "
        "of 'xl info -n', not of lscpu (default: as Xen reports, "
        "otherwise one per socket)", false },
    [REPLACE_AREA] = { "replace-area",
        .help = "replace a log area of another layout that another program made" },
    [CONTROL] = { "control", "SOCKET", "control", "/run/xensched/control",
        "the name of a socket", "control socket to listen on", false },
    [STATE] = { "state", "FILE", "state", "/var/lib/xensched/state.json",
        "the name of a file", "file for original affinities", false },
    [JOURNAL] = { "journal", "FILE", "journal",
        "/var/log/xensched/journal.jsonl", "the name of a file",
        "file for decisions, changes and their reasons", false },
    [JOURNAL_SIZE] = { "journal-size", "SIZE", "journal_size_mib", "10",
        "0 to 1G, with K, M or G, or a number of MiB",
        "start a new journal at this size (K, M or G; plain: MiB), and keep "
        "three old ones; 0: never", false },
    [DISTANCES] = { "distances", "FILE", "distances",
        "/var/lib/xensched/distances.json", "the name of a file",
        "distances of this machine, by 'xensched calibrate'; without the file "
        "they are assumed", false },
    [LOCK] = { "lock", "FILE", "lock", "/run/xensched/lock",
        "the name of a file", "file to lock, so that only one daemon runs", false },
    [METRICS] = { "metrics", "FILE", "metrics", NULL, "the name of a file",
        "write metrics to this file every 5 s, in OpenMetrics format, for "
        "node_exporter", false },
    [REACTIONS] = { "reactions", "REACTION", "reactions", NULL,
        "reactions: CONDITION do ACTION[; ACTION]...",
        "condition and actions, such as 'wake-delay web1 > 5ms do snapshot "
        "/var/lib/xensched/late.rows'; in the configuration a list of these; "
        "see xensched-reactions(5)", false },
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
          "Place guests of this Xen host near the domains with which they "
          "communicate,\n"
          "such as the driver domains that serve them. Run in the foreground.\n"
          "\n", stdout);
    option_print_all(&settings_table);
    fputs("\n"
          "Exit status: 0 stopped cleanly, 1 failure, 2 wrong arguments, 4 another "
          "daemon\n"
          "or scheduler is running. See xenschedd(8).\n", stdout);
}
