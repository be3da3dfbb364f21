/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a call that may hang in a second thread, while the first renews the lease. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "blocking-call.h"
#include "message.h"

#define TURN_NS 50000000L
#define NS_PER_S 1000000000L

/* A longer call is reported. */
#define LONG_S 10

static struct {
    void (*call)(void *arg);
    void *arg;
} meanwhile;

/* The present call, under the lock; NULL: none. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t begins, ends;
    int (*call)(void *arg);
    void *arg;
    int result;
} job = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .begins = PTHREAD_COND_INITIALIZER,
};

static bool has_thread;

/* Whether this thread makes a call of blocking_call(). */
static _Thread_local bool waits;

static void *make_calls(void *unused)
{
    (void)unused;
    waits = true;
    pthread_mutex_lock(&job.lock);
    for (;;) {
        while (!job.call)
            pthread_cond_wait(&job.begins, &job.lock);
        pthread_mutex_unlock(&job.lock);
        job.result = job.call(job.arg);
        pthread_mutex_lock(&job.lock);
        job.call = NULL;
        pthread_cond_signal(&job.ends);
    }

    return NULL;
}

/* The first thread handles all signals. */
static bool start_thread(void)
{
    pthread_condattr_t monotonic;
    sigset_t all, before;
    pthread_t thread;

    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&job.ends, &monotonic);
    pthread_condattr_destroy(&monotonic);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    has_thread = !pthread_create(&thread, NULL, make_calls, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (has_thread)
        pthread_detach(thread);

    return has_thread;
}

void blocking_call_init(void (*call)(void *arg), void *arg)
{
    meanwhile.call = call;
    meanwhile.arg = arg;
}

static struct timespec monotonic_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);

    return t;
}

/* Called with the lock.  Returns whether the call ended before the turn was over. */
static bool wait_for_end(void)
{
    struct timespec until = monotonic_now();

    until.tv_nsec += TURN_NS;
    if (until.tv_nsec >= NS_PER_S) {
        until.tv_nsec -= NS_PER_S;
        until.tv_sec++;
    }
    while (job.call)
        if (pthread_cond_timedwait(&job.ends, &job.lock, &until) == ETIMEDOUT)
            return !job.call;

    return true;
}

/* Makes the call in this thread, because nothing is urgent or there is no second thread. */
static int call_here(int (*call)(void *arg), void *arg)
{
    int result;

    waits = true;
    result = call(arg);
    waits = false;

    return result;
}

bool blocking_call_allowed(void)
{
    return waits || !meanwhile.call;
}

void blocking_call_expect(const char *what)
{
    static bool said;

    if (blocking_call_allowed() || said)
        return;
    said = true;
    say("internal error: %s may wait, and was not called aside", what);
}

int blocking_call(int (*call)(void *arg), void *arg)
{
    time_t since = monotonic_now().tv_sec;
    bool said = false;
    int result;

    /* A part of a blocking call runs in the second thread, which may block. */
    if (waits)
        return call(arg);
    if (!meanwhile.call || (!has_thread && !start_thread()))
        return call_here(call, arg);
    pthread_mutex_lock(&job.lock);
    job.call = call;
    job.arg = arg;
    pthread_cond_signal(&job.begins);
    while (!wait_for_end()) {
        pthread_mutex_unlock(&job.lock);
        meanwhile.call(meanwhile.arg);
        if (!said && monotonic_now().tv_sec - since >= LONG_S) {
            say("xenstored, libxl or a disk has not answered for %d s: until "
                "then the log is read, and that is all", LONG_S);
            said = true;
        }
        pthread_mutex_lock(&job.lock);
    }
    result = job.result;
    pthread_mutex_unlock(&job.lock);
    if (said)
        say("that answer came after %ld s", (long)(monotonic_now().tv_sec - since));

    return result;
}
