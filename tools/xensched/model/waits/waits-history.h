/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * waits-history.h - declares the history of waits, in which words are sums of seconds: private to
 * waits.c, which writes it, and waits-report.c, which reads it.
 */
#ifndef XENSCHED_MODEL_WAITS_HISTORY_H
#define XENSCHED_MODEL_WAITS_HISTORY_H

#include "waits.h"

#define NS_PER_S 1000000000ULL

/*
 * The history names domains by identities of 16 bits.  An identity is used once, whereas
 * accounting domains are used again.  The first identities have a fixed meaning.
 */
enum { NO_DOMAIN, XEN = WAITS_XEN, REST, COUNTED, OFFLINE, CAUSED, MOVED, CUT, FIRST_IDENTITY };
#define NR_IDENTITIES 65536U

/* Words of the history.  The first kind is about a domain that waited: */
#define DOMAIN_SHIFT    48 /* identity */
#define NR_FOR_SHIFT 40 /* words of the second kind that follow */
#define NR_FOR_MAX   (255U - 4 - WAITS_CAUSES)
#define NR_BUCKETS_SHIFT 32 /* and then halves of the third kind */
#define NS_UNIT      64U /* low 32 bits: time in this unit, up to 274 s */
/*
 * The second kind, with identity and time as above, is what Xen counts (COUNTED, OFFLINE), or the
 * waits after wake-ups that no run ended (CUT), or one cause (CAUSED, with the cause in the place
 * of the numbers), or how often the domain moved, in the place of the time; or a domain for which
 * it waited, by one cause:
 */
#define NR_SHIFT     32 /* 16 bits, saturating */
#define NR_MAX       65535U
#define CAUSE_SHIFT  28
#define FOR_UNIT     1024U /* low 28 bits: time in this unit, up to 274 s */
#define FOR_MAX      0xfffffffU
/* The third kind has its waits after wake-ups, two in a word: */
#define BUCKET_SHIFT 24
#define BUCKET_MAX   0xffffffU

struct identity {
    uint16_t acct;
    int64_t domid;
    char *name;
};

struct culprit {
    uint32_t key; /* accounting domain; cause << 16 */
    uint64_t ns, nr;
};

/* The waits of one accounting domain in the present second. */
struct waiter {
    uint16_t acct;
    bool active;
    uint8_t cause;   /* of its latest wait, to which following rows of wait-part belong */
    uint32_t weight; /* of its latest wait */
    uint64_t ns, counted_ns, offline_ns, cut_ns, moves;
    unsigned int nr, room;
    struct culprit *culprit;
    uint64_t by_ns[WAITS_CAUSES];
    uint32_t bucket[WAITS_BUCKETS];
};

struct second {
    uint64_t number;
    uint64_t begin, end; /* positions, in words written so far */
};

struct waits {
    const struct matrix *matrix;
    struct identity *identity; /* [NR_IDENTITIES] */
    unsigned int next_identity;
    unsigned int nr_accts;
    uint16_t *identity_of; /* [acct]; NO_DOMAIN: none yet */
    struct waiter **waiter; /* [acct]; NULL: none yet */

    uint64_t now_s;
    unsigned int nr_active, active_room;
    uint16_t *active; /* accounting domains that have waited in this second */

    uint64_t *word;
    size_t nr_words;
    uint64_t pos; /* number of words written so far */
    struct second second[WAITS_SECONDS]; /* [number % WAITS_SECONDS] */
};

#endif /* XENSCHED_MODEL_WAITS_HISTORY_H */
