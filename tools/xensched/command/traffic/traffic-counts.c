/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts frames with a set of nftables.
 *
 * Each frame that enters a bridge from a guest adds to the element of its interface and
 * its destination MAC. The interface is the sender's, whatever the frame contains;
 * interfaces that an operator named are in a set.  A guest can send to any number of
 * MACs, so the set is limited and forgets a MAC that receives nothing for some time.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/program.h"
#include "traffic-counts.h"
#include "base/json.h"

/* Longer than the range of the rates that are made of it, which is 5 minutes. */
#define RULES \
    "table bridge xensched\n" \
    "delete table bridge xensched\n" \
    "table bridge xensched {\n" \
    "  set sent {\n" \
    "    type ifname . ether_addr; flags dynamic,timeout;\n" \
    "    timeout 15m; size 16384;\n" \
    "  }\n" \
    "  set named {\n" \
    "    type ifname;\n" \
    "  }\n" \
    "  chain from_guests {\n" \
    "    type filter hook prerouting priority -400; policy accept;\n" \
    "    iifname \"vif*\" ether daddr & 01:00:00:00:00:00 == 0:0:0:0:0:0" \
    " update @sent { iifname . ether daddr counter }\n" \
    "    iifname != \"vif*\" iifname @named" \
    " ether daddr & 01:00:00:00:00:00 == 0:0:0:0:0:0" \
    " update @sent { iifname . ether daddr counter }\n" \
    "  }\n" \
    "}\n"
#define NR_RULES 2U

/* The set when it is full, with much room. */
#define MOST ((size_t)16 << 20)

