/* SPDX-License-Identifier: GPL-2.0-only */
/* Applies the constraints in guard.h to opinions, and makes decisions of them. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "model/residency/presence.h"
#include "guard.h"

/* Capacity. */

/* The number of cores of @spot that the guest may use. */
static unsigned int spot_cores(const struct candidate *c, struct spot spot)
{
    return room_cores(&c->guard->room, &c->guarded->tenant, spot);
}

/*
 * @part: the share of the cores that may be needed, ROOM_TO_GO or ROOM_TO_STAY.  Since the
 * guest was sent there, vCPUs may have come online and cores gone offline.
 */
static bool spot_can_be(const struct candidate *c, struct spot spot, double part)
{
    return room_fits(&c->guard->room, &c->guarded->tenant, NULL, spot, part);
}

static bool spot_can_go(const struct candidate *c, struct spot spot)
{
    return spot_can_be(c, spot, ROOM_TO_GO);
}

/* Returns the guest at the spot with the largest need; NULL: no guest needs anything. */
static const struct domain *greatest_at(const struct candidate *c,
                                        struct spot spot)
{
    const struct planner *g = c->guard;
    const struct domain *most = NULL;
    double need = 0;
    unsigned int i;

    for (i = 0; i < g->plan->nr; i++) {
        const struct guarded *s = &g->guarded[i];

        if (s == c->guarded || s->at.place != spot.place || (s->open && !g->domains[i].moved) ||
            s->tenant.pool != c->guarded->tenant.pool ||
            (spot.cache != TOPOLOGY_UNKNOWN && s->at.cache != spot.cache) ||
            s->tenant.demand.need <= need)
            continue;
        need = s->tenant.demand.need;
        most = &g->input->domains->domain[i];
    }

    return most;
}

/* Leaves the guest where it is, because @spot or its place has too few cores or no capacity. */
static void spot_object(const struct candidate *c, struct spot spot, double part)
{
    const struct spot place = spot_of_place(spot.place);
    const struct tenant *t = &c->guarded->tenant;
    const struct planner *g = c->guard;
    const struct domain *most;
    struct reason reason = { .code = REASON_NO_ROOM, .of = t->demand.vcpus };

    reason.spot = spot_can_be(c, place, part) ? spot : place;
    reason.count = spot_cores(c, reason.spot);
    if (reason.count < reason.of)
        reason.code = REASON_FEW_CORES;
    reason.need = t->demand.need;
    reason.taken = room_taken(&g->room, t->pool, reason.spot).need;
    reason.other = most = greatest_at(c, reason.spot);
    if (most)
        reason.other_need = g->guarded[most - g->input->domains->domain].tenant.demand.need;
    decide(c->decision, LEAVE, reason);
}

/* Returns the spot to which the domain was moved; UNKNOWN: it was not moved. */
static struct spot spot_ours(const struct candidate *c)
{
    return c->past->moved ? guard_sent_to(c->guard->input->topology, c->domain)
                          : spot_of_place(TOPOLOGY_UNKNOWN);
}

/* Places. */

/* Finds the pCPUs of @place that the domain may use.  The caller frees the map. */
static void usable_cpus(const struct domain *d,
                        const struct topology_place *place,
                        struct cpumap *cpus)
{
    cpumap_init_copy(cpus, &place->cpus);
    cpumap_and(cpus, &d->pool_cpus);
}

/* Returns whether the affinity names the place already, whichever program set it. */
static bool asks_for(const struct domain *d, const struct topology_place *place)
{
    unsigned int i;

    for (i = 0; i < d->nr_vcpus; i++)
        if (!cpumap_subset(&d->vcpus[i].soft, &place->cpus))
            return false;

    return true;
}

/* One opinion. */

static void object_shunned(const struct candidate *c)
{
    decide(c->decision, LEAVE, (struct reason){
        c->guarded->shuns_all ? REASON_NO_HELP : REASON_WORSE_THERE,
        .time_ns = guard_shun_left(c->past, c->guard->input->now_ns) });
}

/* A number for the place, or for the core of a back end. */
static unsigned int target_of(const struct candidate *c, struct spot spot)
{
    return spot.core ? c->guard->input->topology->nr_places + spot.core : spot.place;
}

static bool falls(double before, double now)
{
    return before > 0 && now < before * GUARD_GOES_ON;
}

/*
 * Returns whether the reason for a move ceases.  If the reason is a partner, a smaller gain alone
 * does not count: the guest may have run near the partner by chance.
 */
