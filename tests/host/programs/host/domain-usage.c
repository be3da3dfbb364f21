/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints how long the vCPUs of a domain have run, in ns, or how many pages it has, as Xen
 * accounts them.  xl rounds the time to a tenth of a second and the pages to MiB.
 *
 * Usage: domain-usage time|pages DOMID
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenctrl.h>

int main(int argc, char **argv)
{
    xc_interface *xch = xc_interface_open(NULL, NULL, 0);
    xc_domaininfo_t info;

    if (argc != 3 || (strcmp(argv[1], "time") && strcmp(argv[1], "pages")))
        errx(2, "usage: domain-usage time|pages DOMID");
    /* If there is no such domain, Xen describes the next one. */
    if (!xch || xc_domain_getinfolist(xch, atoi(argv[2]), 1, &info) != 1 ||
        info.domain != atoi(argv[2]))
        err(1, "domain %s", argv[2]);
    printf("%llu\n", (unsigned long long)(*argv[1] == 't' ? info.cpu_time : info.tot_pages));

    return 0;
}
