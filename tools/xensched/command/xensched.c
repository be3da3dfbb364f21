/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists the commands of xensched: its own, and those that other packages have. */
#include <stddef.h>

#include "command.h"

const struct command *const commands[] = {
    &command_status,
    &command_matrix,
    &command_plan,
    &command_explain,
    &command_waits,
    &command_top,
    &command_act,
    &command_advise,
    &command_hold,
    &command_release,
    &command_restore,
    &command_trial,
    &command_record,
    &command_replay,
    &command_dump,
    &command_timeline,
    &command_latency,
    &command_why,
    &command_roi,
    &command_advise_size,
    &command_check,
    &command_calibrate,
    &command_allow_marks,
    NULL
};

const struct elsewhere elsewhere[] = {
    { "runs", SUMMARY_RUNS, "xensched-lab" },
    { "on", SUMMARY_ON, "xensched-lab" },
    { "sample", SUMMARY_SAMPLE, "xensched-lab" },
    { "traffic", SUMMARY_TRAFFIC, "xensched-fleet" },
    { "fleet", SUMMARY_FLEET, "xensched-fleet" },
    { 0 }
};
