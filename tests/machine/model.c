/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulates the caches of a host and the directory of its lines.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define LINES_PER_PAGE 64
#define NR_PAGES (MODEL_ADDRESSES / LINE_BYTES / LINES_PER_PAGE)

/* Owners: a core, or a last-level cache. */
#define NOBODY (-1)
#define LLC_OWNER(llc) (MAX_PCPUS + (int)(llc))

/* An entry of the directory. */
struct line {
    uint64_t cores, llcs; /* sets of those with this line */
    int16_t owner;
    bool dirty;           /* memory has an older value */
    uint8_t node;         /* of its memory */
    double written;       /* ns, at the latest write */
};

enum distance { HERE, SAME_LLC, SAME_SOCKET, OTHER_SOCKET };

#define BIT(nr) (1ULL << (nr))
#define FOR_EACH(nr, set)                                              \
    for (uint64_t left = (set); left && ((nr) = __builtin_ctzll(left), \
                                         true); left &= left - 1)

/* Where pCPUs and caches are. */

static unsigned int socket_of(const struct model *model, unsigned int pcpu)
{
    return pcpu / model->cores;
}

static unsigned int llcs_per_socket(const struct model *model)
{
    return (model->cores + model->machine.cores_per_llc - 1) /
           model->machine.cores_per_llc;
}

static unsigned int llc_of(const struct model *model, unsigned int pcpu)
{
    return socket_of(model, pcpu) * llcs_per_socket(model) +
           pcpu % model->cores / model->machine.cores_per_llc;
}

static enum distance llc_distance(const struct model *model, unsigned int llc,
                                  unsigned int other)
{
    unsigned int per_socket = llcs_per_socket(model);

    if (llc == other)
        return SAME_LLC;

    return llc / per_socket == other / per_socket ? SAME_SOCKET : OTHER_SOCKET;
}

static unsigned int owners_llc(const struct model *model, int owner)
{
    return owner < MAX_PCPUS ? llc_of(model, owner) :
                               (unsigned int)owner - MAX_PCPUS;
}

/* The directory. */

static struct line *find_line(struct model *model, uint64_t nr)
{
    struct line **page = &model->pages[nr / LINES_PER_PAGE];

    if (!*page) {
        *page = malloc(sizeof(**page) * LINES_PER_PAGE);
        if (!*page)
            abort();
        for (unsigned int i = 0; i < LINES_PER_PAGE; i++)
            (*page)[i] = (struct line){ .owner = NOBODY };
    }

    return *page + nr % LINES_PER_PAGE;
}

/* Bandwidth. */

/*
 * A line moves to @pcpu from the caches of the socket, or from its memory.  Returns the ns
 * that it waits.
 */
static double wait_for(struct model *model, unsigned int pcpu, unsigned int socket,
                       bool memory)
{
    double now, wait;

    if (!model->now)
        return 0;
    now = model->now();
    wait = memory ? queue_wait(&model->memory[socket], now) : 0;
    if (socket != socket_of(model, pcpu))
        wait += queue_wait(&model->link[socket], now + wait);
    model->counts[pcpu].queued += wait > 0;

    return wait;
}

static void write_back(struct model *model, unsigned int pcpu,
                       struct line *line)
{
    if (!line->dirty)
        return;
    model->counts[pcpu].writebacks++;
    line->dirty = false;
    if (model->now)
        queue_wait(&model->memory[line->node], model->now());
}

/* A last-level cache evicts a line for another one. */
static void leaves_llc(struct model *model, unsigned int pcpu, uint64_t nr)
{
    struct line *line = find_line(model, nr);
    unsigned int llc = llc_of(model, pcpu);

    line->llcs &= ~BIT(llc);
    if (line->owner == LLC_OWNER(llc)) {
        write_back(model, pcpu, line);
        line->owner = NOBODY;
    }
}

static void to_llc(struct model *model, unsigned int pcpu, uint64_t nr,
                   struct line *line)
{
    unsigned int llc = llc_of(model, pcpu);
    uint64_t leaves;

    if (line->owner == (int)pcpu)
        line->owner = LLC_OWNER(llc);
    if (line->llcs & BIT(llc)) {
        cache_use(&model->llc[llc], nr);
        return;
    }
    line->llcs |= BIT(llc);
    leaves = cache_take(&model->llc[llc], nr);
    if (leaves != NO_LINE)
        leaves_llc(model, pcpu, leaves);
}

