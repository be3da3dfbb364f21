/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ctf-rows.h - all rows of all sources of a recording, and its losses, on the host's clock and in
 * order: the contents of a CTF trace.
 *
 * Rows without a TSC time stamp have no place on the clock, and are left out.
 */
#ifndef XENSCHED_TIMELINE_CTF_ROWS_H
#define XENSCHED_TIMELINE_CTF_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <xensched/recording.h>

#include "timeline/rows/names.h"

/* Times above this are nonsense; with a date added they have to fit 63 bits. */
#define CTF_MAX_NS (1ULL << 62)

/* No host has more than this of each clock. */
#define CTF_MAX_LOGS 32768U

/* No domain, or an unknown one. */
#define CTF_NO_DOMID 0xffffU

enum ctf_what { CTF_ROW, CTF_LOSS_BEGINS, CTF_LOSS_ENDS };

struct ctf_item {
    uint64_t ns;      /* since the host's TSC was 0 */
    uint64_t counter; /* of losses: index of the loss */
    uint32_t log;     /* index */
    uint16_t event, current, correspondent;
    uint16_t current_domid, correspondent_domid; /* in the hypervisor's rows */
    uint8_t valid;    /* XENSCHED_ROW_* */
    uint8_t what;
};

/* A log has no two losses at the same time. */
struct ctf_loss {
    uint64_t begin_ns, end_ns;
    uint64_t rows; /* 0: unknown number */
};

/* A log buffer of a CPU of a source. */
struct ctf_log {
    uint32_t source, cpu, file;
    uint64_t lost_until_ns; /* end of its last loss */
    size_t row;             /* index of the latest item that no loss uses, or SIZE_MAX */
    bool row_in_front;      /* another row precedes that one */
    size_t loss_end;        /* index of the end of a loss without a later row, or SIZE_MAX */
    bool loss_has_row;
};

struct ctf_source {
    struct xensched_source_info info; /* zeros if the recording does not describe it */
    uint64_t rows;                    /* 0: the source does not occur */
    uint64_t error_ns;                /* bound of the clock's error */
};

struct ctf_rows {
    struct ctf_item *item;
    size_t nr, room;
    struct ctf_loss *loss;
    size_t nr_losses, losses_room;
    struct ctf_log *log;
    size_t nr_logs, logs_room;
    uint32_t *bucket;          /* index of a log + 1 */
    struct ctf_source *source; /* [XENSCHED_MAX_SOURCES], by id */
    struct names names;
    uint64_t begin_ns, end_ns; /* times of the first and the last item */
    uint64_t utc_ns;           /* ns since 1970 when the TSC was 0; 0: unknown */
    uint64_t nr_rows, lost_rows, untimed;
    bool uncounted;            /* there is a loss of unknown size */
    bool no_ns;                /* times are cycles, because their rate is unknown */
    bool went_back;            /* the host's clock went back */
    char defect[400];          /* why the recording ends early; "": it is complete */
};

/*
 * Reads the recording @path.  If it is damaged or cut off, returns 0 with the rows before the
 * damage.  Returns a negative errno value if it cannot be read at all.
 */
int ctf_rows_read(struct ctf_rows *rows, const char *path,
                  struct xensched_error *err);
void ctf_rows_free(struct ctf_rows *rows);

#endif /* XENSCHED_TIMELINE_CTF_ROWS_H */
