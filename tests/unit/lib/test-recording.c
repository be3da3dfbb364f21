/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks recordings: they return what was recorded, byte for byte; a cut or damaged part is found,
 * and everything before it is returned all the same.
 *
 * Bug reports and benchmarks rest on recordings, and a full disk, a crash or a broken copy shows at
 * the end of one.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <xensched/recording.h>
#include <xensched/source.h>

#include "cmocka-tap.h"
#include "harness.h"

#define PATH "test-recording.tmp"
#define NR_CHUNKS 6U
#define TSC_KHZ 2500000

/* Sizes of the format's parts, docs/internals/recording-format.md. */
#define HEADER 64U
#define CHUNK  64U

static const uint32_t lcr = XEN_SCHEDLOG_LCR_EVENT | XEN_SCHEDLOG_LCR_CURRENT |
                            XEN_SCHEDLOG_LCR_COUNTER;

/* Makes chunk @i, with @i rows of 8 bytes. */
static void make_batch(unsigned int i, uint8_t rows[64],
                       struct xensched_batch *b)
{
    memset(b, 0, sizeof(*b));
    memset(rows, 0x40 + i, 64);
    xensched_layout(lcr, &b->layout);
    b->cpu = i;
    b->file = 7;
    b->pos = 1000 * i;
    b->lost_bytes = 8 * i;
    b->lost_rows = i;
    b->time_ns = 1ULL << 40 | i;
    b->rows = rows;
    b->length = 8 * i;
}

static uint8_t recorded[8192];
static size_t recorded_size;
static size_t ends[NR_CHUNKS]; /* offset in the file after batch i */

static void read_back(void)
{
    FILE *f = fopen(PATH, "r");

    assert_non_null(f);
    recorded_size = fread(recorded, 1, sizeof(recorded), f);
    fclose(f);
}

/* Writes each batch as a pack of its own, as rounds that are seconds apart do. */
static void record(void)
{
    struct xensched_recorder *r;
    struct xensched_batch b;
    uint8_t rows[64];
    unsigned int i;

    assert_int_equal(xensched_recorder_open(PATH, TSC_KHZ, 5, &r, NULL), 0);
    for (i = 0; i < NR_CHUNKS; i++) {
        make_batch(i, rows, &b);
        assert_int_equal(xensched_recorder_write(r, &b, NULL), 0);
        assert_int_equal(xensched_recorder_round(r, b.time_ns + 2000000000, 7,
                                                 NULL), 0);
        ends[i] = xensched_recorder_bytes(r);
    }
    assert_int_equal(xensched_recorder_close(r, NULL), 0);
    read_back();
}

static void put32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof(value));
}

static void put64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof(value));
}

static uint8_t *put_v1_chunk(uint8_t *at, uint32_t type,
                             const struct xensched_batch *b, uint64_t pos)
{
    memset(at, 0, CHUNK);
    memcpy(at, "chnk", 4);
    put32(at + 4, type);
    put32(at + 8, b->length);
    put32(at + 12, b->cpu);
    put32(at + 16, b->file);
    put32(at + 20, b->layout.lcr);
    put64(at + 24, pos);
    put64(at + 32, b->lost_bytes);
    put64(at + 40, b->lost_rows);
    put64(at + 48, b->time_ns);
    if (b->length)
        memcpy(at + CHUNK, b->rows, b->length);
    put32(at + 60, crc32(crc32(0, at, 60), at + CHUNK, b->length));

    return at + CHUNK + b->length;
}

/* Writes the file as a program of version 1 did, according to the document. */
static void record_v1(void)
{
    struct xensched_batch b = { 0 };
    uint8_t rows[64], *at = recorded;
    unsigned int i;

    memset(at, 0, HEADER);
    memcpy(at, "xensched", 8);
    put32(at + 8, 0x01020304);
    put32(at + 12, 1);
    put32(at + 16, XEN_SCHEDLOG_ABI_VERSION);
    put64(at + 24, TSC_KHZ);
    put32(at + 60, crc32(0, at, 60));
    at += HEADER;
    for (i = 0; i < NR_CHUNKS; i++) {
        make_batch(i, rows, &b);
        at = put_v1_chunk(at, 1, &b, b.pos);
        ends[i] = at - recorded;
    }
    memset(&b, 0, sizeof(b));
    at = put_v1_chunk(at, 0, &b, NR_CHUNKS);
    recorded_size = at - recorded;
}

