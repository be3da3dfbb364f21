/* SPDX-License-Identifier: GPL-2.0-only */
/* experiment.c - what actions share: the chosen experiment, and rows as JSON. */
#include <stdint.h>

#include <json-c/json.h>

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

int runs_add_rows(struct json_object *o, const char *key, const struct store *store,
                  const char *sql, int64_t number, struct xensched_error *err)
{
    json_object *rows;
    int rc = store_json(store, sql, number, &rows, err);

    if (!rc)
        json_object_object_add(o, key, rows);

    return rc;
}
