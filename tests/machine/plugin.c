/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connects the machine model to QEMU as a plugin.  The model receives the instructions
 * and accesses of pCPUs; the plugin writes its counts to a file, a line of JSON for each
 * pCPU and region.  It is off, without a cost, until a pCPU executes a marker, which
 * needs no privilege:
 *
 *   0f 1f c0+ID   a NOP with a register operand; compilers only use it with
 *                 memory operands.  ID 1 ... 63: a region begins (and with it
 *                 ends the one before); 0: it ends
 *
 * When it goes on, QEMU translates everything again, with calls of the plugin for each
 * block and each access; when it goes off, without.  Caches are empty when it
 * goes on, and keep their lines from one region to the next: so warm up in a
 * separate region.
 *
 * QEMU calls the plugin for data accesses of dom0, Xen and guests: not for instruction
 * fetches, page walks of the processor, or DMA.  One thread runs all pCPUs (exact mode),
 * so there are no locks here.
 *
 * With the QEMU of tests/machine/qemu (mode timed), a pCPU waits for its lines on
 * its own clock, and its performance counters count the misses of its L2.
 *
 * While the host boots, the plugin checks that QEMU reports the right vCPUs (index.h).
 *
 * Options: machine=FILE cores=N (of each socket) memory=BYTES (of each node)
 *          out=FILE; timed=yes in mode timed
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "index.h"
#include "model.h"
#include "qemu-api.h"

/* The interrupt command register of the pCPU's APIC: writing it sends one. */
#define APIC_ICR 0xfee00300

int qemu_plugin_version = QEMU_API;

static struct model model;
static double per_ns; /* instructions, where time passes for accesses; else 0 */
static uint64_t node_bytes;
static FILE *out;

static unsigned int region; /* 0: none */
static unsigned int entry;  /* number of regions before this one */
static bool instrumented;   /* translations call the plugin */
static bool resetting;
static int64_t began_ms;    /* start of the region, in CPU time of QEMU */

static enum index_verdict index_verdict;
static struct index_check index_check = { .first = INDEX_NOBODY };

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "machine model: %s: %s\n", what, why);

    return -1;
}

/* The file. */

static void write_machine(const struct machine *machine)
{
    fprintf(out, "{\"pcpus\": %u, \"cores_here\": %u", model.nr_pcpus,
            model.cores);
#define NUMBER(name, max) fprintf(out, ", \"" #name "\": %u", machine->name);
    MACHINE_NUMBERS(NUMBER)
#define COST(name) fprintf(out, ", \"" #name "\": %g", machine->name);
    MACHINE_COSTS(COST)
    fprintf(out, "}\n");
    fflush(out);
}

static int64_t cpu_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);

    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/* The most by which the pCPU's clock was ahead of another busy one's. */
static int64_t lead_ns(unsigned int pcpu)
{
    return per_ns ? qemu_plugin_clock_lead(pcpu) : 0;
}

static void write_region(void)
{
    int64_t ms = cpu_ms() - began_ms;

    for (unsigned int i = 0; i < model.nr_pcpus; i++) {
        const struct counts *counts = &model.counts[i];

        fprintf(out, "{\"region\": %u, \"entry\": %u, \"pcpu\": %u", region,
                entry, i);
#define COUNT(name) fprintf(out, ", \"" #name "\": %" PRIu64, counts->name);
        COUNTS(COUNT)
        fprintf(out, ", \"lead_ns\": %" PRId64 ", \"cpu_ms\": %" PRId64 "}\n",
                lead_ns(i), ms);
    }
    fflush(out);
}

/* Calls during a marked region. */

static void executes(unsigned int vcpu, void *data)
{
    model.counts[vcpu].instructions += (uintptr_t)data;
}

static void halts(unsigned int vcpu, void *data)
{
    (void)data;
    model.counts[vcpu].halts++;
}

static void accesses_device(unsigned int vcpu, uint64_t address, bool write)
{
    model.counts[vcpu].device++;
    model.counts[vcpu].ipis += write && address == APIC_ICR;
}

/*
 * For an address in a node's memory, QEMU up to 7.2 adds the node's start twice: its
 * address in the host, and in QEMU's own list of memory.  Both are equal, because nodes
 * are first in that list, so node n is at 2 n.
 */
