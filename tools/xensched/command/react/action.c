/* SPDX-License-Identifier: GPL-2.0-only */
/* Carries out the actions of xensched on. A new action is a row of the table. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <xensched/stop.h>

#include "action.h"
#include "command/ask/client.h"
#include "command/guest/checkpoint.h"
#include "command/rows/trigger.h"
#include "base/json.h"
#include "runs/shell.h"

#define JOURNAL_MS 5000U

enum argument { NONE, OPTIONAL, NEEDED };

/*
 * A file name with %n differs each time.  It is made absolute, because the program that writes it
 * may be in another folder.
 */
static int name_file(const char *text, const struct occasion *o,
                     char path[PATH_MAX], struct xensched_error *err)
{
    const char *place = strstr(text, "%n");
    int before = place ? place - text : (int)strlen(text), length;
    char number[24] = "", folder[PATH_MAX] = "";

    if (place)
        snprintf(number, sizeof(number), "%" PRIu64, o->count);
    if (*text != '/' && !getcwd(folder, sizeof(folder) - 1))
        return xensched_fail(err, errno, "the present folder has no name: %s",
                             strerror(errno));
    if (*text != '/')
        strcat(folder, "/");
    length = snprintf(path, PATH_MAX, "%s%.*s%s%s", folder, before, text,
                      number, place ? place + 2 : "");

    return length < PATH_MAX ? 0
                             : xensched_fail(err, ENAMETOOLONG, "'%s' is too "
                                             "long", text);
}

/* The hypervisor stopped the guest before it reported the event. */
static int do_stop(const char *text, const struct occasion *o,
                   struct xensched_error *err)
{
    (void)text;
    (void)o;
    (void)err;

    return 0;
}

static int do_pause(const char *text, const struct occasion *o,
                    struct xensched_error *err)
{
    (void)text;

    return xensched_stop_pause(o->domid, err);
}

static int do_unpause(const char *text, const struct occasion *o,
                      struct xensched_error *err)
{
    enum xensched_stop state;
    int rc = xensched_stop_state(o->domid, &state, err);

    (void)text;
    if (!rc && state != XENSCHED_STOP_STOPPED)
        rc = xensched_fail(err, EALREADY, "domain %" PRId64 " was not paused "
                           "by a reaction", o->domid);

    return rc ? rc : xensched_stop_resume(o->domid, err);
}

static int do_snapshot(const char *text, const struct occasion *o,
                       struct xensched_error *err)
{
    char path[PATH_MAX];
    int rc = name_file(text, o, path, err);

    return rc ? rc : trigger_pull(TRIGGER_DEFAULT_SOCKET, path, err);
}

static int do_checkpoint(const char *text, const struct occasion *o,
                         struct xensched_error *err)
{
    char path[PATH_MAX];
    const struct checkpoint checkpoint = { .domid = o->domid, .path = path };
    enum xensched_stop state = XENSCHED_STOP_OFF;
    int rc = name_file(text, o, path, err);

    if (!rc)
        rc = xensched_stop_state(o->domid, &state, err);
    if (!rc)
        rc = checkpoint_save(&checkpoint, err);
    /* The guest was resumed in order to be saved. */
    if (!rc && state == XENSCHED_STOP_STOPPED)
        rc = xensched_stop_pause(o->domid, err);

    return rc;
}

static int do_stop_recording(const char *text, const struct occasion *o,
                             struct xensched_error *err)
{
    (void)o;

    return trigger_pull(*text ? text : TRIGGER_DEFAULT_SOCKET, TRIGGER_STOP,
                        err);
}

static int say_note(int fd, const char *text, const struct occasion *o,
                    struct xensched_error *err)
{
    json_object *request = json_object_new_object();
    char line[4096], answer[1024] = "";
    json_object *result = NULL;
    ssize_t length;
    int rc;

