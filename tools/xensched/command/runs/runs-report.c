/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched runs report OUT: writes an experiment as one page for a browser, with a plot of each
 * figure: a dot per run, the median, and its interval.
 *
 * The page loads nothing and runs no script.  Names can come from any source, so the page
 * contains them as text only.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runs-actions.h"
#include "base/file.h"
#include "runs/statistics.h"

/* Sizes of a plot, in pixels. */
#define LEFT   180
#define WIDTH  560
#define LANE   34
#define AXIS   26

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'\">\n<title>xensched runs</title>\n<style>\n"
    "body{font:14px sans-serif;max-width:60em;margin:2em auto;color:#222}\n"
    "table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:left}\n"
    "td.n,th.n{text-align:right}tr:nth-child(even){background:#f3f3f3}\n"
    "svg text{font:12px sans-serif}pre{white-space:pre-wrap}\n"
    "circle{fill:#3465a4;fill-opacity:.45}circle.out{fill:#cc0000}\n"
    ".median{stroke:#000;stroke-width:2}.interval{stroke:#000}\n"
    ".grid{stroke:#ddd}.caveat{color:#a40000}\n"
    "</style></head><body>\n";

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default:
            /* Other characters are not allowed in a page. */
            fputc((unsigned char)*text < ' ' && *text != '\n' ? '?' : *text, out);
        }
}

/* Plots. */

struct plot {
    FILE *out;
    const struct group *first; /* [nr]: a lane for each configuration */
    size_t nr;
    double low, high;
};

static double place_of(const struct plot *p, double value)
{
    return LEFT + WIDTH * (value - p->low) / (p->high - p->low);
}

static void find_range(struct plot *p)
{
    double low = INFINITY, high = -INFINITY, room;
    size_t i, j;

    for (i = 0; i < p->nr; i++)
        for (j = 0; j < p->first[i].nr; j++) {
            low = fmin(low, p->first[i].value[j]);
            high = fmax(high, p->first[i].value[j]);
        }
    room = (high - low) / 20;
    if (room <= 0)
        room = fabs(high) > 0 ? fabs(high) / 20 : 1;
    p->low = low - room;
    p->high = high + room;
}

/* Returns the least of 1, 2 and 5 times a power of ten with at most six steps. */
static double step_of(const struct plot *p)
{
    double step = pow(10, floor(log10((p->high - p->low) / 6)));
    static const double times[] = { 1, 2, 5, 10 };
    size_t i = 0;

    while (i < 3 && (p->high - p->low) / (step * times[i]) > 6)
        i++;

    return step * times[i];
}

static void put_axis(const struct plot *p)
{
    double step = step_of(p), value = ceil(p->low / step) * step;
    int below = p->nr * LANE;

    for (; value <= p->high; value += step) {
        double x = place_of(p, value);

        fprintf(p->out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" "
                "y2=\"%d\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x,
                x, below, x, below + 16);
        put_text(p->out, figure(fabs(value) < step / 2 ? 0 : value,
                                p->first->unit));
        fputs("</text>\n", p->out);
    }
}

/* Dots that overlap are moved apart slightly. */
static void put_lane(const struct plot *p, size_t lane)
{
    const struct group *g = &p->first[lane];
    int middle = lane * LANE + LANE / 2;
    struct summary s;
    double median;
    size_t i;

    summary_make(&s, g->value, g->nr);
    median = place_of(p, s.median);
    fprintf(p->out, "<text x=\"0\" y=\"%d\">", middle + 4);
    put_text(p->out, g->configuration);
    fputs("</text>\n", p->out);
    for (i = 0; i < g->nr; i++) {
        fprintf(p->out, "<circle%s cx=\"%.1f\" cy=\"%d\" r=\"4\"><title>run %"
                PRId64 ": ", summary_is_outlier(&s, g->value[i])
                             ? " class=\"out\"" : "", place_of(p, g->value[i]),
                middle + (int)(i % 3) * 4 - 4, g->run[i]);
        put_text(p->out, figure(g->value[i], g->unit));
        fputs("</title></circle>\n", p->out);
    }
    if (g->nr >= STATISTICS_LEAST)
        fprintf(p->out, "<line class=\"interval\" x1=\"%.1f\" x2=\"%.1f\" "
                "y1=\"%d\" y2=\"%d\"/>\n", place_of(p, s.interval[0]),
                place_of(p, s.interval[1]), middle, middle);
    fprintf(p->out, "<line class=\"median\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" "
            "y2=\"%d\"/>\n", median, median, middle - 12, middle + 12);
}

static void put_plot(struct plot *p)
{
    size_t i;

    find_range(p);
    fprintf(p->out, "<svg width=\"%d\" height=\"%zu\">\n", LEFT + WIDTH + 30,
            p->nr * LANE + AXIS);
    put_axis(p);
    for (i = 0; i < p->nr; i++)
        put_lane(p, i);
    fputs("</svg>\n", p->out);
}

