/* SPDX-License-Identifier: GPL-2.0-only */
/* journal.c - see journal.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "../model/memory.h"
#include "journal.h"
#include "say.h"

int journal_open(struct journal *j, const char *path,
                 struct xensched_error *err)
{
    memset(j, 0, sizeof(*j));
    j->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (j->fd < 0)
        return xensched_fail(err, errno, "cannot open the journal '%s': %s",
                             path, strerror(errno));
    j->path = need_string(path);

    return 0;
}

void journal_close(struct journal *j)
{
    unsigned int i;

    for (i = 0; i < JOURNAL_MEMORY; i++)
        json_object_put(j->entries[i]);
    if (j->path)
        close(j->fd);
    free(j->path);
    memset(j, 0, sizeof(*j));
}

/* UTC, to the millisecond. */
static json_object *time_now(void)
{
    struct timespec now;
    struct tm tm;
    char text[64];
    size_t end;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    end = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + end, sizeof(text) - end, ".%03ldZ",
             now.tv_nsec / 1000000);

    return json_object_new_string(text);
}

static void append_to_file(struct journal *j, json_object *entry)
{
    const char *text =
        json_object_to_json_string_ext(entry, JSON_C_TO_STRING_PLAIN);
    struct iovec line[2] = {
        { .iov_base = (void *)text, .iov_len = strlen(text) },
        { .iov_base = "\n", .iov_len = 1 },
    };
    ssize_t length = line[0].iov_len + 1;

    errno = 0;
    if (writev(j->fd, line, 2) == length) {
        if (j->failed)
            say("the journal is written again; %u entries are not in it",
                j->failed);
        j->failed = 0;
        return;
    }
    if (!j->failed++)
        say("cannot write the journal '%s': %s", j->path,
            strerror(errno ? errno : ENOSPC));
}

void journal_write(struct journal *j, const char *what, json_object *details)
{
    json_object *entry = json_object_new_object();
    json_object **slot = &j->entries[j->nr++ % JOURNAL_MEMORY];

    json_object_object_add(entry, "time", time_now());
    json_object_object_add(entry, "what", json_object_new_string(what));
    if (details) {
        json_object_object_foreach(details, key, value)
            json_object_object_add(entry, key, json_object_get(value));
        json_object_put(details);
    }
    append_to_file(j, entry);
    json_object_put(*slot);
    *slot = entry;
}

void journal_domain(struct journal *j, const char *what,
                    const struct domain *domain, const char *format, ...)
{
    json_object *details = json_object_new_object();
    char text[REASON_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    json_object_object_add(details, "domid",
                           json_object_new_int64(domain->domid));
    json_object_object_add(details, "name",
                           json_object_new_string(domain->name));
    json_object_object_add(details, "uuid",
                           json_object_new_string(domain->uuid));
    json_object_object_add(details, "reason", json_object_new_string(text));
    journal_write(j, what, details);
}

json_object *journal_latest(const struct journal *j, unsigned int max)
{
    json_object *array = json_object_new_array();
    unsigned int i, have = j->nr < JOURNAL_MEMORY ? j->nr : JOURNAL_MEMORY;

    if (max > have)
        max = have;
    for (i = j->nr - max; i != j->nr; i++)
        json_object_array_add(array,
                              json_object_get(j->entries[i %
                                                         JOURNAL_MEMORY]));

    return array;
}
