/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks that temporary texts are cut at their size and stay valid while others are made. */
#include <string.h>

#include "cmocka-tap.h"

#include "base/text.h"

static void a_long_text_ends_with_dots(void **state)
{
    char long_word[TEXT_BYTES + 10];
    char *text;

    (void)state;
    memset(long_word, 'x', sizeof(long_word));
    long_word[sizeof(long_word) - 1] = '\0';
    text = text_format("%s", long_word);
    assert_int_equal(strlen(text), TEXT_BYTES - 1);
    assert_string_equal(text + TEXT_BYTES - 4, "...");
    text_append(text, "%s", "more");
    assert_int_equal(strlen(text), TEXT_BYTES - 1);
    assert_string_equal(text + TEXT_BYTES - 4, "...");
}

static void appended_text_follows(void **state)
{
    char *text = text_format("%u", 1);

    (void)state;
    text_append(text, "-%u", 3);
    text_append(text, ",%u", 7);
    assert_string_equal(text, "1-3,7");
}

static void a_text_outlives_31_others(void **state)
{
    const char *first = text_format("first");
    unsigned int i;

    (void)state;
    for (i = 0; i < 31; i++)
        text_format("%u", i);
    assert_string_equal(first, "first");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_text_ends_with_dots),
        cmocka_unit_test(appended_text_follows),
        cmocka_unit_test(a_text_outlives_31_others),
    };

    return run_tap_tests(tests);
}
