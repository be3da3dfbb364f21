/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the names of accounting domains in a description of the host. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include <xensched/abi.h>

#include "base/text.h"
#include "base/alloc.h"
#include "model/snapshot.h"
#include "command/ask/client.h"
#include "acct-names.h"

/* Rows of a live log wait meanwhile; the log lasts for longer. */
#define TIMEOUT_MS 500U

#define NAME_TEXT (DOMAIN_NAME_TEXT + 16)
#define NR_ACCTS  (XEN_SCHEDLOG_ACCT_NONE + 1U)

struct acct_names {
    char *name[NR_ACCTS]; /* NULL: unknown */
    char *domain[NR_ACCTS]; /* by domid; NULL: unknown */
};

struct acct_names *acct_names_new(void)
{
    return need_memory(1, sizeof(struct acct_names));
}

static void forget_names(struct acct_names *names)
{
    unsigned int acct;

    for (acct = 0; acct < NR_ACCTS; acct++) {
        free(names->name[acct]);
        names->name[acct] = NULL;
        free(names->domain[acct]);
        names->domain[acct] = NULL;
    }
}

/* Names are untrusted. */
static char *printable_copy(const char *name)
{
    char *copy = need_string(name);

    printable(copy);

    return copy;
}

static void learn_domain(struct acct_names *names, const struct domains *domains,
                         const struct domain *d)
{
    char group[NAME_TEXT];

    if (d->name[0] && d->domid < NR_ACCTS && !names->domain[d->domid])
        names->domain[d->domid] = printable_copy(d->name);
    if (names->name[d->acct] || !(d->group[0] || d->name[0]))
        return;
    snprintf(group, sizeof(group), "(group %s)", d->group);
    names->name[d->acct] = printable_copy(domains_share(domains, d) ? group : d->name);
}

void acct_names_learn(struct acct_names *names, const char *text, size_t length)
{
    struct snapshot host;
    unsigned int i;

    if (snapshot_from_text(&host, text, length, NULL))
        return;
    forget_names(names);
    for (i = 0; i < host.domains.nr; i++)
        learn_domain(names, &host.domains, &host.domains.domain[i]);
    snapshot_free(&host);
}

int acct_names_ask(struct acct_names *names, const char *socket)
{
    struct json_object *host;
    const char *text;
    int rc = client_ask(socket, "host", NULL, TIMEOUT_MS, &host, NULL);

    if (rc)
        return rc;
    text = json_object_to_json_string_ext(host, JSON_C_TO_STRING_PLAIN);
    acct_names_learn(names, text, strlen(text));
    json_object_put(host);

    return 0;
}

const char *acct_names_of_domain(const struct acct_names *names, uint16_t domid)
{
    if (domid == XEN_SCHEDLOG_ACCT_NONE)
        return "none";

    return names->domain[domid] ? names->domain[domid] : text_format("%u", domid);
}

const char *acct_names_of(const struct acct_names *names, uint16_t acct)
{
    if (acct == XEN_SCHEDLOG_ACCT_REST)
        return "rest";
    if (acct == XEN_SCHEDLOG_ACCT_XEN)
        return "xen";
    if (acct == XEN_SCHEDLOG_ACCT_NONE)
        return "none";

    return names->name[acct] ? names->name[acct] : text_format("%u", acct);
}

void acct_names_free(struct acct_names *names)
{
    forget_names(names);
    free(names);
}