static bool ceases(const struct past *m, const struct opinion *o)
{
    bool partner = o->savings.saved_ns[TERM_TALK] > o->gain / 2;

    return falls(m->gain, o->gain) && (!partner || m->rate <= 0 || falls(m->rate, o->rate));
}

/*
 * Returns whether enough periodic plans in a row chose the same target for this guest, and the
 * reason did not cease.  A guest that makes room for another one has no gain, so only the target
 * counts.
 */
static bool is_confirmed(const struct candidate *c)
{
    unsigned int confirm = c->guard->settings.confirm, target = target_of(c, c->opinion->spot);
    struct past *m = c->past;

    if (c->guard->input->requested)
        return m->wanted == target && m->agreed == confirm;
    if (m->wanted != target || (m->agreed < confirm && ceases(m, c->opinion))) {
        m->wanted = target;
        m->agreed = 0;
    }
    m->gain = c->opinion->gain;
    m->rate = c->opinion->rate;
    if (m->agreed < confirm)
        m->agreed++;

    return m->agreed == confirm;
}

static enum affinity_lever lever_allowed(const struct candidate *c)
{
    return guard_lever(c->guard, c->domain);
}

/*
 * Returns the time, in ns/s, that the domain would wait there with a hard affinity: its demand
 * times the probability that others keep all cores busy at once.
 */
static double price_of_hard(const struct candidate *c, struct spot ours)
{
    const struct policy_input *input = c->guard->input;
    const struct cpumap *cpus = &c->domain->ours;
    const double *all = guard_busy(c->guard);
    unsigned int cpu, cores = spot_cores(c, ours);
    double busy = 0;

    for (cpu = 0; cpu < cpus->nr_cpus; cpu++)
        if (cpumap_test(cpus, cpu))
            busy += all[cpu] - matrix_service_on(input->matrix, c->domain->acct,
                                                 cpu, input->now_ns);
    if (!cores)
        return 0;

    return 1e9 * c->guarded->tenant.demand.need *
           pow(busy < 0 ? 0 : busy < cores ? busy / cores : 1, cores);
}

/* Chooses the affinity that keeps a moved domain at its target. */
static void decide_pull(const struct candidate *c, struct spot ours, bool reason)
{
    bool placed = ours.place != TOPOLOGY_UNKNOWN;
    /* The objective has priced the waits for a shared core already. */
    double worth = c->opinion && !ours.core ? c->opinion->worth / c->opinion->members : 0;
    const struct lever_input input = {
        .allowed = lever_allowed(c),
        .hard = c->domain->ours_hard,
        .reason = reason,
        .room = placed && spot_can_be(c, ours, ROOM_TO_STAY),
        .room_to_go = placed && spot_can_go(c, ours),
        .worth = worth,
        /* A price is useful only for a comparison. */
        .hard_ns = placed && worth > 0 ? price_of_hard(c, ours) : 0,
        .outcome = &c->past->outcome,
        .stay_ns = c->guard->settings.stay_ns,
        .now_ns = c->guard->input->now_ns,
    };

    c->decision->pull = lever_decide(&c->past->lever, &input, &c->decision->pull_reason);
}

/* Returns whether the affinity names the spot; *@share: part of its time there. */
static bool prefers_spot(const struct candidate *c, struct spot spot, double *share)
{
    const struct policy_input *input = c->guard->input;
    const struct topology_place *place = topology_at(input->topology, spot);

    if (!asks_for(c->domain, place))
        return false;
    *share = presence_share(input->matrix, c->domain, &place->cpus, input->now_ns);

    return true;
}

/* Returns whether the domain is to leave a core for its cache, in which it counts already. */
static bool leaves_core(const struct candidate *c)
{
    return c->past->at_core && !c->opinion->spot.core &&
           c->opinion->spot.cache == spot_ours(c).cache;
}

/* Decides to move the domain to @spot, where it can be and should be. */
static void order_move(const struct candidate *c, struct spot spot)
{
    const struct opinion *o = c->opinion;
    const struct topology *t = c->guard->input->topology;
    struct reason reason = { REASON_OPINION, spot, .share = -1 };

    /* An affinity to one core of the spot is too narrow. */
    reason.prefers = (spot.core || !c->past->at_core) && prefers_spot(c, spot, &reason.share);
    if (reason.prefers && (reason.share < 0 || reason.share >= OUTCOME_THERE)) {
        guard_end_row(c->guard, c->past);
        reason.code = REASON_PREFERS;
        decide(c->decision, LEAVE, reason);
        return;
    }
    if (!is_confirmed(c)) {
        decide(c->decision, c->past->moved ? KEEP : LEAVE, (struct reason){
            REASON_UNCONFIRMED,
            .count = c->past->agreed, .of = c->guard->settings.confirm });
        return;
    }
    decide(c->decision, MOVE, reason);
    usable_cpus(c->domain, topology_at(t, spot), &c->decision->soft);
    c->decision->hard = lever_begins_hard(lever_allowed(c));
    c->past->reservation = (struct outcome_promise){
        .crossings = o->crossings,
        .others_ns = o->others_ns,
    };
}

