/* SPDX-License-Identifier: LGPL-2.1-only */
/* event.c - the list of events as a table; see event.h. */
#include <string.h>

#include <xensched/event.h>

#define ENTRY(NAME, name, kind) [XEN_SCHEDLOG_EV_##NAME] = { name, #kind },

static const struct {
    const char *name;
    const char *kind;
} events[XEN_SCHEDLOG_NR_EVENTS] = {
    XENSCHED_EVENTS(ENTRY)
};

const char *xensched_event_name(unsigned int number)
{
    return number < XEN_SCHEDLOG_NR_EVENTS ? events[number].name : NULL;
}

const char *xensched_event_kind(unsigned int number)
{
    return number < XEN_SCHEDLOG_NR_EVENTS ? events[number].kind : NULL;
}

int xensched_event_number(const char *name)
{
    int i;

    for (i = 0; i < XEN_SCHEDLOG_NR_EVENTS; i++)
        if (events[i].name && !strcmp(events[i].name, name))
            return i;

    return -1;
}
