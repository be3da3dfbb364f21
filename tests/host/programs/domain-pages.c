/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Print how many pages a domain has, as Xen accounts it.  xl rounds it to MiB.
 *
 * Usage: domain-pages DOMID
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>

#include <xenctrl.h>

int main(int argc, char **argv)
{
    xc_interface *xch = xc_interface_open(NULL, NULL, 0);
    xc_domaininfo_t info;

    if (argc != 2)
        errx(2, "usage: domain-pages DOMID");
    /* It is of the next one if there is no such domain. */
    if (!xch || xc_domain_getinfolist(xch, atoi(argv[1]), 1, &info) != 1 ||
        info.domain != atoi(argv[1]))
        err(1, "domain %s", argv[1]);
    printf("%llu\n", (unsigned long long)info.tot_pages);

    return 0;
}
