/* SPDX-License-Identifier: GPL-2.0-only */
/* Compares the running Xen with the installed one, and recognises xapi's hosts. */
#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hypervisor-versions.h"

/* Compares the running, the installed and Debian's hypervisor. */

/* Xen's changeset is this text and the version (xen-patches/build.sh). */
#define CHANGESET "xensched "

/* The package's file that has the version (tools/packaging/hypervisor/lay-out.sh). */
#define INSTALLED "/boot/schedlog-xen-%s-" DEBIAN_ARCH ".version"

/* A dpkg trigger records Debian's version here (postinst.in there). */
#define DEBIAN "/var/lib/xensched-hypervisor/debian-%s"

/* The first line of the file @root/@path; "" if it cannot be read. */
static void read_line(char *line, size_t size, const char *root,
                      const char *path)
{
    char name[PATH_MAX];
    FILE *file;

    snprintf(name, sizeof(name), "%s%s", root, path);
    file = fopen(name, "r");
    if (!file || !fgets(line, size, file))
        *line = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (file)
        fclose(file);
}

static void read_running(struct hypervisor_versions *v, const char *root)
{
    char line[sizeof(CHANGESET) + VERSION_SIZE], major[4], minor[4];

    read_line(line, sizeof(line), root, "/sys/hypervisor/properties/changeset");
    if (!strncmp(line, CHANGESET, strlen(CHANGESET)))
        snprintf(v->running, sizeof(v->running), "%.*s", VERSION_SIZE - 1,
                 line + strlen(CHANGESET));
    read_line(major, sizeof(major), root, "/sys/hypervisor/version/major");
    read_line(minor, sizeof(minor), root, "/sys/hypervisor/version/minor");
    if (*major && *minor)
        snprintf(v->release, sizeof(v->release), "%s.%s", major, minor);
}

/* Without Xen, takes the release of the installed hypervisor. */
static void find_release(struct hypervisor_versions *v, const char *root)
{
    char pattern[PATH_MAX];
    glob_t found;

    snprintf(pattern, sizeof(pattern), "%s" INSTALLED, root, "*");
    if (!glob(pattern, 0, NULL, &found)) {
        sscanf(found.gl_pathv[0] + strlen(root),
               "/boot/schedlog-xen-%15[0-9.]-", v->release);
        globfree(&found);
    }
}

static void read_installed(struct hypervisor_versions *v, const char *root)
{
    char path[sizeof(INSTALLED) + sizeof(v->release)];

    if (!*v->release)
        find_release(v, root);
    snprintf(path, sizeof(path), INSTALLED, v->release);
    read_line(v->installed, sizeof(v->installed), root, path);
}

static void read_debian(struct hypervisor_versions *v, const char *root)
{
    char path[sizeof(DEBIAN) + sizeof(v->release)];

    snprintf(path, sizeof(path), DEBIAN, v->release);
    read_line(v->debian, sizeof(v->debian), root, path);
}

void hypervisor_versions_read(struct hypervisor_versions *versions,
                              const char *root)
{
    memset(versions, 0, sizeof(*versions));
    read_running(versions, root);
    read_installed(versions, root);
    read_debian(versions, root);
}

/* The rank of a character outside of numbers: ~, the end, letters, others. */
static int rank_character(char c)
{
    if (c == '~')
        return -1;
    if (!c || isdigit((unsigned char)c))
        return 0;

    return isalpha((unsigned char)c) ? c : c + 256;
}

static int compare_numbers(const char **a, const char **b)
{
    int first = 0;

    while (**a == '0')
        (*a)++;
    while (**b == '0')
        (*b)++;
    while (isdigit((unsigned char)**a) && isdigit((unsigned char)**b)) {
        first = first ?: **a - **b;
        (*a)++;
        (*b)++;
    }
    if (isdigit((unsigned char)**a))
        return 1;

    return isdigit((unsigned char)**b) ? -1 : first;
}

/* Compares upstream versions, or revisions, as deb-version(7) does. */
static int compare_parts(const char *a, const char *b)
{
    while (*a || *b) {
        int difference;

        while ((*a && !isdigit((unsigned char)*a)) ||
               (*b && !isdigit((unsigned char)*b))) {
            difference = rank_character(*a) - rank_character(*b);
            if (difference)
                return difference;
            a++;
            b++;
        }
        difference = compare_numbers(&a, &b);
        if (difference)
            return difference;
    }

    return 0;
}

/* Cuts the revision off @version and returns it. */
static const char *cut_revision(char *version)
{
    char *dash = strrchr(version, '-');

    if (!dash)
        return "";
    *dash = '\0';

    return dash + 1;
}

bool hypervisor_version_is_behind(const char *version, const char *debian)
{
    char a[VERSION_SIZE], b[VERSION_SIZE];
    const char *revision_a, *revision_b;
    int difference;

    if (!isdigit((unsigned char)*version))
        return true;
    /* Debian's versions of Xen have no epoch. */
    snprintf(a, sizeof(a), "%s", version);
    snprintf(b, sizeof(b), "%s", debian);
    revision_a = cut_revision(a);
    revision_b = cut_revision(b);
    difference = compare_parts(a, b) ?: compare_parts(revision_a, revision_b);

    return difference < 0;
}

/* The file by which XenServer and XCP-ng identify a host. */

#ifndef XAPI_INVENTORY
#define XAPI_INVENTORY "/etc/xensource-inventory"
#endif

bool xapi_is_here(void)
{
    return !access(XAPI_INVENTORY, F_OK);
}
