/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks reactions in the daemon: a client learns that its condition is met, a guest stops if the
 * client asks for that, and no guest stays stopped if the client leaves in the middle.
 */
#include <ev.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <xensched/stop.h>

#include "cmocka-tap.h"
#include "core-world.h"
#include "fake-xenstore.h"
#include "harness.h"

#include "daemon/answer/answer.h"
#include "daemon/ending.h"
#include "daemon/react/reaction-line.h"

#define PATH "test-react.socket"

const char state_path[] = "test-react.state";
const char journal_path[] = "test-react.journal";

/* fake-xen.c */
uint32_t fake_xen_stop(void);
void fake_xen_reach(uint32_t code);

static struct control control;
static struct ev_loop *loop;
static struct react react;
static struct log_sources sources;

static char *reply(void *arg, const char *line, size_t length)
{
    struct subject subject = {
        .core = &core, .sources = &sources, .react = &react, .now_ns = now,
    };
    json_object *json = answer(&subject, line, length);
    const char *text = json_object_to_json_string_ext(json,
                                                      JSON_C_TO_STRING_PLAIN);
    char *out = malloc(strlen(text) + 2);

    (void)arg;
    sprintf(out, "%s\n", text);
    json_object_put(json);

    return out;
}

static void gone(void *arg, struct control_client *client)
{
    (void)arg;
    react_gone(&react, client);
}

static int begin(void **state, const char *events, enum mode mode)
{
    struct xensched_error err;

    setenv("FAKE_XEN", "quiet", 1);
    setup(state);
    choice_default(&settings.choice);
    /* The log buffer of rows limits their events. */
    assert_true(choice_parse(&settings.choice, events));
    start(mode);
    loop = ev_default_loop(EVFLAG_AUTO);
    assert_int_equal(control_open(&control, loop, PATH, 5, reply, NULL, &err),
                     0);
    control.gone = gone;
    react_init(&react, &core, &sources, &control, loop);

    return 0;
}

static int setup_react(void **state)
{
    return begin(state, "mark,memory,runq", MODE_ADVISE);
}

static int setup_moves(void **state)
{
    return begin(state, "evtchn-send,service-ns,mark", MODE_ACT);
}

static int teardown_react(void **state)
{
    react_free(&react);
    control_close(&control);

    return teardown(state);
}

static void turn(void)
{
    unsigned int i;

    for (i = 0; i < 20; i++)
        ev_run(loop, EVRUN_NOWAIT);
}

static int client(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = PATH };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    assert_int_equal(connect(fd, (struct sockaddr *)&address,
                             sizeof(address)), 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    turn();

    return fd;
}

static void go_away(int fd)
{
    close(fd);
    turn();
}

/* Returns the immediate response. */
static const char *tell(int fd, const char *line)
{
    static char heard[4096];
    ssize_t got;

    assert_int_equal(send(fd, line, strlen(line), MSG_NOSIGNAL), strlen(line));
    turn();
    got = recv(fd, heard, sizeof(heard) - 1, 0);
    heard[got > 0 ? got : 0] = '\0';

    return heard;
}

static void says(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("'%s' does not say '%s'", text, words);
}

/* DISK, with accounting domain 3, makes a mark. */
static void mark(unsigned int code)
{
    char pair[80];

    snprintf(pair, sizeof(pair), "pair=mark/3/65535/1/%u", code);
    fake_xen_reach(code);
    hear(pair);
    react_look(&react, now);
}

static void a_client_is_told(void **state)
{
    int fd = client();

    (void)state;
    says(tell(fd, "{\"command\":\"on\",\"condition\":\"mark disk 7\","
                  "\"times\":2,\"every_s\":0}\n"), "\"id\":1");
    mark(6);
    says(tell(fd, "{\"command\":\"reactions\"}\n"), "\"count\":0");
    mark(7);
    says(tell(fd, "{\"command\":\"reacted\",\"id\":1}\n"),
         "{\"fired\":{\"id\":1,\"condition\":\"mark disk 7\",\"domain\":"
         "\"disk\",\"domid\":1,\"value\":7");
    /* In this test, a row of this event stands for a hundred. */
    says(tell(fd, "{\"command\":\"reactions\"}\n"), "\"held_back\":99");
    mark(7);
    mark(7);
    says(tell(fd, "{\"command\":\"reactions\"}\n"), "\"count\":2");
    assert_int_equal(count_in_journal("\"what\":\"reaction\""), 2);
    assert_int_equal(count_in_journal("\"what\":\"reacted\""), 1);
    go_away(fd);
    assert_int_equal(react.list.nr, 0);
}

