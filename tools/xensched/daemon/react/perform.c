/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perform.c - see perform.h.
 *
 * The actions are those of "xensched on", so that is what does them: "xensched on
 * now --do ACTION...", in a process of its own, which may take its time.
 */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/say.h"
#include "model/memory.h"
#include "perform.h"

#define MAX_ACTIONS 16

extern char **environ;

/* The one that was installed, or built, with us; else any. */
static const char *command(char path[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    char *name;

    if (length > 0) {
        path[length] = '\0';
        name = strrchr(path, '/');
        if (name && name + sizeof("/xensched") <= path + PATH_MAX) {
            strcpy(name, "/xensched");
            if (!access(path, X_OK))
                return path;
        }
    }

    return "xensched";
}

static void set_number(const char *name, double number)
{
    char text[40];

    snprintf(text, sizeof(text), "%.15g", number);
    setenv(name, text, 1);
}

/* What is in the environment of the daemon does no harm to the next one. */
static void set_environment(const struct entry *e)
{
    const struct reaction *r = e->reaction;

    setenv("XENSCHED_CONDITION", e->text, 1);
    setenv("XENSCHED_DOMAIN", r->condition.domain, 1);
    set_number("XENSCHED_DOMID", r->known ? (double)r->domid : -1);
    set_number("XENSCHED_VALUE", r->value);
    setenv("XENSCHED_UNIT", condition_unit(&r->condition), 1);
    set_number("XENSCHED_COUNT", r->fired);
}

static void ended(struct ev_loop *loop, ev_child *child, int events)
{
    struct entry *e = child->data;
    struct react *react = e->react;
    bool good = WIFEXITED(child->rstatus) && !WEXITSTATUS(child->rstatus);

    (void)events;
    ev_child_stop(loop, child);
    e->react = NULL;
    e->ended(react, e, good ? NULL : "an action failed");
}

static int start(const struct react *react, const struct entry *e, pid_t *pid)
{
    char path[PATH_MAX], *copy = need_string(e->actions), *rest = copy;
    char *argv[6 + MAX_ACTIONS] = {
        "xensched", "on", "now", "--socket", react->control->path, "--do",
    };
    unsigned int nr = 6;
    char *action;
    int code;

    while ((action = strsep(&rest, ";")) && nr < 5 + MAX_ACTIONS) {
        action += strspn(action, " ");
        if (*action)
            argv[nr++] = action;
    }
    set_environment(e);
    code = posix_spawnp(pid, command(path), NULL, NULL, argv, environ);
    free(copy);

    return code;
}

void perform(struct react *react, struct entry *e)
{
    pid_t pid;
    int code = start(react, e, &pid);

    if (code) {
        say("reaction '%s': cannot start 'xensched on': %s", e->text,
            strerror(code));
        e->ended(react, e, "its actions could not be started");
        return;
    }
    e->react = react;
    ev_child_init(&e->child, ended, pid, 0);
    e->child.data = e;
    ev_child_start(react->loop, &e->child);
}
