/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the network cards of guests from xenstore.  The nodes that it reads belong to
 * back ends and to the toolstack; a guest cannot write them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cards.h"
#include "lib/area/xenstore-open.h"

#define MAX_PATH 128U

/* The value at @path as text; false: there is none, or it is too long. */
static bool read_text(struct xs_handle *xs, const char *path, char *text,
                      size_t size)
{
    unsigned int length = 0;
    char *value = xs_read(xs, XBT_NULL, path, &length);
    bool good = value && length < size;

    if (good) {
        memcpy(text, value, length);
        text[length] = '\0';
    }
    free(value);

    return good;
}

static bool is_number(const char *text, uint32_t *number)
{
    char *end;

    *number = strtoul(text, &end, 10);

    return *text >= '0' && *text <= '9' && !*end;
}

/* Its UUID and name, which dom0 can read. */
static void find_owner(struct xs_handle *xs, struct card *card)
{
    char path[MAX_PATH], vm[4 + sizeof(card->uuid)]; /* /vm/UUID */

    snprintf(path, sizeof(path), "/local/domain/%u/vm", card->domid);
    if (!read_text(xs, path, vm, sizeof(vm)) || strncmp(vm, "/vm/", 4))
        return;
    snprintf(path, sizeof(path), "/local/domain/%u/name", card->domid);
    if (read_text(xs, path, card->name, sizeof(card->name)))
        snprintf(card->uuid, sizeof(card->uuid), "%s", vm + 4);
}

/* A name that needs no quoting; nft and Linux take it as it is. */
static void find_interface(struct xs_handle *xs, const char *path,
                           struct card *card)
{
    const char *good = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                       "0123456789._-";

    if (!read_text(xs, path, card->interface, sizeof(card->interface)) ||
        card->interface[strspn(card->interface, good)])
        card->interface[0] = '\0';
}

static int make_room(struct cards *cards)
{
    struct card *more;

    if (cards->nr < cards->room)
        return 0;
    cards->room = cards->room ? 2 * cards->room : 64;
    more = realloc(cards->card, cards->room * sizeof(*more));
    if (!more)
        return -ENOMEM;
    cards->card = more;

    return 0;
}

/* One without a MAC yet, or with no proper one, is none. */
static int add_card(struct xs_handle *xs, const char *folder, uint32_t domid,
                    uint32_t number, struct cards *cards)
{
    struct card card = { .domid = domid, .number = number };
    char path[2 * MAX_PATH], mac[64];

    snprintf(path, sizeof(path), "%s/%u/%u/mac", folder, domid, number);
    if (!read_text(xs, path, mac, sizeof(mac)) || !mac_read(mac, card.mac))
        return 0;
    if (make_room(cards))
        return -ENOMEM;
    snprintf(path, sizeof(path), "%s/%u/%u/vifname", folder, domid, number);
    find_interface(xs, path, &card);
    find_owner(xs, &card);
    cards->card[cards->nr++] = card;

    return 0;
}

/* Calls @each for the names below @path that are numbers. */
static int for_numbers(struct xs_handle *xs, const char *path,
                       int (*each)(struct xs_handle *xs, const char *path,
                                   uint32_t number, struct cards *cards),
                       struct cards *cards)
{
    unsigned int i, nr = 0;
    char **names = xs_directory(xs, XBT_NULL, path, &nr);
    uint32_t number;
    int rc = 0;

    for (i = 0; names && !rc && i < nr; i++)
        if (is_number(names[i], &number))
            rc = each(xs, path, number, cards);
    free(names);

    return rc;
}

/* @path is that of a domain's cards, in the back end's folder. */
static int take_card(struct xs_handle *xs, const char *path, uint32_t number,
                     struct cards *cards)
{
    const char *domain = strrchr(path, '/');
    char folder[MAX_PATH];
    uint32_t domid;

    snprintf(folder, sizeof(folder), "%.*s", (int)(domain - path), path);

    return is_number(domain + 1, &domid)
           ? add_card(xs, folder, domid, number, cards) : 0;
}

static int take_domain(struct xs_handle *xs, const char *path, uint32_t domid,
                       struct cards *cards)
{
    char cards_of[MAX_PATH];

    snprintf(cards_of, sizeof(cards_of), "%s/%u", path, domid);

    return for_numbers(xs, cards_of, take_card, cards);
}

static int take_backend(struct xs_handle *xs, const char *path, uint32_t domid,
                        struct cards *cards)
{
    char folder[MAX_PATH];

    snprintf(folder, sizeof(folder), "%s/%u/backend/vif", path, domid);

    return for_numbers(xs, folder, take_domain, cards);
}

int cards_read(struct cards *cards, struct xensched_error *err)
{
    struct xs_handle *xs = xensched_xenstore_open(err);
    int rc;

    *cards = (struct cards){ 0 };
    if (!xs)
        return -EIO;
    rc = for_numbers(xs, "/local/domain", take_backend, cards);
    /* A driver domain sees its own folder only. */
    if (!rc && !cards->nr)
        rc = for_numbers(xs, "backend/vif", take_domain, cards);
    xs_close(xs);
    if (rc) {
        cards_free(cards);
        return xensched_fail(err, -rc, "out of memory");
    }

    return 0;
}

void cards_free(struct cards *cards)
{
    free(cards->card);
    *cards = (struct cards){ 0 };
}

/* NULL: there is none. */
static const struct card *find_card(const struct cards *cards, uint32_t domid, uint32_t number)
{
    size_t i;

    for (i = 0; i < cards->nr; i++)
        if (cards->card[i].domid == domid && cards->card[i].number == number)
            return &cards->card[i];

    return NULL;
}

const struct card *cards_of_interface(const struct cards *cards,
                                      const char *name)
{
    size_t i, length = strlen(name), emulated = strlen("-emu");
    uint32_t domid, number;

    if (length > emulated && !strcmp(name + length - emulated, "-emu"))
        length -= emulated;
    for (i = 0; i < cards->nr; i++)
        if (strlen(cards->card[i].interface) == length &&
            !strncmp(cards->card[i].interface, name, length))
            return &cards->card[i];

    return sscanf(name, "vif%u.%u", &domid, &number) == 2
           ? find_card(cards, domid, number) : NULL;
}
