/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks that the daemon knows which vCPU of a driver domain serves which guest, if that matters,
 * and asks for it no more often than necessary.
 *
 * Fails if channels of the toolstack's programs count as devices, if the daemon asks about a driver
 * domain that is at one place, or if its knowledge outlives an affinity.
 */
#include <string.h>

#include "cmocka-tap.h"
#include "core-world.h"
#include "harness.h"
#include "model/residency/servers.h"

const char state_path[] = "test-core-servers.state";
const char journal_path[] = "test-core-servers.journal";

/* Ports 1 and 2 of a guest are xenstore's and the console's. */
static struct host_channel all[] = {
    { 10, DISK, 1, 0 }, { 11, DISK, 2, 0 }, { 12, DISK, 7, 1 },
    { 13, SPIN, 1, 0 }, { 14, SPIN, 8, 0 }, { 15, SPIN, 9, 1 },
    { 16, 99, 5, 1 }, { 17, DISK, 8, 5 },
};

static unsigned int asked;

static unsigned int channels(void *data, uint32_t domid,
                             struct host_channel *found, unsigned int nr)
{
    (void)data;
    assert_int_equal(domid, 0);
    assert_true(nr >= sizeof(all) / sizeof(all[0]));
    memcpy(found, all, sizeof(all));
    asked++;

    return sizeof(all) / sizeof(all[0]);
}

static void tool_ports(void *data, uint32_t domid,
                       uint32_t ports[HOST_TOOL_PORTS])
{
    (void)data;
    (void)domid;
    ports[0] = 1;
    ports[1] = 2;
}

/* Starts a core; with @apart dom0 has a vCPU on each node. */
static void begin(bool apart)
{
    host.host.channels = channels;
    host.host.tool_ports = tool_ports;
    asked = 0;
    domain(0)->vcpus[0].hard = FAKE_NODE_0;
    domain(0)->vcpus[1].hard = apart ? FAKE_NODE_1 : FAKE_NODE_0;
    start(MODE_OBSERVE);
}

static const struct domain *dom0(void)
{
    return domains_find(&core.domains, 0);
}

static void the_servers_of_each_guest_are_known(void **state)
{
    (void)state;
    begin(true);
    run(1, SILENCE);
    assert_float_equal(servers_part(dom0(), DISK, 0), 0, 1e-9);
    assert_float_equal(servers_part(dom0(), DISK, 1), 1, 1e-9);
    assert_float_equal(servers_part(dom0(), SPIN, 0), 0.5, 1e-9);
    assert_float_equal(servers_part(dom0(), SPIN, 1), 0.5, 1e-9);
    assert_false(servers_known(dom0(), 99));
    assert_int_equal(dom0()->nr_servers, 3);
    assert_float_equal(servers_part_on(dom0(), DISK,
                                       &core.topology.places[1].cpus), 1, 1e-9);
    assert_float_equal(servers_part_on(dom0(), DISK,
                                       &core.topology.places[0].cpus), 0, 1e-9);
}

static void xen_is_asked_now_and_then(void **state)
{
    (void)state;
    begin(true);
    assert_int_equal(asked, 1);
    all[2].vcpu = 0;
    run(8, SILENCE);
    assert_int_equal(asked, 1);
    assert_float_equal(servers_part(dom0(), DISK, 1), 1, 1e-9);
    run(3, SILENCE);
    assert_int_equal(asked, 2);
    assert_float_equal(servers_part(dom0(), DISK, 0), 1, 1e-9);
    all[2].vcpu = 1;
}

static void with_one_target_servers_are_not_looked_up(void **state)
{
    (void)state;
    begin(false);
    run(12, SILENCE);
    assert_int_equal(asked, 0);
    assert_int_equal(dom0()->nr_servers, 0);
}

static void knowledge_of_servers_ends_with_the_affinity(void **state)
{
    (void)state;
    begin(true);
    run(1, SILENCE);
    assert_true(servers_known(dom0(), DISK));
    domain(0)->vcpus[1].hard = FAKE_ALL;
    run(1, SILENCE);
    assert_false(servers_known(dom0(), DISK));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        core_test(the_servers_of_each_guest_are_known),
        core_test(xen_is_asked_now_and_then),
        core_test(with_one_target_servers_are_not_looked_up),
        core_test(knowledge_of_servers_ends_with_the_affinity),
    };

    return run_tap_tests(tests);
}
