/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks libxl about configurations of domains.  The calls are rare, so each one opens
 * libxl.
 *
 * libxl_retrieve_domain_configuration() would be simpler, but it waits for the process
 * that holds the domain's device lock, which can take as long as a device model does; the
 * stored configuration is there at once.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxl.h>
#include <xentoollog.h>

#include "toolstack.h"

/*
 * With vm_affinity="auto" the configuration names no node: the node, and with it the soft
 * affinity, are the daemon's answer to xl.
 */
static bool has_our_answer(const libxl_domain_create_info *info)
{
    char **kvs = info->platformdata;
    unsigned int i;

    for (i = 0; kvs && kvs[i] && kvs[i + 1]; i += 2)
        if (!strcmp(kvs[i], "vm-affinity") && !strcmp(kvs[i + 1], "auto"))
            return true;

    return false;
}

static bool names_affinity(libxl_ctx *ctx, const char *json)
{
    libxl_domain_config config;
    bool names = true;

    libxl_domain_config_init(&config);
    if (!libxl_domain_config_from_json(ctx, &config, json))
        names = config.b_info.cpumap.size ||
                config.b_info.num_vcpu_hard_affinity ||
                (!has_our_answer(&config.c_info) &&
                 (config.b_info.nodemap.size ||
                  config.b_info.num_vcpu_soft_affinity));
    libxl_domain_config_dispose(&config);

    return names;
}

static int stored_names_affinity(libxl_ctx *ctx, uint32_t domid)
{
    uint8_t *data = NULL;
    int length = 0, names = 1;
    char *json;

    if (libxl_userdata_retrieve(ctx, domid, "libxl-json", &data, &length) ||
        length <= 0)
        return -1;
    json = strndup((const char *)data, length);
    if (json)
        names = names_affinity(ctx, json);
    free(json);
    free(data);

    return names;
}

int toolstack_names_affinity(uint32_t domid)
{
    libxl_ctx *ctx = NULL;
    xentoollog_logger *log;
    int names = 1;

    log = (xentoollog_logger *)
        xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0);
    if (!log)
        return 1;
    if (!libxl_ctx_alloc(&ctx, LIBXL_VERSION, 0, log)) {
        names = stored_names_affinity(ctx, domid);
        libxl_ctx_free(ctx);
    }
    xtl_logger_destroy(log);

    return names;
}
