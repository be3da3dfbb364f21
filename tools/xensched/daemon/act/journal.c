/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the journal, and reads the entries about one domain back from its files. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/message.h"
#include "journal.h"

/* Writes the journal, and starts a new file when one is full. */

/* After a crash of the machine the file can end within a line. */
static bool is_torn(int fd, uint64_t size)
{
    char last;

    return size && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

static int open_file(const char *path, int more)
{
    return open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | more, 0600);
}

int journal_open(struct journal *j, const char *path, uint64_t limit,
                 struct xensched_error *err)
{
    struct stat st;

    memset(j, 0, sizeof(*j));
    if (!path)
        return 0;
    j->fd = open_file(path, 0);
    if (j->fd < 0)
        return xensched_fail(err, errno, "cannot open the journal '%s': %s",
                             path, strerror(errno));
    j->path = need_string(path);
    /* A pipe, for example, has no size and cannot be renamed. */
    if (!fstat(j->fd, &st) && S_ISREG(st.st_mode)) {
        j->limit = limit;
        j->size = st.st_size;
        j->torn = is_torn(j->fd, j->size);
    }

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

/* The time in UTC, with milliseconds. */
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

static uint64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);

    return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static char *name_of(const struct journal *j, const char *suffix)
{
    char *name = need_memory(strlen(j->path) + strlen(suffix) + 1, 1);

    return strcat(strcpy(name, j->path), suffix);
}

static bool rename_file(const struct journal *j, const char *from,
                        const char *to)
{
    char *old = name_of(j, from), *new = name_of(j, to);
    bool done = !rename(old, new);

    free(old);
    free(new);

    return done;
}

static bool has_file(const struct journal *j, unsigned int nr)
{
    char suffix[16], *name;
    bool has;

    snprintf(suffix, sizeof(suffix), ".%u", nr);
    name = name_of(j, suffix);
    has = !access(name, F_OK);
    free(name);

    return has;
}

/*
 * Renames files up to the first unused number, or to the last one, which is the only file that is
 * overwritten.
 */
static bool make_older(const struct journal *j)
{
    char from[16] = "", to[16];
    unsigned int nr = 1;

    while (nr < JOURNAL_FILES - 1 && has_file(j, nr))
        nr++;
    for (; nr; nr--) {
        snprintf(to, sizeof(to), ".%u", nr);
        snprintf(from, sizeof(from), nr > 1 ? ".%u" : "", nr - 1);
        if (!rename_file(j, from, to))
            return false;
    }

    return true;
}

/* Creates the new file before it renames others. */
static bool begin_file(struct journal *j)
{
    char *name = name_of(j, ".new");
    int fd = open_file(name, O_TRUNC);

    free(name);
    if (fd < 0)
        return false;
    if (!make_older(j)) {
        close(fd);
        return false;
    }
    if (!rename_file(j, ".new", "")) {
        close(fd);
        rename_file(j, ".1", "");
        return false;
    }
    close(j->fd);
    j->fd = fd;
    j->size = 0;
    j->torn = false;

    return true;
}

/* A file that cannot be renamed grows, so that no entry is lost. */
static void rotate_file(struct journal *j, size_t length)
{
    if (!j->limit || !j->size || j->size + length <= j->limit)
        return;
    if (begin_file(j))
        j->stuck = false;
    else if (!j->stuck) {
        say("cannot begin a new journal: %s; '%s' becomes larger than it "
            "should be", strerror(errno), j->path);
        j->stuck = true;
    }
}

/* Writes all of the line or nothing; ends a partial line that it cannot remove. */
static bool put_line(struct journal *j, json_object *entry)
{
    const char *text =
        json_object_to_json_string_ext(entry, JSON_C_TO_STRING_PLAIN);
    struct iovec part[] = {
        { .iov_base = "\n", .iov_len = 0 },
        { .iov_base = (void *)text, .iov_len = strlen(text) },
        { .iov_base = "\n", .iov_len = 1 },
    };
    size_t length = part[1].iov_len + 1;
    ssize_t done;

    rotate_file(j, length);
    part[0].iov_len = j->torn;
    length += j->torn;
    errno = 0;
    done = writev(j->fd, part, 3);
    if (done == (ssize_t)length) {
        j->size += length;
        j->torn = false;
        return true;
    }
    if (done > 0) {
        errno = ENOSPC;
        if (!ftruncate(j->fd, j->size))
            return false;
        j->size += done;
        j->torn = true;
        errno = ENOSPC;
    }

    return false;
}

