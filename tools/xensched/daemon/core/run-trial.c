/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connects a trial to the daemon: its clock, its file, its journal and its plans.  The
 * plan restores the guests that the trial sets aside, by the mark in struct domain.
 */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "daemon/act/trial-file.h"
#include "base/message.h"
#include "run-trial.h"

/* A trial that cannot be written ends with this daemon; that is reported once. */
static void save_trial(struct core *core)
{
    struct xensched_error err;

    if (!core->settings.trial_path)
        return;
    if (!trial_save(&core->trial, core->settings.trial_path, &err)) {
        core->trial_unsaved = false;
        return;
    }
    if (!core->trial_unsaved)
        say("%s; until it can be written, a restart forgets what the trial found",
            err.text);
    core->trial_unsaved = true;
}

/* A dry run has only one kind of block. */
static void write_blocks(const struct core *core,
                         int (*write)(const struct trial *t, const char *path,
                                      struct xensched_error *err))
{
    const char *path = core->settings.trial_blocks_path;
    struct xensched_error err;

    if (path && !core->trial.settings.dry_run && write(&core->trial, path, &err))
        say("%s; 'xensched runs import' cannot read these blocks", err.text);
}

static void keep_pair(struct core *core)
{
    save_trial(core);
    write_blocks(core, trial_blocks_add);
}

void run_trial_open(struct core *core)
{
    struct xensched_error err;

    if (core->settings.trial_path &&
        trial_load(&core->trial, core->settings.trial_path, &err))
        say("%s", err.text);
}

static void journal_trial(struct core *core, const char *what)
{
    json_object *details = json_object_new_object();
    char verdict[TRIAL_VERDICT];

    trial_verdict(&core->trial, verdict);
    json_add_int(details, "blocks", 2 * core->trial.done);
    json_add_text(details, "reason", verdict);
    journal_write(&core->journal, what, details);
}

static void journal_harmed(struct core *core)
{
    unsigned int i;

    for (i = 0; i < core->trial.nr; i++) {
        const struct trial_guest *guest = &core->trial.guests[i];
        const struct domain *d = domains_find_name(&core->domains, guest->name);

        if (guest->news && d)
            journal_domain(&core->journal, "trial-harm", d, "%s", guest->reason);
    }
}

static void report_end(struct core *core)
{
    char verdict[TRIAL_VERDICT];

    trial_verdict(&core->trial, verdict);
    say("the trial has ended: %s", verdict);
    journal_trial(core, "trial-end");
}

bool run_trial(struct core *core, uint64_t now_ns)
{
    bool harmful = false;
    unsigned int i;

    switch (trial_step(&core->trial, core->matrix, &core->domains,
                       core->mode == MODE_ACT, now_ns, time(NULL))) {
    case TRIAL_GOES_ON:
    case TRIAL_NEW_BLOCK:
        break;
    case TRIAL_NEW_PAIR:
        journal_harmed(core);
        keep_pair(core);
        break;
    case TRIAL_ENDED:
        journal_harmed(core);
        report_end(core);
        keep_pair(core);
        harmful = core->trial.state == TRIAL_HARMFUL;
        break;
    }
    for (i = 0; i < core->domains.nr; i++) {
        struct domain *d = &core->domains.domain[i];

        d->aside = trial_aside(&core->trial, d);
        d->tried = trial_tries(&core->trial, d);
    }

    return harmful;
}

static int refuse_trial(const struct core *core, const struct trial_settings *s,
                        struct xensched_error *err)
{
    if (core->trial.state == TRIAL_RUNNING)
        return xensched_fail(err, EBUSY, "a trial is running ('xensched trial "
                             "show'); 'xensched trial stop' ends it");
    if (core->mode == MODE_OBSERVE)
        return xensched_fail(err, EPERM, "in mode observe no guest is placed, so "
                             "there is nothing to try ('xensched act')");
    if (core->mode != MODE_ACT && !s->dry_run)
        return xensched_fail(err, EPERM, "in mode %s no guest is placed: a trial "
                             "needs mode act ('xensched act'), a dry run does not",
                             mode_name(core->mode));

    return 0;
}

int run_trial_start(struct core *core, const struct trial_settings *settings,
                    struct xensched_error *err)
{
    int rc = refuse_trial(core, settings, err);

    if (rc) {
        free(settings->names);
        return rc;
    }
    trial_start(&core->trial, settings, time(NULL));
    journal_trial(core, "trial-start");
    save_trial(core);
    write_blocks(core, trial_blocks_begin);

    return 0;
}

int run_trial_stop(struct core *core, struct xensched_error *err)
{
    if (core->trial.state != TRIAL_RUNNING)
        return xensched_fail(err, ESRCH, "no trial is running");
    trial_stop(&core->trial, TRIAL_STOPPED, time(NULL));
    journal_trial(core, "trial-end");
    save_trial(core);

    return 0;
}

void run_trial_release(struct core *core, const struct domain *d)
{
    if (trial_release(&core->trial, d->name))
        save_trial(core);
}
