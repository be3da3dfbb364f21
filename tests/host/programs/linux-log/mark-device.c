/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In a guest: makes marks through the guest module's device.
 *
 * Usage: mark-device CODE COUNT
 *
 * Writes COUNT marks with the code, one write each, then four more in one write, and invalid data.
 * Exit code: 0, or 1 with a message.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "uapi/xensched_mark.h"

int main(int argc, char **argv)
{
    uint32_t code, four[4];
    int fd, rc;

    if (argc != 3)
        errx(2, "usage: mark-device CODE COUNT");
    code = strtoul(argv[1], NULL, 0);

    fd = open(XENSCHED_MARK_DEVICE, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        err(1, XENSCHED_MARK_DEVICE);
    for (int i = atoi(argv[2]); i > 0; i--) {
        rc = xensched_mark(fd, code);
        if (rc)
            errx(1, "mark: %s", strerror(rc));
    }

    for (int i = 0; i < 4; i++)
        four[i] = code;
    if (write(fd, four, sizeof(four)) != sizeof(four))
        err(1, "four marks");
    if (write(fd, four, 3) != -1 || errno != EINVAL)
        errx(1, "three bytes were a mark");

    return 0;
}
