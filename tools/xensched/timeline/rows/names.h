/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names.h - the names of the accounting domains of a recording.
 *
 * Names come from a recording and are untrusted: the code that shows one makes it harmless.
 */
#ifndef XENSCHED_TIMELINE_NAMES_H
#define XENSCHED_TIMELINE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpumap.h"

#define NAMES_ACCTS 65536U
#define NAMES_DOMIDS 65536U

/* A name of a domain or group, which finds its number. */
struct names_alias {
    char *name;
    uint16_t acct;
};

struct names {
    struct names_entry {
        char *text;         /* NULL: the recording has none */
        char *uuid;         /* of the domain that had the number first */
        uint32_t domid;     /* the latest one; of a group the first one's */
        unsigned int vcpus; /* of all its domains together; 0: unknown */
        bool driver;        /* it serves others */
    } *entry;               /* [NAMES_ACCTS] */
    int32_t *of_domid;      /* [NAMES_DOMIDS]: its number, or -1; kept after its end */
    struct names_alias *alias;
    size_t nr_aliases, aliases_room;
    unsigned int told;  /* number of valid descriptions */
    unsigned int untold;    /* number of invalid descriptions */
    uint32_t sampled;       /* mask of events of which only every nth makes a row */
    struct cpumap offline;  /* pCPUs that were offline at some time */
};

void names_init(struct names *names);
void names_free(struct names *names);

/*
 * Learns names from @text, which describes a host (docs/internals/recording-format.md).  A number
 * that stands for another domain later has both names.
 */
void names_learn(struct names *names, const char *text, size_t length);

/* Never returns NULL; see text_format(). */
const char *names_of(const struct names *names, uint16_t acct);

/* Returns the accounting domain that @domid has or had; -1: none. */
int names_of_domid(const struct names *names, uint32_t domid);

/*
 * Returns the accounting domain with the name @name, or that of the domain or group with this name,
 * or of the domain with this domid; -1: none.
 */
int names_find(const struct names *names, const char *name);

#endif /* XENSCHED_TIMELINE_NAMES_H */
