/* SPDX-License-Identifier: GPL-2.0-only */
/* Listens to the doorbells of the logs in the event loop. */
#include "base/message.h"
#include "doorbells.h"

/*
 * Linux's doorbell rings until the daemon has raised the watermarks.  If another program holds
 * the log, the daemon cannot raise them.  This pause after each ring, in s, limits the cost.
 */
#define LINUX_PAUSE_S 0.01

static void start_listening(struct bells *bells, struct bell *bell,
                            struct xensched_doorbell *doorbell)
{
    bell->doorbell = doorbell;
    ev_io_set(&bell->io, xensched_doorbell_fd(doorbell), EV_READ);
    ev_io_start(bells->loop, &bell->io);
}

static void stop_listening(struct bells *bells, struct bell *bell)
{
    ev_io_stop(bells->loop, &bell->io);
    xensched_doorbell_close(bell->doorbell);
    bell->doorbell = NULL;
}

static void answer_hypervisor(struct ev_loop *loop, ev_io *io, int events)
{
    struct bells *bells = io->data;

    (void)loop;
    (void)events;
    xensched_doorbell_answer(bells->hypervisor.doorbell);
    bells->hypervisor.rung(bells->hypervisor.arg);
}

static void answer_linux(struct ev_loop *loop, ev_io *io, int events)
{
    struct bells *bells = io->data;

    (void)events;
    ev_io_stop(loop, io);
    ev_timer_set(&bells->linux_again, LINUX_PAUSE_S, 0);
    ev_timer_start(loop, &bells->linux_again);
    bells->dom0.rung(bells->dom0.arg);
}

static void listen_again(struct ev_loop *loop, ev_timer *timer, int events)
{
    struct bells *bells = timer->data;

    (void)events;
    ev_io_start(loop, &bells->dom0.io);
}

void bells_init(struct bells *bells, struct ev_loop *loop, struct read_schedule *read_schedule,
                void (*rung)(void *arg), void (*linux_rung)(void *arg),
                void *arg)
{
    *bells = (struct bells){
        .loop = loop,
        .read_schedule = read_schedule,
        .hypervisor = { .rung = rung, .arg = arg },
        .dom0 = { .rung = linux_rung, .arg = arg },
    };
    ev_init(&bells->hypervisor.io, answer_hypervisor);
    ev_init(&bells->dom0.io, answer_linux);
    ev_init(&bells->linux_again, listen_again);
    bells->hypervisor.io.data = bells;
    bells->dom0.io.data = bells;
    bells->linux_again.data = bells;
}

void bells_listen(struct bells *bells, struct xensched_area *area)
{
    struct xensched_doorbell *doorbell;
    struct xensched_error err;

    if (xensched_doorbell_open(xensched_area_doorbell(area), &doorbell, &err)) {
        say("%s: the log is read every %llu ms", err.text,
            (unsigned long long)bells->read_schedule->interval_ms);
        return;
    }
    start_listening(bells, &bells->hypervisor, doorbell);
    bells->read_schedule->rings = true;
}

static void drop_linux(struct bells *bells)
{
    ev_timer_stop(bells->loop, &bells->linux_again);
    stop_listening(bells, &bells->dom0);
    bells->read_schedule->linux_rings = false;
}

void bells_follow_linux(struct bells *bells, const struct log_sources *sources)
{
    struct xensched_doorbell *doorbell;
    struct xensched_error err;
    bool rings = log_sources_linux_rings(sources);

    if (!rings && bells->dom0.doorbell) {
        drop_linux(bells);
    } else if (rings && !bells->dom0.doorbell &&
               !xensched_doorbell_open_linux(&doorbell, &err)) {
        start_listening(bells, &bells->dom0, doorbell);
        bells->read_schedule->linux_rings = true;
    }
}

void bells_free(struct bells *bells)
{
    if (bells->dom0.doorbell)
        drop_linux(bells);
    if (bells->hypervisor.doorbell)
        stop_listening(bells, &bells->hypervisor);
}
