/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stands in for Xen's headers in test-xen-stop: a domain whose pauses are counted.
 */
#ifndef STOP_WORLD_H
#define STOP_WORLD_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

/* As in public/domctl.h and public/schedlog.h. */
#define XEN_SCHEDLOG_STOP_query   0U
#define XEN_SCHEDLOG_STOP_arm     1U
#define XEN_SCHEDLOG_STOP_pause   2U
#define XEN_SCHEDLOG_STOP_resume  3U
#define XEN_SCHEDLOG_STOP_forget  4U
#define XEN_SCHEDLOG_STOP_OFF     0U
#define XEN_SCHEDLOG_STOP_ARMED   1U
#define XEN_SCHEDLOG_STOP_STOPPED 2U
#define XEN_SCHEDLOG_EV_MARK      11
#define VIRQ_SCHEDLOG             14

struct xen_domctl_schedlog_stop {
    uint32_t op, code, mask, state;
    uint64_t cookie;
};

struct domain {
    struct {
        uint8_t state;
        uint32_t code, mask;
    } schedlog_stop;
    bool hardware;
    int paused;     /* the whole domain, by Xen, for a while or until it is resumed */
    int controller; /* the whole domain, by its toolstack */
    int others;     /* all vCPUs but the current one */
};

struct vcpu {
    struct domain *domain;
};

extern struct vcpu *current;

#define is_hardware_domain(d) ((d)->hardware)

int domain_pause_except_self(struct domain *d);
void domain_unpause_except_self(struct domain *d);
int domain_pause_by_systemcontroller(struct domain *d);
int domain_unpause_by_systemcontroller(struct domain *d);
void domain_pause(struct domain *d);
void domain_pause_nosync(struct domain *d);
void domain_unpause(struct domain *d);
void send_global_virq(unsigned int virq);

/* As in lease.h. */
#define SCHEDLOG_LEASE_H
bool schedlog_may_control(uint64_t cookie);

/* As in schedlog.h. */
bool schedlog_stops_at(const struct domain *d, uint32_t code);
int schedlog_begin_stop(void);
void schedlog_end_stop(uint32_t code);
int schedlog_change_stop(struct domain *d, struct xen_domctl_schedlog_stop *op);

#endif /* STOP_WORLD_H */