/* Returns false if its spot has no capacity for the domain. */
static bool keep_spot(const struct candidate *c, struct spot ours)
{
    if (!spot_can_be(c, ours, ROOM_TO_STAY)) {
        spot_object(c, ours, ROOM_TO_STAY);
        return false;
    }
    c->past->reason_ns = c->guard->input->now_ns;
    guard_end_row(c->guard, c->past);
    decide(c->decision, KEEP, (struct reason){ .code = REASON_OPINION });
    decide_pull(c, ours, true);

    return true;
}

/* Returns whether the domain may not move again yet; *@reason: why. */
static bool must_stay(const struct candidate *c, struct reason *reason)
{
    uint64_t stayed = c->guard->input->now_ns - c->past->moved_ns;
    uint64_t stay = c->guard->settings.stay_ns;

    if (!c->past->moved || leaves_core(c))
        return false;
    if (stayed < stay) {
        *reason = (struct reason){ REASON_STAYS, .time_ns = stayed, .least_ns = stay };
        return true;
    }
    *reason = (struct reason){ REASON_JUDGED, .time_ns = stayed };

    return c->guard->input->real && outcome_is_open(&c->past->outcome);
}

/* Decides about another spot.  Returns the spot whose capacity the domain uses. */
static struct spot go_elsewhere(const struct candidate *c, struct spot spot)
{
    struct reason reason;

    if (must_stay(c, &reason)) {
        decide(c->decision, KEEP, reason);
        return spot_ours(c);
    }
    order_move(c, spot);

    return spot;
}

/* Returns whether the domain is where it was moved and where the opinion wants it. */
static bool is_ours(const struct candidate *c, struct spot ours)
{
    const struct opinion *o = c->opinion;

    return o->want != WANT_NOTHING && ours.place != TOPOLOGY_UNKNOWN &&
           o->spot.place == ours.place && o->spot.core == ours.core &&
           (o->spot.cache == TOPOLOGY_UNKNOWN || o->spot.cache == ours.cache);
}

/*
 * The domain may not go to the spot of the opinion.  Returns whether it stays where it was sent,
 * because that is better than no affinity.
 */
static bool stay_instead(const struct candidate *c, struct spot ours)
{
    if (ours.place == TOPOLOGY_UNKNOWN || c->opinion->worth <= 0 ||
        !spot_can_be(c, ours, ROOM_TO_STAY))
        return false;
    c->past->reason_ns = c->guard->input->now_ns;
    c->decision->verb = KEEP;
    decide_pull(c, ours, true);

    return true;
}

/* Returns whether the opinion decides; then the domain is at *@spot, or moves there. */
static bool consider_spot(const struct candidate *c, struct spot *spot)
{
    const struct opinion *o = c->opinion;
    double part = leaves_core(c) ? ROOM_TO_STAY : ROOM_TO_GO;
    bool shuns = guarded_shuns(c->guarded, o->spot.place);

    *spot = spot_ours(c);
    if (is_ours(c, *spot))
        return keep_spot(c, *spot);
    if (o->want != WANT_GO && !(o->full && (shuns || !spot_can_go(c, o->spot)))) {
        decide(c->decision, LEAVE, (struct reason){ .code = REASON_LACK });
        return false;
    }
    if (!spot_can_be(c, o->spot, part)) {
        spot_object(c, o->spot, part);
        return stay_instead(c, *spot);
    }
    if (shuns) {
        object_shunned(c);
        return stay_instead(c, *spot);
    }
    *spot = go_elsewhere(c, o->spot);

    return true;
}

static struct candidate candidate_of(struct planner *g, unsigned int i)
{
    return (struct candidate){
        .guard = g,
        .domain = &g->input->domains->domain[i],
        .past = &g->domains[i],
        .guarded = &g->guarded[i],
        .decision = &g->plan->decisions[i],
    };
}

static void take_one(struct planner *g, const struct opinion *opinion,
                     unsigned int i)
{
    struct candidate c = candidate_of(g, i);
    struct spot spot;

    c.opinion = opinion;
    c.decision->opinion = *opinion;
    if (!consider_spot(&c, &spot))
        return;
    c.decision->policy = "placement";
    guard_send(g, i, spot);
}

