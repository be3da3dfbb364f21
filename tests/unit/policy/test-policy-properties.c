/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What holds for placement and for all presets of it, on any host: hosts, guests and
 * load are random, and every plan is carried out.  No plan sends a guest where the demands that
 * the test adds up leave no room.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "harness.h"
#include "policy-world.h"

/* With TEST_FULL, as in make test-full, six times as many. */
#define HOSTS 8

/*
 * On the first one a guest returned, because a guest that stayed had not been counted; on the second
 * one a guest was sent where another was, which should have left and could not.
 */
static const unsigned int more_hosts[] = { 67, 9 };

#define NR_MORE_HOSTS (sizeof(more_hosts) / sizeof(more_hosts[0]))

/*
 * After this time under constant load every guest is where it belongs.  A guest without a reason
 * leaves after up to 70 s; only then can others use its place.
 */
#define TO_SETTLE 180
#define TO_WATCH  180

static const char *const names[] = {
    "placement", "driver-affinity", "working-set", "balance", "cache"
};

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

static uint64_t seed;
static bool one_core; /* dom0 has one vCPU, which is bound to a pCPU; no guest is in a group */
static unsigned int widest; /* most vCPUs of a guest */
static unsigned int moves; /* of the present host */
static uint64_t left[WORLD_DOMAINS]; /* mask of LLCs, and 32 + places */
static unsigned int returned[WORLD_DOMAINS]; /* moves to where it was before */
static unsigned int returns;                 /* the sum over all hosts */
static unsigned int shared;                  /* moves to the core of dom0, likewise */

static unsigned int below(unsigned int n)
{
    return harness_random_below(&seed, n);
}

static bool chance(unsigned int percent)
{
    return below(100) < percent;
}

static unsigned int cores_of(uint64_t cpus)
{
    struct cpumap map;
    unsigned int cpu, cores;

    cpumap_init(&map, world.topology.nr_cpus);
    for (cpu = 0; cpu < world.topology.nr_cpus; cpu++)
        if (cpus >> cpu & 1)
            cpumap_set(&map, cpu);
    cores = topology_cores(&world.topology, &map);
    cpumap_free(&map);

    return cores;
}

static uint64_t mask_of(const struct cpumap *map)
{
    uint64_t mask = 0;
    unsigned int cpu;

    for (cpu = 0; cpu < map->nr_cpus; cpu++)
        mask |= (uint64_t)cpumap_test(map, cpu) << cpu;

    return mask;
}

/* Returns whether that is the core of dom0, and not all of an LLC. */
static bool is_core(uint64_t cpus)
{
    return cpus & 1 && cores_of(cpus) == 1 &&
           cpus != world_cpus(&world.topology.caches[world_llc(cpus)]);
}

/* The core of dom0, an LLC, or a whole place. */
static unsigned int spot_of(uint64_t cpus)
{
    unsigned int llc = world_llc(cpus);

    return is_core(cpus) ? 63 : llc == TOPOLOGY_UNKNOWN ? 32 + world_place(cpus) : llc;
}

/*
 * A guest may return once, because others have moved in between.  A second return counts as moving
 * back and forth.
 */
static void check_return(const struct decision *decision)
{
    returns++;
    if (++returned[decision->domid] > 1)
        fail_msg("domain %u returns: %s", decision->domid, world.domains[decision->domid].reason);
}

static void check(const struct decision *decision)
{
    const struct world_domain *d = &world.domains[decision->domid];
    uint64_t pool = d->pool ? d->pool : world.all, soft;

    if (decision->verb != MOVE)
        return;
    soft = mask_of(&decision->soft);
    assert_false(d->driver);
    assert_false(d->operators);
    assert_int_equal(soft & ~pool, 0);
    assert_int_not_equal(world_place(soft), TOPOLOGY_UNKNOWN);
    assert_true(cores_of(soft) >= d->nr_vcpus);
    assert_non_null(decision->policy);
    moves++;
    shared += is_core(soft);
    if (left[decision->domid] >> spot_of(soft) & 1)
        check_return(decision);
    if (d->ours)
        left[decision->domid] |= 1ULL << spot_of(d->soft);
}

/*
 * The pCPUs within which the latest plan counts a domain; 0: it makes room.  A guest counts at
 * its next place already while its move has to be confirmed.
 */
static uint64_t counted_at(const struct world_domain *d)
{
    uint64_t pool = d->pool ? d->pool : world.all;

    if (d->driver || d->operators)
        return d->hard & pool;

    return d->ours && d->decision.reason.code != REASON_UNCONFIRMED ? d->soft : 0;
}

/*
 * There is room at @cpus for the guest that was sent there, and for all others of its cpupool.
 * Guests that are there already come first, so that a move has the bound for moves.  A core has
 * room for dom0 and one guest that together need one pCPU at most.
 */
static void check_room(const struct world_domain *guest, uint64_t cpus)
{
    unsigned int cores = cores_of(cpus), vcpus = 0, i;
    double need = 0, bound = is_core(cpus) ? 1 : ROOM_TO_GO * cores;

    for (i = 0; i < world.nr; i++) {
        const struct world_domain *d = &world.domains[i];
        uint64_t at = counted_at(d);

        if (!at || at & ~cpus || d->pool != guest->pool)
            continue;
        need += d->use;
        vcpus += d->nr_vcpus;
    }
    if ((vcpus > cores && need > bound + 1e-6) || (is_core(cpus) && vcpus > 2))
        fail_msg("%u vCPUs need %.2f of %u cores: %s", vcpus, need, cores, guest->reason);
}

