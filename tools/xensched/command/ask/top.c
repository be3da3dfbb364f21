/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched top: shows the domains of this host, refreshed every second: what they use, for which
 * others they wait, with which others they communicate, and where they are.
 *
 * It asks the daemon as the other commands do, and keeps only the latest answers.  If the daemon
 * ends, top reports that and continues to ask, so that it shows a restarted daemon at once.
 * top-guest.c draws one guest alone.
 */
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ncurses.h>

#include "cli/option.h"
#include "client.h"
#include "field.h"
#include "base/json.h"
#include "question.h"
#include "top-guest.h"

#define REFRESH_MS 1000

/* After this time an Escape does not begin another key's code. */
#define ESCAPE_MS 100

/* Length of the time of waits, and the most culprits that are named. */
#define WAITS_SECONDS 5
#define MAX_CULPRITS  2

/* Domids are below this. */
#define NR_DOMIDS 32768

/* A domain as a line of the table. */
struct line {
    struct json_object *domain; /* in the answer to "status" */
    double cpu;                 /* pCPUs */
    struct json_object *waits;  /* in the answer to "waits"; NULL: it does not wait */
    double ready;               /* percent of a pCPU */
    double moves;               /* of vCPUs to another pCPU, per second */
    char waits_for[80];
    double talk;                /* interactions per second, both directions */
    double cost;                /* us of pCPU time per unit of its work; 0: unknown */
    double most;                /* the part of talk with ... */
    char partner[80];
};

enum order { BY_CPU, BY_READY, BY_MOVES, BY_TALK, BY_COST, BY_NAME, NR_ORDERS };

static const char *const order_names[] = {
    "CPU", "ready", "moves", "talk", "cost", "name"
};

static const struct selection_key orders[] = {
    [BY_CPU] = { "cpu", NULL },
    [BY_READY] = { "ready", NULL },
    [BY_MOVES] = { "moves", NULL },
    [BY_TALK] = { "talk", NULL },
    [BY_COST] = { "cost", NULL },
    [BY_NAME] = { "name", NULL },
    [NR_ORDERS] = { NULL, NULL },
};

struct screen {
    const char *socket;
    struct json_object *status, *matrix; /* NULL: never answered */
    struct json_object *waits;           /* NULL: never answered, or unknown */
    struct xensched_error err;           /* of the last question; text "": none */
    enum order order;
    const char *only; /* a domain or a group; NULL: all */
    size_t top;      /* number of lines; 0: all */
    size_t first;    /* line at the top */
    size_t chosen;   /* line that Enter opens */
    char filter[40]; /* part of a name, in lower case; "": none */
    bool typing;     /* the user types the filter */
    int opened;      /* the domain that is shown alone; -1: none */
    struct json_object *guest; /* its answer to "waits", or NULL */
    struct line *lines;
    size_t nr_lines, nr_hidden;
    struct line *of[NR_DOMIDS]; /* NULL: there is no such domain */
};

/* Each end of an event is the other end's partner. */
static void add_talk(struct line *line, const char *partner, double rate)
{
    line->talk += rate;
    if (rate <= line->most)
        return;
    line->most = rate;
    snprintf(line->partner, sizeof(line->partner), "%s", partner);
}

/* Returns -1 for a missing or impossible domid. */
static int domid_of(const struct json_object *object, const char *name)
{
    struct json_object *value = json_member(object, name, json_type_int);
    int64_t domid;

    if (!value)
        return -1;
    domid = json_object_get_int64(value);

    return domid >= 0 && domid < NR_DOMIDS ? domid : -1;
}

static struct line *line_of(struct screen *s, const struct json_object *cell,
                            const char *end)
{
    int domid = domid_of(cell, end);

    return domid < 0 ? NULL : s->of[domid];
}

static void add_cell(struct screen *s, const struct json_object *cell)
{
    struct line *from = line_of(s, cell, "from_domid");
    struct line *to = line_of(s, cell, "to_domid");
    double rate = json_number(cell, "rate", 0);

    if (from)
        add_talk(from, field_text(cell, "to"), rate);
    if (to)
        add_talk(to, field_text(cell, "from"), rate);
}

