/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stands in for Linux's headers: supplies what files of the Linux modules need of Linux, with two
 * CPUs, and keeps what they log.
 *
 * The tests define everything that is declared extern here.
 */
#ifndef LINUX_WORLD_H
#define LINUX_WORLD_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <asm/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef __u64 __le64;
typedef unsigned int __poll_t;
typedef struct { int count; } atomic_t;
typedef struct { int taken; } raw_spinlock_t;
typedef struct poll_table_struct poll_table;
struct page;

#define __rcu
#define __user
#define KBUILD_MODNAME "tested"
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define READ_ONCE(x) (*(volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, value) (*(volatile __typeof__(x) *)&(x) = (value))
#define __same_type(a, b) \
    __builtin_types_compatible_p(__typeof__(a), __typeof__(b))
#define typeof __typeof__
#define static_assert _Static_assert
#define EXPORT_SYMBOL_NS_GPL(symbol, space) struct exported_##symbol
#define cmpxchg(place, old, new) \
    ((void)__sync_val_compare_and_swap(place, old, new))
#define pr_info(...) printf("# " __VA_ARGS__)
#define pr_warn(...) printf("# " __VA_ARGS__)
#define pr_warn_once pr_warn

/* CPUs */
#define WORLD_CPUS 2
extern unsigned int world_cpu;
#define DECLARE_PER_CPU(type, name) extern __typeof__(type) name[WORLD_CPUS]
#define DEFINE_PER_CPU(type, name) __typeof__(type) name[WORLD_CPUS]
#define per_cpu_ptr(array, cpu) (&(*(array))[cpu])
#define this_cpu_ptr(array) per_cpu_ptr(array, world_cpu)
#define per_cpu_offset(cpu) ((cpu) * sizeof(struct rq))
#define for_each_possible_cpu(cpu) \
    for ( (cpu) = 0; (unsigned int)(cpu) < WORLD_CPUS; (cpu)++ )
static inline unsigned int raw_smp_processor_id(void) { return world_cpu; }
static inline bool in_task(void) { return true; }
#define local_irq_save(flags) ((void)((flags) = 0))
#define local_irq_restore(flags) ((void)(flags))

/* Tasks, and their run queues, which are next to each other. */
struct task_struct {
    int pid;
    unsigned int cpu;
    struct { unsigned int sched_delayed; } se;
};
struct rq {
    raw_spinlock_t lock;
    unsigned int nr_running;
};
extern struct task_struct *current;
static inline unsigned int task_cpu(const struct task_struct *task)
{
    return task->cpu;
}
void usleep_range(unsigned long min, unsigned long max);

/* Tracepoints */
struct tracepoint {
    const char *name;
    void *probe;
    int refuses; /* errno value of tracepoint_probe_register(), or 0 */
};
void for_each_kernel_tracepoint(void (*look)(struct tracepoint *tp, void *data),
                                void *data);
int tracepoint_probe_register(struct tracepoint *tp, void *probe, void *data);
int tracepoint_probe_unregister(struct tracepoint *tp, void *probe, void *data);
static inline void tracepoint_synchronize_unregister(void) {}
void check_trace_callback_type_sched_switch(
    void (*probe)(void *data, bool preempt, struct task_struct *prev,
                  struct task_struct *next, unsigned int state));
void check_trace_callback_type_sched_migrate_task(
    void (*probe)(void *data, struct task_struct *task, int cpu));
typedef void nr_running_probe(void *data, struct rq *rq, int change);
int register_trace_sched_update_nr_running_tp(nr_running_probe *probe,
                                              void *data);
int unregister_trace_sched_update_nr_running_tp(nr_running_probe *probe,
                                                void *data);

/* Static keys */
struct static_key_false { bool on; };
#define STATIC_KEY_FALSE_INIT { false }
#define static_branch_enable(key) ((key)->on = true)
#define static_branch_disable(key) ((key)->on = false)
#define static_branch_unlikely(key) ((key)->on)

/* Lists: only the used part. */
struct list_head { struct list_head *next, *prev; };
#define LIST_HEAD(name) struct list_head name = { &name, &name }
static inline void list_add(struct list_head *entry, struct list_head *head)
{
    entry->next = head->next;
    entry->prev = head;
    head->next->prev = entry;
    head->next = entry;
}
static inline void list_del(struct list_head *entry)
{
    entry->next->prev = entry->prev;
    entry->prev->next = entry->next;
}
#define list_entry_of(place, type, member) \
    ((type *)((char *)(place) - offsetof(type, member)))
#define list_for_each_entry(at, head, member) \
    for ( at = list_entry_of((head)->next, __typeof__(*at), member); \
          &at->member != (head); \
          at = list_entry_of(at->member.next, __typeof__(*at), member) )

/* Privileges, chosen by the test. */
#define CAP_SYS_ADMIN 21
bool capable(int capability);

/* Memory */
#define GFP_KERNEL 0
#define kzalloc(size, flags) calloc(1, (size) + (flags))
#define kfree(memory) free(memory)
static inline void strscpy(char *to, const char *from, size_t size)
{
    snprintf(to, size, "%s", from);
}

/* Errors in pointers, and numbers in text */
#define ERR_PTR(error) ((void *)(intptr_t)(error))
#define PTR_ERR(pointer) ((int)(intptr_t)(pointer))
#define IS_ERR(pointer) ((uintptr_t)(pointer) >= (uintptr_t)-4095)
static inline int kstrtou32(const char *text, unsigned int base, u32 *n)
{
    char *end;

    *n = strtoul(text, &end, base);

    return *text && !*end ? 0 : -EINVAL;
}
#define scnprintf snprintf

/* Deferred work, which the test runs, and completions. */
struct work_struct { bool pending; };
struct delayed_work { struct work_struct work; void (*run)(struct work_struct *); };
#define DECLARE_DELAYED_WORK(name, function) \
    struct delayed_work name = { .run = (function) }
#define system_long_wq NULL
#define msecs_to_jiffies(ms) (ms)
void queue_delayed_work(void *queue, struct delayed_work *work,
                        unsigned long delay);
#define mod_delayed_work queue_delayed_work
#define cancel_delayed_work_sync(delayed) ((void)((delayed)->work.pending = false))
#define xchg(place, value) \
    ({ __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST); })
