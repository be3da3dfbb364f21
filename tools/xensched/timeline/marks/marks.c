/* SPDX-License-Identifier: GPL-2.0-only */
/* Combines the codes of marks into marks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "marks.h"
#include "uapi/xensched_mark.h"

/* Bytes that precede a code: a text with its padding is the longest. */
#define MOST_DATA 36U
#define VALUE_BYTES 8U

const char *const mark_kind_name[MARK_KINDS] = {
    [MARK_CODE] = "code",
    [MARK_BEGIN] = "begin",
    [MARK_END] = "end",
    [MARK_COUNT] = "count",
    [MARK_LABEL] = "label",
};

/* Bytes that were marked on a pCPU, and not used yet. */
struct data {
    uint8_t byte[MOST_DATA];
    unsigned int nr;    /* 0: none, or incomplete */
    uint16_t acct;
};

struct marks_making {
    struct marks *marks;
    const struct rows *rows;
    const struct stays *stays;
    const struct vcpus *vcpus;
    struct data *data;  /* by pCPU */
};

/* Returns whether stay @i is of @acct. */

static bool is_of(const struct stays_cpu *cpu, size_t i, uint16_t acct)
{
    return i < cpu->nr && cpu->stay[i].acct == acct &&
           cpu->stay[i].vcpu != STAY_NONE;
}

/*
 * Finds the vCPU of a mark.  Times of rows of two log buffers are not exact, and the last stay has
 * no row yet, so it may be the stay before or after.
 */
static uint32_t lane_of(const struct marks_making *m,
                        const struct timeline_row *row)
{
    uint32_t index = stays_cpu(m->stays, row->cpu);
    const unsigned int *first = &m->vcpus->first[row->current];
    const struct stays_cpu *cpu;
    const struct stay *stay;
    size_t i;

    if (first[1] - first[0] == 1)
        return first[0];
    if (index == STAY_NONE)
        return STAY_NONE;
    cpu = &m->stays->cpu[index];
    stay = stays_at(cpu, row->ns);
    i = stay ? stay - cpu->stay : 0;
    if (is_of(cpu, i, row->current))
        return cpu->stay[i].vcpu;
    if (is_of(cpu, i + 1, row->current))
        return cpu->stay[i + 1].vcpu;
    if (i && is_of(cpu, i - 1, row->current))
        return cpu->stay[i - 1].vcpu;

    return STAY_NONE;
}

/* Codes. */

static struct mark *add_mark(struct marks_making *m, const struct timeline_row *row,
                             enum mark_kind kind)
{
    struct marks *marks = m->marks;
    struct mark *mark = list_add(marks->mark, marks->nr, marks->room);

    *mark = (struct mark){
        .ns = row->ns,
        .lane = lane_of(m, row),
        .acct = row->current,
        .vcpu = MARK_NO_VCPU,
        .kind = kind,
    };

    return mark;
}

static void take_data(struct data *data, const struct timeline_row *row)
{
    unsigned int i;

    if (row->counter & XENSCHED_CODE_FIRST)
        *data = (struct data){ .acct = row->current };
    else if (!data->nr || data->acct != row->current ||
             data->nr + XENSCHED_CODE_BYTES > MOST_DATA) {
        data->nr = 0;
        return;
    }
    for (i = 0; i < XENSCHED_CODE_BYTES; i++)
        data->byte[data->nr++] = row->counter >> (8 * i);
}

/*
 * Returns whether the data have these @size bytes, with a correct checksum and nothing after them.
 */
static bool is_said(const struct data *data, const struct timeline_row *row,
                    unsigned int size, uint32_t sum, uint32_t mask)
{
    return data->nr && data->acct == row->current &&
           (xensched_mark_sum(data->byte, size) & mask) == sum;
}

static unsigned int text_size(const struct data *data)
{
    return strnlen((const char *)data->byte, data->nr);
}

static bool take_text(struct marks_making *m, const struct data *data,
                      const struct timeline_row *row, uint32_t *text,
                      uint32_t sum, uint32_t mask)
{
    unsigned int size = text_size(data);

    if (!is_said(data, row, size, sum, mask)) {
        m->marks->broken++;
        return false;
    }
    *text = mark_names_text(&m->marks->names, row->current, data->byte, size);

    return true;
}

