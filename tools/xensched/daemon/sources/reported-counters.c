/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the sums that xensched-disks reports in xenstore. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option.h"
#include "base/alloc.h"
#include "reported-counters.h"

#define LOOK_NS 300000000ULL

/* Pages of a front end in a look: 64 GiB. */
#define MOST_PAGES (1ULL << 24)

static struct told *find(struct log_source *source, uint32_t domid)
{
    unsigned int i;

    for (i = 0; i < source->nr_told; i++)
        if (source->told[i].domid == domid)
            return &source->told[i];

    return NULL;
}

static void add(struct log_source *source, uint32_t domid, uint64_t pages)
{
    source->told = need_more_memory(source->told, source->nr_told + 1,
                                    sizeof(*source->told));
    source->told[source->nr_told++] = (struct told){ domid, pages, true };
}

/* A sum that is smaller than before is of another xensched-disks. */
static uint64_t news(struct log_source *source, uint32_t domid, uint64_t pages)
{
    struct told *told = find(source, domid);
    uint64_t before;

    if (!told) {
        add(source, domid, pages);
        return 0;
    }
    before = told->pages;
    told->pages = pages;
    told->seen = true;

    return pages > before ? pages - before : 0;
}

/* A word "DOMID:PAGES". */
static bool parse(char *word, uint64_t *domid, uint64_t *pages)
{
    char *colon = strchr(word, ':');

    if (!colon)
        return false;
    *colon = '\0';

    return option_number(word, 0, DOMID_FIRST_RESERVED - 1, domid) &&
           option_number(colon + 1, 0, UINT64_MAX, pages);
}

/*
 * Finds a domain that the reporting one serves, according to the toolstack, which is why it
 * has a number; counters of the reporting domain itself are in no matrix.
 */
static const struct log_source_number *number_of(const struct log_source *source,
                                                 uint32_t domid)
{
    unsigned int i;

    for (i = 0; i < source->nr_numbers; i++)
        if (source->numbers[i].domid == domid)
            return &source->numbers[i];

    return NULL;
}

/* Of one that it does not serve it may have told too late. */
static void take(struct log_sources *sources, struct log_source *source, char *word,
                 uint64_t now_ns)
{
    const struct log_source_number *client;
    const struct told *told;
    uint64_t domid, pages, more;

    if (!parse(word, &domid, &pages)) {
        source->refused++;
        return;
    }
    client = number_of(source, domid);
    if (!client)
        return;
    told = find(source, domid);
    if (told && told->seen) {
        source->refused++;
        return;
    }
    more = news(source, domid, pages);
    if (more > MOST_PAGES) {
        source->refused++;
        return;
    }
    if (!more)
        return;
    disks_add(sources->core->matrix, source->acct, client->acct, more, now_ns);
    source->fresh = true;
}

static void drop_others(struct log_source *source)
{
    unsigned int i = 0;

    while (i < source->nr_told) {
        if (source->told[i].seen)
            source->told[i++].seen = false;
        else
            source->told[i] = source->told[--source->nr_told];
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
            take(sources, source, word, now_ns);
    free(text);
    drop_others(source);
}

void reported_counters_forget(struct log_source *source)
{
    source->nr_told = 0;
}
