/* SPDX-License-Identifier: GPL-2.0-only */
/* settings.c - the table, and --help; see settings.h. */
#include <stdio.h>
#include <string.h>

#include "settings.h"

#define A_DAY "0 to 86400000 ms"

const struct setting settings[NR_IDS] = {
    [CONFIG] = { "config", "FILE", .takes = "the name of a file",
        .help = "the configuration, which options override (default: "
                "/etc/xen/xensched.conf)" },
    [MODE] = { "mode", "MODE", "mode", "advise", "observe, advise or act",
        "observe: only watch; advise: plan and explain, change nothing; act: "
        "set affinities, which are restored when it ends", true },
    [POLICIES] = { "policies", "NAME,...", "policies", "driver-affinity",
        "some of driver-affinity, working-set, balance, cache",
        "in their order: driver-affinity, working-set, balance, cache", true },
    [SHARE] = { "share", "PERCENT", "share", "60", "1 to 100 percent",
        "of its interactions with one driver domain that make a guest belong "
        "to it", true },
    [MIN_RATE] = { "min-rate", "N", "min_rate", "50", "0 to 4294967295",
        "leave guests with fewer interactions per second", true },
    [CONFIRM] = { "confirm", "N", "confirm", "2", "1 to 1000",
        "so many plans in a row have to agree on a move", true },
    [SETTLE] = { "settle", "MS", "settle_ms", "5000", A_DAY,
        "leave guests which are this new", true },
    [STAY] = { "stay", "MS", "stay_ms", "10000", A_DAY,
        "between two moves of a guest", true },
    [QUIET] = { "quiet", "MS", "quiet_ms", "60000", A_DAY,
        "give a guest back that had no reason for so long", true },
    [MAX_MOVES] = { "max-moves", "N", "max_moves", "6", "1 to 1000",
        "so many guests are moved per minute at most", true },
    [AFFINITY] = { "affinity", "LEVER", "affinity", "auto",
        "soft, hard or auto",
        "auto: soft affinity, and hard where that has no effect and there is "
        "room; soft, or hard", true },
    [SOFT_WEIGHT] = { "soft-weight", "PERCENT", "soft_weight", "50",
        "0 to 10000 percent",
        "while it acts Xen's credit2 leaves guests where their soft affinity "
        "wants them, as long as there are no more than so many percent more "
        "vCPUs that want to run than pCPUs; 0: Xen's parameter is left alone",
        true },
    [SOFT_POOLS] = { "soft-pools", "POOL,...", "soft_pools", NULL,
        "names of cpupools", "cpupools in which affinities stay soft", false },
    [HALF_LIFE] = { "half-life", "MS", "half_life_ms", "1000",
        "1 to 86400000 ms", "after so long an interaction counts a half",
        false },
    [INTERVAL] = { "interval", "MS", "interval_ms", "100", "1 to 60000 ms",
        "between two looks at the logs", true },
    [PERIOD] = { "period", "MS", "period_ms", "1000", "10 to 3600000 ms",
        "between two plans", true },
    [LOG] = { "log", "EVENT[:N],...", "log", NULL, "events, all, or none",
        "what is logged, of N events one; or all, or none (default: what plans "
        "are made from)", false },
    [BUDGET] = { "budget", "PERCENT", "budget_percent", "0",
        "0 to 1000 percent",
        "of a pCPU that logging may cost, the daemon included: of what happens "
        "most fewer events are logged then; 0: not looked at", false },
    [LEASE] = { "lease", "MS", "lease_ms", "10000", "1000 to 3600000 ms",
        "Xen turns its logging off when the daemon stood still for so long",
        false },
    [LLC] = { "llc", "PCPUS/...", "llc", NULL,
        "lists of pCPUs such as 0-3, each pCPU once",
        "which pCPUs share a last-level cache, such as 0-3,8-11/4-7,12-15 "
        "(default: what the host says, or else those of a socket)", false },
    [REPLACE_AREA] = { "replace-area",
        .help = "take the hypervisor's log area from whoever made it" },
    [CONTROL] = { "control", "SOCKET", "control", "/run/xensched/control",
        "the name of a socket", "where xensched asks", false },
    [STATE] = { "state", "FILE", "state", "/var/lib/xensched/state.json",
        "the name of a file", "what the next daemon has to know", false },
    [JOURNAL] = { "journal", "FILE", "journal",
        "/var/log/xensched/journal.jsonl", "the name of a file",
        "what was decided and done, and why", false },
    [JOURNAL_SIZE] = { "journal-size", "MIB", "journal_size_mib", "10",
        "0 to 1024 MiB",
        "then a new file is begun, three old ones are kept; 0: never", false },
    [LOCK] = { "lock", "FILE", "lock", "/run/xensched/lock",
        "the name of a file", "so that it runs once", false },
    [METRICS] = { "metrics", "FILE", "metrics", NULL, "the name of a file",
        "write OpenMetrics there, for node_exporter", false },
    [VERSION] = { "version", .help = "print which one this is" },
    [HELP] = { "help", .help = "this text" },
};

#define HELP_INDENT 24
#define HELP_WIDTH  78

/* @text, wrapped, from the column @at of a line on which something is. */
static void print_wrapped(const char *text, size_t at)
{
    while (*text) {
        size_t length = strcspn(text, " "), more = text[length] == ' ';

        if (at + 1 + length > HELP_WIDTH || at < HELP_INDENT) {
            printf("%s%*s", at < HELP_INDENT ? "" : "\n",
                   (int)(HELP_INDENT - (at < HELP_INDENT ? at : 0)), "");
            at = HELP_INDENT;
        } else if (at > HELP_INDENT) {
            putchar(' ');
            at++;
        }
        printf("%.*s", (int)length, text);
        at += length;
        text += length + more;
    }
}

static void print_setting(const struct setting *s)
{
    char text[500];
    size_t at = printf("  --%s%s%s", s->option, s->value ? " " : "",
                       s->value ? s->value : "");

    if (at >= HELP_INDENT) {
        putchar('\n');
        at = 0;
    }
    snprintf(text, sizeof(text), s->standard ? "%s (default: %s)" : "%s",
             s->help, s->standard);
    print_wrapped(text, at);
    putchar('\n');
}

void settings_print_help(void)
{
    unsigned int id;

    fputs("Usage: xenschedd [OPTION...]\n"
          "\n"
          "Watches which domains of this Xen host talk to each other and "
          "places guests\n"
          "near those they talk to, above all the driver domains which serve "
          "them.  Runs\n"
          "in the foreground.\n"
          "\n", stdout);
    for (id = 0; id < NR_IDS; id++)
        print_setting(&settings[id]);
    fputs("\n"
          "Exit codes: 0 stopped cleanly, 1 failure, 2 wrong usage, 4 another "
          "scheduler\n"
          "is running.  See xenschedd(8).\n", stdout);
}
