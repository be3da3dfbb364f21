/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names.h - what the accounting domains of a recording are called.
 *
 * Names come from a recording and are untrusted: the code that shows one makes it
 * harmless.
 */
#ifndef XENSCHED_TIMELINE_NAMES_H
#define XENSCHED_TIMELINE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpumap.h"

#define NAMES_ACCTS 65536U
#define NAMES_DOMIDS 65536U

/* A name of a domain or group, by which its number is found. */
struct names_alias {
    char *name;
    uint16_t acct;
};

struct names {
    struct names_entry {
        char *text;         /* NULL: the recording has none */
        char *uuid;         /* of the domain that was named first */
        uint32_t domid;     /* the latest one; of a group the first one's */
        unsigned int vcpus; /* of all its domains together; 0: not known */
        bool driver;        /* it serves others */
    } *entry;               /* [NAMES_ACCTS] */
    int32_t *of_domid;      /* [NAMES_DOMIDS]: its number, or -1; also of one that ended */
    struct names_alias *alias;
    size_t nr_aliases, aliases_room;
    unsigned int told;  /* texts which were understood */
    unsigned int untold;    /* texts which were not understood */
    uint32_t sampled;       /* events of which only each n-th makes a row */
    struct cpumap offline;  /* pCPUs that were offline at some time */
};

void names_init(struct names *names);
void names_free(struct names *names);

/*
 * Learn from @text, which says what a host is (docs/internals/recording-format.md).  A
 * number which stands for another domain later has both names.
 */
void names_learn(struct names *names, const char *text, size_t length);

/* Never NULL; see text_format(). */
const char *names_of(const struct names *names, uint16_t acct);

/* The accounting domain which @domid has or had; -1: none. */
int names_of_domid(const struct names *names, uint32_t domid);

/*
 * The accounting domain called @name, or that of the domain or group with this name, or of the
 * domain with this domid; -1: none.
 */
int names_find(const struct names *names, const char *name);

#endif /* XENSCHED_TIMELINE_NAMES_H */
