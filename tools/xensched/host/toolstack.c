/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads configurations of domains through libxl.  The calls are rare, so each one opens libxl.
 *
 * libxl_retrieve_domain_configuration() would be simpler, but it waits for the process that holds
 * the domain's device lock, which can take as long as a device model's start; the stored
 * configuration is available at once.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libxl.h>
#include <xentoollog.h>

#include "base/alloc.h"
#include "toolstack.h"

/*
 * With vm_affinity="auto" the configuration names no node: the node, and with it the soft affinity,
 * are the daemon's answer to xl.
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

/* Returns the configuration that libxl stored, as JSON, which the caller frees; NULL: none. */
static char *stored_config(libxl_ctx *ctx, uint32_t domid)
{
    uint8_t *data = NULL;
    int length = 0;
    char *json;

    if (libxl_userdata_retrieve(ctx, domid, "libxl-json", &data, &length) ||
        length <= 0)
        return NULL;
    json = strndup((const char *)data, length);
    free(data);

    return json;
}

static libxl_ctx *open_libxl(xentoollog_logger **log)
{
    libxl_ctx *ctx = NULL;

    *log = (xentoollog_logger *)
        xtl_createlogger_stdiostream(stderr, XTL_CRITICAL, 0);
    if (*log && !libxl_ctx_alloc(&ctx, LIBXL_VERSION, 0, *log))
        return ctx;
    xtl_logger_destroy(*log);

    return NULL;
}

static void close_libxl(libxl_ctx *ctx, xentoollog_logger *log)
{
    libxl_ctx_free(ctx);
    xtl_logger_destroy(log);
}

int toolstack_names_affinity(uint32_t domid)
{
    xentoollog_logger *log;
    libxl_ctx *ctx = open_libxl(&log);
    int names = -1;
    char *json;

    if (!ctx)
        return 1;
    json = stored_config(ctx, domid);
    if (json)
        names = names_affinity(ctx, json);
    free(json);
    close_libxl(ctx, log);

    return names;
}

/* libxl stores colours since 4.20. */
#ifdef LIBXL_HAVE_BUILDINFO_LLC_COLORS
static void read_config(libxl_ctx *ctx, struct llc_colours *colours)
{
    char *json = stored_config(ctx, colours->domid);
    libxl_domain_config config;
    int i;

    libxl_domain_config_init(&config);
    colours->all = !json || libxl_domain_config_from_json(ctx, &config, json) ||
                   !config.b_info.num_llc_colors;
    cpumap_init(&colours->named, LLC_COLOURS_MAX);
    for (i = 0; !colours->all && i < config.b_info.num_llc_colors; i++)
        cpumap_set(&colours->named, config.b_info.llc_colors[i]);
    if (config.c_info.name)
        colours->name = need_string(config.c_info.name);
    libxl_domain_config_dispose(&config);
    free(json);
}

static size_t list_llc_colours(libxl_ctx *ctx, struct llc_colours **list)
{
    const libxl_version_info *version = libxl_get_version_info(ctx);
    struct llc_colours dom0; /* @list[0]: libxl lists domains by domid */
    libxl_dominfo *info;
    int nr = 0, i;

    if (!version || !llc_colours_of_dom0(version->commandline, &dom0))
        return 0;
    info = libxl_list_domain(ctx, &nr);
    if (!info || !nr)
        cpumap_free(&dom0.named);
    *list = need_memory(nr + 1, sizeof(**list));
    for (i = 0; i < nr; i++) {
        struct llc_colours *colours = &(*list)[i];

        if (i == 0) {
            *colours = dom0;
            continue;
        }
        colours->domid = info[i].domid;
        read_config(ctx, colours);
    }
    libxl_dominfo_list_free(info, nr);

    return nr;
}
#else
static size_t list_llc_colours(libxl_ctx *ctx, struct llc_colours **list)
{
    (void)ctx;
    (void)list;

    return 0;
}
#endif

size_t toolstack_llc_colours(struct llc_colours **list)
{
    xentoollog_logger *log;
    libxl_ctx *ctx = open_libxl(&log);
    size_t nr;

    *list = NULL;
    if (!ctx)
        return 0;
    nr = list_llc_colours(ctx, list);
    close_libxl(ctx, log);

    return nr;
}

void toolstack_free_llc_colours(struct llc_colours *list, size_t nr)
{
    size_t i;

    for (i = 0; i < nr; i++) {
        free(list[i].name);
        cpumap_free(&list[i].named);
    }
    free(list);
}
