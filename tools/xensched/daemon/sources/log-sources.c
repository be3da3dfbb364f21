/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the list of sources in step with the host's domains, and reads them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "base/alloc.h"
#include "log-source.h"
#include "log-source-area.h"
#include "log-sources.h"
#include "accounting-numbers.h"
#include "reported-counters.h"
#include "daemon/say.h"

#define NS_PER_S 1000000000ULL

/*
 * What has not changed is looked at again so often, all the same: a driver
 * domain, which tells of changes through xenstore, and dom0's Linux, which
 * cannot say that a module was loaded.
 */
#define LOOK_NS       (30 * NS_PER_S)
#define LOOK_LINUX_NS (5 * NS_PER_S)

#define REQUESTS (1U << XEN_SCHEDLOG_EV_RING_PAGES)

/* Of all driver domains' rows, in each round. */
#define BYTES_PER_ROUND   (1U << 20)
#define BATCHES_PER_ROUND 4096U

/* The same of guests', of which there may be more, and which say less. */
#define GUEST_BYTES_PER_ROUND (1U << 17)

/* Of driver domains, and of guests. */
#define MAX_DOMAINS 64

/*
 * It is said of one that it claims too much when it did so in as many rounds:
 * notifications may have been lost, or be from before the log.
 */
#define CAPPED_ROUNDS 10

/* Places in feeds.feed. */
enum { THE_HYPERVISORS, LINUX_OF_DOM0, FIRST_DOMAIN };

/* Feeds come and go. */

static struct feed *add_feed(struct feeds *feeds, const char *name,
                             enum producer producer)
{
    struct feed *feed = need_memory(1, sizeof(*feed));

    feed->producer = producer;
    snprintf(feed->name, sizeof(feed->name), "%s", name);
    feed->pause_ns = FEED_FIRST_PAUSE_NS;
    feeds->feed = need_more_memory(feeds->feed, feeds->nr + 1,
                                   sizeof(*feeds->feed));
    feeds->feed[feeds->nr++] = feed;

    return feed;
}

static unsigned int nr_domains(const struct feeds *feeds,
                               enum producer producer)
{
    unsigned int i, nr = 0;

    for (i = FIRST_DOMAIN; i < feeds->nr; i++)
        nr += feeds->feed[i]->producer == producer;

    return nr;
}

/* Says that this domain is left out, once until there is room again. */
static void leave_out(struct feeds *feeds, const struct domain *d,
                      enum producer producer)
{
    if (!feeds->full[producer])
        say("source domain:%u: left out, as %u %s are read already",
            d->domid, MAX_DOMAINS,
            producer == GUEST ? "guests" : "driver domains");
    feeds->full[producer] = true;
}

static struct feed *add_domain(struct feeds *feeds, const struct domain *d,
                               enum producer producer)
{
    char name[FEED_NAME_TEXT];
    struct feed *feed;

    if (nr_domains(feeds, producer) == MAX_DOMAINS) {
        leave_out(feeds, d, producer);
        return NULL;
    }
    feeds->full[producer] = false;
    snprintf(name, sizeof(name), "domain:%u", d->domid);
    feed = add_feed(feeds, name, producer);
    if (producer == GUEST) {
        feed->processes = need_memory(1, sizeof(*feed->processes));
        processes_init(feed->processes,
                       feeds->core->settings.half_life_ns);
    }
    feed->domid = d->domid;
    memcpy(feed->uuid, d->uuid, sizeof(feed->uuid));
    xenstore_remove_accts(feeds->xs, d->domid);

    return feed;
}

/* One that serves others now, or no more, has another log. */
static struct feed *find_domain(const struct feeds *feeds,
                                const struct domain *d,
                                enum producer producer)
{
    unsigned int i;

    for (i = FIRST_DOMAIN; i < feeds->nr; i++)
        if (feeds->feed[i]->domid == d->domid &&
            feeds->feed[i]->producer == producer &&
            !strcmp(feeds->feed[i]->uuid, d->uuid))
            return feeds->feed[i];

    return NULL;
}

static void free_feed(struct feed *feed)
{
    feed_close(feed);
    validation_clear(&feed->validation);
    free(feed->processes);
    free(feed->numbers);
    free(feed->told);
    free(feed);
}

