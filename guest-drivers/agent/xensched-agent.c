// SPDX-License-Identifier: GPL-2.0-only
/*
 * xensched-agent - in a guest: reports to xenschedd in dom0 which of its processes
 * ask for I/O.
 *
 * The log of this guest's Linux has a row for each request of a thread to a back
 * end.  dom0 does not read this preliminary log, because its rows are too many and
 * name threads that dom0 cannot identify.  This program reads the rows, adds them
 * up by process (complete.h) and has the kernel promote the result into the log
 * buffer that dom0 reads.
 *
 * dom0 decides which events are logged, and where; the agent turns none on.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <xensched/read-log.h>

#include "complete.h"
#include "print-steal.h"
#include "uapi/xensched_log.h"

enum { EXIT_OK, EXIT_FAILED, EXIT_WRONG_USE };

/* ms between two rounds, while the log has new rows and while it has none. */
#define ROUND_MS 100
#define IDLE_MS  1000

#define DEVICE "/dev/xensched-log"

/* The numbers in uapi/xensched_log.h. */
enum { REGION_STATE = 2, REGION_DATA = 3 };

/* Bytes that are copied at a time. */
#define ROOM 65536

static const char usage[] =
	"usage: xensched-agent [--steal]\n"
	"\n"
	"Report to xenschedd in dom0, while it asks, how much I/O each process of this\n"
	"guest requests from each back end.\n"
	"\n"
	"--steal  print how long vCPUs of this guest waited for a pCPU, and what had the\n"
	"         pCPU, for the textfile collector of node_exporter; then end\n";

/* The log of a CPU. */
struct cpu {
	struct xen_schedlog_state *state;
	uint8_t *data;
	struct xensched_reader *reader;	/* [nr_files] */
};

static int dev;
static uint64_t area;			/* the mapped one; 0: none */
static uint32_t nr_cpus, nr_files, data_size;
static size_t state_size;
static struct cpu *cpus;

/*
 * An earlier agent may have promoted the rows of an area that exists at the start.
 * In a later area, all rows are new.
 */
static enum xensched_begin begin = XENSCHED_BEGIN_NOW;

static struct complete complete;
static uint8_t buffer[ROOM];

static void *map_region(uint32_t region, uint32_t cpu, size_t size)
{
	void *va = mmap(NULL, size, PROT_READ, MAP_SHARED, dev,
			XENSCHED_LOG_OFFSET(region, cpu));

	return va == MAP_FAILED ? NULL : va;
}

static void unmap_area(void)
{
	uint32_t i;

	for (i = 0; i < nr_cpus; i++) {
		if (cpus[i].state)
			munmap(cpus[i].state, state_size);
		if (cpus[i].data)
			munmap(cpus[i].data, data_size);
		free(cpus[i].reader);
	}
	free(cpus);
	cpus = NULL;
	nr_cpus = 0;
	area = 0;
}

/* "Now" is the time of the first read. */
static void begin_reading(struct xensched_reader *reader)
{
	struct xensched_batch nothing;

	if (begin == XENSCHED_BEGIN_NOW)
		xensched_reader_read(reader, buffer, sizeof(buffer), &nothing);
}

/* A CPU outside of the possible mask has no log. */
static int map_cpu(struct cpu *c, uint32_t cpu,
		   const struct xen_schedlog_file *files)
{
	uint32_t i;

	c->state = map_region(REGION_STATE, cpu, state_size);
	if (!c->state)
		return errno == ENODEV ? 0 : -1;
	c->data = map_region(REGION_DATA, cpu, data_size);
	c->reader = calloc(nr_files, sizeof(*c->reader));
	if (!c->data || !c->reader)
		return -1;
	for (i = 0; i < nr_files; i++) {
		xensched_reader_init(&c->reader[i], &c->state[i],
				     c->data + files[i].offset, files[i].size,
				     begin);
		begin_reading(&c->reader[i]);
	}

	return 0;
}

static int map_cpus(const struct xensched_log_info *info,
		    struct xen_schedlog_file *files)
{
	struct xensched_log_files op = {
		.nr = info->nr_files, .files = (uintptr_t)files,
	};
	size_t page = sysconf(_SC_PAGESIZE);
	uint32_t i;

	if (ioctl(dev, XENSCHED_LOG_FILES, &op) || op.nr != info->nr_files)
		return -1;
	cpus = calloc(info->nr_cpus, sizeof(*cpus));
	if (!cpus)
		return -1;
	nr_cpus = info->nr_cpus;
	nr_files = info->nr_files;
	data_size = info->data_size;
	state_size = (nr_files * sizeof(struct xen_schedlog_state) + page - 1) &
		     -page;
	for (i = 0; i < nr_cpus; i++)
		if (map_cpu(&cpus[i], i, files))
			return -1;

	return 0;
}

/* If the area disappears meanwhile, the next round notices by @number. */
static void map_area(uint64_t number)
{
	struct xen_schedlog_file *files;
	struct xensched_log_info info;

	if (ioctl(dev, XENSCHED_LOG_INFO, &info) || !info.nr_cpus)
		return;
	files = calloc(info.nr_files, sizeof(*files));
	if (files && !map_cpus(&info, files))
		area = number;
	else
		unmap_area();
	free(files);
}

