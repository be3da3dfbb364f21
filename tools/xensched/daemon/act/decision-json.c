/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the code of a decision, and what each term of placement saves. */
#include "base/json.h"
#include "decision-json.h"

#define NS_PER_US 1e3

static void add_savings(json_object *json, const struct savings *s)
{
    json_object *saved = json_object_new_object();
    unsigned int i;

    for (i = 0; i < NR_TERMS; i++)
        if (s->saved_ns[i])
            json_add_real(saved, terms[i]->name, s->saved_ns[i] / NS_PER_US, 1);
    json_object_object_add(json, "saved_us", saved);
    json_add_real(json, "gain_us", s->gain_ns / NS_PER_US, 1);
    json_add_real(json, "least_gain_us", s->least_ns / NS_PER_US, 1);
}

void json_add_decision(json_object *json, const struct decision *decision)
{
    const struct opinion *o = &decision->opinion;

    json_add_text(json, "code", reason_name(decision));
    if (o->fact == GROUNDS_GAIN || o->fact == GROUNDS_LEAST_GAIN || o->lack == GROUNDS_LEAST_GAIN)
        add_savings(json, &o->savings);
    if (o->fact == GROUNDS_WORTH)
        json_add_real(json, "worth_us", o->worth / NS_PER_US, 1);
}