static int run_nft(const char *const *argv, const char *input,
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

static int compare_counts(const void *a, const void *b)
{
    const struct count *one = a, *other = b;

    if (one->card != other->card)
        return one->card < other->card ? -1 : 1;

    return strcmp(one->peer, other->peer);
}

static int most_first(const void *a, const void *b)
{
    const struct count *one = a, *other = b;

    if (one->bytes != other->bytes)
        return one->bytes > other->bytes ? -1 : 1;

    return compare_counts(a, b);
}

/* The emulated and the other interface of a card are one. */
static void sum_up(struct counts *counts)
{
    size_t i, nr = 0;

    qsort(counts->count, counts->nr, sizeof(*counts->count), compare_counts);
    for (i = 0; i < counts->nr; i++)
        if (nr && !compare_counts(&counts->count[nr - 1], &counts->count[i]))
            counts->count[nr - 1].bytes += counts->count[i].bytes;
        else
            counts->count[nr++] = counts->count[i];
    counts->nr = nr;
    qsort(counts->count, counts->nr, sizeof(*counts->count), most_first);
}

/* [ INTERFACE, MAC ] */
static bool take_key(json_object *key, const struct cards *cards,
                     struct count *count)
{
    const char *name, *mac;

    if (!key || json_object_array_length(key) != 2)
        return false;
    name = json_object_get_string(json_object_array_get_idx(key, 0));
    mac = json_object_get_string(json_object_array_get_idx(key, 1));

    count->card = name ? cards_of_interface(cards, name) : NULL;

    return count->card && mac && mac_read(mac, count->peer);
}

/* { "elem": { "val": { "concat": KEY }, "counter": { "bytes": N } } } */
static bool take_element(const json_object *element, const struct cards *cards,
                         struct count *count)
{
    json_object *inner = json_member(element, "elem", json_type_object);
    json_object *value = json_member(inner, "val", json_type_object);
    json_object *counter = json_member(inner, "counter", json_type_object);
    json_object *bytes = json_member(counter, "bytes", json_type_int);

    if (!bytes)
        return false;
    count->bytes = json_object_get_uint64(bytes);

    return take_key(json_member(value, "concat", json_type_array), cards, count);
}

/* Used parts of { "nftables": [ ..., { "set": { "name": NAME, ... } }, { "rule": ... } ] } */
struct table {
    json_object *sent, *named; /* NULL: there is no such set */
    unsigned int rules;
};

static void look_at_table(const json_object *answer, struct table *table)
{
    json_object *list = json_member(answer, "nftables", json_type_array);
    size_t i;

    *table = (struct table){ .sent = NULL };
    for (i = 0; list && i < json_object_array_length(list); i++) {
        json_object *item = json_object_array_get_idx(list, i);
        json_object *set = json_member(item, "set", json_type_object);
        const char *name = json_text(set, "name");

        table->rules += json_member(item, "rule", json_type_object) != NULL;
        if (name && !strcmp(name, "sent"))
            table->sent = set;
        else if (name && !strcmp(name, "named"))
            table->named = set;
    }
}

static int take_counts(const struct table *table, const struct cards *cards,
                       struct counts *counts, struct xensched_error *err)
{
    json_object *elements = json_member(table->sent, "elem", json_type_array);
    size_t i, nr = elements ? json_object_array_length(elements) : 0;

    counts->nr = 0;
    counts->count = calloc(nr + 1, sizeof(*counts->count));
    if (!counts->count)
        return xensched_fail(err, ENOMEM, "out of memory");
    for (i = 0; i < nr; i++)
        counts->nr += take_element(json_object_array_get_idx(elements, i), cards,
                                   &counts->count[counts->nr]);
    sum_up(counts);

    return 0;
}

/* Cards come and go: the set of their interfaces is made again if it differs. */
static bool has_interface(json_object *elements, const char *name)
{
    size_t i;

    for (i = 0; elements && i < json_object_array_length(elements); i++) {
        const char *one = json_object_get_string(
            json_object_array_get_idx(elements, i));

        if (one && !strcmp(one, name))
            return true;
    }

    return false;
}

static bool are_named(const struct table *table, const struct cards *cards)
{
    json_object *elements = json_member(table->named, "elem", json_type_array);
    size_t i;

    for (i = 0; i < cards->nr; i++)
        if (cards->card[i].interface[0] &&
            !has_interface(elements, cards->card[i].interface))
            return false;

    return true;
}

/* Returns the input of nft, or NULL: no memory. */
static char *write_instructions(const char *first, const struct cards *cards)
{
    char *text = NULL;
    size_t length, i;
    FILE *out = open_memstream(&text, &length);

    if (!out)
        return NULL;
    fputs(first, out);
    for (i = 0; i < cards->nr; i++) {
        const char *name = cards->card[i].interface;

        if (!name[0])
            continue;
        fprintf(out, "add element bridge xensched named { \"%s\" }\n", name);
        if (strlen(name) + strlen("-emu") < CARD_INTERFACE_TEXT)
            fprintf(out, "add element bridge xensched named { \"%s-emu\" }\n",
                    name);
    }
    if (fclose(out)) {
        free(text);
        text = NULL;
    }

    return text;
}

static int instruct_nft(const char *first, const struct cards *cards,
                        struct xensched_error *err)
{
    static const char *const argv[] = { "nft", "-f", "-", NULL };
    char *text = write_instructions(first, cards);
    struct program_end end;
    int rc;

    if (!text)
        return xensched_fail(err, ENOMEM, "out of memory");
    rc = run_nft(argv, text, &end, err);
    if (!rc)
        free(end.out);
    free(text);

    return rc;
}

/* The name is free again when this process has ended, in whatever way. */
int counts_lock(struct xensched_error *err)
{
    static const char name[] = "xensched-traffic";
    struct sockaddr_un where = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    /* An abstract name is one of the network namespace, as the table is. */
    memcpy(where.sun_path + 1, name, sizeof(name));
    if (fd >= 0 && !bind(fd, (struct sockaddr *)&where,
                         offsetof(struct sockaddr_un, sun_path) + sizeof(name)))
        return 0;
    if (errno == EADDRINUSE)
        return xensched_fail(err, EBUSY, "another 'xensched traffic' counts "
                             "here: end it first");

    return xensched_fail(err, errno, "no socket: %s", strerror(errno));
}

int counts_begin(const struct cards *cards, struct xensched_error *err)
{
    return instruct_nft(RULES, cards, err);
}

static int take_answer(const char *text, const struct cards *cards,
                       struct counts *counts, struct xensched_error *err)
{
    json_object *answer = json_tokener_parse(text);
    struct table table;
    int rc;

    look_at_table(answer, &table);
    if (!json_member(answer, "nftables", json_type_array))
        rc = xensched_fail(err, EPROTO, "cannot parse what nft prints of its table: %.60s",
                           text);
    else if (!table.sent || !table.named || table.rules < NR_RULES)
        rc = xensched_fail(err, ESTALE, "another program has emptied the table "
                           "'bridge xensched'");
    else
        rc = take_counts(&table, cards, counts, err);
    if (!rc && !are_named(&table, cards))
        rc = instruct_nft("flush set bridge xensched named\n", cards, err);
    json_object_put(answer);

    return rc;
}

int counts_read(struct counts *counts, const struct cards *cards,
                struct xensched_error *err)
{
    static const char *const argv[] = {
        "nft", "-j", "list", "table", "bridge", "xensched", NULL
    };
    struct program_end end;
    int rc = run_nft(argv, "", &end, err);

    *counts = (struct counts){ 0 };
    if (rc == -EIO)
        return xensched_fail(err, ESTALE, "%s", err->text);
    if (rc)
        return rc;
    rc = take_answer(end.out, cards, counts, err);
    if (rc)
        counts_free(counts);
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

    /* Another program may have deleted it already. */
    if (!run_nft(argv, "", &end, &err))
        free(end.out);
}