static unsigned int node_of(uint64_t address)
{
    unsigned int place = address / node_bytes;

#if QEMU_API < 3
    place /= 2;
#endif

    return place < model.machine.sockets ? place : model.machine.sockets - 1;
}

static double now_ns(void)
{
    return qemu_plugin_clock();
}

/*
 * Lets the pCPU wait for lines, rounded to whole instructions.  If its turn ends here,
 * the @rest of the block, which has been counted, is executed later as a block of its own.
 */
static void stall(unsigned int vcpu, double ns, uintptr_t rest)
{
    if (per_ns && ns > 0 && qemu_plugin_stall(ns * per_ns + 0.5))
        model.counts[vcpu].instructions -= rest;
}

/* Accesses that neither cache of the core had. */
static uint64_t misses(const struct counts *counts)
{
    return counts->reads + counts->writes - counts->l1 - counts->l2;
}

/* @rest: the number of instructions of the block after this one. */
static void accesses(unsigned int vcpu, qemu_plugin_meminfo_t info,
                     uint64_t vaddr, void *rest)
{
    const struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info,
                                                                    vaddr);
    bool write = qemu_plugin_mem_is_store(info);
    uint64_t first, last, missed = misses(&model.counts[vcpu]);
    double ns = 0;

    if (!where)
        return;
    first = qemu_plugin_hwaddr_phys_addr(where);
    if (qemu_plugin_hwaddr_is_io(where)) {
        accesses_device(vcpu, first, write);
        return;
    }
    last = first + (1U << qemu_plugin_mem_size_shift(info)) - 1;
    if (last >= MODEL_ADDRESSES)
        return;
    for (uint64_t line = first / LINE_BYTES; line <= last / LINE_BYTES; line++)
        ns += model_access(&model, vcpu, line, node_of(first), write);
    stall(vcpu, ns, (uintptr_t)rest);
    for (missed = misses(&model.counts[vcpu]) - missed; per_ns && missed; missed--)
        qemu_plugin_count_miss();
}

/* The marker. */

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb);
static void was_reset(qemu_plugin_id_t id);

static void instrument(qemu_plugin_id_t id)
{
    if (resetting || instrumented == !!region)
        return;
    resetting = true;
    if (region)
        model_empty(&model);
    qemu_plugin_reset(id, was_reset);
}

/*
 * For each pCPU, QEMU 7.2 may keep the list of the plugin's callbacks for its latest
 * instruction.  The list is freed with all translations, but QEMU uses it at the pCPU's
 * next exception ("code should not be reached").  Later versions empty the list whenever
 * they leave a block.
 */
static void forget(void)
{
#if QEMU_API < 3
    if (!qemu_get_cpu || !qemu_plugin_disable_mem_helpers)
        return;
    for (unsigned int i = 0; i < model.nr_pcpus; i++)
        qemu_plugin_disable_mem_helpers(qemu_get_cpu(i));
#endif
}

/* QEMU calls this while no code runs. */
static void was_reset(qemu_plugin_id_t id)
{
    forget();
    resetting = false;
    instrumented = region;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
}

static qemu_plugin_id_t our_id;

static void refuse(void)
{
    fail("this QEMU", "reports wrong vCPUs to a plugin; run 'make machine', whose QEMU the "
         "box will use");
    _exit(1);
}

static void checks_index(unsigned int vcpu, void *owner)
{
    if (resetting || index_verdict == INDEX_RIGHT)
        return;
    index_verdict = index_executed(&index_check, owner, vcpu);
    if (index_verdict == INDEX_WRONG)
        refuse();
    if (index_verdict == INDEX_RIGHT) {
        /* Translate again, without this call. */
        resetting = true;
        qemu_plugin_reset(our_id, was_reset);
    }
}

static void check_index(struct qemu_plugin_tb *tb)
{
    int *owner = malloc(sizeof(*owner));

    if (!owner)
        abort();
    *owner = INDEX_NOBODY;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, checks_index, QEMU_PLUGIN_CB_NO_REGS, owner);
}

