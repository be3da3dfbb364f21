/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * prometheus.h - questions to a Prometheus, by its HTTP API.
 */
#ifndef XENSCHED_FLEET_PROMETHEUS_H
#define XENSCHED_FLEET_PROMETHEUS_H

#include <stdint.h>

#include <json-c/json.h>

#include <xensched/error.h>

/* At @end, a Unix time, or (unless @step is 0) from @start on each @step seconds. */
struct prometheus_when {
    int64_t start, end, step;
};

/*
 * What @expression was then.  *series is an array of { "metric": { LABEL: TEXT },
 * "values": [[TIME, NUMBER as TEXT], ...] }, at a single time with "value": [TIME,
 * ...]; to be put.
 */
int prometheus_ask(const char *url, const char *expression,
                   const struct prometheus_when *when,
                   json_object **series, struct xensched_error *err);

/* A number of a series: [TIME, NUMBER as TEXT]. */
int prometheus_sample(json_object *sample, int64_t *time, double *number);

#endif /* XENSCHED_FLEET_PROMETHEUS_H */
