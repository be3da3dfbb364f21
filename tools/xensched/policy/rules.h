/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rules.h - what an operator wants of domains that a name, a group or a cpupool
 * tells: to be left alone, to be on certain nodes only, or that some of the prices
 * of the policy placement count more or less for them.
 *
 *   WHO: WHAT, WHAT...     "name=web-*: nodes=0-1, talk=2"
 *
 *   WHO    name=PATTERN, group=PATTERN or pool=PATTERN, as of glob(7)
 *   WHAT   hold; nodes=LIST; or TERM=WEIGHT, talk, memory or moving, 0 to 1000
 *
 * The first rule that is about a domain holds for it, and no other one.
 */
#ifndef XENSCHED_POLICY_RULES_H
#define XENSCHED_POLICY_RULES_H

#include "model/domain.h"
#include "model/topology/topology.h"

#define RULES_MAX  32
#define RULE_TEXT  (DOMAIN_NAME_TEXT + 20)
#define RULE_NODES 64

/* Those of a pair, and of a guest by itself; what a crowd costs is not one's. */
enum rule_weight { RULE_TALK, RULE_MEMORY, RULE_MOVING, NR_RULE_WEIGHTS };

struct rule {
    enum rule_subject { RULE_NAME, RULE_GROUP, RULE_POOL } subject;
    char pattern[DOMAIN_NAME_TEXT];
    bool hold;
    uint64_t nodes; /* mask; 0: all */
    double weight[NR_RULE_WEIGHTS];
    char text[RULE_TEXT]; /* WHO, as it was written */
};

struct rules {
    unsigned int nr;
    struct rule rule[RULES_MAX];
};

/* "RULE/RULE..."; "": none.  False: it isn't that; *rules is undefined. */
bool rules_parse(struct rules *rules, const char *text);

bool rule_is_about(const struct rule *rule, const struct domain *d);

/* Each domain gets the rule that is about it, which is one of @rules. */
void rules_apply(const struct rules *rules, struct domains *domains);

/* Of @cpus, those where the rule lets it be.  @rule: NULL is none. */
void rule_restrict(const struct rule *rule, const struct topology *t,
                   struct cpumap *cpus);

/* How much a price counts for it; 1 without a rule. */
double rule_weight(const struct rule *rule, enum rule_weight weight);

#endif /* XENSCHED_POLICY_RULES_H */
