/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rules.h - declares an operator's rules for domains with a given name, group or cpupool: the
 * daemon does not move them, keeps them on certain nodes, or weights the prices of the policy
 * placement for them.
 *
 *   DOMAINS: EFFECT, EFFECT...   "name=web-*: nodes=0-1, talk=2"
 *
 *   DOMAINS  name=PATTERN, group=PATTERN or pool=PATTERN; see glob(7)
 *   EFFECT   hold; nodes=LIST; or TERM=WEIGHT, talk, memory or moving, 0 to 1000
 *
 * Only the first rule that matches a domain applies to it.
 */
#ifndef XENSCHED_POLICY_RULES_H
#define XENSCHED_POLICY_RULES_H

#include "model/domain.h"
#include "model/topology/topology.h"

#define RULES_MAX  32
#define RULE_TEXT  (DOMAIN_NAME_TEXT + 20)
#define RULE_NODES 64

/* The prices of a pair or of one guest; the price of waiting depends on all guests. */
enum rule_weight { RULE_TALK, RULE_MEMORY, RULE_MOVING, NR_RULE_WEIGHTS };

struct rule {
    enum rule_subject { RULE_NAME, RULE_GROUP, RULE_POOL } subject;
    char pattern[DOMAIN_NAME_TEXT];
    bool hold;
    uint64_t nodes; /* mask; 0: all */
    double weight[NR_RULE_WEIGHTS];
    char text[RULE_TEXT]; /* DOMAINS, as written */
};

struct rules {
    unsigned int nr;
    struct rule rule[RULES_MAX];
};

/* Parses "RULE/RULE..."; "": none.  If it returns false, *rules is undefined. */
bool rules_parse(struct rules *rules, const char *text);

bool rule_is_about(const struct rule *rule, const struct domain *d);

/* Sets the rule of each domain, which points into @rules. */
void rules_apply(const struct rules *rules, struct domains *domains);

/* Removes the pCPUs that the rule excludes from @cpus.  @rule may be NULL. */
void rule_restrict(const struct rule *rule, const struct topology *t,
                   struct cpumap *cpus);

/* Returns the weight of a price; 1 without a rule. */
double rule_weight(const struct rule *rule, enum rule_weight weight);

#endif /* XENSCHED_POLICY_RULES_H */
