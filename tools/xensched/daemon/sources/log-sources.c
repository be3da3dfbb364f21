/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the list of sources in step with the host's domains. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "base/alloc.h"
#include "log-source.h"
#include "log-sources.h"
#include "base/message.h"

#define NS_PER_S 1000000000ULL

/*
 * Intervals of checks without a sign of a change: a driver domain reports changes through xenstore,
 * and dom0's Linux cannot report that a module was loaded.
 */
#define LOOK_NS       (30 * NS_PER_S)
#define LOOK_LINUX_NS (5 * NS_PER_S)

/* Maximum number of driver domains, and of guests. */
#define MAX_DOMAINS 64

static struct log_source *add_source(struct log_sources *sources, const char *name,
                                     enum producer producer)
{
    struct log_source *source = need_memory(1, sizeof(*source));

    source->producer = producer;
    snprintf(source->name, sizeof(source->name), "%s", name);
    source->pause_ns = LOG_SOURCE_FIRST_PAUSE_NS;
    sources->source = need_more_memory(sources->source, sources->nr + 1,
                                       sizeof(*sources->source));
    sources->source[sources->nr++] = source;

    return source;
}

unsigned int log_sources_count(const struct log_sources *sources,
                               enum producer producer)
{
    unsigned int i, nr = 0;

    for (i = FIRST_DOMAIN; i < sources->nr; i++)
        nr += sources->source[i]->producer == producer;

    return nr;
}

/* Logs that this domain is left out, once until there is room again. */
static void leave_out(struct log_sources *sources, const struct domain *d,
                      enum producer producer)
{
    if (!sources->full[producer])
        say("source domain:%u: left out, as %u %s are read already",
            d->domid, MAX_DOMAINS,
            producer == GUEST ? "guests" : "driver domains");
    sources->full[producer] = true;
}

static struct log_source *add_domain(struct log_sources *sources, const struct domain *d,
                                     enum producer producer)
{
    char name[LOG_SOURCE_NAME_TEXT];
    struct log_source *source;

    if (log_sources_count(sources, producer) == MAX_DOMAINS) {
        leave_out(sources, d, producer);
        return NULL;
    }
    sources->full[producer] = false;
    snprintf(name, sizeof(name), "domain:%u", d->domid);
    source = add_source(sources, name, producer);
    if (producer == GUEST) {
        source->processes = need_memory(1, sizeof(*source->processes));
        processes_init(source->processes,
                       sources->core->settings.half_life_ns);
    }
    source->domid = d->domid;
    memcpy(source->uuid, d->uuid, sizeof(source->uuid));
    xenstore_remove_accts(sources->xs, d->domid);

    return source;
}

/* A domain that has begun or ceased to serve others has another log. */
static struct log_source *find_domain(const struct log_sources *sources,
                                      const struct domain *d,
                                      enum producer producer)
{
    unsigned int i;

    for (i = FIRST_DOMAIN; i < sources->nr; i++)
        if (sources->source[i]->domid == d->domid &&
            sources->source[i]->producer == producer &&
            !strcmp(sources->source[i]->uuid, d->uuid))
            return sources->source[i];

    return NULL;
}

static void free_source(struct log_source *source)
{
    log_source_close(source);
    validation_clear(&source->validation);
    free(source->processes);
    free(source->numbers);
    free(source->reported);
    free(source);
}

/* Withdraws the request, as long as the domain exists. */
static void release_source(struct log_sources *sources, struct log_source *source)
{
    struct xensched_error err;
    int rc = 0;

    log_source_stats(source, &source->former);
    xensched_source_close(source->reader);
    source->reader = NULL;
    if (log_source_is_domains(source)) {
        log_source_close(source);
        rc = log_source_area_withdraw(source->domid, &err);
    } else if (source->area) {
        rc = xensched_area_release(source->area, &err);
    }
    source->area = NULL;
    if (rc)
        say("source %s: %s", source->name, err.text);
    xenstore_remove_accts(sources->xs, source->domid);
}

