/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Measures reads of log buffers of different sizes, with the producer writing at
 * full rate and with the producer idle: figures 5.4 to 5.6 of the
 * thesis.  See docs/develop/benchmarks.md.
 *
 * Two kinds of rows: those of the thesis (correspondent and virtual time
 * stamp, 8 bytes) and those which the daemon logs (16 bytes).  In each round
 * every size has its turn, and at each turn the plain copy, the reader and,
 * now and then, the peers do, so that a disturbance of the machine meets all
 * of them alike.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "report.h"

#define ROUNDS 200
#define PEERS_EVERY 4 /* rounds; they take long */
#define MIN_SIZE 16U
#define NR_SIZES 13

static const struct row_kind row_kinds[] = {
    { "thesis", XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_TIME_VIRTUAL,
      8 },
    { "daemon", XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                XEN_SCHEDLOG_LCR_CORRESPONDENT | XEN_SCHEDLOG_LCR_COUNTER |
                XEN_SCHEDLOG_LCR_TIME_TSC | 10U << XEN_SCHEDLOG_LCR_TSC_SHIFT,
      16 },
};

#define NR_KINDS (sizeof(row_kinds) / sizeof(row_kinds[0]))

static struct subject subjects[NR_KINDS * NR_SIZES];
static struct producer producer;

/* The first CPU from @cpu on which we may use. */
static int usable_cpu(int cpu)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set))
        CPU_ZERO(&set);
    while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, &set))
        cpu++;
    if (cpu == CPU_SETSIZE) {
        fprintf(stderr, "reader and producer need a CPU each\n");
        exit(1);
    }

    return cpu;
}

static void measure(void)
{
    size_t i;
    unsigned int round;
    int cpu = usable_cpu(0), other = usable_cpu(cpu + 1);

    producer_start(&producer, other);
    pin_to_cpu(cpu);
    subjects_begin();
    for (i = 0; i < NR_KINDS * NR_SIZES; i++)
        subject_init(&subjects[i], &row_kinds[i / NR_SIZES],
                     MIN_SIZE << i % NR_SIZES);

    for (round = 0; round < ROUNDS; round++) {
        for (i = 0; i < NR_KINDS * NR_SIZES; i++) {
            subject_turn(&subjects[i], &producer, round % 2);
            if (round % PEERS_EVERY == 0)
                subject_peers_turn(&subjects[i], &producer);
        }
    }
    producer_quit(&producer);
    for (i = 0; i < NR_KINDS * NR_SIZES; i++)
        subject_drain(&subjects[i]);
}

static void write_json(const char *path, const char *machine,
                       const char *command, const struct goal *goals)
{
    FILE *out = fopen(path, "w");
    int i;

    if (!out) {
        perror(path);
        exit(1);
    }
    fprintf(out, "{\"unit\":\"cycles\",\"machine\":\"%s\","
            "\"command\":\"%s\",\"rounds\":%d,\n\"sizes\":", machine, command,
            ROUNDS);
    report_json(out, subjects, NR_SIZES);
    fprintf(out, ",\n\"sizes_of_daemon_rows\":");
    report_json(out, subjects + NR_SIZES, NR_SIZES);
    fprintf(out, ",\n\"goals\":[");
    for (i = 0; i < NR_GOALS; i++)
        fprintf(out, "%s\n{\"goal\":\"%s\",\"value\":%.3f,"
                "\"limit\":%.3f,\"met\":%s}", i ? "," : "", goals[i].name,
                goals[i].value, goals[i].limit,
                goals[i].met ? "true" : "false");
    fprintf(out, "]}\n");
    if (fclose(out)) {
        perror(path);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    struct goal goals[NR_GOALS];
    int i, rc = 0;

    if (argc != 4) {
        fprintf(stderr, "usage: %s MACHINE COMMAND FILE.json\n", argv[0]);
        return 2;
    }
    measure();
    for (i = 0; i < (int)NR_KINDS; i++)
        report_table(subjects + i * NR_SIZES, NR_SIZES);
    report_goals(subjects, NR_KINDS * NR_SIZES, goals);
    for (i = 0; i < NR_GOALS; i++) {
        printf("%-55s %8.3f (limit %.3f): %s\n", goals[i].name,
               goals[i].value, goals[i].limit, goals[i].met ? "met"
                                                            : "MISSED");
        rc |= !goals[i].met;
    }
    write_json(argv[3], argv[1], argv[2], goals);

    return rc;
}