/* Tables. */

static void put_row(FILE *out, const struct group *g)
{
    struct summary s;

    summary_make(&s, g->value, g->nr);
    fputs("<tr><td>", out);
    put_text(out, g->configuration);
    fprintf(out, "</td><td class=\"n\">%zu</td><td class=\"n\">", g->nr);
    put_text(out, figure(s.median, g->unit));
    fputs("</td><td class=\"n\">", out);
    put_text(out, figure(s.quartile[0], ""));
    fputs(" ... ", out);
    put_text(out, figure(s.quartile[1], g->unit));
    fputs("</td><td class=\"n\">", out);
    if (g->nr < STATISTICS_LEAST) {
        fputs("too few runs", out);
    } else {
        put_text(out, figure(s.interval[0], ""));
        fputs(" ... ", out);
        put_text(out, figure(s.interval[1], g->unit));
    }
    fputs("</td></tr>\n", out);
}

/* Writes all configurations of one figure, from @first on.  Returns their number. */
static size_t put_figure(FILE *out, const struct groups *groups, size_t first)
{
    struct plot p = { .out = out, .first = &groups->group[first] };
    size_t i;

    while (first + p.nr < groups->nr &&
           group_is_same_figure(p.first, &groups->group[first + p.nr]))
        p.nr++;
    fputs("<h2>", out);
    put_text(out, p.first->workload);
    fputs(", ", out);
    put_text(out, p.first->metric);
    fputs("</h2>\n", out);
    put_plot(&p);
    fputs("<table><tr><th>configuration</th><th class=\"n\">runs</th><th "
          "class=\"n\">median</th><th class=\"n\">middle half</th><th "
          "class=\"n\">median, 95 %</th></tr>\n", out);
    for (i = 0; i < p.nr; i++)
        put_row(out, &p.first[i]);
    fputs("</table>\n", out);

    return p.nr;
}

struct page {
    FILE *out;
    const char *tag;
};

static int put_line(void *arg, unsigned int nr, const char *const *text)
{
    const struct page *page = arg;

    (void)nr;
    fprintf(page->out, "<%s>", page->tag);
    put_text(page->out, text[0]);
    fprintf(page->out, "</%.*s>\n", (int)strcspn(page->tag, " "), page->tag);

    return 0;
}

static void put_caveat(void *arg, const char *text)
{
    struct page page = { arg, "p class=\"caveat\"" };

    put_line(&page, 1, &text);
}

static const char plan[] = "SELECT plan FROM experiment WHERE id = ?";
static const char hosts[] = "SELECT DISTINCT host FROM session WHERE experiment = ?";

static int put_page(FILE *out, const struct store *store,
                    const struct groups *groups, int64_t experiment,
                    struct xensched_error *err)
{
    struct page page = { out, "pre" };
    size_t i = 0;
    int rc;

    fputs(head, out);
    fprintf(out, "<h1>Experiment %" PRId64 "</h1>\n", experiment);
    rc = caveats_visit(store, experiment, groups, put_caveat, out, err);
    while (i < groups->nr)
        i += put_figure(out, groups, i);
    fputs("<h2>Plan</h2>\n", out);
    if (!rc)
        rc = store_rows(store, plan, experiment, put_line, &page, err);
    fputs("<h2>Host</h2>\n", out);
    if (!rc)
        rc = store_rows(store, hosts, experiment, put_line, &page, err);
    fputs("</body></html>\n", out);

    return rc;
}

static int write_report(const char *path, const struct store *store,
                        int64_t experiment, struct xensched_error *err)
{
    struct groups groups;
    char *text = NULL;
    size_t length = 0;
    FILE *out;
    int rc = groups_read(&groups, store, experiment, err);

    if (rc)
        return rc;
    out = open_memstream(&text, &length);
    if (!out) {
        groups_free(&groups);
        return xensched_fail(err, ENOMEM, "out of memory");
    }
    rc = put_page(out, store, &groups, experiment, err);
    groups_free(&groups);
    if (fclose(out) && !rc)
        rc = xensched_fail(err, ENOMEM, "out of memory");
    if (!rc)
        rc = replace_file(path, text, length, 0644, false, err);
    free(text);

    return rc;
}

int runs_report(const struct arguments *args, struct store *store)
{
    int64_t experiment = runs_experiment(store, args->word[1]);
    struct xensched_error err;

    if (!experiment)
        return EXIT_FAILED;
    if (!write_report(args->word[0], store, experiment, &err))
        return EXIT_OK;
    complain("%s", err.text);

    return EXIT_FAILED;
}
