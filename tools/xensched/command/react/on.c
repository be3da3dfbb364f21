/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * xensched on: acts when something happens on this host.
 *
 * xenschedd reports the occasions; this program carries the actions out.  The condition "now" is
 * met at once; xenschedd uses it for the reactions of its configuration.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <xensched/stop.h>

#include "action.h"
#include "cli/option.h"
#include "command/ask/client.h"
#include "command/command.h"
#include "base/json.h"
#include "reaction/condition.h"
#include "reaction/reaction.h"
#include "runs/shell.h"

#define CONNECT_MS 5000U
#define LOOK_MS    200

#define MAX_ACTIONS 32
#define MAX_LINE    65536

struct on {
    const struct arguments *args;
    struct condition condition;
    const char *action[MAX_ACTIONS];
    unsigned int nr_actions;
    double every_s;
    uint64_t times;        /* 0: no limit */
    bool stops, pauses;
    int fd;
    char line[MAX_LINE];
    size_t length;
    unsigned int id;       /* the daemon's; 0: unknown yet */
    uint64_t done, failed, held_back;
};

/* The command line. */

static int collect_actions(struct on *on, struct xensched_error *err)
{
    const struct arguments *args = on->args;
    unsigned int i;
    int word;

    if (!args->nr_do)
        return xensched_fail(err, EINVAL, "an action is missing: give --do ACTION");
    if (args->nr_do > 1 && args->nr_words)
        return xensched_fail(err, EINVAL, "either one --do and all actions after "
                             "it, or a --do for each");
    if (args->nr_do + args->nr_words > MAX_ACTIONS)
        return xensched_fail(err, EINVAL, "more than %u actions", MAX_ACTIONS);
    for (i = 0; i < args->nr_do; i++)
        on->action[on->nr_actions++] = args->action_to_do[i];
    for (word = 0; word < args->nr_words; word++)
        on->action[on->nr_actions++] = args->word[word];

    return 0;
}

static bool has_guest(const struct on *on)
{
    return on->condition.kind == CONDITION_NOW
           ? getenv("XENSCHED_DOMID") && atoll(getenv("XENSCHED_DOMID")) >= 0
           : on->condition.domain[0];
}

static int check_actions(struct on *on, struct xensched_error *err)
{
    unsigned int i;
    int rc = 0;

    for (i = 0; !rc && i < on->nr_actions; i++) {
        rc = action_check(on->action[i], !i, has_guest(on), err);
        on->stops = on->stops || action_stops(on->action[i]);
        on->pauses = on->pauses || action_pauses(on->action[i]);
    }
    if (!rc && on->stops && on->condition.kind != CONDITION_NOW &&
        !condition_can_stop(&on->condition))
        rc = xensched_fail(err, EINVAL, "a guest can be stopped at a mark, or "
                           "when a thread gets or leaves a vCPU: use pause");

    return rc;
}

static void limit_times(struct on *on)
{
    unsigned int i;

    on->times = on->args->times_given ? on->args->times : 1;
    for (i = 0; !on->times && i < on->nr_actions; i++)
        if (reaction_leaves_files(on->action[i]))
            on->times = REACTION_MOST_FILES;
    if (on->args->times_given && on->times != on->args->times)
        complain("warning: ends after %" PRIu64 " times, since each leaves a "
                 "file; '--times N' sets another number", on->times);
}

static int look_at_arguments(struct on *on, struct xensched_error *err)
{
    const char *every = on->args->every;
    uint64_t every_ns = OPTION_S;
    int rc = condition_parse(on->args->action, &on->condition, err);

    if (!rc && every && !option_duration(every, OPTION_S, 0, 86400 * OPTION_S,
                                         &every_ns))
        rc = xensched_fail(err, EINVAL, "--every takes seconds from 0 to 86400, or "
                           "a time such as 20ms, not '%s'", every);
    on->every_s = (double)every_ns / OPTION_S;
    if (!rc)
        rc = collect_actions(on, err);
    if (!rc)
        rc = check_actions(on, err);
    if (!rc)
        limit_times(on);

    return rc;
}

/* Actions. */

static void set_number(const char *name, double number)
{
    char text[40];

    snprintf(text, sizeof(text), "%.15g", number);
    setenv(name, text, 1);
}

static void tell_shells(const struct occasion *o)
{
    setenv("XENSCHED_CONDITION", o->condition, 1);
    setenv("XENSCHED_DOMAIN", o->domain, 1);
    set_number("XENSCHED_DOMID", o->domid);
    set_number("XENSCHED_VALUE", o->value);
    setenv("XENSCHED_UNIT", o->unit, 1);
    set_number("XENSCHED_COUNT", o->count);
}

static int act_on(const struct on *on, const struct occasion *o,
                  struct xensched_error *err)
{
    unsigned int i;
    int rc = 0;