struct completion { bool done; };
#define DECLARE_COMPLETION(name) struct completion name
#define complete_all(completion) ((void)((completion)->done = true))
/* Returns the rest of the time; 0: none is left. */
unsigned long wait_for_completion_timeout(struct completion *completion,
                                          unsigned long ms);

/* Notifiers of a restart, and of xenstore. */
struct notifier_block {
    int (*notifier_call)(struct notifier_block *block, unsigned long action,
                         void *data);
};
#define NOTIFY_DONE 0
#define SYS_RESTART 1
#define SYS_POWER_OFF 3
int register_reboot_notifier(struct notifier_block *block);
int unregister_reboot_notifier(struct notifier_block *block);
int register_xenstore_notifier(struct notifier_block *block);
static inline void unregister_xenstore_notifier(struct notifier_block *b) {}

/* xenstore: paths are relative to the domain's path. */
struct xenbus_transaction { int id; };
#define XBT_NIL ((struct xenbus_transaction){ 0 })
struct xenbus_watch {
    const char *node;
    void (*callback)(struct xenbus_watch *watch, const char *path,
                     const char *token);
};
int register_xenbus_watch(struct xenbus_watch *watch);
static inline void unregister_xenbus_watch(struct xenbus_watch *watch) {}
static inline int xenbus_transaction_start(struct xenbus_transaction *t)
{
    return 0;
}
static inline int xenbus_transaction_end(struct xenbus_transaction t, int abort)
{
    return 0;
}
void *xenbus_read(struct xenbus_transaction t, const char *dir,
                  const char *node, unsigned int *length);
unsigned int xenbus_read_unsigned(const char *dir, const char *node,
                                  unsigned int missing);
int xenbus_exists(struct xenbus_transaction t, const char *dir,
                  const char *node);
int xenbus_write(struct xenbus_transaction t, const char *dir,
                 const char *node, const char *value);
int xenbus_printf(struct xenbus_transaction t, const char *dir,
                  const char *node, const char *format, ...);
int xenbus_rm(struct xenbus_transaction t, const char *dir, const char *node);
#define XENSTORE_PAYLOAD_MAX 4096
static inline bool xen_initial_domain(void) { return false; }

/* Modules and pages */
#define THIS_MODULE NULL
#define try_module_get(module) true
#define module_put(module) ((void)0)
#define PAGE_SIZE 4096UL
#define NUMA_NO_NODE (-1)
#define nr_cpu_ids WORLD_CPUS
#define tsc_khz 1000U
static inline u64 get_random_u64(void) { return 42; }
static inline u64 xen_page_to_gfn(const struct page *page)
{
    return (uintptr_t)page / PAGE_SIZE;
}

/* Hypercalls */
int HYPERVISOR_sched_op(int op, void *argument);

/* Declarations that have no effect here. */
struct kref { int count; };
struct file;
struct mutex { bool held; };
#define DEFINE_MUTEX(name) struct mutex name
#define preempt_disable() ((void)0)
#define preempt_enable() ((void)0)
#define smp_processor_id() world_cpu
#define smp_load_acquire(place) (*(place))
#define smp_store_release(place, value) (*(place) = (value))
#define array_index_nospec(index, size) ((void)(size), (index))
#define cpu_to_le64(value) (value)
#define jiffies 1UL
#define mutex_lock(mutex) ((mutex)->held = true)
#define mutex_unlock(mutex) ((mutex)->held = false)
#define rcu_dereference_sched(pointer) (pointer)
#define HZ 250
#define INITIAL_JIFFIES 0
static inline u64 get_jiffies_64(void) { return 1; }

/* The record handler, which keeps its arguments. */
struct schedlog_cpu { u64 tick; };
void schedlog_record(struct schedlog_cpu *cpu, unsigned int event, u16 acct,
                     u16 correspondent, u64 count);

#define DOMID_SELF 0x7ff0U

#endif /* LINUX_WORLD_H */
