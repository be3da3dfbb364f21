/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks the control socket: each client gets an answer, and no client can prevent the daemon's
 * work or other answers by sending garbage, too much, too little or nothing, or by not reading.
 */
#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmocka-tap.h"
#include "harness.h"

#include "daemon/socket/control-socket.h"

#define PATH "test-control.socket"
#define IDLE_S 0.3

static struct control control;
static struct ev_loop *loop;
static unsigned int asked;

/* Answers "big" with a megabyte, and any other line with the same line in brackets. */
static char *reply(void *arg, const char *line, size_t length)
{
    char *out;

    assert_ptr_equal(arg, &control);
    asked++;
    if (length == 3 && !memcmp(line, "big", 3)) {
        out = malloc((1 << 20) + 2);
        memset(out, 'x', 1 << 20);
        strcpy(out + (1 << 20), "\n");
        return out;
    }
    out = malloc(length + 4);
    sprintf(out, "<%.*s>\n", (int)length, line);

    return out;
}

static int setup(void **state)
{
    struct xensched_error err;

    (void)state;
    asked = 0;
    loop = ev_loop_new(EVFLAG_AUTO);
    assert_int_equal(control_open(&control, loop, PATH, IDLE_S, reply,
                                  &control, &err), 0);

    return 0;
}

static int teardown(void **state)
{
    (void)state;
    control_close(&control);
    ev_loop_destroy(loop);

    return access(PATH, F_OK) == 0;
}

/* Runs the event loop until it has no work. */
static void turn(void)
{
    unsigned int i;

    for (i = 0; i < 20; i++)
        ev_run(loop, EVRUN_NOWAIT);
}

static void turn_for(double seconds)
{
    const struct timespec pause = { .tv_nsec = 5000000 };
    double until;

    ev_now_update(loop);
    until = ev_now(loop) + seconds;
    while (ev_now(loop) < until) {
        nanosleep(&pause, NULL);
        ev_run(loop, EVRUN_NOWAIT);
    }
}

static int client(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = PATH };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address,
                             sizeof(address)), 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    turn();

    return fd;
}

static void tell(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL),
                     strlen(text));
    turn();
}

/* Returns all that the client can read. */
static const char *heard(int fd)
{
    static char text[8192];
    ssize_t got = recv(fd, text, sizeof(text) - 1, 0);

    text[got > 0 ? got : 0] = '\0';

    return text;
}

static bool is_closed(int fd)
{
    char byte;

    return recv(fd, &byte, 1, 0) == 0;
}

static void a_line_gets_a_line(void **state)
{
    int fd = client();

    (void)state;
    tell(fd, "hello\n");
    assert_string_equal(heard(fd), "<hello>\n");
    tell(fd, "again\n");
    assert_string_equal(heard(fd), "<again>\n");
    close(fd);
}

static void lines_can_come_in_pieces_and_in_heaps(void **state)
{
    int fd = client();

    (void)state;
    tell(fd, "a");
    tell(fd, "b");
    assert_string_equal(heard(fd), "");
    tell(fd, "c\nd");
    assert_string_equal(heard(fd), "<abc>\n");
    tell(fd, "\n1\n2\n\n3\nrest");
    assert_string_equal(heard(fd), "<d>\n<1>\n<2>\n<>\n<3>\n");
    close(fd);
}

static void a_client_that_has_sent_all_still_gets_the_answer(void **state)
{
    int fd = client();

    (void)state;
    send(fd, "bye\n", 4, 0);
    shutdown(fd, SHUT_WR);
    turn();
    assert_string_equal(heard(fd), "<bye>\n");
    assert_true(is_closed(fd));
    close(fd);
}

static void a_line_that_is_too_long_gets_an_error_and_the_door(void **state)
{
    static char longest[CONTROL_LINE + 1];
    int fd = client();

    (void)state;
    memset(longest, 'x', CONTROL_LINE - 1);
    longest[CONTROL_LINE - 1] = '\n';
    tell(fd, longest);
    assert_int_equal(strlen(heard(fd)), CONTROL_LINE + 2);
    longest[CONTROL_LINE - 1] = 'x';
    tell(fd, longest);
    assert_non_null(strstr(heard(fd), "\"ok\":false"));
    assert_true(is_closed(fd));
    assert_int_equal(asked, 1);
    close(fd);
}

