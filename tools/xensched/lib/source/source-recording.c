/* SPDX-License-Identifier: LGPL-2.1-only */
/* A recording file as a source. */
#include <errno.h>

#include <xensched/recording.h>

#include "source-kinds.h"

static int recording_open(const char *text, struct xensched_area *area,
                          void **data, uint64_t *tsc_khz,
                          struct xensched_error *err)
{
    struct xensched_recording *recording;
    int rc;

    (void)area;
    if (!*text)
        return xensched_fail(err, EINVAL,
                             "source 'recording' needs a file: recording:FILE");
    rc = xensched_recording_open(text, &recording, err);
    if (rc)
        return rc;
    *tsc_khz = xensched_recording_tsc_khz(recording);
    *data = recording;

    return 0;
}

static int recording_next(void *data, struct xensched_batch *batch,
                          struct xensched_error *err)
{
    int rc = xensched_recording_next(data, batch, err);

    if (rc < 0)
        return rc;

    return rc ? XENSCHED_BATCH : XENSCHED_END;
}

static uint64_t recording_host(const void *data, const char **text,
                               size_t *length)
{
    return xensched_recording_host(data, text, length);
}

static const struct xensched_source_info *recording_info(const void *data,
                                                         uint32_t id)
{
    return xensched_recording_source(data, id);
}

static void recording_close(void *data)
{
    xensched_recording_close(data);
}

const struct xensched_source_ops xensched_source_recording = {
    .name = "recording",
    .open = recording_open,
    .next = recording_next,
    .host = recording_host,
    .info = recording_info,
    .close = recording_close,
};