static void an_impossible_condition_is_refused(void **state)
{
    int fd = client();

    (void)state;
    says(tell(fd, "{\"command\":\"on\",\"condition\":\"mark nobody 7\"}\n"),
         "there is no domain 'nobody'");
    says(tell(fd, "{\"command\":\"on\",\"condition\":\"mark\"}\n"),
         "mark GUEST CODE");
    says(tell(fd, "{\"command\":\"on\"}\n"), "no \\\"condition\\\"");
    says(tell(fd, "{\"command\":\"on\",\"condition\":\"pmc0 > 3\"}\n"),
         "needs the event pmc0");
    says(tell(fd, "{\"command\":\"on\",\"condition\":\"wake-delay disk > 5ms\","
                  "\"stop\":true}\n"), "use pause");
    says(tell(fd, "{\"command\":\"on\",\"condition\":\"mark Domain-0 7\","
                  "\"stop\":true}\n"), "cannot be stopped");
    says(tell(fd, "{\"command\":\"reacted\",\"id\":1}\n"), "no reaction 1");
    assert_int_equal(react.list.nr, 0);
    go_away(fd);
}

static void a_guest_is_stopped_and_armed_again(void **state)
{
    int fd = client();

    (void)state;
    tell(fd, "{\"command\":\"on\",\"condition\":\"mark disk 7\",\"times\":0,"
             "\"every_s\":0,\"stop\":true,\"pauses\":true}\n");
    assert_int_equal(fake_xen_stop(), XENSCHED_STOP_ARMED);
    /* The mark was made before the stop was armed. */
    hear("pair=mark/3/65535/1/7");
    assert_int_equal(fake_xen_stop(), XENSCHED_STOP_ARMED);
    says(tell(fd, "{\"command\":\"reactions\"}\n"), "\"count\":0");
    mark(7);
    assert_int_equal(fake_xen_stop(), XENSCHED_STOP_STOPPED);
    says(tell(fd, "{\"command\":\"reacted\",\"id\":1}\n"), "\"fired\"");
    /* The client wants the guest to stay stopped. */
    assert_int_equal(fake_xen_stop(), XENSCHED_STOP_OFF);
    react_look(&react, now);
    assert_int_equal(fake_xen_stop(), XENSCHED_STOP_ARMED);
    go_away(fd);
    assert_int_equal(fake_xen_stop(), XENSCHED_STOP_OFF);
}

static void a_client_that_ends_leaves_no_guest_stopped(void **state)
{
    int fd = client();

    (void)state;
    tell(fd, "{\"command\":\"on\",\"condition\":\"mark disk 7\",\"stop\":true,"
             "\"pauses\":true}\n");
    mark(7);
    assert_int_equal(fake_xen_stop(), XENSCHED_STOP_STOPPED);
    go_away(fd);
    assert_int_equal(fake_xen_stop(), XENSCHED_STOP_OFF);
}

static void a_dry_run_stops_no_guest(void **state)
{
    int fd = client();

    (void)state;
    tell(fd, "{\"command\":\"on\",\"condition\":\"mark disk 7\",\"stop\":true,"
             "\"pauses\":true,\"dry_run\":true}\n");
    assert_int_equal(fake_xen_stop(), XENSCHED_STOP_OFF);
    mark(7);
    assert_int_equal(fake_xen_stop(), XENSCHED_STOP_OFF);
    says(tell(fd, "{\"command\":\"reactions\"}\n"), "\"count\":1");
    go_away(fd);
}

#define NODE "/local/domain/1/schedlog/watch"

static void threads_are_told_to_their_guest(void **state)
{
        int fd = client(), other = client();

    (void)state;
    fake_xs_put("1", "/local/domain/1/domid");
    tell(fd, "{\"command\":\"on\",\"condition\":\"switch-to disk make\"}\n");
    tell(other, "{\"command\":\"on\",\"condition\":\"switch-from disk 12\"}\n");
    assert_string_equal(fake_xs_get(NODE),
                        "to-name make\nfrom-pid 12\n\n\n\n\n\n");
    go_away(fd);
    assert_string_equal(fake_xs_get(NODE), "\nfrom-pid 12\n\n\n\n\n\n");
    go_away(other);
    assert_null(fake_xs_get(NODE));
}

static unsigned int writes_at_end;

/* Stands for a xenstored that never answers this write. */
static void check_affinities(void)
{
    assert_true(fake_has_soft(domain(DISK), FAKE_ALL));
    writes_at_end++;
}

/* A guest must not keep the daemon's affinity while xenstored hangs. */
static void affinities_are_restored_before_xenstored_is_asked(void **state)
{
    struct report_steal steal = { 0 };

    (void)state;
    run(10, TALK);
    assert_true(fake_has_soft(domain(DISK), FAKE_NODE_0));
    fake_xs_put("1", "/local/domain/1/domid");
    tell(client(), "{\"command\":\"on\",\"condition\":\"switch-to disk make\"}\n");
    assert_non_null(fake_xs_get(NODE));
    writes_at_end = 0;
    fake_xs.changed = check_affinities;
    ending_undo(&core, &react, &steal, &sources);
    fake_xs.changed = NULL;
    assert_null(fake_xs_get(NODE));
    assert_int_equal(writes_at_end, 1);
}

static void reactions_of_the_configuration_act(void **state)
{
    (void)state;
    unlink("test-react.done");
    react_configure(&react, "times=1 mark disk 7 do shell echo x >test-react.done\n"
                    "dry-run mark disk 8 do shell echo y >test-react.done\n");
    assert_int_equal(react.list.nr, 2);
    mark(8);
    mark(7);
    assert_int_equal(count_in_journal("\"dry_run\":true"), 1);
    /* There is no program xensched beside this test, so the action fails with a message. */
    while (react.list.reaction[0]->busy)
        ev_run(loop, EVRUN_ONCE);
    assert_int_equal(count_in_journal("\"what\":\"reacted\""), 1);
}

