/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the timeline's page as one HTML file.
 *
 * Data of the recording are base64 of deflated bytes in the page, so no name can be markup; and
 * only scripts with the nonce run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <zlib.h>

#include "base/alloc.h"
#include "page-parts.h"

void page_number(struct page *p, uint64_t number)
{
    struct page_bytes *b = &p->data;

    for (; number > 127; number >>= 7)
        *list_add(b->at, b->nr, b->room) = 128 | (number & 127);
    *list_add(b->at, b->nr, b->room) = number;
}

/* The viewer's source files (-Wa,-I gives the folder). */
#define PART(file) ".incbin \"timeline/page/viewer/" file "\"\n"
#define VIEWER(name, parts)                    \
    __asm__(".section .rodata\n" #name ":\n"   \
            parts                              \
            ".byte 0\n"                        \
            ".previous\n");                    \
    extern const char name[]

VIEWER(viewer_js, ".ascii \"\\\"use strict\\\";\\n(async () => {\\n\"\n"
       PART("counters.js") PART("data.js") PART("draw.js") PART("details.js")
       PART("input.js")
       ".ascii \"})();\\n\"\n");
VIEWER(viewer_css, PART("viewer.css"));

#define NONCE_BYTES 16U

static void print_base64(FILE *to, const uint8_t *bytes, size_t nr)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr"
                                 "stuvwxyz0123456789+/";
    size_t i;

    for (i = 0; i < nr; i += 3) {
        uint32_t three = bytes[i] << 16 |
                         (i + 1 < nr ? bytes[i + 1] << 8 : 0) |
                         (i + 2 < nr ? bytes[i + 2] : 0);

        putc_unlocked(digits[three >> 18], to);
        putc_unlocked(digits[three >> 12 & 63], to);
        putc_unlocked(i + 1 < nr ? digits[three >> 6 & 63] : '=', to);
        putc_unlocked(i + 2 < nr ? digits[three & 63] : '=', to);
    }
}

static void print_packed(FILE *to, const char *id, const void *bytes,
                         size_t nr)
{
    uLongf size = compressBound(nr);
    uint8_t *packed = need_memory(size, 1);

    /* The buffer is large enough, so this cannot fail. */
    if (compress2(packed, &size, bytes, nr, 6) != Z_OK)
        abort();
    fprintf(to, "<script type=\"application/octet-stream\" id=\"%s\">", id);
    print_base64(to, packed, size);
    fputs("</script>\n", to);
    free(packed);
}

struct parts {
    const char *meta;
    const uint8_t *data;
    size_t nr;
};

static void print_page(const struct parts *p, FILE *to,
                       const uint8_t nonce[NONCE_BYTES])
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\""
          "default-src 'none'; script-src 'nonce-", to);
    print_base64(to, nonce, NONCE_BYTES);
    fputs("'; style-src 'nonce-", to);
    print_base64(to, nonce, NONCE_BYTES);
    fputs("'; base-uri 'none'; form-action 'none'\">\n"
          "<title>xensched timeline</title>\n<style nonce=\"", to);
    print_base64(to, nonce, NONCE_BYTES);
    fprintf(to, "\">\n%s</style>\n", viewer_css);
    fputs("<header><b>xensched timeline</b>"
          "<input id=\"search\" type=\"search\" placeholder=\"search (/), "
          "or: lost\" aria-label=\"search\"><span id=\"found\"></span>"
          "<button id=\"all\" type=\"button\">all</button>"
          "<button id=\"theme\" type=\"button\">dark or light</button>"
          "<span id=\"range\"></span><span id=\"note\"></span></header>\n"
          "<div id=\"stage\"><canvas id=\"canvas\" tabindex=\"0\"></canvas>"
          "</div>\n<div id=\"details\">reading ...</div>\n", to);
    print_packed(to, "meta", p->meta, strlen(p->meta));
    print_packed(to, "data", p->data, p->nr);
    fputs("<script nonce=\"", to);
    print_base64(to, nonce, NONCE_BYTES);
    fprintf(to, "\">\n%s</script>\n</html>\n", viewer_js);
}

int page_file_write(const char *path, const char *meta, const uint8_t *data,
                    size_t nr, struct xensched_error *err)
{
    struct parts parts = { meta, data, nr };
    uint8_t nonce[NONCE_BYTES];
    FILE *to;
    int failed;

    if (getrandom(nonce, sizeof(nonce), 0) != sizeof(nonce))
        return xensched_fail(err, EIO, "the kernel has no random numbers");
    to = fopen(path, "we");
    if (!to)
        return xensched_fail(err, errno, "cannot create '%s': %s", path,
                             strerror(errno));
    errno = 0;
    print_page(&parts, to, nonce);
    failed = ferror(to);
    if (fclose(to) || failed)
        return xensched_fail(err, errno, "cannot write '%s': %s", path,
                             strerror(errno ? errno : EIO));

    return 0;
}
