/* SPDX-License-Identifier: GPL-2.0-only */
/* experiment.c - which experiment an action is about; see actions.h. */
#include <stdint.h>

#include "actions.h"
#include "cli/option.h"

int64_t runs_experiment(const struct store *store, const char *word)
{
    struct xensched_error err;
    uint64_t number = 0;
    int64_t experiment;

    if (word && !option_number(word, 1, INT32_MAX, &number)) {
        complain("'%s' is not the number of an experiment; 'xensched runs "
                 "list' prints them", word);
        return 0;
    }
    experiment = number;
    if (!store_choose(store, &experiment, &err))
        return experiment;
    complain("%s", err.text);

    return 0;
}
