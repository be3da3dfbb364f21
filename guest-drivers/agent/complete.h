/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * complete.h - adds up the requests of threads by process and back end.
 *
 * A row of guest-request has a thread, a back end and an amount.  An earlier or
 * later row of guest-name has the thread's process.  At the end of a round, each
 * known process has one row per back end, with the sum.  Rows with the name of
 * the process are repeated from time to time.
 *
 * The amount of memory is fixed, independent of the number of rows.
 */
#ifndef XENSCHED_AGENT_COMPLETE_H
#define XENSCHED_AGENT_COMPLETE_H

#include <stdbool.h>
#include <stdint.h>

#include <xensched/abi.h>

/*
 * Entries for threads.  Two threads whose PIDs differ by a multiple of this number
 * share an entry, which keeps the thread that was named last.
 */
#define COMPLETE_THREADS 8192U

/* Threads and back ends in a round. */
#define COMPLETE_SUMS 256U

/*
 * PATIENCE: rounds in which a thread may remain unknown; the kernel logs the names
 * of running threads every four seconds.  Then the rounds between two names.
 */
#define COMPLETE_PATIENCE 50U
#define COMPLETE_PERIOD   40U

#define COMPLETE_NAME 16U

/* Rows per round: for each sum, a name of three parts and the sum. */
#define COMPLETE_MAX_ROWS (4U * COMPLETE_SUMS)

struct complete_row {
	uint16_t event;
	uint16_t correspondent;
	uint64_t counter;
};

struct complete_thread {
	uint32_t pid, process; /* 0: none */
	uint32_t said;         /* round of its latest name; 0: not named yet */
	char name[COMPLETE_NAME];
	char coming[COMPLETE_NAME]; /* a name with parts still missing */
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
 * @name_of: finds the name of a process whose first thread was not logged because
 * it sleeps; returns false if the name is unknown.
 */
void complete_init(struct complete *c,
		   bool (*name_of)(uint32_t process, char name[COMPLETE_NAME]));

/* Ignores all events but guest-request and guest-name. */
void complete_add(struct complete *c, const struct complete_row *row);

/* Fills in @rows, an array of COMPLETE_MAX_ROWS; returns their number. */
unsigned int complete_round(struct complete *c, struct complete_row *rows);

/* Call this if no reader got the rows: all names are written again. */
void complete_unsaid(struct complete *c);

#endif /* XENSCHED_AGENT_COMPLETE_H */