    tell_shells(o);
    client_join(o->socket);
    for (i = 0; !rc && i < on->nr_actions; i++) {
        if (on->args->dry_run) {
            if (!on->args->json)
                printf("would do: %s\n", on->action[i]);
            continue;
        }
        rc = stop_count() > 1
             ? xensched_fail(err, EINTR, "'%s' and what follows was not done: "
                             "interrupted", on->action[i])
             : action_do(on->action[i], o, err);
    }
    fflush(stdout);

    return rc;
}

/* Prints one line.  @late_ms < 0: unknown. */
static void print_json(const struct on *on, const struct occasion *o, double late_ms)
{
    json_object *json = json_object_new_object();
    json_object *actions = json_object_new_array();
    unsigned int i;

    json_add_text(json, "condition", o->condition);
    json_object_object_add(json, "domain", *o->domain ? json_new_text(o->domain) : NULL);
    json_object_object_add(json, "domid", o->domid < 0
                           ? NULL : json_object_new_int64(o->domid));
    json_add_exact(json, "value", o->value);
    json_object_object_add(json, "unit", *o->unit ? json_new_text(o->unit) : NULL);
    json_add_int(json, "count", o->count);
    json_object_object_add(json, "late_ns", late_ms < 0
                           ? NULL : json_object_new_int64(late_ms * OPTION_MS));
    json_add_bool(json, "dry_run", on->args->dry_run);
    for (i = 0; i < on->nr_actions; i++)
        json_object_array_add(actions, json_new_text(on->action[i]));
    json_object_object_add(json, "actions", actions);
    puts(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN |
                                        JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(json);
}

static void print_text(const struct occasion *o, double late_ms)
{
    printf("%s: %.15g%s%s, time %" PRIu64, o->condition, o->value,
           *o->unit ? " " : "", o->unit, o->count);
    if (late_ms >= 0)
        printf(", %.3f ms after it happened", late_ms);
    puts("");
}

/* This process unpauses the guest, because no other one does. */
static void leave_guest(const struct on *on, int64_t domid, int rc)
{
    enum xensched_stop state;

    if (!on->pauses || domid < 0 || on->args->dry_run ||
        xensched_stop_state(domid, &state, NULL) ||
        state != XENSCHED_STOP_STOPPED)
        return;
    if (rc)
        xensched_stop_resume(domid, NULL);
    else
        xensched_stop_forget(domid, NULL);
}

static int run_now(struct on *on, struct xensched_error *err)
{
    const char *domid = getenv("XENSCHED_DOMID"), *value, *count;
    struct occasion o = {
        .condition = getenv("XENSCHED_CONDITION"),
        .domain = getenv("XENSCHED_DOMAIN"),
        .domid = domid ? atoll(domid) : -1,
        .socket = on->args->socket,
    };
    int rc;

    value = getenv("XENSCHED_VALUE");
    count = getenv("XENSCHED_COUNT");
    o.condition = o.condition ? o.condition : "now";
    o.domain = o.domain ? o.domain : "";
    o.value = value ? strtod(value, NULL) : 0;
    o.unit = getenv("XENSCHED_UNIT");
    o.unit = o.unit ? o.unit : "";
    o.count = count ? strtoull(count, NULL, 10) : 1;
    if (on->args->json)
        print_json(on, &o, -1);
    rc = act_on(on, &o, err);
    leave_guest(on, o.domid, rc);

    return rc;
}

/* Communication with the daemon. */

static int say_request(struct on *on, json_object *request,
                       struct xensched_error *err)
{
    const char *text = json_object_to_json_string_ext(request,
                                                      JSON_C_TO_STRING_PLAIN);
    size_t length = strlen(text);
    int rc = 0;

    if (send(on->fd, text, length, MSG_NOSIGNAL | MSG_MORE) != (ssize_t)length ||
        send(on->fd, "\n", 1, MSG_NOSIGNAL) != 1)
        rc = xensched_fail(err, EPIPE, "xenschedd has ended");
    json_object_put(request);

    return rc;
}

static int ask_reaction(struct on *on, struct xensched_error *err)
{
    json_object *request = json_object_new_object();

    json_add_text(request, "command", "on");
    json_add_text(request, "condition", on->args->action);
    json_add_int(request, "times", on->times);
    json_add_exact(request, "every_s", on->every_s);
    json_add_bool(request, "stop", on->stops);
    json_add_bool(request, "pauses", on->pauses);
    json_add_bool(request, "dry_run", on->args->dry_run);

    return say_request(on, request, err);
}

static int report_outcome(struct on *on, const char *failure, struct xensched_error *err)
{
    json_object *request = json_object_new_object();

    json_add_text(request, "command", "reacted");
    json_add_int(request, "id", on->id);
    if (failure)
        json_add_text(request, "failure", failure);

    return say_request(on, request, err);
}

static int react_to(struct on *on, const json_object *fired,
                    struct xensched_error *err)
{
    const char *domain = json_text(fired, "domain");
    struct occasion o = {
        .condition = on->args->action,
        .domain = domain ? domain : "",
        .domid = json_number(fired, "domid", -1),
        .value = json_number(fired, "value", 0),
        .unit = condition_unit(&on->condition),
        .count = json_number(fired, "count", 0),
        .socket = on->args->socket,
    };
    double late_ms;
    int rc, told;

    on->id = json_number(fired, "id", 0);
    on->held_back = json_number(fired, "held_back", 0);
    late_ms = json_number(fired, "late_ms", -1);
    if (on->args->json)
        print_json(on, &o, late_ms);
    else
        print_text(&o, late_ms);
    fflush(stdout);
    rc = act_on(on, &o, err);
    *(rc ? &on->failed : &on->done) += 1;
    if (rc)
        complain("%s", err->text);
    told = report_outcome(on, rc ? err->text : NULL, err);
    if (told)
        leave_guest(on, o.domid, rc);

    return told;
}

static int take_line(struct on *on, size_t length, struct xensched_error *err)
{
    json_object *json = json_tokener_parse(on->line);
    json_object *fired = json_member(json, "fired", json_type_object), *result;
    int rc;

    if (fired) {
        rc = react_to(on, fired, err);
    } else {
        rc = client_understand(on->args->socket, on->line, length, &result, err);
        if (!rc)
            json_object_put(result);
    }
    json_object_put(json);

    return rc;
}

static int take_lines(struct on *on, struct xensched_error *err)
{
    char *end;
    int rc = 0;

    while (!rc && (end = memchr(on->line, '\n', on->length))) {
        size_t length = end - on->line;

        *end = '\0';
        rc = take_line(on, length, err);
        on->length -= length + 1;
        memmove(on->line, end + 1, on->length);
    }
    if (!rc && on->length == sizeof(on->line))
        rc = xensched_fail(err, EPROTO, "xenschedd's answer makes no sense");

    return rc;
}

static int read_event(struct on *on, struct xensched_error *err)
{
    struct pollfd fd = { .fd = on->fd, .events = POLLIN };
    ssize_t got;

    if (poll(&fd, 1, LOOK_MS) <= 0)
        return 0;
    got = recv(on->fd, on->line + on->length, sizeof(on->line) - on->length, 0);
    if (got <= 0)
        return xensched_fail(err, EPIPE, "xenschedd has ended");
    on->length += got;

    return take_lines(on, err);
}

static bool is_over(const struct on *on)
{
    return stop_count() || (on->times && on->done + on->failed >= on->times);
}

static int wait_and_react(struct on *on, struct xensched_error *err)
{
    int rc;

    on->fd = client_open(on->args->socket, CONNECT_MS, err);
    if (on->fd < 0)
        return on->fd;
    rc = ask_reaction(on, err);
    while (!rc && !is_over(on))
        rc = read_event(on, err);
    close(on->fd);

    return rc;
}

/* After an error, prints a sum only if there was anything before it. */
static void sum_up(const struct on *on, int rc)
{
    uint64_t met = on->done + on->failed;

    if (on->condition.kind != CONDITION_NOW && (!rc || met))
        fprintf(stderr, "met %" PRIu64 " time%s, %" PRIu64 " held back\n", met,
                met == 1 ? "" : "s", on->held_back);
}

static int run_on(const struct arguments *args)
{
    static struct on on;
    struct xensched_error err;
    int rc;

    on.args = args;
    if (look_at_arguments(&on, &err))
        return arguments_wrong(&command_on, "on: %s", err.text);
    stop_catch_signals();
    rc = on.condition.kind == CONDITION_NOW ? run_now(&on, &err)
                                            : wait_and_react(&on, &err);
    if (rc)
        complain("%s", err.text);
    sum_up(&on, rc);
    if (rc == -ECONNREFUSED || rc == -EACCES || rc == -ETIMEDOUT)
        return EXIT_NO_DAEMON;

    return rc || on.failed ? EXIT_FAILED : EXIT_OK;
}

const struct command command_on = {
    .name = "on",
    .summary = SUMMARY_ON,
    .help =
        "Wait until xenschedd finds the condition met, and perform the actions in order,\n"
        "until one fails. Conditions:\n"
        "  mark GUEST CODE                a guest makes this mark\n"
        "  switch-to GUEST THREAD         a thread of it, by PID or name, gets a vCPU\n"
        "  switch-from GUEST THREAD       or leaves one\n"
        "  wake-delay [GUEST] > TIME      or preempt-delay, service-ns: 5ms, 200us\n"
        "  runq > N, memory GUEST > PAGES, pmc0 GUEST > N\n"
        "  ready GUEST > N% [for TIME]    it waits for a pCPU; or service: it runs\n"
        "  wait GUEST > N% [for TIME]     it waits after wake-ups\n"
        "  rate GUEST OTHER > N [for TIME]  notifications per second\n"
        "  loss, regret, now              rows were lost; a move was undone; at once\n"
        "Actions: stop (first: the guest stops at that moment), pause, unpause, snapshot\n"
        "FILE, checkpoint FILE, stop-recording [SOCKET], journal TEXT, shell COMMAND.",
    .takes = ARGUMENT_SOCKET | ARGUMENT_JSON | ARGUMENT_CONDITION |
             ARGUMENT_REACTION,
    .run = run_on,
};