static void a_client_that_does_not_read_delays_no_other(void **state)
{
    int slow = client(), fd = client();
    unsigned int i;

    (void)state;
    for (i = 0; i < 100; i++)
        tell(slow, "big\n");
    assert_int_equal(asked, 1); /* the second line waits until the first answer is read */
    tell(fd, "hello\n");
    assert_string_equal(heard(fd), "<hello>\n");
    close(slow);
    turn();
    tell(fd, "hello\n");
    assert_string_equal(heard(fd), "<hello>\n");
    close(fd);
}

static void a_big_answer_comes_whole(void **state)
{
    int fd = client();
    size_t length = 0;
    unsigned int i;

    (void)state;
    tell(fd, "big\n");
    for (i = 0; i < 10000 && length <= 1 << 20; i++) {
        length += strlen(heard(fd));
        turn();
    }
    assert_int_equal(length, (1 << 20) + 1);
    close(fd);
}

static void a_client_that_is_too_slow_is_disconnected(void **state)
{
    int silent = client(), trickling = client(), deaf = client();
    unsigned int i;

    (void)state;
    tell(deaf, "big\n");
    for (i = 0; i < 8; i++) {
        if (send(trickling, "x", 1, MSG_NOSIGNAL) < 0)
            break;
        turn_for(IDLE_S / 4);
    }
    assert_true(i < 8);
    assert_true(is_closed(silent));
    while (heard(deaf)[0])
        ;
    assert_true(is_closed(deaf));
    close(silent);
    close(trickling);
    close(deaf);
}

static void a_new_client_replaces_the_longest_idle_one(void **state)
{
    int fds[CONTROL_CLIENTS + 4];
    unsigned int i;

    (void)state;
    for (i = 0; i < CONTROL_CLIENTS; i++)
        fds[i] = client();
    tell(fds[0], "hello\n");
    tell(fds[1], "half a line");
    for (; i < CONTROL_CLIENTS + 4; i++)
        fds[i] = client();
    assert_string_equal(heard(fds[0]), "<hello>\n");
    for (i = 1; i <= 4; i++)
        assert_true(is_closed(fds[i]));
    tell(fds[0], "again\n");
    assert_string_equal(heard(fds[0]), "<again>\n");
    for (i = 5; i < CONTROL_CLIENTS + 4; i++) {
        tell(fds[i], "hello\n");
        assert_string_equal(heard(fds[i]), "<hello>\n");
    }
    for (i = 0; i < CONTROL_CLIENTS + 4; i++)
        close(fds[i]);
    turn();
}

static void a_client_that_takes_an_answer_stays_connected(void **state)
{
    int fds[CONTROL_CLIENTS], busy = client(), deaf = client();
    unsigned int i;

    (void)state;
    tell(busy, "big\n");
    tell(deaf, "big\n");
    for (i = 0; i < CONTROL_CLIENTS - 2; i++)
        fds[i] = client();
    while (heard(busy)[0])
        ;
    turn();
    fds[i++] = client();
    assert_int_equal(heard(busy)[0], 'x');
    while (heard(deaf)[0])
        ;
    assert_true(is_closed(deaf));
    while (i)
        close(fds[--i]);
    close(busy);
    close(deaf);
    turn();
}

/* Sends wild requests of several kinds. */
static void rave(int fd, unsigned int i, uint64_t *seed)
{
    uint8_t noise[CONTROL_LINE + 100];
    unsigned int k;

    for (k = 0; k < sizeof(noise); k++)
        noise[k] = harness_random(seed);
    switch (i % 5) {
    case 0: /* bytes */
        send(fd, noise, harness_random_below(seed, 300), MSG_NOSIGNAL);
        break;
    case 1: /* half a line */
        send(fd, "{\"command\":", 11, MSG_NOSIGNAL);
        break;
    case 2: /* too long a line */
        memset(noise, 'x', sizeof(noise));
        send(fd, noise, sizeof(noise), MSG_NOSIGNAL);
        break;
    case 3: /* questions, whose answers the client does not read */
        send(fd, "big\nbig\nbig\n", 12, MSG_NOSIGNAL);
        break;
    case 4: /* nothing */
        break;
    }
}

/*
 * Makes clients without end, 100 at any time, in a process of its own, until it is killed.  Counts
 * them, so that the result does not depend on speed.
 */
