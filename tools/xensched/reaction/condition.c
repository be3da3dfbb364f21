/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses conditions; a new kind is a row of the table. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xensched/abi.h>
#include <xensched/event.h>

#include "cli/option.h"
#include "condition.h"

#define MAX_WORDS 9
#define BLANKS    " \t\n"

#define EVENT(NAME) (1U << XEN_SCHEDLOG_EV_##NAME)

/* Events whose counter is an amount that can exceed a limit. */
#define COUNTERS (EVENT(WAKE_DELAY) | EVENT(PREEMPT_DELAY) | \
                  EVENT(SERVICE_NS) | EVENT(RUNQ) | EVENT(MEMORY) | EVENT(PMC0) | EVENT(PMC1) | EVENT(PMC2) | \
                  EVENT(PMC3))
#define TIMES (EVENT(WAKE_DELAY) | EVENT(PREEMPT_DELAY) | EVENT(SERVICE_NS))

struct words {
    char text[CONDITION_TEXT];
    unsigned int nr;
    char *word[MAX_WORDS];
};

const char *condition_word_end(const char *word)
{
    const char *end;

    if (*word != '"' && *word != '\'')
        return word + strcspn(word, BLANKS);
    end = strchr(word + 1, *word);

    return end && (!end[1] || strchr(BLANKS, end[1])) ? end + 1 : NULL;
}

/* Returns the next word at *@rest, without its quotes; NULL: an open quote. */
static char *next_word(char **rest)
{
    char *word = *rest, *end = (char *)condition_word_end(word);
    bool quoted = *word == '"' || *word == '\'';

    if (!end)
        return NULL;
    *rest = *end ? end + 1 : end;
    end[quoted ? -1 : 0] = '\0';

    return word + quoted;
}

static int split_words(const char *text, struct words *w, struct xensched_error *err)
{
    char *rest = w->text;

    w->nr = 0;
    if (snprintf(w->text, sizeof(w->text), "%s", text) >= CONDITION_TEXT)
        return xensched_fail(err, EINVAL, "a condition has at most %u bytes",
                             CONDITION_TEXT - 1);
    while (*(rest += strspn(rest, BLANKS))) {
        if (w->nr == MAX_WORDS)
            return xensched_fail(err, EINVAL, "the condition '%s' has too many "
                                 "words; put quotes around a name with blanks",
                                 text);
        w->word[w->nr] = next_word(&rest);
        if (!w->word[w->nr++])
            return xensched_fail(err, EINVAL, "a quote in the condition '%s' "
                                 "is not closed", text);
    }

    return w->nr ? 0 : xensched_fail(err, EINVAL, "a condition is missing");
}

/* Parses a number, and finds the text after it. */
static bool parse_number(const char *text, double *value, const char **unit)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    *value = strtod(text, &end);
    *unit = end;

    return true;
}

static bool is_amount(const char *text, double *value)
{
    const char *unit;

    return parse_number(text, value, &unit) && !*unit;
}

static bool is_percent(const char *text, double *value)
{
    const char *unit;

    return parse_number(text, value, &unit) && !strcmp(unit, "%");
}

/* A plain number has no unit, so it is no time. */
static bool is_time(const char *text, double *ns)
{
    uint64_t whole;

    if (!*text || !isalpha((unsigned char)text[strlen(text) - 1]) ||
        !option_duration(text, 1, 0, INT64_MAX, &whole))
        return false;
    *ns = whole;

    return true;
}

static bool is_code(const char *text, double *value)
{
    unsigned long code;
    char *end;

    errno = 0;
    code = strtoul(text, &end, 0);
    *value = code;

    return *text >= '0' && *text <= '9' && !*end && !errno &&
           code <= UINT32_MAX;
}

static bool take_name(char *to, size_t size, const char *text)
{
    return (size_t)snprintf(to, size, "%s", text) < size;
}

/* Each returns a description of valid arguments, or NULL if they are valid. */

static const char *take_mark(const struct words *w, struct condition *c)
{
    return w->nr == 3 && take_name(c->domain, sizeof(c->domain), w->word[1]) &&
           is_code(w->word[2], &c->limit) ? NULL : "mark GUEST CODE";
}