static void leaves_core(struct model *model, unsigned int pcpu, uint64_t nr)
{
    struct line *line = find_line(model, nr);

    cache_drop(&model->l1[pcpu], nr);
    line->cores &= ~BIT(pcpu);
    to_llc(model, pcpu, nr, line);
}

static void to_core(struct model *model, unsigned int pcpu, uint64_t nr,
                    struct line *line)
{
    uint64_t leaves;

    line->cores |= BIT(pcpu);
    leaves = cache_take(&model->l2[pcpu], nr);
    if (leaves != NO_LINE)
        leaves_core(model, pcpu, leaves);
    cache_take(&model->l1[pcpu], nr);
}

/* Accesses. */

/* ns from a load to a line that another core or last-level cache has. */
static double ns_from(const struct model *model, enum distance distance)
{
    switch (distance) {
    case SAME_SOCKET:
        return model->machine.same_socket_ns;
    case OTHER_SOCKET:
        return model->machine.other_socket_ns;
    default:
        return model->machine.same_llc_ns;
    }
}

static uint64_t *by_distance(struct counts *counts, enum distance distance)
{
    switch (distance) {
    case SAME_SOCKET:
        return &counts->same_socket;
    case OTHER_SOCKET:
        return &counts->other_socket;
    default:
        return &counts->same_llc;
    }
}

static uint64_t *upgrade(struct counts *counts, enum distance distance)
{
    switch (distance) {
    case SAME_SOCKET:
        return &counts->upgrade_same_socket;
    case OTHER_SOCKET:
        return &counts->upgrade_other_socket;
    default:
        return &counts->upgrade_same_llc;
    }
}

static uint64_t cores_of_llc(const struct model *model, unsigned int pcpu)
{
    unsigned int first = pcpu - pcpu % model->cores %
                                model->machine.cores_per_llc;
    uint64_t set = 0;

    for (unsigned int i = first; i < model->nr_pcpus &&
                                 llc_of(model, i) == llc_of(model, pcpu); i++)
        set |= BIT(i);

    return set;
}

/*
 * Moves the line to a core that does not have it, from the nearest source.  Returns
 * the ns that this takes.
 */
static double fetch(struct model *model, unsigned int pcpu, struct line *line,
                    uint64_t nr, unsigned int node)
{
    const struct machine *machine = &model->machine;
    struct counts *counts = &model->counts[pcpu];
    unsigned int llc = llc_of(model, pcpu), from;
    enum distance distance;

    line->node = node;
    if (line->owner == LLC_OWNER(llc) ||
        (line->owner == NOBODY && line->llcs & BIT(llc))) {
        cache_use(&model->llc[llc], nr);
        counts->llc++;
        return machine->llc_ns;
    }
    if (line->owner != NOBODY) {
        from = owners_llc(model, line->owner);
        distance = llc_distance(model, llc, from);
        ++*by_distance(counts, distance);
        write_back(model, pcpu, line);
        line->owner = NOBODY;
        return ns_from(model, distance) +
               wait_for(model, pcpu, from / llcs_per_socket(model), false);
    }
    if (line->cores & cores_of_llc(model, pcpu)) {
        counts->same_llc++;
        return machine->same_llc_ns;
    }
    if (!line->cores && !line->llcs)
        line->owner = pcpu;
    if (node == socket_of(model, pcpu)) {
        counts->dram_local++;
        return machine->dram_local_ns + wait_for(model, pcpu, node, true);
    }
    counts->dram_remote++;
    return machine->dram_remote_ns + wait_for(model, pcpu, node, true);
}

/* Returns the ns that the pCPU waits until the line has been written. */
static double until_written(const struct model *model, const struct line *line)
{
    double now = model->now ? model->now() : line->written;

    return line->written > now ? line->written - now : 0;
}

/* Removes the line from all others; returns the distance of the farthest one. */
static enum distance take_from_others(struct model *model, unsigned int pcpu,
                                      struct line *line, uint64_t nr)
{
    unsigned int llc = llc_of(model, pcpu), other;
    enum distance farthest = HERE, distance;