/* Counts interactions like policies do: an unmap undoes a map, and is none. */
static void add_matrix(struct screen *s)
{
    struct json_object *events = s->matrix ? field_object(s->matrix, "events")
                                           : NULL;
    size_t i;

    if (!events)
        return;
    json_object_object_foreach(events, event, cells) {
        if (!strcmp(event, "grant-unmap") ||
            !json_object_is_type(cells, json_type_array))
            continue;
        for (i = 0; i < json_object_array_length(cells); i++)
            add_cell(s, json_object_array_get_idx(cells, i));
    }
}

/* Returns whether an entry of the answer to "waits" is about this domain. */
static bool is_about(const struct line *line, const struct json_object *entry)
{
    int domid = domid_of(entry, "domid");

    return domid >= 0 && domid == domid_of(line->domain, "domid");
}

/* Formats "db1 7.1, Domain-0": the first with its percentage of a pCPU. */
static void name_culprits(struct line *line)
{
    struct json_object *culprits = field_array(line->waits, "for");
    size_t nr = culprits ? json_object_array_length(culprits) : 0, i, length = 0;

    for (i = 0; i < nr && i < MAX_CULPRITS && length < sizeof(line->waits_for); i++) {
        struct json_object *c = json_object_array_get_idx(culprits, i);

        length += snprintf(line->waits_for + length, sizeof(line->waits_for) - length,
                           "%s%.10s%s%s", i ? ", " : "", field_text(c, "name"),
                           i ? "" : " ", i ? "" : field_number(c, "percent", 1, 1));
    }
}

static void add_waits(struct screen *s)
{
    struct json_object *domains = s->waits ? field_array(s->waits, "domains") : NULL;
    size_t nr = domains ? json_object_array_length(domains) : 0, i, k;

    for (i = 0; i < s->nr_lines; i++)
        for (k = 0; k < nr && !s->lines[i].waits; k++) {
            struct json_object *entry = json_object_array_get_idx(domains, k);

            if (!is_about(&s->lines[i], entry))
                continue;
            s->lines[i].waits = entry;
            s->lines[i].ready = json_number(entry, "ready_percent", 0);
            s->lines[i].moves = json_number(entry, "moves_per_s", 0);
            name_culprits(&s->lines[i]);
        }
}

static enum order sorted_by; /* for compare_guests() */

static int compare_descending(double a, double b)
{
    return (a < b) - (a > b);
}

static int compare_guests(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    int difference = 0;

    if (sorted_by == BY_CPU)
        difference = compare_descending(x->cpu, y->cpu);
    else if (sorted_by == BY_READY)
        difference = compare_descending(x->ready, y->ready);
    else if (sorted_by == BY_MOVES)
        difference = compare_descending(x->moves, y->moves);
    else if (sorted_by == BY_TALK)
        difference = compare_descending(x->talk, y->talk);
    else if (sorted_by == BY_COST)
        difference = compare_descending(x->cost, y->cost);
    if (difference)
        return difference;

    return strcmp(field_text(x->domain, "name"), field_text(y->domain, "name"));
}

static bool passes_filter(const struct screen *s, const struct json_object *domain)
{
    return !s->filter[0] || strcasestr(field_text(domain, "name"), s->filter);
}

static void begin_line(struct screen *s, struct line *line,
                       struct json_object *domain)
{
    int domid = domid_of(domain, "domid");

    line->domain = domain;
    line->cpu = json_number(domain, "service_share", 0);
    line->cost = json_number(domain, "cost_us", 0);
    strcpy(line->partner, FIELD_MISSING);
    strcpy(line->waits_for, FIELD_MISSING);
    if (domid >= 0)
        s->of[domid] = line;
}

static void make_lines(struct screen *s)
{
    struct json_object *domains = s->status ? field_array(s->status, "domains")
                                            : NULL;
    static const char *const ends[] = { "name", "domid", "group", NULL };
    size_t nr = domains ? json_object_array_length(domains) : 0, i;

    free(s->lines);
    s->nr_lines = s->nr_hidden = 0;
    s->lines = calloc(nr + 1, sizeof(*s->lines));
    memset(s->of, 0, sizeof(s->of));
    for (i = 0; s->lines && i < nr; i++) {
        struct json_object *domain = json_object_array_get_idx(domains, i);

        if ((!s->only || selection_is(domain, ends, s->only)) && passes_filter(s, domain))
            begin_line(s, &s->lines[s->nr_lines++], domain);
    }
    add_matrix(s);
    add_waits(s);
    sorted_by = s->order;
    if (s->nr_lines)
        qsort(s->lines, s->nr_lines, sizeof(*s->lines), compare_guests);
    for (i = 0; i < s->nr_lines; i++)
        if (domid_of(s->lines[i].domain, "domid") >= 0)
            s->of[domid_of(s->lines[i].domain, "domid")] = &s->lines[i];
    if (s->top && s->top < s->nr_lines) {
        s->nr_hidden = s->nr_lines - s->top;
        s->nr_lines = s->top;
    }
}