/* Give back what was asked for, as long as its domain is there. */
static void release_feed(struct feeds *feeds, struct feed *feed)
{
    struct xensched_error err;
    int rc = 0;

    feed_stats(feed, &feed->former);
    xensched_source_close(feed->source);
    feed->source = NULL;
    if (feed_is_domains(feed)) {
        feed_close(feed);
        rc = feed_area_withdraw(feed->domid, &err);
    } else if (feed->area) {
        rc = xensched_area_release(feed->area, &err);
    }
    feed->area = NULL;
    if (rc)
        say("source %s: %s", feed->name, err.text);
    xenstore_remove_accts(feeds->xs, feed->domid);
}

static void drop_others(struct feeds *feeds, const struct domains *domains)
{
    unsigned int i = FIRST_DOMAIN;

    while (i < feeds->nr) {
        struct feed *feed = feeds->feed[i];
        const struct domain *d = domains_find(domains, feed->domid);

        if (feed->seen) {
            i++;
            continue;
        }
        if (d && !strcmp(d->uuid, feed->uuid))
            release_feed(feeds, feed);
        say("source %s: gone", feed->name);
        feeds->feed[i] = feeds->feed[--feeds->nr];
        free_feed(feed);
    }
}

/* Of which kind is the log of a domain? */
static enum producer producer_of(const struct domain *d)
{
    return !d->domid || d->nr_serves ? LINUX : GUEST;
}

static bool is_wanted(const struct feeds *feeds, const struct domain *d)
{
    enum producer producer = producer_of(d);

    return feeds->logs[producer].nr && (producer != GUEST || d->logs);
}

static struct feed *feed_of(const struct feeds *feeds, const struct domain *d)
{
    return d->domid ? find_domain(feeds, d, producer_of(d))
                    : feeds->feed[LINUX_OF_DOM0];
}

/*
 * Another program, such as xensched record, reads the log of a guest, with another
 * layout and other numbers; or we did, and were killed.  That ends.
 */
static bool is_anothers(struct feeds *feeds, const struct domain *d)
{
    if (producer_of(d) != GUEST || !xenstore_is_logging(feeds->xs, d->domid))
        return false;
    feeds->domains_hash = 0;

    return true;
}

static void look_at_domain(struct feeds *feeds, const struct domain *d,
                           const struct domains *domains)
{
    struct feed *feed = feed_of(feeds, d);

    if (!feed && is_anothers(feeds, d))
        return;
    if (!feed)
        feed = add_domain(feeds, d, producer_of(d));
    if (!feed)
        return;
    feed->acct = d->acct;
    accounting_numbers_write(feeds, feed, d, domains);
    accounting_numbers_set_validation(feed, d, domains);
}

/* All that accounting numbers and validation depend on; never 0. */
static uint64_t hash_domains(const struct domains *domains)
{
    uint64_t value = FNV_BEGIN;
    unsigned int i;

    for (i = 0; i < domains->nr; i++) {
        const struct domain *d = &domains->domain[i];

        value = fnv(value, &d->domid, sizeof(d->domid));
        value = fnv(value, d->uuid, strlen(d->uuid));
        value = fnv(value, &d->acct, sizeof(d->acct));
        value = fnv(value, &d->logs, sizeof(d->logs));
        value = fnv(value, &d->nr_serves, sizeof(d->nr_serves));
        value = fnv(value, d->serves, d->nr_serves * sizeof(*d->serves));
    }

    return value | 1;
}

/* True when domains have changed, or it is time to look as if they had. */
static bool domains_differ(struct feeds *feeds, const struct domains *domains,
                           uint64_t now_ns)
{
    uint64_t value = hash_domains(domains);

    if (value == feeds->domains_hash && now_ns < feeds->domains_again_ns)
        return false;
    feeds->domains_hash = value;
    feeds->domains_again_ns = now_ns + LOOK_NS;

    return true;
}

/*
 * What goes is dropped first: a domain that has another kind of log now, as it begins
 * to serve others, is to keep what it is told for that.
 */
