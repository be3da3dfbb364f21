/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints how long the vCPUs of domains have run, in ns, or how many pages they have, as Xen
 * accounts them: the sum for all domains.  xl rounds the time to a tenth of a second and the
 * pages to MiB.
 *
 * Usage: domain-usage time|pages DOMID...
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenctrl.h>

int main(int argc, char **argv)
{
    xc_interface *xch = xc_interface_open(NULL, NULL, 0);
    unsigned long long sum = 0;

    if (argc < 3 || (strcmp(argv[1], "time") && strcmp(argv[1], "pages")))
        errx(2, "usage: domain-usage time|pages DOMID...");
    for (char **domid = argv + 2; *domid; domid++) {
        xc_domaininfo_t info;

        /* If there is no such domain, Xen describes the next one. */
        if (!xch || xc_domain_getinfolist(xch, atoi(*domid), 1, &info) != 1 ||
            info.domain != atoi(*domid))
            err(1, "domain %s", *domid);
        sum += *argv[1] == 't' ? info.cpu_time : info.tot_pages;
    }
    printf("%llu\n", sum);

    return 0;
}