/*
 * When a domain is decided about.  Guests that are where xensched sent them come before guests that
 * move there, also if the policy has no reason for them: they use the capacity until they leave.
 */
enum turn { TURN_STAYS, TURN_MOVES_ON, TURN_MOVES, NR_TURNS };

static enum turn turn_of(struct planner *g, const struct opinion *opinion, unsigned int i)
{
    struct candidate c = candidate_of(g, i);
    struct reason reason;

    if (!c.past->moved)
        return TURN_MOVES;
    c.opinion = opinion;
    if (opinion->want != WANT_GO || is_ours(&c, spot_ours(&c)) || must_stay(&c, &reason))
        return TURN_STAYS;

    return TURN_MOVES_ON;
}

/* Counts a domain without a decision where xensched sent it; @sign -1 ends that. */
static void count_present(struct planner *g, unsigned int i, double sign)
{
    const struct candidate c = candidate_of(g, i);
    const struct spot spot = spot_ours(&c);

    if (c.guarded->open && spot.place != TOPOLOGY_UNKNOWN)
        room_change(&g->room, &c.guarded->tenant, spot, sign);
}

static void take_opinions(struct planner *g, const struct opinion *opinions)
{
    enum turn *turns = need_memory(g->plan->nr, sizeof(*turns));
    unsigned int i, turn;

    for (i = 0; i < g->plan->nr; i++)
        turns[i] = turn_of(g, &opinions[i], i);
    for (turn = 0; turn < NR_TURNS; turn++) {
        for (i = 0; i < g->plan->nr; i++)
            if (g->guarded[i].open && turns[i] == turn)
                take_one(g, &opinions[i], i);
        for (i = 0; i < g->plan->nr; i++)
            if (turns[i] == turn)
                count_present(g, i, 1);
    }
    /* Later steps ask for the room that each of them finds without itself. */
    for (i = 0; i < g->plan->nr; i++)
        count_present(g, i, -1);
    free(turns);
}

/* A move that has to wait for others.  The domain stays where it is, and remains confirmed. */
static void hold_back(struct planner *g, unsigned int i)
{
    const struct candidate c = candidate_of(g, i);

    room_change(&g->room, &c.guarded->tenant, c.guarded->at, -1);
    cpumap_free(&c.decision->soft);
    decide(c.decision, c.past->moved ? KEEP : LEAVE,
           (struct reason){ .code = REASON_WAITS_FOR_OTHERS });
    guard_send(g, i, spot_ours(&c));
    if (c.past->moved && c.decision->opinion.worth > 0)
        c.past->reason_ns = g->input->now_ns;
}

static void hold_moves_back(struct planner *g, struct place_host *host)
{
    bool *moves = need_memory(g->plan->nr, sizeof(*moves));
    unsigned int i;

    for (i = 0; i < g->plan->nr; i++)
        moves[i] = g->plan->decisions[i].verb == MOVE;
    place_joint(host, moves);
    for (i = 0; i < g->plan->nr; i++)
        if (g->plan->decisions[i].verb == MOVE && !moves[i])
            hold_back(g, i);
    free(moves);
}

/* The end of a run. */

/* Handles a moved domain for which the policy has no reason to stay. */
static void without_reason(struct planner *g, unsigned int i)
{
    const struct candidate c = candidate_of(g, i);
    uint64_t idle = g->input->now_ns - c.past->reason_ns;

    if (idle >= g->settings.quiet_ns) {
        decide(c.decision, GIVE_BACK, (struct reason){ REASON_NOTHING, .time_ns = idle });
        return;
    }
    decide(c.decision, KEEP, (struct reason){ REASON_NOTHING_NOW, .time_ns = idle });
    decide_pull(&c, spot_ours(&c), false);
}

/* Sends a device model to its guest's current place: the guest's planned move may fail. */
static void go_along(struct planner *g, unsigned int i)
{
    struct candidate c = candidate_of(g, i);
    const unsigned int with = g->guarded[i].goes_with - 1;
    const struct domain *guest = &g->input->domains->domain[with];
    bool sent = g->domains[with].moved &&
                g->plan->decisions[with].verb != GIVE_BACK;
    const struct reason reason = { REASON_GOES_ALONG, .other = guest };

    if (!sent && c.past->moved) {
        decide(c.decision, GIVE_BACK, reason);
    } else if (!sent) {
        decide(c.decision, LEAVE, reason);
    } else if (c.past->moved && cpumap_equal(&c.domain->ours, &guest->ours)) {
        decide(c.decision, KEEP, reason);
        c.past->reason_ns = g->input->now_ns;
        decide_pull(&c, spot_ours(&c), true);
    } else {
        decide(c.decision, MOVE, reason);
        cpumap_init_copy(&c.decision->soft, &guest->ours);
        c.decision->hard = lever_begins_hard(lever_allowed(&c));
        c.past->reservation = (struct outcome_promise){ .crossings = -1 };
    }
}