static void write_file(const uint8_t *bytes, size_t size)
{
    FILE *f = fopen(PATH, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void same_batch(const struct xensched_batch *got, unsigned int i)
{
    struct xensched_batch b;
    uint8_t rows[64];

    make_batch(i, rows, &b);
    assert_memory_equal(&got->layout, &b.layout, sizeof(b.layout));
    assert_int_equal(got->cpu, b.cpu);
    assert_int_equal(got->file, b.file);
    assert_int_equal(got->pos, b.pos);
    assert_int_equal(got->lost_bytes, b.lost_bytes);
    assert_int_equal(got->lost_rows, b.lost_rows);
    assert_int_equal(got->time_ns, b.time_ns);
    assert_int_equal(got->length, b.length);
    if (b.length)
        assert_memory_equal(got->rows, rows, b.length);
}

/* Returns the number of batches, and in *rc the result of the next read. */
static unsigned int replay(int *rc, struct xensched_error *err)
{
    struct xensched_recording *r;
    struct xensched_batch b;
    unsigned int nr = 0;

    *rc = xensched_recording_open(PATH, &r, err);
    if (*rc)
        return 0;
    while ((*rc = xensched_recording_next(r, &b, err)) == 1)
        same_batch(&b, nr++);
    xensched_recording_close(r);

    return nr;
}

static void a_recording_of_version_1_is_read(void **state)
{
    struct xensched_recording *r;
    int rc;

    (void)state;
    record_v1();
    write_file(recorded, recorded_size);
    assert_int_equal(replay(&rc, NULL), NR_CHUNKS);
    assert_int_equal(rc, 0);
    assert_int_equal(xensched_recording_open(PATH, &r, NULL), 0);
    assert_int_equal(xensched_recording_header(r)->version, 1);
    assert_int_equal(xensched_recording_source(r, 0)->kind,
                     XENSCHED_KIND_HYPERVISOR);
    xensched_recording_close(r);
}

static void recorded_rows_are_read_back(void **state)
{
    struct xensched_source_stats stats;
    struct xensched_source *source;
    struct xensched_batch b;
    unsigned int i;
    int rc;

    (void)state;
    record();
    assert_int_equal(replay(&rc, NULL), NR_CHUNKS);
    assert_int_equal(rc, 0);

    assert_int_equal(xensched_source_open("recording:" PATH, NULL, &source,
                                          NULL), 0);
    assert_int_equal(xensched_source_tsc_khz(source), TSC_KHZ);
    for (i = 0; i < NR_CHUNKS; i++) {
        assert_int_equal(xensched_source_next(source, &b, NULL),
                         XENSCHED_BATCH);
        same_batch(&b, i);
    }
    assert_int_equal(xensched_source_next(source, &b, NULL), XENSCHED_END);
    xensched_source_stats(source, &stats);
    assert_int_equal(stats.batches, NR_CHUNKS);
    assert_int_equal(stats.rows, 0 + 1 + 2 + 3 + 4 + 5);
    assert_int_equal(stats.lost_rows, 0 + 1 + 2 + 3 + 4 + 5);
    xensched_source_close(source);
}

/* Names have any bytes but control characters; xl and libxl do not limit them to 63. */
static void names_come_back_whole(void **state)
{
    static const unsigned int lengths[] = { 0, 1, 63, 64, 65, 255 };
    struct xensched_source_info info = { .id = 3,
                                         .kind = XENSCHED_KIND_GUEST };
    struct xensched_recording *r;
    struct xensched_recorder *to;
    struct xensched_batch b;
    uint8_t rows[64];
    unsigned int i;

    (void)state;
    for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        memset(info.name, 0, sizeof(info.name));
        memset(info.name, 0xfc, lengths[i]);
        make_batch(1, rows, &b);
        assert_int_equal(xensched_recorder_open(PATH, TSC_KHZ, 0, &to, NULL),
                         0);
        assert_int_equal(xensched_recorder_source(to, 1, &info, NULL), 0);
        assert_int_equal(xensched_recorder_write(to, &b, NULL), 0);
        assert_int_equal(xensched_recorder_close(to, NULL), 0);
        assert_int_equal(xensched_recording_open(PATH, &r, NULL), 0);
        assert_int_equal(xensched_recording_next(r, &b, NULL), 1);
        assert_string_equal(xensched_recording_source(r, 3)->name, info.name);
        xensched_recording_close(r);
    }
}

static void expect_host(struct xensched_source *source, uint64_t nr,
                        const char *text)
{
    const char *told;
    size_t length;

    assert_int_equal(xensched_source_host(source, &told, &length), nr);
    if (!text) {
        assert_null(told);
        return;
    }
    assert_int_equal(length, strlen(text));
    assert_memory_equal(told, text, length);
}

static void next_has(struct xensched_source *source, uint64_t time_ns,
                     size_t rows)
{
    struct xensched_batch b;

    assert_int_equal(xensched_source_next(source, &b, NULL), XENSCHED_BATCH);
    assert_true(b.time_ns == time_ns);
    assert_int_equal(xensched_batch_rows(&b), rows);
}

/* Rows keep the meaning that they had when they were recorded. */
static void the_host_is_told_where_it_changed(void **state)
{
    struct xensched_source *source;
    struct xensched_recorder *r;
    struct xensched_error err;
    struct xensched_batch b;
    uint8_t rows[64];

    (void)state;
    make_batch(3, rows, &b);
    assert_int_equal(xensched_recorder_open(PATH, TSC_KHZ, 0, &r, NULL), 0);
    assert_int_equal(xensched_recorder_write(r, &b, NULL), 0);
    assert_int_equal(xensched_recorder_host(r, 100, "{\"a\":1}", 7, NULL), 0);
    assert_int_equal(xensched_recorder_write(r, &b, NULL), 0);
    assert_int_equal(xensched_recorder_host(r, 200, "", 0, NULL), 0);
    assert_int_equal(xensched_recorder_host(r, 300, "",
                                            XEN_SCHEDLOG_MAX_FILE_SIZE + 1,
                                            &err), -E2BIG);
    assert_int_equal(xensched_recorder_close(r, NULL), 0);

    assert_int_equal(xensched_source_open("recording:" PATH, NULL, &source,
                                          NULL), 0);
    expect_host(source, 0, NULL);
    next_has(source, b.time_ns, 3);
    expect_host(source, 0, NULL);
    next_has(source, 100, 0);
    expect_host(source, 1, "{\"a\":1}");
    next_has(source, b.time_ns, 3);
    expect_host(source, 1, "{\"a\":1}");
    next_has(source, 200, 0);
    expect_host(source, 2, "");
    assert_int_equal(xensched_source_next(source, &b, NULL), XENSCHED_END);
    xensched_source_close(source);
}

/* Returns the number of complete batches in the first @size bytes. */
static unsigned int batches_in(size_t size)
{
    unsigned int i;

    for (i = 0; i < NR_CHUNKS && ends[i] <= size; i++)
        ;

    return i;
}

static void cut(void)
{
    struct xensched_error err;
    char offset[32];
    size_t at;
    int rc;

    for (at = 0; at < recorded_size; at++) {
        write_file(recorded, at);
        assert_int_equal(replay(&rc, &err), batches_in(at));
        assert_int_equal(rc, -ENODATA);
        snprintf(offset, sizeof(offset), "offset %zu:", at);
        assert_non_null(strstr(err.text, offset));
    }
}

static void cut_anywhere_all_before_the_cut_comes_back(void **state)
{
    (void)state;
    record();
    cut();
    record_v1();
    cut();
}

static void damage(void)
{
    struct xensched_error err;
    uint8_t bytes[sizeof(recorded)];
    size_t at;
    int rc;

    for (at = 0; at < recorded_size; at++) {
        memcpy(bytes, recorded, recorded_size);
        bytes[at] ^= 1U << at % 8;
        write_file(bytes, recorded_size);
        assert_true(replay(&rc, &err) <= batches_in(at));
        assert_true(rc == -EILSEQ || rc == -EINVAL || rc == -EPROTO ||
                    rc == -ENODATA);
        if (at >= HEADER)
            assert_non_null(strstr(err.text, "offset"));
    }
}

static void damage_anywhere_is_found_out(void **state)
{
    (void)state;
    record();
    damage();
    record_v1();
    damage();
}

/* Replays a pack with these contents and a correct checksum. */
static int replay_pack(const void *chunks, size_t length, uint64_t claimed,
                       struct xensched_error *err)
{
    uint8_t bytes[8192];
    struct xensched_batch b = { .length = 0 };
    int rc;

    record();
    b.length = ZSTD_compress(bytes, sizeof(bytes), chunks, length, 1);
    b.rows = bytes;
    write_file(recorded, put_v1_chunk(recorded + HEADER, 5, &b, claimed) -
               recorded);
    assert_int_equal(replay(&rc, err), 0);

    return rc;
}

/* A pack is a file within the file, so its contents are checked as well. */
static void a_pack_that_lies_is_found_out(void **state)
{
    uint8_t chunks[4096] = { 0 };
    struct xensched_error err;
    uint32_t type;

    (void)state;
    memcpy(chunks, "chnk", 4);
    /* A size that is too large, too small, and far too large. */
    assert_int_equal(replay_pack(chunks, 64, 65, &err), -EILSEQ);
    assert_int_equal(replay_pack(chunks, 64, 63, &err), -EILSEQ);
    assert_int_equal(replay_pack(chunks, 64, 1ULL << 62, &err), -EILSEQ);
    assert_non_null(strstr(err.text, "offset 64"));
    /*
     * A pack that ends within a header, has no chunk, or has a chunk that is longer than the pack.
     */
    assert_int_equal(replay_pack(chunks, 63, 63, &err), -EILSEQ);
    assert_int_equal(replay_pack(chunks + 1, 64, 64, &err), -EILSEQ);
    put32(chunks + 4, 1);
    put32(chunks + 8, 65);
    assert_int_equal(replay_pack(chunks, 128, 128, &err), -EILSEQ);
    /* End marks and packs in a pack; sources and clocks that are too short. */
    for (type = 0; type < 6; type++) {
        if (type == 1 || type == 2)
            continue;
        put32(chunks + 4, type);
        put32(chunks + 8, 8);
        assert_int_equal(replay_pack(chunks, 72, 72, &err), -EILSEQ);
    }
    /* A chunk of a later version is skipped; then the file ends. */
    put32(chunks + 4, 77);
    assert_int_equal(replay_pack(chunks, 72, 72, &err), -ENODATA);
}

static void noise_is_not_a_recording(void **state)
{
    struct xensched_error err;
    uint8_t bytes[512];
    uint64_t seed = 5;
    unsigned int i, k;
    int rc;

    (void)state;
    record();
    for (i = 0; i < 300; i++) {
        /* With a valid header the reader gets to the random bytes. */
        memcpy(bytes, recorded, HEADER);
        for (k = i & 1 ? HEADER : 0; k < sizeof(bytes); k++)
            bytes[k] = harness_random(&seed);
        write_file(bytes, sizeof(bytes));
        assert_int_equal(replay(&rc, &err), 0);
        assert_true(rc < 0);
    }
}

static void something_after_the_end_is_found_out(void **state)
{
    struct xensched_error err;
    int rc;

    (void)state;
    record();
    recorded[recorded_size] = 0;
    write_file(recorded, recorded_size + 1);
    assert_int_equal(replay(&rc, &err), NR_CHUNKS);
    assert_int_equal(rc, -EILSEQ);
}

static void another_version_or_abi_is_named(void **state)
{
    struct xensched_recording *r;
    struct xensched_error err;

    (void)state;
    record();
    recorded[12]++; /* version */
    write_file(recorded, recorded_size);
    assert_int_equal(xensched_recording_open(PATH, &r, &err), -EPROTO);
    assert_non_null(strstr(err.text, "version 3"));
    assert_non_null(strstr(err.text, "versions 1 to 2"));
    recorded[12]--;
    recorded[16]++; /* ABI */
    write_file(recorded, recorded_size);
    assert_int_equal(xensched_recording_open(PATH, &r, &err), -EPROTO);
    assert_non_null(strstr(err.text, "ABI version"));
    /* Rows of an older ABI have another meaning. */
    recorded[16] -= 2;
    write_file(recorded, recorded_size);
    assert_int_equal(xensched_recording_open(PATH, &r, &err), -EPROTO);
    assert_non_null(strstr(err.text, "ABI version 1"));
}

static void a_full_disk_is_reported(void **state)
{
    struct rlimit all, little;
    struct xensched_recorder *r;
    struct xensched_error err;
    struct xensched_batch b;
    uint8_t rows[64];
    int rc = 0, i;

    (void)state;
    make_batch(5, rows, &b);
    /* The recorder writes the header at once. */
    assert_int_equal(xensched_recorder_open("/dev/full", 0, 0, &r, &err),
                     -ENOSPC);
    assert_non_null(strstr(err.text, "/dev/full"));

    /* A limit of the file's size has the effect of a full disk. */
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &all);
    little = all;
    little.rlim_cur = 100;
    assert_int_equal(xensched_recorder_open(PATH, 0, 0, &r, &err), 0);
    setrlimit(RLIMIT_FSIZE, &little);
    for (i = 0; !rc && i < 30000; i++)
        rc = xensched_recorder_write(r, &b, &err);
    assert_int_equal(rc, -EFBIG);
    assert_non_null(strstr(err.text, PATH));
    assert_int_equal(xensched_recorder_write(r, &b, &err), -EFBIG);
    xensched_recorder_close(r, &err);
    setrlimit(RLIMIT_FSIZE, &all);

    /* The buffer is not full, so the recorder writes it at the end. */
    assert_int_equal(xensched_recorder_open(PATH, 0, 0, &r, &err), 0);
    assert_int_equal(xensched_recorder_write(r, &b, &err), 0);
    setrlimit(RLIMIT_FSIZE, &little);
    assert_int_equal(xensched_recorder_close(r, &err), -EFBIG);
    setrlimit(RLIMIT_FSIZE, &all);
    signal(SIGXFSZ, SIG_DFL);
}

static void a_file_that_is_not_there_is_named(void **state)
{
    struct xensched_source *source;
    struct xensched_error err;

    (void)state;
    assert_int_equal(xensched_source_open("recording:/no/such", NULL, &source,
                                          &err), -ENOENT);
    assert_non_null(strstr(err.text, "/no/such"));
    assert_int_equal(xensched_source_open("recording", NULL, &source, &err),
                     -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_rows_are_read_back),
        cmocka_unit_test(a_recording_of_version_1_is_read),
        cmocka_unit_test(names_come_back_whole),
        cmocka_unit_test(the_host_is_told_where_it_changed),
        cmocka_unit_test(cut_anywhere_all_before_the_cut_comes_back),
        cmocka_unit_test(damage_anywhere_is_found_out),
        cmocka_unit_test(a_pack_that_lies_is_found_out),
        cmocka_unit_test(noise_is_not_a_recording),
        cmocka_unit_test(something_after_the_end_is_found_out),
        cmocka_unit_test(another_version_or_abi_is_named),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
    };
    int failed = run_tap_tests(tests);

    unlink(PATH);

    return failed;
}
