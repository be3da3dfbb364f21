/* SPDX-License-Identifier: GPL-2.0-only */
/* Names the code of a decision for programs that read JSON; reason-text.c writes sentences. */
#include "plan.h"

static const char *const reasons[] = {
    [REASON_NONE] = "none",
    [REASON_DRIVER] = "driver-domain",
    [REASON_OPERATOR] = "operator",
    [REASON_CONFIGURED] = "held-by-configuration",
    [REASON_HELD] = "held",
    [REASON_ASIDE] = "set-aside",
    [REASON_ONE_PLACE] = "one-place",
    [REASON_ONE_NODE] = "one-node",
    [REASON_NO_POOL] = "no-cpupool",
    [REASON_NEW] = "new",
    [REASON_DEVICE_MODEL] = "device-model-stays",
    [REASON_GOES_ALONG] = "device-model",
    [REASON_UNDONE] = "undone",
    [REASON_STAYS] = "stay",
    [REASON_JUDGED] = "judging",
    [REASON_NOTHING] = "no-reason",
    [REASON_NOTHING_NOW] = "no-reason-now",
    [REASON_PREFERS] = "prefers",
    [REASON_UNCONFIRMED] = "unconfirmed",
    [REASON_WAITS_FOR_OTHERS] = "waits-for-others",
    [REASON_WORSE_THERE] = "cost-more-there",
    [REASON_NO_HELP] = "did-not-help",
    [REASON_FEW_CORES] = "few-cores",
    [REASON_NO_ROOM] = "no-capacity",
};

static const char *const grounds[] = {
    [GROUNDS_NONE] = "none",
    [GROUNDS_GAIN] = "gain",
    [GROUNDS_WORTH] = "worth",
    [GROUNDS_LEAST_GAIN] = "least-gain",
    [GROUNDS_TOO_WIDE] = "too-wide",
    [GROUNDS_ONE_SPOT] = "one-target",
    [GROUNDS_HISTORY] = "history",
    [GROUNDS_BACK_ENDS] = "back-ends",
    [GROUNDS_NEVER_RAN] = "never-ran",
    [GROUNDS_ALL_GONE] = "partners-gone",
    [GROUNDS_HISTORY_GAIN] = "history-least-gain",
    [GROUNDS_HISTORY_SPREAD] = "history-spread",
    [GROUNDS_NO_DISKS] = "no-disks",
    [GROUNDS_BACK_END_SPREAD] = "back-end-spread",
    [GROUNDS_BACK_ENDS_EVEN] = "back-ends-even",
};

const char *reason_name(const struct decision *decision)
{
    const struct opinion *o = &decision->opinion;
    enum reason_code code = decision->reason.code;

    return code == REASON_OPINION ? grounds[o->fact]
         : code == REASON_LACK ? grounds[o->lack] : reasons[code];
}
