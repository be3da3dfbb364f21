/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads a configuration in the syntax of xl.cfg, with Xen's parser. */
#include <errno.h>
#include <libxlutil.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "config.h"

/* No configuration is larger, but a device or a log could be. */
#define MAX_SIZE 65536

#define MAX_KEY 64

struct file {
    const char *path;
    const char *page;
    char (*separator)(const char *key);
    char *text;      /* ends with a newline, which the parser requires */
    size_t length;
    XLU_Config *xlu;
};

static int read_text(struct file *f, struct xensched_error *err)
{
    FILE *stream = fopen(f->path, "re");
    int rc = 0;

    if (!stream)
        return xensched_fail(err, errno, "cannot open the configuration "
                             "'%s': %s", f->path, strerror(errno));
    f->text = need_memory(MAX_SIZE + 2, 1);
    f->length = fread(f->text, 1, MAX_SIZE + 1, stream);
    if (ferror(stream))
        rc = xensched_fail(err, errno, "cannot read the configuration '%s': "
                           "%s", f->path, strerror(errno));
    else if (f->length > MAX_SIZE)
        rc = xensched_fail(err, EFBIG, "'%s' is no configuration: it is "
                           "larger than %u bytes", f->path, MAX_SIZE);
    fclose(stream);
    f->text[f->length++] = '\n';

    return rc;
}

/* The position of the search for keys. */
struct key_search {
    const char *at, *end;
    unsigned int line;
};

static void skip_comment(struct key_search *s)
{
    while (s->at < s->end && *s->at != '\n')
        s->at++;
}

static void skip_string(struct key_search *s)
{
    char quote = *s->at++;

    while (s->at < s->end && *s->at != quote)
        s->at += *s->at == '\\' ? 2 : 1;
    s->at++;
}

/* Returns the length of the number that begins there; 0: none. */
static size_t number_at(const struct file *f, const char *at)
{
    size_t length = strspn(at, "-.0123456789");

    return (at == f->text || strchr(" \t\n=[,;", at[-1])) &&
           (!at[length] || strchr(" \t\n],;#", at[length])) ? length : 0;
}

/*
 * libxlutil's grammar has whole numbers only, and stops at 0.5 or -3.  Quotes turn them into texts:
 * each key parses its own value.
 */
static void quote_numbers(struct file *f)
{
    char *text = need_memory(3 * f->length + 1, 1), *to = text;
    struct key_search s = { f->text, f->text + f->length, 1 };
    const char *from;
    bool quote;

    while (s.at < s.end) {
        size_t number = number_at(f, s.at);

        from = s.at;
        quote = memchr(from, '.', number) || memchr(from, '-', number);
        if (*from == '#')
            skip_comment(&s);
        else if (*from == '"' || *from == '\'')
            skip_string(&s);
        else
            s.at += number ? number : 1;
        if (s.at > s.end)
            s.at = s.end;
        if (quote)
            *to++ = '"';
        memcpy(to, from, s.at - from);
        to += s.at - from;
        if (quote)
            *to++ = '"';
    }
    free(f->text);
    f->text = text;
    f->length = to - text;
}

/* The first line of libxlutil's report has the place and the mistake. */
static int parse_file(struct file *f, struct xensched_error *err)
{
    char *report = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&report, &length);
    int rc = 0;

    f->xlu = stream ? xlu_cfg_init(stream, f->path) : NULL;
    if (!f->xlu)
        rc = xensched_fail(err, ENOMEM, "out of memory");
    else
        rc = xlu_cfg_readdata(f->xlu, f->text, f->length);
    if (stream)
        fclose(stream);
    if (rc > 0)
        rc = xensched_fail(err, EINVAL, "%.*s; a value is a number, a text in "
                           "quotes, or a list of texts in brackets, see %s",
                           (int)strcspn(report, "\n"), report, f->page);
    free(report);

    return rc;
}