/* Keeps the old answer if there is no new one. */
static int ask_daemon(struct screen *s, const char *what, struct json_object **answer)
{
    struct json_object *result;
    int rc = client_ask(s->socket, what, NULL, QUESTION_LOOK_SECONDS * 1000,
                        &result, &s->err);

    if (rc)
        return rc;
    json_object_put(*answer);
    *answer = result;

    return 0;
}

/*
 * Asks for the waits of one domain, or with NULL of all, in the last @seconds.  An older daemon and
 * one that logs no waits do not answer; top then shows the rest.
 */
static void ask_for_waits(const struct screen *s, const char *domid, unsigned int seconds,
                          struct json_object **answer)
{
    struct json_object *more = json_object_new_object(), *result;
    struct xensched_error err;

    json_add_int(more, "seconds", seconds);
    if (client_ask_more(s->socket, "waits", domid, more, QUESTION_LOOK_SECONDS * 1000,
                        &result, &err))
        result = NULL;
    json_object_put(more);
    json_object_put(*answer);
    *answer = result;
}

static void ask_for_opened(struct screen *s)
{
    char domid[16];

    if (s->opened < 0)
        return;
    snprintf(domid, sizeof(domid), "%d", s->opened);
    ask_for_waits(s, domid, TOP_GUEST_SECONDS, &s->guest);
}

static int update_screen(struct screen *s)
{
    int rc = ask_daemon(s, "status", &s->status);

    if (!rc)
        rc = ask_daemon(s, "matrix", &s->matrix);
    if (!rc) {
        ask_for_waits(s, NULL, WAITS_SECONDS, &s->waits);
        ask_for_opened(s);
        s->err.text[0] = '\0';
    }
    make_lines(s);

    return rc;
}

/* Cuts text that does not fit at the edge. */
static void print_at(int y, const char *text)
{
    if (y >= 0 && y < LINES)
        mvaddnstr(y, 0, text, COLS);
}

static void draw_head(const struct screen *s)
{
    char text[512];

    if (s->status) {
        snprintf(text, sizeof(text), "xenschedd: mode %s, policy %s, moves %s, "
                 "restores %s", field_text(s->status, "mode"),
                 field_text(s->status, "policy"),
                 field_text(s->status, "moves"),
                 field_text(s->status, "restores"));
        print_at(0, text);
        snprintf(text, sizeof(text), "rows %s, lost %s, nonsense %s",
                 field_text(s->status, "rows"),
                 field_text(s->status, "lost_rows"),
                 field_text(s->status, "nonsense"));
        print_at(1, text);
    }
    if (s->err.text[0]) {
        attron(A_BOLD);
        print_at(2, s->err.text);
        attroff(A_BOLD);
    }
}

/* Formats the rest of its vCPUs' time, without running, waiting and offline, in % of a pCPU. */
static const char *blocked_text(const struct screen *s, const struct line *line, char text[16])
{
    double left = 100 * json_number(line->domain, "vcpus", -1) - 100 * line->cpu -
                  line->ready - (line->waits ? json_number(line->waits, "offline_percent", 0)
                                             : 0);

    if (!s->waits || json_number(line->domain, "vcpus", -1) < 0)
        return FIELD_MISSING;
    snprintf(text, 16, "%.1f", left > 0 ? left : 0);

    return text;
}

/* Formats a number of its waits; a domain without an entry has no waits. */
static const char *waits_number(const struct line *line, const char *name,
                                unsigned int decimals)
{
    return line->waits ? field_number(line->waits, name, 1, decimals) : FIELD_MISSING;
}

