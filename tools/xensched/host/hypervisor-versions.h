/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hypervisor-versions.h - which Xen is running and which one is installed; and recognises a host
 * whose toolstack is xapi.
 */
#ifndef XENSCHED_HOST_HYPERVISOR_VERSIONS_H
#define XENSCHED_HOST_HYPERVISOR_VERSIONS_H

#include <stdbool.h>

/*
 * Finds the version of Debian's source from which the running and the installed hypervisor were
 * built, and the version of Debian's own package, so that an operator sees when a hypervisor is
 * older than Debian's.
 *
 * It reads four files of one line each, and needs neither dpkg, apt nor Xen.
 */

/* The architecture in the names of Debian's packages. */
#ifdef __aarch64__
#define DEBIAN_ARCH "arm64"
#else
#define DEBIAN_ARCH "amd64"
#endif

/* A version such as 4.17.7+13-g2445b30a44-0+deb12u1; "" if there is none. */
#define VERSION_SIZE 64

struct hypervisor_versions {
    char release[16];             /* of Xen, such as 4.17 */
    char running[VERSION_SIZE];   /* "": not built by xensched, or no Xen here */
    char installed[VERSION_SIZE]; /* in /boot, by the package */
    char debian[VERSION_SIZE];    /* of Debian's installed package's source */
};

/* Reads files below the folder @root, which is "" on a host. */
void hypervisor_versions_read(struct hypervisor_versions *versions,
                              const char *root);

/*
 * True if a hypervisor built from @version lacks changes of Debian's @debian.  A version that does
 * not come from Debian (a tarball or tree of the user's) counts as older.
 */
bool hypervisor_version_is_behind(const char *version, const char *debian);

/*
 * XenServer and XCP-ng.
 *
 * xapi chooses NUMA nodes and sets soft affinities itself, and stores no configuration that shows
 * whether an operator set one.  So a guest that xapi has placed counts as placed by an operator,
 * and xensched leaves it alone.
 */

#define XAPI_MEANS "this host's toolstack is xapi: guests that it has placed count " \
                   "as placed by an operator, and are not moved"

bool xapi_is_here(void);

#endif /* XENSCHED_HOST_HYPERVISOR_VERSIONS_H */