/* Skips to the end of a statement, which may be a list of several lines. */
static void skip_statement(struct key_search *s)
{
    unsigned int depth = 0;

    while (s->at < s->end) {
        char c = *s->at;

        if (!depth && (c == '\n' || c == ';'))
            return;
        if (c == '#') {
            skip_comment(s);
        } else if (c == '"' || c == '\'') {
            skip_string(s);
        } else {
            depth += (c == '[') - (c == ']');
            s->line += c == '\n';
            s->at++;
        }
    }
}

/*
 * Finds the next key.  The text is valid, so a statement begins with a key, and only white space
 * and comments are between statements.
 */
static bool next_key(struct key_search *s, char key[MAX_KEY])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789._";
    size_t length;

    for (; s->at < s->end && strchr(" \t\n;#", *s->at); s->at++) {
        if (*s->at == '#')
            skip_comment(s);
        s->line += *s->at == '\n';
    }
    length = s->at < s->end ? strspn(s->at, letters) : 0;
    if (!length)
        return false;
    snprintf(key, MAX_KEY, "%.*s", (int)length, s->at);

    return true;
}

/* Joins the items of a list with @separator; returns NULL if not all are strings. */
static char *join_list(const XLU_ConfigList *list, int nr, char separator)
{
    char *joined = need_string("");
    int i;

    for (i = 0; i < nr; i++) {
        const char *item = xlu_cfg_get_listitem(list, i);
        size_t length = strlen(joined);

        if (!item) {
            free(joined);
            return NULL;
        }
        joined = need_more_memory(joined, length + strlen(item) + 2, 1);
        if (i)
            joined[length++] = separator;
        strcpy(joined + length, item);
    }

    return joined;
}

/* Returns NULL if no key accepts such a value.  The caller frees the result. */
static char *value_of(const struct file *f, const char *key)
{
    XLU_ConfigList *list;
    const char *text;
    int nr;

    if (!xlu_cfg_get_string(f->xlu, key, &text, 1))
        return need_string(text);

    return xlu_cfg_get_list(f->xlu, key, &list, &nr, 1)
           ? NULL : join_list(list, nr, f->separator(key));
}

/* Returns whether another setting of this key would hide this one. */
static bool comes_again(const struct key_search *s, const char *key)
{
    struct key_search rest = *s;
    char other[MAX_KEY];

    while (next_key(&rest, other)) {
        if (!strcmp(other, key))
            return true;
        skip_statement(&rest);
    }

    return false;
}

static int take_all(const struct file *f,
                    const char *(*take)(void *arg, const char *key,
                                        const char *value),
                    void *arg, struct xensched_error *err)
{
    struct key_search s = { f->text, f->text + f->length, 1 };
    char key[MAX_KEY], text[MAX_KEY + 50];
    const char *wrong = NULL;
    unsigned int line = 0;

    while (!wrong && next_key(&s, key)) {
        char *value = value_of(f, key);

        line = s.line;
        skip_statement(&s);
        if (!value || comes_again(&s, key)) {
            snprintf(text, sizeof(text), value ? "'%s' is set again below"
                     : "'%s' has a value which no key takes", key);
            wrong = text;
        } else {
            wrong = take(arg, key, value);
        }
        free(value);
    }
    if (!wrong)
        return 0;

    return xensched_fail(err, EINVAL, "%s:%u: %s; see %s",
                         f->path, line, wrong, f->page);
}

int config_read(const char *path, const char *page,
                char (*separator)(const char *key),
                const char *(*take)(void *arg, const char *key,
                                    const char *value),
                void *arg, struct xensched_error *err)
{
    struct file f = { .path = path, .page = page, .separator = separator };
    int rc = read_text(&f, err);

    if (!rc)
        quote_numbers(&f);
    if (!rc)
        rc = parse_file(&f, err);
    if (!rc)
        rc = take_all(&f, take, arg, err);
    xlu_cfg_destroy(f.xlu);
    free(f.text);

    return rc;
}
