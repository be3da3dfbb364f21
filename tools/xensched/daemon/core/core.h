/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * core.h - the daemon without its surroundings: rows go in, decisions come
 * out and are carried out.  It knows no clock (callers say what time it is),
 * no event loop, no socket and no Xen; see host.h.
 *
 * Calls, in this order: core_start() once, core_run() once to bind what is
 * there, core_log(), then core_read() every interval and core_run() every
 * period, and core_stop() once.
 */
#ifndef XENSCHED_DAEMON_CORE_H
#define XENSCHED_DAEMON_CORE_H

#include <xensched/source.h>

#include "model/census.h"
#include "model/mark-times.h"
#include "model/waits.h"
#include "model/waiting.h"
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
/* -1: no such mode. */
int mode_find(const char *name);

struct core_settings {
    enum mode mode;
    uint64_t half_life_ns;
    struct policies policies;
    struct policy_settings policy_settings;
    unsigned int max_moves; /* per minute; 0: no bound */
    uint32_t soft_weight;   /* percent; 0: Xen's own stays */
    bool steer;             /* dom0's threads and interrupts, too */
    struct choice choice; /* what is logged */
    double budget;        /* what that may cost, in pCPUs; 0: anything */
    uint32_t lease_ms;    /* of the hypervisor's log; 0: it isn't held */
    const char *state_path;   /* NULL: the host is not a real one */
    const char *journal_path; /* likewise */
    const char *history_path; /* NULL: what guests did is not kept */
    const char *trial_path;   /* NULL: a trial is not kept */
    const char *trial_blocks_path; /* likewise */
    const char *learned_path; /* NULL: learned prices are not kept */
    uint64_t journal_limit;   /* bytes of each file; 0: none */
    const char *distances_path; /* of what was measured; NULL: nothing was */
    /*
     * Reads rows and renews the lease, which cannot wait for the end of a plan.  Called
     * between two steps that may take long: a look at the host, a plan, each change with
     * its state file.  It may call core_read(), and nothing else here.  NULL: not needed.
     */
    void (*do_urgent)(void *arg);
    void *urgent_arg;
};

struct remembered; /* remember.c */

/* Of driver domain @domid. */
struct served {
    uint32_t domid;
    struct domain_server server;
};

struct core {
    struct core_settings settings;
    enum mode mode; /* at present */
    const struct host *host;
    struct topology topology;
    struct journal journal;
    struct actuator actuator;
    struct soft_weight soft_weight;
    struct steer steer;
    struct accounting accounting;
    struct lease lease;
    uint64_t cookie; /* by which Xen knows us, or the daemon before */
    bool successor;  /* of a daemon that was killed: its areas are ours */
    struct logs logs; /* of the hypervisor */
    struct governor governor;
    struct matrix *matrix;
    struct waiting *waiting;
    struct waits *waits;
    struct mark_times *mark_times;
    struct reactions *reactions; /* the caller's; NULL: no reaction waits for rows */
    struct planner *planner;
    struct distances distances;
    bool distances_known;
    struct census census;
    bool counts;            /* where memory is; else that is unknown */
    uint64_t frames;        /* of the machine */
    uint64_t frame;         /* to go on with */
    unsigned int nr_served; /* channels of driver domains, when Xen was asked */
    struct served *served;
    uint64_t served_ns;     /* 0: not yet */
    struct domains domains; /* as of the last run */
    struct plan plan;       /* the last one, about these domains */
    bool planned;           /* and it was made */
    struct history history;
    unsigned int nr_remembered;
    struct remembered *remembered; /* of these domains, unless they are new */
    struct reservations reservations;
    uint64_t started_ns;
    uint64_t read_ns;       /* when rows were read last; 0: never */
    uint64_t looks, rings;  /* how often they were; was told to */
    uint64_t run_ns;        /* when the last run was */
    bool rows_came;         /* since then */
    uint64_t expired_ns;    /* when the matrix was last swept */
    uint64_t moves, restores;
    uint64_t regrets;       /* moves undone: of no use, or worse */
    struct work_sums *work_older, *work_newer; /* observe-host.c */
    struct learned learned;
    bool learned_unsaved;   /* they cannot be written; was reported */
    struct trial trial;
    bool trial_unsaved;     /* it cannot be written; was reported */
    struct pace pace;
    bool put_off;           /* by max_moves; logged already */
    char lost[200];         /* why domains cannot be looked at; "": they can */
    bool full;              /* more domains than accounting domains; logged already */
};

