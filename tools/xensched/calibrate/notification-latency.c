/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures a notification's latency with an event channel from dom0 to dom0.  Its two ends
 * interrupt the CPUs on which two threads wait, and each thread answers the other one.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xenevtchn.h>

#include "latency-probes.h"

#define DOM0 0
#define WAIT_MS 100
#define NAME "evtchn:"
#define MAX_IRQ 65536

struct end {
    xenevtchn_handle *xce;
    xenevtchn_port_or_error_t port;
    unsigned int cpu;
};

static atomic_bool ended;

/* Finds the interrupts of processes' event channels, as a mask. */
static void find_irqs(unsigned char *there)
{
    char line[1024], *rest;
    FILE *file = fopen("/proc/interrupts", "re");

    memset(there, 0, MAX_IRQ);
    while (file && fgets(line, sizeof(line), file)) {
        unsigned long irq = strtoul(line, &rest, 10);

        if (*rest == ':' && irq < MAX_IRQ && strstr(rest, NAME))
            there[irq] = 1;
    }
    if (file)
        fclose(file);
}

static bool steer_irq(unsigned int irq, unsigned int cpu)
{
    char path[64], text[16];
    bool good;
    int fd;

    snprintf(path, sizeof(path), "/proc/irq/%u/smp_affinity_list", irq);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    snprintf(text, sizeof(text), "%u", cpu);
    good = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);

    return good;
}

/* Steers the new interrupt, which is the channel's. */
static bool steer_new(const unsigned char *before, unsigned int cpu)
{
    static unsigned char now[MAX_IRQ];
    unsigned int irq;

    find_irqs(now);
    for (irq = 0; irq < MAX_IRQ; irq++)
        if (now[irq] && !before[irq])
            return steer_irq(irq, cpu);

    return false;
}

static bool bind_end(struct end *end, const struct end *other)
{
    static unsigned char before[MAX_IRQ];

    find_irqs(before);
    end->xce = xenevtchn_open(NULL, 0);
    if (!end->xce)
        return false;
    end->port = other ? xenevtchn_bind_interdomain(end->xce, DOM0, other->port)
                      : xenevtchn_bind_unbound_port(end->xce, DOM0);

    return end->port >= 0 && steer_new(before, end->cpu);
}

/* Returns false if no notification came. */
static bool take_notification(const struct end *end)
{
    struct pollfd fd = { xenevtchn_fd(end->xce), POLLIN, 0 };
    xenevtchn_port_or_error_t port;

    if (poll(&fd, 1, WAIT_MS) != 1)
        return false;
    port = xenevtchn_pending(end->xce);

    return port >= 0 && !xenevtchn_unmask(end->xce, port);
}

static void *answer_notifications(void *arg)
{
    const struct end *end = arg;

    if (!spin_on(end->cpu))
        return NULL;
    while (!atomic_load(&ended))
        if (take_notification(end))
            xenevtchn_notify(end->xce, end->port);

    return NULL;
}

static unsigned int measure_rounds(const struct end *end, double *samples)
{
    double first_ns = spin_now_ns();
    unsigned int nr = 0;

    while (spin_goes_on(first_ns, nr)) {
        double begin_ns = spin_now_ns();

        if (xenevtchn_notify(end->xce, end->port))
            break;
        if (!take_notification(end))
            continue;
        samples[nr++] = (spin_now_ns() - begin_ns) / 2;
    }

    return nr;
}

double notification_ns(unsigned int a, unsigned int b)
{
    static double samples[SPIN_SAMPLES];
    struct end ends[2] = { { NULL, -1, a }, { NULL, -1, b } };
    unsigned int nr = 0;
    pthread_t other;

    atomic_store(&ended, false);
    if (bind_end(&ends[0], NULL) && bind_end(&ends[1], &ends[0]) &&
        spin_on(a) && !pthread_create(&other, NULL, answer_notifications, &ends[1])) {
        /* A new channel may have an event pending on both sides that was not sent. */
        take_notification(&ends[0]);
        nr = measure_rounds(&ends[0], samples);
        atomic_store(&ended, true);
        pthread_join(other, NULL);
    }
    if (ends[1].xce)
        xenevtchn_close(ends[1].xce);
    if (ends[0].xce)
        xenevtchn_close(ends[0].xce);

    return spin_median(samples, nr);
}
