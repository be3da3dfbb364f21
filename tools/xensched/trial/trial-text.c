/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Renders the result of a trial as sentences, for the command, the journal and the
 * status, so that all of them say the same.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trial.h"

/* Logarithm of the ratio of both ends; a wider interval around 0 is no information. */
#define WIDEST 0.7

struct text {
    char *at;
    size_t left;
};

static void add_text(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_text(struct text *t, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(t->at, t->left, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= t->left)
        length = t->left - 1;
    t->at += length;
    t->left -= length;
}

/* Returns "page" if that is the unit of all guests. */
static const char *common_unit(const struct trial *t)
{
    const char *name = NULL;
    unsigned int i;

    for (i = 0; i < t->nr; i++) {
        const struct trial_guest *guest = &t->guests[i];

        if (!guest->cost.n)
            continue;
        if (name && name != work_unit_name(guest->unit))
            return "unit of work";
        name = work_unit_name(guest->unit);
    }

    return name ? name : "unit of work";
}

static void add_cost(struct text *text, const struct trial *t)
{
    double low, high, mean = 100 * trial_change(t->cost.mean);

    if (!t->cost.n) {
        add_text(text, "no guest exchanged pages or notifications, so there is no cost "
                 "to compare");
        return;
    }
    if (!evidence_interval(&t->cost, TRIAL_ALPHA, &low, &high) ||
        (low < 0 && high > 0 && high - low > WIDEST)) {
        add_text(text, "%u pair%s of blocks cannot bound a change; so far pCPU time per %s "
                 "changes by %+.1f %%", t->done, t->done == 1 ? "" : "s",
                 common_unit(t), mean);
        return;
    }
    low = 100 * trial_change(low);
    high = 100 * trial_change(high);
    if (high < 0)
        add_text(text, "placement saves %.1f %% of pCPU time per %s on this host (95 %% "
                 "interval %.1f to %.1f %%, %u blocks)", -mean, common_unit(t), -high,
                 -low, 2 * t->done);
    else if (low > 0)
        add_text(text, "placement costs %.1f %% more pCPU time per %s on this host "
                 "(95 %% interval %.1f to %.1f %%, %u blocks)", mean, common_unit(t),
                 low, high, 2 * t->done);
    else
        add_text(text, "no difference is shown: with placement pCPU time per %s changes by "
                 "%+.1f %% (95 %% interval %+.1f to %+.1f %%, %u blocks)",
                 common_unit(t), mean, low, high, 2 * t->done);
}

static void add_waiting(struct text *text, const struct trial *t)
{
    double low, high;

    if (!t->waiting.n)
        return;
    add_text(text, "; waiting for a pCPU %+.1f %%", 100 * t->waiting.mean);
    if (evidence_interval(&t->waiting, TRIAL_ALPHA, &low, &high))
        add_text(text, " (%+.1f to %+.1f %%)", 100 * low, 100 * high);
}

static void add_guests(struct text *text, const struct trial *t)
{
    const struct trial_guest *best = NULL;
    unsigned int i;

    for (i = 0; i < t->nr; i++) {
        const struct trial_guest *guest = &t->guests[i];
        double low, high;

        if (evidence_interval(&guest->cost, TRIAL_ALPHA, &low, &high) &&
            high < 0 && (!best || guest->cost.mean < best->cost.mean))
            best = guest;
    }
    if (best && t->nr > 1)
        add_text(text, "; %s gains most (%.1f %%)", best->name,
                 -100 * trial_change(best->cost.mean));
    for (i = 0; i < t->nr; i++)
        if (t->guests[i].left_alone)
            add_text(text, "; %s is left alone (cost %+.1f %%, waiting %+.1f %%)",
                     t->guests[i].name, 100 * trial_change(t->guests[i].cost.mean),
                     100 * t->guests[i].waiting.mean);
}

/* Adds how long a trial with such blocks has to be to detect @percent. */
static void add_length(struct text *text, const struct trial *t,
                       unsigned int percent)
{
    unsigned int pairs = evidence_needed(evidence_deviation(&t->cost),
                                         percent / 100.0, TRIAL_ALPHA);

    if (!pairs)
        add_text(text, "; %u %% cannot be detected", percent);
    else
        add_text(text, "; %u %% takes %u pairs (%.1f h)", percent, pairs,
                 2.0 * pairs * t->settings.block_ns / 3.6e12);
}

static void describe_dry_run(struct text *text, const struct trial *t)
{
    if (t->cost.n < 2) {
        add_text(text, "dry run: %u pair%s so far, 2 are needed", t->done,
                 t->done == 1 ? "" : "s");
        return;
    }
    add_text(text, "dry run: blocks of %.0f s differ by %.1f %% (standard deviation of "
             "%u pairs) although nothing was changed", t->settings.block_ns / 1e9,
             100 * evidence_deviation(&t->cost), t->cost.n);
    add_length(text, t, 1);
    add_length(text, t, 2);
    add_length(text, t, 5);
}

static bool has_moved(const struct trial *t)
{
    unsigned int i;

    for (i = 0; i < t->nr; i++)
        if (t->guests[i].moved)
            return true;

    return false;
}

/* If placement did not change where guests ran, it did not cause a difference of costs. */
static bool has_nothing_to_compare(struct text *text, const struct trial *t)
{
    double placed = trial_residency(t, true), without = trial_residency(t, false);

    if (t->state == TRIAL_HARMFUL)
        return false;
    if (!has_moved(t)) {
        add_text(text, "no guest was moved in %u blocks, so there is nothing to compare",
                 2 * t->done);
        return true;
    }
    if (placed < 0 || placed - without >= TRIAL_LEAST_SHIFT)
        return false;
    add_text(text, "placement did not change where guests ran, so this trial does not show "
             "what placement is worth: they spent %.0f %% of their time at their targets "
             "in placed blocks and %.0f %% in the other ones (%u blocks)", 100 * placed,
             100 * without, 2 * t->done);

    return true;
}

static void add_residency(struct text *text, const struct trial *t)
{
    if (trial_residency(t, true) >= 0)
        add_text(text, "; guests spent %.0f %% of their time at their targets, and %.0f %% "
                 "without placement", 100 * trial_residency(t, true),
                 100 * trial_residency(t, false));
}

void trial_verdict(const struct trial *t, char out[TRIAL_VERDICT])
{
    struct text text = { out, TRIAL_VERDICT };

    out[0] = '\0';
    if (t->state == TRIAL_NONE) {
        add_text(&text, "there was no trial on this host; 'xensched trial start' begins "
                 "one");
    } else if (t->settings.dry_run) {
        describe_dry_run(&text, t);
    } else if (!t->done) {
        add_text(&text, "no pair of blocks is complete yet");
    } else if (!has_nothing_to_compare(&text, t)) {
        add_cost(&text, t);
        add_waiting(&text, t);
        add_residency(&text, t);
        add_guests(&text, t);
    }
}