/*
 * Open the journal, read the state file, and restore what a killed daemon left
 * changed.  Of the host nothing is used that logs.  On failure core_free() is
 * still to be called.
 */
int core_start(struct core *core, const struct core_settings *settings,
               const struct host *host, uint64_t now_ns,
               struct xensched_error *err);

/*
 * Log from now on, and hold the log: from here on core_read() renews the
 * lease.
 */
int core_log(struct core *core, uint64_t now_ns, struct xensched_error *err);

/*
 * The same after core_read() said -ESTALE.  The caller has made the log area
 * again, so all domains are bound again.
 */
int core_log_again(struct core *core, uint64_t now_ns,
                   struct xensched_error *err);

/* Of a batch which may have rows of any event, as in a recording. */
#define CORE_ANY_FILE UINT32_MAX

/* Rows for the matrix and for waits for a pCPU. */
void core_take(struct core *core, const struct xensched_batch *batch,
               uint64_t now_ns);

/*
 * Put all rows which @source has now into the matrix, as of the middle of the
 * time since the last call, and only when that is done renew the lease.  Returns
 * 0, or the error of the source, or -ESTALE: the log isn't ours any more, because
 * the daemon stood still.
 */
int core_read(struct core *core, struct xensched_source *source,
              uint64_t now_ns, struct xensched_error *err);

/* Look at the host; bind domains that are new, forget those that are gone. */
int core_refresh(struct core *core, uint64_t now_ns,
                 struct xensched_error *err);

/*
 * Binds domains that are new, and unbinds those that are gone; the rest can wait for a plan.
 * @domains is empty; afterwards it has all domains, as host.h's list_domains() has them, even
 * if this fails.
 */
int core_bind_new(struct core *core, struct domains *domains, uint64_t now_ns,
                  struct xensched_error *err);

/* What a domain did is history after this long without a row. */
#define CORE_FORGET_NS 600000000000ULL

/*
 * Nothing was logged since the last run, which was not long ago: another one
 * would find nothing that cannot wait.  Looking at a host costs more than all
 * that a daemon does with an empty log.
 */
#define CORE_IDLE_NS 10000000000ULL

bool core_is_idle(const struct core *core, uint64_t now_ns);

/* Called by code that takes steps that may take long; see struct core_settings. */
static inline void core_do_urgent(const struct core *core)
{
    if (core->settings.do_urgent)
        core->settings.do_urgent(core->settings.urgent_arg);
}

/* core_refresh(), plan, and carry the plan out if the mode says so. */
int core_run(struct core *core, uint64_t now_ns, struct xensched_error *err);

/* The same for a request, between two periods: this plan confirms no move. */
int core_run_requested(struct core *core, uint64_t now_ns,
                       struct xensched_error *err);

/*
 * Where a guest should be that is about to be made: policy/newcomer.h.  -EAGAIN:
 * there is no plan, since the daemon only observes.  What is promised to others
 * counts as taken, and if @promise so does this from now on.
 */
int core_place(struct core *core, struct newcomer *newcomer, bool promise,
               uint64_t now_ns, struct decision decisions[NEWCOMER_WAYS],
               struct xensched_error *err);

/*
 * How many pCPUs a domain, one of core->domains, has kept busy recently.  False: unknown,
 * since there are more domains than can be told apart and it is one of the others.
 */
bool core_service(const struct core *core, const struct domain *d,
                  uint64_t now_ns, double *share);

/*
 * From now on: carry plans out (MODE_ACT), or only make them (MODE_ADVISE), or
 * not even that.  What was moved stays where it is.
 */
void core_set_mode(struct core *core, enum mode mode);

/*
 * The configuration has changed: take over what can change while the daemon
 * runs, which is the mode, the policies and their settings, and the
 * bound on moves.  A mode which was not
 * changed there stays what it is, since an operator may have set another one
 * meanwhile.  What the planner remembers of domains stays.
 */
void core_change(struct core *core, const struct core_settings *settings);

/*
 * Put everything back.  In mode act this ends acting: the mode is advise from
 * then on.  The journal says @why.
 */
struct actuator_result core_restore(struct core *core, const char *why);

/* Restore for the last time. */
void core_stop(struct core *core);
void core_free(struct core *core);

#endif /* XENSCHED_DAEMON_CORE_H */