static void marked(unsigned int vcpu, void *data)
{
    (void)vcpu;
    if (index_verdict == INDEX_UNKNOWN)
        refuse();
    if (region) {
        write_region();
        entry++;
    }
    region = (uintptr_t)data;
    began_ms = cpu_ms();
    for (unsigned int i = 0; i < model.nr_pcpus; i++)
        lead_ns(i);
    model_zero_counts(&model);
    instrument(our_id);
}

/* Returns whether the instruction has @size bytes; then copies them to @code. */
static bool has_size(const struct qemu_plugin_insn *insn, uint8_t *code, size_t size)
{
    if (qemu_plugin_insn_size(insn) != size)
        return false;
#if QEMU_API < 3
    memcpy(code, qemu_plugin_insn_data(insn), size);
#else
    qemu_plugin_insn_data(insn, code, size);
#endif

    return true;
}

/* Returns the region of a marker; -1: another instruction. */
static int marker(const struct qemu_plugin_insn *insn)
{
    uint8_t code[3];

    return has_size(insn, code, sizeof(code)) && code[0] == 0x0f &&
           code[1] == 0x1f && code[2] >= 0xc0 ? code[2] - 0xc0 : -1;
}

static bool is_halt(const struct qemu_plugin_insn *insn)
{
    uint8_t code;

    return has_size(insn, &code, 1) && code == 0xf4;
}

static void translate(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
    size_t nr = qemu_plugin_tb_n_insns(tb);

    (void)id;
    if (index_verdict == INDEX_UNKNOWN)
        check_index(tb);
    if (instrumented)
        qemu_plugin_register_vcpu_tb_exec_cb(tb, executes,
                                             QEMU_PLUGIN_CB_NO_REGS,
                                             (void *)(uintptr_t)nr);
    for (size_t i = 0; i < nr; i++) {
        struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        int begins = marker(insn);

        if (begins >= 0)
            qemu_plugin_register_vcpu_insn_exec_cb(insn, marked,
                                                   QEMU_PLUGIN_CB_NO_REGS,
                                                   (void *)(intptr_t)begins);
        if (instrumented && is_halt(insn))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, halts,
                                                   QEMU_PLUGIN_CB_NO_REGS, NULL);
        if (instrumented)
            qemu_plugin_register_vcpu_mem_cb(insn, accesses,
                                             QEMU_PLUGIN_CB_NO_REGS,
                                             QEMU_PLUGIN_MEM_RW,
                                             (void *)(uintptr_t)(nr - i - 1));
    }
}

/* The beginning. */

/* Returns the value of an option, or NULL. */
static const char *option(int argc, char **argv, const char *name)
{
    size_t length = strlen(name);

    for (int i = 0; i < argc; i++)
        if (!strncmp(argv[i], name, length) && argv[i][length] == '=')
            return argv[i] + length + 1;

    return NULL;
}

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc,
                        char **argv)
{
    const char *path = option(argc, argv, "out");
    const char *file = option(argc, argv, "machine");
    const char *cores = option(argc, argv, "cores");
    const char *memory = option(argc, argv, "memory");
    struct machine machine;
    char why[512];

    if (!path || !file || !cores || !memory)
        return fail("options", "machine, cores, memory and out are needed");
    if (machine_read(&machine, file, why, sizeof(why)))
        return fail("description", why);
    node_bytes = strtoull(memory, NULL, 10);
    if (!node_bytes || info->system.smp_vcpus !=
                       (int)machine.sockets * atoi(cores) ||
        info->system.smp_vcpus > MAX_PCPUS)
        return fail(file, "this host has other sockets, or more than 64 pCPUs");
    if (!model_init(&model, &machine, atoi(cores)))
        return fail(file, "no memory for its caches");
    out = fopen(path, "w");
    if (!out)
        return fail(path, "cannot be written");

    if (option(argc, argv, "timed")) {
        if (!qemu_plugin_stall || !qemu_plugin_clock || !qemu_plugin_count_miss ||
            !qemu_plugin_clock_lead)
            return fail("timed", "this QEMU has no clock for each pCPU, or is old: run "
                        "'make machine'");
        per_ns = machine.ghz / machine.cpi;
        model.now = now_ns;
    }
    our_id = id;
    if (info->system.smp_vcpus == 1)
        index_verdict = INDEX_RIGHT;
    write_machine(&machine);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);

    return 0;
}