static void look_at_domains(struct feeds *feeds, const struct domains *domains)
{
    unsigned int i;

    for (i = 0; i < feeds->nr; i++)
        feeds->feed[i]->seen = false;
    for (i = 0; i < domains->nr; i++) {
        const struct domain *d = &domains->domain[i];
        struct feed *feed = is_wanted(feeds, d) ? feed_of(feeds, d) : NULL;

        if (feed)
            feed->seen = true;
    }
    drop_others(feeds, domains);
    for (i = 0; i < domains->nr; i++)
        if (is_wanted(feeds, &domains->domain[i]))
            look_at_domain(feeds, &domains->domain[i], domains);
}

/* Either it has told of a change, or its time has come. */
static bool is_due(struct feeds *feeds, const struct feed *feed,
                   uint64_t now_ns)
{
    return (feed_is_domains(feed) &&
            xenstore_area_changed(feeds->xs, feed->domid)) ||
           now_ns >= feed->look_ns;
}

static void look_at_feed(struct feeds *feeds, struct feed *feed, uint64_t now_ns)
{
    feed->look_ns = now_ns + (feed_is_domains(feed) ? LOOK_NS : LOOK_LINUX_NS);
    feed_step(feeds, feed, now_ns);
    /* What it waits for, if that is before. */
    if (feed->again_ns > now_ns && feed->again_ns < feed->look_ns)
        feed->look_ns = feed->again_ns;
}

void feeds_look(struct feeds *feeds, const struct domains *domains,
                uint64_t now_ns)
{
    bool differ;
    unsigned int i;

    if (!feeds->logs[LINUX].nr && !feeds->logs[GUEST].nr)
        return;
    differ = domains_differ(feeds, domains, now_ns);
    if (differ)
        look_at_domains(feeds, domains);
    for (i = LINUX_OF_DOM0; i < feeds->nr; i++)
        if (feed_logs(feeds, feeds->feed[i])->nr &&
            (differ || is_due(feeds, feeds->feed[i], now_ns)))
            look_at_feed(feeds, feeds->feed[i], now_ns);
}

/* Rows. */

/* It is nothing to be said of dom0, which means no harm. */
static void say_refusal(struct feeds *feeds, struct feed *feed)
{
    bool capped = feed->capped >= CAPPED_ROUNDS;

    if (!feed_is_domains(feed) || !(feed->refused || capped) ||
        feed->refusal_said)
        return;
    feed->refusal_said = true;
    snprintf(feed->reason, sizeof(feed->reason), "%s", feed->refused
             ? "some of what it logs is none of its business, or impossible: "
               "refused"
             : "it says that it does more for its clients than they can have "
               "asked for: not believed");
    say("source %s: %s", feed->name, feed->reason);
    feed_journal(feeds, feed, "refused");
}

/* Are these rows as the register says that we have set? */
static bool is_as_asked(const struct logs *logs,
                        const struct xensched_batch *batch)
{
    return batch->file < logs->nr &&
           batch->layout.lcr == logs->lcr[batch->file];
}

/* A guest's word, which is about itself. */
static void take_processes(struct feed *feed,
                           const struct xensched_batch *batch, uint64_t now_ns)
{
    size_t nr = xensched_batch_rows(batch), i;
    struct xensched_row row;

    for (i = 0; i < nr; i++) {
        xensched_batch_row(batch, i, &row);
        if (validation_believes_process(&feed->validation, &row))
            processes_add(feed->processes, row.correspondent, row.counter,
                          now_ns);
        else
            feed->refused++;
    }
}

static void take(struct feeds *feeds, struct feed *feed,
                 const struct xensched_batch *batch, uint64_t now_ns)
{
    struct tally_validation validation = { .most = validation_most, .arg = &feed->validation };
    const struct logs *logs = feed_logs(feeds, feed);

    /* What it says of others must not thin out theirs; a guest's is a sum. */
    if (feed->producer == LINUX)
        governor_count(&feeds->core->governor, batch, feed->acct);
    if (feed_is_domains(feed) && !is_as_asked(logs, batch)) {
        feed->refused += xensched_batch_rows(batch);
        return;
    }
    if (feed->producer == GUEST) {
        take_processes(feed, batch, now_ns);
        return;
    }
    if (!feed_is_domains(feed) &&
        (batch->file >= logs->nr ||
         !matrix_takes(feeds->core->matrix, logs->events[batch->file])))
        return;
    matrix_add_believable(feeds->core->matrix, batch, &validation, now_ns);
    feed->refused += validation.refused;
}

