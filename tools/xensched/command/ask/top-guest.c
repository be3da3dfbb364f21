/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Draws one guest for xensched top.  A terminal without UTF-8, such as a serial console,
 * gets a sparkline of ASCII characters.
 */
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <ncurses.h>

#include "field.h"
#include "base/json.h"
#include "top-guest.h"

#define LEVELS 8U

/* The most culprits, and causes, with a line each. */
#define MAX_CULPRITS 6U
#define MAX_CAUSES   4U

/* Leaves the last line to the keys. */
static void print_at(int y, const char *text)
{
    if (y >= 0 && y < LINES - 1)
        mvaddnstr(y, 0, text, COLS);
}

static double second_at(const struct json_object *seconds, size_t i)
{
    struct json_object *value = json_object_array_get_idx(seconds, i);

    return json_object_is_type(value, json_type_double) ? json_object_get_double(value) : -1;
}

static double highest_second(const struct json_object *seconds)
{
    double most = 0;
    size_t i;

    for (i = 0; i < json_object_array_length(seconds); i++)
        most = fmax(most, second_at(seconds, i));

    return most;
}

/* Returns ' ' for an unknown second.  Any wait is more than nothing. */
static const char *level_of(double percent, double most)
{
    static const char *const blocks[LEVELS] = {
        "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588",
    };
    static const char *const ascii[LEVELS] = { "_", ".", ":", "-", "=", "+", "*", "#" };
    unsigned int level = percent > 0 ? fmin(LEVELS - 1, ceil(percent / most * (LEVELS - 1)))
                                     : 0;

    if (percent < 0)
        return " ";

    return (strcmp(nl_langinfo(CODESET), "UTF-8") ? ascii : blocks)[level];
}

/* Draws the newest seconds at the right, and leaves out the oldest that do not fit. */
static void draw_sparkline(int y, const struct json_object *waits)
{
    static const char label[] = "READY % ";
    const struct json_object *seconds = waits ? field_array(waits, "by_second") : NULL;
    size_t nr = seconds ? json_object_array_length(seconds) : 0;
    size_t room = COLS > (int)sizeof(label) ? COLS - sizeof(label) : 0, i;
    double most = nr ? highest_second(seconds) : 0;
    char text[64];

    print_at(y, label);
    if (y < 0 || y >= LINES - 1)
        return;
    for (i = nr > room ? nr - room : 0; i < nr; i++)
        addstr(level_of(second_at(seconds, i), most));
    snprintf(text, sizeof(text), "%*slast %zu s; the highest is %.1f",
             (int)sizeof(label) - 1, "", nr < room ? nr : room, most);
    print_at(y + 1, text);
}

static void draw_head(int y, const struct json_object *domain, const struct json_object *entry)
{
    char text[512];

    snprintf(text, sizeof(text), "%s (domain %s): RUN %s %%, READY %s %%, %s wake-ups/s, "
             "P50 %s us, P99 %s us, %s moves/s", field_text(domain, "name"),
             field_text(domain, "domid"), field_number(domain, "service_share", 100, 1),
             field_number(entry, "ready_percent", 1, 1),
             field_number(entry, "wakes_per_s", 1, 1),
             field_number(entry, "wake_p50_us", 1, 0),
             field_number(entry, "wake_p99_us", 1, 0),
             field_number(entry, "moves_per_s", 1, 1));
    print_at(y, text);
}

static void draw_title(int y, const char *text)
{
    attron(A_REVERSE);
    print_at(y, text);
    attroff(A_REVERSE);
}

static int draw_culprits(int y, const struct json_object *entry)
{
    struct json_object *culprits = field_array(entry, "for");
    size_t nr = culprits ? json_object_array_length(culprits) : 0, i;
    char text[256];

    draw_title(y++, "WAITS FOR                        %    WAITS/S");
    for (i = 0; i < nr && i < MAX_CULPRITS; i++) {
        const struct json_object *c = json_object_array_get_idx(culprits, i);

        snprintf(text, sizeof(text), "%-25.25s %8s %10s", field_text(c, "name"),
                 field_number(c, "percent", 1, 2), field_number(c, "waits_per_s", 1, 1));
        print_at(y++, text);
    }
    snprintf(text, sizeof(text), "%-25s %8s", "(unknown)",
             field_number(entry, "unknown_percent", 1, 2));
    print_at(y++, text);

    return y + 1;
}

static int draw_causes(int y, const struct json_object *entry)
{
    struct json_object *causes = field_array(entry, "causes");
    size_t nr = causes ? json_object_array_length(causes) : 0, i;
    char text[64];

    if (!nr)
        return y;
    draw_title(y++, "CAUSE                            %");
    for (i = 0; i < nr && i < MAX_CAUSES; i++) {
        const struct json_object *c = json_object_array_get_idx(causes, i);

        snprintf(text, sizeof(text), "%-25.25s %8s", field_text(c, "cause"),
                 field_number(c, "percent", 1, 2));
        print_at(y++, text);
    }

    return y + 1;
}

static void draw_vcpus(int y, const struct json_object *waits)
{
    struct json_object *vcpus = field_array(waits, "vcpus");
    size_t nr = vcpus ? json_object_array_length(vcpus) : 0, i;
    char text[256];

    if (!nr)
        return;
    draw_title(y++, "VCPU  PCPU     RUN %   READY %");
    for (i = 0; i < nr; i++) {
        const struct json_object *v = json_object_array_get_idx(vcpus, i);

        snprintf(text, sizeof(text), "%4s  %4s  %8s  %8s", field_text(v, "vcpu"),
                 field_text(v, "pcpu"), field_number(v, "ran_percent", 1, 1),
                 field_number(v, "ready_percent", 1, 1));
        print_at(y++, text);
    }
}

void top_guest_draw(const struct json_object *domain, const struct json_object *waits, int y)
{
    struct json_object *entries = waits ? field_array(waits, "domains") : NULL;
    const struct json_object *entry = entries ? json_object_array_get_idx(entries, 0) : NULL;

    draw_head(y, domain, entry);
    draw_sparkline(y + 2, waits);
    y += 5;
    if (entry) {
        y = draw_culprits(y, entry);
        y = draw_causes(y, entry);
    }
    if (waits)
        draw_vcpus(y, waits);
}
