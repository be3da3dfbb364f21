/* SPDX-License-Identifier: GPL-2.0-only */
/* Shares a host with child processes that are killed at any system call. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "actuator-world.h"
#include "cmocka-tap.h"

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode)
    WRAP(open, (path, flags, mode))

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd)
    WRAP(close, (fd))

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
    WRAP(fsync, (fd))

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to)
    WRAP(rename, (from, to))

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path)
    WRAP(unlink, (path))

/* A disk that is full, or a power cut, in the middle of the text. */
ssize_t __real_write(int fd, const void *bytes, size_t length);
ssize_t __wrap_write(int fd, const void *bytes, size_t length);
ssize_t __wrap_write(int fd, const void *bytes, size_t length)
{
    ssize_t half;

    if (is_time())
        return -1;
    half = __real_write(fd, bytes, (length + 1) / 2);
    if (!step->error)
        is_time();

    return half;
}

struct fake_host host;
struct journal journal;
struct actuator actuator;
struct soft_weight weight = { .actuator = &actuator, .percent = 50 };

void before_set(void)
{
    if (step->error)
        return;
    is_time();
}

void start(void)
{
    struct xensched_error err;

    assert_int_equal(journal_open(&journal, journal_path, 0, &err), 0);
    assert_int_equal(actuator_init(&actuator, &host.host, &journal, state_path,
                                   FAKE_CPUS, &err), 0);
}

void stop(void)
{
    actuator_free(&actuator);
    journal_close(&journal);
}

void remove_state(void)
{
    __real_unlink(state_path);
}

static void remove_files(void)
{
    char new_path[100];

    snprintf(new_path, sizeof(new_path), "%s.new", state_path);
    remove_state();
    __real_unlink(new_path);
    __real_unlink(journal_path);
}

int setup(void **state)
{
    (void)state;
    step = mmap(NULL, sizeof(*step), PROT_READ | PROT_WRITE,
                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(step != MAP_FAILED);
    fake_host_init(&host);
    fake_domain_new(&host, GUEST, "guest", 2);
    fake_domain_new(&host, OTHER, "other", 1);
    remove_files();
    start();

    return 0;
}

int teardown(void **state)
{
    (void)state;
    step->at = 0;
    stop();
    fake_host_free(&host);
    munmap(step, sizeof(*step));
    remove_files();

    return 0;
}

struct fake_domain *domain(uint32_t domid)
{
    return &host.world->domains[domid];
}

int move_by(uint32_t domid, uint32_t soft, bool hard)
{
    struct decision move = { .verb = MOVE, .hard = hard };
    struct xensched_error err;
    struct domains domains;
    unsigned int cpu;
    int rc;

    cpumap_init(&move.soft, FAKE_CPUS);
    for (cpu = 0; cpu < FAKE_CPUS; cpu++)
        if (soft & (1U << cpu))
            cpumap_set(&move.soft, cpu);
    fake_domains(&host, &domains);
    rc = actuator_move(&actuator, domains_find(&domains, domid), &move, "because", &err);
    domains_free(&domains);
    cpumap_free(&move.soft);

    return rc;
}

int move(uint32_t domid, uint32_t soft)
{
    return move_by(domid, soft, false);
}

int pull(uint32_t domid, enum pull pull)
{
    struct xensched_error err;
    struct domains domains;
    int rc;

    fake_domains(&host, &domains);
    rc = actuator_pull(&actuator, domains_find(&domains, domid), pull,
                       "because", &err);
    domains_free(&domains);

    return rc;
}

int give_back(uint32_t domid)
{
    const struct decision decision = { .verb = GIVE_BACK, .reason.code = REASON_NOTHING };
    struct xensched_error err;
    struct domains domains;
    int rc;

    fake_domains(&host, &domains);
    rc = actuator_give_back(&actuator, domains_find(&domains, domid), &decision,
                            "no reason any more", &err);
    domains_free(&domains);

    return rc;
}

struct actuator_result restore_all(void)
{
    return actuator_restore_all(&actuator, "the test asks for it");
}

enum claim claim(uint32_t domid)
{
    struct domains domains;
    enum claim c;

    fake_domains(&host, &domains);
    c = actuator_claim(&actuator, domains_find(&domains, domid), false);
    domains_free(&domains);

    return c;
}

void restart(void)
{
    stop();
    start();
}

bool journal_has(const char *words)
{
    return lines_with(journal_path, words);
}

bool has_hard(uint32_t domid, uint32_t hard)
{
    unsigned int i;

    for (i = 0; i < domain(domid)->nr_vcpus; i++)
        if (domain(domid)->vcpus[i].hard != hard)
            return false;

    return true;
}
