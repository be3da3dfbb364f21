/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the accounting domains of domids for Linux producers and for validation. */
#include "base/alloc.h"
#include "log-source.h"
#include "accounting-numbers.h"

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

static bool serves(const struct domain *d, uint32_t domid)
{
    unsigned int i;

    for (i = 0; i < d->nr_serves; i++)
        if (d->serves[i] == domid)
            return true;

    return false;
}

/*
 * Whom a log may be about besides its own domain: of a driver domain those whom it
 * serves, of a guest those who serve it.  They need not know who else there is.
 */
static struct domain *partner(const struct feed *feed,
                              const struct domain *self,
                              const struct domains *domains, unsigned int i)
{
    if (feed->producer != GUEST)
        return domains_find(domains, self->serves[i]);

    return serves(&domains->domain[i], self->domid) ? &domains->domain[i]
                                                    : NULL;
}

static unsigned int nr_partners(const struct feed *feed,
                                const struct domain *self,
                                const struct domains *domains)
{
    return feed->producer == GUEST ? domains->nr : self->nr_serves;
}

void accounting_numbers_write(struct feeds *feeds, struct feed *feed,
                   const struct domain *self, const struct domains *domains)
{
    unsigned int nr = nr_partners(feed, self, domains), i;

    for (i = 0; i < feed->nr_numbers; i++)
        feed->numbers[i].wanted = false;
    write_number(feeds, feed, self);
    for (i = 0; feed_is_domains(feed) && i < nr; i++) {
        const struct domain *d = partner(feed, self, domains, i);

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

void accounting_numbers_set_validation(struct feed *feed, const struct domain *self,
                       const struct domains *domains)
{
    unsigned int nr = nr_partners(feed, self, domains), i;

    validation_init(&feed->validation, self->acct);
    for (i = 0; i < nr; i++) {
        const struct domain *d = partner(feed, self, domains, i);

        if (d && d->acct >= XEN_SCHEDLOG_ACCT_FIRST)
            validation_add_client(&feed->validation, d->acct);
    }
    if (feed->processes)
        processes_keep(feed->processes, validation_has_client, &feed->validation);
}