    FOR_EACH(other, line->cores & ~BIT(pcpu)) {
        cache_drop(&model->l1[other], nr);
        cache_drop(&model->l2[other], nr);
        distance = llc_distance(model, llc, llc_of(model, other));
        if (distance > farthest)
            farthest = distance;
    }
    FOR_EACH(other, line->llcs) {
        cache_drop(&model->llc[other], nr);
        distance = llc_distance(model, llc, other);
        if (other != llc && distance > farthest)
            farthest = distance;
    }
    line->cores &= BIT(pcpu);
    line->llcs = 0;

    return farthest;
}

/* Returns the ns of an upgrade: those of a line from the farthest core. */
static double make_mine(struct model *model, unsigned int pcpu,
                        struct line *line, uint64_t nr, bool had_it)
{
    double ns = 0;

    if (line->owner != (int)pcpu) {
        enum distance farthest = take_from_others(model, pcpu, line, nr);

        if (had_it && farthest != HERE) {
            ++*upgrade(&model->counts[pcpu], farthest);
            ns = ns_from(model, farthest);
        }
        line->owner = pcpu;
    }
    line->dirty = true;

    return ns;
}

double model_access(struct model *model, unsigned int pcpu, uint64_t nr,
                  unsigned int node, bool write)
{
    struct counts *counts = &model->counts[pcpu];
    struct line *line = NULL;
    bool had_it = true;
    double ns = 0;

    ++*(write ? &counts->writes : &counts->reads);
    if (cache_use(&model->l1[pcpu], nr)) {
        counts->l1++;
    } else if (cache_use(&model->l2[pcpu], nr)) {
        counts->l2++;
        ns = model->machine.l2_ns;
        cache_take(&model->l1[pcpu], nr);
    } else {
        had_it = false;
        line = find_line(model, nr);
        ns = until_written(model, line) + fetch(model, pcpu, line, nr, node);
        to_core(model, pcpu, nr, line);
    }
    if (write) {
        line = line ? line : find_line(model, nr);
        ns += make_mine(model, pcpu, line, nr, had_it);
        line->written = model->now ? model->now() + ns : 0;
    }

    return ns;
}

/* The whole model. */

void model_empty(struct model *model)
{
    for (unsigned int i = 0; i < model->nr_pcpus; i++) {
        cache_empty(&model->l1[i]);
        cache_empty(&model->l2[i]);
    }
    for (unsigned int i = 0;
         i < model->machine.sockets * llcs_per_socket(model); i++)
        cache_empty(&model->llc[i]);
    for (unsigned int i = 0; i < model->machine.sockets; i++) {
        queue_init(&model->memory[i], model->machine.dram_gbs);
        queue_init(&model->link[i], model->machine.link_gbs);
    }
    for (size_t i = 0; i < NR_PAGES; i++)
        if (model->pages[i]) {
            free(model->pages[i]);
            model->pages[i] = NULL;
        }
}

void model_zero_counts(struct model *model)
{
    memset(model->counts, 0, sizeof(model->counts));
}

bool model_init(struct model *model, const struct machine *machine,
                unsigned int cores)
{
    bool ok = true;

    memset(model, 0, sizeof(*model));
    model->machine = *machine;
    model->cores = cores;
    model->nr_pcpus = machine->sockets * cores;
    model->pages = calloc(NR_PAGES, sizeof(*model->pages));
    for (unsigned int i = 0; i < model->nr_pcpus; i++)
        ok = ok && cache_init(&model->l1[i], machine->l1_kib,
                              machine->l1_ways) &&
             cache_init(&model->l2[i], machine->l2_kib, machine->l2_ways);
    for (unsigned int i = 0; i < machine->sockets * llcs_per_socket(model);
         i++)
        ok = ok && cache_init(&model->llc[i], machine->llc_kib,
                              machine->llc_ways);

    if (!ok || !model->pages)
        return false;
    model_empty(model);

    return true;
}

void model_free(struct model *model)
{
    model_empty(model);
    for (unsigned int i = 0; i < MAX_PCPUS; i++) {
        cache_free(&model->l1[i]);
        cache_free(&model->l2[i]);
        cache_free(&model->llc[i]);
    }
    free(model->pages);
}
