/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks a core questions, and parses its answers. */
#include <stdlib.h>
#include <string.h>

#include "cmocka-tap.h"
#include "answer-world.h"
#include "harness.h"

static struct xensched_source *source;
static struct xenstore *xs;
struct log_sources sources;

void begin_log_sources(void)
{
    static const struct log_sources_settings log_sources_settings = {
        .choice = &settings.choice,
        .nr_acct = FAKE_ACCTS,
    };

    assert_int_equal(xensched_source_open("synthetic:rows=1," TALK, NULL,
                                          &source, NULL), 0);
    assert_int_equal(xenstore_open(&xs, NULL), 0);
    log_sources_init(&sources, &log_sources_settings, &core, xs);
    log_sources_set_hypervisor(&sources, source);
}

void end_log_sources(void)
{
    log_sources_free(&sources);
    xenstore_close(xs);
    xensched_source_close(source);
}

json_object *ask(const char *line)
{
    struct subject subject = {
        .core = &core,
        .sources = &sources,
        .now_ns = now,
    };
    json_object *json;

    begin_log_sources();
    json = answer(&subject, line, strlen(line));
    end_log_sources();
    assert_non_null(json);

    return json;
}

const char *get(json_object *json, const char *path)
{
    json_object *value = NULL;

    if (json_pointer_get(json, path, &value))
        fail_msg("no %s in %s", path, json_object_to_json_string(json));

    return json_object_get_string(value);
}

void is_done(const char *line)
{
    json_object *json = ask(line);

    assert_string_equal(get(json, "/ok"), "true");
    json_object_put(json);
}

void is_refused(const char *line, const char *words)
{
    json_object *json = ask(line);

    if (strcmp(get(json, "/ok"), "false") ||
        !strstr(get(json, "/error"), words))
        fail_msg("%s: %s", line, json_object_to_json_string(json));
    json_object_put(json);
}

double number(json_object *json, const char *path)
{
    const char *text = get(json, path);

    assert_non_null(text);

    return strtod(text, NULL);
}

void start_with_a_group(void)
{
    strcpy(domain(DISK)->group, "web");
    strcpy(domain(SPIN)->group, "web");
    start(MODE_ACT);
    run(10, TALK ",pair=service-ns/3/1/1/50000");
}
