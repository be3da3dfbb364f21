// SPDX-License-Identifier: GPL-2.0-only
/*
 * Serves the sites: tracks the events that exist and those that are on, and
 * records the rows of a site while its event is on.
 *
 * Records of one CPU must not nest, and back ends complete requests in
 * threads, softirqs and hard interrupts.  So interrupts are off during a
 * record: about a hundred instructions, only while the event is on.  That also
 * is the RCU read side for the area, for which xensched_destroy_area() waits.
 */
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/percpu.h>

#include "area.h"
#include "control.h"
#include "xensched_link.h"
#include "xensched_log.h"

struct static_key_false xensched_log_key[XEN_SCHEDLOG_NR_EVENTS] = {
	[0 ... XEN_SCHEDLOG_NR_EVENTS - 1] = STATIC_KEY_FALSE_INIT,
};
EXPORT_SYMBOL_NS_GPL(xensched_log_key, XENSCHED_LOG);

static void (*events_changed)(void);
static u32 events_on;
static unsigned int nr_providers[XEN_SCHEDLOG_NR_EVENTS];
static LIST_HEAD(providers);
static LIST_HEAD(links);	/* Modules with their own keys. */

/* The clock of rows with TIME_TICK: units of 10 ms since boot. */
static u64 ticks(void)
{
	return (get_jiffies_64() - INITIAL_JIFFIES) * 100 / HZ;
}

void xensched_log_event(unsigned int event, u16 acct,
			u16 correspondent, u64 count)
{
	struct schedlog_cpu *cpu;
	unsigned long flags;
	u64 now = ticks();

	local_irq_save(flags);
	cpu = rcu_dereference_sched(*this_cpu_ptr(&xensched_log_cpu));
	if (cpu) {
		if (cpu->tick != now) {
			cpu->tick = now;
			xensched_doorbell_tick(cpu);
		}
		schedlog_record(cpu, event, acct, correspondent, count);
	}
	local_irq_restore(flags);
}
EXPORT_SYMBOL_NS_GPL(xensched_log_event, XENSCHED_LOG);

void xensched_watch_events(void (*changed)(void))
{
	WRITE_ONCE(events_changed, changed);
}

static void tell_change(void)
{
	void (*changed)(void);

	changed = READ_ONCE(events_changed);
	if (changed)
		changed();
}

static void count_providers(u32 events, int change)
{
	unsigned int i;

	for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
		if (events & (1U << i))
			nr_providers[i] += change;
}

static void apply_to(struct static_key_false *keys, u32 events)
{
	unsigned int i;

	for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
		if (events & (1U << i))
			static_branch_enable(&keys[i]);
		else
			static_branch_disable(&keys[i]);
}

static void tell_provider(const struct xensched_provider *provider, u32 events)
{
	if (provider->turned)
		provider->turned(provider->events & events);
}

void xensched_log_provide(struct xensched_provider *provider)
{
	mutex_lock(&xensched_log_mutex);
	list_add(&provider->entry, &providers);
	count_providers(provider->events, 1);
	tell_provider(provider, events_on);
	mutex_unlock(&xensched_log_mutex);
	tell_change();
}
EXPORT_SYMBOL_NS_GPL(xensched_log_provide, XENSCHED_LOG);

void xensched_log_withdraw(struct xensched_provider *provider)
{
	mutex_lock(&xensched_log_mutex);
	tell_provider(provider, 0);
	count_providers(provider->events, -1);
	list_del(&provider->entry);
	mutex_unlock(&xensched_log_mutex);
	tell_change();
}
EXPORT_SYMBOL_NS_GPL(xensched_log_withdraw, XENSCHED_LOG);

void xensched_log_attach(struct xensched_link *link)
{
	mutex_lock(&xensched_log_mutex);
	link->event = xensched_log_event;
	link->acct = xensched_log_acct;
	list_add(&link->entry, &links);
	count_providers(link->events, 1);
	apply_to(link->keys, events_on);
	mutex_unlock(&xensched_log_mutex);
	tell_change();
}
EXPORT_SYMBOL_NS_GPL(xensched_log_attach, XENSCHED_LOG);

void xensched_log_detach(struct xensched_link *link)
{
	mutex_lock(&xensched_log_mutex);
	apply_to(link->keys, 0);
	count_providers(link->events, -1);
	list_del(&link->entry);
	mutex_unlock(&xensched_log_mutex);
	tell_change();
}
EXPORT_SYMBOL_NS_GPL(xensched_log_detach, XENSCHED_LOG);

u32 xensched_events_on(void)
{
	return events_on;
}

u32 xensched_events_built(u32 *nr_sites)
{
	unsigned int i;
	u32 events = 0;

	*nr_sites = 0;
	for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++) {
		*nr_sites += nr_providers[i];
		if (nr_providers[i])
			events |= 1U << i;
	}

	return events;
}

/* Rewrites the sites of the events that change. */
void xensched_apply_events(u32 events)
{
	const struct xensched_provider *provider;
	const struct xensched_link *link;

	apply_to(xensched_log_key, events);
	list_for_each_entry(provider, &providers, entry)
		if (provider->events & (events ^ events_on))
			tell_provider(provider, events);
	list_for_each_entry(link, &links, entry)
		apply_to(link->keys, events);
	events_on = events;
	tell_change();
}
