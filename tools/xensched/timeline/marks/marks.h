/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * marks.h - the marks of guests, from rows of mark: plain codes, and the marks of
 * uapi/xensched_mark.h: begin and end of a region, a number, a text.
 *
 * A mark belongs to the vCPU that has the row's pCPU at that time.
 */
#ifndef XENSCHED_TIMELINE_MARKS_H
#define XENSCHED_TIMELINE_MARKS_H

#include "mark-names.h"
#include "timeline/vcpus.h"

enum mark_kind {
    MARK_CODE,  /* value: the code */
    MARK_BEGIN,
    MARK_END,
    MARK_COUNT, /* value: the count of the name; at most MARK_MOST */
    MARK_LABEL, /* it has a text only */
    MARK_KINDS,
};

extern const char *const mark_kind_name[MARK_KINDS];

#define MARK_MOST (1ULL << 52)

/* The guest does not name its vCPU. */
#define MARK_NO_VCPU 0xffffU

struct mark {
    uint64_t ns, value;
    uint32_t lane;  /* index of the vCPU, or STAY_NONE: unknown */
    uint32_t text;  /* index in names; a MARK_CODE has none */
    uint16_t acct, id;
    uint16_t vcpu;  /* named by the guest, or MARK_NO_VCPU */
    uint8_t kind;
};

struct marks {
    struct mark *mark; /* by time */
    size_t nr, room;
    struct mark_names names;
    uint64_t broken;   /* number of marks with lost or mixed codes */
};

void marks_make(struct marks *marks, const struct rows *rows,
                const struct stays *stays, const struct vcpus *vcpus);
void marks_free(struct marks *marks);

/* Returns a name: "parse", "#5", or the code.  See text_format(). */
const char *marks_name(const struct marks *marks, const struct mark *mark);

#endif /* XENSCHED_TIMELINE_MARKS_H */
