/* SPDX-License-Identifier: GPL-2.0-only */
/* numbers.c - see numbers.h. */
#include "model/memory.h"
#include "feed.h"
#include "numbers.h"

static void write_number(struct feeds *feeds, struct feed *feed,
                         const struct domain *d)
{
    struct feed_number *number;
    unsigned int i;

    if (d->acct < XEN_SCHEDLOG_ACCT_FIRST)
        return;
    for (i = 0; i < feed->nr_numbers; i++) {
        number = &feed->numbers[i];
        if (number->domid == d->domid && number->acct == d->acct) {
            number->wanted = true;
            return;
        }
    }
    /* If it fails it is tried again with the next look. */
    if (!xenstore_write_acct(feeds->xs, feed->domid, d->domid, d->acct)) {
        feeds->domains_hash = 0;
        return;
    }
    feed->numbers = need_more_memory(feed->numbers, feed->nr_numbers + 1,
                                     sizeof(*feed->numbers));
    number = &feed->numbers[feed->nr_numbers++];
    *number = (struct feed_number){ d->domid, d->acct, true };
}

/* Another one may have the same domid by now: that number stays. */
static void remove_number(struct feeds *feeds, struct feed *feed,
                          unsigned int nr)
{
    uint32_t domid = feed->numbers[nr].domid;
    unsigned int i;

    feed->numbers[nr] = feed->numbers[--feed->nr_numbers];
    for (i = 0; i < feed->nr_numbers; i++)
        if (feed->numbers[i].domid == domid)
            return;
    xenstore_remove_acct(feeds->xs, feed->domid, domid);
}

/* A driver domain need not know who else there is. */
void numbers_write(struct feeds *feeds, struct feed *feed,
                   const struct domain *self, const struct domains *domains)
{
    unsigned int i;

    for (i = 0; i < feed->nr_numbers; i++)
        feed->numbers[i].wanted = false;
    write_number(feeds, feed, self);
    for (i = 0; feed_is_domains(feed) && i < self->nr_serves; i++) {
        const struct domain *d = domains_find(domains, self->serves[i]);

        if (d)
            write_number(feeds, feed, d);
    }
    for (i = 0; !feed_is_domains(feed) && i < domains->nr; i++)
        write_number(feeds, feed, &domains->domain[i]);
    i = 0;
    while (i < feed->nr_numbers)
        if (feed->numbers[i].wanted)
            i++;
        else
            remove_number(feeds, feed, i);
}

void numbers_set_sieve(struct feed *feed, const struct domain *self,
                       const struct domains *domains)
{
    unsigned int i;

    sieve_init(&feed->sieve, self->acct);
    for (i = 0; i < self->nr_serves; i++) {
        const struct domain *d = domains_find(domains, self->serves[i]);

        if (d && d->acct >= XEN_SCHEDLOG_ACCT_FIRST)
            sieve_add_client(&feed->sieve, d->acct);
    }
}