static void drop_others(struct log_sources *sources, const struct domains *domains)
{
    unsigned int i = FIRST_DOMAIN;

    while (i < sources->nr) {
        struct log_source *source = sources->source[i];
        const struct domain *d = domains_find(domains, source->domid);

        if (source->seen) {
            i++;
            continue;
        }
        if (d && !strcmp(d->uuid, source->uuid))
            release_source(sources, source);
        say("source %s: gone", source->name);
        sources->source[i] = sources->source[--sources->nr];
        free_source(source);
    }
}

/* The kind of log of a domain. */
static enum producer producer_of(const struct domain *d)
{
    return !d->domid || d->nr_serves ? LINUX : GUEST;
}

static bool is_wanted(const struct log_sources *sources, const struct domain *d)
{
    enum producer producer = producer_of(d);

    return sources->logs[producer].nr && (producer != GUEST || d->logs);
}

static struct log_source *source_of(const struct log_sources *sources, const struct domain *d)
{
    return d->domid ? find_domain(sources, d, producer_of(d))
                    : sources->source[LINUX_OF_DOM0];
}

/*
 * Another program, such as xensched record, reads the guest's log, with another layout and other
 * numbers; or a killed daemon did.  Both end.
 */
static bool is_anothers(struct log_sources *sources, const struct domain *d)
{
    if (producer_of(d) != GUEST || !xenstore_is_logging(sources->xs, d->domid))
        return false;
    sources->domains_hash = 0;

    return true;
}

static void look_at_domain(struct log_sources *sources, const struct domain *d,
                           const struct domains *domains)
{
    struct log_source *source = source_of(sources, d);

    if (!source && is_anothers(sources, d))
        return;
    if (!source)
        source = add_domain(sources, d, producer_of(d));
    if (!source)
        return;
    source->acct = d->acct;
    accounting_numbers_write(sources, source, d, domains);
    accounting_numbers_set_validation(source, d, domains);
}

/* A hash of everything on which accounting numbers and validation depend; never 0. */
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

/* True if domains have changed, or if it is time for an update without a change. */
static bool domains_differ(struct log_sources *sources, const struct domains *domains,
                           uint64_t now_ns)
{
    uint64_t value = hash_domains(domains);

    if (value == sources->domains_hash && now_ns < sources->domains_again_ns)
        return false;
    sources->domains_hash = value;
    sources->domains_again_ns = now_ns + LOOK_NS;

    return true;
}

/*
 * Drops sources first: a domain that now has another kind of log, because it begins to serve
 * others, has to keep what it receives for that.
 */
static void look_at_domains(struct log_sources *sources, const struct domains *domains)
{
    unsigned int i;

    for (i = 0; i < sources->nr; i++)
        sources->source[i]->seen = false;
    for (i = 0; i < domains->nr; i++) {
        const struct domain *d = &domains->domain[i];
        struct log_source *source = is_wanted(sources, d) ? source_of(sources, d) : NULL;

        if (source)
            source->seen = true;
    }
    drop_others(sources, domains);
    for (i = 0; i < domains->nr; i++)
        if (is_wanted(sources, &domains->domain[i]))
            look_at_domain(sources, &domains->domain[i], domains);
}

/* It has reported a change, or its interval has passed. */
static bool is_due(struct log_sources *sources, const struct log_source *source,
                   uint64_t now_ns)
{
    return (log_source_is_domains(source) &&
            xenstore_area_changed(sources->xs, source->domid)) ||
           now_ns >= source->look_ns;
}

static void look_at_source(struct log_sources *sources, struct log_source *source, uint64_t now_ns)
{
    source->look_ns = now_ns + (log_source_is_domains(source) ? LOOK_NS : LOOK_LINUX_NS);
    log_source_step(sources, source, now_ns);
    /* The time of its next attempt, if that is earlier. */
    if (source->again_ns > now_ns && source->again_ns < source->look_ns)
        source->look_ns = source->again_ns;
}

