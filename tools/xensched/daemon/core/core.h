/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * core.h - the daemon without its surroundings: it accepts rows, decides, and carries decisions
 * out.  It has no clock (callers pass the time), no event loop, no socket and no Xen; see host.h.
 *
 * Order of calls: core_start() once, core_run() once to bind existing domains, core_log(), then
 * core_read() every interval and core_run() every period, and core_stop() once.
 */
#ifndef XENSCHED_DAEMON_CORE_H
#define XENSCHED_DAEMON_CORE_H

#include <xensched/source.h>

#include "model/memory/census.h"
#include "model/mark-times.h"
#include "model/waits/waits.h"
#include "policy/planner.h"
#include "reaction/reaction.h"
#include "trial/trial.h"
#include "accounting.h"
#include "daemon/act/actuator.h"
#include "daemon/act/history.h"
#include "daemon/log/governor.h"
#include "lease.h"
#include "host/host.h"
#include "daemon/act/journal.h"
#include "daemon/log/logs.h"
#include "daemon/act/move-limits.h"
#include "reservation.h"
#include "daemon/act/soft-weight.h"
#include "daemon/act/steer.h"

enum mode {
    MODE_OBSERVE, /* only watch */
    MODE_ADVISE,  /* plan and explain, change nothing */
    MODE_ACT,     /* carry plans out */
};

const char *mode_name(enum mode mode);
/* Returns -1 if there is no such mode. */
int mode_find(const char *name);

struct core_settings {
    enum mode mode;
    uint64_t half_life_ns;
    struct policies policies;
    struct policy_settings policy_settings;
    unsigned int max_moves; /* per minute; 0: no limit */
    uint32_t soft_weight;   /* percent; 0: do not change Xen's */
    bool steer;             /* steer dom0's threads and interrupts, too */
    struct choice choice;   /* events to log */
    double budget;          /* limit for the cost of logging, in pCPUs; 0: none */
    uint32_t lease_ms;      /* lease of the hypervisor's log; 0: the daemon does not hold it */
    const char *state_path;   /* NULL: the host is not a real one */
    const char *journal_path; /* likewise */
    const char *history_path; /* NULL: the history of guests is not kept */
    const char *trial_path;   /* NULL: a trial is not kept */
    const char *trial_blocks_path; /* likewise */
    const char *learned_path; /* NULL: learned prices are not kept */
    uint64_t journal_limit;   /* bytes of each file; 0: none */
    const char *distances_path; /* measured distances; NULL: none */
    /*
     * Reads rows and renews the lease, which cannot wait for the end of a plan.  The core calls
     * it between two long steps: reading the host, a plan, each change with its state file.  It
     * may call core_read(), but no other function of this file.  NULL: not needed.
     */
    void (*do_urgent)(void *arg);
    void *urgent_arg;
};

struct remembered; /* remember.c */

/* The vCPUs of driver domain @domid that serve each guest. */
struct served {
    uint32_t domid;
    struct domain_server server;
};

struct core {
    struct core_settings settings;
    enum mode mode; /* the current one */
    const struct host *host;
    struct topology topology;
    struct journal journal;
    struct actuator actuator;
    struct soft_weight soft_weight;
    struct steer steer;
    struct accounting accounting;
    struct lease lease;
    uint64_t cookie; /* by which Xen recognises this daemon, or the one before */
    bool successor;  /* a daemon was killed: this one takes over its areas */
    struct logs logs; /* of the hypervisor */
    struct governor governor;
    struct matrix *matrix;
    struct waits *waits;
    struct mark_times *mark_times;
    struct reactions *reactions; /* the caller's; NULL: no reaction waits for rows */
    struct planner *planner;
    struct distances distances;
    bool distances_known;
    struct census census;
    bool counts;            /* the memory on each node is counted; else it is unknown */
    uint64_t frames;        /* of the machine */
    uint64_t frame;         /* the next one to count */
    unsigned int nr_served;
    struct served *served;  /* by the channels of driver domains */
    uint64_t served_ns;     /* time of the last query; 0: never */
    struct domains domains; /* as of the last run */
    struct plan plan;       /* the last one, about these domains */
    bool planned;           /* the plan is valid */
    struct history history;
    unsigned int nr_remembered;
    struct remembered *remembered; /* of these domains, unless they are new */
    struct reservations reservations;
    uint64_t started_ns;
    uint64_t read_ns;       /* time of the last read; 0: never */
    uint64_t looks, rings;  /* number of reads, and of rings of the doorbell */
    uint64_t run_ns;        /* time of the last run */
    bool rows_came;         /* since the last run */
    uint64_t expired_ns;    /* when the matrix was last swept */
    uint64_t moves, restores;
    uint64_t regrets;       /* moves that were rolled back */
    struct work_sums *work_older, *work_newer; /* observe-host.c */
    struct learned learned;
    bool learned_unsaved;   /* learned prices cannot be written; logged already */
    struct trial trial;
    bool trial_unsaved;     /* the trial cannot be written; logged already */
    struct pace pace;
    bool put_off;           /* max_moves delays moves; logged already */
    char lost[200];         /* why domains cannot be read; "": they can */
    bool full;              /* more domains than accounting domains; logged already */
};

