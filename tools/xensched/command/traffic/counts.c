/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counts.c - see counts.h.
 *
 * A set of nftables in which each frame that enters a bridge from a guest adds to
 * the element of its interface and the MAC that it is for.  The interface says who
 * sent it, whatever the frame says.  A guest may send to any number of MACs: the set
 * is limited, and forgets those that were not sent to for some time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command/program.h"
#include "counts.h"
#include "model/json.h"

/* Longer than the range of the rates that are made of it, which is 5 minutes. */
#define RULES \
    "table bridge xensched\n" \
    "delete table bridge xensched\n" \
    "table bridge xensched {\n" \
    "  set sent {\n" \
    "    type ifname . ether_addr; flags dynamic,timeout;\n" \
    "    timeout 15m; size 16384;\n" \
    "  }\n" \
    "  chain from_guests {\n" \
    "    type filter hook prerouting priority -400; policy accept;\n" \
    "    iifname \"vif*\" ether daddr & 01:00:00:00:00:00 == 0:0:0:0:0:0" \
    " update @sent { iifname . ether daddr counter }\n" \
    "  }\n" \
    "}\n"

/* The set when it is full, with much room. */
#define MOST ((size_t)16 << 20)

static int nft(const char *const *argv, const char *input,
               struct program_end *end, struct xensched_error *err)
{
    struct program program = { .argv = argv, .input = input, .most = MOST };
    int rc = program_run(&program, end, err);

    if (rc == -ENOENT)
        return xensched_fail(err, ENOENT, "there is no program 'nft', by which "
                             "traffic is counted: install the package "
                             "nftables");
    if (rc || !end->code)
        return rc;
    free(end->out);

    return xensched_fail(err, EIO, "nft could not do it (is the user root, and "
                         "has the kernel nf_tables?): %s", end->says);
}

static int order(const void *a, const void *b)
{
    const struct count *one = a, *other = b;

    if (one->domid != other->domid)
        return one->domid < other->domid ? -1 : 1;
    if (one->card != other->card)
        return one->card < other->card ? -1 : 1;

    return strcmp(one->peer, other->peer);
}

static int most_first(const void *a, const void *b)
{
    const struct count *one = a, *other = b;

    if (one->bytes != other->bytes)
        return one->bytes > other->bytes ? -1 : 1;

    return order(a, b);
}

/* The emulated and the other interface of a card are one. */
static void sum_up(struct counts *counts)
{
    size_t i, nr = 0;

    qsort(counts->count, counts->nr, sizeof(*counts->count), order);
    for (i = 0; i < counts->nr; i++)
        if (nr && !order(&counts->count[nr - 1], &counts->count[i]))
            counts->count[nr - 1].bytes += counts->count[i].bytes;
        else
            counts->count[nr++] = counts->count[i];
    counts->nr = nr;
    qsort(counts->count, counts->nr, sizeof(*counts->count), most_first);
}

/* [ INTERFACE, MAC ] */
static bool take_key(json_object *key, struct count *count)
{
    const char *name, *mac;

    if (!key || json_object_array_length(key) != 2)
        return false;
    name = json_object_get_string(json_object_array_get_idx(key, 0));
    mac = json_object_get_string(json_object_array_get_idx(key, 1));

    return name && mac &&
           sscanf(name, "vif%u.%u", &count->domid, &count->card) == 2 &&
           mac_read(mac, count->peer);
}

/* { "elem": { "val": { "concat": KEY }, "counter": { "bytes": N } } } */
static bool take_element(const json_object *element, struct count *count)
{
    json_object *inner = json_member(element, "elem", json_type_object);
    json_object *value = json_member(inner, "val", json_type_object);
    json_object *counter = json_member(inner, "counter", json_type_object);
    json_object *bytes = json_member(counter, "bytes", json_type_int);

    if (!bytes)
        return false;
    count->bytes = json_object_get_uint64(bytes);

    return take_key(json_member(value, "concat", json_type_array), count);
}

/* Of { "nftables": [ ..., { "set": { ... } } ] }; NULL: there is none. */
static json_object *set_of(const json_object *answer)
{
    json_object *list = json_member(answer, "nftables", json_type_array);
    json_object *set = NULL;
    size_t i;

    for (i = 0; list && !set && i < json_object_array_length(list); i++)
        set = json_member(json_object_array_get_idx(list, i), "set",
                          json_type_object);

    return set;
}

static int take_answer(const char *text, struct counts *counts,
                       struct xensched_error *err)
{
    json_object *answer = json_tokener_parse(text), *set = set_of(answer);
    json_object *elements = json_member(set, "elem", json_type_array);
    size_t i, nr = elements ? json_object_array_length(elements) : 0;
    int rc = 0;

    counts->nr = 0;
    counts->count = calloc(nr + 1, sizeof(*counts->count));
    if (!counts->count)
        rc = xensched_fail(err, ENOMEM, "out of memory");
    else if (!set)
        rc = xensched_fail(err, EPROTO, "what nft says of its set makes no "
                           "sense: %.60s", text);
    for (i = 0; !rc && i < nr; i++)
        counts->nr += take_element(json_object_array_get_idx(elements, i),
                                   &counts->count[counts->nr]);
    if (rc)
        counts_free(counts);
    else
        sum_up(counts);
    json_object_put(answer);

    return rc;
}

int counts_begin(struct xensched_error *err)
{
    static const char *const argv[] = { "nft", "-f", "-", NULL };
    struct program_end end;
    int rc = nft(argv, RULES, &end, err);

    if (!rc)
        free(end.out);

    return rc;
}

int counts_read(struct counts *counts, struct xensched_error *err)
{
    static const char *const argv[] = {
        "nft", "-j", "list", "set", "bridge", "xensched", "sent", NULL
    };
    struct program_end end;
    int rc = nft(argv, "", &end, err);

    if (rc)
        return rc;
    rc = take_answer(end.out, counts, err);
    free(end.out);

    return rc;
}

void counts_free(struct counts *counts)
{
    free(counts->count);
    counts->count = NULL;
    counts->nr = 0;
}

void counts_end(void)
{
    static const char *const argv[] = {
        "nft", "delete", "table", "bridge", "xensched", NULL
    };
    struct xensched_error err;
    struct program_end end;

    /* Somebody may have deleted it already. */
    if (!nft(argv, "", &end, &err))
        free(end.out);
}
