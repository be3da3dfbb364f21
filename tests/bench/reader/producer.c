/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the hypervisor's record handler in a thread on a CPU of its own. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "producer.h"

/* Events between two looks at what is to be done. */
#define EVENTS_PER_LOOK 64

#define PAGE 4096UL

void pin_to_cpu(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set)) {
        perror("cannot run on a CPU of its own");
        exit(1);
    }
}

static void *whole_pages(size_t size)
{
    void *pages;

    size = (size + PAGE - 1) & ~(PAGE - 1);
    pages = aligned_alloc(PAGE, size);
    if (!pages) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }

    return memset(pages, 0, size);
}

void producer_log(struct produced *log, uint32_t size, uint32_t lcr)
{
    struct harness *h = harness_new(8, 1, size);

    free(h->state);
    free(h->data[0]);
    h->state = whole_pages(sizeof(*h->state));
    h->data[0] = whole_pages(size);
    schedlog_init_file(&h->cpu->file[0], h->data[0], size, h->state);
    harness_route_all(h, 0, lcr);
    log->h = h;
    log->events = 0;
}

static void produce(struct produced *log, uint64_t events)
{
    while (events--)
        schedlog_record(log->h->cpu, PRODUCER_EVENT, PRODUCER_CURRENT,
                        PRODUCER_CORRESPONDENT, log->events++);
}

static bool stopped(struct producer *p)
{
    return __atomic_load_n(&p->stop, __ATOMIC_RELAXED);
}

static void serve(struct producer *p)
{
    uint64_t left = p->limit;

    while (left && !stopped(p)) {
        uint64_t nr = left < EVENTS_PER_LOOK ? left : EVENTS_PER_LOOK;

        produce(p->log, nr);
        left -= nr;
    }
}

static void wait_for(const unsigned int *word, unsigned int value)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != value)
        __builtin_ia32_pause();
}

static void *producer_thread(void *arg)
{
    struct producer *p = arg;
    unsigned int next = 0;

    pin_to_cpu(p->cpu);
    while (!p->quit) {
        wait_for(&p->request, ++next);
        __atomic_store_n(&p->started, next, __ATOMIC_RELEASE);
        serve(p);
        __atomic_store_n(&p->finished, next, __ATOMIC_RELEASE);
    }

    return NULL;
}

void producer_pause(struct producer *p)
{
    __atomic_store_n(&p->stop, true, __ATOMIC_RELAXED);
    wait_for(&p->finished, p->request);
    __atomic_store_n(&p->stop, false, __ATOMIC_RELAXED);
}

static void request(struct producer *p, struct produced *log, uint64_t limit)
{
    producer_pause(p);
    p->log = log;
    p->limit = limit;
    __atomic_store_n(&p->request, p->request + 1, __ATOMIC_RELEASE);
}

void producer_run(struct producer *p, struct produced *log)
{
    request(p, log, UINT64_MAX);
    wait_for(&p->started, p->request);
}

void producer_fill(struct producer *p, struct produced *log, uint64_t events)
{
    request(p, log, events);
    wait_for(&p->finished, p->request);
}

void producer_start(struct producer *p, int cpu)
{
    *p = (struct producer){ .cpu = cpu };
    if (pthread_create(&p->thread, NULL, producer_thread, p)) {
        fprintf(stderr, "cannot create a thread\n");
        exit(1);
    }
}

void producer_quit(struct producer *p)
{
    producer_pause(p);
    p->quit = true;
    p->limit = 0;
    __atomic_store_n(&p->request, p->request + 1, __ATOMIC_RELEASE);
    pthread_join(p->thread, NULL);
}