void log_sources_look(struct log_sources *sources, const struct domains *domains,
                      uint64_t now_ns)
{
    bool differ;
    unsigned int i;

    if (!sources->logs[LINUX].nr && !sources->logs[GUEST].nr)
        return;
    differ = domains_differ(sources, domains, now_ns);
    if (differ)
        look_at_domains(sources, domains);
    for (i = LINUX_OF_DOM0; i < sources->nr; i++)
        if (log_source_logs(sources, sources->source[i])->nr &&
            (differ || is_due(sources, sources->source[i], now_ns)))
            look_at_source(sources, sources->source[i], now_ns);
}

bool log_sources_linux_rings(const struct log_sources *sources)
{
    const struct log_source *source = sources->source[LINUX_OF_DOM0];

    return source->state == LOG_SOURCE_READING && xensched_area_doorbell(source->area);
}

static bool is_polled(const struct log_source *source)
{
    return source->state == LOG_SOURCE_READING ? source->on
         : source->state == LOG_SOURCE_ASKED && source->poll_again;
}

bool log_sources_are_polled(const struct log_sources *sources, bool listens_to_linux)
{
    unsigned int i = listens_to_linux ? FIRST_DOMAIN : LINUX_OF_DOM0;

    for (; i < sources->nr; i++)
        if (is_polled(sources->source[i]))
            return true;

    return false;
}

/* All sources. */

void log_sources_init(struct log_sources *sources, const struct log_sources_settings *settings,
                      struct core *core, struct xenstore *xs)
{
    memset(sources, 0, sizeof(*sources));
    sources->settings = *settings;
    sources->core = core;
    sources->xs = xs;
    logs_init(&sources->logs[LINUX], settings->choice, LINUX, settings->nr_acct);
    logs_init(&sources->logs[GUEST], settings->choice, GUEST, settings->nr_acct);
    disks_init(&sources->disks);
    add_source(sources, "hypervisor", HYPERVISOR);
    add_source(sources, "linux", LINUX);
    xenstore_remove_accts(xs, 0);
}

void log_sources_set_hypervisor(struct log_sources *sources, struct xensched_source *reader)
{
    struct log_source *source = sources->source[HYPERVISOR_LOG];

    if (!reader)
        log_source_stats(source, &source->former);
    source->reader = reader;
    source->state = reader ? LOG_SOURCE_READING : LOG_SOURCE_ABSENT;
}

void log_sources_begin_anew(struct log_sources *sources, uint64_t now_ns)
{
    unsigned int i;

    sources->domains_hash = 0; /* write their numbers again */
    for (i = LINUX_OF_DOM0; i < sources->nr; i++) {
        struct log_source *source = sources->source[i];

        log_source_close(source);
        log_source_enter(source, LOG_SOURCE_ABSENT, "", now_ns);
        source->again_ns = source->look_ns = now_ns;
        source->nr_numbers = 0;
    }
}

const struct log_source *log_sources_of_guest(const struct log_sources *sources,
                                              const struct domain *d)
{
    return find_domain(sources, d, GUEST);
}

void log_sources_stats(const struct log_sources *sources,
                       struct xensched_source_stats *stats)
{
    struct xensched_source_stats one;
    unsigned int i;

    memset(stats, 0, sizeof(*stats));
    for (i = 0; i < sources->nr; i++) {
        log_source_stats(sources->source[i], &one);
        log_source_add_stats(stats, &one);
    }
}

void log_sources_free(struct log_sources *sources)
{
    unsigned int i;

    for (i = 0; i < sources->nr; i++) {
        if (i == HYPERVISOR_LOG)
            sources->source[i]->reader = NULL;
        else
            release_source(sources, sources->source[i]);
        free_source(sources->source[i]);
    }
    free(sources->source);
    disks_free(&sources->disks);
    memset(sources, 0, sizeof(*sources));
}
