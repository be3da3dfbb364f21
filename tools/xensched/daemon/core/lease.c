/* SPDX-License-Identifier: GPL-2.0-only */
/* Begins and checks the daemon's lease, and advises what to do after it was lost. */
#include <errno.h>
#include <sys/random.h>

#include "lease.h"

#define NS_PER_MS 1000000ULL
#define NS_PER_S 1000000000ULL

/* Interval of queries of Xen. */
#define ASK_NS NS_PER_S

/* Xen checks a lease a few times during its length. */
#define END_IS_SEEN_NS(lease_ms) ((lease_ms) * NS_PER_MS / 4 + NS_PER_S)

/*
 * The lease of a dead holder can get longer once after the first query: when Xen notices the last
 * renewal, which was before.
 */
#define LOOKS_OF_THE_DEAD 2

uint64_t lease_new_cookie(void)
{
    uint64_t cookie;

    while (getrandom(&cookie, sizeof(cookie), 0) != sizeof(cookie) || !cookie)
        ;

    return cookie;
}

void lease_begin(struct lease *h, uint32_t lease_ms, uint64_t now_ns)
{
    h->lease_ns = lease_ms * NS_PER_MS;
    h->renewed_ns = h->asked_ns = now_ns;
}

/*
 * After the daemon stood still, Xen's answer does not show whether the present lease is its own.
 */
static int stood_still(const struct lease *h, uint64_t now_ns,
                       struct xensched_error *err)
{
    uint64_t still_ns = now_ns - h->renewed_ns;

    if (now_ns <= h->renewed_ns || still_ns < h->lease_ns)
        return 0;

    return xensched_fail(err, ESTALE, "the daemon stood still for %.1f s, and "
                         "its lease is %.1f s", still_ns / 1e9,
                         h->lease_ns / 1e9);
}

static int check_lease(struct lease *h, const struct host *host, uint64_t now_ns,
                       struct xensched_error *err)
{
    struct host_facts facts;
    int rc;

    if (now_ns - h->asked_ns < ASK_NS)
        return 0;
    rc = host->facts(host->data, &facts, err);
    if (rc)
        return rc;
    h->asked_ns = now_ns;
    if (facts.lease_ms && facts.events_enabled)
        return 0;

    return xensched_fail(err, ESTALE, "Xen has turned all events off: no program "
                         "holds the log");
}

int lease_check(struct lease *h, const struct host *host, uint64_t now_ns,
                struct xensched_error *err)
{
    int rc;

    if (!h->lease_ns)
        return 0;
    rc = stood_still(h, now_ns, err);
    if (!rc)
        rc = check_lease(h, host, now_ns, err);
    if (rc == -ESTALE)
        h->lease_ns = 0;
    if (!rc)
        h->renewed_ns = now_ns;

    return rc;
}

enum lease_advice lease_wait(struct lease_wait *w, uint32_t lease_ms,
                             uint32_t left_ms, uint64_t now_ns)
{
    if (!lease_ms)
        return LEASE_FREE;
    if (!w->deadline_ns || left_ms > w->left_ms) {
        w->deadline_ns = now_ns + left_ms * NS_PER_MS +
                         END_IS_SEEN_NS(lease_ms);
        w->looks_anew++;
    }
    w->left_ms = left_ms;

    return w->looks_anew > LOOKS_OF_THE_DEAD || now_ns >= w->deadline_ns
           ? LEASE_REFUSE : LEASE_WAIT;
}