/*
 * With the hypervisor's word, if there is one, which has been read after theirs:
 * a notification comes before what it is about.
 */
static void hold_against_xen(struct feeds *feeds, uint64_t now_ns)
{
    uint32_t witness = 1U << XEN_SCHEDLOG_EV_EVTCHN_SEND;
    unsigned int i;

    if (!(choice_events(feeds->settings.choice, HYPERVISOR) & witness))
        return;
    for (i = FIRST_DOMAIN; i < feeds->nr; i++) {
        struct feed *feed = feeds->feed[i];

        if (feed->producer != LINUX)
            continue;
        if (feed->fresh && validation_cap(&feed->validation, feeds->core->matrix,
                                     now_ns))
            feed->capped++;
        feed->fresh = false;
        say_refusal(feeds, feed);
    }
}

/* A producer that follows the rules has none: it is not worth the time. */
static bool has_nonsense(const struct feed *feed)
{
    struct xensched_source_stats stats;

    xensched_source_stats(feed->source, &stats);

    return stats.nonsense;
}

/* What was lost was copied, too, or may have been: at most the whole file. */
static unsigned int bytes_touched(const struct logs *logs,
                                  const struct xensched_batch *batch)
{
    uint64_t lost = batch->lost_bytes, most = logs->sizes[batch->file];

    return batch->length + (lost < most ? lost : most);
}

/* One that has very much takes nothing from the others' share. */
static bool is_enough(const struct feeds *feeds, const struct feed *feed,
                      unsigned int batches, unsigned int bytes)
{
    unsigned int sharers = nr_domains(feeds, feed->producer);
    unsigned int most = feed->producer == GUEST ? GUEST_BYTES_PER_ROUND
                                                : BYTES_PER_ROUND;

    return feed_is_domains(feed) && (batches >= BATCHES_PER_ROUND / sharers ||
                                     bytes >= most / sharers);
}

static void read_feed(struct feeds *feeds, struct feed *feed, uint64_t now_ns)
{
    unsigned int bytes = 0, batches = 0;
    struct xensched_batch batch;
    struct xensched_error err;
    int rc;

    while ((rc = xensched_source_next(feed->source, &batch, &err)) ==
           XENSCHED_BATCH) {
        take(feeds, feed, &batch, now_ns);
        bytes += bytes_touched(feed_logs(feeds, feed), &batch);
        if (is_enough(feeds, feed, ++batches, bytes))
            break;
    }
    feed->fresh = batches;
    say_refusal(feeds, feed);
    if (rc < 0)
        feed_fail(feeds, feed, err.text, now_ns);
    else if (feed_is_domains(feed) && has_nonsense(feed))
        feed_fail(feeds, feed, "the state of its log contradicts itself",
                  now_ns);
    else
        xensched_area_renew_lease(feed->area);
}

/* An answer which has come, or is being mapped part by part. */
static bool is_worth_polling(struct feeds *feeds, const struct feed *feed)
{
    return feed->state == FEED_ASKED &&
           (xenstore_area_changed(feeds->xs, feed->domid) ||
            feed->poll_again);
}

static bool logs_requests(const struct feed *feed)
{
    return feed->state == FEED_READING && feed->on & REQUESTS;
}

/* Linux's statistics report what dom0's back end does, unless its log does. */
static void read_disks(struct feeds *feeds, uint64_t now_ns)
{
    if (!(choice_events(feeds->settings.choice, LINUX) & REQUESTS))
        return;
    if (logs_requests(feeds->feed[LINUX_OF_DOM0]))
        disks_forget(&feeds->disks);
    else
        disks_read(&feeds->disks, &feeds->core->domains, feeds->core->matrix,
                   now_ns);
}

/* The same of a driver domain's. */
static void read_told(struct feeds *feeds, struct feed *feed, uint64_t now_ns)
{
    if (feed->producer != LINUX || feed->acct < XEN_SCHEDLOG_ACCT_FIRST ||
        !(choice_events(feeds->settings.choice, LINUX) & REQUESTS))
        return;
    if (logs_requests(feed))
        reported_counters_forget(feed);
    else
        reported_counters_read(feeds, feed, now_ns);
}

