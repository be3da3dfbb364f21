/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the measurements as a table and as JSON, with the goals. */
#include <inttypes.h>

#include "peers.h"
#include "report.h"

/* What noise of the machine may make of a cost that doesn't grow. */
#define GROWTH_LIMIT 1.25
#define DECODE_LIMIT (1.0 / 3)

static double median(struct samples *samples)
{
    return samples_summary(samples).median;
}

/*
 * From a file of two or three rows with the producer at full rate there is
 * hardly ever one left to decode; the few times say nothing.
 */
static struct samples *decoded(struct costs *costs)
{
    static struct samples none;

    return 4 * costs->decode.nr < costs->read.nr ? &none : &costs->decode;
}

/* Cycles per byte, or nothing. */
static void print_cost(struct samples *samples)
{
    if (samples->nr)
        printf(" %7.2f", median(samples));
    else
        printf(" %7s", "-");
}

static void print_attempts(struct samples *samples)
{
    double nr = median(samples);

    printf(nr < PEER_GIVES_UP ? " %6.0f" : "  >%4.0f", nr);
}

static void print_subject(struct subject *s)
{
    printf("%6u %8.0f ", s->size, samples_summary(&s->attempts).max);
    print_attempts(&s->retry);
    printf(" ");
    print_attempts(&s->stop);
    printf(" |");
    print_cost(&s->busy.copy);
    print_cost(&s->busy.read);
    print_cost(decoded(&s->busy));
    printf(" |");
    print_cost(&s->idle.copy);
    print_cost(&s->idle.read);
    print_cost(decoded(&s->idle));
    printf(" | %5.0f%% %10" PRIu64 " %10" PRIu64 "\n",
           100 * median(&s->delivered), s->reader.stats.rows,
           s->reader.stats.lost_rows);
}

void report_table(struct subject *subjects, size_t nr)
{
    size_t i;

    printf("Rows of the %s, %u bytes. Medians; costs in cycles per byte.\n"
           "            attempts            |  producer at full rate  |"
           "      producer idle      |       reader, full rate\n"
           " bytes   reader   retry    stop |  memcpy    read +decode |"
           "  memcpy    read +decode |   kept  rows read  rows lost\n",
           subjects->kind->name, subjects->kind->size);
    for (i = 0; i < nr; i++)
        print_subject(&subjects[i]);
    printf("\n");
}

static void json_summary(FILE *out, const char *name, struct samples *samples)
{
    struct summary s = samples_summary(samples);

    if (samples->nr)
        fprintf(out, ",\"%s\":{\"min\":%.4g,\"median\":%.4g,"
                "\"max\":%.4g}", name, s.min, s.median, s.max);
    else
        fprintf(out, ",\"%s\":null", name);
}

void report_json(FILE *out, struct subject *subjects, size_t nr)
{
    size_t i;

    for (i = 0; i < nr; i++) {
        struct subject *s = &subjects[i];

        fprintf(out, "%s\n{\"bytes\":%u,\"row_bytes\":%u", i ? "," : "[",
                s->size, s->kind->size);
        json_summary(out, "attempts", &s->attempts);
        json_summary(out, "cycles_per_byte", &s->busy.read);
        json_summary(out, "memcpy_cycles_per_byte", &s->busy.copy);
        json_summary(out, "decode_cycles_per_byte", decoded(&s->busy));
        json_summary(out, "idle_cycles_per_byte", &s->idle.read);
        json_summary(out, "idle_memcpy_cycles_per_byte", &s->idle.copy);
        json_summary(out, "idle_decode_cycles_per_byte", decoded(&s->idle));
        json_summary(out, "share_delivered", &s->delivered);
        json_summary(out, "peer_retry_attempts", &s->retry);
        json_summary(out, "peer_stop_attempts", &s->stop);
        fprintf(out, ",\"peer_stop_events_untold\":%" PRIu64
                ",\"rows_produced\":%" PRIu64 ",\"rows_read\":%" PRIu64
                ",\"rows_lost\":%" PRIu64 ",\"rows_wrong\":%" PRIu64 "}",
                subject_peers_untold(s), s->log.events, s->reader.stats.rows,
                s->reader.stats.lost_rows, s->wrong_rows);
    }
    fprintf(out, "]");
}

static struct goal most(const char *name, double value, double limit)
{
    return (struct goal){ name, value, limit, value <= limit };
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* The worst of @costs against the least at any smaller size. */
static double growth(struct subject *subjects, size_t nr, bool busy)
{
    double least = 0, worst = 0;
    size_t i;

    for (i = 0; i < nr; i++) {
        struct subject *s = &subjects[i];
        double cost = median(busy ? &s->busy.read : &s->idle.read);

        if (!i || s->kind != subjects[i - 1].kind)
            least = cost;
        worst = larger(worst, cost / least);
        if (cost < least)
            least = cost;
    }

    return worst;
}

/* Bandwidth of reading and decoding, as a share of that of memcpy(). */
static double decode_share(struct costs *costs)
{
    struct samples *decode = decoded(costs);

    return decode->nr ? median(&costs->copy) / median(decode) : 1;
}

void report_goals(struct subject *subjects, size_t nr,
                  struct goal goals[NR_GOALS])
{
    double attempts = 0, mismatches = 0, share = 1;
    size_t i;

    for (i = 0; i < nr; i++) {
        struct subject *s = &subjects[i];
        double here = decode_share(&s->busy), idle = decode_share(&s->idle);

        attempts = larger(attempts, samples_summary(&s->attempts).max);
        mismatches += subject_mismatches(s);
        share = -larger(-share, -here);
        share = -larger(-share, -idle);
    }

    goals[0] = most("attempts per read, at most", attempts, 1);
    goals[1] = most("growth of the cost per byte with the size, at most",
                    larger(growth(subjects, nr, true),
                           growth(subjects, nr, false)), GROWTH_LIMIT);
    goals[2] = most("rows not accounted for", mismatches, 0);
    goals[3] = (struct goal){
        "bandwidth of decoding / memcpy, at least", share, DECODE_LIMIT,
        share >= DECODE_LIMIT,
    };
}