static bool put_missing(struct journal *j)
{
    json_object *entry = json_object_new_object();
    bool done;

    json_object_object_add(entry, "time", time_now());
    json_add_text(entry, "what", "missing");
    json_add_int(entry, "entries", j->missing);
    done = put_line(j, entry);
    json_object_put(entry);

    return done;
}

static void append_to_file(struct journal *j, json_object *entry)
{
    if (j->missing && put_missing(j))
        j->missing = 0;
    if (!j->missing && put_line(j, entry)) {
        if (j->failed)
            say("the journal is written again; %u entries are not in it",
                j->failed);
        j->failed = 0;
        return;
    }
    j->missing++;
    j->failures++;
    if (!j->failed++)
        say("cannot write the journal '%s': %s", j->path,
            strerror(errno ? errno : ENOSPC));
}

void journal_write(struct journal *j, const char *what, json_object *details)
{
    json_object *entry = json_object_new_object();
    json_object **slot = &j->entries[j->nr++ % JOURNAL_MEMORY];

    json_object_object_add(entry, "time", time_now());
    json_add_int(entry, "at_ns", monotonic_ns());
    json_add_text(entry, "what", what);
    if (details) {
        json_object_object_foreach(details, key, value)
            json_object_object_add(entry, key, json_object_get(value));
        json_object_put(details);
    }
    if (j->path)
        append_to_file(j, entry);
    json_object_put(*slot);
    *slot = entry;
}

json_object *journal_details(const struct domain *domain, const char *reason)
{
    json_object *details = json_object_new_object();

    json_add_int(details, "domid", domain->domid);
    json_add_text(details, "name", domain->name);
    json_add_text(details, "uuid", domain->uuid);
    json_add_text(details, "reason", reason);

    return details;
}

void journal_domain(struct journal *j, const char *what,
                    const struct domain *domain, const char *format, ...)
{
    char text[REASON_TEXT];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    journal_write(j, what, journal_details(domain, text));
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

/* Reading. */

/* Opens regular files only: another one may be a pipe. */
static FILE *open_regular(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *file = NULL;
    struct stat st;

    if (fd < 0)
        return NULL;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode))
        file = fdopen(fd, "r");
    if (!file)
        close(fd);

    return file;
}

static void add_entry(json_object *array, json_object *entry, const char *uuid)
{
    const char *whose = json_text(entry, "uuid");

    if (whose && !strcmp(whose, uuid))
        json_object_array_add(array, json_object_get(entry));
}

/* Parses only lines that contain the UUID, which are very few. */
static bool read_lines(json_object *array, const char *path, const char *uuid)
{
    FILE *file = open_regular(path);
    char *line = NULL;
    size_t room = 0;

    if (!file)
        return false;
    while (getline(&line, &room, file) > 0) {
        json_object *entry = strstr(line, uuid) ? json_tokener_parse(line)
                                                : NULL;

        add_entry(array, entry, uuid);
        json_object_put(entry);
    }
    free(line);
    fclose(file);

    return true;
}

/* Reads the oldest file first; all but the current one may be missing. */
static bool read_files(json_object *array, const struct journal *j,
                       const char *uuid)
{
    unsigned int nr;

    for (nr = JOURNAL_FILES - 1; nr; nr--) {
        char *path = NULL;

        if (asprintf(&path, "%s.%u", j->path, nr) < 0)
            return false;
        read_lines(array, path, uuid);
        free(path);
    }

    return read_lines(array, j->path, uuid);
}

static json_object *in_memory(const struct journal *j, const char *uuid)
{
    json_object *latest = journal_latest(j, JOURNAL_MEMORY);
    json_object *array = json_object_new_array();
    size_t i;

    for (i = 0; i < json_object_array_length(latest); i++)
        add_entry(array, json_object_array_get_idx(latest, i), uuid);
    json_object_put(latest);

    return array;
}

json_object *journal_about(const struct journal *j, const char *uuid)
{
    json_object *array = json_object_new_array();
    size_t nr;

    if (!j->path || j->failures || !read_files(array, j, uuid)) {
        json_object_put(array);
        return in_memory(j, uuid);
    }
    nr = json_object_array_length(array);
    if (nr > JOURNAL_MEMORY)
        json_object_array_del_idx(array, 0, nr - JOURNAL_MEMORY);

    return array;
}
