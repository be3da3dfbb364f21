/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps reactions, starts the actions of those in the configuration, and tells guests which threads
 * to watch.
 *
 * The actions are those of "xensched on", so "xensched on now --do ACTION..." performs them, in a
 * process of its own that may take any time.
 */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include <xensched/guest-watch.h>

#include "base/alloc.h"
#include "base/blocking-call.h"
#include "base/message.h"
#include "base/program.h"
#include "react-entry.h"

struct entry *entry_new(const struct react_settings *wanted)
{
    struct entry *e = need_memory(1, sizeof(*e));

    e->wanted = *wanted;
    e->text = need_string(wanted->condition);
    e->actions = wanted->actions ? need_string(wanted->actions) : NULL;
    e->wanted.condition = e->wanted.actions = NULL;

    return e;
}

void entry_free(struct entry *e)
{
    if (e->react)
        ev_child_stop(e->react->loop, &e->child);
    free(e->text);
    free(e->actions);
    free(e);
}

#define MAX_ACTIONS 16

extern char **environ;

#define MAX_TEXT (CONDITION_TEXT + 40)
#define NR_OURS  6

/* The environment of the actions; the daemon's own does not change. */
struct environment {
    char text[NR_OURS][MAX_TEXT];
    unsigned int nr;
    char **all; /* terminated by NULL */
};

static void set_text(struct environment *env, const char *name,
                     const char *value)
{
    snprintf(env->text[env->nr++], MAX_TEXT, "%s=%s", name, value);
}

static void set_number(struct environment *env, const char *name, double number)
{
    char text[40];

    snprintf(text, sizeof(text), "%.15g", number);
    set_text(env, name, text);
}

static void make_environment(struct environment *env, const struct entry *e)
{
    const struct reaction *r = e->reaction;
    unsigned int nr = 0, i;

    env->nr = 0;
    set_text(env, "XENSCHED_CONDITION", e->text);
    set_text(env, "XENSCHED_DOMAIN", r->condition.domain);
    set_number(env, "XENSCHED_DOMID", r->known ? (double)r->domid : -1);
    set_number(env, "XENSCHED_VALUE", r->value);
    set_text(env, "XENSCHED_UNIT", condition_unit(&r->condition));
    set_number(env, "XENSCHED_COUNT", r->fired);
    while (environ[nr])
        nr++;
    env->all = need_memory(NR_OURS + nr + 1, sizeof(*env->all));
    /* If a name occurs twice, getenv() finds the first. */
    for (i = 0; i < NR_OURS; i++)
        env->all[i] = env->text[i];
    memcpy(env->all + NR_OURS, environ, nr * sizeof(*env->all));
}

/* The reason of a failure by the exit status of the program; NULL: success. */
static const char *reason_of(int code)
{
    if (!code)
        return NULL;

    return code == EX_UNAVAILABLE ? "the package xensched-lab is not installed"
                                  : "an action failed";
}

static void handle_child_end(struct ev_loop *loop, ev_child *child, int events)
{
    struct entry *e = child->data;
    struct react *react = e->react;
    int code = WIFEXITED(child->rstatus) ? WEXITSTATUS(child->rstatus) : -1;

    (void)events;
    ev_child_stop(loop, child);
    e->react = NULL;
    e->ended(react, e, reason_of(code));
}

static int start_process(const struct react *react, const struct entry *e, pid_t *pid)
{
    char path[PATH_MAX], *copy = need_string(e->actions), *rest = copy;
    char *argv[6 + MAX_ACTIONS] = {
        "xensched", "on", "now", "--socket", react->control->path, "--do",
    };
    struct environment env;
    unsigned int nr = 6;
    char *action;
    int code;

    while ((action = strsep(&rest, ";")) && nr < 5 + MAX_ACTIONS) {
        action += strspn(action, " ");
        if (*action)
            argv[nr++] = action;
    }
    make_environment(&env, e);
    code = posix_spawnp(pid, sibling_path(path, "xensched"), NULL, NULL, argv, env.all);
    free(env.all);
    free(copy);

    return code;
}

void perform(struct react *react, struct entry *e)
{
    pid_t pid;
    int code = start_process(react, e, &pid);

    if (code) {
        say("reaction '%s': cannot start 'xensched on': %s", e->text,
            strerror(code));
        e->ended(react, e, "its actions could not be started");
        return;
    }
    e->react = react;
    ev_child_init(&e->child, handle_child_end, pid, 0);
    e->child.data = e;
    ev_child_start(react->loop, &e->child);
}

/* Watches. */

#define LINE_TEXT (sizeof("from-name ") + CONDITION_THREAD_TEXT)

static bool waits_for_thread(const struct reaction *r)
{
    return r->condition.kind == CONDITION_SWITCH_TO ||
           r->condition.kind == CONDITION_SWITCH_FROM;
}

static const struct reaction *in_slot(const struct reactions *list,
                                      const struct reaction *but, uint32_t slot)
{
    unsigned int i;

    for (i = 0; i < list->nr; i++)
        if (list->reaction[i] != but && waits_for_thread(list->reaction[i]) &&
            list->reaction[i]->slot == slot)
            return list->reaction[i];

    return NULL;
}

bool watches_free_slot(struct reactions *list, struct reaction *r)
{
    uint32_t slot = 0;

    while (slot < XENSCHED_CODE_SLOTS && in_slot(list, r, slot))
        slot++;
    if (r)
        r->slot = slot;

    return slot < XENSCHED_CODE_SLOTS;
}

static void add_line(char *text, const struct reaction *r)
{
    const struct condition *c = &r->condition;

    sprintf(text + strlen(text), "%s-%s %s",
            c->kind == CONDITION_SWITCH_TO ? "to" : "from",
            c->is_pid ? "pid" : "name", c->thread);
}

struct telling {
    uint32_t domid;
    const char *lines;
    struct xensched_error *err;
};

/* May wait for xenstored. */
static int write_watches(void *arg)
{
    const struct telling *t = arg;

    return xensched_guest_watch(t->domid, t->lines, t->err);
}

int watches_write(const struct reactions *list, uint32_t domid,
                  struct xensched_error *err)
{
    char text[XENSCHED_CODE_SLOTS * (LINE_TEXT + 1)] = "";
    struct telling telling = { domid, NULL, err };
    uint32_t slot;

    for (slot = 0; slot < XENSCHED_CODE_SLOTS; slot++) {
        const struct reaction *r = in_slot(list, NULL, slot);

        if (slot)
            strcat(text, "\n");
        if (!r || !r->known || r->domid != domid)
            continue;
        add_line(text, r);
        telling.lines = text;
    }

    return blocking_call(write_watches, &telling);
}