/*
 * Opens the journal, reads the state file, and restores what a killed daemon has left changed.
 * Uses no function of the host that logs.  After a failure the caller calls core_free(), too.
 */
int core_start(struct core *core, const struct core_settings *settings,
               const struct host *host, uint64_t now_ns,
               struct xensched_error *err);

/* Starts to log and holds the log; from now on core_read() renews the lease. */
int core_log(struct core *core, uint64_t now_ns, struct xensched_error *err);

/*
 * Starts to log again after core_read() has returned -ESTALE.  The caller has set up the log area
 * again, so this binds all domains again.
 */
int core_log_again(struct core *core, uint64_t now_ns,
                   struct xensched_error *err);

/* The log buffer of a batch that may have rows of any event, as in a recording. */
#define CORE_ANY_FILE UINT32_MAX

/* Adds rows to the matrix and to the waits for a pCPU. */
void core_take(struct core *core, const struct xensched_batch *batch,
               uint64_t now_ns);

/*
 * Adds all present rows of @source to the matrix, at the middle of the time since the last call,
 * and renews the lease afterwards.  Returns 0, the error of the source, or -ESTALE if the daemon
 * has lost the log because it stood still.
 */
int core_read(struct core *core, struct xensched_source *source,
              uint64_t now_ns, struct xensched_error *err);

/* Reads the host, binds new domains, and forgets those that have ended. */
int core_refresh(struct core *core, uint64_t now_ns,
                 struct xensched_error *err);

/*
 * Only binds new domains and unbinds those that have ended.  @domains is empty; afterwards it has
 * all domains, as from list_domains() of host.h, even if this fails.
 */
int core_bind_new(struct core *core, struct domains *domains, uint64_t now_ns,
                  struct xensched_error *err);

/* A domain's activity is forgotten after this time without a row. */
#define CORE_FORGET_NS 600000000000ULL

/*
 * If nothing was logged since the last run, another run can wait for this time.  Reading the host
 * costs more than everything else that a daemon does with an empty log.
 */
#define CORE_IDLE_NS 10000000000ULL

bool core_is_idle(const struct core *core, uint64_t now_ns);

/* For code between long steps; see struct core_settings. */
static inline void core_do_urgent(const struct core *core)
{
    if (core->settings.do_urgent)
        core->settings.do_urgent(core->settings.urgent_arg);
}

/* Calls core_refresh(), plans, and carries the plan out in MODE_ACT. */
int core_run(struct core *core, uint64_t now_ns, struct xensched_error *err);

/* The same for a request between two periods: this plan confirms no move. */
int core_run_requested(struct core *core, uint64_t now_ns,
                       struct xensched_error *err);

/*
 * Chooses a target for a guest that is about to be created (policy/planner.h).  Returns -EAGAIN if
 * there is no plan because the daemon only observes.  Reserved capacity counts as used; with
 * @promise this guest's capacity is reserved, too.
 */
int core_place(struct core *core, struct newcomer *newcomer, bool promise,
               uint64_t now_ns, struct decision decisions[NEWCOMER_WAYS],
               struct xensched_error *err);

/*
 * The number of pCPUs that a domain of core->domains has kept busy recently.  Returns false if it
 * is unknown: there are more domains than accounting domains, and this one has none.
 */
bool core_service(const struct core *core, const struct domain *d,
                  uint64_t now_ns, double *share);

/*
 * Changes the mode: carry plans out (MODE_ACT), only make them (MODE_ADVISE), or only observe.
 * Moved domains stay where they are.
 */
void core_set_mode(struct core *core, enum mode mode);

/*
 * Applies a changed configuration as far as that is possible while the daemon runs: the mode, the
 * policies and their settings, and the limit on moves.  If the configured mode has not changed,
 * the current mode stays, since an operator may have set it.  The planner keeps its state of
 * domains.
 */
void core_change(struct core *core, const struct core_settings *settings);

/*
 * Restores everything; the journal gives @why as the reason.  In MODE_ACT, the mode changes to
 * MODE_ADVISE.
 */
struct actuator_result core_restore(struct core *core, const char *why);

/* Restores everything at the end of the daemon. */
void core_stop(struct core *core);
void core_free(struct core *core);

#endif /* XENSCHED_DAEMON_CORE_H */
