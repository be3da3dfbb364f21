/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives the daemon synthetic sources under the test's control. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <uapi/xensched_log.h>

#include "cmocka-tap.h"
#include "fake-domctl.h"
#include "fake-xenstore.h"
#include "base/blocking-call.h"
#include "log-sources-world.h"
#include "harness.h"
#include "policy-defaults.h"

#include <xenctrl.h>
#include <xenforeignmemory.h>

#define STATE   "test-sources.state"
#define JOURNAL "test-sources.journal"

static int ram_fd, device_fd;
static uint8_t *ram;
static unsigned int handles;

unsigned int mapped;
unsigned int cpu_pages, first_size;
const char *events_built;
struct fake_host host;
struct core core;
struct core_settings settings;
struct log_sources sources;
struct xenstore *xs;
struct xensched_source *hypervisor;
uint64_t now;

/* libxenforeignmemory: the domain's memory, as far as it has some. */

xenforeignmemory_handle *
xenforeignmemory_open(struct xentoollog_logger *logger, unsigned flags)
{
    (void)logger;
    (void)flags;
    handles++;

    return calloc(1, 1);
}

int xenforeignmemory_close(xenforeignmemory_handle *fmem)
{
    handles--;
    free(fmem);

    return 0;
}

void *xenforeignmemory_map(xenforeignmemory_handle *fmem, uint32_t dom,
                           int prot, size_t nr, const xen_pfn_t *frames,
                           int *err)
{
    uint8_t *base;
    size_t i;

    (void)fmem;
    assert_true(dom == DRIVER || dom == DOMID_XEN);
    assert_null(err);
    for (i = 0; i < nr; i++)
        if (frames[i] >= FRAMES) {
            errno = EINVAL;
            return NULL;
        }
    base = mmap(NULL, nr * XC_PAGE_SIZE, PROT_NONE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (i = 0; i < nr; i++)
        mmap(base + i * XC_PAGE_SIZE, XC_PAGE_SIZE, prot,
             MAP_SHARED | MAP_FIXED, ram_fd, frames[i] * XC_PAGE_SIZE);
    mapped += nr;

    return base;
}

int xenforeignmemory_unmap(xenforeignmemory_handle *fmem, void *base,
                           size_t nr)
{
    (void)fmem;
    mapped -= nr;

    return munmap(base, nr * XC_PAGE_SIZE);
}

/* The daemon's sources need nothing of the hypervisor's log; a test may define its own. */

xc_interface *xc_interface_open(xentoollog_logger *logger,
                                xentoollog_logger *dombuild, unsigned flags)
{
    (void)logger;
    (void)dombuild;
    (void)flags;
    handles++;

    return calloc(1, 1);
}

int xc_interface_close(xc_interface *xch)
{
    handles--;
    free(xch);

    return 0;
}

#define NOT_ASKED_FOR(name, ...) \
    __attribute__((weak)) int name(xc_interface *xch, ##__VA_ARGS__) \
    { (void)xch; abort(); }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOT_ASKED_FOR(hypercall_info, struct xen_sysctl_schedlog_info *info)
NOT_ASKED_FOR(hypercall_setup, uint32_t a, uint32_t f, const uint32_t *s,
              uint64_t *n)
NOT_ASKED_FOR(hypercall_files, uint32_t f, uint32_t n,
              xen_schedlog_file_t *files)
NOT_ASKED_FOR(hypercall_frames, uint32_t r, uint32_t c, uint32_t f,
              uint32_t n, uint64_t *frames)
NOT_ASKED_FOR(hypercall_events, uint32_t e, uint32_t l, uint64_t c)
NOT_ASKED_FOR(hypercall_release, uint64_t c)
NOT_ASKED_FOR(hypercall_pmc, uint64_t c, uint32_t n, const uint64_t *s)
NOT_ASKED_FOR(hypercall_mark, uint32_t d, bool allow, uint64_t c)
NOT_ASKED_FOR(hypercall_stop, uint32_t d, struct xen_domctl_schedlog_stop *o)
NOT_ASKED_FOR(hypercall_bind, uint32_t d, uint32_t v, uint16_t a, uint64_t c)
#pragma GCC diagnostic pop

/* The device of dom0's Linux. */

struct made_up_device device;

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);

int __wrap_open(const char *path, int flags, ...)
{
    unsigned int mode;
    va_list args;

    va_start(args, flags);
    mode = va_arg(args, unsigned int);
    va_end(args);
    if (strcmp(path, "/dev/xensched-log"))
        return __real_open(path, flags, mode);
    if (!device.there) {
        errno = ENOENT;
        return -1;
    }

    return dup(device_fd);
}

static int refuse(int code)
{
    errno = code;

    return -1;
}

static int set_up(const struct xensched_log_setup *setup)
{
    const uint32_t *sizes = (const uint32_t *)(uintptr_t)setup->sizes;

    if (device.nr_acct &&
        (device.nr_acct != setup->nr_acct || device.size != sizes[0]))
        return refuse(EBUSY);
    device.nr_acct = setup->nr_acct;
    device.nr_files = setup->nr_files;
    device.size = sizes[0];

    return 0;
}

static int set_events(const struct xensched_log_events *op)
{
    if (op->events & ~device.built)
        return refuse(EOPNOTSUPP);
    if (device.lease_ms && op->cookie != device.cookie)
        return refuse(EEXIST);
    if (device.no_numbers && (op->events & ~device.events))
        return refuse(ETIMEDOUT);
    device.events = op->events;
    device.lease_ms = op->events ? op->lease_ms : 0;
    device.cookie = op->cookie;

    return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
    struct xen_schedlog_file *file;
    struct xensched_log_files *files;
    struct xensched_log_info *info;
    va_list args;
    void *arg;

    (void)fd;
    device.calls++;
    va_start(args, request);
    arg = va_arg(args, void *);
    va_end(args);
    switch (request) {
    case XENSCHED_LOG_INFO:
        info = arg;
        memset(info, 0, sizeof(*info));
        info->abi_version = XEN_SCHEDLOG_ABI_VERSION;
        info->nr_cpus = device.nr_acct ? 1 : 0;
        info->nr_acct = device.nr_acct;
        info->nr_files = device.nr_files;
        info->events_built = device.built;
        info->events_enabled = device.events;
        info->lease_ms = info->lease_left_ms = device.lease_ms;
        info->doorbell = device.rings;
        info->tsc_khz = device.tsc_khz;
        return 0;
    case XENSCHED_LOG_SETUP:
        return set_up(arg);
    case XENSCHED_LOG_FILES:
        files = arg;
        file = (struct xen_schedlog_file *)(uintptr_t)files->files;
        *file = (struct xen_schedlog_file){ .size = device.size };
        files->nr = 1;
        return 0;
    case XENSCHED_LOG_EVENTS:
        return set_events(arg);
    case XENSCHED_LOG_RELEASE:
        memset(&device, 0, sizeof(device));
        device.there = true;
        return 0;
    default:
        return refuse(ENOTTY);
    }
}

/* The driver domain. */

uint8_t *page(unsigned int frame)
{
    return ram + (size_t)frame * XC_PAGE_SIZE;
}

const char *request(const char *node)
{
    return fake_xs_get("/local/domain/%u/schedlog/request/%s", DRIVER, node);
}

void advertise(const char *node, const char *value)
{
    fake_xs_put(value, "/local/domain/%u/schedlog/area/%s", DRIVER, node);
}

static void put_frames(unsigned int nr_cpus)
{
    uint64_t *entry = (uint64_t *)page(DIRECTORY);
    unsigned int cpu, i;

    for (i = 0; i < 2; i++)
        *entry++ = GLOBAL + i;
    for (cpu = 0; cpu < nr_cpus; cpu++)
        for (i = 0; i < cpu_pages; i++)
            *entry++ = CPU_FRAME(cpu) + i;
}

/* Acts as an honest driver domain with two CPUs. */
void answer(void)
{
    put_frames(2);
    advertise("version", "2");
    advertise("nr-cpus", "2");
    advertise("nr-acct", request("nr-acct"));
    advertise("sizes", request("sizes"));
    advertise("tsc-khz", "1000");
    advertise("events-built", events_built);
    advertise("events", request("events"));
    advertise("directory", 2 + 2 * cpu_pages <= 512 ? "100" : "100 101");
}

void take_back(void)
{
    fake_xs_remove("/local/domain/%u/schedlog/area", DRIVER);
    advertise("", "");
}

/* Writes one row into a log buffer of a producer, with the record handler. */
static void log_row(uint8_t *global, uint8_t *control, uint8_t *state,
                    uint8_t *data, unsigned int event, uint16_t current,
                    uint16_t correspondent, uint64_t counter)
{
    static uint32_t skipped[FAKE_ACCTS * XEN_SCHEDLOG_NR_EVENTS];
    struct xen_schedlog_state *s = (void *)state;
    struct schedlog_cpu *cpu = calloc(1, sizeof(*cpu) + sizeof(cpu->file[0]));
    struct xen_schedlog_state before = *s;

    cpu->lcr = (void *)control;
    cpu->route = (void *)(global + XEN_SCHEDLOG_ROUTES_OFFSET);
    cpu->skipped = skipped;
    cpu->acct_mask = FAKE_ACCTS - 1;
    schedlog_init_file(&cpu->file[0], data, first_size, s);
    *s = before;
    cpu->file[0].pos = before.pos;
    cpu->file[0].layout_seq = before.layout_seq;
    if (before.layout_seq) {
        schedlog_set_layout(&cpu->file[0], before.lcr);
        *s = before;
        cpu->file[0].layout_seq = before.layout_seq;
    }
    schedlog_record(cpu, event, current, correspondent, counter);
    free(cpu);
}

void emit(unsigned int cpu, unsigned int event, uint16_t current,
          uint16_t correspondent, uint64_t counter)
{
    uint64_t *routes = (uint64_t *)page(GLOBAL + 1);

    /* It does not wait for permission. */
    routes[current % FAKE_ACCTS * XEN_SCHEDLOG_NR_EVENTS + event] =
        XEN_SCHEDLOG_ROUTE_VALID;
    log_row(page(GLOBAL), page(CPU_FRAME(cpu)), page(CPU_FRAME(cpu) + 1),
            page(CPU_FRAME(cpu) + 2), event, current, correspondent, counter);
}

/* The daemon. */

const struct log_source *source_named(const char *name)
{
    unsigned int i;

    for (i = 0; i < sources.nr; i++)
        if (!strcmp(sources.source[i]->name, name))
            return sources.source[i];

    return NULL;
}

const struct log_source *driver(void)
{
    return source_named("domain:3");
}

void start_log_sources(const char *log)
{
    const struct log_sources_settings fs = {
        .choice = &settings.choice,
        .nr_acct = FAKE_ACCTS,
        .lease_ms = 10000,
    };

    assert_true(choice_parse(&settings.choice, log));
    log_sources_init(&sources, &fs, &core, xs);
    log_sources_set_hypervisor(&sources, hypervisor);
}

/* Does the same as host-xen.c. */
static int take_changes(void *arg)
{
    (void)arg;
    xenstore_domain(xs, DRIVER);

    return xenstore_changed(xs);
}

void look(void)
{
    struct domains domains = { 0 };
    struct xensched_error err;

    blocking_call(take_changes, NULL);
    assert_int_equal(core_bind_new(&core, &domains, now, &err), 0);
    log_sources_look(&sources, &domains, now);
    domains_free(&domains);
}

void read_rows(void)
{
    struct xensched_error err;

    blocking_call(take_changes, NULL);
    log_sources_read(&sources, now);
    assert_int_equal(core_read(&core, hypervisor, now, &err), 0);
    log_sources_cap(&sources, now);
}

/* Lets this number of seconds pass. */
void wait_for(unsigned int seconds)
{
    unsigned int i;

    for (i = 0; i < seconds; i++) {
        now += SECOND;
        look();
        read_rows();
    }
}

static void nothing(void *arg)
{
    (void)arg;
}

int setup(void **state)
{
    struct xensched_error err;

    (void)state;
    unlink(STATE);
    unlink(JOURNAL);
    cpu_pages = CPU_PAGES;
    first_size = FILE_SIZE;
    events_built = "50331648"; /* ring-pages, ring-sectors */
    fake_xs_reset();
    fake_domctl = (struct fake_domctl){ .nr_vcpus = 2, .nr_frames = FRAMES };
    memset(&device, 0, sizeof(device));
    ram_fd = memfd_create("ram", 0);
    device_fd = memfd_create("device", 0);
    if (ftruncate(ram_fd, FRAMES * XC_PAGE_SIZE) ||
        ftruncate(device_fd, 4LL << 48))
        return -1;
    ram = mmap(NULL, FRAMES * XC_PAGE_SIZE, PROT_READ | PROT_WRITE,
               MAP_SHARED, ram_fd, 0);
    fake_host_init(&host);
    fake_domain_new(&host, DRIVER, "driver", 1)->clients = 1U << CLIENT;
    fake_domain_new(&host, CLIENT, "client", 1);
    host.world->domains[0].clients = 1U << CLIENT;
    fake_domain_new(&host, OTHER, "other", 1);
    settings = (struct core_settings){
        .half_life_ns = SECOND,
        .policy_settings = policy_defaults,
        .state_path = STATE,
        .journal_path = JOURNAL,
    };
    policies_parse(&settings.policies, "placement");
    choice_default(&settings.choice);
    now = 1000 * SECOND;
    assert_int_equal(core_start(&core, &settings, &host.host, now, &err), 0);
    assert_int_equal(xenstore_open(&xs, &err), 0);
    /* From here on, questions to xenstored must be blocking calls of a helper. */
    blocking_call_init(nothing, NULL);
    assert_int_equal(xensched_source_open("synthetic:rows=10,"
                                          "pair=evtchn-send/2/5/1/1",
                                          NULL, &hypervisor, &err), 0);
    /* Without evtchn-send, with which the daemon would check reports. */
    start_log_sources("ring-pages");

    return 0;
}

/* Nothing may stay mapped or open, whatever happened. */
int teardown(void **state)
{
    (void)state;
    log_sources_free(&sources);
    xensched_source_close(hypervisor);
    xenstore_close(xs);
    blocking_call_init(NULL, NULL);
    core_stop(&core);
    core_free(&core);
    fake_host_free(&host);
    munmap(ram, FRAMES * XC_PAGE_SIZE);
    close(ram_fd);
    close(device_fd);
    unlink(STATE);
    unlink(JOURNAL);

    return mapped || handles || fake_loggers || fake_xs.open;
}

struct sought {
    unsigned int event;
    uint16_t current, correspondent;
    uint64_t total;
};

static void seek(const struct matrix_entry *entry, void *arg)
{
    struct sought *s = arg;

    if (entry->event == s->event && entry->current == s->current &&
        entry->correspondent == s->correspondent)
        s->total = entry->total;
}

uint64_t total_of(unsigned int event, uint16_t current,
                  uint16_t correspondent)
{
    struct sought s = { event, current, correspondent, 0 };

    matrix_visit(core.matrix, now, seek, &s);

    return s.total;
}

/* Makes an honest driver domain that the daemon reads. */
void get_it_to_log(void)
{
    look();
    answer();
    wait_for(1);
    answer();
    wait_for(1);
    assert_int_equal(driver()->state, LOG_SOURCE_READING);
}

void refused_with(const char *words)
{
    if (driver()->state != LOG_SOURCE_FAILED)
        fail_msg("state %s", log_source_state_name(driver()->state));
    if (!strstr(driver()->reason, words))
        fail_msg("no '%s' in '%s'", words, driver()->reason);
    assert_int_equal(mapped, 0);
}

/* Writes as dom0's Linux. */

static uint8_t *map_device(unsigned int region, size_t bytes)
{
    return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, device_fd,
                XENSCHED_LOG_OFFSET(region, 0));
}

void emit_dom0(uint16_t correspondent, uint64_t counter)
{
    uint8_t *g = map_device(0, 2 * XC_PAGE_SIZE), *c = map_device(1, 4096);
    uint8_t *s = map_device(2, 4096), *d = map_device(3, FILE_SIZE);

    log_row(g, c, s, d, PAGES, DOM0_ACCT, correspondent, counter);
    munmap(g, 2 * XC_PAGE_SIZE);
    munmap(c, 4096);
    munmap(s, 4096);
    munmap(d, FILE_SIZE);
}