static void rave_on(volatile unsigned int *clients)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = PATH };
    int fds[100];
    uint64_t seed = 21;
    unsigned int i;

    memset(fds, -1, sizeof(fds));
    for (i = 0; ; i++) {
        int *fd = &fds[i % 100];

        if (*fd >= 0)
            close(*fd);
        *fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(*fd, (struct sockaddr *)&address, sizeof(address)))
            _exit(1);
        fcntl(*fd, F_SETFL, O_NONBLOCK);
        rave(*fd, i, &seed);
        *clients = i;
    }
}

/* Returns whether the answer was right.  Runs the loop until the answer is there. */
static bool ask_among_them(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = PATH };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    char text[16] = "";
    ssize_t got = -1;

    while (connect(fd, (struct sockaddr *)&address, sizeof(address)))
        ev_run(loop, EVRUN_NOWAIT);
    send(fd, "hello\n", 6, MSG_NOSIGNAL);
    while (got < 0) {
        ev_run(loop, EVRUN_NOWAIT);
        got = recv(fd, text, sizeof(text) - 1, 0);
    }
    close(fd);

    return !strcmp(text, "<hello>\n");
}

static void thousands_of_wild_clients_prevent_no_answer(void **state)
{
    volatile unsigned int *clients =
        mmap(NULL, sizeof(*clients), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned int answers = 0;
    int status = -1;
    pid_t child;

    (void)state;
    child = fork();
    if (!child)
        rave_on(clients);
    while (answers < 100 || *clients < 10000) {
        assert_int_equal(waitpid(child, &status, WNOHANG), 0);
        assert_true(ask_among_them());
        answers++;
    }
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(ask_among_them());
    munmap((void *)clients, sizeof(*clients));
}

static void the_answer_is_sent_even_if_the_daemon_ends(void **state)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = PATH };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

    (void)state;
    assert_int_equal(connect(fd, (struct sockaddr *)&address,
                             sizeof(address)), 0);
    send(fd, "stop\n", 5, 0);
    while (!asked)
        ev_run(loop, EVRUN_NOWAIT);
    control_close(&control);
    assert_string_equal(heard(fd), "<stop>\n");
    close(fd);
}

static void only_its_owner_can_get_at_the_socket(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(stat(PATH, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_socket_that_a_killed_daemon_left_is_replaced(void **state)
{
    struct xensched_error err;
    int fd;

    (void)state;
    ev_io_stop(loop, &control.io);
    close(control.fd);
    free(control.path);
    assert_int_equal(control_open(&control, loop, PATH, IDLE_S, reply,
                                  &control, &err), 0);
    fd = client();
    tell(fd, "hello\n");
    assert_string_equal(heard(fd), "<hello>\n");
    close(fd);
}

static void a_place_where_it_cannot_be_is_named(void **state)
{
    static struct control other;
    struct xensched_error err;

    (void)state;
    assert_int_equal(control_open(&other, loop, "/no/such/socket", IDLE_S,
                                  reply, NULL, &err), -ENOENT);
    assert_non_null(strstr(err.text, "/no/such/socket"));
    control_close(&other);
}

#define control_test(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* A client that cannot be accepted waits in the queue; the loop does not spin. */
static void without_descriptors_the_loop_rests(void **state)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = PATH };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    struct rlimit limit, none;

    (void)state;
    assert_int_equal(connect(fd, (struct sockaddr *)&address,
                             sizeof(address)), 0);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    none = limit;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    turn();
    assert_false(ev_is_active(&control.io));
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    turn_for(1.2);
    tell(fd, "again\n");
    assert_string_equal(heard(fd), "<again>\n");
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        control_test(a_line_gets_a_line),
        control_test(without_descriptors_the_loop_rests),
        control_test(lines_can_come_in_pieces_and_in_heaps),
        control_test(a_client_that_has_sent_all_still_gets_the_answer),
        control_test(a_line_that_is_too_long_gets_an_error_and_the_door),
        control_test(a_client_that_does_not_read_delays_no_other),
        control_test(a_big_answer_comes_whole),
        control_test(a_client_that_is_too_slow_is_disconnected),
        control_test(a_new_client_replaces_the_longest_idle_one),
        control_test(a_client_that_takes_an_answer_stays_connected),
        control_test(thousands_of_wild_clients_prevent_no_answer),
        control_test(the_answer_is_sent_even_if_the_daemon_ends),
        control_test(only_its_owner_can_get_at_the_socket),
        control_test(a_socket_that_a_killed_daemon_left_is_replaced),
        control_test(a_place_where_it_cannot_be_is_named),
    };

    return run_tap_tests(tests);
}
