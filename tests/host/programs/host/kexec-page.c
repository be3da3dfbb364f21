/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Starts another system in place of this Linux (kexec).  That system is one page: it
 * writes a line to Xen's console and halts.  A second passes before, in which the
 * guest can report that this program runs.
 *
 * Does not return, unless it fails.
 */
#include <err.h>
#include <sys/reboot.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/kexec.h>
#include <linux/reboot.h>

#define PAGE 4096UL
#define PLACE (16UL << 20) /* where Linux usually is */

static const unsigned char code[] = {
    0xb0, 'k', 0xe6, 0xe9,  /* mov al, 'k'; out 0xe9, al */
    0xb0, '\n', 0xe6, 0xe9, /* the same, of a newline */
    0xf4, 0xeb, 0xfd,       /* hlt, and again */
};

int main(void)
{
    const struct kexec_segment segment = {
        .buf = code,
        .bufsz = sizeof(code),
        .mem = (const void *)PLACE,
        .memsz = PAGE,
    };

    if (syscall(SYS_kexec_load, PLACE, 1UL, &segment, KEXEC_ARCH_DEFAULT))
        err(1, "kexec_load");
    sleep(1);
    syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
            LINUX_REBOOT_CMD_KEXEC, NULL);
    err(1, "reboot");
}
