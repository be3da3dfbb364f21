/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declares the used part of QEMU's interface for TCG plugins.  Debian 12 ships no header
 * for it, so these declarations follow the interface's documentation
 * (https://www.qemu.org/docs/master/devel/tcg-plugins.html).
 *
 * QEMU refuses a plugin with an unknown qemu_plugin_version.  In this file, versions
 * differ only in qemu_plugin_insn_data().  The Makefile selects the version: 1 up to
 * QEMU 8.2, 3 from 9.1 on.
 */
#ifndef QEMU_API_H
#define QEMU_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;

typedef struct {
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
    union {
        struct {
            int smp_vcpus, max_vcpus;
        } system;
    };
} qemu_info_t;

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;

enum qemu_plugin_cb_flags {
    QEMU_PLUGIN_CB_NO_REGS,
};

enum qemu_plugin_mem_rw {
    QEMU_PLUGIN_MEM_RW = 3,
};

typedef void (*qemu_plugin_simple_cb_t)(qemu_plugin_id_t id);
typedef void (*qemu_plugin_vcpu_udata_cb_t)(unsigned int vcpu, void *data);
typedef void (*qemu_plugin_vcpu_tb_trans_cb_t)(qemu_plugin_id_t id,
                                               struct qemu_plugin_tb *tb);
typedef void (*qemu_plugin_vcpu_mem_cb_t)(unsigned int vcpu,
                                          qemu_plugin_meminfo_t info,
                                          uint64_t vaddr, void *data);

/* The plugin's version, which QEMU reads. */
extern QEMU_EXPORT int qemu_plugin_version;
QEMU_EXPORT int qemu_plugin_install(qemu_plugin_id_t id,
                                    const qemu_info_t *info, int argc,
                                    char **argv);

/* Forgets all callbacks and translations, calls @cb when no code runs. */
void qemu_plugin_reset(qemu_plugin_id_t id, qemu_plugin_simple_cb_t cb);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           qemu_plugin_vcpu_tb_trans_cb_t cb);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t idx);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
#if QEMU_API < 3
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#else
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *dest,
                             size_t len);
#endif

void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
                                          qemu_plugin_vcpu_udata_cb_t cb,
                                          enum qemu_plugin_cb_flags flags,
                                          void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
                                            qemu_plugin_vcpu_udata_cb_t cb,
                                            enum qemu_plugin_cb_flags flags,
                                            void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
                                      qemu_plugin_vcpu_mem_cb_t cb,
                                      enum qemu_plugin_cb_flags flags,
                                      enum qemu_plugin_mem_rw rw, void *data);

unsigned int qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t info);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info,
                                                  uint64_t vaddr);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *haddr);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *haddr);

/*
 * Functions of the QEMU that tests/machine/qemu patches, NULL in others.
 *
 * Stalls the running pCPU for the time of a number of instructions.  True: its turn ends
 * with the current instruction.
 */
__attribute__((weak)) bool qemu_plugin_stall(uint64_t instructions);

/* Its clock in ns at the end of the current block, including the stalls in it. */
__attribute__((weak)) int64_t qemu_plugin_clock(void);

/* The pCPU that runs has missed its L2: its performance counters count that. */
__attribute__((weak)) void qemu_plugin_count_miss(void);

/* The most ns by which its clock was ahead of another one's since the latest call. */
__attribute__((weak)) int64_t qemu_plugin_clock_lead(unsigned int vcpu);

/*
 * Not part of the interface, but exported by the QEMUs that need it (see forget() in
 * plugin.c); NULL in others.
 */
#if QEMU_API < 3
struct CPUState;
__attribute__((weak)) struct CPUState *qemu_get_cpu(int vcpu);
__attribute__((weak)) void qemu_plugin_disable_mem_helpers(struct CPUState *);
#endif

#endif /* QEMU_API_H */
