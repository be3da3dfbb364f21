// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the steal time that the daemon has written to xenstore for this guest.
 *
 * A guest need not have libxenstore: the protocol of /dev/xen/xenbus is a header and bytes in
 * each direction.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "print-steal.h"

#define DEVICE "/dev/xen/xenbus"
#define NODE   "schedlog/steal"

/* As in xen/io/xs_wire.h. */
#define XS_READ  2
#define XS_ERROR 16

struct message {
	uint32_t type, request, transaction, length;
};

static bool read_all(int fd, void *to, size_t length)
{
	size_t done = 0;

	while (done < length) {
		ssize_t got = read(fd, (char *)to + done, length - done);

		if (got > 0)
			done += got;
		else if (!got || errno != EINTR)
			return false;
	}

	return true;
}

/* The kernel takes a request as a whole only from one write. */
static bool ask_xenstore(int fd, const char *node)
{
	char request[sizeof(struct message) + 64];
	struct message head = { .type = XS_READ, .length = strlen(node) + 1 };
	size_t length = sizeof(head) + head.length;

	if (length > sizeof(request))
		return false;
	memcpy(request, &head, sizeof(head));
	memcpy(request + sizeof(head), node, head.length);

	return write(fd, request, length) == (ssize_t)length;
}

int xenbus_read(int fd, const char *node, char *value, size_t size)
{
	struct message head;

	if (!ask_xenstore(fd, node) || !read_all(fd, &head, sizeof(head)))
		return -EIO;
	if (head.length >= size)
		return -E2BIG;
	if (!read_all(fd, value, head.length))
		return -EIO;
	value[head.length] = '\0';
	if (head.type == XS_ERROR)
		return strcmp(value, "ENOENT") ? -EIO : -ENOENT;

	return head.type == XS_READ ? 0 : -EIO;
}

static const char *const classes[] = { "dom0", "own", "others", "xen", "unknown" };

#define NR_CLASSES (sizeof(classes) / sizeof(classes[0]))

/* Finds the sum of a class in ns, in "dom0:123 own:45 ...". */
static bool find_class(const char *text, const char *name, uint64_t *ns)
{
	size_t length = strlen(name);

	for (; text && *text; text = strchr(text, ' ')) {
		text += *text == ' ';
		if (!strncmp(text, name, length) && text[length] == ':')
			return sscanf(text + length + 1, "%" SCNu64, ns) == 1;
	}

	return false;
}

bool print_steal(FILE *out, const char *text)
{
	uint64_t ns[NR_CLASSES];
	size_t i;

	for (i = 0; i < NR_CLASSES; i++)
		if (!find_class(text, classes[i], &ns[i]))
			return false;
	fputs("# HELP xensched_steal_seconds_total Time that vCPUs of this guest waited "
	      "for a pCPU, by what had the pCPU.\n"
	      "# TYPE xensched_steal_seconds_total counter\n", out);
	for (i = 0; i < NR_CLASSES; i++)
		fprintf(out, "xensched_steal_seconds_total{for=\"%s\"} %.6f\n",
			classes[i], ns[i] / 1e9);

	return true;
}

int steal_main(void)
{
	int fd = open(DEVICE, O_RDWR | O_CLOEXEC), rc;
	char text[256];

	if (fd < 0) {
		fprintf(stderr, "xensched-agent: cannot open '%s': %s\n", DEVICE,
			strerror(errno));
		return 1;
	}
	rc = xenbus_read(fd, NODE, text, sizeof(text));
	close(fd);
	if (rc == -ENOENT)
		fprintf(stderr, "xensched-agent: the host does not report steal time "
			"to this guest; its operator may allow that "
			"(vm-affinity-steal in xenstore)\n");
	else if (rc)
		fprintf(stderr, "xensched-agent: cannot read '%s' from xenstore: %s\n",
			NODE, strerror(-rc));
	if (rc)
		return 1;
	if (!print_steal(stdout, text)) {
		fprintf(stderr, "xensched-agent: '%s' in xenstore is not understood: "
			"'%s'\n", NODE, text);
		return 1;
	}

	return fflush(stdout) ? 1 : 0;
}