static void draw_line(const struct screen *s, int y, const struct line *line)
{
    char text[1024], ready[32] = FIELD_MISSING, left[16];
    size_t length;

    if (s->waits)
        snprintf(ready, sizeof(ready), "%.1f", line->ready);
    length = snprintf(text, sizeof(text), "%3s %-10.10s %6.1f %6s %6s %-17.17s %5s %6s %6s ",
                      field_text(line->domain, "domid"), field_text(line->domain, "name"),
                      100 * line->cpu, ready, blocked_text(s, line, left), line->waits_for,
                      waits_number(line, "wake_p50_us", 0),
                      waits_number(line, "wake_p99_us", 0),
                      waits_number(line, "moves_per_s", 1));
    /* No more than eight fields at a time. */
    snprintf(text + length, sizeof(text) - length, "%5s %-8s %9.1f  %-12.12s %-20s %-8.30s "
             "%-24s %s", field_percent(line->domain, "at_place"),
             field_text(line->domain, "affinity"), line->talk, line->partner,
             field_cost(line->domain), field_ranges(line->domain, "pcpus"),
             field_shares(line->domain, "ran"),
             field_shares(line->domain, "memory"));
    print_at(y, text);
}

#define FIRST_LINE 4 /* of the table */

static size_t rows_for_domains(void)
{
    return LINES > FIRST_LINE + 1 ? LINES - FIRST_LINE - 1 : 0;
}

/* Keeps the chosen line within the table and on the screen. */
static void scroll_to_chosen(struct screen *s)
{
    if (s->chosen >= s->nr_lines)
        s->chosen = s->nr_lines ? s->nr_lines - 1 : 0;
    if (s->first > s->chosen)
        s->first = s->chosen;
    if (rows_for_domains() && s->chosen >= s->first + rows_for_domains())
        s->first = s->chosen - rows_for_domains() + 1;
}

static size_t draw_lines(const struct screen *s)
{
    size_t i;

    for (i = 0; i < rows_for_domains() && s->first + i < s->nr_lines; i++) {
        bool chosen = s->first + i == s->chosen;

        if (chosen)
            attron(A_REVERSE);
        draw_line(s, FIRST_LINE + i, &s->lines[s->first + i]);
        if (chosen)
            attroff(A_REVERSE);
    }

    return i;
}

static void draw_foot(const struct screen *s, size_t drawn)
{
    char text[256];

    if (s->typing)
        snprintf(text, sizeof(text), "names with: %s_   Enter keeps it, Escape ends it",
                 s->filter);
    else
        snprintf(text, sizeof(text), "%zu domains by %s, %zu not shown   q quit  s sort  "
                 "/ filter  Enter opens", s->nr_lines, order_names[s->order],
                 s->nr_hidden + s->nr_lines - drawn);
    print_at(LINES - 1, text);
}

static void draw_table(struct screen *s)
{
    char text[256];

    draw_head(s);
    attron(A_REVERSE);
    snprintf(text, sizeof(text), "%3s %-10s %6s %6s %6s %-17s %5s %6s %6s %5s %-8s %9s  "
             "%-12s %-20s %-8s %-24s %s", "ID", "NAME", "RUN %", "READY%", "BLOCK%", "WAITS FOR",
             "P50US", "P99 US", "MOVE/S", "PLACE", "AFFINITY", "TALK/S", "MOST WITH",
             "COST/UNIT", "PCPUS", "RAN", "MEMORY");
    print_at(FIRST_LINE - 1, text);
    attroff(A_REVERSE);
    scroll_to_chosen(s);
    draw_foot(s, draw_lines(s));
}

static void draw_opened(const struct screen *s)
{
    const struct line *line = s->of[s->opened];

    if (s->err.text[0])
        print_at(0, s->err.text);
    if (line)
        top_guest_draw(line->domain, s->guest, 1);
    else
        print_at(1, "this domain has ended, or is not among the shown ones");
    print_at(LINES - 1, "Escape goes back  q quit");
}

static void draw_all(struct screen *s)
{
    erase();
    if (s->opened >= 0)
        draw_opened(s);
    else
        draw_table(s);
    refresh();
}

#define ESCAPE 27

static bool is_enter(int key)
{
    return key == '\n' || key == '\r' || key == KEY_ENTER;
}

/* Handles a key that is part of the filter, or ends it. */
static void type_filter(struct screen *s, int key)
{
    size_t length = strlen(s->filter);

    if (key == ESCAPE)
        s->filter[0] = '\0';
    else if (length && (key == KEY_BACKSPACE || key == 127 || key == '\b'))
        s->filter[length - 1] = '\0';
    else if (key < 128 && isprint(key) && length + 1 < sizeof(s->filter))
        s->filter[length] = key;
    s->typing = key != ESCAPE && !is_enter(key);
    make_lines(s);
}