/* Reacts to a mark with a script xensched, beside this test, that has these lines. */
static void react_with(const char *lines)
{
    FILE *file = fopen("xensched", "w");

    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n%s\n", lines);
    fclose(file);
    assert_int_equal(chmod("xensched", 0755), 0);
    react_configure(&react, "times=1 mark disk 7 do shell echo x");
    mark(7);
    while (react.list.reaction[0]->busy)
        ev_run(loop, EVRUN_ONCE);
    unlink("xensched");
}

/* Actions of the configuration are commands of the package xensched-lab. */
static void a_package_that_is_missing_is_named(void **state)
{
    (void)state;
    react_with("exit 69");
    assert_int_equal(count_in_journal("the package xensched-lab is not installed"), 1);
    assert_int_equal(count_in_journal("an action failed"), 0);
}

/* Other threads of the daemon may read its environment at any time. */
static void actions_have_an_environment_of_their_own(void **state)
{
    static const char *const has[] = {
        "XENSCHED_CONDITION=mark disk 7\n", "XENSCHED_DOMAIN=disk\n",
        "XENSCHED_DOMID=1\n", "XENSCHED_VALUE=7\n", "XENSCHED_COUNT=1\n",
        "PATH=",
    };
    char text[16384] = "";
    unsigned int i;
    FILE *file;

    (void)state;
    react_with("env >test-react.env");
    file = fopen("test-react.env", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    unlink("test-react.env");
    for (i = 0; i < sizeof(has) / sizeof(has[0]); i++)
        says(text, has[i]);
    assert_null(getenv("XENSCHED_DOMAIN"));
    assert_null(getenv("XENSCHED_COUNT"));
}

static void lines_of_the_configuration(void **state)
{
    struct xensched_error err;
    struct react_settings wish;
    uint32_t events;
    char line[200];

    (void)state;
    strcpy(line, "dry-run times=3 every=10000ms mark web1 7 do stop; checkpoint /x; "
                 "unpause");
    assert_int_equal(reaction_line_parse(line, &wish, &err), 0);
    assert_true(wish.dry_run && wish.stop && wish.pauses);
    assert_int_equal(wish.limits.times, 3);
    assert_int_equal(wish.limits.gap_ns, 10 * SECOND);
    assert_string_equal(wish.condition, "mark web1 7");
    strcpy(line, "mark web1 7 do journal stop; shell pause");
    assert_int_equal(reaction_line_parse(line, &wish, &err), 0);
    assert_false(wish.stop || wish.pauses);
    assert_int_equal(wish.limits.times, 0);
    strcpy(line, "mark web1 7 do journal %n; checkpoint /x-%n");
    assert_int_equal(reaction_line_parse(line, &wish, &err), 0);
    assert_int_equal(wish.limits.times, 100);
    strcpy(line, "times=5000 mark web1 7 do checkpoint /x-%n");
    assert_int_equal(reaction_line_parse(line, &wish, &err), 0);
    assert_int_equal(wish.limits.times, 5000);
    strcpy(line, "mark web1 7 do snapshot /x; shell date +%n");
    assert_int_equal(reaction_line_parse(line, &wish, &err), 0);
    assert_int_equal(wish.limits.times, 0);
    strcpy(line, "mark 'we do it' 7 do journal we do it");
    assert_int_equal(reaction_line_parse(line, &wish, &err), 0);
    assert_string_equal(wish.condition, "mark 'we do it' 7");
    assert_string_equal(wish.actions, "journal we do it");
    assert_int_equal(react_check("loss do journal lost\nrunq > 3 do journal q",
                                 &events, &err), 0);
    assert_int_equal(events, 1U << XEN_SCHEDLOG_EV_RUNQ);
    assert_true(react_check("loss", &events, &err) < 0);
    says(err.text, "no 'do'");
    assert_true(react_check("lost do journal x", &events, &err) < 0);
    says(err.text, "no condition 'lost'");
}

#define react_test(f) \
    cmocka_unit_test_setup_teardown(f, setup_react, teardown_react)

int main(void)
{
    const struct CMUnitTest tests[] = {
        react_test(a_client_is_told),
        react_test(an_impossible_condition_is_refused),
        react_test(a_guest_is_stopped_and_armed_again),
        react_test(a_client_that_ends_leaves_no_guest_stopped),
        react_test(a_dry_run_stops_no_guest),
        react_test(threads_are_told_to_their_guest),
        cmocka_unit_test_setup_teardown(
            affinities_are_restored_before_xenstored_is_asked, setup_moves,
            teardown_react),
        react_test(reactions_of_the_configuration_act),
        react_test(a_package_that_is_missing_is_named),
        react_test(actions_have_an_environment_of_their_own),
        cmocka_unit_test(lines_of_the_configuration),
    };

    return run_tap_tests(tests);
}
