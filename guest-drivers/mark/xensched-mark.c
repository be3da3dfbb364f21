// SPDX-License-Identifier: GPL-2.0-only
/*
 * xensched-mark - in a guest: makes marks for a script; "xensched timeline" and
 * "xensched roi" in dom0 show them.
 *
 * The program needs only the device and its header.  A marked workload has to run
 * even if marks are not allowed, so "run" then runs its command without marks.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "uapi/xensched_mark.h"

/* Exit codes; "run" has those of its command, as in a shell. */
enum { EXIT_OK, EXIT_FAILED, EXIT_WRONG_USE, EXIT_NO_COMMAND = 127 };

static const char usage[] =
	"usage: xensched-mark begin NAME\n"
	"       xensched-mark end NAME\n"
	"       xensched-mark count NAME VALUE\n"
	"       xensched-mark label TEXT\n"
	"       xensched-mark code NUMBER\n"
	"       xensched-mark clock\n"
	"       xensched-mark run NAME -- COMMAND...\n"
	"\n"
	"Mark what this guest does, for a recording in dom0 (xensched record): where\n"
	"what has this NAME begins and ends, the VALUE of what has it, a TEXT, or a\n"
	"NUMBER of which the reader knows what it means; run: from the beginning of\n"
	"the COMMAND to its end. NAME and TEXT have at most 31 bytes. clock: what this\n"
	"guest's clocks are, for traces that it makes itself (xensched timeline --with).\n";

static int report_failure(const char *what, int err)
{
	const char *hint = "";

	if (err == EPERM)
		hint = "; in dom0, vm_affinity_log = 1 in the guest's "
		       "configuration or 'xensched allow-marks' allows marks";
	else if (err == E2BIG)
		hint = "; it has at most 31 bytes";
	else if (err == ENOSPC)
		hint = "; a guest has at most 1024 names, the last 256 of "
		       "them for root";
	else if (err == ENOENT)
		hint = "; 'modprobe xensched_guest' makes it";
	else if (err == EACCES)
		hint = "; it is for root, or for a group (see "
		       "60-xensched-mark.rules)";
	fprintf(stderr, "xensched-mark: %s: %s%s\n", what, strerror(err), hint);

	return EXIT_FAILED;
}

/* @mark returns 0 or an errno value. */
static int with_device(int (*mark)(int fd, const void *what), const void *what,
		       const char *name)
{
	int fd = open(XENSCHED_MARK_DEVICE, O_WRONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return report_failure(XENSCHED_MARK_DEVICE, errno);
	err = mark(fd, what);
	close(fd);

	return err ? report_failure(name, err) : EXIT_OK;
}

struct named {
	enum xensched_mark_kind kind;
	const char *name;
	__u64 value;
};

static int mark_typed(int fd, const void *what)
{
	const struct named *named = what;
	int id = xensched_mark_name(fd, named->name);

	return id < 0 ? -id : xensched_mark_typed(fd, named->kind, id,
						  named->value);
}

static int mark_label(int fd, const void *what)
{
	return xensched_mark_label(fd, what);
}

static unsigned long long now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);

	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/*
 * Writes labels that the reader parses: the clock before and after the first
 * label, so that its row is between the two times.
 */
static int mark_instant(int fd, clockid_t clock, const char *name)
{
	char before[XENSCHED_MARK_TEXT], after[XENSCHED_MARK_TEXT];
	int err;

	snprintf(before, sizeof(before), "%s=%llx", name, now_ns(clock));
	err = xensched_mark_label(fd, before);
	snprintf(after, sizeof(after), "until=%llx", now_ns(clock));

	return err ? err : xensched_mark_label(fd, after);
}

/* Repeats the labels, so that at least one is not interrupted. */
static int mark_clocks(int fd, const void *what)
{
	int i, err = 0;

	(void)what;
	for (i = 0; !err && i < 3; i++) {
		err = mark_instant(fd, CLOCK_MONOTONIC, "monotonic");
		if (!err)
			err = mark_instant(fd, CLOCK_REALTIME, "realtime");
	}

	return err;
}

static int mark_code(int fd, const void *what)
{
	return xensched_mark(fd, *(const __u32 *)what);
}

