/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Adds rows of all sources but the hypervisor's to the matrix: reads them, validates those of
 * domains, and sums them up.
 *
 * core_read() does the same for the hypervisor's rows, which need no validation.
 */
#include <stdio.h>

#include "base/message.h"
#include "log-source.h"
#include "log-sources.h"

#define REQUESTS (1U << XEN_SCHEDLOG_EV_RING_PAGES)

/* Limits for the rows of all driver domains together, in each round. */
#define BYTES_PER_ROUND   (1U << 20)
#define BATCHES_PER_ROUND 4096U

/* The limit for guests, of which there may be more, with fewer rows. */
#define GUEST_BYTES_PER_ROUND (1U << 17)

/*
 * Rounds with more pages than notifications allow, until the daemon logs that: notifications
 * may have been lost, or be from before the log.
 */
#define CAPPED_ROUNDS 10

/* dom0 is trusted, so its rows are never refused. */
static void say_refusal(struct log_sources *sources, struct log_source *source)
{
    bool capped = source->capped >= CAPPED_ROUNDS;

    if (!log_source_is_domains(source) || !(source->refused || capped) ||
        source->refusal_said)
        return;
    source->refusal_said = true;
    snprintf(source->reason, sizeof(source->reason), "%s", source->refused
             ? "some of its rows are about other domains, or impossible: refused"
             : "it reports more work for its clients than they can have requested: refused");
    say("source %s: %s", source->name, source->reason);
    log_source_journal(sources, source, "refused");
}

/* Have these rows the layout that the daemon requested?  The unit of their times may differ. */
static bool is_as_asked(const struct logs *logs,
                        const struct xensched_batch *batch)
{
    return batch->file < logs->nr &&
           !((batch->layout.lcr ^ logs->lcr[batch->file]) & ~XEN_SCHEDLOG_LCR_TSC_MASK);
}

/* A guest's rows concern only its own processes. */
static void accept_processes(struct log_source *source,
                             const struct xensched_batch *batch, uint64_t now_ns)
{
    size_t nr = xensched_batch_rows(batch), i;
    struct xensched_row row;

    for (i = 0; i < nr; i++) {
        xensched_batch_row(batch, i, &row);
        if (validation_believes_process(&source->validation, &row))
            processes_add(source->processes, row.correspondent, row.counter,
                          now_ns);
        else
            source->refused++;
    }
}

static void accept_batch(struct log_sources *sources, struct log_source *source,
                         const struct xensched_batch *batch, uint64_t now_ns)
{
    struct tally_validation validation = { .most = validation_most, .arg = &source->validation };
    const struct logs *logs = log_source_logs(sources, source);

    /* Rows count against their producer's budget, not against the domains in them. */
    if (source->producer == LINUX)
        governor_count(&sources->core->governor, batch, source->acct);
    if (log_source_is_domains(source) && !is_as_asked(logs, batch)) {
        source->refused += xensched_batch_rows(batch);
        return;
    }
    if (source->producer == GUEST) {
        accept_processes(source, batch, now_ns);
        return;
    }
    if (!log_source_is_domains(source) &&
        (batch->file >= logs->nr ||
         !matrix_takes(sources->core->matrix, logs->events[batch->file])))
        return;
    matrix_add_believable(sources->core->matrix, batch, &validation, now_ns);
    source->refused += validation.refused;
}

void log_sources_cap(struct log_sources *sources, uint64_t now_ns)
{
    uint32_t witness = 1U << XEN_SCHEDLOG_EV_EVTCHN_SEND;
    unsigned int i;

    if (!(choice_events(sources->settings.choice, HYPERVISOR) & witness))
        return;
    for (i = FIRST_DOMAIN; i < sources->nr; i++) {
        struct log_source *source = sources->source[i];

        if (source->producer != LINUX)
            continue;
        if (source->fresh && validation_cap(&source->validation, sources->core->matrix,
                                            now_ns))
            source->capped++;
        source->fresh = false;
        say_refusal(sources, source);
    }
}

