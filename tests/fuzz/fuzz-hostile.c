/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record handler against a scheduler that rewrites registers and routes
 * all the time: each control word has other bits, chosen by the fuzzer, each
 * time that it is read.  Nothing else of the input is a control word, so this
 * is stronger than any writer that races with the handler.
 *
 * Whatever the bits are, the handler reads each word once per event. Its bits
 * decide what happens to the event; only the log buffer that they name is
 * written (model.h).
 *
 * Input: 1 byte file sizes, then per event 4 bytes: what, event, current,
 * correspondent; the count is made of these; then the bits of each control
 * word that the handler asks for: 2 bytes of choices and the rest.
 */
#include <string.h>

#include "watched-area.h"
#include "check.h"
#include "input.h"
#include "handler-model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct input *input;
static struct model model;

/* A valid route with a small threshold half of the time: else few rows. */
static uint64_t hostile_route(void)
{
    uint16_t short_form = input16(input);

    if (short_form & 0x8000)
        return input64(input) ^ short_form;

    return XEN_SCHEDLOG_ROUTE_VALID |
           (uint64_t)(short_form >> 8)
               << (XEN_SCHEDLOG_ROUTE_FILE_SHIFT + (short_form >> 7 & 1) * 9) |
           (short_form & 7);
}

void area_moment(enum area_moment moment, unsigned int index)
{
    if (moment == AREA_READS_ROUTE)
        area_set_route(index, hostile_route());
    else if (moment == AREA_READS_LCR)
        area_set_lcr(index, input32(input));
}

static struct model_event next_event(void)
{
    struct model_event event = {
        .event = input8(input) % XEN_SCHEDLOG_NR_EVENTS,
        .current = input8(input) * 0x101,
        .correspondent = input8(input) * 0x101,
        .tsc = area_tsc,
        .tick = area.cpu->tick,
    };

    event.count = event.correspondent * 0x0001000100010001ULL >>
                  event.current % 64;

    return event;
}

static void step(uint8_t what)
{
    struct model_event e = next_event();

    area_begin();
    switch (what % 4) {
    case 0:
        CHECK(schedlog_enter(area.cpu, e.event, e.current) ==
              model_enter(&model, &area.seen, &e));
        break;
    case 1:
        schedlog_leave(area.cpu, e.event, e.current, e.correspondent, e.count);
        model_leave(&model, &area.seen, &e);
        break;
    default:
        schedlog_record(area.cpu, e.event, e.current, e.correspondent,
                        e.count);
        model_record(&model, &area.seen, &e);
    }
    model_check_area(&model);
    area_tsc = area_tsc * 6364136223846793005ULL + what;
    area.cpu->tick++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = { data, data + size };

    input = &in;
    area_tsc = 0;
    area_make(input8(&in));
    model_init(&model);
    while (in.at < in.end)
        step(input8(&in));
    model_free(&model);
    area_free();

    return 0;
}
