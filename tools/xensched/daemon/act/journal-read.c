/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the entries about one domain back from the journal's files. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "journal.h"

/* Another file than a regular one is not to be read: it may be a pipe. */
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

static void take(json_object *array, json_object *entry, const char *uuid)
{
    const char *whose = json_text(entry, "uuid");

    if (whose && !strcmp(whose, uuid))
        json_object_array_add(array, json_object_get(entry));
}

/* A line without the UUID need not be parsed, which is nearly all of them. */
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

        take(array, entry, uuid);
        json_object_put(entry);
    }
    free(line);
    fclose(file);

    return true;
}

/* The oldest file first; each may be missing but the one that is written. */
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
        take(array, json_object_array_get_idx(latest, i), uuid);
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
