/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Names the reasons of Xen's work for domains.
 *
 * Names of hypercalls are those of xen.h; names of exits are Xen's names for the exits of Intel's
 * and AMD's manuals.
 */
#include <stddef.h>

#include <xensched/event.h>

#define NR(array) (sizeof(array) / sizeof((array)[0]))

static const char *const hypercalls[] = {
    [0] = "set-trap-table", [1] = "mmu-update", [2] = "set-gdt", [3] = "stack-switch",
    [4] = "set-callbacks", [5] = "fpu-taskswitch", [6] = "sched-op-compat",
    [7] = "platform-op", [8] = "set-debugreg", [9] = "get-debugreg",
    [10] = "update-descriptor", [12] = "memory-op", [13] = "multicall",
    [14] = "update-va-mapping", [15] = "set-timer-op", [16] = "event-channel-op-compat",
    [17] = "xen-version", [18] = "console-io", [19] = "physdev-op-compat",
    [20] = "grant-table-op", [21] = "vm-assist", [22] = "update-va-mapping-otherdomain",
    [23] = "iret", [24] = "vcpu-op", [25] = "set-segment-base", [26] = "mmuext-op",
    [27] = "xsm-op", [28] = "nmi-op", [29] = "sched-op", [30] = "callback-op",
    [31] = "xenoprof-op", [32] = "event-channel-op", [33] = "physdev-op",
    [34] = "hvm-op", [35] = "sysctl", [36] = "domctl", [37] = "kexec-op",
    [38] = "tmem-op", [39] = "argo-op", [40] = "xenpmu-op", [41] = "dm-op",
    [42] = "hypfs-op",
};

static const char *const irqs[] = {
    [XEN_SCHEDLOG_IRQ_GUEST] = "guest-device",
    [XEN_SCHEDLOG_IRQ_XEN] = "xen-device",
    [XEN_SCHEDLOG_IRQ_TIMER] = "timer",
    [XEN_SCHEDLOG_IRQ_FLUSH] = "flush-ipi",
    [XEN_SCHEDLOG_IRQ_EVENT_CHECK] = "event-check-ipi",
    [XEN_SCHEDLOG_IRQ_CALL] = "call-ipi",
    [XEN_SCHEDLOG_IRQ_OTHER] = "other",
    [XEN_SCHEDLOG_SOFTIRQ_TIMER] = "softirq-timer",
    [XEN_SCHEDLOG_SOFTIRQ_SCHEDULE] = "softirq-schedule",
    [XEN_SCHEDLOG_SOFTIRQ_RCU] = "softirq-rcu",
    [XEN_SCHEDLOG_SOFTIRQ_TASKLET] = "softirq-tasklet",
    [XEN_SCHEDLOG_SOFTIRQ_OTHER] = "softirq-other",
};

static const char *const flushes[] = {
    [XEN_SCHEDLOG_FLUSH_TLB] = "tlb",
    [XEN_SCHEDLOG_FLUSH_STATE] = "vcpu-state",
    [XEN_SCHEDLOG_FLUSH_OTHER] = "other",
};

static const char *const intel_exits[] = {
    [0] = "exception-nmi", [1] = "external-interrupt", [2] = "triple-fault",
    [3] = "init", [4] = "sipi", [5] = "io-smi", [6] = "other-smi",
    [7] = "pending-virt-intr", [8] = "pending-virt-nmi", [9] = "task-switch",
    [10] = "cpuid", [11] = "getsec", [12] = "hlt", [13] = "invd", [14] = "invlpg",
    [15] = "rdpmc", [16] = "rdtsc", [17] = "rsm", [18] = "vmcall", [19] = "vmclear",
    [20] = "vmlaunch", [21] = "vmptrld", [22] = "vmptrst", [23] = "vmread",
    [24] = "vmresume", [25] = "vmwrite", [26] = "vmxoff", [27] = "vmxon",
    [28] = "cr-access", [29] = "dr-access", [30] = "io-instruction", [31] = "msr-read",
    [32] = "msr-write", [33] = "invalid-guest-state", [34] = "msr-loading",
    [36] = "mwait-instruction", [37] = "monitor-trap-flag",
    [39] = "monitor-instruction", [40] = "pause-instruction",
    [41] = "mce-during-vmentry", [43] = "tpr-below-threshold", [44] = "apic-access",
    [45] = "eoi-induced", [46] = "access-gdtr-or-idtr", [47] = "access-ldtr-or-tr",
    [48] = "ept-violation", [49] = "ept-misconfig", [50] = "invept", [51] = "rdtscp",
    [52] = "vmx-preemption-timer-expired", [53] = "invvpid", [54] = "wbinvd",
    [55] = "xsetbv", [56] = "apic-write", [58] = "invpcid", [59] = "vmfunc",
    [62] = "pml-full", [63] = "xsaves", [64] = "xrstors", [74] = "bus-lock",
    [75] = "notify",
};