static int mark_named(enum xensched_mark_kind kind, const char *name,
		      __u64 value)
{
	struct named named = { .kind = kind, .name = name, .value = value };

	return with_device(mark_typed, &named, name);
}

static bool parse_number(const char *text, __u64 limit, __u64 *number)
{
	unsigned long long value;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 0);
	if (!*text || *end || errno || strchr(text, '-') || value > limit) {
		fprintf(stderr, "xensched-mark: '%s' is not a number up to "
			"%llu\n", text, (unsigned long long)limit);
		return false;
	}
	*number = value;

	return true;
}

/* The kinds of marks, each with its operands. */

static int say_begin(char **operand)
{
	return mark_named(XENSCHED_MARK_BEGIN, operand[0], 0);
}

static int say_end(char **operand)
{
	return mark_named(XENSCHED_MARK_END, operand[0], 0);
}

static int say_count(char **operand)
{
	__u64 value;

	if (!parse_number(operand[1], ~0ULL, &value))
		return EXIT_WRONG_USE;

	return mark_named(XENSCHED_MARK_COUNT, operand[0], value);
}

static int say_label(char **operand)
{
	return with_device(mark_label, operand[0], operand[0]);
}

static int say_clock(char **operand)
{
	(void)operand;

	return with_device(mark_clocks, NULL, "clock");
}

static int say_code(char **operand)
{
	__u64 number;
	__u32 code;

	if (!parse_number(operand[0], XENSCHED_TYPED - 1, &number))
		return EXIT_WRONG_USE;
	code = number;

	return with_device(mark_code, &code, operand[0]);
}

static int as_shell(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status)
				   : WEXITSTATUS(status);
}

/* The signals that end or notify a program, and SIGCHLD. */
static void fill_signals(sigset_t *set)
{
	static const int signals[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM,
		SIGCHLD,
	};
	size_t i;

	sigemptyset(set);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(set, signals[i]);
}

/*
 * Returns the status of @child, or -1.  Signals in @set are blocked.  Signals
 * from a process are passed on to the command; a terminal has signalled both.
 */
static int wait_for(pid_t child, const sigset_t *set)
{
	siginfo_t info;
	int status;

	for (;;) {
		pid_t got = waitpid(child, &status, WNOHANG);

		if (got)
			return got == child ? status : -1;
		if (sigwaitinfo(set, &info) > 0 && info.si_signo != SIGCHLD &&
		    info.si_code <= 0)
			kill(child, info.si_signo);
	}
}

static int run_command(const char *name, char **command)
{
	bool marked = mark_named(XENSCHED_MARK_BEGIN, name, 0) == EXIT_OK;
	sigset_t set, former;
	pid_t child;
	int status;

	fill_signals(&set);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &set, &former);
	child = fork();
	if (!child) {
		sigprocmask(SIG_SETMASK, &former, NULL);
		execvp(command[0], command);
		fprintf(stderr, "xensched-mark: cannot run %s: %s\n",
			command[0], strerror(errno));
		_exit(EXIT_NO_COMMAND);
	}
	if (child < 0)
		return report_failure("fork", errno);
	status = wait_for(child, &set);
	if (marked)
		mark_named(XENSCHED_MARK_END, name, 0);

	return status < 0 ? report_failure(command[0], errno) : as_shell(status);
}

static const struct {
	const char *name;
	int operands;
	int (*say)(char **operand);
} verbs[] = {
	{ "begin", 1, say_begin },
	{ "end", 1, say_end },
	{ "count", 2, say_count },
	{ "label", 1, say_label },
	{ "code", 1, say_code },
	{ "clock", 0, say_clock },
};

int main(int argc, char **argv)
{
	size_t i;

	if (argc == 2 && !strcmp(argv[1], "--help")) {
		fputs(usage, stdout);
		return EXIT_OK;
	}
	if (argc > 4 && !strcmp(argv[1], "run") && !strcmp(argv[3], "--"))
		return run_command(argv[2], argv + 4);
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (argc == 2 + verbs[i].operands &&
		    !strcmp(argv[1], verbs[i].name))
			return verbs[i].say(argv + 2);
	fputs(usage, stderr);

	return EXIT_WRONG_USE;
}
