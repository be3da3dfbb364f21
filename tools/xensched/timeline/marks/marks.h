/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * marks.h - what guests say of themselves, by the rows of mark: codes of their
 * own, and what uapi/xensched_mark.h makes of codes: where something begins and
 * ends, what a number is, a text.
 *
 * The vCPU that makes a mark is the one that has the row's pCPU then.
 */
#ifndef XENSCHED_TIMELINE_MARKS_H
#define XENSCHED_TIMELINE_MARKS_H

#include "mark-names.h"
#include "timeline/vcpus.h"

enum mark_kind {
    MARK_CODE,  /* value: the code */
    MARK_BEGIN,
    MARK_END,
    MARK_COUNT, /* value: of what has the name; at most MARK_MOST */
    MARK_LABEL, /* the text is all there is */
    MARK_KINDS,
};

extern const char *const mark_kind_name[MARK_KINDS];

#define MARK_MOST (1ULL << 52)

/* The guest does not say its vCPU. */
#define MARK_NO_VCPU 0xffffU

struct mark {
    uint64_t ns, value;
    uint32_t lane;  /* index of the vCPU, or STAY_NONE: not known which */
    uint32_t text;  /* index in names; of CODE: none */
    uint16_t acct, id;
    uint16_t vcpu;  /* as the guest says, or MARK_NO_VCPU */
    uint8_t kind;
};

struct marks {
    struct mark *mark; /* by time */
    size_t nr, room;
    struct mark_names names;
    uint64_t broken;   /* of which codes were lost or mixed up */
};

void marks_make(struct marks *marks, const struct rows *rows,
                const struct stays *stays, const struct vcpus *vcpus);
void marks_free(struct marks *marks);

/* What it is called: "parse", "#5", or its code.  See text_format(). */
const char *marks_name(const struct marks *marks, const struct mark *mark);

#endif /* XENSCHED_TIMELINE_MARKS_H */
