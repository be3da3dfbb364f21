/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * complete.h - from what threads ask for, and what they are called, to what
 * processes do.
 *
 * Rows of guest-request have a thread, a back end and an amount; which process
 * a thread is of is in rows of guest-name, before or after.  What is known when
 * a round is over is given out: one row for each process and back end, with the
 * sum, and now and then its name.
 *
 * It takes a fixed amount of memory, whatever there is to be read.
 */
#ifndef XENSCHED_AGENT_COMPLETE_H
#define XENSCHED_AGENT_COMPLETE_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/abi.h>

/*
 * Threads that are known: two whose PIDs are so far apart share a place, and the
 * one that was named last has it.
 */
#define COMPLETE_THREADS 8192U

/* Threads and back ends in a round. */
#define COMPLETE_SUMS 256U

/*
 * Rounds in which a thread may remain unknown: Linux names those that run every four
 * seconds.  And rounds from one name to the next.
 */
#define COMPLETE_PATIENCE 50U
#define COMPLETE_PERIOD   40U

#define COMPLETE_NAME 16U

/* That complete_round() gives out: a name of three parts, and a sum. */
#define COMPLETE_MAX_ROWS (4U * COMPLETE_SUMS)

struct complete_row {
	uint16_t event;
	uint16_t correspondent;
	uint64_t counter;
};

struct complete_thread {
	uint32_t pid, process; /* 0: none */
	uint32_t said;         /* in which round its name was; 0: it was not */
	char name[COMPLETE_NAME];
	char coming[COMPLETE_NAME]; /* of which not all parts have come */
};

struct complete_sum {
	uint32_t pid;
	uint16_t back_end;
	uint16_t age; /* rounds that its thread has been unknown */
	uint64_t sectors;
};

struct complete {
	uint32_t round;
	uint64_t dropped; /* rows for which there was no room */
	bool (*name_of)(uint32_t process, char name[COMPLETE_NAME]);
	unsigned int nr;
	struct complete_sum sum[COMPLETE_SUMS];
	struct complete_thread thread[COMPLETE_THREADS];
};

/*
 * @name_of: what a process is called whose first thread was not named, as that has
 * slept all the time; false: unknown.
 */
void complete_init(struct complete *c,
		   bool (*name_of)(uint32_t process, char name[COMPLETE_NAME]));

/* Others than these two events are ignored. */
void complete_add(struct complete *c, const struct complete_row *row);

/* What is complete; returns how many of @rows, which has COMPLETE_MAX_ROWS. */
unsigned int complete_round(struct complete *c, struct complete_row *rows);

/* No reader had the rows: all names have to be written again. */
void complete_unsaid(struct complete *c);

#endif /* XENSCHED_AGENT_COMPLETE_H */