static bool is_readable(const struct xensched_layout *layout)
{
	return layout->event != XENSCHED_NO_ENTRY &&
	       layout->correspondent != XENSCHED_NO_ENTRY &&
	       layout->counter_size == sizeof(uint64_t);
}

static void add_rows(const struct xensched_batch *batch)
{
	const struct xensched_layout *layout = &batch->layout;
	const uint8_t *from = batch->rows;
	size_t nr = xensched_batch_rows(batch);
	struct complete_row row;

	if (!is_readable(layout))
		return;
	for (; nr; nr--, from += layout->size) {
		memcpy(&row.event, from + layout->event, sizeof(row.event));
		memcpy(&row.correspondent, from + layout->correspondent,
		       sizeof(row.correspondent));
		memcpy(&row.counter, from + layout->counter,
		       sizeof(row.counter));
		complete_add(&complete, &row);
	}
}

/* Reads at most one file size, because the producer may be faster. */
static uint64_t read_file(struct xensched_reader *reader)
{
	struct xensched_batch batch;
	uint64_t left = reader->size, lost = 0;

	while (xensched_reader_read(reader, buffer, sizeof(buffer), &batch) >
	       0) {
		lost += batch.lost_rows;
		add_rows(&batch);
		if (batch.length >= left)
			return lost;
		left -= batch.length;
	}
	add_rows(&batch);

	return lost + batch.lost_rows;
}

static uint64_t read_area(void)
{
	uint64_t lost = 0;
	uint32_t cpu, file;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		for (file = 0; cpus[cpu].reader && file < nr_files; file++)
			lost += read_file(&cpus[cpu].reader[file]);

	return lost;
}

/* Reports lost rows once, because the sums do not contain them. */
static void say_lost(uint64_t lost)
{
	static bool said;

	if (said || !(lost || complete.dropped))
		return;
	said = true;
	fprintf(stderr, "xensched-agent: more requests than can be "
		"followed: the sums in dom0 are too low\n");
}

static int promote_rows(struct xensched_log_promote *op)
{
	struct xensched_log_promoted promoted[COMPLETE_MAX_ROWS];
	struct complete_row rows[COMPLETE_MAX_ROWS];
	unsigned int i;

	_Static_assert(COMPLETE_MAX_ROWS <= XENSCHED_LOG_MAX_PROMOTED,
		       "a round is one call");
	*op = (struct xensched_log_promote){
		.area = area, .rows = (uintptr_t)promoted,
		.nr = complete_round(&complete, rows),
	};
	for (i = 0; i < op->nr; i++)
		promoted[i] = (struct xensched_log_promoted){
			.counter = rows[i].counter, .event = rows[i].event,
			.correspondent = rows[i].correspondent,
		};
	if (!ioctl(dev, XENSCHED_LOG_PROMOTE, op) || errno == ENOENT ||
	    errno == ESTALE)
		return 0;
	fprintf(stderr, "xensched-agent: cannot promote rows: %s%s\n",
		strerror(errno), errno == ENOTTY ? "; the module xensched_log "
		"is older than this program" : "");

	return -1;
}

/* Returns the time until the next round in ms; -1: there will be none. */
static int do_round(void)
{
	struct xensched_log_promote op;

	say_lost(read_area());
	if (promote_rows(&op))
		return -1;
	if (op.area != area) {
		unmap_area();
		complete_init(&complete, complete.name_of);
		if (op.area)
			map_area(op.area);
	}
	begin = XENSCHED_BEGIN_OLDEST;
	if (area && op.events & 1U << XEN_SCHEDLOG_EV_GUEST_REQUEST)
		return ROUND_MS;
	complete_unsaid(&complete);

	return IDLE_MS;
}

/* Reads the name of the first thread from /proc, which ends it with a newline. */
static bool name_of(uint32_t process, char name[COMPLETE_NAME])
{
	char path[32];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/comm", process);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = read(fd, name, COMPLETE_NAME);
	close(fd);
	if (length < 1)
		return false;
	name[length - 1] = '\0';

	return true;
}

static int check_version(void)
{
	struct xensched_log_info info;

	if (ioctl(dev, XENSCHED_LOG_INFO, &info)) {
		fprintf(stderr, "xensched-agent: %s: %s\n", DEVICE,
			strerror(errno));
		return -1;
	}
	if (info.abi_version == XEN_SCHEDLOG_ABI_VERSION)
		return 0;
	fprintf(stderr, "xensched-agent: the log has version %u, this program "
		"has %u\n", info.abi_version, XEN_SCHEDLOG_ABI_VERSION);

	return -1;
}

int main(int argc, char **argv)
{
	int ms;

	if (argc == 2 && !strcmp(argv[1], "--steal"))
		return steal_main();
	if (argc != 1) {
		bool help = argc == 2 && !strcmp(argv[1], "--help");

		fputs(usage, help ? stdout : stderr);
		return help ? EXIT_OK : EXIT_WRONG_USE;
	}
	dev = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (dev < 0) {
		fprintf(stderr, "xensched-agent: %s: %s%s\n", DEVICE,
			strerror(errno), errno == ENOENT
			? "; 'modprobe xensched_guest' makes it" : "");
		return EXIT_FAILED;
	}
	if (check_version())
		return EXIT_FAILED;
	complete_init(&complete, name_of);
	while ((ms = do_round()) >= 0) {
		struct timespec pause = {
			.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000,
		};

		nanosleep(&pause, NULL);
	}

	return EXIT_FAILED;
}