/* A correct producer has no impossible states, so the remaining rows are not read. */
static bool has_nonsense(const struct log_source *source)
{
    struct xensched_source_stats stats;

    xensched_source_stats(source->reader, &stats);

    return stats.nonsense;
}

/* Lost bytes may have been copied, too: at most the whole log buffer. */
static unsigned int bytes_touched(const struct logs *logs,
                                  const struct xensched_batch *batch)
{
    uint64_t lost = batch->lost_bytes, most = logs->sizes[batch->file];

    return batch->length + (lost < most ? lost : most);
}

/* Each source has an equal share of a round's limits. */
static bool is_enough(const struct log_sources *sources, const struct log_source *source,
                      unsigned int batches, unsigned int bytes)
{
    unsigned int sharers = log_sources_count(sources, source->producer);
    unsigned int most = source->producer == GUEST ? GUEST_BYTES_PER_ROUND
                                                : BYTES_PER_ROUND;

    return log_source_is_domains(source) && (batches >= BATCHES_PER_ROUND / sharers ||
                                             bytes >= most / sharers);
}

static void read_source(struct log_sources *sources, struct log_source *source, uint64_t now_ns)
{
    unsigned int bytes = 0, batches = 0;
    struct xensched_batch batch;
    struct xensched_error err;
    int rc;

    while ((rc = xensched_source_next(source->reader, &batch, &err)) ==
           XENSCHED_BATCH) {
        accept_batch(sources, source, &batch, now_ns);
        bytes += bytes_touched(log_source_logs(sources, source), &batch);
        if (is_enough(sources, source, ++batches, bytes))
            break;
    }
    source->fresh = batches;
    say_refusal(sources, source);
    if (rc < 0)
        log_source_fail(sources, source, err.text, now_ns);
    else if (log_source_is_domains(source) && has_nonsense(source))
        log_source_fail(sources, source, "the state of its log contradicts itself",
                        now_ns);
    else
        xensched_area_renew_lease(source->area);
}

/* Has its answer come, or is its area being mapped part by part? */
static bool is_worth_polling(struct log_sources *sources, const struct log_source *source)
{
    return source->state == LOG_SOURCE_ASKED &&
           (xenstore_area_changed(sources->xs, source->domid) ||
            source->poll_again);
}

static bool logs_requests(const struct log_source *source)
{
    return source->state == LOG_SOURCE_READING && source->on & REQUESTS;
}

/* Linux's statistics report what dom0's back end does, unless its log does. */
static void read_disks(struct log_sources *sources, uint64_t now_ns)
{
    if (!(choice_events(sources->settings.choice, LINUX) & REQUESTS))
        return;
    if (logs_requests(sources->source[LINUX_OF_DOM0]))
        disks_forget(&sources->disks);
    else
        disks_read(&sources->disks, &sources->core->domains, sources->core->matrix,
                   now_ns);
}

/* The same of a driver domain's. */
static void read_reported(struct log_sources *sources, struct log_source *source, uint64_t now_ns)
{
    if (source->producer != LINUX || source->acct < XEN_SCHEDLOG_ACCT_FIRST ||
        !(choice_events(sources->settings.choice, LINUX) & REQUESTS))
        return;
    if (logs_requests(source))
        reported_counters_forget(source);
    else
        reported_counters_read(sources, source, now_ns);
}

void log_sources_read(struct log_sources *sources, uint64_t now_ns)
{
    unsigned int i;

    for (i = LINUX_OF_DOM0; i < sources->nr; i++) {
        struct log_source *source = sources->source[i];

        if (source->state == LOG_SOURCE_READING)
            read_source(sources, source, now_ns);
        else if (is_worth_polling(sources, source))
            log_source_poll(sources, source, now_ns);
        if (log_source_is_domains(source))
            read_reported(sources, source, now_ns);
    }
    read_disks(sources, now_ns);
}