static void open_guest(struct screen *s)
{
    if (s->chosen < s->nr_lines)
        s->opened = domid_of(s->lines[s->chosen].domain, "domid");
    ask_for_opened(s);
}

static void close_guest(struct screen *s)
{
    s->opened = -1;
    json_object_put(s->guest);
    s->guest = NULL;
}

/* Handles a key that works only while the table is on the screen. */
static void obey_in_table(struct screen *s, int key)
{
    if (is_enter(key))
        open_guest(s);
    switch (key) {
    case 's':
        s->order = (s->order + 1) % NR_ORDERS;
        make_lines(s);
        break;
    case '/':
        s->typing = true;
        break;
    case KEY_DOWN:
        s->chosen++;
        break;
    case KEY_UP:
        s->chosen -= s->chosen > 0;
        break;
    case KEY_NPAGE:
        s->chosen += rows_for_domains();
        break;
    case KEY_PPAGE:
        s->chosen -= s->chosen < rows_for_domains() ? s->chosen : rows_for_domains();
        break;
    }
}

/* Returns false if top is to end. */
static bool handle_key(struct screen *s, int key)
{
    if (key == ERR) { /* no key for REFRESH_MS, or the terminal is gone */
        if (!isatty(STDIN_FILENO))
            return false;
        update_screen(s);
    } else if (key == KEY_RESIZE) {
        return true; /* the next draw_all() has the new size */
    } else if (s->typing) {
        type_filter(s, key);
    } else if (key == 'q') {
        return false;
    } else if (s->opened < 0) {
        obey_in_table(s, key);
    } else if (key == ESCAPE || key == KEY_LEFT) {
        close_guest(s);
    }

    return true;
}

static void draw_screen(struct screen *s)
{
    initscr();
    cbreak();
    noecho();
    set_escdelay(ESCAPE_MS);
    keypad(stdscr, TRUE);
    curs_set(0);
    timeout(REFRESH_MS);
    do
        draw_all(s);
    while (handle_key(s, getch()));
    endwin();
}

static int run_top(const struct arguments *args)
{
    static struct screen s;
    int rc = selection_key(orders, args->sort);

    if (rc < 0)
        return EXIT_WRONG_USE;
    s.order = rc;
    s.socket = args->socket;
    s.only = args->domain_or_group;
    s.top = args->top;
    s.opened = -1;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        complain("top needs a terminal; see 'xensched status' and 'xensched "
                 "matrix'");
        return EXIT_FAILED;
    }
    rc = update_screen(&s);
    if (rc) {
        complain("%s", s.err.text);
        return question_exit_code(rc);
    }
    if (s.only && !s.nr_lines) {
        complain("there is no domain or group '%s'", s.only);
        return EXIT_FAILED;
    }
    setlocale(LC_ALL, "");
    draw_screen(&s);
    json_object_put(s.status);
    json_object_put(s.matrix);
    json_object_put(s.waits);
    json_object_put(s.guest);
    free(s.lines);

    return EXIT_OK;
}

static const struct option_row own[] = {
    { "top", "N", .takes = "a number", .standard = "0",
        .help = "only the first N domains; 0: as many as there is room for" },
    { 0 }
};

const struct command command_top = {
    .name = "top",
    .summary = "watch domains: what they use, and what they wait for",
    .help =
        "Show the domains every second: how much of a pCPU's time they ran (RUN),\n"
        "waited for a pCPU (READY) and slept (BLOCK), in percent; which domains had the\n"
        "pCPU while they waited (WAITS FOR); how long they waited after a wake-up (P50,\n"
        "P99); how often vCPUs moved to another pCPU (MOVE/S); how much of its time a\n"
        "domain that was moved is at its place (PLACE); how much they communicate, with\n"
        "which domain most (TALK/S); pCPU time per page or notification of their work\n"
        "(COST/UNIT); where they are (PCPUS), where they ran recently (RAN) and on which\n"
        "nodes their memory is (MEMORY). Keys: q quits, s sorts by the next column, /\n"
        "shows only names with a text, arrows and page keys choose a domain, Enter opens\n"
        "it: its last minute, culprits, causes and vCPUs. KEY is cpu (the default),\n"
        "ready, moves, talk, cost or name.",
    .takes = ARGUMENT_SOCKET | ARGUMENT_WHO | ARGUMENT_TOP | ARGUMENT_SORT,
    .own = own,
    .run = run_top,
};
