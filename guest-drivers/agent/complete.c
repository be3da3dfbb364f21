/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds up a guest's requests by process. */
#include <string.h>

#include "complete.h"

#define MAX_SECTORS (UINT64_MAX >> XEN_SCHEDLOG_SECTORS_SHIFT)

void complete_init(struct complete *c,
		   bool (*name_of)(uint32_t process, char name[COMPLETE_NAME]))
{
	memset(c, 0, sizeof(*c));
	c->name_of = name_of;
}

static struct complete_thread *place_of(struct complete *c, uint32_t pid)
{
	return &c->thread[pid % COMPLETE_THREADS];
}

/* Returns NULL if the thread has no name yet. */
static struct complete_thread *find_thread(struct complete *c, uint32_t pid)
{
	struct complete_thread *thread = place_of(c, pid);

	return pid && thread->pid == pid && thread->process ? thread : NULL;
}

static void put_part(struct complete_thread *thread, unsigned int part,
		     uint64_t counter)
{
	unsigned int at = part * XEN_SCHEDLOG_NAME_TEXT_BYTES, i;

	if (!part)
		memset(thread->coming, 0, sizeof(thread->coming));
	for (i = 0; i < XEN_SCHEDLOG_NAME_TEXT_BYTES; i++)
		thread->coming[at + i] =
			counter >> (XEN_SCHEDLOG_NAME_TEXT_SHIFT + 8 * i);
}

/* The row with the process comes last and completes the name. */
static void add_name(struct complete *c, uint64_t counter)
{
	uint32_t pid = counter & XEN_SCHEDLOG_PID_MASK;
	unsigned int part = counter >> XEN_SCHEDLOG_NAME_PART_SHIFT &
			    XEN_SCHEDLOG_NAME_PART_MASK;
	struct complete_thread *thread = place_of(c, pid);

	if (!pid)
		return;
	if (thread->pid != pid)
		*thread = (struct complete_thread){ .pid = pid };
	if (part != XEN_SCHEDLOG_NAME_PROCESS) {
		put_part(thread, part, counter);
		return;
	}
	thread->process = counter >> XEN_SCHEDLOG_NAME_TEXT_SHIFT &
			  XEN_SCHEDLOG_PID_MASK;
	if (strcmp(thread->name, thread->coming))
		thread->said = 0;
	memcpy(thread->name, thread->coming, sizeof(thread->name));
}

static bool is_same(const struct complete_sum *sum, uint32_t pid,
		    uint16_t back_end)
{
	return sum->pid == pid && sum->back_end == back_end;
}

static void add_request(struct complete *c, uint16_t back_end, uint64_t counter)
{
	uint32_t pid = counter & XEN_SCHEDLOG_PID_MASK;
	struct complete_sum *sum = c->sum;

	while (sum < c->sum + c->nr && !is_same(sum, pid, back_end))
		sum++;
	if (sum == c->sum + COMPLETE_SUMS) {
		c->dropped++;
		return;
	}
	if (sum == c->sum + c->nr) {
		*sum = (struct complete_sum){ .pid = pid, .back_end = back_end };
		c->nr++;
	}
	sum->sectors += counter >> XEN_SCHEDLOG_SECTORS_SHIFT;
}

void complete_add(struct complete *c, const struct complete_row *row)
{
	if (row->event == XEN_SCHEDLOG_EV_GUEST_NAME)
		add_name(c, row->counter);
	else if (row->event == XEN_SCHEDLOG_EV_GUEST_REQUEST)
		add_request(c, row->correspondent, row->counter);
}

/* Assigns threads to their processes; unknown threads wait for a later round. */
static unsigned int find_processes(struct complete *c,
				   struct complete_sum *ready)
{
	unsigned int i, j, nr = 0, left = 0;

	for (i = 0; i < c->nr; i++) {
		struct complete_sum sum = c->sum[i];
		const struct complete_thread *thread = find_thread(c, sum.pid);

		if (sum.pid && !thread && sum.age++ < COMPLETE_PATIENCE) {
			c->sum[left++] = sum;
			continue;
		}
		if (thread)
			sum.pid = thread->process;
		for (j = 0; j < nr; j++)
			if (is_same(&ready[j], sum.pid, sum.back_end))
				break;
		if (j == nr)
			ready[nr++] = sum;
		else
			ready[j].sectors += sum.sectors;
	}
	c->nr = left;

	return nr;
}

/* A process has the name of its first thread, which has the same PID. */
static struct complete_thread *first_thread(struct complete *c,
					    uint32_t process)
{
	struct complete_thread found = { .pid = process, .process = process };
	struct complete_thread *thread = find_thread(c, process);

	if (thread || !process || !c->name_of(process, found.name))
		return thread;
	thread = place_of(c, process);
	*thread = found;

	return thread;
}

static uint64_t name_part(const struct complete_thread *thread,
			  unsigned int part)
{
	const char *text = thread->name + part * XEN_SCHEDLOG_NAME_TEXT_BYTES;
	uint64_t bytes = 0;
	unsigned int i;

	for (i = XEN_SCHEDLOG_NAME_TEXT_BYTES; i-- > 0;)
		bytes = bytes << 8 | (uint8_t)text[i];

	return (uint64_t)part << XEN_SCHEDLOG_NAME_PART_SHIFT |
	       bytes << XEN_SCHEDLOG_NAME_TEXT_SHIFT;
}

static struct complete_row row_of(uint32_t process, uint16_t correspondent,
				  uint64_t rest)
{
	return (struct complete_row){
		.event = XEN_SCHEDLOG_EV_PROCESS_IO,
		.correspondent = correspondent,
		.counter = process | rest,
	};
}

static unsigned int say_name(struct complete *c, uint32_t process,
			     struct complete_row *rows)
{
	struct complete_thread *thread = first_thread(c, process);
	unsigned int part;

	if (!thread ||
	    (thread->said && c->round - thread->said < COMPLETE_PERIOD))
		return 0;
	thread->said = c->round;
	for (part = 0; part < XEN_SCHEDLOG_NAME_PROCESS; part++)
		rows[part] = row_of(process, XEN_SCHEDLOG_ACCT_NONE,
				    name_part(thread, part));

	return part;
}

unsigned int complete_round(struct complete *c, struct complete_row *rows)
{
	struct complete_sum ready[COMPLETE_SUMS];
	unsigned int nr = find_processes(c, ready), end = 0, i;

	c->round++;
	for (i = 0; i < nr; i++) {
		uint64_t sectors = ready[i].sectors;

		if (sectors > MAX_SECTORS)
			sectors = MAX_SECTORS;
		end += say_name(c, ready[i].pid, rows + end);
		rows[end++] = row_of(ready[i].pid, ready[i].back_end,
				     sectors << XEN_SCHEDLOG_SECTORS_SHIFT);
	}

	return end;
}

void complete_unsaid(struct complete *c)
{
	unsigned int i;

	for (i = 0; i < COMPLETE_THREADS; i++)
		c->thread[i].said = 0;
}