/* Runs for some seconds; no plan sends a guest where there is no room. */
static void run_with_room(unsigned int seconds)
{
    unsigned int i;

    for (; seconds; seconds--) {
        world_run(1);
        for (i = 0; i < world.nr; i++) {
            const struct world_domain *d = &world.domains[i];
            uint64_t pool = d->pool ? d->pool : world.all;

            if (d->decision.verb != MOVE)
                continue;
            check_room(d, d->soft);
            check_room(d, world_cpus(&world.topology.places[world_place(d->soft)]) & pool);
        }
    }
}

static void random_policies(char text[100])
{
    unsigned int order[NR_NAMES], i, k, nr = 1 + below(NR_NAMES);

    for (i = 0; i < NR_NAMES; i++)
        order[i] = i;
    text[0] = '\0';
    for (i = 0; i < nr; i++) {
        k = i + below(NR_NAMES - i);
        strcat(strcat(text, i ? "," : ""), names[order[k]]);
        order[k] = order[i];
    }
}

static uint64_t random_place(void)
{
    return world_cpus(&world.topology.places[below(world.topology.nr_places)]);
}

/* On half of the hosts that is the same. */
static uint64_t random_llc(void)
{
    return world_cpus(&world.topology.caches[below(world.topology.nr_caches)]);
}

static void random_domain(bool llcs)
{
    struct world_domain *d =
        &world.domains[world_guest(1 + below(widest), below(100) / 100.0)];

    d->cpu = below(world.topology.nr_cpus);
    d->misses = chance(40) ? 1e6 * below(20) : 0;
    d->driver = chance(10);
    d->operators = chance(15);
    if (!d->driver && !one_core && chance(25))
        d->group = 1 + below(3);
    if (chance(25))
        d->pool = random_place();
    if (d->operators && chance(50))
        d->hard = llcs && chance(50) ? random_llc() : random_place();
    if (!d->operators && chance(20))
        d->soft = random_place(); /* as xl does */
}

static void random_host(bool llcs)
{
    struct policy_settings settings = policy_defaults;
    unsigned int i, k, nr = 1 + below(30);
    bool noisy = chance(50);
    char policies[100];

    random_policies(policies);
    settings.confirm = 1 + below(3);
    settings.quiet_ns = (10 + below(60)) * WORLD_SECOND;
    settings.stay_ns = below(20) * WORLD_SECOND;
    if (llcs)
        world_begin_with_llcs(policies, &settings, 1 + below(4), 2 + below(2),
                              3 + below(5), 1 + below(2));
    else
        world_begin(policies, &settings, 1 + below(4), 1 + below(6),
                    1 + below(2));
    if (chance(50))
        world.domains[0].hard = llcs && chance(50) ? random_place() : world.all;
    world.domains[0].use = below(200) / 100.0;
    if (one_core) {
        world.domains[0].hard = world.domains[0].nr_vcpus = 1;
        world.domains[0].use /= 4;
    }
    for (i = 0; i < nr; i++)
        random_domain(llcs);
    for (i = 0; i < 3 * nr; i++) {
        k = below(world.nr);
        world_talk(k, below(world.nr), 1U << below(14));
    }
    if (one_core)
        for (i = 1; i < world.nr; i++)
            world_talk(i, 0, 1U << below(18));
    for (i = 0; i < world.nr; i++)
        world.domains[i].talk[i] = 0;
    world.noise = noisy ? 0.3 : 0;
    world.check = check;
    moves = 0;
    memset(left, 0, sizeof(left));
    memset(returned, 0, sizeof(returned));
}

static void on_random_hosts(bool llcs, bool core, unsigned int width)
{
    unsigned int host, hosts = getenv("TEST_FULL") ? 6 * HOSTS : HOSTS;
    unsigned int all_moves = 0, late = 0, second;

    returns = shared = 0;
    one_core = core;
    widest = width;
    for (host = 0; host < hosts + NR_MORE_HOSTS; host++) {
        seed = 1000 + (host < hosts ? host : more_hosts[host - hosts]);
        random_host(llcs);
        world_warm_up();
        run_with_room(TO_SETTLE);
        all_moves += moves;
        moves = 0;
        for (second = 0; second < TO_WATCH; second++) {
            run_with_room(1);
            late += moves > 0;
            if (moves && !world.noise)
                fail_msg("host %u: %u moves under the same load", host, moves);
            moves = 0;
        }
        world_end();
    }
    print_message("# %u moves on %u hosts, %u of them back, %u to dom0's core, %u late times with "
                  "noise\n", all_moves, hosts, returns, shared, late);
    assert_true(all_moves > hosts);
    assert_true(shared > 0 || !core);
    assert_true(late <= hosts / 8);
    assert_true(returns <= (llcs ? all_moves / 10 : hosts / 40));
}

static void whatever_the_host_rules_hold_and_it_comes_to_rest(void **state)
{
    (void)state;
    on_random_hosts(false, false, 4);
}

static void so_it_is_when_sockets_have_several_llcs(void **state)
{
    (void)state;
    on_random_hosts(true, false, 4);
}

static void so_it_is_when_guests_can_share_the_core_of_dom0(void **state)
{
    (void)state;
    on_random_hosts(true, true, 4);
}

/* Many more of them fit, so plans have exchanges of several guests. */
static void so_it_is_when_guests_have_one_or_two_vcpus(void **state)
{
    (void)state;
    on_random_hosts(true, false, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_the_host_rules_hold_and_it_comes_to_rest),
        cmocka_unit_test(so_it_is_when_sockets_have_several_llcs),
        cmocka_unit_test(so_it_is_when_guests_can_share_the_core_of_dom0),
        cmocka_unit_test(so_it_is_when_guests_have_one_or_two_vcpus),
    };

    return run_tap_tests(tests);
}