static const char *take_switch(const struct words *w, struct condition *c)
{
    if (w->nr != 3 || !take_name(c->domain, sizeof(c->domain), w->word[1]) ||
        !take_name(c->thread, sizeof(c->thread), w->word[2]))
        return "switch-to GUEST THREAD (or switch-from), THREAD being a PID or "
               "a name of 15 bytes at most";
    c->is_pid = !c->thread[strspn(c->thread, "0123456789")];
    c->limit = c->is_pid ? strtoul(c->thread, NULL, 10) : 0;

    return c->is_pid && (c->limit < 1 || c->limit > XEN_SCHEDLOG_PID_MASK)
           ? "a PID from 1 to 4194303" : NULL;
}

/* "2 %" and "10 s" are one word each: joins the word at @i with the next one. */
static void join_unit(struct words *w, unsigned int i)
{
    if (i + 1 >= w->nr || !w->word[i][0] ||
        w->word[i][strspn(w->word[i], "0123456789.")])
        return;
    memmove(w->word[i] + strlen(w->word[i]), w->word[i + 1], strlen(w->word[i + 1]) + 1);
    w->nr--;
    memmove(&w->word[i + 1], &w->word[i + 2], (w->nr - i - 1) * sizeof(*w->word));
}

/* Parses a "for TIME" at the end; returns false for anything else. */
static bool take_for(struct words *w, struct condition *c)
{
    double ns;

    if (w->nr >= 3 && !strcmp(w->word[w->nr - 3], "for"))
        join_unit(w, w->nr - 2);
    if (w->nr < 2 || strcmp(w->word[w->nr - 2], "for"))
        return true;
    if (!is_time(w->word[w->nr - 1], &ns))
        return false;
    c->for_ns = ns;
    w->nr -= 2;

    return true;
}

static const char *take_share(const struct words *words, struct condition *c)
{
    struct words w = *words;
    bool good = take_for(&w, c);

    if (w.nr == 5)
        join_unit(&w, 3);

    return good && w.nr == 4 && take_name(c->domain, sizeof(c->domain), w.word[1]) &&
           !strcmp(w.word[2], ">") && is_percent(w.word[3], &c->limit)
           ? NULL : "ready GUEST > N% [for TIME] (or wait, or service), in percent of "
                    "a pCPU; TIME with a unit: ms, s or min";
}

static const char *take_rate(const struct words *words, struct condition *c)
{
    struct words w = *words;

    return take_for(&w, c) && w.nr == 5 &&
           take_name(c->domain, sizeof(c->domain), w.word[1]) &&
           take_name(c->other, sizeof(c->other), w.word[2]) &&
           !strcmp(w.word[3], ">") && is_amount(w.word[4], &c->limit)
           ? NULL : "rate GUEST OTHER > N [for TIME], notifications per second";
}

static const char *take_request(const struct words *words, struct condition *c)
{
    struct words w = *words;
    bool other = w.nr > 3 && strcmp(w.word[2], ">");
    unsigned int more = 2 + other;

    join_unit(&w, more + 1);

    return w.nr == more + 2 && take_name(c->domain, sizeof(c->domain), w.word[1]) &&
           (!other || take_name(c->other, sizeof(c->other), w.word[2])) &&
           !strcmp(w.word[more], ">") && is_time(w.word[more + 1], &c->limit)
           ? NULL : "request-latency GUEST [BACKEND] > TIME, with a unit: us, ms or s";
}

static const char *take_word(const struct words *w, struct condition *c)
{
    (void)c;

    return w->nr == 1 ? NULL : "nothing more";
}

static const char *take_row(const struct words *w, struct condition *c)
{
    bool time = TIMES & 1U << c->event;
    const char *limit = w->word[w->nr - 1];

    if (w->nr == 4 && c->event != XEN_SCHEDLOG_EV_RUNQ &&
        !take_name(c->domain, sizeof(c->domain), w->word[1]))
        return "a shorter name of a guest";
    if ((w->nr == 3 || (w->nr == 4 && c->event != XEN_SCHEDLOG_EV_RUNQ)) &&
        !strcmp(w->word[w->nr - 2], ">") &&
        (time ? is_time(limit, &c->limit) : is_amount(limit, &c->limit)))
        return NULL;
    if (c->event == XEN_SCHEDLOG_EV_RUNQ)
        return "runq > N, the vCPUs that run or wait";

    return time ? "EVENT [GUEST] > LIMIT, with a unit: ns, us, ms or s"
                : "EVENT [GUEST] > N";
}

