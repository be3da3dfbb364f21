/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jump labels: branches which are patched at run time.
 *
 * A site is a place in the code which tests a label:
 *
 *     DEFINE_JUMP_LABEL(foo);
 *
 *     if ( jump_label_on(foo) )
 *         rarely_needed();
 *
 * While the label is off a site is one NOP: nothing is loaded, tested or
 * branched on, and rarely_needed() with the evaluation of its arguments is out
 * of line.  While the label is on a site is an unconditional jump to there.
 * Any number of sites can test a label.  The sites of a label are found
 * through a table which the linker puts together.
 *
 * A call clobbers registers, so its mere presence can make the compiler keep
 * values elsewhere, which costs instructions while the label is off, too.
 * Where one NOP has to be all there is, use
 *
 *     jump_label_call(foo, rarely_needed, d);
 *
 * Turning a label on or off stops all pCPUs for the time that it takes to
 * rewrite its sites.  It is meant for switches which an administrator throws,
 * not for state which changes as part of normal operation.
 *
 * Restrictions:
 *
 * - No site in init code, which is gone when labels start to change.
 * - No site in a path which NMI or #MC handlers take.  These aren't stopped
 *   while sites are rewritten.
 * - No site in livepatch payloads: sites are found in Xen's own image only.
 *   A payload which would overwrite a site is refused.  When one replaces a
 *   function, the function's sites are lost until the payload is reverted; they
 *   are counted.
 */
#ifndef XEN_JUMP_LABEL_H
#define XEN_JUMP_LABEL_H

#include <xen/compiler.h>
#include <xen/macros.h>
#include <xen/types.h>

struct jump_label {
    bool on;        /* What the sites are now. */
    bool request;   /* What jump_label_apply() is to make of them. */
};

#define DEFINE_JUMP_LABEL(name) \
    struct jump_label __read_mostly name

#ifdef CONFIG_JUMP_LABEL

/* One site.  All fields are offsets from the field's own address. */
struct jump_label_site {
    int32_t insn;   /* The instruction to patch. */
    int32_t target; /* Where the instruction jumps to while the label is on. */
    int32_t label;  /* The struct jump_label. */
};

/* Code and tables are different objects: these are addresses, not pointers. */
static inline unsigned long jump_label_site_insn(
    const struct jump_label_site *site)
{
    return (unsigned long)&site->insn + site->insn;
}

static inline unsigned long jump_label_site_target(
    const struct jump_label_site *site)
{
    return (unsigned long)&site->target + site->target;
}

static inline struct jump_label *jump_label_site_label(
    const struct jump_label_site *site)
{
    return (struct jump_label *)((unsigned long)&site->label + site->label);
}

#include <asm/jump_label.h>

/* Is @label on?  @label has to be an object with static storage duration. */
#define jump_label_on(label) unlikely(arch_jump_label_site(&(label)))

/*
 * Call @fn with the arguments that follow if @label is on.  Registers which
 * code around a site is likely to need are saved for the call, out of line.
 * @fn returns nothing and takes one to three integers or pointers.
 */
#define jump_label_call(label, fn, args...)        \
    do {                                           \
        if ( jump_label_on(label) )                \
        {                                          \
            /* Do the arguments suit the function? */ \
            BUILD_BUG_ON(!sizeof((fn)(args), 0));  \
            arch_jump_label_call(fn, ## args);     \
        }                                          \
    } while ( 0 )

/* How many sites test @label? */
unsigned int jump_label_sites(const struct jump_label *label);

/* How many sites, of all labels, are in functions which were replaced? */
unsigned int jump_label_lost_sites(void);

/* All of a function is replaced, or is not any more. */
void jump_label_replace(const void *start, size_t len, bool replaced);

/*
 * Make all sites of all labels what ->request says, with all pCPUs stopped.
 * Either all of them are changed or none is.
 *
 * To be called on CPU0's idle vCPU (see continue_hypercall_on_cpu()), as
 * stop_machine_run() wants an idle one.  Requests are made there as well, just
 * before the call, and taken back if it fails: so users don't meet.
 *
 * Returns 0, -EBUSY if pCPUs come or go or are being stopped already (try
 * again), -ENOMEM, or -ENOEXEC if a site isn't what it should be.
 */
int jump_label_apply(void);

/* Is there a site in these bytes?  They must not be patched in another way. */
bool jump_label_overlaps(const void *start, size_t len);

/*
 * What an architecture supplies.  arch_jump_label_prepare() and _finish()
 * bracket any number of arch_jump_label_write(), which is called with all
 * pCPUs stopped.  Afterwards each pCPU calls arch_jump_label_sync() before it
 * may execute one of the sites.
 */
extern const uint8_t arch_jump_label_nop[ARCH_JUMP_LABEL_INSN_LEN];
bool arch_jump_label_is(const struct jump_label_site *site, bool on);
int arch_jump_label_prepare(unsigned long start, unsigned long end);
void arch_jump_label_write(const struct jump_label_site *site, bool on);
void arch_jump_label_sync(void);
void arch_jump_label_finish(void);

#else /* !CONFIG_JUMP_LABEL */

#define jump_label_on(label) false
#define jump_label_call(label, fn, args...) ((void)0)

static inline bool jump_label_overlaps(const void *start, size_t len)
{
    return false;
}

static inline void jump_label_replace(const void *start, size_t len,
                                      bool replaced) {}

#endif /* CONFIG_JUMP_LABEL */

#endif /* XEN_JUMP_LABEL_H */

/*
 * Local variables:
 * mode: C
 * c-file-style: "BSD"
 * c-basic-offset: 4
 * tab-width: 4
 * indent-tabs-mode: nil
 * End:
 */