    json_add_text(request, "command", "note");
    json_add_text(request, "text", text);
    length = snprintf(line, sizeof(line), "%s\n",
                      json_object_to_json_string_ext(request,
                                                     JSON_C_TO_STRING_PLAIN));
    json_object_put(request);
    if (length >= (ssize_t)sizeof(line))
        return xensched_fail(err, E2BIG, "a line of the journal has at most "
                             "1000 bytes");
    if (send(fd, line, length, MSG_NOSIGNAL) != length)
        return xensched_fail(err, errno, "xenschedd does not listen: %s",
                             strerror(errno));
    length = recv(fd, answer, sizeof(answer) - 1, 0);
    rc = client_understand(o->socket, answer,
                           length > 0 ? strcspn(answer, "\n") : 0, &result, err);
    json_object_put(result);

    return rc;
}

static int do_journal(const char *text, const struct occasion *o,
                      struct xensched_error *err)
{
    int fd = client_open(o->socket, JOURNAL_MS, err), rc;

    if (fd < 0)
        return fd;
    rc = say_note(fd, text, o, err);
    close(fd);

    return rc;
}

static int do_shell(const char *text, const struct occasion *o,
                    struct xensched_error *err)
{
    const struct shell_command command = {
        .text = text, .stops = stop_count(),
    };
    struct shell shell;
    int rc = shell_run(&shell, &command, err);

    (void)o;
    if (rc)
        return rc;
    fwrite(shell.output, 1, shell.length, stderr);
    if (shell.status)
        rc = xensched_fail(err, ECHILD, "'%s' ended with status %d", text,
                           shell.status);
    shell_free(&shell);

    return rc;
}

static const struct {
    const char *name;
    enum argument argument;
    const char *takes;
    bool needs_guest;
    int (*act)(const char *text, const struct occasion *o,
               struct xensched_error *err);
} actions[] = {
    { "stop", NONE, "", true, do_stop },
    { "pause", NONE, "", true, do_pause },
    { "unpause", NONE, "", true, do_unpause },
    { "snapshot", NEEDED, " FILE", false, do_snapshot },
    { "checkpoint", NEEDED, " FILE", true, do_checkpoint },
    { "stop-recording", OPTIONAL, " [SOCKET]", false, do_stop_recording },
    { "journal", NEEDED, " TEXT", false, do_journal },
    { "shell", NEEDED, " COMMAND", false, do_shell },
};

#define NR_ACTIONS (sizeof(actions) / sizeof(actions[0]))

/* Returns its row, or NR_ACTIONS, and sets its argument. */
static size_t find_action(const char *text, const char **argument)
{
    size_t length, i;

    text += strspn(text, " ");
    length = strcspn(text, " ");
    *argument = text + length + strspn(text + length, " ");
    for (i = 0; i < NR_ACTIONS; i++)
        if (strlen(actions[i].name) == length &&
            !strncmp(actions[i].name, text, length))
            break;

    return i;
}

int action_check(const char *text, bool first, bool has_guest,
                 struct xensched_error *err)
{
    const char *argument;
    size_t i = find_action(text, &argument);

    if (i == NR_ACTIONS)
        return xensched_fail(err, EINVAL, "there is no action '%s': stop, "
                             "pause, unpause, snapshot, checkpoint, "
                             "stop-recording, journal, shell", text);
    if ((actions[i].argument == NEEDED && !*argument) ||
        (actions[i].argument == NONE && *argument))
        return xensched_fail(err, EINVAL, "the action '%s' is not understood: "
                             "%s%s", text, actions[i].name, actions[i].takes);
    if (actions[i].needs_guest && !has_guest)
        return xensched_fail(err, EINVAL, "the action '%s' needs a guest, which "
                             "the condition has not", text);
    if (actions[i].act == do_stop && !first)
        return xensched_fail(err, EINVAL, "'stop' has to be the first action: "
                             "the guest is stopped before any other");

    return 0;
}

bool action_stops(const char *text)
{
    const char *argument;
    size_t i = find_action(text, &argument);

    return i < NR_ACTIONS && actions[i].act == do_stop;
}

bool action_pauses(const char *text)
{
    const char *argument;
    size_t i = find_action(text, &argument);

    return i < NR_ACTIONS && (actions[i].act == do_stop ||
                              actions[i].act == do_pause);
}

int action_do(const char *text, const struct occasion *o,
              struct xensched_error *err)
{
    const char *argument;
    size_t i = find_action(text, &argument);

    return actions[i].act(argument, o, err);
}
