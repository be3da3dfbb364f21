/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets and restores Xen's parameter credit2_soft_weight. */
#include <errno.h>

#include "base/message.h"
#include "soft-weight.h"

static void journal_weight(struct soft_weight *w, const char *what, uint32_t percent)
{
    json_object *details = json_object_new_object();

    json_add_int(details, "credit2_soft_weight", percent);
    journal_write(w->actuator->journal, what, details);
}

static void say_failed(struct soft_weight *w, const struct xensched_error *err)
{
    if (err->code == -ENOENT && !w->missing)
        say("this Xen's credit2 does not heed soft affinities: there is no "
            "credit2_soft_weight");
    else if (err->code != -ENOENT && !w->failed)
        say("%s", err->text);
    w->missing = w->missing || err->code == -ENOENT;
    w->failed = true;
}

/* Writes the change to the disk before it is made. */
static int announce_weight(struct soft_weight *w, uint32_t original,
                           struct xensched_error *err)
{
    struct state_weight *known = &w->actuator->state.weight;
    int rc;

    *known = (struct state_weight){ true, original, w->percent };
    rc = actuator_keep(w->actuator, err);
    if (rc)
        *known = (struct state_weight){ 0 };

    return rc;
}

static void forget_original(struct soft_weight *w)
{
    struct xensched_error err;

    w->actuator->state.weight = (struct state_weight){ 0 };
    if (actuator_keep(w->actuator, &err))
        say("%s", err.text);
}

void soft_weight_raise(struct soft_weight *w)
{
    const struct state_weight *known = &w->actuator->state.weight;
    const struct host *host = w->actuator->host;
    struct xensched_error err;
    uint32_t original;
    int rc;

    if (known->changed && known->ours != w->percent)
        soft_weight_restore(w);
    if (!w->percent || w->missing || known->changed)
        return;
    rc = host->get_soft_weight(host->data, &original, &err);
    /* If another program has set this value, it is not the daemon's to restore. */
    if (!rc && original == w->percent)
        return;
    if (!rc)
        rc = announce_weight(w, original, &err);
    if (!rc)
        rc = host->set_soft_weight(host->data, w->percent, &err);
    if (rc) {
        say_failed(w, &err);
        /* Not retried in each plan, because each attempt writes the state file twice. */
        if (known->changed) {
            w->missing = true;
            forget_original(w);
        }
        return;
    }
    w->failed = false;
    journal_weight(w, "soft-weight", w->percent);
}

void soft_weight_restore(struct soft_weight *w)
{
    const struct state_weight known = w->actuator->state.weight;
    const struct host *host = w->actuator->host;
    struct xensched_error err;
    uint32_t now;
    int rc;

    if (!known.changed)
        return;
    rc = host->get_soft_weight(host->data, &now, &err);
    if (!rc && now == known.ours) {
        rc = host->set_soft_weight(host->data, known.original, &err);
        if (!rc)
            journal_weight(w, "soft-weight", known.original);
    } else if (!rc && now != known.original) {
        say("another program has set credit2_soft_weight to %u since: it is left "
            "as it is", now);
    }
    /* After a boot into another Xen there is no weight to restore. */
    if (rc && rc != -ENOENT) {
        say_failed(w, &err);
        return;
    }
    forget_original(w);
}
