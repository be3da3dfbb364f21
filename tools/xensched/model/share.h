/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * share.h - what each gets of pCPUs that are not enough for all: none more
 * than it wants, and those that want more in proportion to their weights.
 * So do credit and credit2 in the long run, where vCPUs can go to all of these
 * pCPUs.
 */
#ifndef XENSCHED_MODEL_SHARE_H
#define XENSCHED_MODEL_SHARE_H

/* Of a domain whose weight is not known: Xen's default. */
#define SHARE_WEIGHT 256U

struct share {
    double want;         /* pCPUs; runnable_demand() */
    unsigned int weight; /* 0: not known */
    double got;          /* OUT */
};

/* The order of @shares stays; takes nr * log(nr) steps. */
void share_out(struct share *shares, unsigned int nr, double pcpus);

#endif /* XENSCHED_MODEL_SHARE_H */
