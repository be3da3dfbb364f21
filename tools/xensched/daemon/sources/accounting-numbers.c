/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the accounting domains of domids for Linux producers and for validation. */
#include "base/alloc.h"
#include "log-source.h"

static void write_number(struct log_sources *sources, struct log_source *source,
                         const struct domain *d)
{
    struct log_source_number *number;
    unsigned int i;

    if (d->acct < XEN_SCHEDLOG_ACCT_FIRST)
        return;
    for (i = 0; i < source->nr_numbers; i++) {
        number = &source->numbers[i];
        if (number->domid == d->domid && number->acct == d->acct) {
            number->wanted = true;
            return;
        }
    }
    /* After a failure the next update tries again. */
    if (!xenstore_write_acct(sources->xs, source->domid, d->domid, d->acct)) {
        sources->domains_hash = 0;
        return;
    }
    source->numbers = need_more_memory(source->numbers, source->nr_numbers + 1,
                                       sizeof(*source->numbers));
    number = &source->numbers[source->nr_numbers++];
    *number = (struct log_source_number){ d->domid, d->acct, true };
}

/* Another domain may have the same domid now: its number stays. */
static void remove_number(struct log_sources *sources, struct log_source *source,
                          unsigned int nr)
{
    uint32_t domid = source->numbers[nr].domid;
    unsigned int i;

    source->numbers[nr] = source->numbers[--source->nr_numbers];
    for (i = 0; i < source->nr_numbers; i++)
        if (source->numbers[i].domid == domid)
            return;
    xenstore_remove_acct(sources->xs, source->domid, domid);
}

static bool serves_domain(const struct domain *d, uint32_t domid)
{
    unsigned int i;

    for (i = 0; i < d->nr_serves; i++)
        if (d->serves[i] == domid)
            return true;

    return false;
}

/*
 * Finds the domains that a log may concern besides its own: for a driver domain the guests that it
 * serves, for a guest the domains that serve it.  It receives no other numbers.
 */
static struct domain *partner_of(const struct log_source *source,
                                 const struct domain *self,
                                 const struct domains *domains, unsigned int i)
{
    if (source->producer != GUEST)
        return domains_find(domains, self->serves[i]);

    return serves_domain(&domains->domain[i], self->domid) ? &domains->domain[i] : NULL;
}

static unsigned int nr_partners(const struct log_source *source,
                                const struct domain *self,
                                const struct domains *domains)
{
    return source->producer == GUEST ? domains->nr : self->nr_serves;
}

void accounting_numbers_write(struct log_sources *sources, struct log_source *source,
                              const struct domain *self, const struct domains *domains)
{
    unsigned int nr = nr_partners(source, self, domains), i;

    for (i = 0; i < source->nr_numbers; i++)
        source->numbers[i].wanted = false;
    write_number(sources, source, self);
    for (i = 0; log_source_is_domains(source) && i < nr; i++) {
        const struct domain *d = partner_of(source, self, domains, i);

        if (d)
            write_number(sources, source, d);
    }
    for (i = 0; !log_source_is_domains(source) && i < domains->nr; i++)
        write_number(sources, source, &domains->domain[i]);
    i = 0;
    while (i < source->nr_numbers)
        if (source->numbers[i].wanted)
            i++;
        else
            remove_number(sources, source, i);
}

void accounting_numbers_set_validation(struct log_source *source, const struct domain *self,
                                       const struct domains *domains)
{
    unsigned int nr = nr_partners(source, self, domains), i;

    validation_init(&source->validation, self->acct);
    for (i = 0; i < nr; i++) {
        const struct domain *d = partner_of(source, self, domains, i);

        if (d && d->acct >= XEN_SCHEDLOG_ACCT_FIRST)
            validation_add_client(&source->validation, d->acct);
    }
    if (source->processes)
        processes_keep(source->processes, validation_has_client, &source->validation);
}
