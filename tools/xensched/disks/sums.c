/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds up pages by front end, and writes the sums to xenstore. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sums.h"

struct sum {
    uint32_t domid;
    uint64_t pages;
};

void sums_add(void *data, uint32_t domid, uint64_t pages)
{
    struct sums *sums = data;
    unsigned int i;

    for (i = 0; i < sums->nr; i++)
        if (sums->sum[i].domid == domid) {
            sums->sum[i].pages += pages;
            return;
        }
    sums->sum = need_more_memory(sums->sum, sums->nr + 1, sizeof(*sums->sum));
    sums->sum[sums->nr++] = (struct sum){ domid, pages };
}

void sums_keep(struct sums *sums, bool (*served)(const void *arg, uint32_t domid),
               const void *arg)
{
    unsigned int i = 0;

    while (i < sums->nr)
        if (served(arg, sums->sum[i].domid))
            i++;
        else
            sums->sum[i] = sums->sum[--sums->nr];
}

bool sums_write(const struct sums *sums, char text[SUMS_TEXT])
{
    unsigned int i;
    size_t end = 0;

    text[0] = '\0';
    for (i = 0; i < sums->nr; i++) {
        char word[40];
        size_t length = snprintf(word, sizeof(word), "%s%" PRIu32 ":%" PRIu64,
                                 end ? " " : "", sums->sum[i].domid,
                                 sums->sum[i].pages);

        if (end + length >= SUMS_TEXT)
            return false;
        memcpy(text + end, word, length + 1);
        end += length;
    }

    return true;
}

void sums_free(struct sums *sums)
{
    free(sums->sum);
    *sums = (struct sums){ 0 };
}
