/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tries every operation of the log facility once and prints how Xen answered,
 * one "NAME ANSWER" per line; ANSWER is ok or the name of an errno.  For the
 * tests with a caller who may not, or with a Xen which does not know them.
 *
 *   hypercall-try DOMID    DOMID is the domain which bind and binding are about
 *
 * Exit code: 0 when everything was refused, 1 when anything was allowed.
 */

#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenctrl.h>
#include <xen/schedlog.h>

static int allowed;

static void show(const char *name, int result)
{
    if (result >= 0)
        allowed = 1;
    printf("%s %s\n", name, result >= 0 ? "ok" : strerrorname_np(errno));
}

static void try_all(xc_interface *xch, uint32_t domid)
{
    const uint32_t size = XC_PAGE_SIZE;
    xc_schedlog_info_t info;
    xen_schedlog_file_t file;
    uint64_t mfn;
    uint16_t acct;

    show("info", xc_schedlog_info(xch, &info));
    show("setup", xc_schedlog_setup(xch, 16, 1, &size));
    show("files", xc_schedlog_files(xch, 0, 1, &file));
    show("frames", xc_schedlog_frames(xch, XEN_SCHEDLOG_REGION_DATA, 0, 0, 1,
                                      &mfn));
    show("events", xc_schedlog_events(xch, 0));
    show("bind", xc_schedlog_bind(xch, domid, XEN_DOMCTL_SCHEDLOG_ALL_VCPUS,
                                  XEN_SCHEDLOG_ACCT_FIRST));
    show("binding", xc_schedlog_binding(xch, domid,
                                        XEN_DOMCTL_SCHEDLOG_ALL_VCPUS, &acct));
    show("release", xc_schedlog_release(xch));
}

int main(int argc, char **argv)
{
    xc_interface *xch;

    if (argc != 2) {
        fprintf(stderr, "usage: hypercall-try DOMID\n");
        return 2;
    }

    xch = xc_interface_open(NULL, NULL, 0);
    if (!xch)
        err(2, "cannot make hypercalls");
    try_all(xch, strtoul(argv[1], NULL, 0));
    xc_interface_close(xch);

    return allowed;
}
