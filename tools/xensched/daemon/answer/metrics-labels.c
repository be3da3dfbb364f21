/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the labels that several metrics have in common; see metrics-labels.h. */
#include <inttypes.h>

#include "base/openmetrics.h"
#include "metrics-labels.h"

void metrics_label_domain(FILE *out, const char *prefix, const char *name, uint32_t domid)
{
    char label[32];

    snprintf(label, sizeof(label), "%sdomain", prefix);
    openmetrics_label(out, label, name);
    fprintf(out, ",%sdomid=\"%" PRIu32 "\"", prefix, domid);
}

void metrics_begin_sample(FILE *out, const char *name, const struct domain *d)
{
    fprintf(out, "xensched_%s{", name);
    metrics_label_domain(out, "", d->name, d->domid);
    if (!d->group[0])
        return;
    putc(',', out);
    openmetrics_label(out, "group", d->group);
}