static const struct {
    const char *name;
    enum condition_kind kind;
    const char *(*take)(const struct words *w, struct condition *c);
    uint32_t events;
    const char *unit;
} kinds[] = {
    { "mark", CONDITION_MARK, take_mark, EVENT(MARK), "" },
    { "switch-to", CONDITION_SWITCH_TO, take_switch, EVENT(MARK), "" },
    { "switch-from", CONDITION_SWITCH_FROM, take_switch, EVENT(MARK), "" },
    { "ready", CONDITION_READY, take_share, EVENT(WAKE_DELAY) | EVENT(PREEMPT_DELAY),
      "%" },
    { "wait", CONDITION_WAIT, take_share, EVENT(WAKE_DELAY), "%" },
    { "service", CONDITION_SERVICE, take_share, EVENT(SERVICE_NS), "%" },
    { "rate", CONDITION_RATE, take_rate, EVENT(EVTCHN_SEND), "/s" },
    { "request-latency", CONDITION_REQUEST, take_request, EVENT(EVTCHN_SEND), "ns" },
    { "loss", CONDITION_LOSS, take_word, 0, "rows" },
    { "regret", CONDITION_REGRET, take_word, 0, "moves" },
    { "now", CONDITION_NOW, take_word, 0, "" },
};

#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static int row_kind(const struct words *w, struct condition *c,
                    struct xensched_error *err)
{
    int event = xensched_event_number(w->word[0]);

    if (event < 0 || !(COUNTERS & 1U << event))
        return xensched_fail(err, EINVAL, "there is no condition '%s': mark, "
                             "switch-to, switch-from, wake-delay, "
                             "preempt-delay, service-ns, runq, memory, pmc0 to "
                             "pmc3, ready, wait, service, rate, request-latency, loss, "
                             "regret, now", w->word[0]);
    c->kind = CONDITION_ROW;
    c->event = event;

    return 0;
}

int condition_parse(const char *text, struct condition *c,
                    struct xensched_error *err)
{
    const char *wanted;
    struct words w;
    size_t i = 0;
    int rc = split_words(text, &w, err);

    memset(c, 0, sizeof(*c));
    if (rc)
        return rc;
    while (i < NR_KINDS && strcmp(kinds[i].name, w.word[0]))
        i++;
    if (i == NR_KINDS) {
        rc = row_kind(&w, c, err);
        if (rc)
            return rc;
        wanted = take_row(&w, c);
    } else {
        c->kind = kinds[i].kind;
        wanted = kinds[i].take(&w, c);
    }

    return wanted ? xensched_fail(err, EINVAL, "the condition '%s' is not "
                                  "understood: it takes %s", text, wanted) : 0;
}

uint32_t condition_events(const struct condition *c)
{
    size_t i;

    if (c->kind == CONDITION_ROW)
        return 1U << c->event;
    for (i = 0; i < NR_KINDS; i++)
        if (kinds[i].kind == c->kind)
            return kinds[i].events;

    return 0;
}

static const char *unit_of_row(unsigned int event)
{
    if (TIMES & 1U << event)
        return "ns";
    if (event == XEN_SCHEDLOG_EV_MEMORY)
        return "pages";

    return event == XEN_SCHEDLOG_EV_RUNQ ? "vCPUs" : "";
}

const char *condition_unit(const struct condition *c)
{
    size_t i = 0;

    if (c->kind == CONDITION_ROW)
        return unit_of_row(c->event);
    while (kinds[i].kind != c->kind)
        i++;

    return kinds[i].unit;
}

bool condition_can_stop(const struct condition *c)
{
    return c->kind == CONDITION_MARK || c->kind == CONDITION_SWITCH_TO ||
           c->kind == CONDITION_SWITCH_FROM;
}