static void take_count(struct marks_making *m, const struct data *data,
                       const struct timeline_row *row, uint16_t id,
                       uint32_t sum)
{
    struct mark *mark;
    uint64_t value = 0;
    unsigned int i;

    if (!is_said(data, row, VALUE_BYTES, sum, XENSCHED_CODE_LOW_MASK)) {
        m->marks->broken++;
        return;
    }
    for (i = VALUE_BYTES; i-- > 0;)
        value = value << 8 | data->byte[i];
    mark = add_mark(m, row, MARK_COUNT);
    mark->id = id;
    mark->value = value < MARK_MOST ? value : MARK_MOST;
}

static void take_typed(struct marks_making *m, struct data *data,
                       const struct timeline_row *row)
{
    uint32_t what = row->counter >> XENSCHED_CODE_WHAT_SHIFT &
                    XENSCHED_CODE_WHAT_MASK;
    uint16_t high = row->counter >> XENSCHED_CODE_HIGH_SHIFT &
                    XENSCHED_CODE_HIGH_MASK;
    uint16_t low = row->counter & XENSCHED_CODE_LOW_MASK;
    struct mark *mark;
    uint32_t text;

    switch (what) {
    case XENSCHED_CODE_DATA:
        take_data(data, row);
        return;
    case XENSCHED_CODE_BEGIN:
    case XENSCHED_CODE_END:
        mark = add_mark(m, row, what == XENSCHED_CODE_BEGIN ? MARK_BEGIN : MARK_END);
        mark->id = high;
        mark->vcpu = low;
        break;
    case XENSCHED_CODE_LABEL:
        if (!take_text(m, data, row, &text, high, XENSCHED_CODE_HIGH_MASK))
            break;
        mark = add_mark(m, row, MARK_LABEL);
        mark->text = text;
        mark->vcpu = low;
        break;
    case XENSCHED_CODE_NAME:
        if (take_text(m, data, row, &text, low, XENSCHED_CODE_LOW_MASK))
            mark_names_define(&m->marks->names, row->current, high, row->ns,
                              text);
        break;
    case XENSCHED_CODE_COUNT:
        take_count(m, data, row, high, low);
        break;
    case XENSCHED_CODE_SWITCH:
        /* A thread's code, for a reaction that waits for the thread; it may come in between. */
        return;
    default:
        m->marks->broken++;
    }
    data->nr = 0;
}

static void accept_row(struct marks_making *m, const struct timeline_row *row)
{
    if (row->counter < XENSCHED_TYPED || row->counter > UINT32_MAX)
        add_mark(m, row, MARK_CODE)->value = row->counter;
    else if (row->cpu < STAYS_MAX_CPUS)
        take_typed(m, &m->data[row->cpu], row);
    else
        m->marks->broken++;
}

/* A name may be defined after the marks that use it. */
static void name_all(struct marks *marks)
{
    size_t i;

    mark_names_sort(&marks->names);
    for (i = 0; i < marks->nr; i++) {
        struct mark *mark = &marks->mark[i];

        if (mark->kind != MARK_CODE && mark->kind != MARK_LABEL)
            mark->text = mark_names_of(&marks->names, mark->acct, mark->id,
                                       mark->ns);
    }
}

void marks_make(struct marks *marks, const struct rows *rows,
                const struct stays *stays, const struct vcpus *vcpus)
{
    struct marks_making m = { marks, rows, stays, vcpus, NULL };
    size_t i;

    memset(marks, 0, sizeof(*marks));
    m.data = need_memory(STAYS_MAX_CPUS, sizeof(*m.data));
    for (i = 0; i < rows->nr; i++)
        if (rows->row[i].event == XEN_SCHEDLOG_EV_MARK &&
            rows->row[i].current != XEN_SCHEDLOG_ACCT_NONE)
            accept_row(&m, &rows->row[i]);
    free(m.data);
    name_all(marks);
}

void marks_free(struct marks *marks)
{
    mark_names_free(&marks->names);
    free(marks->mark);
    memset(marks, 0, sizeof(*marks));
}

const char *marks_name(const struct marks *marks, const struct mark *mark)
{
    if (mark->kind != MARK_CODE)
        return marks->names.text[mark->text].text;

    return text_format("%" PRIu64, mark->value);
}