void plan_make(struct planner *g, const struct policy_input *input, struct plan *plan)
{
    struct opinion *opinions = need_memory(plan->nr, sizeof(*opinions));
    struct policy_input seen = *input;
    struct place_host *host;
    unsigned int i;

    guard_begin(g, &seen, plan);
    host = place_opinions(&g->policies, &g->settings, &seen, opinions);
    take_opinions(g, opinions);
    hold_moves_back(g, host);
    place_close(host);
    free(opinions);
    for (i = 0; i < g->plan->nr; i++)
        if (g->plan->decisions[i].follows)
            go_along(g, i);

    for (i = 0; i < g->plan->nr; i++) {
        if (!g->guarded[i].open)
            continue;
        guard_end_row(g, &g->domains[i]);
        if (g->domains[i].moved)
            without_reason(g, i);
    }
}

/* The decisions that were carried out. */

static void follow_done(const struct policy_input *input,
                        const struct domain *d,
                        const struct decision *decision, struct past *m)
{
    if (decision->verb == GIVE_BACK && m->undo.news != OUTCOME_NONE)
        m->shunned_ns = input->now_ns;
    guard_follow(m, input, d);
    if (decision->verb == MOVE && input->real)
        outcome_send(&m->outcome, input, d, &decision->soft, m->reservation);
    if (decision->verb != KEEP)
        return;
    lever_pulled(&m->lever, decision->pull, input->now_ns);
    outcome_again(&m->outcome, input->now_ns);
}

void plan_done(struct planner *g, const struct policy_input *input, const struct plan *plan)
{
    struct policy_input seen = *input;
    unsigned int i;

    guard_tell(g, &seen);
    for (i = 0; i < plan->nr; i++)
        if (plan->decisions[i].done)
            follow_done(&seen, &input->domains->domain[i],
                        &plan->decisions[i], &g->domains[i]);
}

/* Guests that do not exist yet. */

/*
 * Returns the demand of guests that a toolstack placed there and that have no decision.  They
 * make room for guests that are moved, but not for a new guest.
 */
static struct demand undecided_at(const struct planner *g, unsigned int cpupool,
                                  unsigned int place)
{
    struct demand sum = { 0 };
    unsigned int i;

    for (i = 0; i < g->nr; i++)
        if (g->guarded[i].open && g->guarded[i].at.place == place &&
            g->guarded[i].tenant.pool == cpupool)
            demand_add(&sum, g->guarded[i].tenant.demand, 1);

    return sum;
}

static void admit_arrival(const struct candidate *c, struct spot spot)
{
    if (!spot_can_go(c, spot)) {
        spot_object(c, spot, ROOM_TO_GO);
        return;
    }
    decide(c->decision, MOVE, (struct reason){ .code = REASON_OPINION });
    usable_cpus(c->domain, topology_at(c->guard->input->topology, spot),
                &c->decision->soft);
}

bool guard_admits(struct planner *g, const struct policy_input *input,
                  const struct arrival *arrival,
                  const struct opinion *opinion, struct decision *decision)
{
    const struct spot spot = opinion->spot;
    struct guarded guarded = { .tenant = {
        guard_cpupool(g, arrival->domain->pool), .demand = arrival->demand,
    } };
    struct candidate c = {
        .guard = g,
        .domain = arrival->domain,
        .opinion = opinion,
        .guarded = &guarded,
        .decision = decision,
    };
    struct tenant others;

    decision->opinion = *opinion;
    if (opinion->want != WANT_GO) {
        decide(decision, LEAVE, (struct reason){ .code = REASON_LACK });
        return false;
    }
    g->input = input;
    guarded.tenant.cores = guard_cores(g, arrival->domain);
    others = guarded.tenant;
    others.demand = undecided_at(g, others.pool, spot.place);
    demand_add(&others.demand, arrival->promised[spot.place], 1);
    room_change(&g->room, &others, spot, 1);
    admit_arrival(&c, spot);
    room_change(&g->room, &others, spot, -1);

    return decision->verb == MOVE;
}