/* Lower numbers are accesses to registers and exceptions. */
static const char *const amd_exits[] = {
    [96] = "intr", [97] = "nmi", [98] = "smi", [99] = "init", [100] = "vintr",
    [101] = "cr0-sel-write", [102] = "idtr-read", [103] = "gdtr-read",
    [104] = "ldtr-read", [105] = "tr-read", [106] = "idtr-write", [107] = "gdtr-write",
    [108] = "ldtr-write", [109] = "tr-write", [110] = "rdtsc", [111] = "rdpmc",
    [112] = "pushf", [113] = "popf", [114] = "cpuid", [115] = "rsm", [116] = "iret",
    [117] = "swint", [118] = "invd", [119] = "pause", [120] = "hlt", [121] = "invlpg",
    [122] = "invlpga", [123] = "ioio", [124] = "msr", [125] = "task-switch",
    [126] = "ferr-freeze", [127] = "shutdown", [128] = "vmrun", [129] = "vmmcall",
    [130] = "vmload", [131] = "vmsave", [132] = "stgi", [133] = "clgi",
    [134] = "skinit", [135] = "rdtscp", [136] = "icebp", [137] = "wbinvd",
    [138] = "monitor", [139] = "mwait", [140] = "mwait-conditional", [141] = "xsetbv",
    [142] = "rdpru",
};

static const char *name_in(const char *const *names, size_t nr, unsigned int reason)
{
    return reason < nr ? names[reason] : NULL;
}

static const char *amd_exit(unsigned int code)
{
    static const char *const registers[] = { "cr-read", "cr-write", "dr-read",
                                             "dr-write", "exception", "exception" };

    return code < 16 * NR(registers) ? registers[code / 16]
                                     : name_in(amd_exits, NR(amd_exits), code);
}

static const char *exit_of(unsigned int reason)
{
    if (reason == XEN_SCHEDLOG_EXIT_NPF)
        return "npf";
    if (reason >= XEN_SCHEDLOG_EXIT_SVM)
        return amd_exit(reason - XEN_SCHEDLOG_EXIT_SVM);

    return name_in(intel_exits, NR(intel_exits), reason);
}

static const char *reason_of(unsigned int event, unsigned int reason)
{
    switch (event) {
    case XEN_SCHEDLOG_EV_HYPERCALL_TIME:
        return name_in(hypercalls, NR(hypercalls), reason);
    case XEN_SCHEDLOG_EV_IRQ_TIME:
        return name_in(irqs, NR(irqs), reason);
    case XEN_SCHEDLOG_EV_EXIT_TIME:
        return exit_of(reason);
    default:
        return name_in(flushes, NR(flushes), reason);
    }
}

bool xensched_is_work(unsigned int event)
{
    return event == XEN_SCHEDLOG_EV_HYPERCALL_TIME || event == XEN_SCHEDLOG_EV_IRQ_TIME ||
           event == XEN_SCHEDLOG_EV_EXIT_TIME || event == XEN_SCHEDLOG_EV_FLUSH_WAIT;
}

void xensched_work(unsigned int event, uint64_t counter, struct xensched_work *work)
{
    const unsigned int reason = counter >> XEN_SCHEDLOG_WORK_REASON_SHIFT;

    *work = (struct xensched_work){
        .reason = reason_of(event, reason),
        .number = reason,
        .times = counter >> XEN_SCHEDLOG_WORK_COUNT_SHIFT & XEN_SCHEDLOG_WORK_COUNT_MASK,
        .ns = counter & XEN_SCHEDLOG_WORK_TIME_MASK,
    };
}