int feeds_read(struct feeds *feeds, uint64_t now_ns,
               struct xensched_error *err)
{
    unsigned int i;
    int rc;

    for (i = LINUX_OF_DOM0; i < feeds->nr; i++) {
        struct feed *feed = feeds->feed[i];

        if (feed->state == FEED_READING)
            read_feed(feeds, feed, now_ns);
        else if (is_worth_polling(feeds, feed))
            feed_poll(feeds, feed, now_ns);
        if (feed_is_domains(feed))
            read_told(feeds, feed, now_ns);
    }
    read_disks(feeds, now_ns);

    rc = core_read(feeds->core, feeds->feed[THE_HYPERVISORS]->source, now_ns,
                   err);
    hold_against_xen(feeds, now_ns);

    return rc;
}

bool feeds_linux_rings(const struct feeds *feeds)
{
    const struct feed *feed = feeds->feed[LINUX_OF_DOM0];

    return feed->state == FEED_READING && xensched_area_doorbell(feed->area);
}

bool feeds_are_polled(const struct feeds *feeds, bool listens_to_linux)
{
    unsigned int i = listens_to_linux ? FIRST_DOMAIN : LINUX_OF_DOM0;

    for (; i < feeds->nr; i++)
        if (feeds->feed[i]->state == FEED_ASKED ||
            (feeds->feed[i]->state == FEED_READING && feeds->feed[i]->on))
            return true;

    return false;
}

/* All of them. */

void feeds_init(struct feeds *feeds, const struct feeds_settings *settings,
                struct core *core, struct xenstore *xs)
{
    memset(feeds, 0, sizeof(*feeds));
    feeds->settings = *settings;
    feeds->core = core;
    feeds->xs = xs;
    logs_init(&feeds->logs[LINUX], settings->choice, LINUX, settings->nr_acct);
    logs_init(&feeds->logs[GUEST], settings->choice, GUEST, settings->nr_acct);
    disks_init(&feeds->disks);
    add_feed(feeds, "hypervisor", HYPERVISOR);
    add_feed(feeds, "linux", LINUX);
    xenstore_remove_accts(xs, 0);
}

void feeds_set_hypervisor(struct feeds *feeds, struct xensched_source *source)
{
    struct feed *feed = feeds->feed[THE_HYPERVISORS];

    if (!source)
        feed_stats(feed, &feed->former);
    feed->source = source;
    feed->state = source ? FEED_READING : FEED_ABSENT;
}

void feeds_begin_anew(struct feeds *feeds, uint64_t now_ns)
{
    unsigned int i;

    feeds->domains_hash = 0; /* their numbers are to be written again */
    for (i = LINUX_OF_DOM0; i < feeds->nr; i++) {
        struct feed *feed = feeds->feed[i];

        feed_close(feed);
        feed_enter(feed, FEED_ABSENT, "", now_ns);
        feed->again_ns = feed->look_ns = now_ns;
        feed->nr_numbers = 0;
    }
}

const struct feed *feeds_of_guest(const struct feeds *feeds,
                                  const struct domain *d)
{
    return find_domain(feeds, d, GUEST);
}

void feeds_stats(const struct feeds *feeds,
                 struct xensched_source_stats *stats)
{
    struct xensched_source_stats one;
    unsigned int i;

    memset(stats, 0, sizeof(*stats));
    for (i = 0; i < feeds->nr; i++) {
        feed_stats(feeds->feed[i], &one);
        stats->batches += one.batches;
        stats->rows += one.rows;
        stats->bytes += one.bytes;
        stats->lost_rows += one.lost_rows;
        stats->lost_bytes += one.lost_bytes;
        stats->nonsense += one.nonsense;
    }
}

void feeds_free(struct feeds *feeds)
{
    unsigned int i;

    for (i = 0; i < feeds->nr; i++) {
        if (i == THE_HYPERVISORS)
            feeds->feed[i]->source = NULL;
        else
            release_feed(feeds, feeds->feed[i]);
        free_feed(feeds->feed[i]);
    }
    free(feeds->feed);
    disks_free(&feeds->disks);
    memset(feeds, 0, sizeof(*feeds));
}
