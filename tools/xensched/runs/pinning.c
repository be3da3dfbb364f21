/* SPDX-License-Identifier: GPL-2.0-only */
/* Places guests for a run with the daemon's actuator, and restores them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/domain.h"
#include "model/topology/topology.h"
#include "pinning.h"

static unsigned int count_online(const struct topology *t)
{
    unsigned int i, nr = 0;

    for (i = 0; i < t->nr_cpus; i++)
        nr += t->cpus[i].online;

    return nr;
}

/* Restores everything; returns the number of domains, or an error. */
static int restore_all(struct pinning *p, unsigned int *restored,
                       struct xensched_error *err)
{
    struct actuator_result result =
        actuator_restore_all(&p->actuator, "the run has ended");

    *restored = result.restored;
    if (result.failed)
        return xensched_fail(err, EAGAIN, "the affinity of %u domain%s could "
                             "not be put back; the next 'xensched runs do' "
                             "tries again", result.failed,
                             result.failed == 1 ? "" : "s");

    return 0;
}

int pinning_open(struct pinning *p, const struct host *host, const char *state,
                 unsigned int *restored, struct xensched_error *err)
{
    struct topology t;
    int rc;

    *p = (struct pinning){ .host = host };
    *restored = 0;
    if (!host)
        return 0;
    rc = host->topology(host->data, &t, err);
    if (rc)
        return rc;
    p->nr_cpus = t.nr_cpus;
    topology_free(&t);
    rc = journal_open(&p->journal, NULL, 0, err);
    if (rc)
        return rc;
    rc = actuator_init(&p->actuator, host, &p->journal, state, p->nr_cpus,
                       err);
    if (!rc)
        rc = restore_all(p, restored, err);
    if (rc)
        pinning_close(p);

    return rc;
}

void pinning_close(struct pinning *p)
{
    if (!p->host)
        return;
    actuator_free(&p->actuator);
    journal_close(&p->journal);
}

/* If 0 is returned, @map, which was not initialised, has the pCPUs of @place. */
static int make_map(const struct pinning *p, const struct domain *d,
                    const struct plan_place *place, struct cpumap *map,
                    struct xensched_error *err)
{
    cpumap_init(map, p->nr_cpus);
    if (cpumap_parse(map, place->cpus) && cpumap_subset(map, &d->pool_cpus))
        return 0;
    cpumap_free(map);

    return xensched_fail(err, ENXIO, "'%s' cannot run on pCPUs %s: they are "
                         "not all in its cpupool; 'xl cpupool-list -c' prints "
                         "those that are", place->guest, place->cpus);
}

/* An action for each place. */
typedef int place_action(struct pinning *p, const struct domain *d,
                         const struct cpumap *map, struct xensched_error *err);

static int do_place(struct pinning *p, const struct domains *domains,
                    const struct plan_place *place, place_action *action,
                    struct xensched_error *err)
{
    const struct domain *d = domains_find_meant(domains, place->guest);
    struct cpumap map;
    int rc;

    if (!d)
        return xensched_fail(err, ENOENT, "there is no guest '%s' on this "
                             "host; 'xl list' prints those that there are",
                             place->guest);
    rc = make_map(p, d, place, &map, err);
    if (rc)
        return rc;
    if (action)
        rc = action(p, d, &map, err);
    cpumap_free(&map);

    return rc;
}

static int do_places(struct pinning *p,
                     const struct plan_configuration *configuration,
                     place_action *action, struct xensched_error *err)
{
    struct domains domains = { 0 };
    unsigned int i;
    int rc;

    if (!configuration->nr_places)
        return 0;
    rc = p->host->domains(p->host->data, &domains, err);
    for (i = 0; i < configuration->nr_places && !rc; i++)
        rc = do_place(p, &domains, &configuration->place[i], action, err);
    domains_free(&domains);

    return rc;
}

int pinning_check(const struct pinning *p,
                  const struct plan_configuration *configuration,
                  struct xensched_error *err)
{
    return do_places((struct pinning *)p, configuration, NULL, err);
}

static int pin_domain(struct pinning *p, const struct domain *d,
                      const struct cpumap *map, struct xensched_error *err)
{
    const struct decision move = {
        .domid = d->domid, .verb = MOVE, .soft = *map, .hard = true,
    };

    return actuator_move(&p->actuator, d, &move, "a run's configuration", err);
}

int pinning_apply(struct pinning *p,
                  const struct plan_configuration *configuration,
                  struct xensched_error *err)
{
    return do_places(p, configuration, pin_domain, err);
}

int pinning_restore(struct pinning *p, struct xensched_error *err)
{
    unsigned int restored;

    return p->host ? restore_all(p, &restored, err) : 0;
}

/* In most domains all vCPUs have the affinities of the first one. */
static void describe_domain(const struct domain *d, FILE *out)
{
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++) {
        char hard[CPUMAP_TEXT], soft[CPUMAP_TEXT];

        if (i && cpumap_equal(&d->vcpus[i].hard, &d->vcpus[i - 1].hard) &&
            cpumap_equal(&d->vcpus[i].soft, &d->vcpus[i - 1].soft))
            continue;
        cpumap_format(&d->vcpus[i].hard, hard, sizeof(hard));
        cpumap_format(&d->vcpus[i].soft, soft, sizeof(soft));
        fprintf(out, "domain %s of %u vCPUs: from vCPU %u: hard affinity %s, "
                "soft %s\n", d->name, d->nr_vcpus, i, hard, soft);
    }
}

static int describe_domains(const struct pinning *p, FILE *out,
                            struct xensched_error *err)
{
    struct domains domains = { 0 };
    unsigned int i;
    int rc = p->host->domains(p->host->data, &domains, err);

    for (i = 0; i < domains.nr && !rc; i++)
        describe_domain(&domains.domain[i], out);
    domains_free(&domains);

    return rc;
}

int pinning_describe(const struct pinning *p, FILE *out,
                     struct xensched_error *err)
{
    struct topology t;
    unsigned int i;
    int rc;

    if (!p->host)
        return 0;
    rc = p->host->topology(p->host->data, &t, err);
    if (rc)
        return rc;
    fprintf(out, "pCPUs: %u\n", count_online(&t));
    for (i = 0; i < t.nr_cpus; i++)
        if (t.cpus[i].online)
            fprintf(out, "pCPU %u: socket %u, core %u, node %u\n", i,
                    t.cpus[i].socket, t.cpus[i].core, t.cpus[i].node);
    topology_free(&t);

    return describe_domains(p, out, err);
}
