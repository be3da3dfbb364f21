/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps the clock of a foreign trace to the host's clock.
 *
 * A guest marks its clock by two labels: CLOCK= and the time before the mark, then until=
 * and the time after the mark.  The first label's row, whose time by the host's clock Xen
 * logs, was written between these two times.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "foreign.h"
#include "foreign-clock.h"
#include "base/alloc.h"

#define NO_ACCT (-1)

/* Parses a label "NAME=hex"; returns false if it is another one. */
static bool parse_label(const char *text, const char *name, uint64_t *number)
{
    size_t length = strlen(name);
    char *end;

    if (strncmp(text, name, length) || text[length] != '=')
        return false;
    text += length + 1;
    *number = strtoull(text, &end, 16);

    return strspn(text, "0123456789abcdef") && !*end;
}

static void add_pair(struct foreign_clocks *clocks, uint64_t ns, uint64_t clock_ns,
                     uint64_t error_ns)
{
    *list_add(clocks->anchor, clocks->nr, clocks->room) =
        (struct foreign_anchor){ ns, clock_ns, error_ns };
    if (error_ns > clocks->error_ns)
        clocks->error_ns = error_ns;
}

/* Finds the label after number @i of the same domain, if that is an until=. */
static bool until_of(const struct marks *marks, size_t i, uint64_t *until)
{
    uint16_t acct = marks->mark[i].acct;

    for (i++; i < marks->nr; i++)
        if (marks->mark[i].acct == acct && marks->mark[i].kind == MARK_LABEL)
            return parse_label(marks_name(marks, &marks->mark[i]), "until", until);

    return false;
}

static bool is_anchor(const struct marks *marks, size_t i, const char *name,
                      uint64_t *from, uint64_t *until)
{
    return marks->mark[i].kind == MARK_LABEL &&
           parse_label(marks_name(marks, &marks->mark[i]), name, from) &&
           until_of(marks, i, until) && *until >= *from;
}

static void add_marks(struct foreign_clocks *clocks, const struct marks *marks,
                      const char *name, int acct)
{
    uint64_t from, until;
    size_t i;

    for (i = 0; i < marks->nr; i++)
        if (marks->mark[i].acct == acct &&
            is_anchor(marks, i, name, &from, &until))
            add_pair(clocks, marks->mark[i].ns, from + (until - from) / 2,
                     (until - from) / 2 + 1);
}

/* Finds the guest that marked this clock: the one with the name @host, or the only one. */
static int who_marked(const struct rows *rows, const struct marks *marks,
                      const char *name, const char *host, bool *several)
{
    uint64_t from, until;
    int acct = NO_ACCT;
    size_t i;

    *several = false;
    for (i = 0; i < marks->nr; i++) {
        const struct mark *mark = &marks->mark[i];

        if (!is_anchor(marks, i, name, &from, &until))
            continue;
        if (!strcmp(names_of(&rows->names, mark->acct), host)) {
            *several = false;
            return mark->acct;
        }
        *several |= acct != NO_ACCT && acct != mark->acct;
        acct = mark->acct;
    }

    return acct;
}

static int by_marks(struct foreign_clocks *clocks, const struct rows *rows,
                    const struct marks *marks, const char *name,
                    const char *host, struct xensched_error *err)
{
    bool several;
    int acct = who_marked(rows, marks, name, host, &several);

    if (several)
        return xensched_fail(err, EINVAL, "several domains marked their clocks in the "
                             "recording, and none has the name '%s' of the trace's machine",
                             host);
    if (acct != NO_ACCT)
        add_marks(clocks, marks, name, acct);
    clocks->by = "by what the guest marked of its clock";

    return 0;
}

static void by_system_time(struct foreign_clocks *clocks,
                           const struct rows *rows)
{
    size_t i;

    for (i = 0; i < rows->nr_system_times; i++)
        add_pair(clocks, rows->system_time[i].ns, rows->system_time[i].system_ns,
                 rows->granule_ns);
    clocks->by = "as Xen's system time";
}

static int compare_clocks(const void *a, const void *b)
{
    const struct foreign_anchor *x = a, *y = b;

    return x->clock_ns < y->clock_ns ? -1 : x->clock_ns > y->clock_ns;
}

/* A clock drifts from the host's; the bound includes the drift. */
static void add_drift(struct foreign_clocks *clocks)
{
    uint64_t most = 0;
    size_t i;

    for (i = 1; i < clocks->nr; i++) {
        int64_t drift =
            (int64_t)(clocks->anchor[i].ns - clocks->anchor[i].clock_ns) -
            (int64_t)(clocks->anchor[i - 1].ns - clocks->anchor[i - 1].clock_ns);
        uint64_t size = drift < 0 ? -(uint64_t)drift : (uint64_t)drift;

        if (size > most)
            most = size;
    }
    clocks->error_ns += most;
}

int foreign_clocks_find(struct foreign_clocks *clocks,
                        const struct foreign_clock *clock,
                        const struct rows *rows, const struct marks *marks,
                        struct xensched_error *err)
{
    int rc;

    memset(clocks, 0, sizeof(*clocks));
    rc = by_marks(clocks, rows, marks, clock->name, clock->host, err);
    if (rc)
        return rc;
    if (!clocks->nr && clock->has_date) {
        clocks->by_date = true;
        rc = by_marks(clocks, rows, marks, "realtime", clock->host, err);
    }
    if (!rc && !clocks->nr && !clock->has_date)
        by_system_time(clocks, rows);
    if (!rc && !clocks->nr && clock->has_date && rows->utc_ns) {
        add_pair(clocks, 0, rows->utc_ns, 0);
        clocks->by = "by the dates of both machines";
        clocks->error_ns = FOREIGN_NO_BOUND;
    }
    if (!rc && !clocks->nr)
        rc = xensched_fail(err, EINVAL, "the trace's clock '%s' cannot be converted to the "
                           "recording's: run 'xensched-mark clock' in the guest during the "
                           "recording", clock->name);
    if (rc)
        return rc;
    qsort(clocks->anchor, clocks->nr, sizeof(*clocks->anchor), compare_clocks);
    if (clocks->error_ns != FOREIGN_NO_BOUND)
        add_drift(clocks);

    return 0;
}

void foreign_clocks_free(struct foreign_clocks *clocks)
{
    free(clocks->anchor);
    memset(clocks, 0, sizeof(*clocks));
}

bool foreign_clocks_ns(const struct foreign_clocks *clocks, uint64_t clock_ns,
                       uint64_t *ns)
{
    size_t low = 0, high = clocks->nr;
    const struct foreign_anchor *a;
    int64_t time;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (clocks->anchor[middle].clock_ns <= clock_ns)
            low = middle + 1;
        else
            high = middle;
    }
    a = &clocks->anchor[low ? low - 1 : 0];
    if (low && low < clocks->nr &&
        a[1].clock_ns - clock_ns < clock_ns - a->clock_ns)
        a++;
    time = (int64_t)(a->ns + (clock_ns - a->clock_ns));
    *ns = time;

    return time >= 0;
}
