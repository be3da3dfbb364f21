/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the work of back ends for guests if no log has their requests: dom0's, from Linux's
 * statistics of each disk, and a driver domain's, from the sums that xensched-disks reports in
 * xenstore.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/option.h"
#include "disk-counters.h"
#include "log-source.h"

/* dom0. */

/* Shortest interval of reads; it is longer if there are many disks with two files each. */
#define LOOK_NS          300000000ULL
#define LOOK_PER_DISK_NS 1000000ULL

void disks_init(struct disks *disks)
{
    *disks = (struct disks){ 0 };
    vbds_init(&disks->vbds);
}

void disks_free(struct disks *disks)
{
    vbds_free(&disks->vbds);
}

void disks_forget(struct disks *disks)
{
    vbds_forget(&disks->vbds);
}

/* Adds @pages that @server shared with @client, unless either has no number. */
static void add_pages(struct matrix *matrix, uint16_t server, uint16_t client,
                      uint64_t pages, uint64_t now_ns)
{
    struct xensched_row row = {
        .event = XEN_SCHEDLOG_EV_RING_PAGES, .current = server,
        .correspondent = client, .counter = pages,
        .valid = XENSCHED_ROW_EVENT | XENSCHED_ROW_CURRENT |
                 XENSCHED_ROW_CORRESPONDENT | XENSCHED_ROW_COUNTER,
    };

    if (server >= XEN_SCHEDLOG_ACCT_FIRST && client >= XEN_SCHEDLOG_ACCT_FIRST)
        matrix_add(matrix, &row, now_ns);
}

struct disk_round {
    const struct domains *domains;
    struct matrix *matrix;
    uint64_t now_ns;
};

static void count_pages(void *arg, uint32_t domid, uint64_t pages)
{
    const struct disk_round *look = arg;
    const struct domain *dom0 = domains_find(look->domains, 0);
    const struct domain *client = domains_find(look->domains, domid);

    if (dom0 && client)
        add_pages(look->matrix, dom0->acct, client->acct, pages, look->now_ns);
}

void disks_read(struct disks *disks, const struct domains *domains,
                struct matrix *matrix, uint64_t now_ns)
{
    struct disk_round look = { domains, matrix, now_ns };

    if (now_ns < disks->again_ns)
        return;
    vbds_read(&disks->vbds, count_pages, &look);
    disks->again_ns = now_ns + LOOK_NS + disks->vbds.nr * LOOK_PER_DISK_NS;
}

/* Driver domains. */

/* Limit for the pages of a front end in one read: 64 GiB. */
#define MOST_PAGES (1ULL << 24)

static struct reported *find_reported(struct log_source *source, uint32_t domid)
{
    unsigned int i;

    for (i = 0; i < source->nr_reported; i++)
        if (source->reported[i].domid == domid)
            return &source->reported[i];

    return NULL;
}

static void add_reported(struct log_source *source, uint32_t domid, uint64_t pages)
{
    source->reported = need_more_memory(source->reported, source->nr_reported + 1,
                                        sizeof(*source->reported));
    source->reported[source->nr_reported++] = (struct reported){ domid, pages, true };
}

/* If a sum is smaller than before, xensched-disks was restarted. */
static uint64_t count_new_pages(struct log_source *source, uint32_t domid, uint64_t pages)
{
    struct reported *reported = find_reported(source, domid);
    uint64_t before;

    if (!reported) {
        add_reported(source, domid, pages);
        return 0;
    }
    before = reported->pages;
    reported->pages = pages;
    reported->seen = true;

    return pages > before ? pages - before : 0;
}

/* Parses a word "DOMID:PAGES". */
static bool parse_counter(char *word, uint64_t *domid, uint64_t *pages)
{
    char *colon = strchr(word, ':');

    if (!colon)
        return false;
    *colon = '\0';

    return option_number(word, 0, DOMID_FIRST_RESERVED - 1, domid) &&
           option_number(colon + 1, 0, UINT64_MAX, pages);
}

/*
 * Only clients count whose numbers the driver domain received, since the toolstack names them
 * as its clients.
 */
static const struct log_source_number *find_client(const struct log_source *source,
                                                   uint32_t domid)
{
    unsigned int i;

    for (i = 0; i < source->nr_numbers; i++)
        if (source->numbers[i].domid == domid)
            return &source->numbers[i];

    return NULL;
}

/* The report about a domain that it no longer serves may be late. */
static void accept_counter(struct log_sources *sources, struct log_source *source, char *word,
                           uint64_t now_ns)
{
    const struct log_source_number *client;
    const struct reported *reported;
    uint64_t domid, pages, more;

    if (!parse_counter(word, &domid, &pages)) {
        source->refused++;
        return;
    }
    client = find_client(source, domid);
    if (!client)
        return;
    reported = find_reported(source, domid);
    if (reported && reported->seen) {
        source->refused++;
        return;
    }
    more = count_new_pages(source, domid, pages);
    if (more > MOST_PAGES) {
        source->refused++;
        return;
    }
    if (!more)
        return;
    add_pages(sources->core->matrix, source->acct, client->acct, more, now_ns);
    source->fresh = true;
}

static void drop_unreported(struct log_source *source)
{
    unsigned int i = 0;

    while (i < source->nr_reported) {
        if (source->reported[i].seen)
            source->reported[i++].seen = false;
        else
            source->reported[i] = source->reported[--source->nr_reported];
    }
}

void reported_counters_read(struct log_sources *sources, struct log_source *source,
                            uint64_t now_ns)
{
    char *text, *rest, *word;

    if (now_ns < source->reported_again_ns)
        return;
    source->reported_again_ns = now_ns + LOOK_NS;
    text = rest = xenstore_disks(sources->xs, source->domid);
    if (text && source->state == LOG_SOURCE_ASKED && !source->refusal_said)
        snprintf(source->reason, sizeof(source->reason), "%s", REPORTED_COUNTERS_REASON);
    while (rest && (word = strsep(&rest, " ")))
        if (*word)
            accept_counter(sources, source, word, now_ns);
    free(text);
    drop_unreported(source);
}

void reported_counters_forget(struct log_source *source)
{
    source->nr_reported = 0;
}
