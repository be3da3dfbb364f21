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

static struct told *find(struct feed *feed, uint32_t domid)
{
    unsigned int i;

    for (i = 0; i < feed->nr_told; i++)
        if (feed->told[i].domid == domid)
            return &feed->told[i];

    return NULL;
}

static void add(struct feed *feed, uint32_t domid, uint64_t pages)
{
    feed->told = need_more_memory(feed->told, feed->nr_told + 1,
                                  sizeof(*feed->told));
    feed->told[feed->nr_told++] = (struct told){ domid, pages, true };
}

/* A sum that is smaller than before is of another xensched-disks. */
static uint64_t news(struct feed *feed, uint32_t domid, uint64_t pages)
{
    struct told *told = find(feed, domid);
    uint64_t before;

    if (!told) {
        add(feed, domid, pages);
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
 * Of those whom it was given numbers of, since the toolstack says that it serves them; what
 * it says of itself is in no matrix.
 */
static const struct feed_number *number_of(const struct feed *feed,
                                           uint32_t domid)
{
    unsigned int i;

    for (i = 0; i < feed->nr_numbers; i++)
        if (feed->numbers[i].domid == domid)
            return &feed->numbers[i];

    return NULL;
}

/* Of one that it does not serve it may have told too late. */
static void take(struct feeds *feeds, struct feed *feed, char *word,
                 uint64_t now_ns)
{
    const struct feed_number *client;
    const struct told *told;
    uint64_t domid, pages, more;

    if (!parse(word, &domid, &pages)) {
        feed->refused++;
        return;
    }
    client = number_of(feed, domid);
    if (!client)
        return;
    told = find(feed, domid);
    if (told && told->seen) {
        feed->refused++;
        return;
    }
    more = news(feed, domid, pages);
    if (more > MOST_PAGES) {
        feed->refused++;
        return;
    }
    if (!more)
        return;
    disks_add(feeds->core->matrix, feed->acct, client->acct, more, now_ns);
    feed->fresh = true;
}

static void drop_others(struct feed *feed)
{
    unsigned int i = 0;

    while (i < feed->nr_told) {
        if (feed->told[i].seen)
            feed->told[i++].seen = false;
        else
            feed->told[i] = feed->told[--feed->nr_told];
    }
}

void reported_counters_read(struct feeds *feeds, struct feed *feed, uint64_t now_ns)
{
    char *text, *rest, *word;

    if (now_ns < feed->reported_again_ns)
        return;
    feed->reported_again_ns = now_ns + LOOK_NS;
    text = rest = xenstore_disks(feeds->xs, feed->domid);
    if (text && feed->state == FEED_ASKED && !feed->refusal_said)
        snprintf(feed->reason, sizeof(feed->reason), "%s", REPORTED_COUNTERS_REASON);
    while (rest && (word = strsep(&rest, " ")))
        if (*word)
            take(feeds, feed, word, now_ns);
    free(text);
    drop_others(feed);
}

void reported_counters_forget(struct feed *feed)
{
    feed->nr_told = 0;
}
